//! The edit an agent would have sent: which bytes of the earlier file were
//! replaced by which bytes of the broken one.

use std::ops::Range;

use super::damage::Edit;
use super::rng::Rng;

/// Returns the changed lines with up to two unchanged ones on either side.
///
/// The edit is widened until `fix` lies in it. Otherwise a tool that keeps to
/// the edited span, as a hook must, could not give the expected answer.
pub(crate) fn changed_lines(rng: &mut Rng, before: &str, broken: &str, fix: &Range<usize>) -> Edit {
    let old: Vec<&str> = before.split('\n').collect();
    let new: Vec<&str> = broken.split('\n').collect();
    let n_common = old.len().min(new.len());
    let n_ahead = (0..n_common).take_while(|it| old[*it] == new[*it]).count();
    let n_after = (0..n_common - n_ahead)
        .take_while(|it| old[old.len() - 1 - it] == new[new.len() - 1 - it])
        .count();
    // Of two equal texts there is no changed line to show.
    let n_ahead =
        n_ahead.min(n_common - 1).saturating_sub(rng.below(3)).min(line_at(broken, fix.start));
    let n_after = n_after
        .min(n_common - 1 - n_ahead)
        .saturating_sub(rng.below(3))
        .min(new.len() - 1 - line_at(broken, fix.end));
    Edit { old: span(&old, n_ahead, n_after), new: span(&new, n_ahead, n_after) }
}

/// Returns the smallest range of `from` outside which it equals `to`.
pub(crate) fn difference(from: &str, to: &str) -> Range<usize> {
    let (a, b) = (from.as_bytes(), to.as_bytes());
    let n_common = a.len().min(b.len());
    let mut start = (0..n_common).take_while(|it| a[*it] == b[*it]).count();
    while !from.is_char_boundary(start) {
        start -= 1;
    }
    let mut n_after =
        (0..n_common - start).take_while(|it| a[a.len() - 1 - it] == b[b.len() - 1 - it]).count();
    while !from.is_char_boundary(from.len() - n_after) {
        n_after -= 1;
    }
    start..from.len() - n_after
}

fn line_at(text: &str, pos: usize) -> usize {
    text[..pos].matches('\n').count()
}

/// Returns the bytes of the lines that are left without the outer ones; the line
/// break after the last of them is not among them.
fn span(lines: &[&str], n_ahead: usize, n_after: usize) -> Range<usize> {
    let len = |lines: &[&str]| lines.iter().map(|it| it.len() + 1).sum::<usize>();
    let start = len(&lines[..n_ahead]);
    start..start + len(&lines[n_ahead..lines.len() - n_after]).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edit_turns_before_into_broken_and_covers_the_fix() {
        let before = "a\nb\nc\nd\ne\nf\n";
        for (broken, expected) in [
            ("a\nb\nc x\nd\ne\nf\n", "a\nb\nc x)\nd\ne\nf\n"),
            ("a\nb\nd\ne\nf\n", "a\nb)\nd\ne\nf\n"),
            ("a\nb\nc\nd\ne\nf\nnew\n", "a\nb\nc\nd\ne\nf\nnew)\n"),
            ("new\na\nb\nc\nd\ne\nf\n", "new\na\nb\nc\nd\ne\nf)\n"),
        ] {
            for seed in 0..20 {
                let fix = difference(broken, expected);
                let edit = changed_lines(&mut Rng::new(seed, ""), before, broken, &fix);
                let edited = format!(
                    "{}{}{}",
                    &before[..edit.old.start],
                    &broken[edit.new.clone()],
                    &before[edit.old.end..]
                );
                assert_eq!(edited, broken);
                assert!(edit.new.start <= fix.start && fix.end <= edit.new.end, "{edit:?} {fix:?}");
            }
        }
    }

    #[test]
    fn the_difference_is_the_least() {
        assert_eq!(difference("(a (b)", "(a (b))"), 6..6);
        assert_eq!(difference("(a))", "(a)"), 3..4);
        assert_eq!(difference("é]", "è]"), 0..2);
    }
}
