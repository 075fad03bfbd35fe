//! Unsaved work as it shows on disk, with nothing to install: the swap files of
//! Vim and Neovim, the lock links of Emacs, the backups of VS Code.
//!
//! A sign counts only while the process that left it is alive.

mod backups;
mod emacs;
mod swap;

use std::path::Path;

use crate::editors::Unsaved;
use crate::sys::paths::Dirs;

/// Returns every sign that `file` holds unsaved work. `real` is the same file
/// with links resolved.
pub(crate) fn signs(file: &Path, real: &Path, dirs: &Dirs) -> Vec<Unsaved> {
    let mut found = Vec::new();
    let mut look = |path: &Path| {
        found.extend(swap::signs(path, real, dirs));
        found.extend(emacs::signs(path, real));
    };
    look(real);
    if file != real {
        look(file);
    }
    found.extend(backups::signs(real, dirs));
    found.dedup();
    found
}

/// Tells whether a process of that id runs, and is one of these programs as far
/// as the system tells.
fn is_alive(pid: u32, programs: &[&str]) -> bool {
    let Some(known) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else {
        return false;
    };
    // A process of another user's exists too, and says so by refusing.
    let exists = match rustix::process::test_kill_process(known) {
        Ok(()) => true,
        Err(error) => error == rustix::io::Errno::PERM,
    };
    // Ids are used again: a crashed editor's may by now be anybody's.
    let is_another = std::fs::read_to_string(format!("/proc/{pid}/comm"))
        .is_ok_and(|name| !programs.iter().any(|it| name.to_lowercase().contains(it)));
    exists && !is_another
}
