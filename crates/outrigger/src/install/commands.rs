//! Command lines in settings: which are ours, which are a rival's, and how ours
//! is written.

use std::path::Path;

use serde_json::Value;

/// A program that does on the same events what we do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rival {
    pub(crate) program: &'static str,
    /// The word behind the program's name, if it has other uses.
    words: &'static [&'static str],
}

/// Programs whose hooks get in the way of ours: two that rewrite the same input
/// race, and the last to finish wins.
pub(crate) const RIVALS: &[Rival] = &[
    Rival { program: "brepl", words: &["hook", "hooks"] },
    Rival { program: "clj-paren-repair-claude-hook", words: &[] },
    Rival { program: "sidekick", words: &["hook"] },
];

const OWN_PROGRAM: &str = "outrigger";
const OWN_WORDS: &[&str] = &["hook"];

/// Returns the command line that calls the program at `path`, as a shell reads
/// it, or `None` when that path cannot be written in JSON or for a shell.
pub(crate) fn own_command(path: &Path, agent: &str) -> Option<String> {
    let quoted = shlex::try_quote(path.to_str()?).ok()?;
    Some(format!("{quoted} hook --agent {agent}"))
}

/// Tells whether a hook in the settings is ours, of whatever version.
pub(crate) fn is_own(hook: &Value) -> bool {
    calls(&words(hook), OWN_PROGRAM, OWN_WORDS)
}

/// Returns the rival that a hook in the settings calls.
pub(crate) fn rival(hook: &Value) -> Option<&'static Rival> {
    let words = words(hook);
    RIVALS.iter().find(|it| calls(&words, it.program, it.words))
}

/// Returns the words of a hook's command line.
fn words(hook: &Value) -> Vec<String> {
    let Some(command) = hook.get("command").and_then(Value::as_str) else { return Vec::new() };
    // With `args` beside it, `command` is the program alone.
    if let Some(args) = hook.get("args").and_then(Value::as_array) {
        let args = args.iter().filter_map(Value::as_str).map(str::to_owned);
        return std::iter::once(command.to_owned()).chain(args).collect();
    }
    let by_blanks = || command.split_whitespace().map(str::to_owned).collect();
    shlex::split(command).unwrap_or_else(by_blanks)
}

/// Tells whether the words call `program`, with one of `wanted` as its first word
/// that is no flag.
fn calls(words: &[String], program: &str, wanted: &[&str]) -> bool {
    let is_prefix = |it: &&String| *it == "exec" || *it == "env" || is_assignment(it);
    let mut rest = words.iter().skip_while(is_prefix);
    let name = rest.next().map(|it| it.rsplit(['/', '\\']).next().unwrap_or(it));
    let name = name.map(|it| it.strip_suffix(".exe").unwrap_or(it));
    let first = rest.find(|it| !it.starts_with('-'));
    name == Some(program)
        && (wanted.is_empty() || first.is_some_and(|it| wanted.contains(&it.as_str())))
}

fn is_assignment(word: &str) -> bool {
    let is_name =
        |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(command: &str, expected: Option<&str>) {
        let hook = json!({ "type": "command", "command": command });
        let found = if is_own(&hook) { Some("own") } else { rival(&hook).map(|it| it.program) };
        assert_eq!(found, expected, "{command}");
    }

    #[test]
    fn own_commands_are_known_however_they_are_written() {
        check("outrigger hook", Some("own"));
        check("outrigger hook --agent claude --event Stop", Some("own"));
        check("/usr/local/bin/outrigger hook --agent claude", Some("own"));
        check("'/home/a b/outrigger' hook --agent claude", Some("own"));
        check("\"/home/it's/bin/outrigger\" hook", Some("own"));
        check("/home/a\\ b/outrigger hook", Some("own"));
        check("OUTRIGGER_LOG=/tmp/log outrigger hook --agent claude", Some("own"));
        check("exec outrigger --quiet hook", Some("own"));
        check("\"C:/tools/outrigger.exe\" hook", Some("own"));
        check("outrigger hook '", Some("own"));
    }

    #[test]
    fn foreign_commands_are_not_ours() {
        check("prettier --write", None);
        check("echo outrigger hook", None);
        check("outrigger-hook", None);
        check("outrigger repair src", None);
        check("my-outrigger hook", None);
        check("", None);
        check("'", None);
    }

    #[test]
    fn rivals_are_named() {
        check("brepl hook validate", Some("brepl"));
        check("brepl hooks eval", Some("brepl"));
        check("/opt/brepl hook --debug stop", Some("brepl"));
        check("brepl -e 1", None);
        check("clj-paren-repair-claude-hook --cljfmt", Some("clj-paren-repair-claude-hook"));
        check("sidekick hook", Some("sidekick"));
        check("sidekick stats", None);
    }

    #[test]
    fn a_program_with_its_arguments_apart_is_known_as_well() {
        let hook = json!({ "type": "command", "command": "/a b/outrigger", "args": ["hook"] });
        assert!(is_own(&hook));
    }

    #[test]
    fn the_path_is_quoted_for_a_shell() {
        for (path, expected) in [
            ("/usr/bin/outrigger", "/usr/bin/outrigger hook --agent claude"),
            ("/a b/outrigger", "'/a b/outrigger' hook --agent claude"),
            ("/it's/outrigger", "\"/it's/outrigger\" hook --agent claude"),
        ] {
            assert_eq!(own_command(Path::new(path), "claude").as_deref(), Some(expected));
        }
    }
}
