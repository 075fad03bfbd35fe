//! A file as it will be once a tool has written it, and the way back: a repair
//! of that file turned into a change of the tool's own input.

use std::ops::Range;

use lisp::repair::{Change, Edit};

use crate::event::{FileOp, Replacement};

/// A file as it will be.
#[derive(Debug, PartialEq)]
pub(super) struct Future {
    /// The file before, with the line ends the tool works on.
    pub(super) before: Option<String>,
    /// The file after.
    pub(super) after: String,
    /// Where in `after` the tool's own text stands. Empty: everywhere.
    spans: Vec<Span>,
}

/// Where the new text of one replacement ended up.
#[derive(Debug, PartialEq)]
struct Span {
    range: Range<usize>,
    edit_idx: usize,
    /// A later replacement changed part of it, so it is no longer that text.
    is_cut: bool,
}

/// Returns the file as `op` will leave it, or `None` where that cannot be
/// foretold: the tool will refuse, or works in ways of its own.
pub(super) fn future(op: &FileOp, on_disk: Option<&str>) -> Option<Future> {
    match op {
        FileOp::Write { content, .. } => Some(Future {
            before: on_disk.map(str::to_owned),
            after: content.clone(),
            spans: Vec::new(),
        }),
        FileOp::Replace { edits, .. } => {
            let before = on_disk.unwrap_or_default();
            // Claude Code looks for the old text in a file whose line ends it
            // has made plain, and puts them back afterwards.
            replaced(before, edits).or_else(|| {
                before.contains("\r\n").then(|| replaced(&before.replace("\r\n", "\n"), edits))?
            })
        }
        FileOp::Opaque { .. } => None,
    }
}

/// Tells whether a tool would find nothing to do.
pub(super) fn changes_nothing(op: &FileOp) -> bool {
    matches!(op, FileOp::Replace { edits, .. } if edits.iter().all(|it| it.old == it.new))
}

impl Future {
    /// Returns where the tool's own text stands, for the repairer.
    pub(super) fn spans(&self) -> Option<Vec<Range<usize>>> {
        let ranges: Vec<Range<usize>> = self.spans.iter().map(|it| it.range.clone()).collect();
        (!ranges.is_empty()).then_some(ranges)
    }

    /// Returns `op` changed so that the file comes out with these repairs, or
    /// `None` when no change of its input has that effect.
    pub(super) fn repaired_op(&self, op: &FileOp, text: &str, repairs: &[Edit]) -> Option<FileOp> {
        match op {
            FileOp::Write { path, .. } => {
                Some(FileOp::Write { path: path.clone(), content: text.to_owned() })
            }
            FileOp::Replace { path, edits } => {
                let edits = self.repaired_edits(edits, repairs)?;
                Some(FileOp::Replace { path: path.clone(), edits })
            }
            FileOp::Opaque { .. } => None,
        }
    }

    fn repaired_edits(&self, edits: &[Replacement], repairs: &[Edit]) -> Option<Vec<Replacement>> {
        // The repairs inside each span, by their place in the new text.
        let mut inside: Vec<Vec<(usize, &Change)>> = vec![Vec::new(); self.spans.len()];
        for repair in repairs {
            let holds = |it: &Span| {
                !it.is_cut && it.range.start <= repair.offset && repair.offset <= it.range.end
            };
            let idx = self.spans.iter().position(holds)?;
            inside[idx].push((repair.offset - self.spans[idx].range.start, &repair.change));
        }
        let mut out = edits.to_vec();
        for (edit_idx, edit) in out.iter_mut().enumerate() {
            let mut changes = (0..self.spans.len())
                .filter(|span_idx| self.spans[*span_idx].edit_idx == edit_idx)
                .map(|span_idx| &inside[span_idx]);
            let Some(first) = changes.next() else { continue };
            // With `replace_all` one text stands in many places; it can only be
            // changed if all of them want the same.
            if !changes.all(|it| it == first) {
                return None;
            }
            edit.new = changed(&edit.new, first)?;
        }
        Some(out)
    }
}

/// Makes the replacements one after the other, as the tool does.
fn replaced(before: &str, edits: &[Replacement]) -> Option<Future> {
    let mut future =
        Future { before: Some(before.to_owned()), after: before.to_owned(), spans: Vec::new() };
    for (edit_idx, edit) in edits.iter().enumerate() {
        for start in places(&future.after, edit)?.into_iter().rev() {
            let end = start + edit.old.len();
            future.after.replace_range(start..end, &edit.new);
            let shift = |at: usize| at - edit.old.len() + edit.new.len();
            for span in &mut future.spans {
                if span.range.start >= end {
                    span.range = shift(span.range.start)..shift(span.range.end);
                } else if span.range.end > start {
                    let new_end = start + edit.new.len();
                    span.is_cut = true;
                    span.range = span.range.start.min(start)..if span.range.end >= end {
                        shift(span.range.end)
                    } else {
                        new_end
                    };
                }
            }
            future.spans.push(Span {
                range: start..start + edit.new.len(),
                edit_idx,
                is_cut: false,
            });
        }
    }
    future.spans.sort_by_key(|it| (it.range.start, it.range.end));
    Some(future)
}

/// Returns where the old text stands, or `None` if the tool will not find it,
/// or find it too often.
fn places(text: &str, edit: &Replacement) -> Option<Vec<usize>> {
    if edit.old.is_empty() {
        return text.is_empty().then(|| vec![0]);
    }
    let found: Vec<usize> = text.match_indices(&edit.old).map(|it| it.0).collect();
    match found.len() {
        0 => None,
        1 => Some(found),
        _ => edit.all.then_some(found),
    }
}

/// Returns `text` with the changes made, which are in the order of the text.
fn changed(text: &str, changes: &[(usize, &Change)]) -> Option<String> {
    let mut out = text.to_owned();
    for (at, change) in changes.iter().rev() {
        let (from, to) = match change {
            Change::Insert(to) => ("", to.as_str()),
            Change::Delete(from) => (from.as_str(), ""),
            Change::Replace { from, to } => (from.as_str(), to.as_str()),
        };
        // The place is the repairer's word against the tool's text.
        if out.get(*at..*at + from.len()) != Some(from) {
            return None;
        }
        out.replace_range(*at..*at + from.len(), to);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn edit(old: &str, new: &str, all: bool) -> Replacement {
        Replacement { old: old.to_owned(), new: new.to_owned(), all }
    }

    fn replace(edits: &[Replacement]) -> FileOp {
        FileOp::Replace { path: PathBuf::from("/a.clj"), edits: edits.to_vec() }
    }

    fn insert(offset: usize, text: &str) -> Edit {
        let change = Change::Insert(text.to_owned());
        Edit { offset, line: 1, column: 1, change, after: String::new() }
    }

    #[track_caller]
    fn check(before: &str, edits: &[Replacement], after: Option<&str>) {
        let future = future(&replace(edits), Some(before));
        assert_eq!(future.map(|it| it.after), after.map(str::to_owned));
    }

    #[test]
    fn edits_are_made_as_the_tool_makes_them() {
        check("a b a", &[edit("b", "c", false)], Some("a c a"));
        check("a b a", &[edit("a", "c", false)], None);
        check("a b a", &[edit("a", "cc", true)], Some("cc b cc"));
        check("a b a", &[edit("x", "c", false)], None);
        check("", &[edit("", "new", false)], Some("new"));
        check("old", &[edit("", "new", false)], None);
        check("a b", &[edit("a", "b c", false), edit("b c", "d", false)], Some("d b"));
        check("a\r\nb\r\n", &[edit("a\nb", "c\nd", false)], Some("c\nd\n"));
    }

    #[test]
    fn a_repair_goes_into_the_new_text_it_lies_in() {
        let op = replace(&[edit("b", "(b", false), edit("a", "aa", false)]);
        let future = future(&op, Some("a b c")).unwrap();
        assert_eq!(future.after, "aa (b c");
        let repaired = future.repaired_op(&op, "aa (b) c", &[insert(5, ")")]);
        assert_eq!(repaired, Some(replace(&[edit("b", "(b)", false), edit("a", "aa", false)])));
        assert_eq!(future.repaired_op(&op, "", &[insert(7, ")")]), None, "outside of the edit");
    }

    #[test]
    fn a_text_in_many_places_is_changed_only_if_all_agree() {
        let op = replace(&[edit("b", "(b", true)]);
        let future = future(&op, Some("b b")).unwrap();
        assert_eq!(future.after, "(b (b");
        let both = future.repaired_op(&op, "", &[insert(2, ")"), insert(5, ")")]);
        assert_eq!(both, Some(replace(&[edit("b", "(b)", true)])));
        assert_eq!(future.repaired_op(&op, "", &[insert(5, "))")]), None);
    }

    #[test]
    fn a_text_that_a_later_edit_changed_is_not_rewritten() {
        let op = replace(&[edit("a", "(x y", false), edit("y", "z", false)]);
        let future = future(&op, Some("a")).unwrap();
        assert_eq!(future.after, "(x z");
        let repaired = future.repaired_op(&op, "", &[insert(4, ")")]);
        let expected = replace(&[edit("a", "(x y", false), edit("y", "z)", false)]);
        assert_eq!(repaired, Some(expected), "the later text still is");
        assert_eq!(future.repaired_op(&op, "", &[insert(2, ")")]), None);
    }
}
