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
/// and has some. A line right before other code separates forms and is no trace.
fn blank_line_end(text: &str, from: usize, to: usize) -> Option<usize> {
    let between = text.get(from..to)?;
    let lines: Vec<&str> = between.split('\n').collect();
    let mut found = lines.iter().enumerate().skip(1).filter(|(_, line)| is_blank_line(line));
    let (idx, line) = found.next()?;
    // What stands behind the last line end is the start of other code, except at
    // the end of the text.
    let is_last = idx + 2 >= lines.len();
    let stands_alone =
        lines.get(idx + 1).is_some_and(|it| it.is_empty()) && (!is_last || to == text.len());
    if found.next().is_some() || !stands_alone {
        return None;
    }
    let before: usize = lines[..idx].iter().map(|it| it.len() + 1).sum();
    Some(from + before + line.len())
}

fn is_blank_line(line: &str) -> bool {
    !line.is_empty() && line.bytes().all(|it| it == b' ')
}
