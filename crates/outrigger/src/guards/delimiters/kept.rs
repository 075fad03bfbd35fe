//! What a file held before an edit, kept until the edit is over, so that the
//! check afterwards can put it back.

use std::fs;
use std::path::{Path, PathBuf};

use crate::ctx::Ctx;
use crate::event::{Event, ToolCall};
use crate::session;
use crate::sys::fs::{private_dir, write_passing};

/// What was known when the edit was judged.
#[derive(Debug, PartialEq)]
pub(super) struct Kept {
    /// The file's content; `None` if it did not exist.
    pub(super) before: Option<Vec<u8>>,
    /// The edit was let through although it does not balance the file.
    pub(super) is_tolerated: bool,
}

/// Keeps what is known. Failure only costs the check afterwards its memory.
pub(super) fn keep(event: &Event, call: &ToolCall, path: &Path, kept: &Kept, ctx: &Ctx) {
    let record = record(event, call, path, ctx);
    let mark = match (&kept.before, kept.is_tolerated) {
        (Some(_), false) => b'+',
        (Some(_), true) => b'~',
        (None, false) => b'-',
        (None, true) => b'?',
    };
    let bytes = [&[mark], kept.before.as_deref().unwrap_or_default()].concat();
    if let Some(folder) = record.parent()
        && private_dir(folder).is_ok()
    {
        let _ = write_passing(&record, &bytes);
    }
}

/// Returns what was kept for this call and forgets it.
pub(super) fn take(event: &Event, call: &ToolCall, path: &Path, ctx: &Ctx) -> Option<Kept> {
    let record = record(event, call, path, ctx);
    let bytes = fs::read(&record).ok()?;
    let _ = fs::remove_file(&record);
    let (mark, before) = bytes.split_first()?;
    let before = matches!(mark, b'+' | b'~').then(|| before.to_vec());
    Some(Kept { before, is_tolerated: matches!(mark, b'~' | b'?') })
}

fn record(event: &Event, call: &ToolCall, path: &Path, ctx: &Ctx) -> PathBuf {
    let id = format!("{}\0{}", call.call_id.as_deref().unwrap_or_default(), path.display());
    let name = &blake3::hash(id.as_bytes()).to_hex()[..32];
    session::folder(&event.session, "kept", ctx).join(name)
}
