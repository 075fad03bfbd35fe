//! How likely the shape of a program is: each form at its end, each name in its
//! place, each child among its siblings. Costs are negative logarithms of
//! frequencies, rounded; what no working program has costs most.

use crate::repair::forms::{Form, Shape};
use crate::repair::frame::{First, Frame, Second};
use crate::repair::habits::{Habit, Habits};
use crate::repair::piece::{Kind, Leaf, Piece, Prefix};

/// A form that cannot be: a map without a value for a key.
const IMPOSSIBLE: f32 = 5.0;
/// A form that is not seen in working code: a call without its arguments.
pub(super) const UNLIKELY: f32 = 3.5;

/// Returns the cost of closing `frame`, a child of `around`.
pub(super) fn closing(frame: &Frame, around: &Frame, habits: &Habits) -> f32 {
    let n_children = frame.n_children;
    let is_odd = n_children % 2 == 1 && !frame.uncountable;
    match frame.open {
        b'{' if !frame.hash && is_odd => IMPOSSIBLE,
        b'(' if frame.conditional && is_odd => IMPOSSIBLE,
        b'(' if frame.conditional || frame.hash => 0.0,
        b'(' if frame.head != 0 && frame.quoted => 0.5 * call(frame, around, habits),
        b'(' if frame.head != 0 => call(frame, around, habits),
        b'(' if n_children == 0 && !frame.quoted => 1.0,
        // `([x])`: an arity without a body.
        b'(' if n_children == 1 && frame.has_vector && !frame.quoted => 2.5,
        b'[' => vector(frame, around, habits),
        _ => 0.0,
    }
}

fn call(frame: &Frame, around: &Frame, habits: &Habits) -> f32 {
    let habit = habits.of(frame.head);
    let around_shape = shape_of(around, habits);
    let threaded =
        matches!(around_shape, Shape::Thread | Shape::ValueAndClauses) && around.n_children > 2;
    let n_arguments = frame.n_children - 1 + u32::from(threaded);
    if frame.keyword_head && habit.form.is_none() {
        // `(:key m)` and `(:key m default)`
        return if frame.uncountable || (1..=2).contains(&n_arguments) { 0.0 } else { 2.0 };
    }
    let Some(form) = habit.form else {
        return unusual_arity(habit, n_arguments, frame.uncountable);
    };
    // `(count [this] …)` among the methods of a type is no call.
    let is_method = frame.second == Second::Vector && form.shape == Shape::Any && !form.only_head;
    let (least, most) = form.arity;
    let arity = match n_arguments {
        _ if frame.uncountable || is_method => 0.0,
        n if n < u32::from(least) => UNLIKELY,
        n if n > u32::from(most) => IMPOSSIBLE,
        _ => 0.0,
    };
    let is_odd = n_arguments % 2 == 1;
    let shape = match form.shape {
        Shape::Pairs | Shape::OnePair | Shape::Vector
            if frame.second != Second::Vector && !threaded =>
        {
            IMPOSSIBLE
        }
        Shape::Function | Shape::NamedFunction
            if !frame.has_vector && !frame.has_arity && !frame.uncountable =>
        {
            IMPOSSIBLE
        }
        Shape::Named | Shape::NamedFunction
            if frame.second != Second::Symbol && !frame.uncountable && !frame.quoted =>
        {
            UNLIKELY
        }
        Shape::Clauses if !frame.uncountable && is_odd => UNLIKELY,
        Shape::ValueAndClauses if !frame.uncountable && !is_odd => UNLIKELY,
        _ => 0.0,
    };
    arity + shape
}

/// A call with another number of arguments than all others of the same text.
fn unusual_arity(habit: Habit, n_arguments: u32, uncountable: bool) -> f32 {
    if uncountable || habit.n_calls < 2 || (habit.arity.0..=habit.arity.1).contains(&n_arguments) {
        return 0.0;
    }
    (1.0 + 0.25 * habit.n_calls as f32).min(2.2)
}

fn vector(frame: &Frame, around: &Frame, habits: &Habits) -> f32 {
    if around.open != b'(' {
        return 0.0;
    }
    let n_children = frame.n_children;
    match shape_of(around, habits) {
        Shape::Pairs if around.n_children == 2 && !frame.uncountable && n_children % 2 == 1 => {
            IMPOSSIBLE
        }
        Shape::OnePair if around.n_children == 2 && !frame.uncountable && n_children != 2 => {
            IMPOSSIBLE
        }
        // Argument vectors hold names and patterns, never calls.
        Shape::Function | Shape::NamedFunction if frame.has_list && around.n_children <= 4 => {
            IMPOSSIBLE
        }
        Shape::Any if frame.has_list && around.n_children == 1 && !around.quoted => 3.5,
        _ => 0.0,
    }
}

fn shape_of(frame: &Frame, habits: &Habits) -> Shape {
    habits.of(frame.head).form.map_or(Shape::Any, |it| it.shape)
}

/// Returns the cost of a leaf as the next child of `frame`.
pub(super) fn place_of_leaf(frame: &Frame, piece: &Piece, habits: &Habits) -> f32 {
    if piece.prefix != Prefix::None {
        return 0.0;
    }
    let is_head = frame.open == b'(' && frame.n_children == 0 && !frame.conditional;
    match piece.kind {
        Kind::Leaf(Leaf::Literal) if is_head && !frame.quoted => 3.0,
        Kind::Leaf(Leaf::String) if is_head && !frame.quoted => 2.0,
        Kind::Leaf(_) if frame.open == 0 => 1.5,
        Kind::Leaf(Leaf::Symbol) => {
            after_keyword(frame, habits)
                + place_of_name(frame, habits.of(piece.name), is_head, habits)
        }
        Kind::Leaf(Leaf::Keyword) if !is_head && frame.open == b'(' => {
            let only_head = habits.of(piece.name).form.is_some_and(|it| it.only_head);
            if only_head { 3.0 } else { 0.0 }
        }
        _ => 0.0,
    }
}

/// `:refer` and its like are followed by a vector.
fn after_keyword(frame: &Frame, habits: &Habits) -> f32 {
    let shape = habits.of(frame.last_keyword).form.map(|it| it.shape);
    if frame.last_keyword != 0 && shape == Some(Shape::BeforeVector) { UNLIKELY } else { 0.0 }
}

fn place_of_name(frame: &Frame, habit: Habit, is_head: bool, habits: &Habits) -> f32 {
    let only_head = habit.form.is_some_and(|it| it.only_head);
    if only_head && !is_head {
        let threads = shape_of(frame, habits) == Shape::Thread;
        return match frame.open {
            b'(' if !threads => 3.0,
            _ => 1.0,
        };
    }
    if habit.form.is_some() {
        let around = habits.of(frame.head).form;
        return match is_head {
            true => 0.0,
            false if around.is_some_and(|it| it.only_head && it.shape != Shape::Thread) => 1.5,
            false => 0.6,
        };
    }
    let head = habit.n_head as f32 + habit.prior.0 + habit.seen_here.0;
    let other = habit.n_other as f32 + habit.prior.1 + habit.seen_here.1;
    if head + other == 0.0 {
        return 0.0;
    }
    let seen = if is_head { head } else { other };
    // Relative to the usual place, so that code as such costs nothing.
    (-(seen / head.max(other)).ln()).min(2.5)
}

/// Returns the cost of a bracketed form as the next child of `frame`.
pub(super) fn place_of_form(frame: &Frame, piece: &Piece) -> f32 {
    let is_head = frame.open == b'(' && frame.n_children == 0;
    let is_call = is_head && !frame.conditional && !frame.quoted && !frame.hash;
    match (frame.open, piece.byte) {
        (0, _) if !piece.leads => 2.0,
        (_, b'(') if is_call => 0.8,
        (_, b'{') if is_call => 1.5,
        _ => 0.0,
    }
}

/// Returns what an opener of this type before `piece` costs more or less than others.
pub(super) fn opener_before(frame: &Frame, piece: &Piece, bracket: u8, habits: &Habits) -> f32 {
    let wants_vector = match shape_of(frame, habits) {
        Shape::Pairs | Shape::OnePair | Shape::Vector => frame.n_children == 1,
        Shape::Function | Shape::NamedFunction => {
            frame.n_children >= 1 && !frame.has_vector && !frame.has_list
        }
        _ => false,
    };
    let wants_vector = wants_vector || after_keyword(frame, habits) > 0.0;
    match (bracket, piece.kind) {
        (b'[', Kind::Open) if piece.byte == b'[' => {
            if wants_vector {
                4.0
            } else {
                2.0
            }
        }
        (b'[', _) if wants_vector => -2.0,
        (b'[', _) => 0.8,
        (b'(', Kind::Leaf(Leaf::Symbol)) => 0.0,
        (b'(', Kind::Leaf(Leaf::Keyword)) => 1.0,
        // `((` is rare; as a repair it is nearly always a way to use up a closer.
        (b'(', Kind::Open) if piece.byte == b'(' => 9.0,
        (b'(', _) => 2.5,
        (b'{', Kind::Leaf(Leaf::Keyword)) => 0.0,
        (b'{', _) => 2.0,
        _ => 0.0,
    }
}

/// Returns whether a vector that was just read as a child holds bindings.
pub(super) fn holds_bindings(frame: &Frame, habits: &Habits) -> bool {
    frame.n_children == 2 && matches!(shape_of(frame, habits), Shape::Pairs | Shape::OnePair)
}

/// Returns the cost of a child among its siblings: statements stand in lines of
/// their own, keys alternate with values, and things of a kind look alike.
///
/// `bracket` is the child's opening bracket, or 0 for a leaf.
pub(super) fn company(
    frame: &Frame,
    piece: &Piece,
    bracket: u8,
    leads: bool,
    habits: &Habits,
) -> f32 {
    if frame.open == 0 || piece.prefix == Prefix::Skipped {
        return 0.0;
    }
    let leaf = match (bracket, piece.kind) {
        (0, Kind::Leaf(leaf)) => Some(leaf),
        _ => None,
    };
    let at_even = frame.n_children.is_multiple_of(2) && !frame.uncountable;
    match frame.open {
        b'[' if frame.bindings && at_even => match leaf {
            Some(Leaf::Literal | Leaf::String) => 4.0,
            None if bracket == b'(' => 4.0,
            _ => 0.0,
        },
        b'{' if !frame.hash && at_even && frame.first == First::Keyword => {
            if leaf == Some(Leaf::Keyword) || piece.prefix != Prefix::None { 0.0 } else { 2.5 }
        }
        b'[' if leads
            && leaf.is_some()
            && matches!(frame.first, First::Vector | First::OtherForm) =>
        {
            1.5
        }
        b'[' if leads && bracket == b'[' && frame.first == First::OtherLeaf && !frame.bindings => {
            1.0
        }
        b'(' => in_list(frame, piece, bracket, leads, leaf, habits),
        _ => 0.0,
    }
}

/// Whether the next child is the path of `get-in` and its like: a vector or a name.
fn is_path(frame: &Frame, form: Option<&Form>) -> bool {
    frame.n_children <= 2 && form.is_some_and(|it| it.shape == Shape::Path)
}

fn in_list(
    frame: &Frame,
    piece: &Piece,
    bracket: u8,
    leads: bool,
    leaf: Option<Leaf>,
    habits: &Habits,
) -> f32 {
    if frame.quoted || frame.n_children == 0 {
        return 0.0;
    }
    let form = habits.of(frame.head).form;
    let is_function =
        form.is_some_and(|it| matches!(it.shape, Shape::Function | Shape::NamedFunction));
    let in_vector =
        |it: &Piece| habits.of(it.name).form.is_some_and(|it| it.shape == Shape::InVector);
    match leaf {
        Some(Leaf::Keyword) if in_vector(piece) => return UNLIKELY,
        Some(Leaf::Keyword) if is_function => return 2.5,
        Some(Leaf::Keyword) if is_path(frame, form) => return 2.5,
        Some(_) if leads && frame.keyword_head && frame.second == Second::Vector => return 1.5,
        None if bracket == b'[' && is_function && frame.has_arity => return UNLIKELY,
        _ => {}
    }
    // A line of a body holds one statement.
    let is_second = !leads && frame.lead_line == piece.start_line && frame.n_in_line == 1;
    if !is_second || !form.is_some_and(|it| it.statements) {
        return 0.0;
    }
    match frame.lead_bracket {
        0 => 2.5,
        b'(' => 1.5,
        _ => 0.0,
    }
}
