//! Our words for what an agent is about to do, does, or has done.
//!
//! Deliberately not serialisable: only `agents/*` know how an agent writes
//! these things down.

use std::path::{Path, PathBuf};

/// One call of a hook, in our own words.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Name of the agent, as in the `AGENTS` table.
    pub agent: &'static str,
    /// Name of the agent, as people say it.
    pub agent_title: &'static str,
    /// The agent's session.
    pub session: SessionId,
    /// The folder relative paths are taken from.
    pub cwd: PathBuf,
    /// What happens.
    pub kind: EventKind,
}

/// An agent's name for its session. Comes from outside, so it may hold
/// anything; it becomes part of a path only through [`SessionId::key`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionId(pub String);

impl SessionId {
    /// Returns a name for this session that is safe as a file name.
    pub fn key(&self) -> String {
        blake3::hash(self.0.as_bytes()).to_hex()[..32].to_owned()
    }
}

/// What happens.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// A tool is about to run and can still be refused or rewritten.
    BeforeTool(ToolCall),
    /// A tool has run.
    AfterTool(ToolCall, ToolOutcome),
    /// The human has sent a prompt. A synthetic one was made by the agent itself.
    Prompt { text: String, synthetic: bool },
    /// The agent wants to stop.
    Stopping { already_continued: bool, subagent: bool },
    /// A session begins, is resumed, or was compacted.
    SessionStarted,
    /// A session ends.
    SessionEnded,
    /// Anything else. Always passes.
    Other,
}

/// Whether a tool did what it was asked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolOutcome {
    /// It ran.
    Done,
    /// It failed, perhaps half-way.
    Failed,
}

/// One use of one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The agent's id of this call, the same before and after.
    pub call_id: Option<String>,
    /// The tool's name as the agent spells it.
    pub native_tool: String,
    /// What sort of tool it is.
    pub kind: ToolKind,
    /// The files it writes, as far as its input names them. One patch names many.
    pub files: Vec<FileOp>,
}

/// What sort of tool it is.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolKind {
    /// Writes the files in `files`.
    Edit,
    /// Runs a command line.
    Shell { command: String },
    /// Reads files.
    Read,
    /// Anything else.
    Other,
}

/// One file that a tool writes. Paths are absolute.
#[derive(Debug, Clone, PartialEq)]
pub enum FileOp {
    /// The whole content is given.
    Write { path: PathBuf, content: String },
    /// Pieces of text are exchanged, one after the other.
    Replace { path: PathBuf, edits: Vec<Replacement> },
    /// The file is written in a way that cannot be foretold (a notebook cell, an
    /// unknown tool).
    Opaque { path: PathBuf },
}

/// One piece of text exchanged for another.
#[derive(Debug, Clone, PartialEq)]
pub struct Replacement {
    /// What is there now. Empty: the file is made.
    pub old: String,
    /// What will be there.
    pub new: String,
    /// Every occurrence, not just the only one.
    pub all: bool,
}

impl FileOp {
    /// Returns the file that is written.
    pub fn path(&self) -> &Path {
        match self {
            Self::Write { path, .. } | Self::Replace { path, .. } | Self::Opaque { path } => path,
        }
    }
}

impl EventKind {
    /// Returns the tool call, if this is about one.
    pub fn tool_call(&self) -> Option<&ToolCall> {
        match self {
            Self::BeforeTool(call) | Self::AfterTool(call, _) => Some(call),
            Self::Prompt { .. }
            | Self::Stopping { .. }
            | Self::SessionStarted
            | Self::SessionEnded
            | Self::Other => None,
        }
    }

    /// Returns our one-word name for it, for logs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::BeforeTool(_) => "before-tool",
            Self::AfterTool(..) => "after-tool",
            Self::Prompt { .. } => "prompt",
            Self::Stopping { .. } => "stopping",
            Self::SessionStarted => "session-started",
            Self::SessionEnded => "session-ended",
            Self::Other => "other",
        }
    }
}
