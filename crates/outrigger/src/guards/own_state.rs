//! Refuses an agent's writes into our own state: the trust store and the
//! journal are worth something only while an agent cannot write them.

use crate::ctx::Ctx;
use crate::event::{Event, EventKind};
use crate::guards::Guard;
use crate::sys::paths;
use crate::verdict::Verdict;

pub(super) const GUARD: Guard = Guard { name: "own-state", wants, judge };

fn wants(kind: &EventKind) -> bool {
    matches!(kind, EventKind::BeforeTool(call) if !call.files.is_empty())
}

fn judge(event: &Event, ctx: &Ctx) -> Verdict {
    let Some(call) = event.kind.tool_call() else { return Verdict::pass() };
    let state = paths::canonical(&ctx.dirs.state);
    let inside = |path| paths::canonical(path).starts_with(&state);
    match call.files.iter().find(|it| inside(it.path())) {
        Some(op) => Verdict::refuse(format!(
            "`{}` is part of outrigger's own state, which agents may not write. \
             If this is wanted, ask the user to do it by hand.",
            op.path().display()
        )),
        None => Verdict::pass(),
    }
}
