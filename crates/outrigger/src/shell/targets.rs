//! What the walk notes: redirections, and the files and folders that programs
//! name.

use std::path::{Path, PathBuf};

use crate::shell::field::{Field, Stream};
use crate::shell::glob::{self, Glob};
use crate::shell::syntax::{Redirect, Word};
use crate::shell::walk::Walk;
use crate::shell::{How, Patch, Place, Target};

/// More targets than this are not listed.
const MAX_TARGETS: usize = 1_000;

/// What a redirection does.
#[derive(Debug)]
pub(crate) enum Redirected {
    Input(Stream),
    Output,
    Nothing,
}

impl Walk<'_> {
    /// Notes what a redirection writes.
    pub(crate) fn redirect(&mut self, redirect: &Redirect) -> Redirected {
        match redirect {
            Redirect::Read(word) => return Redirected::Input(self.process_output(word)),
            Redirect::Text(body) => {
                let text = body.get().map(|it| self.here_text(it));
                return Redirected::Input(text.unwrap_or(Stream::Unknown));
            }
            Redirect::Write(word) => self.redirect_into(How::Write, word),
            Redirect::Append(word) => self.redirect_into(How::Append, word),
            Redirect::ReadWrite(word) => {
                self.redirect_into(How::Edit, word);
                return Redirected::Nothing;
            }
            Redirect::WriteOrDuplicate(word) => {
                let field = self.field(word);
                let is_duplicate = field
                    .text()
                    .is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'));
                if is_duplicate {
                    return Redirected::Nothing;
                }
                self.file(How::Write, &field);
            }
        }
        Redirected::Output
    }

    fn redirect_into(&mut self, how: How, word: &Word) {
        if self.process(word) {
            return;
        }
        // bash refuses several names here; zsh writes all of them.
        for field in self.fields(word) {
            self.file(how, &field);
        }
    }

    /// Notes that one file is written, or all that a pattern matches.
    pub(crate) fn file(&mut self, how: How, field: &Field) {
        self.note(how, field, Place::File);
    }

    /// Notes that a file, or a folder with all that is in it, is written.
    pub(crate) fn tree(&mut self, how: How, field: &Field) {
        self.note(how, field, Place::Tree);
    }

    /// Notes that `to` is written, or, if that is a folder, what is called like
    /// `from` in it.
    pub(crate) fn file_or_entry(&mut self, how: How, to: &Field, from: &Field) {
        let entry = to.child(&from.base_name());
        if to.text().is_some_and(|it| it.ends_with('/') || matches!(it, "." | "..")) {
            return self.tree(how, &entry);
        }
        match entry {
            Field::Text(entry) => {
                let Some(entry) = self.path(&entry) else { return self.unreadable() };
                self.note(how, to, |path| Place::FileOrEntry { path, entry });
            }
            Field::Names { .. } => {
                self.file(how, to);
                self.tree(how, &entry);
            }
            Field::Unknown => {
                self.file(how, to);
                self.unreadable();
            }
        }
    }

    fn note(&mut self, how: How, field: &Field, place: impl FnOnce(PathBuf) -> Place) {
        let place = match field {
            Field::Text(text) if text.is_empty() => return,
            Field::Text(text) => self.path(text).map(place),
            Field::Names { pattern, matches_hidden } => self.glob(pattern, *matches_hidden),
            Field::Unknown => None,
        };
        match place {
            Some(place) => self.place(how, place),
            None => self.unreadable(),
        }
    }

    /// Notes that something is written.
    pub(crate) fn place(&mut self, how: How, place: Place) {
        if place.paths().into_iter().any(is_device) {
            return;
        }
        let target = Target { place, how };
        if self.writes.targets.len() >= MAX_TARGETS {
            self.unreadable();
        } else if !self.writes.targets.contains(&target) {
            self.writes.targets.push(target);
        }
    }

    /// Notes a patch that is applied here.
    pub(crate) fn patch(&mut self, text: &str) {
        let patch = Patch { text: text.to_owned(), dir: self.state.cwd.clone() };
        self.writes.patches.push(patch);
    }

    /// Returns the absolute path that a text means here, if that is known.
    pub(crate) fn path(&self, text: &str) -> Option<PathBuf> {
        self.state.path(text)
    }

    fn glob(&self, pattern: &str, matches_hidden: bool) -> Option<Place> {
        if pattern.starts_with('/') {
            return Some(Place::Glob(Glob::new(pattern, matches_hidden)));
        }
        let cwd = glob::escape(self.state.cwd.as_ref()?.to_str()?);
        Some(Place::Glob(Glob::new(&format!("{cwd}/{pattern}"), matches_hidden)))
    }
}

/// Devices hold nothing that could be lost.
fn is_device(path: &Path) -> bool {
    (path.starts_with("/dev") && !path.starts_with("/dev/shm")) || path.starts_with("/proc/self")
}
