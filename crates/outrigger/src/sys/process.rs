//! Other programs: started in a folder and a process group of their own, fed,
//! bounded in time and output, and ended with all their children.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::sys::deadline::Deadline;

/// What a program that was run to its end has said.
#[derive(Debug)]
pub(crate) struct Finished {
    /// How it ended; `None` if it was ended at the deadline.
    pub(crate) status: Option<ExitStatus>,
    /// Its output, up to the cap.
    pub(crate) stdout: Vec<u8>,
    /// Its messages, up to the cap.
    pub(crate) stderr: Vec<u8>,
}

/// What the system tells of a running process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    /// The program's name, as far as the system keeps it.
    pub(crate) name: String,
    pub(crate) state: State,
}

/// What a process is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It runs, or waits for something.
    Alive,
    /// It was stopped, as by ctrl-Z, and does nothing at all.
    Suspended,
    /// It has ended, and its parent has not noticed yet.
    Dead,
}

impl Process {
    /// Reads what the system tells; nothing if there is no such process, or no
    /// such system.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        Self::read(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Reads `7 (name) S …`; the name may hold brackets itself.
    fn read(stat: &str) -> Option<Self> {
        let (head, rest) = stat.rsplit_once(") ")?;
        let state = match rest.chars().next()? {
            'T' | 't' => State::Suspended,
            'Z' | 'X' | 'x' => State::Dead,
            _ => State::Alive,
        };
        Some(Self { name: head.split_once('(')?.1.to_owned(), state })
    }
}

/// Returns a command that runs in `folder`, without stdin.
pub(crate) fn command(program: impl AsRef<OsStr>, folder: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "this is the function to use instead")]
    let mut command = Command::new(program);
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs a command with this stdin until it ends or the time is up; then it and
/// its children are killed. Output beyond `max_bytes` is read and dropped.
pub(crate) fn run(
    command: &mut Command,
    stdin: &[u8],
    max_bytes: usize,
    deadline: Deadline,
) -> io::Result<Finished> {
    command.process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let pipe = child.stdin.take();
    let (out, err) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        scope.spawn(move || {
            // A program that does not read its stdin is no failure.
            let _ = pipe.map(|mut it| it.write_all(stdin));
        });
        let out = scope.spawn(move || read_capped(out, max_bytes));
        let err = scope.spawn(move || read_capped(err, max_bytes));
        let status = wait(child, deadline)?;
        Ok(Finished {
            status,
            stdout: out.join().unwrap_or_default(),
            stderr: err.join().unwrap_or_default(),
        })
    })
}

/// Waits for the end; at the deadline kills the whole group.
fn wait(mut child: Child, deadline: Deadline) -> io::Result<Option<ExitStatus>> {
    let group = Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    let waiter = thread::spawn(move || {
        let _ = sender.send(child.wait());
    });
    let status = match receiver.recv_timeout(deadline.remaining()) {
        Ok(status) => Some(status?),
        Err(_) => None,
    };
    // Children that outlive their parent would keep our pipes open for ever.
    let _ = kill_process_group(group, Signal::KILL);
    let _ = waiter.join();
    Ok(status)
}

fn read_capped(pipe: Option<impl Read>, max_bytes: usize) -> Vec<u8> {
    let mut kept = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.by_ref().take(max_bytes as u64).read_to_end(&mut kept);
        let _ = io::copy(&mut pipe, &mut io::sink());
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn sh(script: &str, stdin: &[u8], budget: Duration) -> Finished {
        let mut command = command("sh", Path::new("/"));
        command.args(["-c", script]);
        run(&mut command, stdin, 10, Deadline::after(budget)).unwrap()
    }

    #[test]
    fn the_system_tells_name_and_state() {
        for (stat, name, state) in [
            ("7 (nvim) S 1 7", "nvim", State::Alive),
            ("7 (a) b (c)) T 1", "a) b (c)", State::Suspended),
            ("7 (emacs) Z 1", "emacs", State::Dead),
        ] {
            assert_eq!(Process::read(stat), Some(Process { name: name.to_owned(), state }));
        }
        assert_eq!(Process::read("7"), None);
        assert_eq!(Process::of(std::process::id()).map(|it| it.state), Some(State::Alive));
    }

    #[test]
    fn a_program_is_fed_and_heard() {
        let finished = sh("cat; echo no >&2; exit 3", b"hello", Duration::from_secs(20));
        assert_eq!(finished.status.and_then(|it| it.code()), Some(3));
        assert_eq!((finished.stdout, finished.stderr), (b"hello".to_vec(), b"no\n".to_vec()));
    }

    #[test]
    fn output_beyond_the_cap_is_dropped() {
        let finished = sh("yes | head -c 1000000", b"", Duration::from_secs(20));
        assert_eq!(finished.stdout, b"y\ny\ny\ny\ny\n");
    }

    #[test]
    fn at_the_deadline_the_children_end_too() {
        let finished = sh("sleep 1000 & echo on; wait", b"", Duration::from_millis(300));
        assert!(finished.status.is_none());
        assert_eq!(finished.stdout, b"on\n");
    }

    #[test]
    fn a_child_that_outlives_its_parent_does_not_keep_us() {
        let finished = sh("sleep 1000 & echo gone", b"", Duration::from_secs(20));
        assert_eq!(finished.status.and_then(|it| it.code()), Some(0));
        assert_eq!(finished.stdout, b"gone\n");
    }
}
