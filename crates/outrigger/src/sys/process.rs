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
