//! `install` and `uninstall` with the real binary over a corpus of odd settings
//! files: what is there stays, and comes back to the byte.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Machine, tree};

pub(crate) const LOCAL: &str = ".claude/settings.local.json";
pub(crate) const EVENTS: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "SessionStart",
    "SessionEnd",
];

/// Files whose bytes cannot be known again once our record of them is lost:
/// nothing tells an empty list that we made from one that was there.
const EMPTY_INSIDE: &[&str] = &[
    "bom-alone",
    "braces-apart",
    "comma-first",
    "comment-alone",
    "comment-in-braces",
    "comment-no-newline",
    "empty",
    "events-empty",
    "hooks-empty",
    "hooks-empty-apart",
    "no-indent",
    "whitespace",
];

/// Files that have older entries of ours, which are not only added to.
const WITH_OLDER_ENTRIES: &[&str] = &["older-entry", "older-entries-many", "seed-001"];

/// Returns the corpus: names and bytes.
pub(crate) fn fixtures(kind: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/settings").join(kind);
    let entry = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, fs::read(path).unwrap())
    };
    let mut all: Vec<_> =
        fs::read_dir(folder).unwrap().map(|it| entry(it.unwrap().path())).collect();
    all.sort();
    all
}

#[track_caller]
pub(crate) fn value(bytes: &[u8]) -> Value {
    let text = std::str::from_utf8(bytes).unwrap();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = jsonc_parser::parse_to_ast(text, &Default::default(), &Default::default());
    let value = parsed.unwrap_or_else(|error| panic!("{error}: {text}")).value;
    value.map_or_else(|| json!({}), Value::from)
}

fn is_ours(hook: &Value) -> bool {
    hook["command"].as_str().is_some_and(|it| it.contains("outrigger") && it.contains(" hook"))
}

/// Returns the settings without our hooks and without what is empty.
fn foreign(settings: &Value) -> Value {
    let mut settings = settings.clone();
    if let Some(events) = settings["hooks"].as_object_mut() {
        for groups in events.values_mut().filter_map(Value::as_array_mut) {
            groups.retain_mut(|group| {
                let Some(hooks) = group["hooks"].as_array_mut() else { return true };
                let n_hooks = hooks.len();
                hooks.retain(|it| !is_ours(it));
                n_hooks == 0 || !hooks.is_empty()
            });
        }
        events.retain(|_, groups| *groups != json!([]));
    }
    if settings["hooks"] == json!({}) || settings["hooks"].is_null() {
        settings.as_object_mut().unwrap().remove("hooks");
    }
    settings
}

pub(crate) fn ours(settings: &Value, event: &str) -> Vec<Value> {
    let groups = settings["hooks"][event].as_array().into_iter().flatten();
    groups
        .flat_map(|it| it["hooks"].as_array().into_iter().flatten())
        .filter(|it| is_ours(it))
        .cloned()
        .collect()
}

/// Tells whether `text` holds all of `part`'s letters in their order, but for blanks.
fn holds_in_order(text: &[u8], part: &[u8]) -> bool {
    let mut rest = text.iter();
    part.iter().filter(|it| !it.is_ascii_whitespace()).all(|it| rest.any(|other| other == it))
}

#[track_caller]
pub(crate) fn assert_text(actual: &[u8], expected: &[u8], what: &str) {
    assert_eq!(String::from_utf8_lossy(actual), String::from_utf8_lossy(expected), "{what}");
}

#[test]
fn installing_keeps_what_is_there_and_happens_once() {
    for (name, original) in fixtures("valid") {
        let machine = Machine::new();
        machine.write(LOCAL, &original);
        machine.run_ok(&["install", "claude", "--yes"]);
        let once = machine.read(LOCAL);
        let settings = value(&once);
        assert_eq!(foreign(&settings), foreign(&value(&original)), "{name}");
        for event in EVENTS {
            assert_eq!(ours(&settings, event).len(), 1, "{name}: {event}");
        }
        assert_eq!(ours(&settings, "Notification"), Vec::<Value>::new(), "{name}");
        if !WITH_OLDER_ENTRIES.contains(&name.as_str()) {
            assert!(holds_in_order(&once, &original), "{name}");
        }
        for _ in 0..2 {
            let again = machine.run_ok(&["install", "claude", "--yes"]);
            assert!(again.stderr.contains("nothing to change"), "{name}: {}", again.stderr);
            assert_text(&machine.read(LOCAL), &once, &name);
        }
    }
}

#[test]
fn uninstalling_gives_back_the_very_bytes() {
    let all = fixtures("valid");
    assert!(all.len() >= 30);
    for (name, original) in all {
        let machine = Machine::new();
        machine.write(LOCAL, &original);
        let before = tree(&machine.project);
        machine.run_ok(&["install", "claude", "--yes"]);
        machine.run_ok(&["install", "claude", "--yes"]);
        machine.run_ok(&["uninstall", "claude", "--yes"]);
        assert_eq!(tree(&machine.project), before, "{name}");
    }
}

#[test]
fn what_the_user_adds_in_between_stays() {
    let addition = "{ \"added\": true,";
    for (name, original) in fixtures("valid") {
        let machine = Machine::new();
        machine.write(LOCAL, &original);
        machine.run_ok(&["install", "claude", "--yes"]);
        let edit = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            // The first brace that is not in a comment.
            let first = text.find('{').unwrap();
            let is_root = text[..first].trim_start_matches('\u{feff}').trim().is_empty();
            let at = if is_root { first } else { text.find("\n{").unwrap() + 1 };
            format!("{}{addition}{}", &text[..at], &text[at + 1..])
        };
        machine.write(LOCAL, edit(&machine.read(LOCAL)));
        machine.run_ok(&["uninstall", "claude", "--yes"]);
        let left = machine.read(LOCAL);
        let is_empty = value(&original) == json!({});
        if is_empty {
            assert_eq!(value(&left), json!({ "added": true }), "{name}");
        } else {
            assert_text(&left, edit(&original).as_bytes(), &name);
        }
    }
}

#[test]
fn an_agent_that_writes_the_file_anew_loses_nothing() {
    for (name, original) in fixtures("valid") {
        let machine = Machine::new();
        machine.write(LOCAL, &original);
        machine.run_ok(&["install", "claude", "--yes"]);
        let mut settings = value(&machine.read(LOCAL));
        settings["permissions"] = json!({ "ask": ["Bash(rm:*)"] });
        machine.write(LOCAL, format!("{settings:#}"));
        machine.run_ok(&["install", "claude", "--yes"]);
        machine.run_ok(&["uninstall", "claude", "--yes"]);
        let mut expected = foreign(&value(&original));
        expected["permissions"] = json!({ "ask": ["Bash(rm:*)"] });
        assert_eq!(foreign(&value(&machine.read(LOCAL))), expected, "{name}");
    }
}

#[test]
fn without_a_record_what_is_ours_is_known_by_its_shape() {
    for (name, original) in fixtures("valid") {
        let machine = Machine::new();
        machine.write(LOCAL, &original);
        machine.run_ok(&["install", "claude", "--yes"]);
        fs::remove_dir_all(machine.state()).unwrap();
        machine.run_ok(&["uninstall", "claude", "--yes"]);
        let left = machine.read(LOCAL);
        assert_eq!(foreign(&value(&left)), foreign(&value(&original)), "{name}");
        let settings = value(&left);
        assert!(EVENTS.iter().all(|it| ours(&settings, it).is_empty()), "{name}");
        let is_same = left == original;
        let can_be_same =
            !EMPTY_INSIDE.contains(&name.as_str()) && !WITH_OLDER_ENTRIES.contains(&name.as_str());
        assert_eq!(is_same, can_be_same, "{name}: {}", String::from_utf8_lossy(&left));
        assert!(!machine.project.join(".claude/skills/outrigger").exists(), "{name}");
        assert!(!machine.project.join(".outrigger").exists(), "{name}");
    }
}

#[test]
fn files_that_cannot_be_understood_are_left_alone() {
    for (name, original) in fixtures("invalid") {
        let machine = Machine::new();
        let path = machine.write(LOCAL, &original);
        let before = tree(&machine.project);
        for args in [
            ["install", "claude", "--yes"],
            ["install", "claude", "--dry-run"],
            ["install", "claude", "--strict-eval"],
        ] {
            let output = machine.run(&args);
            assert_eq!(output.code, 1, "{name}: {output:?}");
            let place = format!("error: {}:", path.display());
            let line = output.stderr.lines().find_map(|it| it.strip_prefix(&place));
            let line = line.unwrap_or_else(|| panic!("{name}: {}", output.stderr));
            let number = line.split(':').next().unwrap();
            assert!(number.parse::<usize>().is_ok_and(|it| it > 0), "{name}: {line}");
            assert!(output.stderr.contains("\nhint: "), "{name}: {}", output.stderr);
            assert_eq!(tree(&machine.project), before, "{name}");
        }
    }
}

#[test]
fn positions_are_exact() {
    for (name, expected) in [
        ("missing-comma", "2:18: expected comma"),
        ("hooks-list", "2:12: `hooks` must be an object"),
        ("event-object", "3:19: `hooks.PreToolUse` must be a list"),
        ("list", "1:1: the file must be an object"),
        ("not-utf8", "2: not UTF-8 text"),
    ] {
        let machine = Machine::new();
        let all = fixtures("invalid");
        let path = machine.write(LOCAL, &all.iter().find(|it| it.0 == name).unwrap().1);
        let output = machine.run(&["install", "claude", "--yes"]);
        let line = format!("error: {}:{expected}\n", path.display());
        assert!(output.stderr.contains(&line), "{name}: {}", output.stderr);
    }
}

#[test]
fn the_example_of_seed_001_becomes_what_it_says() {
    let machine = Machine::new();
    let original = &fixtures("valid").into_iter().find(|it| it.0 == "seed-001").unwrap().1;
    machine.write(LOCAL, original);
    machine.run_ok(&["install", "claude", "--yes"]);
    let text = String::from_utf8(machine.read(LOCAL)).unwrap();
    let settings = value(text.as_bytes());
    let command = &settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"];
    let tools = "Bash|Edit|MultiEdit|NotebookEdit|Write|mcp__.*";
    let group = |matcher: Option<&str>, timeout: u32| {
        let hooks = json!([{ "type": "command", "command": command, "timeout": timeout }]);
        match matcher {
            Some(matcher) => json!({ "matcher": matcher, "hooks": hooks }),
            None => json!({ "hooks": hooks }),
        }
    };
    let expected = json!({ "hooks": {
        "PreToolUse": [group(Some(tools), 30)],
        "PostToolUse": [
            { "matcher": "Write", "hooks": [{ "type": "command", "command": "prettier --write" }] },
            group(Some(tools), 120),
        ],
        "PostToolUseFailure": [group(Some("Bash"), 30)],
        "UserPromptSubmit": [group(None, 15)],
        "Stop": [group(Some(""), 3600)],
        "SubagentStop": [group(Some("*"), 15)],
        "SessionStart": [group(Some("*"), 15)],
        "SessionEnd": [group(Some("*"), 15)],
    } });
    assert_eq!(settings, expected);
    let kept = "      {\n        \"matcher\": \"Write\",\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"prettier --write\" }]\n      },\n      {\n        \"matcher\": \"Bash|Edit|";
    assert!(text.contains(kept), "the foreign hook stays and ours follows it: {text}");
}

/// Returns one file of the corpus that can be edited.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    fixtures("valid").into_iter().find(|it| it.0 == name).unwrap().1
}
