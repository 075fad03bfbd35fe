//! Editors in which a human may hold unsaved work: who they are, what they hold,
//! and how to tell them something.
//!
//! A running editor is asked over its socket ([`EDITORS`]); what editors leave on
//! disk ([`disk_signs`]) answers for those that cannot be asked. Knows nothing of
//! agents: it is given paths and texts.

mod discover;
pub(crate) mod disk_signs;
mod neovim;
mod vscode;
mod wire;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::sys::deadline::Deadline;
use crate::sys::paths::{self, Dirs};

pub(crate) use discover::{Found, Instance, instances};

/// However many editors there are and whatever state they are in, asking them
/// takes no longer than this.
pub(crate) const PATIENCE: Duration = Duration::from_millis(200);

/// One kind of editor that can be asked over a socket.
#[derive(Debug)]
pub(crate) struct EditorKind {
    /// Its name, as people say it.
    pub(crate) name: &'static str,
    /// What stands before the pid in the name of a socket of ours.
    mark: &'static str,
    /// Puts a question into its words.
    encode: fn(&Question) -> Vec<u8>,
    /// Asks whether it can answer at all; sent when an answer is late. It must be
    /// answerable while the editor waits for its human, or be empty.
    probe: fn() -> Vec<u8>,
    /// Understands its answer, as far as it has arrived.
    decode: fn(&Question, &[u8]) -> Decoded,
}

/// Every kind of editor that can be asked.
pub(crate) const EDITORS: &[&EditorKind] = &[&neovim::NEOVIM, &vscode::VSCODE];

/// What an editor can be asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Question {
    /// Which files do you hold unsaved?
    Unsaved,
    /// Read these files again, if they are not being edited, and say which
    /// files you hold unsaved.
    Reload { files: Vec<PathBuf> },
    /// Tell your human something about this file.
    Notify { file: PathBuf, message: String },
    /// What has your human selected?
    Selection,
    /// Remember from now on what your human selects.
    Watch,
}

/// What an editor may answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Unsaved(Vec<Buffer>),
    Selections(Vec<Selection>),
    Done,
}

/// A file that an editor holds unsaved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Buffer {
    /// The file, with links resolved.
    pub(crate) path: PathBuf,
    pub(crate) is_visible: bool,
}

/// Text that a human has selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) path: PathBuf,
    pub(crate) first_line: usize,
    pub(crate) last_line: usize,
    pub(crate) text: String,
}

/// How far an answer has been understood.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Decoded {
    /// More bytes are needed.
    Incomplete,
    Answer(Answer),
    /// It cannot answer now, and why.
    Unknown(Unknown),
}

/// Why an editor did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// It waits for a key, at a prompt or in the middle of a command.
    AtAPrompt,
    /// It did not answer in time.
    Silent,
    /// It answered something else.
    Strange,
}

impl Unknown {
    /// Returns the end of the sentence "Neovim (pid 7) could not be asked: it …".
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::AtAPrompt => "waits at a prompt",
            Self::Silent => "does not answer",
            Self::Strange => "gave an answer that was not understood",
        }
    }
}

/// What one instance said.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) instance: Instance,
    pub(crate) said: Result<Answer, Unknown>,
}

/// Unsaved work of a human in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unsaved {
    /// The file, with links resolved.
    pub(crate) path: PathBuf,
    /// The editor's name.
    pub(crate) editor: &'static str,
    pub(crate) pid: Option<u32>,
    /// Whether it is on the screen; unknown for signs on disk.
    pub(crate) is_visible: Option<bool>,
    /// How to reach the editor, if it can be asked.
    pub(crate) instance: Option<Instance>,
}

/// What is known of unsaved work.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) unsaved: Vec<Unsaved>,
    /// Instances that could not be asked.
    pub(crate) unknown: Vec<(Instance, Unknown)>,
}

/// Asks every instance the same, all at once.
pub(crate) fn ask(instances: Vec<Instance>, question: &Question, deadline: Deadline) -> Vec<Reply> {
    wire::ask(instances, question, deadline.at_most(PATIENCE))
}

/// Finds out which of these files, and of those that `reach` knows by a folder
/// or a pattern, hold unsaved work.
///
/// A running editor that answers is believed about its own buffers; a sign on
/// disk counts when the process that left it was not heard.
pub(crate) fn survey(
    files: &[PathBuf],
    reach: &dyn Fn(&Path) -> bool,
    dirs: &Dirs,
    deadline: Deadline,
) -> Survey {
    let mut survey = Survey::default();
    let mut heard = Vec::new();
    let wanted: Vec<PathBuf> = files.iter().map(|it| paths::canonical(it)).collect();
    for reply in ask(instances(dirs), &Question::Unsaved, deadline) {
        let Reply { instance, said } = reply;
        match said {
            Ok(Answer::Unsaved(buffers)) => {
                heard.extend(instance.pid);
                let held =
                    buffers.into_iter().filter(|it| wanted.contains(&it.path) || reach(&it.path));
                survey.unsaved.extend(held.map(|it| Unsaved {
                    path: it.path,
                    editor: instance.kind.name,
                    pid: instance.pid,
                    is_visible: Some(it.is_visible),
                    instance: Some(instance.clone()),
                }));
            }
            Ok(_) => survey.unknown.push((instance, Unknown::Strange)),
            Err(unknown) => {
                let open = instance.pid.map(|it| disk_signs::held_by(it, &wanted, dirs));
                survey.unsaved.extend(open.into_iter().flatten());
                survey.unknown.push((instance, unknown));
            }
        }
    }
    for (file, wanted) in files.iter().zip(&wanted) {
        for sign in disk_signs::signs(file, wanted, dirs) {
            let is_answered = sign.pid.is_some_and(|it| heard.contains(&it));
            if !is_answered {
                survey.unsaved.push(sign);
            }
        }
    }
    // One editor may be found by several sockets and several signs; the first
    // is the one that can be answered.
    let mut seen = Vec::new();
    survey.unsaved.retain(|it| {
        let key = (it.path.clone(), it.editor, it.pid);
        let is_new = !seen.contains(&key);
        seen.push(key);
        is_new
    });
    survey
}

/// Tells whether an editor's name for a buffer is that of a file on disk.
fn is_file_name(name: &str) -> bool {
    !name.is_empty() && !name.contains("://") && Path::new(name).is_absolute()
}
