//! What the delimiter guard says, to the model and to the human.

use std::path::Path;

use lisp::repair::{Edit, Unsure};
use lisp::tree::Problem;

/// Enough to see what was done; a repair of more places is rare.
const MAX_LISTED: usize = 12;

/// Tells the model what was mended.
pub(super) fn mended(path: &Path, edits: &[Edit]) -> String {
    format!(
        "outrigger mended the brackets of `{}` before they were written:\n{}\n\
         The file holds the mended text; use that in later edits.",
        path.display(),
        listed(edits)
    )
}

/// Tells the model what was mended in a file that was already written.
pub(super) fn mended_on_disk(path: &Path, edits: &[Edit]) -> String {
    format!(
        "outrigger mended the brackets of `{}` after it was written:\n{}\n\
         Read the file again before you edit these lines.",
        path.display(),
        listed(edits)
    )
}

/// Tells the human the same in one line.
pub(super) fn mended_in_short(path: &Path, edits: &[Edit]) -> String {
    let mut lines: Vec<String> = edits.iter().map(|it| it.line.to_string()).collect();
    lines.dedup();
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    format!("outrigger mended brackets in {} ({noun} {})", name(path), lines.join(", "))
}

/// Refuses an edit that cannot be mended for sure.
pub(super) fn refused(path: &Path, text: &str, unsure: &Unsure) -> String {
    format!(
        "outrigger refused this edit: the brackets of `{}` would not balance.\n{}\n\
         Send the edit again with the brackets right. If it is one step of several that only \
         together balance, send exactly the same edit once more: it is then let through, and \
         the file is checked when you stop.",
        path.display(),
        diagnosis(path, text, unsure)
    )
}

/// Refuses an edit of which nothing is left once its brackets are mended; the
/// tool would refuse it too, with less to go on.
pub(super) fn nothing_left(path: &Path, edits: &[Edit]) -> String {
    format!(
        "outrigger refused this edit: it changes nothing in `{}` but a bracket that does not \
         belong there:\n{}\nThe file balances as it is; nothing needs to be written.",
        path.display(),
        listed(edits)
    )
}

/// Says what is wrong, where, why it was not mended, and what might have been meant.
pub(super) fn diagnosis(path: &Path, text: &str, unsure: &Unsure) -> String {
    let mut out = format!("{}\n{}", placed(path, &unsure.problem), snippet(text, &unsure.problem));
    out.push_str(&format!("Not mended, because {}.\n", unsure.why));
    for (idx, candidate) in unsure.candidates.iter().take(3).enumerate() {
        let edits: Vec<String> = candidate.edits.iter().map(ToString::to_string).collect();
        out.push_str(&format!("Possible repair {}: {}\n", idx + 1, edits.join("; ")));
    }
    out.trim_end().to_owned()
}

/// Says that a file is let through although it is not balanced.
pub(super) fn still_open(path: &Path, text: &str, problem: &Problem) -> String {
    format!(
        "outrigger let this step through; `{}` does not balance yet:\n{}\n{}\
         It is not evaluated until it does, and it is checked when you stop.",
        path.display(),
        placed(path, problem),
        snippet(text, problem)
    )
}

/// Says that a file was not balanced to begin with.
pub(super) fn unbalanced_before(path: &Path, text: &str, problem: &Problem) -> String {
    format!(
        "`{}` was not balanced before this edit, so outrigger left the edit alone:\n{}\n{}",
        path.display(),
        placed(path, problem),
        snippet(text, problem)
    )
}

fn listed(edits: &[Edit]) -> String {
    let mut lines: Vec<String> =
        edits.iter().take(MAX_LISTED).map(|it| format!("- {it}")).collect();
    if edits.len() > MAX_LISTED {
        lines.push(format!("- … and {} more", edits.len() - MAX_LISTED));
    }
    lines.join("\n")
}

fn placed(path: &Path, problem: &Problem) -> String {
    format!("{}:{}:{}: {problem}", name(path), problem.line, problem.column)
}

/// Shows the lines in question: where the bracket was opened and where it shows.
fn snippet(text: &str, problem: &Problem) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut numbers = Vec::new();
    for at in [problem.opened_at.map(|it| it.line), Some(problem.line)].into_iter().flatten() {
        numbers.extend(at.saturating_sub(1).max(1)..=at + 1);
    }
    numbers.sort_unstable();
    numbers.dedup();
    let shown = |number: &usize| {
        let line = lines.get(number - 1)?;
        let cut: String = line.chars().take(160).collect();
        Some(format!("{number:>6} | {cut}\n"))
    };
    numbers.iter().filter_map(shown).collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
