//! One hook call from bytes to bytes: parse, ask the guards, render.
//!
//! A hook can never make things worse: whatever cannot be understood and
//! whatever goes wrong inside is a pass, with one line that says so.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use serde_json::{Value, json};

use crate::agents::{Agent, Call};
use crate::ctx::Ctx;
use crate::event::{Event, EventKind, FileOp};
use crate::guards::{GUARDS, Guard};
use crate::verdict::{Decision, Verdict};
use crate::{heartbeat, once, session};

/// What a hook prints. Its exit code is always 0.
#[derive(Debug, Default, PartialEq)]
pub struct Reply {
    /// The agent's JSON, or nothing.
    pub stdout: String,
    /// One line for each thing that went wrong, or nothing.
    pub stderr: String,
}

/// Answers one hook call.
pub fn respond(agent: &Agent, event: Option<&str>, payload: &[u8], ctx: &Ctx) -> Reply {
    respond_with(GUARDS, agent, event, payload, ctx)
}

fn respond_with(
    guards: &[Guard],
    agent: &Agent,
    event: Option<&str>,
    payload: &[u8],
    ctx: &Ctx,
) -> Reply {
    let started = Instant::now();
    let mut reply = Reply::default();
    let (value, is_faithful) = match read_payload(payload) {
        Ok(value) => (value, true),
        Err(error) => {
            reply.complain(&format!("the payload could not be read ({error})"));
            match read_loosely(payload) {
                Some(value) => (value, false),
                None => return reply,
            }
        }
    };
    let call = Call { event, payload: &value, home: &ctx.dirs.home };
    let mut event = match (agent.parse)(&call) {
        Ok(event) => event,
        Err(error) => {
            reply.complain(&format!("the {} payload was not understood: {error}", agent.title));
            return reply;
        }
    };
    if !is_faithful {
        forget_texts(&mut event);
    }
    heartbeat::beat(&ctx.dirs, agent.name, event.kind.name());
    if event.kind == EventKind::Other {
        return reply;
    }
    let is_end = event.kind == EventKind::SessionEnded;
    if !once::is_ours(&event, payload, ctx) {
        if is_end {
            session::end(&event.session, ctx);
        }
        return reply;
    }
    if event.kind == EventKind::SessionStarted {
        session::sweep(ctx);
    }
    let verdict = judge(guards, &mut event, ctx, &mut reply);
    // Whoever is asked last about the end cleans up.
    if is_end && !once::has_plugin(&event, ctx) {
        session::end(&event.session, ctx);
    }
    if let Some(answer) = (agent.render)(&call, &event, &verdict) {
        reply.stdout = answer.to_string();
    }
    if let Some(path) = &ctx.log {
        let line = log_line(&event, &verdict, started);
        if let Err(error) = crate::sys::fs::append_line(path, &line) {
            reply.complain(&format!("failed to write the log `{}`: {error}", path.display()));
        }
    }
    reply
}

/// Asks the guards in order.
fn judge(guards: &[Guard], event: &mut Event, ctx: &Ctx, reply: &mut Reply) -> Verdict {
    let mut verdict = Verdict::pass();
    for guard in guards {
        if !(guard.wants)(&event.kind) {
            continue;
        }
        match catch_unwind(AssertUnwindSafe(|| (guard.judge)(event, ctx))) {
            Ok(said) => {
                if let (EventKind::BeforeTool(call), Some(files)) = (&mut event.kind, &said.rewrite)
                {
                    call.files.clone_from(files);
                }
                verdict.absorb(said);
            }
            Err(panic) => {
                let fault = format!(
                    "the guard `{}` failed ({}) and did not check this",
                    guard.name,
                    panic_text(&*panic)
                );
                reply.complain(&fault);
                verdict.absorb(Verdict::pass().tell_human(format!("outrigger: {fault}")));
            }
        }
        if verdict.is_stopped() && matches!(event.kind, EventKind::BeforeTool(_)) {
            verdict.rewrite = None;
            break;
        }
    }
    verdict
}

impl Reply {
    /// Adds a line to stderr.
    pub(crate) fn complain(&mut self, what: &str) {
        let one_line = what.replace(['\n', '\r'], " ");
        self.stderr.push_str(&format!("outrigger: {one_line}; the call was let through\n"));
    }
}

fn read_payload(bytes: &[u8]) -> Result<Value, String> {
    if bytes.trim_ascii().is_empty() {
        return Err("it is empty".to_owned());
    }
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

/// Reads a payload whose text is not proper Unicode (raw bytes, halves of a
/// surrogate pair), with replacement characters where it is not. Good enough to
/// see which file is meant; no text in it may be trusted.
fn read_loosely(bytes: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(bytes);
    let mut whole = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find("\\u") {
        let (head, tail) = rest.split_at(at);
        whole.push_str(head);
        let is_half = tail.get(2..4).is_some_and(|it| {
            matches!(it.as_bytes(), [b'd' | b'D', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F'])
        });
        whole.push_str(if is_half { "\\ufffd" } else { tail.get(..6)? });
        rest = tail.get(6..)?;
    }
    whole.push_str(rest);
    serde_json::from_str(&whole).ok()
}

/// Keeps the paths of a call, drops its texts.
fn forget_texts(event: &mut Event) {
    if let EventKind::BeforeTool(call) | EventKind::AfterTool(call, _) = &mut event.kind {
        for op in &mut call.files {
            *op = FileOp::Opaque { path: op.path().to_path_buf() };
        }
    }
}

/// Returns what a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|it| (*it).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}

fn log_line(event: &Event, verdict: &Verdict, started: Instant) -> String {
    let (decision, reason) = match &verdict.decision {
        Decision::Pass if verdict.rewrite.is_some() => ("rewrite", None),
        Decision::Pass => ("pass", None),
        Decision::Refuse { reason } => ("refuse", Some(reason)),
        Decision::Continue { reason } => ("continue", Some(reason)),
    };
    let call = event.kind.tool_call();
    let files: Vec<String> = call
        .into_iter()
        .flat_map(|it| &it.files)
        .map(|it| it.path().display().to_string())
        .collect();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    json!({
        "time_ms": now.map_or(0, |it| u64::try_from(it.as_millis()).unwrap_or(u64::MAX)),
        "agent": event.agent,
        "session": event.session.0,
        "event": event.kind.name(),
        "tool": call.map(|it| it.native_tool.as_str()),
        "call": call.and_then(|it| it.call_id.as_deref()),
        "files": files,
        "decision": decision,
        "reason": reason,
        "micros": u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents;
    use crate::sys::paths::Dirs;

    fn reply_of(guards: &[Guard]) -> Reply {
        let root = tempfile::tempdir().unwrap();
        let below = |name: &str| root.path().join(name);
        let dirs = Dirs {
            home: below("home"),
            state: below("state"),
            config: below("config"),
            temporary: Vec::new(),
        };
        let payload = json!({
            "session_id": "s", "cwd": "/project", "hook_event_name": "PreToolUse",
            "tool_name": "Write", "tool_input": {"file_path": "/project/a", "content": "x"},
        });
        let claude = agents::by_name("claude").unwrap();
        respond_with(guards, claude, None, payload.to_string().as_bytes(), &Ctx::new(dirs))
    }

    const FAULTY: Guard = Guard {
        name: "faulty",
        wants: |_| true,
        judge: |event, _| panic!("no luck\nwith {}", event.agent),
    };
    const REFUSING: Guard =
        Guard { name: "refusing", wants: |_| true, judge: |_, _| Verdict::refuse("not now") };
    const REWRITING: Guard = Guard {
        name: "rewriting",
        wants: |_| true,
        judge: |event, _| {
            let mut files = event.kind.tool_call().unwrap().files.clone();
            if let [FileOp::Write { content, .. }] = files.as_mut_slice() {
                content.push('!');
            }
            Verdict { rewrite: Some(files), ..Verdict::pass() }
                .tell_model("told")
                .tell_human("seen")
        },
    };

    #[test]
    fn a_panic_in_a_guard_is_a_pass_with_one_visible_line() {
        let reply = reply_of(&[FAULTY]);
        let fault = "the guard `faulty` failed (no luck with claude) and did not check this";
        assert_eq!(reply.stderr, format!("outrigger: {fault}; the call was let through\n"));
        let answer: Value = serde_json::from_str(&reply.stdout).unwrap();
        let shown =
            "outrigger: the guard `faulty` failed (no luck\nwith claude) and did not check this";
        assert_eq!(answer, json!({"systemMessage": shown}));
    }

    #[test]
    fn a_panic_in_one_guard_does_not_silence_the_next() {
        let answer: Value = serde_json::from_str(&reply_of(&[FAULTY, REFUSING]).stdout).unwrap();
        assert_eq!(answer["hookSpecificOutput"]["permissionDecisionReason"], "not now");
    }

    #[test]
    fn rewrites_build_on_each_other_and_carry_no_decision() {
        let answer: Value =
            serde_json::from_str(&reply_of(&[REWRITING, REWRITING]).stdout).unwrap();
        let expected = json!({
            "systemMessage": "seen\n\nseen",
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "updatedInput": {"file_path": "/project/a", "content": "x!!"},
                "additionalContext": "told\n\ntold",
            },
        });
        assert_eq!(answer, expected);
    }

    #[test]
    fn a_refusal_takes_a_rewrite_back() {
        let answer: Value = serde_json::from_str(&reply_of(&[REWRITING, REFUSING]).stdout).unwrap();
        let said = &answer["hookSpecificOutput"];
        assert_eq!(said["permissionDecision"], "deny");
        assert_eq!(said.get("updatedInput"), None);
    }
}
