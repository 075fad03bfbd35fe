//! What a tool call will write: the files it names, and what its command line
//! reaches, as far as that can be read.

use std::path::{Path, PathBuf};

use crate::ctx::Ctx;
use crate::event::{Event, ToolKind};
use crate::shell::{self, Place};
use crate::sys::paths;

/// What a tool call will write.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// The files, as the agent writes their paths.
    pub(super) files: Vec<PathBuf>,
    /// Folders and patterns of a command line, with links resolved.
    places: Vec<Place>,
}

impl Targets {
    pub(super) fn of(event: &Event, ctx: &Ctx) -> Self {
        let Some(call) = event.kind.tool_call() else { return Self::default() };
        let mut targets = Self {
            files: call.files.iter().map(|it| it.path().to_path_buf()).collect(),
            places: Vec::new(),
        };
        if let ToolKind::Shell { command } = &call.kind {
            for target in shell::writes(command, &event.cwd, &ctx.dirs.home).targets {
                targets.add(target.place);
            }
        }
        targets
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.places.is_empty()
    }

    /// Tells whether a file, with links resolved, may be written by way of a
    /// folder or a pattern.
    pub(super) fn reach(&self, file: &Path) -> bool {
        self.places.iter().any(|it| it.covers(file))
    }

    fn add(&mut self, place: Place) {
        let place = match place {
            Place::WorkTree(dir) => Place::Tree(work_tree(&dir)),
            Place::FileOrWorkTree { path, .. } if path.exists() => Place::Tree(path),
            Place::FileOrWorkTree { dir, .. } => Place::Tree(work_tree(&dir)),
            other => other,
        };
        match &place {
            Place::File(path) => self.files.push(path.clone()),
            Place::FileOrEntry { path, entry } => {
                self.files.push(if path.is_dir() { entry.clone() } else { path.clone() });
            }
            Place::Tree(path) if !path.is_dir() => self.files.push(path.clone()),
            _ => self.places.push(place.map_paths(paths::canonical)),
        }
    }
}

/// Returns the top of the git work tree that holds `dir`, or `dir` itself.
fn work_tree(dir: &Path) -> PathBuf {
    let top = dir.ancestors().find(|it| it.join(".git").exists());
    top.unwrap_or(dir).to_path_buf()
}
