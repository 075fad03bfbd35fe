//! Claude Code's settings: where they lie, what they accept, what we put there.
//!
//! It reads `.claude/` of the folder it is started in, not of the repository
//! around it. The plugin's `hooks.json` holds the same rows; a test compares
//! the two.

use crate::agents::settings::{HookRow, Settings};
use crate::sys::env;

/// All tools through which files are written. `MultiEdit` exists only in older
/// versions; what an MCP tool does is found out when it is called.
const WRITING_TOOLS: &str = "Bash|Edit|MultiEdit|NotebookEdit|Write|mcp__.*";

pub(super) const SETTINGS: Settings = Settings {
    program: "claude",
    folder: ".claude",
    folder_variable: &env::CLAUDE_CONFIG_DIR,
    user_file: "settings.json",
    project_file: "settings.json",
    local_file: "settings.local.json",
    skill_file: "skills/outrigger/SKILL.md",
    hooks: &[
        HookRow { event: "PreToolUse", matcher: Some(WRITING_TOOLS), timeout: 30 },
        HookRow { event: "PostToolUse", matcher: Some(WRITING_TOOLS), timeout: 120 },
        HookRow { event: "PostToolUseFailure", matcher: Some("Bash"), timeout: 30 },
        HookRow { event: "UserPromptSubmit", matcher: None, timeout: 15 },
        // The gate runs test suites.
        HookRow { event: "Stop", matcher: Some(""), timeout: 3600 },
        HookRow { event: "SubagentStop", matcher: Some("*"), timeout: 15 },
        HookRow { event: "SessionStart", matcher: Some("*"), timeout: 15 },
        // Without a time of its own the end of a session is cut off within seconds.
        HookRow { event: "SessionEnd", matcher: Some("*"), timeout: 15 },
    ],
    kinds: &[
        ("command", "command"),
        ("prompt", "prompt"),
        ("agent", "prompt"),
        ("http", "url"),
        ("mcp_tool", "tool"),
    ],
    fragile_events: &["PreToolUse"],
    // "These settings files did not load, so nothing in them is in effect" (2.1.325).
    // A byte order mark and keys that stand twice are accepted.
    is_strict: true,
    // Reported by many users since the middle of 2026.
    shell_first: Some("CLAUDE_CODE_THRIFTY_SONIC"),
    off_switch: "disableAllHooks",
};
