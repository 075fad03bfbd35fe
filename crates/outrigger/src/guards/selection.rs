//! Lets what a human has selected in the editor ride along with the prompt, once.

use std::path::{Path, PathBuf};

use crate::ctx::Ctx;
use crate::editors::{self, Answer, Question, Selection};
use crate::event::{Event, EventKind};
use crate::guards::Guard;
use crate::sys::paths;
use crate::told;
use crate::verdict::Verdict;

pub(super) const GUARD: Guard = Guard { name: "selection", wants, judge };

/// A prompt is not the place for a whole file.
const MAX_CHARS: usize = 6_000;

fn wants(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Prompt { synthetic: false, .. } | EventKind::SessionStarted)
}

fn judge(event: &Event, ctx: &Ctx) -> Verdict {
    let mut verdict = Verdict::pass();
    let instances = editors::instances(&ctx.dirs);
    if event.kind == EventKind::SessionStarted {
        editors::ask(instances, &Question::Watch, ctx.deadline);
        return verdict;
    }
    let project = project_of(&event.cwd);
    for reply in editors::ask(instances, &Question::Selection, ctx.deadline) {
        let Ok(Answer::Selections(selections)) = reply.said else { continue };
        let is_meant = |it: &&Selection| !it.text.is_empty() && it.path.starts_with(&project);
        for selection in selections.iter().filter(is_meant) {
            let key = format!("selection {selection:?}");
            if told::is_first_time(event, &key, ctx) {
                verdict = verdict.tell_model(words(event, selection));
            }
        }
    }
    verdict
}

/// Returns the project that an agent works in: what is selected in an editor of
/// another one is none of its business.
fn project_of(cwd: &Path) -> PathBuf {
    let cwd = paths::canonical(cwd);
    let root = cwd.ancestors().find(|it| it.join(".git").exists());
    root.unwrap_or(&cwd).to_path_buf()
}

fn words(event: &Event, selection: &Selection) -> String {
    let path = selection.path.strip_prefix(&event.cwd).unwrap_or(&selection.path).display();
    let (first, last) = (selection.first_line, selection.last_line);
    let lines = if first == last { format!("{first}") } else { format!("{first}-{last}") };
    let mut text: String = selection.text.chars().take(MAX_CHARS).collect();
    if text.len() < selection.text.len() {
        text.push_str(&format!(
            "\n… [cut after {MAX_CHARS} characters; it goes on to line {last}]"
        ));
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
