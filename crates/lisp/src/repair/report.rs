//! Edits and candidates in words, for the agent that has to act on them.

use std::fmt;

use crate::position::positions;
use crate::repair::search::{Op, RawEdit};
use crate::repair::{Candidate, Change, Edit};

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.change {
            Change::Insert(added) => write!(f, "added `{added}`")?,
            Change::Delete(removed) => write!(f, "removed `{removed}`")?,
            Change::Replace { from, to } => write!(f, "replaced `{from}` by `{to}`")?,
        }
        match self.after.is_empty() {
            true => f.write_str(" at the start of the line"),
            false => write!(f, " after `{}`", self.after),
        }
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, edit) in self.edits.iter().enumerate() {
            let separator = if idx == 0 { "" } else { "; " };
            write!(f, "{separator}{edit}")?;
        }
        Ok(())
    }
}

/// Returns the text after the edits, which are in its order.
pub(super) fn apply(text: &str, edits: &[RawEdit]) -> String {
    let mut result = String::with_capacity(text.len() + edits.len());
    let mut from = 0;
    for edit in edits {
        result.push_str(text.get(from..edit.at).unwrap_or(""));
        from = edit.at;
        match edit.op {
            Op::Insert(byte) => result.push(char::from(byte)),
            Op::Delete => from += 1,
            Op::Replace(byte) => {
                result.push(char::from(byte));
                from += 1;
            }
        }
    }
    result.push_str(text.get(from..).unwrap_or(""));
    result
}

/// Returns the edits in words, neighbours joined.
pub(super) fn edits(text: &str, raw: &[RawEdit]) -> Vec<Edit> {
    let offsets: Vec<usize> = raw.iter().map(|it| it.at).collect();
    let mut edits: Vec<Edit> = Vec::new();
    for (edit, place) in raw.iter().zip(positions(text, &offsets)) {
        let here = text.get(edit.at..edit.at + 1).unwrap_or("").to_owned();
        let change = match edit.op {
            Op::Insert(byte) => Change::Insert(char::from(byte).to_string()),
            Op::Delete => Change::Delete(here),
            Op::Replace(byte) => Change::Replace { from: here, to: char::from(byte).to_string() },
        };
        if let Some(last) = edits.last_mut()
            && join(last, edit.at, &change)
        {
            continue;
        }
        edits.push(Edit {
            offset: edit.at,
            line: place.line,
            column: place.column,
            change,
            after: code_before(text, edit.at),
        });
    }
    edits
}

/// Joins a change with the one just before it, if they are neighbours of a kind.
fn join(last: &mut Edit, at: usize, change: &Change) -> bool {
    match (&mut last.change, change) {
        (Change::Insert(all), Change::Insert(more)) if last.offset == at => all.push_str(more),
        (Change::Delete(all), Change::Delete(more)) if last.offset + all.len() == at => {
            all.push_str(more)
        }
        (Change::Replace { from, to }, Change::Replace { from: more_from, to: more_to })
            if last.offset + from.len() == at =>
        {
            from.push_str(more_from);
            to.push_str(more_to);
        }
        _ => return false,
    }
    true
}

/// Returns the end of the line before an offset: enough to find the place.
fn code_before(text: &str, at: usize) -> String {
    const MAX_CHARS: usize = 24;
    let before = text.get(..at).unwrap_or("");
    let line = before.rsplit('\n').next().unwrap_or("").trim_start();
    match line.char_indices().rev().nth(MAX_CHARS - 1) {
        Some((start, _)) if start > 0 => format!("…{}", &line[start..]),
        _ => line.to_owned(),
    }
}
