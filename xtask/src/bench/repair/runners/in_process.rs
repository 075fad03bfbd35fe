//! Calls the repair of `crates/lisp` as a function.

use std::ops::Range;
use std::time::Instant;

use lisp::repair::{Outcome, Request, repair};

use super::super::cases::Case;
use super::super::score::Answer;
use super::Mode;

pub(super) fn answer(mode: Mode, case: &Case) -> Answer {
    let first_line = case.broken.lines().next().unwrap_or_default();
    let Some(dialect) = lisp::dialect::for_path(&case.path, first_line) else {
        return Answer { text: None, ms: 0.0 };
    };
    let spans: Vec<Range<usize>> = case.edits.iter().map(|it| it.new.clone()).collect();
    let request = Request {
        broken: &case.broken,
        before: (mode != Mode::Write).then_some(case.before.as_str()),
        spans: (mode == Mode::Span).then_some(spans.as_slice()),
        dialect,
    };
    let start = Instant::now();
    // One panic must not end a run of thousands of cases; it is told, with the case.
    let outcome = std::panic::catch_unwind(|| repair(&request));
    let ms = start.elapsed().as_secs_f64() * 1000.0;
    let text = match outcome {
        // For a broken file this answer is a miss, and is counted as one.
        Ok(Outcome::Balanced) => Some(case.broken.clone()),
        Ok(Outcome::Repaired(repaired)) => Some(repaired.text),
        Ok(Outcome::Unsure(_)) => None,
        Err(_) => {
            eprintln!("PANIC on {} ({} {}), counted as refused", case.id, case.package, case.path);
            None
        }
    };
    Answer { text, ms }
}
