//! Refuses an agent's writes into our own state: the trust store and the
//! journal are worth something only while an agent cannot write them.

use std::path::Path;

use crate::ctx::Ctx;
use crate::event::{Event, EventKind, ToolCall, ToolKind};
use crate::guards::Guard;
use crate::shell::{self, How, Place, Target};
use crate::sys::paths;
use crate::verdict::Verdict;

pub(super) const GUARD: Guard = Guard { name: "own-state", wants, judge };

fn wants(kind: &EventKind) -> bool {
    matches!(kind, EventKind::BeforeTool(call)
        if !call.files.is_empty() || matches!(call.kind, ToolKind::Shell { .. }))
}

fn judge(event: &Event, ctx: &Ctx) -> Verdict {
    let Some(call) = event.kind.tool_call() else { return Verdict::pass() };
    let state = paths::canonical(&ctx.dirs.state);
    match written_file(call, &state).or_else(|| written_by_command(event, call, ctx, &state)) {
        Some(what) => Verdict::refuse(format!(
            "{what} outrigger's own state, which agents may not write. \
             If this is wanted, ask the user to do it by hand."
        )),
        None => Verdict::pass(),
    }
}

fn written_file(call: &ToolCall, state: &Path) -> Option<String> {
    let inside = |path| paths::canonical(path).starts_with(state);
    let op = call.files.iter().find(|it| inside(it.path()))?;
    Some(format!("`{}` is part of", op.path().display()))
}

fn written_by_command(event: &Event, call: &ToolCall, ctx: &Ctx, state: &Path) -> Option<String> {
    let ToolKind::Shell { command } = &call.kind else { return None };
    let writes = shell::writes(command, &event.cwd, &ctx.dirs.home);
    let target = writes.targets.into_iter().find(|it| reaches(it, state))?;
    Some(format!("The command {} `{}`, which reaches into", target.how.verb(), target.place))
}

/// Returns whether a target lies in our state, or takes it away.
fn reaches(target: &Target, state: &Path) -> bool {
    let place = target.place.clone().map_paths(paths::canonical);
    if place.paths().iter().any(|it| it.starts_with(state)) {
        return true;
    }
    // A project may lie above our state, so what git or an archive may write
    // there says nothing; what is removed or moved away with all its content does.
    let takes_away = matches!(target.how, How::Delete | How::Move);
    let is_whole = matches!(place, Place::Tree(_) | Place::Glob(_));
    takes_away && is_whole && place.covers(state)
}
