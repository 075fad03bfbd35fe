//! `outrigger doctor`: what is well, what is not, and what to do about it.

use std::fs;

use serde_json::Value;

use crate::support::{Machine, Output};

/// A machine with Claude Code on it, as far as can be seen.
fn machine() -> Machine {
    let machine = Machine::named("home of mine", "my project");
    fs::create_dir_all(machine.home.join(".claude")).unwrap();
    machine
}

fn installed() -> Machine {
    let machine = machine();
    machine.run_ok(&["install", "claude", "--yes"]);
    machine
}

const SETTINGS: &str = ".claude/settings.local.json";

#[track_caller]
fn assert_bad(output: &Output, text: &str, hint: &str) {
    assert_eq!(output.code, 1, "{}", output.stdout);
    let lines: Vec<&str> = output.stdout.lines().collect();
    let at = lines.iter().position(|it| it.starts_with("BAD ") && it.contains(text));
    let at = at.unwrap_or_else(|| panic!("no `BAD` line says {text}:\n{}", output.stdout));
    assert!(lines[at + 1].contains(hint), "{}", output.stdout);
}

#[test]
fn nothing_installed_is_to_be_mended() {
    let output = machine().run(&["doctor"]);
    assert_bad(&output, "Claude Code is not wired to us", "run `outrigger install claude`");
}

#[test]
fn a_fresh_installation_is_well_and_the_canary_comes_back() {
    let machine = installed();
    let output = machine.run_ok(&["doctor"]);
    let expected = "the canary came back for PreToolUse, PostToolUse, UserPromptSubmit, Stop";
    assert!(output.stdout.contains(expected), "{}", output.stdout);
    assert!(output.stdout.contains("note Claude Code has not called us yet"), "{}", output.stdout);
    assert!(output.stdout.ends_with("\nall is well\n"), "{}", output.stdout);
}

#[test]
fn the_last_call_is_told() {
    let machine = installed();
    machine.run_with(
        &["hook", "--agent", "claude"],
        r#"{"session_id":"s","cwd":"/","hook_event_name":"UserPromptSubmit","prompt":"?"}"#,
    );
    let output = machine.run_ok(&["doctor"]);
    let expected = "ok   Claude Code last called us just now (prompt)";
    assert!(output.stdout.contains(expected), "{}", output.stdout);
}

#[test]
fn a_command_that_is_gone_is_found_by_the_canary_and_mended() {
    let machine = installed();
    let settings = machine.text(SETTINGS);
    let own = env!("CARGO_BIN_EXE_outrigger");
    assert!(settings.contains(own), "{settings}");
    machine.write(SETTINGS, settings.replace(own, "/no/such/outrigger"));
    let output = machine.run(&["doctor"]);
    assert_bad(&output, "does not work: PreToolUse: it ended with exit status: 127", "again");
    let output = machine.run_ok(&["doctor", "--fix"]);
    assert!(output.stdout.contains("the canary came back"), "{}", output.stdout);
    assert_eq!(machine.text(SETTINGS), settings);
}

#[test]
fn a_missing_event_is_named() {
    let machine = installed();
    let mut settings: Value = serde_json::from_str(&machine.text(SETTINGS)).unwrap();
    settings["hooks"].as_object_mut().unwrap().remove("PreToolUse");
    machine.write(SETTINGS, settings.to_string());
    let output = machine.run(&["doctor"]);
    assert_bad(&output, "does not call us for PreToolUse", "install claude --local");
}

#[test]
fn what_makes_claude_code_drop_the_file_is_named() {
    for (settings, expected) in [
        (
            r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "banana"}]}]}}"#,
            "ignores the whole file",
        ),
        (r#"{"disableAllHooks": true}"#, "turns all hooks off"),
        ("{ // mine\n}", "loads nothing from a file with comments"),
        ("{\"hooks\": ", "ignores the file"),
    ] {
        let machine = machine();
        machine.write(SETTINGS, settings);
        let output = machine.run(&["doctor"]);
        assert_bad(&output, expected, "hint: ");
        assert_eq!(machine.text(SETTINGS), settings);
    }
}

#[test]
fn rivals_are_noted() {
    let machine = machine();
    let rival =
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "brepl hook stop"}]}]}}"#;
    machine.write(".claude/settings.json", rival);
    machine.run_ok(&["install", "claude", "--yes"]);
    let output = machine.run_ok(&["doctor"]);
    assert!(output.stdout.contains("brepl runs on Stop as well"), "{}", output.stdout);
    assert!(output.stdout.contains("--replace-rivals"), "{}", output.stdout);
}

#[test]
fn steering_towards_the_shell_is_noted_until_it_is_off() {
    let machine = installed();
    let steered = "may steer its model towards editing files with shell commands";
    assert!(machine.run_ok(&["doctor"]).stdout.contains(steered));
    let mut settings: Value = serde_json::from_str(&machine.text(SETTINGS)).unwrap();
    settings["env"] = serde_json::json!({"CLAUDE_CODE_THRIFTY_SONIC": "0"});
    machine.write(SETTINGS, settings.to_string());
    assert!(!machine.run_ok(&["doctor"]).stdout.contains(steered));
}

#[test]
fn status_fits_on_a_screen_and_needs_nothing() {
    let machine = machine();
    let output = machine.run_ok(&["status"]);
    assert!(output.stdout.contains("Claude Code: not wired here; run `outrigger install claude`"));
    assert!(output.stdout.contains("Editors\n  none that can be asked\n"), "{}", output.stdout);
    machine.run_ok(&["install", "claude", "--yes"]);
    let output = machine.run_ok(&["status"]);
    assert!(output.stdout.contains("Claude Code: wired by "), "{}", output.stdout);
    assert!(output.stdout.lines().count() < 24, "{}", output.stdout);
}

#[test]
fn json_has_every_finding() {
    let output = installed().run_ok(&["doctor", "--json"]);
    let findings: Value = serde_json::from_str(&output.stdout).unwrap();
    let levels: Vec<&str> =
        findings.as_array().unwrap().iter().map(|it| it["level"].as_str().unwrap()).collect();
    assert!(levels.contains(&"good") && levels.contains(&"note") && !levels.contains(&"bad"));
}
