//! Runs an agent's CLI to its end, a few at a time, and never longer than it may.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// How many CLIs may run at once: each keeps about one core busy.
const MAX_RUNNING: usize = 2;

/// Waits for a free place, runs the process in a group of its own, and returns
/// how it ended. Returns nothing if time was up and the group had to be killed.
pub(crate) fn run_or_kill(command: &mut Command, patience: Duration) -> Option<ExitStatus> {
    let _permit = Permit::take();
    let mut child = command.process_group(0).spawn().unwrap();
    let group = Pid::from_child(&child);
    let (sender, ended) = mpsc::channel();
    let waiting = thread::spawn(move || sender.send(child.wait().unwrap()));
    let status = ended.recv_timeout(patience).ok();
    if status.is_none() {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = waiting.join();
    status
}

/// The right to run one CLI.
struct Permit;

static N_RUNNING: Mutex<usize> = Mutex::new(0);
static ONE_ENDED: Condvar = Condvar::new();

impl Permit {
    fn take() -> Self {
        let n_running = N_RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = ONE_ENDED.wait_while(n_running, |it| *it >= MAX_RUNNING);
        *waited.unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        *N_RUNNING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ONE_ENDED.notify_one();
    }
}

#[test]
fn a_process_that_does_not_end_is_killed_with_its_children() {
    let mut command = Command::new("sh");
    command.args(["-c", "sleep 1000 & wait"]);
    assert_eq!(run_or_kill(&mut command, Duration::from_millis(50)), None);
}
