//! Remembers what a session has been told, so that it is told once.

use std::fs::{self, File};
use std::path::PathBuf;

use crate::ctx::Ctx;
use crate::event::Event;
use crate::sys::fs::private_dir;

/// Tells whether `what` comes up for the first time in this session, and
/// remembers that it did. When that cannot be kept, it is.
pub(crate) fn is_first_time(event: &Event, what: &str, ctx: &Ctx) -> bool {
    let folder = folder(event, ctx);
    let mark = folder.join(&blake3::hash(what.as_bytes()).to_hex()[..32]);
    if private_dir(&folder).is_err() {
        return true;
    }
    match File::options().write(true).create_new(true).open(mark) {
        Ok(_) => true,
        Err(error) => error.kind() != std::io::ErrorKind::AlreadyExists,
    }
}

/// Forgets the session.
pub(crate) fn forget(event: &Event, ctx: &Ctx) {
    let _ = fs::remove_dir_all(folder(event, ctx));
}

fn folder(event: &Event, ctx: &Ctx) -> PathBuf {
    ctx.dirs.state.join("told").join(event.session.key())
}
