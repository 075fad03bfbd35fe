//! Where the damage is: a text cut at the lines that start a top-level form, and
//! the stretches of it that do not balance on their own.
//!
//! Code in column 0 starts a new form, whatever is still open: this keeps one
//! lost bracket from swallowing the rest of the file. Forms that do hold other
//! forms in column 0, such as `(comment …)`, are recognised by closing later.

use std::ops::Range;

use crate::dialect::Dialect;
use crate::repair::piece::{Kind, Leaf, Piece, Prefix};
use crate::tree::closer_of;

/// What is left of a chunk after its own brackets are matched.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rest {
    /// Nothing: it is balanced.
    Nothing,
    /// Closers that would close these forms are missing.
    Open(Vec<u8>),
    /// These closers are too many.
    Closers(Vec<u8>),
    /// Closers of the wrong type, or both of the above.
    Mixed,
}

/// A stretch of pieces that must be mended as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Damage {
    pub(super) pieces: Range<usize>,
    /// Whether there are more closers than openers, or closers of the wrong type.
    pub(super) has_extra: bool,
}

/// A text cut into balanced and damaged stretches.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) whole: Vec<Range<usize>>,
    pub(super) damaged: Vec<Damage>,
}

/// The most damaged stretches that are looked for: who broke more than this did
/// not miscount a bracket.
pub(super) const MAX_DAMAGED: usize = 8;

/// Cuts the pieces; `may_edit` says whether anything in a stretch may be changed.
pub(super) fn layout(
    pieces: &[Piece],
    dialect: &Dialect,
    may_edit: &dyn Fn(&Range<usize>) -> bool,
) -> Layout {
    let chunks = chunks(pieces);
    let rests: Vec<Rest> = chunks.iter().map(|it| rest_of(&pieces[it.clone()], dialect)).collect();
    let mut layout = Layout { whole: Vec::new(), damaged: Vec::new() };
    let mut idx = 0;
    // The first and last chunk of the damage that is being collected.
    let mut open_group: Option<(usize, usize)> = None;
    while idx < chunks.len() && layout.damaged.len() <= MAX_DAMAGED {
        if rests[idx] == Rest::Nothing {
            layout.whole.push(chunks[idx].clone());
            idx += 1;
            continue;
        }
        if let Some(last) = holds_later_chunks(&rests, idx, dialect) {
            layout.whole.push(chunks[idx].start..chunks[last].end);
            idx = last + 1;
            continue;
        }
        // A chunk that may not be changed is not where the damage is: the edit
        // that broke it stands in another one, so both are looked at together.
        let is_cold = !may_edit(&chunks[idx]);
        let is_holder = is_holder(pieces, &chunks[idx], &rests[idx]);
        open_group = match open_group {
            Some((first, _)) => {
                push_damage(&mut layout, &chunks, &rests, first, idx);
                None
            }
            None if is_cold && layout.damaged.last().is_some_and(|_| !is_holder) => {
                let last = layout.damaged.pop();
                let first = last
                    .and_then(|it| chunks.iter().position(|chunk| chunk.start == it.pieces.start));
                push_damage(&mut layout, &chunks, &rests, first.unwrap_or(idx), idx);
                None
            }
            None if is_cold || is_holder => Some((idx, idx)),
            None => {
                push_damage(&mut layout, &chunks, &rests, idx, idx);
                None
            }
        };
        idx += 1;
    }
    if let Some((first, last)) = open_group {
        let last = match is_holder(pieces, &chunks[first], &rests[first]) {
            true => reach(pieces, &chunks, last, may_edit),
            false => last,
        };
        push_damage(&mut layout, &chunks, &rests, first, last);
    }
    layout
}

/// Returns the last chunk that a form which holds others may reach, when its
/// closer is nowhere to be seen: the chunk behind it, the branches of a reader
/// conditional, and on to where something may be changed.
fn reach(
    pieces: &[Piece],
    chunks: &[Range<usize>],
    from: usize,
    may_edit: &dyn Fn(&Range<usize>) -> bool,
) -> usize {
    let is_key =
        |it: &Range<usize>| it.len() == 1 && pieces[it.start].kind == Kind::Leaf(Leaf::Keyword);
    let end = chunks.len() - 1;
    let mut last = (from + 1).min(end);
    while last + 2 <= end && is_key(&chunks[last + 1]) {
        last += 2;
    }
    if (from..=last).any(|it| may_edit(&chunks[it])) {
        return last;
    }
    (last..=end).find(|&it| may_edit(&chunks[it])).unwrap_or(last)
}

fn push_damage(
    layout: &mut Layout,
    chunks: &[Range<usize>],
    rests: &[Rest],
    first: usize,
    last: usize,
) {
    let has_extra =
        rests[first..=last].iter().any(|it| matches!(it, Rest::Closers(_) | Rest::Mixed));
    let pieces = chunks[first].start..chunks[last].end;
    layout.whole.retain(|it| it.end <= pieces.start || it.start >= pieces.end);
    layout.damaged.push(Damage { pieces, has_extra });
}

/// Cuts at lines that start in column 0.
fn chunks(pieces: &[Piece]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut depth = 0_usize;
    for (idx, piece) in pieces.iter().enumerate() {
        let starts_line = piece.leads && piece.form_column == 0;
        let starts_chunk = match piece.kind {
            Kind::Open => starts_line,
            Kind::Leaf(_) => starts_line && depth == 0,
            Kind::Close => false,
        };
        if starts_chunk || found.is_empty() {
            found.push(idx..idx);
            depth = 0;
        }
        match piece.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            Kind::Leaf(_) => {}
        }
        if let Some(last) = found.last_mut() {
            last.end = idx + 1;
        }
    }
    found
}

fn rest_of(pieces: &[Piece], dialect: &Dialect) -> Rest {
    let mut open = Vec::new();
    let mut closers = Vec::new();
    for piece in pieces {
        match piece.kind {
            Kind::Open => open.push(piece.byte),
            Kind::Close => match open.pop() {
                Some(byte) if closer_of(dialect, byte) == piece.byte => {}
                Some(_) => return Rest::Mixed,
                None => closers.push(piece.byte),
            },
            Kind::Leaf(_) => {}
        }
    }
    match (open.is_empty(), closers.is_empty()) {
        (true, true) => Rest::Nothing,
        (false, true) => Rest::Open(open),
        (true, false) => Rest::Closers(closers),
        (false, false) => Rest::Mixed,
    }
}

/// Returns the chunk that closes exactly what `idx` leaves open, when all chunks
/// between them are balanced.
fn holds_later_chunks(rests: &[Rest], idx: usize, dialect: &Dialect) -> Option<usize> {
    let Rest::Open(open) = &rests[idx] else { return None };
    let needed: Vec<u8> = open.iter().rev().map(|&it| closer_of(dialect, it)).collect();
    let last = (idx + 1..rests.len()).find(|&it| rests[it] != Rest::Nothing)?;
    (rests[last] == Rest::Closers(needed)).then_some(last)
}

/// Whether a chunk looks like the start of a form that holds others in column 0.
fn is_holder(pieces: &[Piece], chunk: &Range<usize>, rest: &Rest) -> bool {
    let only_open = matches!(rest, Rest::Open(_));
    let conditional =
        pieces[chunk.clone()].first().is_some_and(|it| it.prefix == Prefix::Conditional);
    let is_short = chunk.len() <= 3;
    only_open && (conditional || is_short)
}
