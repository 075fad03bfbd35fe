//! Is a settings file one that the agent accepts? One bad entry, even somebody
//! else's, can make an agent ignore the whole file without a word.

use serde_json::Value;

use crate::agents::settings::Settings;
use crate::install::jsonc;

/// Something in the file that the agent does not accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Where: `hooks.PreToolUse[0].hooks[1].type`.
    pub(crate) path: String,
    pub(crate) what: String,
    /// Whether the agent ignores the whole file because of it.
    pub(crate) drops_file: bool,
}

/// Returns the place, line and column from 1, of what a reader of plain JSON
/// stumbles over: a comment or a trailing comma.
pub(crate) fn first_extension(text: &str) -> Option<(usize, usize)> {
    let (_, body) = jsonc::split_mark(text);
    let plain = serde_json::from_str::<Value>(body);
    plain.err().map(|error| (error.line(), error.column()))
}

/// Returns everything in the file that the agent does not accept.
pub(crate) fn problems(value: &Value, settings: &Settings) -> Vec<Problem> {
    let mut problems = Vec::new();
    if value.get(settings.off_switch) == Some(&Value::Bool(true)) {
        problems.push(Problem {
            path: settings.off_switch.to_owned(),
            what: "is on, so that no hook runs at all".to_owned(),
            drops_file: false,
        });
    }
    let events = value.get("hooks").and_then(Value::as_object).into_iter().flatten();
    for (event, groups) in events {
        let drops_file = settings.fragile_events.contains(&event.as_str());
        let mut report = |path: String, what: String| {
            problems.push(Problem { path, what, drops_file });
        };
        check_event(&format!("hooks.{event}"), groups, settings, &mut report);
    }
    problems
}

fn check_event(
    path: &str,
    groups: &Value,
    settings: &Settings,
    report: &mut dyn FnMut(String, String),
) {
    let Some(groups) = groups.as_array() else {
        return report(path.to_owned(), "is not a list".to_owned());
    };
    for (group_idx, group) in groups.iter().enumerate() {
        let path = format!("{path}[{group_idx}]");
        if !group.is_object() {
            report(path, "is not an object".to_owned());
            continue;
        }
        if group.get("matcher").is_some_and(|it| !it.is_string()) {
            report(format!("{path}.matcher"), "is not text".to_owned());
        }
        let Some(hooks) = group.get("hooks").and_then(Value::as_array) else {
            report(format!("{path}.hooks"), "is missing or not a list".to_owned());
            continue;
        };
        for (hook_idx, hook) in hooks.iter().enumerate() {
            check_hook(&format!("{path}.hooks[{hook_idx}]"), hook, settings, report);
        }
    }
}

fn check_hook(
    path: &str,
    hook: &Value,
    settings: &Settings,
    report: &mut dyn FnMut(String, String),
) {
    if !hook.is_object() {
        return report(path.to_owned(), "is not an object".to_owned());
    }
    let Some(kind) = hook.get("type").and_then(Value::as_str) else {
        return report(format!("{path}.type"), "is missing or not text".to_owned());
    };
    let Some((_, key)) = settings.kinds.iter().find(|it| it.0 == kind) else {
        return report(format!("{path}.type"), format!("is `{kind}`, which is no kind of hook"));
    };
    if !hook.get(key).is_some_and(Value::is_string) {
        report(format!("{path}.{key}"), "is missing or not text".to_owned());
    }
    let is_time = |it: &Value| it.as_f64().is_some_and(|it| it > 0.0);
    if hook.get("timeout").is_some_and(|it| !is_time(it)) {
        report(format!("{path}.timeout"), "is not a number of seconds".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agents;

    #[track_caller]
    fn check(value: &Value, expected: &[&str]) {
        let settings = &agents::by_name("claude").unwrap().settings;
        let show = |it: &Problem| {
            let mark = if it.drops_file { " (drops the file)" } else { "" };
            format!("{} {}{mark}", it.path, it.what)
        };
        let found: Vec<String> = problems(value, settings).iter().map(show).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn comments_and_trailing_commas_are_found() {
        for (text, expected) in [
            ("{}", None),
            ("\u{feff}{ \"a\": [1, 2] }\r\n", None),
            ("{ \"a\": 1, \"a\": \"// no comment,\" }", None),
            ("{\n  // c\n}", Some((2, 3))),
            ("{\n  \"a\": [1,]\n}", Some((2, 11))),
        ] {
            assert_eq!(first_extension(text), expected, "{text}");
        }
    }

    #[test]
    fn what_the_agent_accepts_is_no_problem() {
        check(&json!({}), &[]);
        check(&json!({ "hooks": { "Unheard": [], "Stop": [{ "hooks": [] }] } }), &[]);
        let hook = json!({ "type": "command", "command": "x", "timeout": 0.5, "new": 1 });
        check(&json!({ "hooks": { "PreToolUse": [{ "matcher": "", "hooks": [hook] }] } }), &[]);
    }

    #[test]
    fn bad_entries_are_named_by_their_place() {
        check(
            &json!({ "disableAllHooks": true, "hooks": {
                "PreToolUse": [
                    { "matcher": 1, "hooks": [{ "type": "shell" }, { "type": "command" }] },
                    "text",
                ],
                "PostToolUse": [{ "hooks": [
                    { "type": "command", "command": "x", "timeout": "30" }, 7, {}
                ] }, {}],
                "Stop": {},
            } }),
            &[
                "disableAllHooks is on, so that no hook runs at all",
                "hooks.PreToolUse[0].matcher is not text (drops the file)",
                "hooks.PreToolUse[0].hooks[0].type is `shell`, which is no kind of hook \
                 (drops the file)",
                "hooks.PreToolUse[0].hooks[1].command is missing or not text (drops the file)",
                "hooks.PreToolUse[1] is not an object (drops the file)",
                "hooks.PostToolUse[0].hooks[0].timeout is not a number of seconds",
                "hooks.PostToolUse[0].hooks[1] is not an object",
                "hooks.PostToolUse[0].hooks[2].type is missing or not text",
                "hooks.PostToolUse[1].hooks is missing or not a list",
                "hooks.Stop is not a list",
            ],
        );
    }
}
