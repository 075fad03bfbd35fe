//! Edits that balance a file only together.
//!
//! The first edit that would leave a file unbalanced is refused, and its
//! fingerprint kept. When the agent sends the very same edit again, it means
//! what it says: the edit is let through and the file is *open*. While a file
//! is open its edits are neither mended nor refused, and it is not evaluated.
//! The edit that balances it settles the matter; otherwise it is settled when
//! the agent wants to stop.
//!
//! The record is a few small files per session in our state folder: the file's
//! hash with the ending `refused` (a fingerprint), `open` (the file's path),
//! `before` (its last balanced content), `held` (how often a stop was held).

use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::ctx::Ctx;
use crate::event::SessionId;
use crate::session;
use crate::sys::fs::{private_dir, write_passing};

/// The unsettled files of one session.
#[derive(Debug)]
pub(crate) struct Steps {
    folder: PathBuf,
}

/// A file that an agent is changing in several steps.
#[derive(Debug, PartialEq)]
pub(super) struct OpenFile {
    pub(super) path: PathBuf,
    /// Its content before the first step, if it existed.
    pub(super) before: Option<Vec<u8>>,
    /// How often the agent was kept from stopping because of it.
    pub(super) n_held: u32,
}

impl Steps {
    pub(crate) fn of(session_id: &SessionId, ctx: &Ctx) -> Self {
        Self { folder: session::folder(session_id, "steps", ctx) }
    }

    /// Tells whether the file is between two steps.
    pub(crate) fn is_open(&self, path: &Path) -> bool {
        self.record(path, "open").exists()
    }

    /// Tells whether this very edit was refused before.
    pub(super) fn was_refused(&self, path: &Path, fingerprint: &str) -> bool {
        fs::read_to_string(self.record(path, "refused")).is_ok_and(|it| it == fingerprint)
    }

    /// Remembers that this edit was refused.
    pub(super) fn refuse(&self, path: &Path, fingerprint: &str) -> io::Result<()> {
        self.keep(path, "refused", fingerprint.as_bytes())
    }

    /// Opens the file; `before` is what it holds now.
    pub(super) fn open(&self, path: &Path, before: Option<&[u8]>) -> io::Result<()> {
        if let Some(before) = before {
            self.keep(path, "before", before)?;
        }
        self.keep(path, "open", path.as_os_str().as_bytes())
    }

    /// Remembers that the agent was kept from stopping once more.
    pub(super) fn hold(&self, file: &OpenFile) -> io::Result<()> {
        self.keep(&file.path, "held", (file.n_held + 1).to_string().as_bytes())
    }

    /// Forgets the file: it is balanced again, or nothing more can be done.
    pub(super) fn settle(&self, path: &Path) {
        for ending in ["open", "refused", "before", "held"] {
            let _ = fs::remove_file(self.record(path, ending));
        }
    }

    /// Returns the files that are between two steps.
    pub(super) fn open_files(&self) -> Vec<OpenFile> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let records =
            entries.map(|it| it.path()).filter(|it| it.extension() == Some("open".as_ref()));
        let mut files: Vec<OpenFile> = records
            .filter_map(|record| {
                let path = PathBuf::from(std::ffi::OsString::from_vec(fs::read(&record).ok()?));
                let held = fs::read_to_string(record.with_extension("held")).unwrap_or_default();
                let before = fs::read(record.with_extension("before")).ok();
                Some(OpenFile { path, before, n_held: held.parse().unwrap_or(0) })
            })
            .collect();
        files.sort_by(|left, right| left.path.cmp(&right.path));
        files
    }

    fn keep(&self, path: &Path, ending: &str, bytes: &[u8]) -> io::Result<()> {
        private_dir(&self.folder)?;
        write_passing(&self.record(path, ending), bytes).map(drop)
    }

    fn record(&self, path: &Path, ending: &str) -> PathBuf {
        let name = &blake3::hash(path.as_os_str().as_bytes()).to_hex()[..32];
        self.folder.join(name).with_extension(ending)
    }
}
