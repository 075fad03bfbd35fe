//! Refuses to let an agent write a file that a human is editing, in whatever
//! editor, and says so to both.

use std::path::Path;

use crate::ctx::Ctx;
use crate::editors::{self, Instance, Question, Survey, Unsaved};
use crate::event::{Event, EventKind, ToolKind};
use crate::guards::Guard;
use crate::guards::targets::Targets;
use crate::told;
use crate::verdict::Verdict;

pub(super) const GUARD: Guard = Guard { name: "unsaved", wants, judge };

fn wants(kind: &EventKind) -> bool {
    matches!(kind, EventKind::BeforeTool(call)
        if !call.files.is_empty() || matches!(call.kind, ToolKind::Shell { .. }))
}

fn judge(event: &Event, ctx: &Ctx) -> Verdict {
    let targets = Targets::of(event, ctx);
    if targets.is_empty() {
        return Verdict::pass();
    }
    let reach = |file: &Path| targets.reach(file);
    let survey = editors::survey(&targets.files, &reach, &ctx.dirs, ctx.deadline);
    let verdict = match survey.unsaved.as_slice() {
        [] => Verdict::pass(),
        held => {
            tell_editors(event, held, ctx);
            Verdict::refuse(refusal(held)).tell_human(in_short(event, held))
        }
    };
    match unheard(event, &survey, ctx) {
        Some(note) => verdict.tell_human(note),
        None => verdict,
    }
}

fn refusal(held: &[Unsaved]) -> String {
    let files: Vec<String> = held
        .iter()
        .map(|it| format!("`{}` has unsaved changes in {}", it.path.display(), who(it)))
        .collect();
    format!(
        "{}. Nothing was written, so that no work of the user's is lost. Ask the user to save or \
         discard the changes in the editor, then read the file again and repeat the edit; \
         meanwhile work on other files. Do not write the file by other means.",
        files.join("; ")
    )
}

fn in_short(event: &Event, held: &[Unsaved]) -> String {
    let names: Vec<String> = held
        .iter()
        .map(|it| {
            let path = it.path.strip_prefix(&event.cwd).unwrap_or(&it.path);
            format!("{} (unsaved in {})", path.display(), who(it))
        })
        .collect();
    format!("outrigger kept the agent from writing {}", names.join(", "))
}

fn who(held: &Unsaved) -> String {
    match held.pid {
        Some(pid) => format!("{} (pid {pid})", held.editor),
        None => held.editor.to_owned(),
    }
}

/// Tells the human in every editor that holds a file.
fn tell_editors(event: &Event, held: &[Unsaved], ctx: &Ctx) {
    let mut files: Vec<&Path> = held.iter().map(|it| it.path.as_path()).collect();
    files.dedup();
    for file in files {
        let holders = held.iter().filter(|it| it.path == file);
        let instances: Vec<Instance> = holders.filter_map(|it| it.instance.clone()).collect();
        let name = file.strip_prefix(&event.cwd).unwrap_or(file);
        let message = format!(
            "outrigger: {} wants to write {}, which has unsaved changes here. \
             Save or discard them to let it go on.",
            event.agent_title,
            name.display()
        );
        let question = Question::Notify { file: file.to_path_buf(), message };
        editors::ask(instances, &question, ctx.deadline);
    }
}

/// Says once per session which editors could not be asked.
fn unheard(event: &Event, survey: &Survey, ctx: &Ctx) -> Option<String> {
    let new: Vec<String> = survey
        .unknown
        .iter()
        .filter(|(instance, _)| {
            let key = format!("unheard editor {:?} {}", instance.pid, instance.socket.display());
            told::is_first_time(event, &key, ctx)
        })
        .map(|(instance, unknown)| {
            let pid = instance.pid.map(|it| format!(" (pid {it})")).unwrap_or_default();
            format!("{}{pid} {}", instance.kind.name, unknown.reason())
        })
        .collect();
    (!new.is_empty()).then(|| {
        format!(
            "outrigger could not ask every editor about unsaved changes ({}); it went by swap files",
            new.join("; ")
        )
    })
}
