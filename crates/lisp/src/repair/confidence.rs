//! When an answer is sure enough to be given.
//!
//! Certainty is the share of the best candidate in the probability of all. How
//! much of it is needed depends on what the answer does, because the search is
//! not equally good at everything: the levels were set so that answers just above
//! them are right at least four times out of five.

use std::fmt;

use crate::repair::search::{Op, RawEdit};

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Two or more repairs fit.
    Ambiguous,
    /// An opener may be lost.
    Opener,
    /// A quote may be lost.
    Quote,
    /// An opener was lost with a mark such as `#`.
    LostMark,
    /// The only place for a closer would end a form before it is complete.
    Unfinished,
    /// No repair is possible where edits are allowed.
    NothingFits,
    /// Too much is broken.
    TooMany,
    /// It would take too long.
    TooLarge,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Doubt::Ambiguous => "several repairs fit about equally well",
            Doubt::Opener => "an opening bracket seems to be lost, and its place cannot be told",
            Doubt::Quote => "a string quote seems to be lost, and its place cannot be proven",
            Doubt::LostMark => "the edit lost an opening bracket together with the mark before it",
            Doubt::Unfinished => {
                "a form is opened that cannot be complete where the edited text ends; \
                 its end seems to lie elsewhere"
            }
            Doubt::NothingFits => "no change of delimiters in the edited text makes it balanced",
            Doubt::TooMany => "too many forms are damaged",
            Doubt::TooLarge => "the damaged form is too large to be searched",
        })
    }
}

/// What an answer does, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    AddsClosers,
    /// Takes closers away or retypes them.
    TakesClosers,
    /// Adds some closers and takes others away.
    MixedClosers,
    Opener,
    Quote,
}

/// Returns why an answer is not sure enough, if it is not.
pub(super) fn doubt(edits: &[RawEdit], certainty: f32, has_before: bool) -> Option<Doubt> {
    let deed = deed(edits);
    let needed = match (deed, has_before) {
        (Deed::AddsClosers, true) => 0.4,
        (Deed::AddsClosers, false) | (Deed::TakesClosers, _) => 0.6,
        (Deed::MixedClosers, true) => 0.7,
        (Deed::MixedClosers, false) => 0.95,
        (Deed::Opener, _) => 0.8,
        (Deed::Quote, _) => 0.6,
    };
    if certainty >= needed {
        return None;
    }
    Some(match deed {
        Deed::AddsClosers | Deed::TakesClosers | Deed::MixedClosers => Doubt::Ambiguous,
        Deed::Opener => Doubt::Opener,
        Deed::Quote => Doubt::Quote,
    })
}

fn deed(edits: &[RawEdit]) -> Deed {
    let any = |wanted: &dyn Fn(&Op) -> bool| edits.iter().any(|it| wanted(&it.op));
    if any(&|it| *it == Op::Insert(b'"')) {
        return Deed::Quote;
    }
    if any(&|it| matches!(it, Op::Insert(b'(' | b'[' | b'{'))) {
        return Deed::Opener;
    }
    let adds = any(&|it| matches!(it, Op::Insert(_)));
    let takes = any(&|it| matches!(it, Op::Delete));
    match (adds, takes) {
        (true, true) => Deed::MixedClosers,
        (true, false) => Deed::AddsClosers,
        (false, _) => Deed::TakesClosers,
    }
}

/// Returns the share of the first of some costs, cheapest first, in the
/// probability of all: costs are negative logarithms.
pub(super) fn share_of_first(costs: impl Iterator<Item = f32> + Clone) -> f32 {
    let Some(best) = costs.clone().next() else { return 0.0 };
    1.0 / costs.map(|it| (best - it).exp()).sum::<f32>()
}
