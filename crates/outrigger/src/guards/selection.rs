//! Lets what a human has selected in the editor ride along with the prompt, once.

use crate::ctx::Ctx;
use crate::editors::{self, Answer, Question, Selection};
use crate::event::{Event, EventKind};
use crate::guards::Guard;
use crate::told;
use crate::verdict::Verdict;

pub(super) const GUARD: Guard = Guard { name: "selection", wants, judge };

/// A prompt is not the place for a whole file.
const MAX_CHARS: usize = 6_000;

fn wants(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Prompt { synthetic: false, .. })
}

fn judge(event: &Event, ctx: &Ctx) -> Verdict {
    let mut verdict = Verdict::pass();
    for reply in editors::ask(editors::instances(&ctx.dirs), &Question::Selection, ctx.deadline) {
        let Ok(Answer::Selections(selections)) = reply.said else { continue };
        for selection in selections.iter().filter(|it| !it.text.is_empty()) {
            let key = format!("selection {selection:?}");
            if told::is_first_time(event, &key, ctx) {
                verdict = verdict.tell_model(words(event, selection));
            }
        }
    }
    verdict
}

fn words(event: &Event, selection: &Selection) -> String {
    let path = selection.path.strip_prefix(&event.cwd).unwrap_or(&selection.path).display();
    let (first, last) = (selection.first_line, selection.last_line);
    let lines = if first == last { format!("{first}") } else { format!("{first}-{last}") };
    let n_chars = selection.text.chars().count();
    let mut text: String = selection.text.chars().take(MAX_CHARS).collect();
    if n_chars > MAX_CHARS {
        text.push_str(&format!("\n… [{n_chars} characters in all]"));
    }
    let fence = fence_for(&text);
    format!("[Selected from {path}:{lines}]\n{fence}\n{text}\n{fence}")
}

/// Returns a fence that the text itself does not contain.
fn fence_for(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    fence
}
