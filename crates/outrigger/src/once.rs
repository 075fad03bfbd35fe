//! Sees to it that an event is handled once when an agent runs us twice for it:
//! from its settings and from our plugin.
//!
//! Both processes get the same bytes at about the same time. For every payload
//! each side counts how often it has seen it, and the side whose count is ahead
//! is the one to answer. No clock is involved, and when only one side is
//! installed it is always ahead. To spare the usual case the cost, the settings
//! side counts only once the plugin has left its mark in the session.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;

use crate::ctx::Ctx;
use crate::event::{Event, EventKind};
use crate::session;
use crate::sys::fs::private_dir;

const FOLDER: &str = "once";
/// The folder's mark that the plugin is active in this session.
const PLUGIN_MARK: &str = "plugin";

/// Tells whether this process should handle the event. When the count cannot be
/// kept, it should: twice is better than never.
pub(crate) fn is_ours(event: &Event, payload: &[u8], ctx: &Ctx) -> bool {
    let folder = session::folder(&event.session, FOLDER, ctx);
    let starting = event.kind == EventKind::SessionStarted;
    if !ctx.from_plugin && !starting && !folder.join(PLUGIN_MARK).exists() {
        return true;
    }
    count(&folder, payload, ctx.from_plugin).unwrap_or(true)
}

/// Tells whether the plugin runs in this session, so that somebody else may
/// still ask about the event.
pub(crate) fn has_plugin(event: &Event, ctx: &Ctx) -> bool {
    session::folder(&event.session, FOLDER, ctx).join(PLUGIN_MARK).exists()
}

/// Tells whether the plugin has run in any session that has not ended.
pub(crate) fn plugin_seen(ctx: &Ctx) -> bool {
    session::all(ctx).iter().any(|it| it.join(FOLDER).join(PLUGIN_MARK).exists())
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
