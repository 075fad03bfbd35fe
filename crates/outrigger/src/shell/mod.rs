//! Which files a shell command line will write, as far as it can be read.
//!
//! Text in, a list out: nothing is run and no file is looked at. The line is
//! parsed (`parse`, `word`), then walked as a shell would (`walk`, `expand`),
//! with what each program does to its arguments in `programs/`, and inline
//! Python, JavaScript and Clojure in `scripts/`. What cannot be known is not
//! guessed: it only makes the answer incomplete.

#[cfg(test)]
mod bash_tests;
mod braces;
mod builtins;
mod compound;
mod expand;
mod field;
mod glob;
mod parse;
mod programs;
mod scan;
mod scripts;
mod state;
mod syntax;
mod targets;
#[cfg(test)]
mod tests;
mod walk;
mod word;

use std::fmt;
use std::path::{Path, PathBuf};

pub(crate) use crate::shell::glob::Glob;

/// What a command line does to files, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Writes {
    /// What it writes, in order.
    pub(crate) targets: Vec<Target>,
    /// The patches it holds, whose files are among the targets too.
    pub(crate) patches: Vec<Patch>,
    /// Whether nothing was left unread: no unknown program, variable or script.
    pub(crate) is_complete: bool,
}

/// Something that will be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// What is written.
    pub(crate) place: Place,
    /// What is done to it.
    pub(crate) how: How,
}

/// Files, by their absolute paths. `.` is taken out of them, `..` is kept: only
/// the file system knows what it means behind a symbolic link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// One file.
    File(PathBuf),
    /// A file, or, if the path is a folder, `entry` in it: `cp entry path`.
    FileOrEntry { path: PathBuf, entry: PathBuf },
    /// A file, or a folder and all that is in it.
    Tree(PathBuf),
    /// All files whose names match, and all that is in them if they are folders.
    Glob(Glob),
    /// Anything in the git work tree to which this folder belongs.
    WorkTree(PathBuf),
    /// A file, if there is one of that name, else anything in the work tree:
    /// `git checkout name`.
    FileOrWorkTree { path: PathBuf, dir: PathBuf },
}

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Its content is replaced.
    Write,
    /// Something is added at its end.
    Append,
    /// It is changed in place.
    Edit,
    /// It is removed.
    Delete,
    /// It is moved away.
    Move,
    /// It is brought to what git, or a patch, says.
    Restore,
    /// It is unpacked from an archive.
    Unpack,
}

/// A patch in the form that Codex made known: `*** Begin Patch` …
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Patch {
    /// The whole text, with U+FFFD where a variable in it is not known.
    pub(crate) text: String,
    /// The folder that its paths start from, if it is known.
    pub(crate) dir: Option<PathBuf>,
}

impl How {
    /// Returns a word for messages: "the command … it".
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Self::Write => "overwrites",
            Self::Append => "appends to",
            Self::Edit => "edits",
            Self::Delete => "deletes",
            Self::Move => "moves",
            Self::Restore => "restores",
            Self::Unpack => "unpacks into",
        }
    }
}

impl Place {
    /// Returns whether this file may be written.
    pub(crate) fn covers(&self, file: &Path) -> bool {
        match self {
            Self::File(path) => file == path,
            Self::FileOrEntry { path, entry } => file == path || file.starts_with(entry),
            Self::Tree(path) => file.starts_with(path),
            Self::Glob(glob) => glob.covers(file),
            Self::WorkTree(dir) => file.starts_with(dir),
            Self::FileOrWorkTree { path, dir } => file.starts_with(path) || file.starts_with(dir),
        }
    }

    /// Returns the paths in this place; for a pattern, the folder it starts from.
    pub(crate) fn paths(&self) -> Vec<&Path> {
        match self {
            Self::File(path) | Self::Tree(path) | Self::WorkTree(path) => vec![path],
            Self::FileOrEntry { path, entry } => vec![path, entry],
            Self::FileOrWorkTree { path, dir } => vec![path, dir],
            Self::Glob(glob) => vec![&glob.base],
        }
    }

    /// Returns this place with all its paths made comparable.
    pub(crate) fn map_paths(self, map: impl Fn(&Path) -> PathBuf) -> Self {
        match self {
            Self::File(path) => Self::File(map(&path)),
            Self::FileOrEntry { path, entry } => {
                Self::FileOrEntry { path: map(&path), entry: map(&entry) }
            }
            Self::Tree(path) => Self::Tree(map(&path)),
            Self::Glob(mut glob) => {
                glob.base = map(&glob.base);
                Self::Glob(glob)
            }
            Self::WorkTree(dir) => Self::WorkTree(map(&dir)),
            Self::FileOrWorkTree { path, dir } => {
                Self::FileOrWorkTree { path: map(&path), dir: map(&dir) }
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path)
            | Self::FileOrEntry { path, .. }
            | Self::Tree(path)
            | Self::FileOrWorkTree { path, .. } => write!(f, "{}", path.display()),
            Self::Glob(glob) => f.write_str(&glob.source()),
            Self::WorkTree(dir) => write!(f, "the work tree of {}", dir.display()),
        }
    }
}

/// Returns what a command line will write when it is run in `cwd`.
pub(crate) fn writes(command: &str, cwd: &Path, home: &Path) -> Writes {
    walk::walk(command, cwd, home)
}
