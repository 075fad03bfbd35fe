//! A throw-away world for hook tests that run in this process: folders, a
//! project, and an agent that calls us.

use std::fs;
use std::path::PathBuf;

use outrigger::Dirs;
use outrigger::agents;
use outrigger::ctx::Ctx;
use outrigger::hook::{self, Reply};
use serde_json::{Value, json};

pub(crate) struct World {
    root: tempfile::TempDir,
    pub(crate) ctx: Ctx,
    n_calls: std::cell::Cell<u32>,
}

impl World {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let below = |name: &str| root.path().join(name);
        let dirs = Dirs {
            home: below("home"),
            state: below("state"),
            config: below("config"),
            temporary: Vec::new(),
        };
        fs::create_dir(below("project")).unwrap();
        Self { ctx: Ctx::new(dirs), root, n_calls: std::cell::Cell::new(0) }
    }

    /// Returns the path of a file in the project.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("project").join(name)
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn content(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Claude Code calls us; its fields are added to `payload`.
    pub(crate) fn claude(&self, event: &str, payload: Value) -> Answer {
        let mut payload = payload;
        payload["session_id"] = json!("session");
        payload["cwd"] = json!(self.path(""));
        payload["hook_event_name"] = json!(event);
        if payload.get("tool_name").is_some() && payload.get("tool_use_id").is_none() {
            self.n_calls.set(self.n_calls.get() + 1);
            payload["tool_use_id"] = json!(format!("toolu_{}", self.n_calls.get()));
        }
        let claude = agents::by_name("claude").unwrap();
        let reply = hook::respond(claude, None, payload.to_string().as_bytes(), &self.ctx);
        Answer::of(&reply)
    }

    pub(crate) fn before(&self, tool: &str, input: impl Into<Value>) -> Answer {
        let input: Value = input.into();
        self.claude("PreToolUse", json!({"tool_name": tool, "tool_input": input}))
    }

    pub(crate) fn write_input(&self, name: &str, content: &str) -> Value {
        json!({"file_path": self.path(name), "content": content})
    }

    pub(crate) fn edit_input(&self, name: &str, old: &str, new: &str) -> Value {
        json!({"file_path": self.path(name), "old_string": old, "new_string": new})
    }
}

/// What a hook said, taken apart.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) refused: Option<String>,
    pub(crate) blocked: Option<String>,
    pub(crate) input: Option<Value>,
    pub(crate) context: Option<String>,
    pub(crate) message: Option<String>,
}

impl Answer {
    #[track_caller]
    pub(crate) fn of(reply: &Reply) -> Self {
        assert_eq!(reply.stderr, "");
        if reply.stdout.is_empty() {
            return Self::default();
        }
        let answer: Value = serde_json::from_str(&reply.stdout).unwrap();
        let text = |at: &str| answer.pointer(at).and_then(Value::as_str).map(str::to_owned);
        Self {
            refused: text("/hookSpecificOutput/permissionDecisionReason"),
            blocked: text("/reason"),
            input: answer.pointer("/hookSpecificOutput/updatedInput").cloned(),
            context: text("/hookSpecificOutput/additionalContext"),
            message: text("/systemMessage"),
        }
    }

    /// Nothing was said at all.
    #[track_caller]
    pub(crate) fn assert_silent(&self) {
        assert_eq!(self, &Self::default());
    }
}
