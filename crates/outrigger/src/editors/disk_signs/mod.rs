//! Unsaved work as it shows on disk, with nothing to install: the swap files of
//! Vim and Neovim, the lock links of Emacs, the backups of VS Code.
//!
//! A sign counts only while the process that left it is alive.

mod backups;
mod emacs;
mod swap;

use std::path::{Path, PathBuf};

use crate::editors::Unsaved;
use crate::sys::paths::Dirs;
use crate::sys::process::{Process, State};

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
    found
}

/// Returns which of these files an editor that cannot be asked holds unsaved,
/// by the swap files it has open, wherever they are.
pub(crate) fn held_by(pid: u32, wanted: &[PathBuf], dirs: &Dirs) -> Vec<Unsaved> {
    swap::held_by(pid, wanted, dirs)
}

/// Tells whether a process of that id runs, and is one of these programs as far
/// as the system tells.
fn is_alive(pid: u32, programs: &[&str]) -> bool {
    match Process::of(pid) {
        // Ids are used again: a crashed editor's may by now be anybody's.
        Some(process) => {
            process.state != State::Dead
                && programs.iter().any(|it| process.name.to_lowercase().contains(it))
        }
        None => exists(pid),
    }
}

fn exists(pid: u32) -> bool {
    let known = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    known.is_some_and(|it| match rustix::process::test_kill_process(it) {
        Ok(()) => true,
        // A process of another user's exists too, and says so by refusing.
        Err(error) => error == rustix::io::Errno::PERM,
    })
}
