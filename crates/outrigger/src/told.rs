//! Remembers what a session has been told, so that it is told once.

use std::fs::File;

use crate::ctx::Ctx;
use crate::event::Event;
use crate::session;
use crate::sys::fs::private_dir;

/// Tells whether `what` comes up for the first time in this session, and
/// remembers that it did. When that cannot be kept, it is.
pub(crate) fn is_first_time(event: &Event, what: &str, ctx: &Ctx) -> bool {
    let folder = session::folder(&event.session, "told", ctx);
    let mark = folder.join(&blake3::hash(what.as_bytes()).to_hex()[..32]);
    if private_dir(&folder).is_err() {
        return true;
    }
    match File::options().write(true).create_new(true).open(mark) {
        Ok(_) => true,
        Err(error) => error.kind() != std::io::ErrorKind::AlreadyExists,
    }
}
