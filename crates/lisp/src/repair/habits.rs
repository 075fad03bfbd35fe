//! What this very text teaches: which names stand at the head of lists, with how
//! many arguments, and how their bodies are indented here.
//!
//! Learned from forms that are whole; the damaged ones teach nothing.

use std::collections::HashMap;

use crate::dialect::Dialect;
use crate::repair::forms::{self, Form};
use crate::repair::frame::{Frame, NOWHERE};
use crate::repair::piece::{Kind, Names, Piece};
use crate::tree::closer_of;

/// What is known about one name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Habit {
    /// What the language says about it.
    pub(super) form: Option<&'static Form>,
    /// How often it was the head of a list, and how often anything else.
    pub(super) n_head: u32,
    pub(super) n_other: u32,
    /// The same in the damaged form, as weights: what is seen there is not sure.
    pub(super) seen_here: (f32, f32),
    /// What the spelling says about the same, as counts.
    pub(super) prior: (f32, f32),
    /// The least and most arguments seen, and in how many calls.
    pub(super) arity: (u32, u32),
    pub(super) n_calls: u32,
    /// How often the first line below the head was indented by two, or
    /// aligned with the first argument, or by one.
    pub(super) n_by_two: u32,
    pub(super) n_aligned: u32,
    pub(super) n_by_one: u32,
}

/// What is known about all names, by number.
#[derive(Debug, Default)]
pub(super) struct Habits {
    by_number: Vec<Habit>,
}

impl Habits {
    /// Returns what is known about a name.
    pub(super) fn of(&self, name: u32) -> Habit {
        self.by_number.get(name as usize).copied().unwrap_or_default()
    }

    /// Takes the language's knowledge into account for every name seen so far.
    pub(super) fn add_language(&mut self, dialect: &Dialect, names: &Names<'_>) {
        self.by_number.resize(names.len() + 1, Habit::default());
        let known: HashMap<&str, &'static Form> =
            if dialect.clojure_dispatch { forms::table() } else { HashMap::new() };
        for (name, number) in names.iter() {
            let form = known.get(name).copied();
            let form = form.or_else(|| forms::has_body_name(name).then_some(&forms::BODY_BY_NAME));
            let habit = &mut self.by_number[number as usize];
            habit.form = form;
            habit.prior = forms::prior(name);
        }
    }

    /// Learns from pieces that are balanced.
    pub(super) fn learn(&mut self, pieces: &[Piece], dialect: &Dialect) {
        let mut stack: Vec<Frame> = Vec::new();
        for piece in pieces {
            match piece.kind {
                Kind::Close => {
                    let Some(frame) = stack.pop() else { return };
                    if closer_of(dialect, frame.open) != piece.byte {
                        return;
                    }
                    self.learn_call(&frame);
                }
                Kind::Open | Kind::Leaf(_) => {
                    if let Some(frame) = stack.last_mut() {
                        self.learn_line(frame, piece);
                        self.learn_name(frame, piece);
                        frame.add(piece, piece.byte, 0, piece.leads);
                    }
                    if piece.kind == Kind::Open {
                        let around = stack.last().copied().unwrap_or(Frame::TOP);
                        stack.push(around.opened(piece, piece.byte, piece.column, 0));
                    }
                }
            }
        }
    }

    /// Learns from pieces that are damaged: what stands behind an opener is a head
    /// for all we know, and what stands in a vector is likely a local name.
    pub(super) fn learn_damaged(&mut self, pieces: &[Piece]) {
        for pair in pieces.windows(2) {
            let (before, piece) = (&pair[0], &pair[1]);
            let is_head = before.byte == b'(' && before.end == piece.start;
            let is_local = before.byte == b'[';
            if let Some(habit) = self.entry(piece.name) {
                match (is_head, is_local) {
                    (true, _) => habit.seen_here.0 += 0.5,
                    (_, true) => habit.seen_here.1 += 1.0,
                    _ => habit.seen_here.1 += 0.5,
                }
            }
        }
    }

    fn entry(&mut self, name: u32) -> Option<&mut Habit> {
        let idx = name as usize;
        if name == 0 {
            return None;
        }
        if idx >= self.by_number.len() {
            self.by_number.resize(idx + 1, Habit::default());
        }
        self.by_number.get_mut(idx)
    }

    fn learn_name(&mut self, frame: &Frame, piece: &Piece) {
        let is_head = frame.open == b'(' && frame.n_children == 0;
        if let Some(habit) = self.entry(piece.name) {
            match is_head {
                true => habit.n_head += 1,
                false => habit.n_other += 1,
            }
        }
    }

    fn learn_line(&mut self, frame: &Frame, piece: &Piece) {
        if !piece.leads || frame.lead != NOWHERE || frame.n_children == 0 {
            return;
        }
        let column = piece.form_column;
        let frame_column = frame.column;
        let argument = frame.argument;
        if let Some(habit) = self.entry(frame.head) {
            match column {
                _ if column == argument => habit.n_aligned += 1,
                _ if column == frame_column + 2 => habit.n_by_two += 1,
                _ if column == frame_column + 1 => habit.n_by_one += 1,
                _ => {}
            }
        }
    }

    fn learn_call(&mut self, frame: &Frame) {
        if frame.uncountable || frame.quoted || frame.n_children == 0 {
            return;
        }
        let n_arguments = frame.n_children - 1;
        if let Some(habit) = self.entry(frame.head) {
            let (least, most) = habit.arity;
            habit.arity = match habit.n_calls {
                0 => (n_arguments, n_arguments),
                _ => (least.min(n_arguments), most.max(n_arguments)),
            };
            habit.n_calls += 1;
        }
    }
}
