//! Sees to it that an event is handled once when an agent runs us twice for it:
//! from its settings and from our plugin.
//!
//! Both processes get the same bytes at about the same time. For every payload
//! each side counts how often it has seen it, and the side whose count is ahead
//! is the one to answer. No clock is involved, and when only one side is
//! installed it is always ahead. To spare the usual case the cost, the settings
//! side counts only once the plugin has left its mark in the session.

use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::ctx::Ctx;
use crate::event::{Event, EventKind};
use crate::sys::fs::private_dir;

/// The folder's mark that the plugin is active in this session.
const PLUGIN_MARK: &str = "plugin";

/// Tells whether this process should handle the event. When the count cannot be
/// kept, it should: twice is better than never.
pub(crate) fn is_ours(event: &Event, payload: &[u8], ctx: &Ctx) -> bool {
    let folder = folder(event, ctx);
    let starting = event.kind == EventKind::SessionStarted;
    if !ctx.from_plugin && !starting && !folder.join(PLUGIN_MARK).exists() {
        return true;
    }
    count(&folder, payload, ctx.from_plugin).unwrap_or(true)
}

/// Forgets the session.
pub(crate) fn forget(event: &Event, ctx: &Ctx) {
    // Both sides do this at the end of a session; the slower one finds nothing.
    let _ = fs::remove_dir_all(folder(event, ctx));
}

/// Tells whether the plugin has run in any session that has not ended.
pub(crate) fn plugin_seen(ctx: &Ctx) -> bool {
    let sessions = fs::read_dir(ctx.dirs.state.join("once")).into_iter().flatten().flatten();
    sessions.into_iter().any(|it| it.path().join(PLUGIN_MARK).exists())
}

fn folder(event: &Event, ctx: &Ctx) -> PathBuf {
    ctx.dirs.state.join("once").join(event.session.key())
}

fn count(folder: &Path, payload: &[u8], from_plugin: bool) -> std::io::Result<bool> {
    private_dir(folder)?;
    let open = |name: &str| {
        File::options().read(true).write(true).create(true).truncate(false).open(folder.join(name))
    };
    if from_plugin {
        open(PLUGIN_MARK)?;
    }
    let mut file = open(&blake3::hash(payload).to_hex()[..32])?;
    file.lock()?;
    let mut counts = [0_u8; 2];
    let n_read = file.read(&mut counts)?;
    counts[n_read..].fill(0);
    let (mine, other) = if from_plugin { (0, 1) } else { (1, 0) };
    counts[mine] = counts[mine].wrapping_add(1);
    file.rewind()?;
    file.write_all(&counts)?;
    Ok(counts[mine].wrapping_sub(counts[other]) as i8 > 0)
}
