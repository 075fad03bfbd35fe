//! What the text before the edit says about the text after it.
//!
//! Leaves (names, numbers, strings) of the changed lines are matched with those
//! of the lines they replace. Between two matched neighbours the brackets were
//! known; brackets that are missing there now, or that are new, are where the
//! damage most likely is, and brackets that are still there are likely right.

use crate::dialect::Dialect;
use std::ops::Range;

use crate::repair::lines::Hunk;
use crate::repair::piece::{Kind, Piece, Pieces};
use crate::repair::search::PRICES;
use crate::tree::closer_of;

/// What a change costs that undoes what the edit did, as part of its price.
const UNDOES: f32 = 0.12;
/// What it costs more to change a bracket that was there before.
const KEPT: f32 = 1.5;
/// What it costs more to add a bracket where the brackets are as they were.
const COMPLETE: f32 = 1.0;
/// The most pairs of leaves compared.
const MAX_PAIRS: usize = 600_000;

/// What the text before says about one bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Unknown,
    Kept,
    Gained,
    /// It was there, but what it closed was taken away.
    Orphaned,
}

/// What is known about the brackets between two leaves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Gap {
    /// Whether the text before says anything.
    known: bool,
    lost: Vec<u8>,
    /// Whether a lost opener had a mark such as `#` or `'` before it.
    lost_mark: bool,
}

/// What is known about brackets from the text before.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// For each piece.
    marks: Vec<Mark>,
    /// For each piece, the gap it stands in, which is numbered by the leaf before it.
    gap_of: Vec<usize>,
    gaps: Vec<Gap>,
}

impl Evidence {
    /// Compares the changed lines with what stood there.
    pub(super) fn new(
        before: &Pieces<'_>,
        after: &Pieces<'_>,
        hunks: &[Hunk],
        dialect: &Dialect,
    ) -> Self {
        let mut gap_of = Vec::with_capacity(after.list.len());
        let mut n_leaves = 0;
        for piece in &after.list {
            n_leaves += usize::from(is_leaf(piece));
            gap_of.push(n_leaves);
        }
        let mut evidence = Evidence {
            marks: vec![Mark::Unknown; after.list.len()],
            gap_of,
            gaps: vec![Gap::default(); n_leaves + 1],
        };
        let mut stretches = Vec::new();
        for hunk in hunks {
            stretches.extend(compared(before, after, hunk, dialect));
        }
        let taken: Vec<usize> = stretches
            .iter()
            .flat_map(|it| &it.wanted)
            .filter(|it| it.taken)
            .map(|it| it.piece)
            .collect();
        let orphans = partners(&before.list, &taken);
        for stretch in stretches {
            evidence.compare(&stretch.wanted, &after.list, stretch.after, &orphans);
        }
        evidence
    }

    /// Matches the brackets of a gap with those that should be there.
    fn compare(
        &mut self,
        wanted: &[Wanted],
        pieces: &[Piece],
        range: Range<usize>,
        orphans: &[usize],
    ) {
        // An opener that was taken away together with its head is not missed.
        let wanted: Vec<Wanted> = wanted.iter().copied().filter(|it| !it.taken).collect();
        let gap = match range.start.checked_sub(1) {
            Some(left) => self.gap_of[left],
            None => 0,
        };
        let found: Vec<u8> = pieces[range.clone()].iter().map(|it| it.byte).collect();
        let wanted_bytes: Vec<u8> = wanted.iter().map(|it| it.byte).collect();
        let kept = common(&wanted_bytes, &found);
        for (idx, mark) in self.marks[range].iter_mut().enumerate() {
            *mark = match kept.iter().find(|it| it.1 == idx) {
                Some((old, _)) if orphans.contains(&wanted[*old].piece) => Mark::Orphaned,
                Some(_) => Mark::Kept,
                None => Mark::Gained,
            };
        }
        let is_kept = |idx: usize| kept.iter().any(|it| it.0 == idx);
        let lost: Vec<&Wanted> =
            wanted.iter().enumerate().filter(|(idx, _)| !is_kept(*idx)).map(|(_, it)| it).collect();
        self.gaps[gap] = Gap {
            known: true,
            lost_mark: lost.iter().any(|it| it.marked),
            lost: lost.iter().map(|it| it.byte).collect(),
        };
    }

    /// Returns whether the edit lost an opener together with a mark before it.
    ///
    /// Such a form cannot be mended by brackets alone.
    pub(super) fn lost_mark(&self, pieces: Range<usize>) -> bool {
        let gaps = self.gap_of.get(pieces).unwrap_or(&[]);
        gaps.iter().any(|&it| self.gaps[it].lost_mark)
    }

    fn gap_after(&self, piece: usize) -> Option<&Gap> {
        self.gap_of.get(piece).and_then(|&it| self.gaps.get(it))
    }

    /// Returns the price of adding an opener before a piece, and whether the edit lost one there.
    pub(super) fn opener_price(&self, piece: usize, bracket: u8, otherwise: f32) -> f32 {
        let gap = match piece.checked_sub(1) {
            Some(left) => self.gap_after(left),
            None => self.gaps.first(),
        };
        match gap {
            Some(gap) if gap.lost.contains(&bracket) => PRICES.opener * UNDOES,
            Some(Gap { known: true, .. }) => otherwise + COMPLETE,
            _ => otherwise,
        }
    }

    /// Returns whether the edit lost this closer after a piece.
    pub(super) fn lost_closer(&self, after: usize, closer: u8) -> bool {
        self.gap_after(after).is_some_and(|it| it.lost.contains(&closer))
    }

    /// Returns the price of adding a closer after a piece.
    pub(super) fn closer_price(&self, after: usize, closer: u8, price: f32) -> f32 {
        match self.gap_after(after) {
            Some(gap) if gap.lost.contains(&closer) => price * UNDOES,
            Some(Gap { known: true, .. }) => price + COMPLETE,
            _ => price,
        }
    }

    /// Returns the price of taking away or retyping a closer.
    pub(super) fn change_price(&self, piece: usize, price: f32) -> f32 {
        match self.marks.get(piece) {
            Some(Mark::Gained | Mark::Orphaned) => price * UNDOES,
            Some(Mark::Kept) => price + KEPT,
            _ => price,
        }
    }
}

/// The brackets between two leaves, before and after.
struct Stretch {
    wanted: Vec<Wanted>,
    after: Range<usize>,
}

/// Returns the stretches of a hunk whose brackets can be compared.
fn compared(
    before: &Pieces<'_>,
    after: &Pieces<'_>,
    hunk: &Hunk,
    dialect: &Dialect,
) -> Vec<Stretch> {
    let old = leaves(before, hunk.before.start, hunk.before.end);
    let new = leaves(after, hunk.after.start, hunk.after.end);
    if old.len() * new.len() > MAX_PAIRS {
        return Vec::new();
    }
    let matches = align(before, after, &old, &new);
    neighbours(&matches)
        .filter_map(|((old_left, new_left), (old_right, new_right))| {
            let new_pieces = between(new_left, new_right, after.list.len());
            let old_pieces = between(old_left, old_right, before.list.len());
            let is_bare = !after.list[new_pieces.clone()].iter().any(is_leaf);
            is_bare.then(|| Stretch {
                wanted: net(&before.list, old_pieces, dialect),
                after: new_pieces,
            })
        })
        .collect()
}

/// Returns the closers of these openers, in a balanced text.
fn partners(pieces: &[Piece], openers: &[usize]) -> Vec<usize> {
    if openers.is_empty() {
        return Vec::new();
    }
    let mut open = Vec::new();
    let mut found = Vec::new();
    for (idx, piece) in pieces.iter().enumerate() {
        match piece.kind {
            Kind::Open => open.push(idx),
            Kind::Close => match open.pop() {
                Some(opener) if openers.contains(&opener) => found.push(idx),
                _ => {}
            },
            Kind::Leaf(_) => {}
        }
    }
    found
}

fn is_leaf(piece: &Piece) -> bool {
    matches!(piece.kind, Kind::Leaf(_))
}

/// Returns the indices of the leaves of some lines and of one leaf on each side.
fn leaves(pieces: &Pieces<'_>, first_line: usize, end_line: usize) -> Vec<Option<usize>> {
    let start = pieces.list.partition_point(|it| (it.start_line as usize) < first_line);
    let end = pieces.list.partition_point(|it| (it.start_line as usize) < end_line).max(start);
    let left = pieces.list[..start].iter().rposition(is_leaf);
    let right = pieces.list[end..].iter().position(is_leaf).map(|it| end + it);
    let inner = (start..end).filter(|&it| is_leaf(&pieces.list[it])).map(Some);
    // The ends of the text stand for a leaf where there is none.
    std::iter::once(left).chain(inner).chain(std::iter::once(right)).collect()
}

/// A leaf of the text before and the leaf of the text after that it became.
type Match = (Option<usize>, Option<usize>);

/// Matches leaves so that as much as possible stays the same.
fn align(
    before: &Pieces<'_>,
    after: &Pieces<'_>,
    old: &[Option<usize>],
    new: &[Option<usize>],
) -> Vec<Match> {
    let (n_old, n_new) = (old.len() - 2, new.len() - 2);
    let old_inner = &old[1..=n_old];
    let new_inner = &new[1..=n_new];
    let likeness = |old: Option<usize>, new: Option<usize>| match (old, new) {
        (Some(old), Some(new)) => alike(before, &before.list[old], after, &after.list[new]),
        _ => 0,
    };
    let width = n_new + 1;
    let mut scores = vec![0_u32; (n_old + 1) * width];
    for row in (0..n_old).rev() {
        for column in (0..n_new).rev() {
            let like = likeness(old_inner[row], new_inner[column]);
            let skip = scores[(row + 1) * width + column].max(scores[row * width + column + 1]);
            let matched = if like > 0 { scores[(row + 1) * width + column + 1] + like } else { 0 };
            scores[row * width + column] = skip.max(matched);
        }
    }
    let mut matches = vec![(old[0], new[0])];
    let (mut row, mut column) = (0, 0);
    while row < n_old && column < n_new {
        let like = likeness(old_inner[row], new_inner[column]);
        let here = scores[row * width + column];
        if like > 0 && here == scores[(row + 1) * width + column + 1] + like {
            matches.push((old_inner[row], new_inner[column]));
            (row, column) = (row + 1, column + 1);
        } else if here == scores[(row + 1) * width + column] {
            row += 1;
        } else {
            column += 1;
        }
    }
    matches.push((old[n_old + 1], new[n_new + 1]));
    matches
}

/// How alike two leaves are: the same, one name written anew, or not at all.
fn alike(before: &Pieces<'_>, old: &Piece, after: &Pieces<'_>, new: &Piece) -> u32 {
    if old.kind != new.kind {
        return 0;
    }
    let old = &before.text[old.start..old.end];
    let new = &after.text[new.start..new.end];
    match () {
        () if old == new => 6,
        () if old.starts_with(new) || new.starts_with(old) => 3,
        () => 1,
    }
}

fn neighbours(matches: &[Match]) -> impl Iterator<Item = (Match, Match)> + '_ {
    matches.windows(2).map(|it| (it[0], it[1]))
}

/// Returns the range of pieces between two leaves.
fn between(left: Option<usize>, right: Option<usize>, n_pieces: usize) -> Range<usize> {
    let start = left.map_or(0, |it| it + 1);
    start..right.unwrap_or(n_pieces).max(start)
}

/// A bracket of the text before.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    byte: u8,
    piece: usize,
    /// Whether a mark such as `#` belongs to it.
    marked: bool,
    /// Whether it is an opener whose first leaf is gone as well: a form that was
    /// taken off, not a bracket that was forgotten.
    taken: bool,
}

/// Returns the brackets of a stretch. Where leaves stand between them, what is
/// left when the pairs are taken out: the brackets a deleted line leaves behind.
fn net(pieces: &[Piece], stretch: Range<usize>, dialect: &Dialect) -> Vec<Wanted> {
    let last_leaf = stretch.clone().rev().find(|&it| is_leaf(&pieces[it]));
    let mut left: Vec<Wanted> = Vec::new();
    for idx in stretch {
        let piece = &pieces[idx];
        let closes_last = piece.kind == Kind::Close
            && left.last().is_some_and(|it| {
                it.byte != piece.byte && closer_of(dialect, it.byte) == piece.byte
            });
        match piece.kind {
            Kind::Leaf(_) => {}
            Kind::Close if closes_last && last_leaf.is_some() => {
                left.pop();
            }
            Kind::Open | Kind::Close => left.push(Wanted {
                byte: piece.byte,
                piece: idx,
                marked: piece.form_start < piece.start,
                taken: piece.kind == Kind::Open && last_leaf.is_some_and(|it| it > idx),
            }),
        }
    }
    left
}

/// The longest common subsequence of two short runs of brackets.
fn common(before: &[u8], after: &[u8]) -> Vec<(usize, usize)> {
    const MAX_RUN: usize = 200;
    if before.len() > MAX_RUN || after.len() > MAX_RUN {
        return Vec::new();
    }
    let width = after.len() + 1;
    let mut lengths = vec![0_u32; (before.len() + 1) * width];
    for row in (0..before.len()).rev() {
        for column in (0..after.len()).rev() {
            lengths[row * width + column] = match before[row] == after[column] {
                true => lengths[(row + 1) * width + column + 1] + 1,
                false => lengths[(row + 1) * width + column].max(lengths[row * width + column + 1]),
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut pairs = Vec::new();
    while row < before.len() && column < after.len() {
        if before[row] == after[column] {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}
