//! Shows a human's editors what an agent has just written. A buffer that was
//! changed in the meantime is never reloaded; its human is told instead.

use std::path::PathBuf;

use crate::ctx::Ctx;
use crate::editors::{self, Answer, Question};
use crate::event::{Event, EventKind};
use crate::guards::Guard;
use crate::sys::paths;
use crate::verdict::Verdict;

pub(super) const GUARD: Guard = Guard { name: "refresh", wants, judge };

fn wants(kind: &EventKind) -> bool {
    matches!(kind, EventKind::AfterTool(call, _) if !call.files.is_empty())
}

fn judge(event: &Event, ctx: &Ctx) -> Verdict {
    let Some(call) = event.kind.tool_call() else { return Verdict::pass() };
    let files: Vec<PathBuf> = call.files.iter().map(|it| paths::canonical(it.path())).collect();
    let question = Question::Reload { files: files.clone() };
    let mut verdict = Verdict::pass();
    // Asked once: an editor that does not answer is waited for once.
    for reply in editors::ask(editors::instances(&ctx.dirs), &question, ctx.deadline) {
        let Ok(Answer::Unsaved(buffers)) = reply.said else { continue };
        for buffer in buffers.iter().filter(|it| files.contains(&it.path)) {
            let name = buffer.path.strip_prefix(&event.cwd).unwrap_or(&buffer.path).display();
            let agent = event.agent_title;
            let message = format!(
                "outrigger: {agent} has written {name} while it has unsaved changes here. \
                 The file on disk is not what you see; compare before you save."
            );
            let question = Question::Notify { file: buffer.path.clone(), message };
            editors::ask(vec![reply.instance.clone()], &question, ctx.deadline);
            let editor = reply.instance.kind.name;
            let path = buffer.path.display();
            let told = format!("`{path}` was written while it has unsaved changes in {editor}");
            verdict = verdict
                .tell_model(format!("{told}. Tell the user, and leave the file alone for now."))
                .tell_human(format!("outrigger: {told}"));
        }
    }
    verdict
}
