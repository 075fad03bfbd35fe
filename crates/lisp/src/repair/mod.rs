//! Repair of unbalanced text: sure, or silent.
//!
//! Only delimiters are added, removed or retyped, only inside the damaged
//! top-level form and, when the caller says what was just written, only there.
//! Where the evidence does not single out one program, the answer is
//! [`Outcome::Unsure`] with the candidates; a wrong program costs more than a
//! question.

mod chunk;
mod confidence;
mod cost;
mod diff;
mod forms;
mod frame;
mod habits;
mod lines;
mod mend;
mod piece;
mod quotes;
mod report;
mod search;

use std::ops::Range;

use crate::dialect::Dialect;
use crate::tree::{self, Problem};

/// What is known about a text that may need repair.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The text as it is, or is about to be.
    pub broken: &'a str,
    /// The text before the edit, if there was one.
    pub before: Option<&'a str>,
    /// Byte ranges of `broken` that were just written; edits lie only inside
    /// them, both ends included. `None` when everything may be touched.
    pub spans: Option<&'a [Range<usize>]>,
    /// The language of the text.
    pub dialect: &'a Dialect,
}

/// The answer to a [`Request`].
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Nothing is wrong.
    Balanced,
    /// The text was mended.
    Repaired(Repaired),
    /// Something is wrong, and what was meant cannot be told.
    Unsure(Unsure),
}

/// A mended text.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The whole text, balanced.
    pub text: String,
    /// What was changed, in the order of the text.
    pub edits: Vec<Edit>,
    /// How sure the answer is, from 0 to 1.
    pub confidence: f32,
}

/// One change of one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Where, in bytes of the broken text.
    pub offset: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What was done.
    pub change: Change,
    /// The code just before the place, to show where it is.
    pub after: String,
}

/// What an edit does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Adds delimiters.
    Insert(String),
    /// Takes delimiters away.
    Delete(String),
    /// Retypes delimiters.
    Replace {
        /// What stood there.
        from: String,
        /// What stands there now.
        to: String,
    },
}

/// Why no repair was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Unsure {
    /// The first thing wrong with the text.
    pub problem: Problem,
    /// Why it was not mended, as a sentence without a full stop.
    pub why: String,
    /// What might have been meant, likeliest first.
    pub candidates: Vec<Candidate>,
}

/// A repair that was considered.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The changes it makes.
    pub edits: Vec<Edit>,
    /// How unlikely it is; less is likelier.
    pub cost: f32,
}

/// Mends a text, or says why it cannot.
pub fn repair(request: &Request<'_>) -> Outcome {
    match tree::first_problem(request.broken, request.dialect) {
        None => Outcome::Balanced,
        Some(problem) => mend::mend(request, &problem),
    }
}
