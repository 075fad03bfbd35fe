//! From what is known to an answer: gathers the evidence, lets the search or the
//! quotes propose, and says *repaired* or *unsure*.

use std::collections::HashSet;
use std::ops::Range;

use crate::dialect::Dialect;
use crate::repair::chunk::{self, Damage};
use crate::repair::confidence::{self, Doubt};
use crate::repair::diff::Evidence;
use crate::repair::forms;
use crate::repair::habits::Habits;
use crate::repair::lines::{self, Hunk};
use crate::repair::piece::{Kind, Leaf, Names, Piece, Pieces};
use crate::repair::quotes::{self, Place, Words};
use crate::repair::report;
use crate::repair::search::{self, Found, Op, RawEdit, Task};
use crate::repair::settle;
use crate::repair::shape;
use crate::repair::{Candidate, Outcome, Repaired, Request, Unsure};
use crate::tree::{self, Problem};

/// How many candidates an answer shows.
const MAX_SHOWN: usize = 3;
/// How many places for a quote are judged as programs.
const MAX_PLACES: usize = 24;
/// How much dearer than the best a repair with an added opener may be to count.
const OPENER_WINDOW: f32 = 6.0;

/// Everything that is known about a broken text.
struct Case<'a> {
    broken: &'a str,
    dialect: &'a Dialect,
    pieces: Pieces<'a>,
    names: Names<'a>,
    /// The text before and its pieces, if it was balanced: a broken one proves nothing.
    before: Option<(&'a str, Pieces<'a>)>,
    hunks: Option<Vec<Hunk>>,
    /// Where edits may lie, both ends included; `None` is everywhere.
    allowed: Option<Vec<(usize, usize)>>,
}

/// The largest text that is looked into.
const MAX_BYTES: usize = 8_000_000;

/// Mends a text that has a problem, or says why it cannot.
pub(super) fn mend(request: &Request<'_>, problem: &Problem) -> Outcome {
    let answer = match request.broken.len() <= MAX_BYTES {
        true => answer(&gather(request)),
        false => Err((Doubt::TooLarge, Vec::new())),
    };
    match answer {
        Ok(repaired) => Outcome::Repaired(repaired),
        Err((doubt, candidates)) => {
            Outcome::Unsure(Unsure { problem: problem.clone(), why: doubt.to_string(), candidates })
        }
    }
}

fn answer(case: &Case<'_>) -> Answer {
    match quotes::damaged(case.broken, case.dialect) {
        Some(range) => mend_quote(case, &range),
        None if case.pieces.open_ended => Err((Doubt::Quote, Vec::new())),
        None => mend_brackets(case),
    }
}

type Answer = Result<Repaired, (Doubt, Vec<Candidate>)>;

fn gather<'a>(request: &Request<'a>) -> Case<'a> {
    let Request { broken, dialect, .. } = *request;
    let mut names = Names::default();
    let pieces = Pieces::new(broken, dialect, &mut |it| names.number(it));
    let before = request.before.filter(|it| tree::is_balanced(it, dialect));
    let hunks = before.map(|it| lines::diff(it, broken));
    let before = before.map(|it| (it, Pieces::new(it, dialect, &mut |name| names.number(name))));
    let allowed = allowed(request, &pieces, hunks.as_deref());
    Case { broken, dialect, pieces, names, before, hunks, allowed }
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

impl Case<'_> {
    fn may_insert(&self, at: usize) -> bool {
        self.allowed
            .as_ref()
            .is_none_or(|it| it.iter().any(|&(start, end)| start <= at && at <= end))
    }

    /// Whether anything in a stretch of pieces may be changed.
    fn may_edit(&self, range: &Range<usize>) -> bool {
        let pieces = &self.pieces.list[range.clone()];
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return false };
        self.allowed.as_ref().is_none_or(|it| {
            it.iter().any(|&(start, end)| start <= last.end && end >= first.form_start)
        })
    }

    /// Applies edits and checks what comes out.
    fn finish(&self, edits: &[RawEdit], certainty: f32, shown: Vec<Candidate>) -> Answer {
        if let Some(doubt) = confidence::doubt(edits, certainty, self.hunks.is_some()) {
            return Err((doubt, shown));
        }
        let text = report::apply(self.broken, edits);
        if !tree::is_balanced(&text, self.dialect) {
            return Err((Doubt::NothingFits, shown));
        }
        Ok(Repaired { text, edits: report::edits(self.broken, edits), confidence: certainty })
    }

    fn candidate(&self, edits: &[RawEdit], cost: f32) -> Candidate {
        Candidate { edits: report::edits(self.broken, edits), cost }
    }
}

fn mend_brackets(case: &Case<'_>) -> Answer {
    let pieces = &case.pieces.list;
    let layout = chunk::layout(pieces, case.dialect, &|it| case.may_edit(it));
    if layout.damaged.len() > chunk::MAX_DAMAGED {
        return Err((Doubt::TooMany, Vec::new()));
    }
    if layout.damaged.iter().any(|it| it.pieces.len() > search::MAX_PIECES) {
        return Err((Doubt::TooLarge, Vec::new()));
    }
    let evidence = match (&case.before, &case.hunks) {
        (Some((_, before)), Some(hunks)) => {
            Some(Evidence::new(before, &case.pieces, hunks, case.dialect))
        }
        _ => None,
    };
    let mut habits = Habits::default();
    match &case.before {
        Some((_, before)) => habits.learn(&before.list, case.dialect),
        None => layout.whole.iter().for_each(|it| habits.learn(&pieces[it.clone()], case.dialect)),
    }
    layout.damaged.iter().for_each(|it| habits.learn_damaged(&pieces[it.pieces.clone()]));
    habits.add_language(case.dialect, &case.names);

    let mut edits = Vec::new();
    let mut certainty = 1.0_f32;
    let mut shown = Vec::new();
    for damage in &layout.damaged {
        let found = candidates(case, damage, &habits, evidence.as_ref());
        shown.extend(found.iter().take(MAX_SHOWN).map(|it| case.candidate(&it.edits, it.cost)));
        let Some(best) = found.first() else { return Err((Doubt::NothingFits, shown)) };
        certainty = certainty.min(confidence::share_of_first(found.iter().map(|it| it.cost)));
        if quotes_look_wrong(&pieces[damage.pieces.clone()]) {
            return Err((Doubt::Quote, shown));
        }
        // Whoever edits a part may mean to close the form in the next edit.
        if case.allowed.is_some() && best.oddest >= shape::UNLIKELY {
            return Err((Doubt::Unfinished, shown));
        }
        let lost_mark = evidence.as_ref().is_some_and(|it| it.lost_mark(damage.pieces.clone()));
        if damage.has_extra && lost_mark {
            return Err((Doubt::LostMark, shown));
        }
        let mut chosen = best.edits.clone();
        settle::settle(case.broken, pieces, case.allowed.as_deref(), &mut chosen);
        edits.extend(chosen);
    }
    case.finish(&edits, certainty, shown)
}

/// Returns the ways to mend one stretch, cheapest first.
fn candidates(
    case: &Case<'_>,
    damage: &Damage,
    habits: &Habits,
    evidence: Option<&Evidence>,
) -> Vec<Found> {
    let task = Task {
        pieces: &case.pieces.list[damage.pieces.clone()],
        first_piece: damage.pieces.start,
        dialect: case.dialect,
        habits,
        allowed: case.allowed.as_deref(),
        evidence,
        openers: false,
        bound: f32::MAX,
    };
    let mut found = search::search(&task);
    if damage.has_extra {
        let bound = found.first().map_or(f32::MAX, |it| it.cost + OPENER_WINDOW);
        found.extend(search::search(&Task { openers: true, bound, ..task }));
    }
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut seen = HashSet::new();
    found.retain(|it| seen.insert(search::program(task.pieces, &it.edits)));
    found
}

/// Whether a string touches a name or a bracket where none should be: then the
/// strings are most likely inside out, and the brackets cannot be trusted.
fn quotes_look_wrong(pieces: &[Piece]) -> bool {
    let is_string = |it: &Piece| it.kind == Kind::Leaf(Leaf::String);
    pieces.windows(2).any(|pair| {
        let (left, right) = (&pair[0], &pair[1]);
        let touches = left.end == right.form_start;
        touches
            && ((is_string(left) && right.kind != Kind::Close)
                || (is_string(right) && left.kind != Kind::Open))
    })
}

/// Puts back a lost quote, if its place is proven.
fn mend_quote(case: &Case<'_>, range: &Range<usize>) -> Answer {
    let Case { broken, dialect, .. } = *case;
    let chunk = &broken[range.clone()];
    let around = [&broken[..range.start], &broken[range.end..]];
    let whole = || around.into_iter().chain(case.before.as_ref().map(|it| it.0));
    let mut words = Words::default();
    whole().for_each(|it| words.learn(it, dialect));
    words.learn_repeated(chunk, dialect);
    words.add(forms::table().into_keys());
    let Some(mut places) =
        quotes::places(chunk, dialect, &words, &|it| case.may_insert(range.start + it))
    else {
        return Err((Doubt::TooLarge, Vec::new()));
    };
    places.truncate(MAX_PLACES);

    let mut names = Names::default();
    let mut habits = Habits::default();
    for text in whole() {
        habits.learn(&Pieces::new(text, dialect, &mut |it| names.number(it)).list, dialect);
    }
    habits.add_language(dialect, &names);
    for place in &mut places {
        place.cost += cost_as_program(
            &format!("{}\"{}", &chunk[..place.at], &chunk[place.at..]),
            dialect,
            &names,
            &habits,
        );
    }
    places.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let edit = |it: &Place| [RawEdit { at: range.start + it.at, op: Op::Insert(b'"') }];
    let shown =
        places.iter().take(MAX_SHOWN).map(|it| case.candidate(&edit(it), it.cost)).collect();
    match places.first() {
        Some(best) => case.finish(
            &edit(best),
            confidence::share_of_first(places.iter().take(MAX_SHOWN).map(|it| it.cost)),
            shown,
        ),
        None => Err((Doubt::Quote, shown)),
    }
}

/// Returns the cost of a balanced text as it is.
fn cost_as_program(text: &str, dialect: &Dialect, names: &Names<'_>, habits: &Habits) -> f32 {
    const UNREADABLE: f32 = 20.0;
    let pieces = Pieces::new(text, dialect, &mut |it| names.known(it).unwrap_or(u32::MAX));
    let task = Task {
        pieces: &pieces.list,
        first_piece: 0,
        dialect,
        habits,
        allowed: Some(&[]),
        evidence: None,
        openers: false,
        bound: f32::MAX,
    };
    search::search(&task).first().map_or(UNREADABLE, |it| it.cost)
}
