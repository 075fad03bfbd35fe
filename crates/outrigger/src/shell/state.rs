//! What a shell remembers between two commands.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use crate::shell::field::{Field, GAP};
use crate::shell::syntax::Command;

/// A shell's memory. A subshell gets a copy.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    /// The current folder, unless a `cd` could not be read.
    pub(crate) cwd: Option<PathBuf>,
    /// The folder before the last `cd`.
    pub(crate) previous: Option<PathBuf>,
    /// Folders to come back to, for `popd`.
    pub(crate) stack: Vec<Option<PathBuf>>,
    /// Values that were assigned; an array has several. A name that is missing
    /// may still be in the environment.
    pub(crate) variables: BTreeMap<String, Vec<Field>>,
    pub(crate) exported: BTreeSet<String>,
    /// `$1`, `$2` …, if they are known.
    pub(crate) positional: Option<Vec<Field>>,
    pub(crate) functions: BTreeMap<String, Rc<Command>>,
    /// Whether the shell has left: `exit`, `exec`, `return`.
    pub(crate) has_ended: bool,
}

impl State {
    /// Returns what a program that is started from here knows.
    pub(crate) fn child(&self) -> Self {
        let mut child = Self { cwd: self.cwd.clone(), ..Self::default() };
        for name in &self.exported {
            if let Some(value) = self.variables.get(name) {
                child.variables.insert(name.clone(), value.clone());
                child.exported.insert(name.clone());
            }
        }
        child
    }

    /// Returns what is known after one of two ways was taken.
    pub(crate) fn joined(self, other: Self) -> Self {
        if self.has_ended {
            return other;
        }
        if other.has_ended {
            return self;
        }
        let mut joined = self;
        if joined.cwd != other.cwd {
            joined.cwd = None;
        }
        if joined.positional != other.positional {
            joined.positional = None;
        }
        for (name, value) in &mut joined.variables {
            if other.variables.get(name) != Some(value) {
                *value = vec![Field::Unknown];
            }
        }
        for name in other.variables.into_keys() {
            joined.variables.entry(name).or_insert_with(|| vec![Field::Unknown]);
        }
        joined.exported.extend(other.exported);
        joined.functions.extend(other.functions);
        joined
    }

    /// Returns the absolute path that a text means here, if that is known.
    pub(crate) fn path(&self, text: &str) -> Option<PathBuf> {
        if text.contains(GAP) {
            return None;
        }
        let path = Path::new(text);
        let whole = match &self.cwd {
            _ if path.is_absolute() => path.to_path_buf(),
            Some(cwd) => cwd.join(path),
            None => return None,
        };
        Some(whole.components().collect())
    }

    /// Changes the folder, as `cd` does: `..` is taken by the letter.
    pub(crate) fn change_dir(&mut self, to: Option<PathBuf>) {
        let to = to.map(|it| without_dots(&it));
        self.previous = std::mem::replace(&mut self.cwd, to);
    }
}

fn without_dots(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}
