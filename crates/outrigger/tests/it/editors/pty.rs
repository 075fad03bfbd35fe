//! An editor in a terminal of its own, with somebody at the keyboard. It is
//! killed when the test ends, however it ends.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::desk::{Desk, until, until_or};

/// A process that does not outlive the test.
pub(crate) struct Running {
    child: Child,
}

impl Running {
    /// Starts it in a process group of its own.
    pub(crate) fn start(command: &mut Command) -> Self {
        use std::os::unix::process::CommandExt;
        Self { child: command.process_group(0).spawn().unwrap() }
    }

    /// Starts it as the leader of a session, with its stdin as the terminal.
    fn start_in_terminal(command: &mut Command) -> Self {
        Self { child: command.spawn().unwrap() }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    fn signal(&self, signal: Signal) {
        let _ = kill_process_group(Pid::from_child(&self.child), signal);
    }

    /// Stops it as ctrl-Z would; it answers nobody until the test ends.
    pub(crate) fn stop(&self) {
        self.signal(Signal::STOP);
        let stopped = || waitpid(Some(Pid::from_child(&self.child)), WaitOptions::UNTRACED);
        until("the editor to stop", || stopped().ok().flatten());
    }

    /// Kills it as a crash would, and leaves the corpse for the parent to find.
    pub(crate) fn crash(&self) {
        self.signal(Signal::KILL);
        until("the editor to die", || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid())).ok()?;
            stat.rsplit_once(") ")?.1.starts_with('Z').then_some(())
        });
    }

    /// Takes the corpse away.
    pub(crate) fn bury(&mut self) {
        self.child.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        let _ = self.child.wait();
    }
}

/// A terminal with an editor in it.
pub(crate) struct Terminal {
    pub(crate) editor: Running,
    keyboard: File,
    screen: Arc<Mutex<Vec<u8>>>,
    marks: PathBuf,
    n_marks: u32,
}

impl Terminal {
    /// Starts the program in a terminal of 80 by 24 characters.
    pub(crate) fn start(desk: &Desk, program: &Path, folder: &Path, args: &[&str]) -> Self {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let size = rustix::termios::Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&keyboard, size).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap().into_string().unwrap();
        let line = || File::options().read(true).write(true).open(&name).unwrap();
        let mut command = desk.command(Path::new("/usr/bin/setsid"), folder);
        command.arg("--ctty").arg(program).args(args);
        command.stdin(line()).stdout(line()).stderr(Stdio::from(line()));
        let editor = Running::start_in_terminal(&mut command);
        let keyboard = File::from(keyboard);
        let screen = Arc::new(Mutex::new(Vec::new()));
        let (mut output, shown) = (keyboard.try_clone().unwrap(), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            // The terminal reports an error once the editor is gone.
            while let Ok(n_read @ 1..) = output.read(&mut chunk) {
                shown.lock().unwrap().extend_from_slice(&chunk[..n_read]);
            }
        });
        let marks = desk.below("");
        Self { editor, keyboard, screen, marks, n_marks: 0 }
    }

    pub(crate) fn keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Types what makes the editor write a file, and waits for that: by then it
    /// has seen all keys before.
    #[track_caller]
    pub(crate) fn sync(&mut self, keys_for: impl Fn(&str) -> String) {
        self.n_marks += 1;
        let mark = self.marks.join(format!("mark-{}-{}", self.editor.pid(), self.n_marks));
        self.keys(&keys_for(mark.to_str().unwrap()));
        self.await_file(&mark);
    }

    #[track_caller]
    pub(crate) fn await_file(&self, path: &Path) {
        let complaint = || format!("no {}; on the screen:\n{}", path.display(), self.screen());
        until_or(|| path.exists().then_some(()), complaint);
    }

    /// Returns what was drawn so far, codes and all.
    pub(crate) fn screen(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned()
    }
}
