//! The search: which delimiters to add, take away or retype so that a stretch of
//! pieces balances and reads like code somebody would write.
//!
//! A beam search from left to right. A state is a stack of open forms with what
//! it cost to get there; each closing bracket, each line end and, if asked for,
//! each place where an opener may be missing gives new states. Work is bounded
//! by the beam and the number of pieces, never by the clock.

use std::collections::HashMap;

use crate::dialect::Dialect;
use crate::repair::diff::Evidence;
use crate::repair::frame::{First, Frame};
use crate::repair::habits::Habits;
use crate::repair::indent;
use crate::repair::piece::{Kind, Piece, Prefix};
use crate::repair::shape;
use crate::tree::closer_of;

/// What a change of a delimiter costs, before the program is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prices {
    /// A closer added, and each further one at the same place.
    pub(super) insert: f32,
    pub(super) insert_more: f32,
    /// What is added for one in the middle of a line.
    pub(super) insert_mid_line: f32,
    /// A closer taken away, and what is added for one in the middle of a line.
    pub(super) delete: f32,
    pub(super) mid_line: f32,
    /// A closer retyped, and the second one of two that were swapped.
    pub(super) retype: f32,
    pub(super) swap: f32,
    /// An opener added.
    pub(super) opener: f32,
}

/// The prices, set so that the right answer wins most often.
pub(super) const PRICES: Prices = Prices {
    insert: 3.0,
    insert_more: 1.3,
    insert_mid_line: 3.0,
    delete: 3.0,
    mid_line: 1.8,
    retype: 2.6,
    swap: 0.4,
    opener: 4.6,
};

/// States that cost this much more than the best at the same piece are dropped.
const SLACK: f32 = 14.0;
/// How many ways to the same stack are kept.
const WAYS: usize = 3;
/// The most states times pieces, which bounds time and memory.
const MAX_STEPS: usize = 1_200_000;
/// The most pieces one search takes on.
pub(super) const MAX_PIECES: usize = 60_000;
const MAX_BEAM: usize = 90;
const MIN_BEAM: usize = 10;
/// The most closers added at one line end.
const MAX_CLOSERS: usize = 12;

/// A change at a byte of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawEdit {
    pub(super) at: usize,
    pub(super) op: Op,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Insert(u8),
    Delete,
    Replace(u8),
}

/// A way to balance the pieces.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) cost: f32,
    /// In the order of the text.
    pub(super) edits: Vec<RawEdit>,
    /// What the oddest form costs that an added closer ends.
    pub(super) oddest: f32,
}

/// What the search works on.
#[derive(Debug)]
pub(super) struct Task<'a> {
    pub(super) pieces: &'a [Piece],
    /// The index of the first piece in the whole text, for the evidence.
    pub(super) first_piece: usize,
    pub(super) dialect: &'a Dialect,
    pub(super) habits: &'a Habits,
    /// Where edits may lie, both ends included; `None` is everywhere.
    pub(super) allowed: Option<&'a [(usize, usize)]>,
    pub(super) evidence: Option<&'a Evidence>,
    /// Whether openers may be added.
    pub(super) openers: bool,
    /// Ways that cost more than this are of no interest.
    pub(super) bound: f32,
}

#[derive(Debug, Clone, Copy)]
struct State {
    cost: f32,
    top: Frame,
    /// The frames around `top`, in `Arena::frames`.
    around: u32,
    /// The last edit, in `Arena::edits`.
    edits: u32,
    /// By how many columns edits moved the rest of the line.
    shift: i32,
    has_opener: bool,
    /// What the oddest form cost that an added closer ended.
    oddest: f32,
}

const NONE: u32 = u32::MAX;

#[derive(Debug, Default)]
struct Arena {
    /// A frame, the frame around it, and a fingerprint of both.
    frames: Vec<(Frame, u32, u64)>,
    /// An edit and the one before.
    edits: Vec<(RawEdit, u32)>,
}

/// Returns the ways to balance the pieces, cheapest first, each a different program.
pub(super) fn search(task: &Task<'_>) -> Vec<Found> {
    if task.pieces.len() > MAX_PIECES {
        return Vec::new();
    }
    let beam = (MAX_STEPS / task.pieces.len().max(1)).clamp(MIN_BEAM, MAX_BEAM);
    let mut run = Run { task, arena: Arena::default(), beam, line_indent: 0 };
    let mut states = vec![State {
        cost: 0.0,
        top: Frame::TOP,
        around: NONE,
        edits: NONE,
        shift: 0,
        has_opener: false,
        oddest: 0.0,
    }];
    let mut line_end_run = 0;
    for (idx, piece) in task.pieces.iter().enumerate() {
        if piece.leads {
            run.line_indent = piece.form_column;
        }
        if idx >= line_end_run {
            line_end_run = end_of_closers(task.pieces, idx);
        }
        let in_line_end = piece.kind == Kind::Close && task.pieces[line_end_run - 1].trails;
        states = match piece.kind {
            Kind::Close => run.close(states, idx, in_line_end),
            Kind::Open | Kind::Leaf(_) => run.form(states, idx),
        };
        if piece.trails {
            run.line_end(&mut states, idx);
        } else if piece.kind == Kind::Close
            && task.pieces.get(idx + 1).is_some_and(|it| it.kind != Kind::Close)
        {
            run.mid_line(&mut states, idx);
        }
        if states.is_empty() {
            return Vec::new();
        }
    }
    run.results(&states)
}

/// Returns the index behind the run of closers that starts at `idx`, in one line.
fn end_of_closers(pieces: &[Piece], idx: usize) -> usize {
    let mut end = idx;
    while end < pieces.len() && pieces[end].kind == Kind::Close {
        end += 1;
        if pieces[end - 1].trails {
            break;
        }
    }
    end.max(idx + 1)
}

struct Run<'a> {
    task: &'a Task<'a>,
    arena: Arena,
    beam: usize,
    line_indent: i32,
}

impl Run<'_> {
    fn may_insert(&self, at: usize) -> bool {
        self.task.allowed.is_none_or(|it| it.iter().any(|&(start, end)| start <= at && at <= end))
    }

    fn may_change(&self, piece: &Piece) -> bool {
        self.task.allowed.is_none_or(|it| {
            it.iter().any(|&(start, end)| start <= piece.start && piece.end <= end)
        })
    }

    fn push_edit(&mut self, state: &mut State, at: usize, op: Op) {
        self.arena.edits.push((RawEdit { at, op }, state.edits));
        state.edits = self.arena.edits.len() as u32 - 1;
    }

    fn around(&self, state: &State) -> &Frame {
        match self.arena.frames.get(state.around as usize) {
            Some((frame, _, _)) => frame,
            None => &Frame::TOP,
        }
    }

    fn fingerprint(&self, state: &State) -> u64 {
        let around = self.arena.frames.get(state.around as usize).map_or(0, |it| it.2);
        state.top.fingerprint(around ^ (state.shift as u64) << 8 ^ u64::from(state.has_opener))
    }

    /// Leaves the innermost form by a closer that is added after a piece.
    fn pop_by_added(&self, state: &mut State, after: usize, closer: u8) {
        let after = self.task.first_piece.wrapping_add(after);
        let was_there = self.task.evidence.is_some_and(|it| it.lost_closer(after, closer));
        if !was_there {
            let cost = shape::closing(&state.top, self.around(state), self.task.habits);
            state.oddest = state.oddest.max(cost);
        }
        self.pop(state);
    }

    /// Leaves the innermost form.
    fn pop(&self, state: &mut State) {
        state.cost += shape::closing(&state.top, self.around(state), self.task.habits);
        if let Some(&(frame, around, _)) = self.arena.frames.get(state.around as usize) {
            let is_arity = state.top.open == b'(' && state.top.first == First::Vector;
            state.top = frame;
            state.top.has_arity |= is_arity;
            state.around = around;
        }
    }

    /// Enters a form: `piece` is its bracket, or what a bracket was put before.
    fn push(&mut self, state: &mut State, piece: &Piece, bracket: u8, column: i32) {
        let mut inner = state.top.opened(piece, bracket, column, self.line_indent);
        inner.bindings = bracket == b'[' && shape::holds_bindings(&state.top, self.task.habits);
        let around = self.arena.frames.get(state.around as usize).map_or(0, |it| it.2);
        self.arena.frames.push((state.top, state.around, state.top.fingerprint(around)));
        state.around = self.arena.frames.len() as u32 - 1;
        state.top = inner;
    }

    /// Reads an opening bracket or a leaf.
    fn form(&mut self, states: Vec<State>, idx: usize) -> Vec<State> {
        let piece = self.task.pieces[idx];
        let tries_openers = self.task.openers
            && piece.prefix != Prefix::Skipped
            && self.may_insert(piece.form_start);
        let mut next = Vec::with_capacity(states.len() * if tries_openers { 4 } else { 1 });
        for mut state in states {
            if piece.leads {
                state.cost +=
                    indent::cost(&state.top, piece.form_column + state.shift, self.task.habits);
            }
            if tries_openers && !state.has_opener {
                for &(bracket, _) in self.task.dialect.brackets {
                    let mut opened = state;
                    self.add_opener(&mut opened, idx, bracket);
                    if opened.cost <= self.task.bound {
                        self.read(&mut opened, &piece, false);
                        next.push(opened);
                    }
                }
            }
            self.read(&mut state, &piece, piece.leads);
            next.push(state);
        }
        if tries_openers { self.prune(next) } else { next }
    }

    /// Reads a piece as the next child of the innermost form.
    fn read(&mut self, state: &mut State, piece: &Piece, leads: bool) {
        state.cost += shape::company(&state.top, piece, piece.byte, leads, self.task.habits);
        state.cost += match piece.kind {
            Kind::Leaf(_) => shape::place_of_leaf(&state.top, piece, self.task.habits),
            _ => shape::place_of_form(&state.top, piece),
        };
        state.top.add(piece, piece.byte, state.shift, leads);
        if piece.kind == Kind::Open {
            self.push(state, piece, piece.byte, piece.column + state.shift);
        }
    }

    fn add_opener(&mut self, state: &mut State, idx: usize, bracket: u8) {
        let piece = &self.task.pieces[idx];
        let price =
            PRICES.opener + shape::opener_before(&state.top, piece, bracket, self.task.habits);
        state.cost += match self.task.evidence {
            Some(evidence) => evidence.opener_price(self.task.first_piece + idx, bracket, price),
            None => price,
        };
        state.cost += shape::company(&state.top, piece, bracket, piece.leads, self.task.habits);
        self.push_edit(state, piece.form_start, Op::Insert(bracket));
        let bare = Piece { kind: Kind::Open, byte: bracket, prefix: Prefix::None, ..*piece };
        let column = piece.form_column + state.shift;
        state.top.add(&bare, bracket, state.shift, piece.leads);
        self.push(state, &bare, bracket, column);
        state.has_opener = true;
        state.shift += 1;
    }

    /// Reads a closing bracket.
    fn close(&mut self, states: Vec<State>, idx: usize, in_line_end: bool) -> Vec<State> {
        let piece = self.task.pieces[idx];
        let may_change = self.may_change(&piece);
        let may_insert = self.may_insert(piece.start);
        let priced = |price| match self.task.evidence {
            Some(evidence) => evidence.change_price(self.task.first_piece + idx, price),
            None => price,
        };
        let delete = priced(PRICES.delete + if in_line_end { 0.0 } else { PRICES.mid_line });
        let retype = priced(PRICES.retype);
        let mut next = Vec::with_capacity(states.len() * 2);
        for state in states {
            let expected = closer_of(self.task.dialect, state.top.open);
            let is_open = state.top.open != 0;
            if is_open && expected == piece.byte {
                let mut closed = state;
                self.pop(&mut closed);
                next.push(closed);
            } else if is_open {
                if may_change {
                    let mut closed = state;
                    closed.cost +=
                        if self.is_swap(&state, &piece, expected) { PRICES.swap } else { retype };
                    self.pop(&mut closed);
                    self.push_edit(&mut closed, piece.start, Op::Replace(expected));
                    next.push(closed);
                }
                if may_insert {
                    self.insert_until(&mut next, state, idx, piece.byte);
                }
            }
            if may_change {
                let mut without = state;
                without.cost += delete;
                without.shift -= 1;
                self.push_edit(&mut without, piece.start, Op::Delete);
                next.push(without);
            }
        }
        self.prune(next)
    }

    /// Whether retyping `piece` completes the swap of two adjacent closers.
    fn is_swap(&self, state: &State, piece: &Piece, expected: u8) -> bool {
        match self.arena.edits.get(state.edits as usize) {
            Some((RawEdit { at, op: Op::Replace(to) }, _)) => {
                let before = self.task.pieces.iter().rfind(|it| it.start == *at).map(|it| it.byte);
                at + 1 == piece.start && *to == piece.byte && before == Some(expected)
            }
            _ => false,
        }
    }

    /// Adds closers before a closer of an outer form.
    fn insert_until(&mut self, next: &mut Vec<State>, state: State, idx: usize, wanted: u8) {
        const MAX_BEFORE: usize = 4;
        let at = self.task.pieces[idx].start;
        let mut state = state;
        for n_added in 0..MAX_BEFORE {
            if state.top.open == 0 {
                return;
            }
            let closer = closer_of(self.task.dialect, state.top.open);
            if closer == wanted {
                if n_added > 0 {
                    self.pop(&mut state);
                    next.push(state);
                }
                return;
            }
            let after = idx.wrapping_sub(1);
            state.cost += self.insert_price(&state, after, closer, n_added);
            self.pop_by_added(&mut state, after, closer);
            self.push_edit(&mut state, at, Op::Insert(closer));
            state.shift += 1;
        }
    }

    fn insert_price(&self, state: &State, after: usize, closer: u8, n_added: usize) -> f32 {
        let price = if n_added == 0 { PRICES.insert } else { PRICES.insert_more };
        // Who lost an opener has its closer still.
        let price = price + if state.has_opener { PRICES.opener } else { 0.0 };
        match self.task.evidence {
            Some(evidence) => {
                evidence.closer_price(self.task.first_piece.wrapping_add(after), closer, price)
            }
            None => price,
        }
    }

    /// Adds the states with closers missing at the end of a line.
    fn line_end(&mut self, states: &mut Vec<State>, idx: usize) {
        let at = self.task.pieces[idx].end;
        let mut added = Vec::new();
        if self.may_insert(at) {
            for state in states.iter() {
                let mut state = *state;
                for n_added in 0..MAX_CLOSERS {
                    if state.top.open == 0 {
                        break;
                    }
                    let closer = closer_of(self.task.dialect, state.top.open);
                    state.cost += self.insert_price(&state, idx, closer, n_added);
                    self.pop_by_added(&mut state, idx, closer);
                    self.push_edit(&mut state, at, Op::Insert(closer));
                    added.push(state);
                }
            }
        }
        states.append(&mut added);
        for state in states.iter_mut() {
            state.shift = 0;
        }
        *states = self.prune(std::mem::take(states));
    }

    /// Adds the states with one closer missing in the middle of a line.
    fn mid_line(&mut self, states: &mut Vec<State>, idx: usize) {
        let at = self.task.pieces[idx].end;
        if !self.may_insert(at) {
            return;
        }
        let mut added = Vec::new();
        for state in states.iter() {
            let mut state = *state;
            if state.top.open == 0 || state.has_opener {
                continue;
            }
            let closer = closer_of(self.task.dialect, state.top.open);
            state.cost += self.insert_price(&state, idx, closer, 0) + PRICES.insert_mid_line;
            self.pop_by_added(&mut state, idx, closer);
            self.push_edit(&mut state, at, Op::Insert(closer));
            state.shift += 1;
            added.push(state);
        }
        states.append(&mut added);
        *states = self.prune(std::mem::take(states));
    }

    /// Keeps the cheapest states, and few that have the same stack.
    fn prune(&self, mut states: Vec<State>) -> Vec<State> {
        if states.len() < 2 {
            return states;
        }
        let best = states.iter().map(|it| it.cost).fold(f32::MAX, f32::min);
        let limit = (best + SLACK).min(self.task.bound);
        states.retain(|it| it.cost <= limit);
        states.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let mut seen: Vec<(u64, usize)> = Vec::with_capacity(self.beam);
        let mut kept = Vec::with_capacity(self.beam.min(states.len()));
        for state in states {
            let fingerprint = self.fingerprint(&state);
            match seen.iter_mut().find(|it| it.0 == fingerprint) {
                Some((_, n_ways)) if *n_ways >= WAYS => continue,
                Some((_, n_ways)) => *n_ways += 1,
                None => seen.push((fingerprint, 1)),
            }
            kept.push(state);
            if kept.len() >= self.beam {
                break;
            }
        }
        kept
    }

    /// Returns the states that are balanced, each program once.
    fn results(&self, states: &[State]) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        let mut programs: HashMap<Vec<u8>, ()> = HashMap::new();
        let mut done: Vec<&State> = states.iter().filter(|it| it.top.open == 0).collect();
        done.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        for state in done {
            let mut edits = Vec::new();
            let mut at = state.edits;
            while let Some((edit, before)) = self.arena.edits.get(at as usize) {
                edits.push(*edit);
                at = *before;
            }
            edits.reverse();
            if programs.insert(program(self.task.pieces, &edits), ()).is_none() {
                found.push(Found { cost: state.cost, edits, oddest: state.oddest });
            }
        }
        found
    }
}

/// Returns the brackets after the edits, with a mark for each leaf: two results
/// with the same marks are the same program, whatever their blanks.
pub(super) fn program(pieces: &[Piece], edits: &[RawEdit]) -> Vec<u8> {
    let mut marks = Vec::with_capacity(pieces.len() + edits.len());
    let mut edits = edits.iter().peekable();
    for piece in pieces {
        while let Some(RawEdit { op: Op::Insert(byte), .. }) =
            edits.next_if(|it| it.at < piece.end && matches!(it.op, Op::Insert(_)))
        {
            marks.push(*byte);
        }
        match edits.next_if(|it| it.at == piece.start && !matches!(it.op, Op::Insert(_))) {
            Some(RawEdit { op: Op::Delete, .. }) => {}
            Some(RawEdit { op: Op::Replace(byte), .. }) => marks.push(*byte),
            _ => marks.push(if piece.byte == 0 { b'.' } else { piece.byte }),
        }
    }
    marks.extend(edits.filter_map(|it| match it.op {
        Op::Insert(byte) => Some(byte),
        _ => None,
    }));
    marks
}
