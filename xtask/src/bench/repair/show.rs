//! Prints a wrong answer so that a developer sees what went wrong.

use super::cases::Case;

/// At most this many lines of a difference are printed.
const MAX_LINES: usize = 60;
const N_CONTEXT: usize = 2;
/// Above this many pairs of lines, a difference is shown as one block.
const MAX_PAIRS: usize = 4_000_000;

/// Returns the damage and the wrong repair, each as a line difference.
pub(crate) fn wrong_answer(tool: &str, case: &Case, text: &str) -> String {
    format!(
        "=== {tool}: {} ({}; {}; before: {})\n{} {}\n--- wanted repair (broken -> expected)\n{}\
         --- what is wrong (expected -> answer)\n{}",
        case.id,
        case.kind.what,
        case.variant,
        case.before_kind,
        case.package,
        case.path,
        difference(&case.broken, &case.expected),
        difference(&case.expected, text)
    )
}

/// Returns the lines that differ, marked `-` and `+`, with some around them.
fn difference(left: &str, right: &str) -> String {
    let left: Vec<&str> = left.split('\n').collect();
    let right: Vec<&str> = right.split('\n').collect();
    let n_common = left.len().min(right.len());
    let n_ahead = (0..n_common).take_while(|it| left[*it] == right[*it]).count();
    let n_after = (0..n_common - n_ahead)
        .take_while(|it| left[left.len() - 1 - it] == right[right.len() - 1 - it])
        .count();
    let start = n_ahead.saturating_sub(N_CONTEXT);
    let left_end = (left.len() - n_after + N_CONTEXT).min(left.len());
    let right_end = (right.len() - n_after + N_CONTEXT).min(right.len());
    let lines = align(&left[start..left_end], &right[start..right_end]);
    let near = |idx: usize| {
        let around = idx.saturating_sub(N_CONTEXT)..(idx + N_CONTEXT + 1).min(lines.len());
        lines[around].iter().any(|it| it.0 != ' ')
    };
    let mut out = String::new();
    let shown: Vec<usize> = (0..lines.len()).filter(|it| near(*it)).collect();
    let mut last = None;
    for idx in shown.iter().take(MAX_LINES) {
        if last.is_some_and(|it| it + 1 != *idx) {
            out.push_str("      …\n");
        }
        let (mark, number, line) = lines[*idx];
        out.push_str(&format!("{:5} {mark}{line}\n", start + number + 1));
        last = Some(*idx);
    }
    if shown.len() > MAX_LINES {
        out.push_str(&format!("      … {} more lines\n", shown.len() - MAX_LINES));
    }
    out
}

/// Aligns two lists of lines by their longest common subsequence; the number is
/// that of the line on its own side.
fn align<'a>(left: &[&'a str], right: &[&'a str]) -> Vec<(char, usize, &'a str)> {
    let width = right.len() + 1;
    let too_much = left.len().saturating_mul(right.len()) > MAX_PAIRS;
    let mut common = vec![0_u32; if too_much { 0 } else { (left.len() + 1) * width }];
    if !too_much {
        for i in (0..left.len()).rev() {
            for j in (0..right.len()).rev() {
                common[i * width + j] = if left[i] == right[j] {
                    common[(i + 1) * width + j + 1] + 1
                } else {
                    common[(i + 1) * width + j].max(common[i * width + j + 1])
                };
            }
        }
    }
    let mut lines = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        let both = i < left.len() && j < right.len();
        if both && !too_much && left[i] == right[j] {
            lines.push((' ', i, left[i]));
            i += 1;
            j += 1;
        } else if i < left.len()
            && (!both || too_much || common[(i + 1) * width + j] >= common[i * width + j + 1])
        {
            lines.push(('-', i, left[i]));
            i += 1;
        } else {
            lines.push(('+', j, right[j]));
            j += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_lines_and_their_neighbours_are_shown() {
        let found = difference("a\nb\nc\nd\ne\nf\ng", "a\nb\nc\nX\ne\nf\ng");
        assert_eq!(found, "    2  b\n    3  c\n    4 -d\n    4 +X\n    5  e\n    6  f\n");
    }

    #[test]
    fn far_changes_are_two_pieces() {
        let left: Vec<String> = (0..20).map(|it| it.to_string()).collect();
        let mut right = left.clone();
        right[2].push('!');
        right.remove(15);
        let found = difference(&left.join("\n"), &right.join("\n"));
        let marks: Vec<&str> = found.lines().filter(|it| it.contains(['-', '+', '…'])).collect();
        assert_eq!(marks, ["    3 -2", "    3 +2!", "      …", "   16 -15"]);
    }
}
