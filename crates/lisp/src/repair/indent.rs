//! How likely the indentation of a line is, under the form it would belong to.
//!
//! Costs are negative logarithms of frequencies, rounded: a place where half of
//! all lines stand costs 0.7, one in a hundred 4.6. The frequencies were counted
//! in published Clojure code; lines that are off by one column are made cheaper
//! than they are there, because hand-made and machine-made edits misplace lines
//! more often than reviewed code.

use crate::repair::forms::Shape;
use crate::repair::frame::{Frame, NOWHERE};
use crate::repair::habits::{Habit, Habits};

/// A line one column beside its place.
const OFF_BY_ONE: f32 = 2.6;
/// A line left of, or at, the bracket it would belong to.
const LEFT_OF_BRACKET: f32 = 6.5;
/// A line in column 0 inside a form, or indented at top level.
const WRONG_LEVEL: f32 = 8.0;
/// A line at a place that has no reason.
const ODD_PLACE: f32 = 4.7;

/// Returns the cost of a line that starts at `column` inside `frame`.
pub(super) fn cost(frame: &Frame, column: i32, habits: &Habits) -> f32 {
    if frame.open == 0 {
        return if column == 0 { 0.0 } else { WRONG_LEVEL };
    }
    if column == 0 {
        let habit = habits.of(frame.head);
        let holds_top_level = frame.conditional
            || (frame.column == 0
                && habit.form.is_some_and(|it| it.shape == Shape::Any && it.arity.0 == 1));
        let seen = frame.last_lead == 0;
        return match (seen, holds_top_level) {
            (true, _) => 0.5,
            (_, true) => 3.0,
            _ => WRONG_LEVEL,
        };
    }
    if frame.n_children == 0 && frame.lead == NOWHERE {
        return match column - frame.column {
            1 => 0.5,
            2 => 1.4,
            _ if column > frame.line_indent => 2.0,
            _ => LEFT_OF_BRACKET,
        };
    }
    if frame.lead != NOWHERE {
        return beside_siblings(frame, column);
    }
    match frame.open {
        b'(' if frame.head != 0 => first_line_of_call(frame, column, habits.of(frame.head)),
        b'(' => first_line_of_data(frame, column),
        _ => match column - frame.column {
            1 => 0.0,
            2 => OFF_BY_ONE,
            0 => OFF_BY_ONE + 1.2,
            below if below < 0 => LEFT_OF_BRACKET,
            _ if column == frame.argument => 4.0,
            _ => ODD_PLACE,
        },
    }
}

/// The cost of a line below lines of the same form.
fn beside_siblings(frame: &Frame, column: i32) -> f32 {
    if column == frame.last_lead {
        return 0.0;
    }
    if column == frame.lead {
        return 1.5;
    }
    if (column - frame.last_lead).abs() == 1 {
        return if column > frame.column { OFF_BY_ONE } else { OFF_BY_ONE + 1.2 };
    }
    match column - frame.column {
        below if below <= 0 => LEFT_OF_BRACKET,
        _ if (column - frame.lead).abs() == 1 => OFF_BY_ONE + 1.0,
        2 if frame.open == b'(' => 3.8,
        1 => 4.2,
        _ if column == frame.argument => 4.2,
        _ => ODD_PLACE,
    }
}

/// The cost of the first line below the head of a call.
fn first_line_of_call(frame: &Frame, column: i32, habit: Habit) -> f32 {
    let by = column - frame.column;
    let has_argument = frame.argument != NOWHERE;
    // Prior counts stand for what Clojure code does elsewhere; the text's own
    // lines outweigh them soon.
    let has_body = habit.form.is_some_and(|it| it.body);
    let (two, aligned, one) = match (has_body, has_argument) {
        (true, true) => (60.0, 1.5, 1.0),
        (true, false) => (60.0, 0.0, 1.5),
        (false, true) => (2.0, 2.5, 0.05),
        (false, false) => (2.2, 0.0, 1.8),
    };
    let (two, one) = (two + habit.n_by_two as f32, one + habit.n_by_one as f32);
    let aligned = if has_argument { aligned + habit.n_aligned as f32 } else { 0.0 };
    let all = two + aligned + one + 0.15;
    let place = match by {
        _ if has_argument && column == frame.argument => -(aligned / all).ln(),
        2 => -(two / all).ln(),
        1 => -(one / all).ln(),
        _ => f32::MAX,
    };
    let near = (has_argument && (column - frame.argument).abs() == 1) || by == 3 || by == 1;
    let otherwise = match by {
        below if below < 0 => LEFT_OF_BRACKET,
        0 => LEFT_OF_BRACKET - 1.0,
        _ if near => OFF_BY_ONE + 0.4,
        _ => ODD_PLACE,
    };
    place.min(otherwise)
}

/// The cost of the first line below the head of a list that is no call.
fn first_line_of_data(frame: &Frame, column: i32) -> f32 {
    match column - frame.column {
        _ if column == frame.argument && frame.keyword_head => 0.5,
        _ if column == frame.argument => 1.9,
        1 => 0.7,
        2 => 1.9,
        below if below < 0 => LEFT_OF_BRACKET,
        0 => OFF_BY_ONE + 1.2,
        _ if (column - frame.argument).abs() == 1 => OFF_BY_ONE,
        _ => 3.5,
    }
}
