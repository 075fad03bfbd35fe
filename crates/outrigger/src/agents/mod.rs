//! The agents we ride beside: one file each, one row in [`AGENTS`].
//!
//! An agent's file turns its JSON into an [`Event`] and our [`Verdict`] back
//! into its JSON. It never sees a guard.

mod claude;
mod claude_settings;
mod fields;
mod mcp_tools;
pub(crate) mod settings;

use serde_json::Value;

use crate::agents::settings::Settings;
use crate::event::Event;
use crate::verdict::Verdict;

/// One agent: how to understand it and how to answer it.
#[derive(Debug)]
pub struct Agent {
    /// The name after `--agent`.
    pub name: &'static str,
    /// The name people know.
    pub title: &'static str,
    /// Reads a hook's payload.
    pub(crate) parse: fn(&Call<'_>) -> Result<Event, ParseError>,
    /// Writes the answer, or nothing.
    pub(crate) render: fn(&Call<'_>, &Event, &Verdict) -> Option<Value>,
    /// Where and how its hooks are installed.
    pub(crate) settings: Settings,
}

/// Every agent we know.
pub const AGENTS: &[Agent] = &[claude::AGENT];

/// A hook call as it came in.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    /// The event named on the command line, for agents that do not send it.
    pub(crate) event: Option<&'a str>,
    /// The payload.
    pub(crate) payload: &'a Value,
    /// The home folder, for `~`.
    pub(crate) home: &'a std::path::Path,
}

/// Why a payload could not be understood.
#[derive(Debug, thiserror::Error, PartialEq)]
pub(crate) enum ParseError {
    #[error("the payload is not a JSON object")]
    NotAnObject,
    #[error("the payload names no event, and there is no `--event`")]
    NoEvent,
    #[error("`{field}` is missing or is not {expected}")]
    Field { field: &'static str, expected: &'static str },
}

/// Returns the agent of that name.
pub fn by_name(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|it| it.name == name)
}
