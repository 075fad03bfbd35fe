//! What we keep about one session of an agent: one folder, removed at its end.
//!
//! Sessions whose end we never heard of are swept when another one starts.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::ctx::Ctx;
use crate::event::SessionId;

/// A session that nothing has been heard of for so long is over.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// Returns the folder for what is kept about a session under this name.
pub(crate) fn folder(session: &SessionId, name: &str, ctx: &Ctx) -> PathBuf {
    sessions(ctx).join(session.key()).join(name)
}

/// Forgets a session.
pub(crate) fn end(session: &SessionId, ctx: &Ctx) {
    let _ = fs::remove_dir_all(sessions(ctx).join(session.key()));
}

/// Forgets the sessions that ended without a word.
pub(crate) fn sweep(ctx: &Ctx) {
    let is_old = |path: &PathBuf| {
        let modified = fs::metadata(path).and_then(|it| it.modified());
        let age = modified.ok().and_then(|it| SystemTime::now().duration_since(it).ok());
        age.is_some_and(|it| it > FORGOTTEN_AFTER)
    };
    let entries = fs::read_dir(sessions(ctx)).into_iter().flatten().flatten();
    for path in entries.map(|it| it.path()).filter(is_old) {
        let _ = fs::remove_dir_all(path);
    }
}

/// Returns the folders of all sessions that have not ended.
pub(crate) fn all(ctx: &Ctx) -> Vec<PathBuf> {
    let entries = fs::read_dir(sessions(ctx)).into_iter().flatten().flatten();
    entries.map(|it| it.path()).collect()
}

fn sessions(ctx: &Ctx) -> PathBuf {
    ctx.dirs.state.join("sessions")
}
