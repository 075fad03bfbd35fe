//! Takes our edits out of a text that somebody has changed since, so that the
//! rest of it stays to the byte. Pure.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use crate::install::jsonc::{Edit, apply};

/// Returns `current` without the edits that once turned `original` into another
/// text, or `None` when what we wrote was itself changed.
pub(crate) fn reverse(original: &str, edits: &[Edit], current: &str) -> Option<String> {
    let written = apply(original, edits)?;
    // A settings file is a few kilobytes; this bounds the odd one that is not.
    let deadline = Instant::now() + Duration::from_secs(2);
    let same = capture_diff_slices_deadline(
        Algorithm::Myers,
        written.as_bytes(),
        current.as_bytes(),
        Some(deadline),
    );
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|it| (it.start, it.end));
    let mut back = Vec::new();
    let (mut n_added, mut n_taken) = (0, 0);
    for edit in edits {
        let start = edit.start + n_added - n_taken;
        let start = place_in_current(&same, start, edit.text.len())?;
        let old = original.get(edit.start..edit.end)?;
        back.push(Edit { start, end: start + edit.text.len(), text: old.to_owned() });
        n_added += edit.text.len();
        n_taken += edit.end - edit.start;
    }
    apply(current, &back)
}

/// Returns where a span of what we wrote stands now, if nothing in it changed.
fn place_in_current(same: &[DiffOp], start: usize, len: usize) -> Option<usize> {
    same.iter().find_map(|op| match *op {
        DiffOp::Equal { old_index, new_index, len: n_same } => {
            let is_inside = old_index <= start && start + len <= old_index + n_same;
            is_inside.then(|| new_index + start - old_index)
        }
        DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(at: usize, text: &str) -> Edit {
        Edit { start: at, end: at, text: text.to_owned() }
    }

    #[track_caller]
    fn check(original: &str, edits: &[Edit], current: &str, expected: Option<&str>) {
        assert_eq!(reverse(original, edits, current).as_deref(), expected);
    }

    #[test]
    fn what_the_user_changed_stays() {
        let edits = [insert(2, ","), insert(3, "\nours")];
        check("{a }", &edits, "{a, \nours}", Some("{a }"));
        check("{a }", &edits, "{b, c, a, \nours}", Some("{b, c, a }"));
        check("{a }", &edits, "{a, \nours\n} // é", Some("{a \n} // é"));
        check("{a }", &edits, "{a, \noUrs}", None);
    }

    #[test]
    fn what_was_taken_out_comes_back() {
        let edits = [Edit { start: 1, end: 2, text: String::new() }];
        check("[abc]", &edits, "[bcd]", Some("[abcd]"));
        let edits = [Edit { start: 1, end: 2, text: "xyz".to_owned() }];
        check("[abc]", &edits, "[xyzbc, new]", Some("[abc, new]"));
    }
}
