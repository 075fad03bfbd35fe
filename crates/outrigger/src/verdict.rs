//! Our words for what a guard answers. How an agent is told is known only to
//! `agents/*`.
//!
//! There is no way to say "granted": silence is our yes, so that no permission
//! prompt of the user's is ever removed.

use crate::event::FileOp;

/// What the guards say to one event.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// May it go on?
    pub decision: Decision,
    /// The tool's files as they should be written instead; as many, in the same
    /// order, as the call had.
    pub rewrite: Option<Vec<FileOp>>,
    /// What the model and the human should know.
    pub notes: Vec<Note>,
}

/// May it go on?
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Decision {
    /// Nothing speaks against it.
    #[default]
    Pass,
    /// No, and why. After a tool has run: it is told that something is wrong.
    Refuse { reason: String },
    /// The agent wanted to stop; it must go on, and why.
    Continue { reason: String },
}

/// One thing to tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Who is told.
    pub to: Reader,
    /// What is said.
    pub text: String,
}

/// Who reads a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// The agent's model, as context.
    Model,
    /// The person in front of the terminal.
    Human,
}

impl Verdict {
    /// Returns the verdict that says nothing.
    pub fn pass() -> Self {
        Self::default()
    }

    /// Returns a refusal.
    pub fn refuse(reason: impl Into<String>) -> Self {
        Self { decision: Decision::Refuse { reason: reason.into() }, ..Self::default() }
    }

    /// Returns the verdict that keeps the agent from stopping.
    pub fn go_on(reason: impl Into<String>) -> Self {
        Self { decision: Decision::Continue { reason: reason.into() }, ..Self::default() }
    }

    /// Adds a note for the model.
    #[must_use]
    pub fn tell_model(mut self, text: impl Into<String>) -> Self {
        self.notes.push(Note { to: Reader::Model, text: text.into() });
        self
    }

    /// Adds a note for the human.
    #[must_use]
    pub fn tell_human(mut self, text: impl Into<String>) -> Self {
        self.notes.push(Note { to: Reader::Human, text: text.into() });
        self
    }

    /// Tells whether a guard has stopped the event.
    pub fn is_stopped(&self) -> bool {
        self.decision != Decision::Pass
    }

    /// Takes in what a later guard says. The first refusal stands; a later
    /// rewrite was made from the earlier one and takes its place.
    pub(crate) fn absorb(&mut self, later: Self) {
        if !self.is_stopped() {
            self.decision = later.decision;
        }
        if later.rewrite.is_some() {
            self.rewrite = later.rewrite;
        }
        self.notes.extend(later.notes);
    }

    /// Returns all notes for one reader, a paragraph each.
    pub(crate) fn notes_for(&self, reader: Reader) -> Option<String> {
        let texts: Vec<&str> =
            self.notes.iter().filter(|it| it.to == reader).map(|it| it.text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join("\n\n"))
    }
}
