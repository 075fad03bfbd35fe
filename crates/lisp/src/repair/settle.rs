//! Where added closers are put, when the program leaves a choice.

use crate::repair::piece::{Kind, Piece};
use crate::repair::search::{Op, RawEdit};

/// Moves added closers to where a human would look for them, without changing
/// the program: behind closers of the same type that stand alone in the next
/// line, or into a line of blanks that a lost closer left behind. Where other lines
/// of blanks exist, they are a habit and no trace.
pub(super) fn settle(
    text: &str,
    pieces: &[Piece],
    allowed: Option<&[(usize, usize)]>,
    edits: &mut [RawEdit],
) {
    let may_insert = |at: usize| {
        allowed.is_none_or(|it| it.iter().any(|&(start, end)| start <= at && at <= end))
    };
    let n_blank_lines = text.split('\n').filter(|it| is_blank_line(it)).count();
    for idx in 0..edits.len() {
        let RawEdit { at, op: Op::Insert(closer) } = edits[idx] else { continue };
        let is_last_here = edits.get(idx + 1).is_none_or(|it| it.at > at);
        let next = pieces.partition_point(|it| it.start < at);
        let is_closer = next > 0 && pieces[next - 1].trails && pieces[next - 1].end == at;
        if !is_last_here || !is_closer {
            continue;
        }
        let run_end = pieces[next..]
            .iter()
            .take_while(|it| it.kind == Kind::Close && it.byte == closer)
            .count()
            + next;
        let moved = if run_end > next && pieces[next].leads {
            pieces[run_end - 1].end
        } else {
            let rest_end = pieces.get(next).map_or(text.len(), |it| it.form_start);
            match blank_line_end(text, at, rest_end) {
                Some(end) if n_blank_lines == 1 => end,
                _ => continue,
            }
        };
        let is_free = edits.get(idx + 1).is_none_or(|it| it.at > moved);
        if is_free && may_insert(moved) {
            edits[idx].at = moved;
        }
    }
}

/// Returns the end of the only line between two offsets that consists of blanks
/// and has some.
fn blank_line_end(text: &str, from: usize, to: usize) -> Option<usize> {
    let between = text.get(from..to)?;
    let mut at = from;
    let mut found = None;
    for (idx, line) in between.split('\n').enumerate() {
        let ends_in_text = at + line.len() < to || to == text.len();
        if idx > 0 && ends_in_text && is_blank_line(line) {
            if found.is_some() {
                return None;
            }
            found = Some(at + line.len());
        }
        at += line.len() + 1;
    }
    found
}

fn is_blank_line(line: &str) -> bool {
    !line.is_empty() && line.bytes().all(|it| it == b' ')
}
