//! Remembers when each agent last called us, so that `doctor` can tell a hook
//! that is installed from a hook that runs.
//!
//! The time stamp of an empty file per agent and event is the whole record:
//! setting it is one system call and cannot be torn.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::SystemTime;

use crate::sys::paths::Dirs;

/// Notes that `agent` has just called us for `event`. Failure is of no
/// consequence: the next call tries again.
pub(crate) fn beat(dirs: &Dirs, agent: &str, event: &str) {
    let path = folder(dirs, agent).join(event);
    let open = || File::options().append(true).create(true).open(&path);
    let file = open().or_else(|_| {
        crate::sys::fs::private_dir(&folder(dirs, agent))?;
        open()
    });
    if let Ok(file) = file {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Returns the events for which `agent` has called us, the latest first.
pub(crate) fn beats(dirs: &Dirs, agent: &str) -> Vec<(String, SystemTime)> {
    let entries = fs::read_dir(folder(dirs, agent)).into_iter().flatten().flatten();
    let mut beats: Vec<(String, SystemTime)> = entries
        .filter_map(|entry| {
            let time = entry.metadata().ok()?.modified().ok()?;
            Some((entry.file_name().into_string().ok()?, time))
        })
        .collect();
    beats.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    beats
}

fn folder(dirs: &Dirs, agent: &str) -> PathBuf {
    dirs.state.join("heartbeat").join(agent)
}
