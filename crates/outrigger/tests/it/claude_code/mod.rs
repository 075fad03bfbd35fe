//! The real Claude Code with outrigger's hooks in it: what the CLI does, what
//! the model is told, what is decided.

mod plugin;
mod repair;
mod run;

use std::collections::BTreeMap;
use std::path::Path;

use expect_test::expect;
use serde_json::{Value, json};

use self::run::{Case, quoted};
use crate::scripted_model::{ToolUse, Turn};

fn write(path: &Path, content: &str) -> ToolUse {
    ToolUse { name: "Write", input: json!({"file_path": path, "content": content}) }
}

fn edit(path: &Path, old: &str, new: &str) -> ToolUse {
    let input = json!({"file_path": path, "old_string": old, "new_string": new});
    ToolUse { name: "Edit", input }
}

fn bash(command: &str) -> ToolUse {
    ToolUse { name: "Bash", input: json!({"command": command, "description": "run"}) }
}

/// Returns the shell command of a foreign hook that answers.
fn answering(answer: &Value) -> String {
    format!("printf %s {}", quoted(&answer.to_string()))
}

fn files<const N: usize>(files: [(&str, &str); N]) -> BTreeMap<String, String> {
    files.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
}

/// Returns the decisions about files and commands.
fn about_tools(decisions: &str) -> String {
    let tools = [" Write ", " Edit ", " Bash "];
    let is_about = |line: &&str| tools.iter().any(|it| line.contains(it));
    decisions.lines().filter(is_about).map(|it| format!("{it}\n")).collect()
}

/// Returns the tool inputs in what hooks were given.
fn inputs(given: &[Value]) -> Vec<Value> {
    given.iter().map(|it| it["tool_input"].clone()).collect()
}

#[track_caller]
fn assert_contains(text: &str, part: &str) {
    assert!(text.contains(part), "no `{part}` in:\n{text}");
}

#[test]
fn every_event_reaches_the_hook() {
    let case = Case::new().file("b.txt", "from disk\n").usual();
    let path = case.path("a.txt");
    let run = case
        .arg("--allowedTools")
        .arg("Bash")
        .uses(write(&path, "one\n"))
        .uses(edit(&path, "one", "two"))
        .uses(bash("cat b.txt"))
        .run();
    expect![[r"
        session-started -> pass
        prompt -> pass
        before-tool Write the project/a.txt -> pass
        after-tool Write the project/a.txt -> pass
        before-tool Edit the project/a.txt -> pass
        after-tool Edit the project/a.txt -> pass
        before-tool Bash -> pass
        after-tool Bash -> pass
        stopping -> pass
        session-ended -> pass
    "]]
    .assert_eq(&run.decisions());
    assert_eq!(run.files(), files([("a.txt", "two\n"), ("b.txt", "from disk\n")]));
    assert_contains(&run.told()[3], "from disk");
    assert_eq!(run.shown(), "Done.\n");
    assert_eq!(run.exit, Some(0));
}

#[test]
fn a_tool_that_fails_reaches_the_hook() {
    let case = Case::new().usual().arg("--allowedTools").arg("Bash");
    let run = case.uses(bash("echo half > a.txt; exit 3")).run();
    assert_eq!(run.files(), files([("a.txt", "half\n")]));
    expect![[r"
        before-tool Bash -> pass
        after-tool Bash -> pass
    "]]
    .assert_eq(&about_tools(&run.decisions()));
}

#[test]
fn every_call_of_a_batch_is_decided() {
    let case = Case::new().usual();
    let (one, two) = (case.path("1.txt"), case.path("2.txt"));
    let run = case.turn(Turn::uses([write(&one, "1\n"), write(&two, "2\n")])).run();
    let decisions = about_tools(&run.decisions());
    let mut decisions: Vec<&str> = decisions.lines().collect();
    // The CLI may run the calls of a batch side by side.
    decisions.sort_unstable();
    let expected = [
        "after-tool Write the project/1.txt -> pass",
        "after-tool Write the project/2.txt -> pass",
        "before-tool Write the project/1.txt -> pass",
        "before-tool Write the project/2.txt -> pass",
    ];
    assert_eq!(decisions, expected);
    assert_eq!(run.files(), files([("1.txt", "1\n"), ("2.txt", "2\n")]));
}

#[test]
fn a_refusal_reaches_the_model_and_the_tool_does_not_run() {
    let case = Case::new().usual();
    let state = case.below("state");
    let own = state.join("outrigger/x");
    let run = case.arg("--add-dir").arg(&state).uses(write(&own, "mine\n")).run();
    assert_contains(&run.told()[1], "is part of outrigger's own state, which agents may not write");
    assert_contains(&run.decisions(), "before-tool Write state/outrigger/x -> refuse\n");
    assert!(!own.exists());
    assert_eq!(run.exit, Some(0));
}

#[test]
fn without_an_installation_there_is_no_effect() {
    let case = Case::new();
    let state = case.below("state");
    let (own, path) = (state.join("outrigger/x"), case.path("a.txt"));
    let run = case
        .arg("--add-dir")
        .arg(&state)
        .uses(write(&path, "(\n"))
        .uses(write(&own, "mine\n"))
        .run();
    assert_eq!(run.decisions(), "");
    assert_eq!(run.files(), files([("a.txt", "(\n")]));
    assert_eq!(std::fs::read_to_string(own).unwrap(), "mine\n");
    assert!(!run.told()[1..].concat().contains("outrigger's own state"));
}

#[test]
fn the_permission_prompt_stays() {
    let case = Case::new().foreign_hook("PermissionRequest").usual().permission_mode("manual");
    let path = case.path("a.txt");
    let run = case.uses(write(&path, "one\n")).run();
    let asked = run.foreign("PermissionRequest");
    assert_eq!(inputs(&asked), [json!({"file_path": path, "content": "one\n"})]);
    assert_eq!(run.files(), files([]));
    assert_contains(&run.decisions(), "before-tool Write the project/a.txt -> pass\n");
    assert_contains(&run.told()[1], "haven't granted it yet");
}

#[test]
fn a_foreign_hook_works_beside_ours() {
    let case = Case::new().foreign_hook("PreToolUse").foreign_hook("Stop").usual();
    let path = case.path("a.txt");
    let run = case.uses(write(&path, "one\n")).run();
    let given = run.foreign("PreToolUse");
    assert_eq!(inputs(&given), [json!({"file_path": path, "content": "one\n"})]);
    assert_eq!(run.foreign("Stop").len(), 1);
    assert_contains(&run.decisions(), "before-tool Write the project/a.txt -> pass\n");
    assert_contains(&run.decisions(), "stopping -> pass\n");
    assert_eq!(run.files(), files([("a.txt", "one\n")]));
}

#[test]
fn a_foreign_refusal_and_context_stand() {
    let answer = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "not on Sundays",
        "additionalContext": "it is Sunday",
    }});
    let case = Case::new().foreign_hook_then("PreToolUse", &answering(&answer)).usual();
    let path = case.path("a.txt");
    let run = case.uses(write(&path, "one\n")).run();
    assert_contains(&run.told()[1], "not on Sundays");
    assert_contains(&run.told()[1], "it is Sunday");
    assert_contains(&run.decisions(), "before-tool Write the project/a.txt -> pass\n");
    assert_eq!(run.files(), files([]));
}

#[test]
fn a_binary_that_has_gone_does_not_lock_the_user_out() {
    let case = Case::new().with_own_program().usual().without_program();
    let path = case.path("a.txt");
    let run = case
        .arg("--allowedTools")
        .arg("Bash")
        .uses(write(&path, "one\n"))
        .uses(bash("cat a.txt"))
        .run();
    assert_eq!(run.files(), files([("a.txt", "one\n")]));
    assert_contains(&run.told()[2], "one");
    assert_eq!(run.decisions(), "");
    assert_eq!(run.exit, Some(0));
    assert_eq!(run.shown().lines().last(), Some("Done."));
}

#[test]
fn a_sub_agents_write_is_decided_and_its_refusal_reaches_it() {
    let case = Case::new().usual();
    let state = case.below("state");
    let (path, own) = (case.path("sub.txt"), state.join("outrigger/x"));
    let task = ToolUse {
        name: "Agent",
        input: json!({
            "description": "sub", "prompt": "SUB-TASK: write a file",
            "subagent_type": "general-purpose", "run_in_background": false,
        }),
    };
    let run = case
        .arg("--add-dir")
        .arg(&state)
        .arg("--allowedTools")
        .arg("Agent")
        .uses(task)
        .turn(Turn::uses([write(&path, "one\n")]).only_for("SUB-TASK"))
        .turn(Turn::uses([write(&own, "mine\n")]).only_for("SUB-TASK"))
        .turn(Turn::says("Sub done.").only_for("SUB-TASK"))
        .run();
    expect![[r"
        before-tool Write the project/sub.txt -> pass
        after-tool Write the project/sub.txt -> pass
        before-tool Write state/outrigger/x -> refuse
    "]]
    .assert_eq(&about_tools(&run.decisions()));
    assert_eq!(run.files(), files([("sub.txt", "one\n")]));
    assert!(!own.exists());
    let refused = run.told().iter().filter(|it| it.contains("outrigger's own state")).count();
    assert_eq!(refused, 1);
}
