//! Claude Code: its hook payloads in, its hook answers out.
//!
//! What the answers do was measured on 2.1.325; the tests that drive the real
//! CLI (`tests/it/claude_code/`) say when that changes. An answer with a wrong
//! `hookEventName` or an unknown decision is dropped whole by the CLI, so only
//! the few shapes below are ever made.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::agents::fields::{capped, path, text, text_or_empty};
use crate::agents::{Agent, Call, ParseError, claude_settings, mcp_tools};
use crate::event::{
    Event, EventKind, FileOp, Replacement, SessionId, ToolCall, ToolKind, ToolOutcome,
};
use crate::sys::paths;
use crate::verdict::{Decision, Reader, Verdict};

pub(super) const AGENT: Agent = Agent {
    name: "claude",
    title: "Claude Code",
    parse,
    render,
    settings: claude_settings::SETTINGS,
};

/// The CLI moves context of more than 10,000 characters into a file and shows
/// the model 2 KB of it.
const MAX_CONTEXT: usize = 9_000;
const MAX_REASON: usize = 4_000;
const MAX_HUMAN: usize = 1_000;

fn parse(call: &Call<'_>) -> Result<Event, ParseError> {
    let payload = call.payload;
    if !payload.is_object() {
        return Err(ParseError::NotAnObject);
    }
    let event = event_name(call).ok_or(ParseError::NoEvent)?;
    let cwd = PathBuf::from(text_or_empty(payload, "cwd"));
    let cwd = if cwd.is_absolute() { cwd } else { paths::process_dir() };
    let kind = match event {
        "PreToolUse" => EventKind::BeforeTool(tool_call(call, &cwd)?),
        "PostToolUse" => EventKind::AfterTool(tool_call(call, &cwd)?, ToolOutcome::Done),
        "PostToolUseFailure" => EventKind::AfterTool(tool_call(call, &cwd)?, ToolOutcome::Failed),
        "UserPromptSubmit" => EventKind::Prompt {
            text: text_or_empty(payload, "prompt").to_owned(),
            synthetic: false,
        },
        "Stop" | "SubagentStop" => EventKind::Stopping {
            already_continued: payload.get("stop_hook_active") == Some(&Value::Bool(true)),
            subagent: event == "SubagentStop",
        },
        "SessionStart" => EventKind::SessionStarted,
        "SessionEnd" => EventKind::SessionEnded,
        _ => EventKind::Other,
    };
    let session = SessionId(text_or_empty(payload, "session_id").to_owned());
    Ok(Event { agent: AGENT.name, agent_title: AGENT.title, session, cwd, kind })
}

fn event_name<'a>(call: &'a Call<'_>) -> Option<&'a str> {
    call.payload.get("hook_event_name").and_then(Value::as_str).or(call.event)
}

fn tool_call(call: &Call<'_>, cwd: &Path) -> Result<ToolCall, ParseError> {
    let tool = text(call.payload, "tool_name")?;
    let none = Value::Null;
    let input = call.payload.get("tool_input").unwrap_or(&none);
    let file = |field| path(input, field, cwd, call.home);
    let (kind, files) = match tool {
        "Write" => {
            let content = text(input, "content")?.to_owned();
            (ToolKind::Edit, vec![FileOp::Write { path: file("file_path")?, content }])
        }
        "Edit" => {
            let edits = vec![replacement(input)?];
            (ToolKind::Edit, vec![FileOp::Replace { path: file("file_path")?, edits }])
        }
        "MultiEdit" => {
            let listed = input.get("edits").and_then(Value::as_array);
            let listed = listed.ok_or(ParseError::Field { field: "edits", expected: "a list" })?;
            let edits = listed.iter().map(replacement).collect::<Result<_, _>>()?;
            (ToolKind::Edit, vec![FileOp::Replace { path: file("file_path")?, edits }])
        }
        "NotebookEdit" => (ToolKind::Edit, vec![FileOp::Opaque { path: file("notebook_path")? }]),
        "Bash" => (ToolKind::Shell { command: text(input, "command")?.to_owned() }, Vec::new()),
        "Read" | "Glob" | "Grep" => (ToolKind::Read, Vec::new()),
        _ => match tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            Some((_server, name)) => {
                let files = mcp_tools::files(name, input, cwd, call.home);
                let kind = if files.is_empty() { ToolKind::Other } else { ToolKind::Edit };
                (kind, files)
            }
            None => (ToolKind::Other, Vec::new()),
        },
    };
    let call_id = call.payload.get("tool_use_id").and_then(Value::as_str).map(str::to_owned);
    Ok(ToolCall { call_id, native_tool: tool.to_owned(), kind, files })
}

fn replacement(edit: &Value) -> Result<Replacement, ParseError> {
    Ok(Replacement {
        old: text(edit, "old_string")?.to_owned(),
        new: text(edit, "new_string")?.to_owned(),
        all: edit.get("replace_all") == Some(&Value::Bool(true)),
    })
}

fn render(call: &Call<'_>, event: &Event, verdict: &Verdict) -> Option<Value> {
    let mut answer = Map::new();
    let mut specific = Map::new();
    let context = verdict.notes_for(Reader::Model).map(|it| capped(&it, MAX_CONTEXT));
    let reason = match &verdict.decision {
        Decision::Pass => None,
        Decision::Refuse { reason } | Decision::Continue { reason } => {
            Some(capped(reason, MAX_REASON))
        }
    };
    match &event.kind {
        EventKind::BeforeTool(_) => {
            if let Some(reason) = reason {
                specific.insert("permissionDecision".into(), json!("deny"));
                specific.insert("permissionDecisionReason".into(), json!(reason));
            } else if let Some(input) =
                verdict.rewrite.as_deref().and_then(|it| rewritten(call, it))
            {
                // Without a decision beside it: the user's own permission rules
                // still judge the rewritten call.
                specific.insert("updatedInput".into(), input);
            }
            insert_some(&mut specific, "additionalContext", context);
        }
        EventKind::AfterTool(..) => {
            if let Some(reason) = reason {
                answer.insert("decision".into(), json!("block"));
                answer.insert("reason".into(), json!(reason));
            }
            insert_some(&mut specific, "additionalContext", context);
        }
        EventKind::Prompt { .. } | EventKind::SessionStarted => {
            insert_some(&mut specific, "additionalContext", context);
        }
        // Context at Stop would make the agent go on, so it is not sent here.
        EventKind::Stopping { .. } => {
            if let Some(reason) = reason {
                answer.insert("decision".into(), json!("block"));
                answer.insert("reason".into(), json!(reason));
            }
        }
        EventKind::SessionEnded | EventKind::Other => {}
    }
    let message = verdict.notes_for(Reader::Human).map(|it| capped(&it, MAX_HUMAN));
    insert_some(&mut answer, "systemMessage", message);
    if !specific.is_empty() {
        let mut output = Map::new();
        output.insert("hookEventName".into(), json!(event_name(call)?));
        output.append(&mut specific);
        answer.insert("hookSpecificOutput".into(), Value::Object(output));
    }
    (!answer.is_empty()).then_some(Value::Object(answer))
}

fn insert_some(object: &mut Map<String, Value>, key: &str, text: Option<String>) {
    if let Some(text) = text {
        object.insert(key.to_owned(), Value::String(text));
    }
}

/// Returns the call's own input with the new texts in it. It must be complete:
/// the CLI refuses an input with a missing key instead of merging it.
fn rewritten(call: &Call<'_>, files: &[FileOp]) -> Option<Value> {
    let mut input = call.payload.get("tool_input")?.clone();
    let [op] = files else { return None };
    match op {
        FileOp::Write { content, .. } => input["content"] = json!(content),
        FileOp::Replace { edits, .. } => match input.get_mut("edits").and_then(Value::as_array_mut)
        {
            Some(listed) if listed.len() == edits.len() => {
                for (listed, edit) in listed.iter_mut().zip(edits) {
                    put_replacement(listed, edit);
                }
            }
            Some(_) => return None,
            None => match edits.as_slice() {
                [edit] => put_replacement(&mut input, edit),
                _ => return None,
            },
        },
        FileOp::Opaque { .. } => return None,
    }
    Some(input)
}

/// Writes an edit back under the keys it was read from, Claude's or the
/// reference MCP server's.
fn put_replacement(edit: &mut Value, replacement: &Replacement) {
    let (old, new) = match edit.get("oldText") {
        Some(_) => ("oldText", "newText"),
        None => ("old_string", "new_string"),
    };
    edit[old] = json!(replacement.old);
    edit[new] = json!(replacement.new);
}
