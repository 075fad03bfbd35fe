//! Sends payloads through an installed command line, as the agent's shell would
//! run it, and looks at what comes back.
//!
//! This is the only proof that a hook works: a path with a blank, a binary that
//! was moved, a shell that is not the one expected all fail in silence otherwise.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::sys::deadline::Deadline;
use crate::sys::{paths, process};

/// Long for a hook, short for a human.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a canary found out about one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Song {
    pub(crate) event: &'static str,
    /// What is wrong, if anything.
    pub(crate) fault: Option<String>,
}

/// One event that is tried.
struct Trial {
    event: &'static str,
    fields: fn(&Path) -> Value,
    /// Says what is wrong with the answer.
    judge: fn(&Value) -> Option<&'static str>,
}

const TRIALS: &[Trial] = &[
    Trial {
        event: "PreToolUse",
        fields: |project| {
            let input = json!({"file_path": project.join("canary.clj"), "content": BROKEN});
            json!({"tool_name": "Write", "tool_use_id": "toolu_canary", "tool_input": input})
        },
        judge: |answer| {
            let mended = answer.pointer("/hookSpecificOutput/updatedInput/content");
            (mended != Some(&json!(MENDED))).then_some("a missing bracket was not mended")
        },
    },
    Trial {
        event: "PostToolUse",
        fields: |project| {
            let input = json!({"file_path": project.join("canary.txt"), "content": "x"});
            json!({"tool_name": "Write", "tool_use_id": "toolu_canary", "tool_input": input})
        },
        judge: said_nothing,
    },
    Trial { event: "UserPromptSubmit", fields: |_| json!({"prompt": "?"}), judge: granted_nothing },
    Trial { event: "Stop", fields: |_| json!({"stop_hook_active": false}), judge: granted_nothing },
];

const BROKEN: &str = "(defn canary [x]\n  (inc x)\n";
const MENDED: &str = "(defn canary [x]\n  (inc x))\n";

fn said_nothing(answer: &Value) -> Option<&'static str> {
    (!answer.is_null()).then_some("a harmless event was answered")
}

fn granted_nothing(answer: &Value) -> Option<&'static str> {
    answer.pointer("/hookSpecificOutput/permissionDecision").map(|_| "a decision was made")
}

/// Sends every trial through `command_line`. The project is an empty folder and
/// the state a fresh one, so that nothing real is touched or counted.
pub(crate) fn sing(command_line: &str) -> std::io::Result<Vec<Song>> {
    let cage = Cage(paths::fresh_temporary_dir("outrigger-canary")?);
    fs::create_dir(cage.0.join("project"))?;
    Ok(TRIALS
        .iter()
        .map(|trial| Song { event: trial.event, fault: cage.fault(trial, command_line) })
        .collect())
}

/// The folder of a canary, removed at the end.
struct Cage(PathBuf);

impl Cage {
    fn fault(&self, trial: &Trial, command_line: &str) -> Option<String> {
        let project = self.0.join("project");
        let mut payload = (trial.fields)(&project);
        payload["session_id"] = json!("canary");
        payload["cwd"] = json!(project);
        payload["hook_event_name"] = json!(trial.event);
        let mut command = process::command("sh", &project);
        command.arg("-c").arg(command_line);
        command.env("CLAUDE_PROJECT_DIR", &project).env("XDG_STATE_HOME", self.0.join("state"));
        let deadline = Deadline::after(PATIENCE);
        let finished =
            process::run(&mut command, payload.to_string().as_bytes(), 1 << 20, deadline);
        let finished = match finished {
            Ok(finished) => finished,
            Err(error) => return Some(format!("`sh` could not be run: {error}")),
        };
        let Some(status) = finished.status else {
            return Some(format!("no answer within {} s", PATIENCE.as_secs()));
        };
        let said = String::from_utf8_lossy(&finished.stderr).trim().to_owned();
        if !status.success() {
            return Some(format!("it ended with {status}: {said}"));
        }
        if !said.is_empty() {
            return Some(format!("it complained: {said}"));
        }
        let answer = match finished.stdout.is_empty() {
            true => Value::Null,
            false => match serde_json::from_slice(&finished.stdout) {
                Ok(answer) => answer,
                Err(_) => return Some("it printed something that is not JSON".to_owned()),
            },
        };
        (trial.judge)(&answer).map(str::to_owned)
    }
}

impl Drop for Cage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command_line: &str, expected: [Option<&str>; 4]) {
        let faults: Vec<Option<String>> =
            sing(command_line).unwrap().into_iter().map(|it| it.fault).collect();
        assert_eq!(faults, expected.map(|it| it.map(str::to_owned)));
    }

    #[test]
    fn a_command_that_does_nothing_is_found_out() {
        check("true", [Some("a missing bracket was not mended"), None, None, None]);
    }

    #[test]
    fn a_command_that_is_gone_is_found_out() {
        let faults = sing("'/no such/outrigger' hook --agent claude").unwrap();
        let fault = faults[3].fault.as_deref().unwrap();
        assert!(fault.starts_with("it ended with exit status: 127"), "{fault}");
    }

    #[test]
    fn noise_is_found_out() {
        let fault = Some("it printed something that is not JSON");
        check("echo hello", [fault; 4]);
    }
}
