//! Repair of unbalanced text: sure, or silent.
//!
//! Only delimiters are added, removed or retyped, only inside the damaged
//! top-level form and, when the caller says what was just written, only there.
//! Where the evidence does not single out one program, the answer is
//! [`Outcome::Unsure`] with the candidates; a wrong program costs more than a
//! question.

mod chunk;
mod cost;
mod diff;
mod forms;
mod frame;
mod habits;
mod lines;
mod piece;
mod quotes;
mod report;
mod search;

use std::ops::Range;

use crate::dialect::Dialect;
use crate::repair::diff::Evidence;
use crate::repair::habits::Habits;
use crate::repair::lines::Hunk;
use crate::repair::piece::{Names, Pieces};
use crate::repair::search::{Found, Task};
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
    let Some(problem) = tree::problems(request.broken, request.dialect).into_iter().next() else {
        return Outcome::Balanced;
    };
    let Request { broken, dialect, .. } = *request;
    let unsure = |why: &str, candidates| {
        Outcome::Unsure(Unsure { problem: problem.clone(), why: why.to_owned(), candidates })
    };
    let mut names = Names::default();
    let pieces = Pieces::new(broken, dialect, &mut |it| names.number(it));
    // A text that was broken before says nothing reliable.
    let before = request.before.filter(|it| tree::is_balanced(it, dialect));
    let before_pieces = before.map(|it| Pieces::new(it, dialect, &mut |it| names.number(it)));
    let hunks = before.map(|it| lines::diff(it, broken));
    let allowed = allowed(request, &pieces, hunks.as_deref());
    if let Some(range) = quotes::damaged(broken, dialect) {
        return mend_quote(request, &problem, range);
    }
    if pieces.open_ended {
        return unsure("string", Vec::new());
    }
    let evidence = match (&before_pieces, &hunks) {
        (Some(before), Some(hunks)) => Some(Evidence::new(before, &pieces, hunks, dialect)),
        _ => None,
    };
    let may_edit = |range: &Range<usize>| {
        let (Some(first), Some(last)) =
            (pieces.list.get(range.start), pieces.list.get(range.end - 1))
        else {
            return false;
        };
        allowed.as_ref().is_none_or(|it| {
            it.iter().any(|&(start, end)| start <= last.end && end >= first.form_start)
        })
    };
    let mut habits = Habits::default();
    let layout = chunk::layout(&pieces.list, dialect, &may_edit);
    match &before_pieces {
        Some(before) => habits.learn(&before.list, dialect),
        None => {
            for whole in &layout.whole {
                habits.learn(&pieces.list[whole.clone()], dialect);
            }
        }
    }
    for damage in &layout.damaged {
        habits.learn_damaged(&pieces.list[damage.pieces.clone()]);
    }
    habits.add_language(dialect, &names);
    let mut edits = Vec::new();
    let mut certainty = 1.0_f32;
    let mut shown = Vec::new();
    for damage in &layout.damaged {
        let task = Task {
            pieces: &pieces.list[damage.pieces.clone()],
            first_piece: damage.pieces.start,
            dialect,
            habits: &habits,
            allowed: allowed.as_deref(),
            evidence: evidence.as_ref(),
            openers: false,
            bound: f32::MAX,
        };
        let mut found = search::search(&task);
        if damage.has_extra {
            let bound = found.first().map_or(f32::MAX, |it| it.cost + 6.0);
            found.extend(search::search(&Task { openers: true, bound, ..task }));
        }
        let found = distinct(task.pieces, found);
        let Some(best) = found.first() else { return unsure("nothing fits", Vec::new()) };
        certainty = certainty.min(posterior(found.iter().map(|it| it.cost)));
        if damage.has_extra && evidence.as_ref().is_some_and(|it| it.lost_mark(damage.pieces.clone())) {
            certainty = 0.0;
        }
        let mut chosen = best.edits.clone();
        search::settle(broken, &pieces.list, allowed.as_deref(), &mut chosen);
        edits.extend(chosen);
        for it in found.iter().take(3) {
            shown.push(Candidate { edits: report::edits(broken, &it.edits), cost: it.cost });
        }
    }
    let text = report::apply(broken, &edits);
    if !tree::is_balanced(&text, dialect) {
        return unsure("not balanced", shown);
    }
    let confidence = certainty;
    if confidence < 0.0 {
        return unsure("ambiguous", shown);
    }
    Outcome::Repaired(Repaired { text, edits: report::edits(broken, &edits), confidence })
}

/// Returns where edits may lie: in the spans just written, else in the lines that
/// differ from the text before, else anywhere.
fn allowed(
    request: &Request<'_>,
    pieces: &Pieces<'_>,
    hunks: Option<&[Hunk]>,
) -> Option<Vec<(usize, usize)>> {
    if let Some(spans) = request.spans {
        return Some(spans.iter().map(|it| (it.start, it.end)).collect());
    }
    let line_end =
        |line: usize| pieces.line_starts.get(line + 1).map_or(request.broken.len(), |it| it - 1);
    let ranges = hunks?.iter().map(|hunk| match hunk.after.is_empty() {
        false => (pieces.line_starts[hunk.after.start], line_end(hunk.after.end - 1)),
        // Lines were lost: their closers may go to the end of the code before.
        true => {
            let at =
                pieces.line_starts.get(hunk.after.start).copied().unwrap_or(request.broken.len());
            let last = pieces.list[..pieces.list.partition_point(|it| it.start < at)].last();
            last.map_or((at, at), |it| (it.end, line_end(it.line as usize)))
        }
    });
    Some(ranges.collect())
}

/// Returns the share of the first of some costs, cheapest first, in the
/// probability of all: costs are negative logarithms.
fn posterior(costs: impl Iterator<Item = f32> + Clone) -> f32 {
    let Some(best) = costs.clone().next() else { return 0.0 };
    1.0 / costs.map(|it| (best - it).exp()).sum::<f32>()
}

/// Sorts by cost and keeps each program once.
fn distinct(pieces: &[piece::Piece], mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut seen = std::collections::HashSet::new();
    found.retain(|it| seen.insert(search::program(pieces, &it.edits)));
    found
}

/// Puts back a lost quote, if its place is proven.
fn mend_quote(request: &Request<'_>, problem: &Problem, range: Range<usize>) -> Outcome {
    let Request { broken, before, dialect, .. } = *request;
    let unsure = |why: &str, candidates| {
        Outcome::Unsure(Unsure { problem: problem.clone(), why: why.to_owned(), candidates })
    };
    let chunk = &broken[range.clone()];
    let mut words = quotes::Words::default();
    words.learn(&broken[..range.start], dialect, true);
    words.learn(&broken[range.end..], dialect, true);
    if let Some(before) = before {
        words.learn(before, dialect, true);
    }
    words.learn_repeated(chunk, dialect);
    words.add(forms::table().into_keys());
    let Some(mut places) = quotes::places(chunk, dialect, &words, &|_| true) else {
        return unsure("too big", Vec::new());
    };
    places.truncate(24);
    let mut names = Names::default();
    let mut habits = Habits::default();
    let around = [&broken[..range.start], &broken[range.end..]];
    for text in around.into_iter().chain(before) {
        let pieces = Pieces::new(text, dialect, &mut |it| names.number(it));
        habits.learn(&pieces.list, dialect);
    }
    habits.add_language(dialect, &names);
    for place in &mut places {
        let text = format!("{}\"{}", &chunk[..place.at], &chunk[place.at..]);
        let pieces = Pieces::new(&text, dialect, &mut |it| names.known(it).unwrap_or(u32::MAX));
        let task = Task {
            pieces: &pieces.list,
            first_piece: 0,
            dialect,
            habits: &habits,
            allowed: Some(&[]),
            evidence: None,
            openers: false,
            bound: f32::MAX,
        };
        place.cost += search::search(&task).first().map_or(20.0, |it| it.cost);
    }
    places.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let raw = |it: &quotes::Place| {
        vec![search::RawEdit { at: range.start + it.at, op: search::Op::Insert(b'"') }]
    };
    let shown: Vec<Candidate> = places
        .iter()
        .take(3)
        .map(|it| Candidate { edits: report::edits(broken, &raw(it)), cost: it.cost })
        .collect();
    let Some(best) = places.first() else { return unsure("no place fits", shown) };
    let edits = raw(best);
    let text = report::apply(broken, &edits);
    if !tree::is_balanced(&text, dialect) {
        return unsure("not balanced", shown);
    }
    let confidence = posterior(places.iter().map(|it| it.cost));
    Outcome::Repaired(Repaired { text, edits: report::edits(broken, &edits), confidence })
}
