//! The real binary as an agent runs it: bad input, odd folders, closed pipes.
//! Whatever comes in, it exits 0.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

struct Bench {
    root: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outrigger"));
        command.args(args).env_clear().current_dir(self.root.path());
        command.env("HOME", self.path("home")).env("OUTRIGGER_TMP", self.path("tmp"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, mut command: Command, stdin: &[u8]) -> Output {
        let mut child = command.spawn().unwrap();
        // The hook may decide before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        child.wait_with_output().unwrap()
    }

    fn hook(&self, stdin: &[u8]) -> Output {
        self.run(self.command(&["hook", "--agent", "claude"]), stdin)
    }
}

fn write_payload(path: &Path) -> Value {
    json!({
        "session_id": "s-1", "cwd": "/project", "hook_event_name": "PreToolUse",
        "tool_name": "Write", "tool_use_id": "toolu_1",
        "tool_input": {"file_path": path, "content": "x\n"},
    })
}

#[track_caller]
fn assert_quiet_pass(output: &Output) {
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[track_caller]
fn assert_pass_with_one_line(output: &Output, expected: &str) {
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.starts_with("outrigger: ") && stderr.contains(expected), "{stderr}");
    assert!(stderr.ends_with("; the call was let through\n"), "{stderr}");
}

#[test]
fn a_harmless_write_passes_in_silence() {
    let bench = Bench::new();
    assert_quiet_pass(
        &bench.hook(write_payload(Path::new("/project/a.txt")).to_string().as_bytes()),
    );
}

#[test]
fn bad_input_passes_with_one_line() {
    let bench = Bench::new();
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    let truncated = write_payload(Path::new("/a")).to_string();
    let truncated = &truncated[..truncated.len() / 2];
    let cases: &[(&[u8], &str)] = &[
        (b"", "it is empty"),
        (b" \n\t ", "it is empty"),
        (truncated.as_bytes(), "EOF"),
        (b"\0\0\0", "expected value"),
        (b"\xff\xfe\x00", "expected value"),
        (b"null", "not a JSON object"),
        (b"[1,2]", "not a JSON object"),
        (b"{}", "names no event"),
        (b"{\"hook_event_name\":7}", "names no event"),
        (deep.as_bytes(), "recursion limit"),
        (br#"{"hook_event_name":"PreToolUse"}"#, "`tool_name`"),
        (br#"{"hook_event_name":"PreToolUse","tool_name":"Write"}"#, "`content`"),
        (br#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":[]}"#, "`content`"),
        (
            br#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"a\u0000b","content":""}}"#,
            "`file_path` is missing or is not a path",
        ),
        (
            b"{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Write\",\"tool_input\":{\"file_path\":\"/a\",\"content\":\"\xff\"}}",
            "could not be read",
        ),
        (
            br#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/a","content":"\ud800"}}"#,
            "could not be read",
        ),
    ];
    for (payload, expected) in cases {
        assert_pass_with_one_line(&bench.hook(payload), expected);
    }
}

#[test]
fn fifty_megabytes_pass_and_more_than_the_cap_passes_with_a_line() {
    let bench = Bench::new();
    let mut payload = write_payload(Path::new("/project/a.txt"));
    payload["tool_input"]["content"] = "x".repeat(50 << 20).into();
    assert_quiet_pass(&bench.hook(payload.to_string().as_bytes()));
    payload["tool_input"]["content"] = "x".repeat(65 << 20).into();
    assert_pass_with_one_line(&bench.hook(payload.to_string().as_bytes()), "larger than 64 MiB");
}

#[test]
fn wrong_arguments_pass_with_one_line() {
    let bench = Bench::new();
    let payload = write_payload(Path::new("/project/a.txt")).to_string();
    for (args, expected) in [
        (&["hook"][..], "`--agent` is missing"),
        (&["hook", "--agent"], "`--agent` needs a value"),
        (&["hook", "--agent", "hal"], "unknown agent `hal`"),
        (&["hook", "--agent", "claude", "--frobnicate"], "unknown argument `--frobnicate`"),
    ] {
        assert_pass_with_one_line(&bench.run(bench.command(args), payload.as_bytes()), expected);
    }
}

#[test]
fn a_closed_stdout_is_no_reason_to_fail() {
    let bench = Bench::new();
    let state = bench.path("home/.local/state/outrigger/x");
    let payload = write_payload(&state).to_string();
    let mut command = bench.command(&["hook", "--agent", "claude"]);
    let (reader, writer) = std::io::pipe().unwrap();
    command.stdout(writer);
    drop(reader);
    let output = bench.run(command, payload.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_home_that_cannot_be_written_is_no_reason_to_fail() {
    let bench = Bench::new();
    let payload = write_payload(Path::new("/project/a.txt")).to_string();
    for home in ["/proc/no/such/home", "/dev/null", "relative"] {
        let mut command = bench.command(&["hook", "--agent", "claude"]);
        command.env("HOME", home);
        assert_quiet_pass(&bench.run(command, payload.as_bytes()));
    }
    let mut command = bench.command(&["hook", "--agent", "claude"]);
    command.env_remove("HOME");
    assert_quiet_pass(&bench.run(command, payload.as_bytes()));
}

#[test]
fn writes_into_our_own_state_are_refused() {
    let bench = Bench::new();
    let real = bench.path("home/.local/state/outrigger");
    std::fs::create_dir_all(&real).unwrap();
    std::os::unix::fs::symlink(&real, bench.path("link")).unwrap();
    for path in
        [real.join("trust/x"), bench.path("link/journal/y"), "~/.local/state/outrigger/z".into()]
    {
        let output = bench.hook(write_payload(&path).to_string().as_bytes());
        assert_eq!(output.status.code(), Some(0));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let said = &answer["hookSpecificOutput"];
        assert_eq!(said["hookEventName"], "PreToolUse");
        assert_eq!(said["permissionDecision"], "deny");
        let reason = said["permissionDecisionReason"].as_str().unwrap();
        assert!(reason.contains("outrigger's own state"), "{reason}");
    }
}

#[test]
fn commands_that_write_into_our_own_state_are_refused() {
    let bench = Bench::new();
    let real = bench.path("home/.local/state/outrigger");
    std::fs::create_dir_all(&real).unwrap();
    std::os::unix::fs::symlink(&real, bench.path("link")).unwrap();
    let project = bench.path("project");
    std::fs::create_dir(&project).unwrap();
    let reason_for = |command: &str| {
        let payload = json!({
            "session_id": "s-1", "cwd": project, "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": command},
        });
        let output = bench.hook(payload.to_string().as_bytes());
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().map(str::to_owned)
    };
    for command in [
        "echo '{}' > ~/.local/state/outrigger/trust/x",
        "cd ~/.local/state && rm -rf outrigger",
        "rm -rf ~/.local",
        "rm -rf ~/.local/state/*",
        "cp forged ../link/trust/x",
        "bash -c 'echo x | tee -a $HOME/.local/state/outrigger/journal/y'",
        "find ~/.local/state/outrigger -name '*.json' -exec sed -i s/no/yes/ {} +",
        "python3 - <<'EOF'\nopen('../link/trust/x', 'w').write('')\nEOF",
    ] {
        let reason = reason_for(command);
        let is_named = reason.as_ref().is_some_and(|it| it.contains("outrigger's own state"));
        assert!(is_named, "{command}: {reason:?}");
    }
    for command in [
        "cat ~/.local/state/outrigger/trust/x > copy.json",
        "echo 'rm -rf ~/.local/state/outrigger'",
        "rm -rf build && git checkout .",
        "cd ~ && git stash",
        "sed -i s/a/b/ src/*.clj",
    ] {
        assert_eq!(reason_for(command), None, "{command}");
    }
}

#[test]
fn decisions_are_logged_one_line_each() {
    let bench = Bench::new();
    let log = bench.path("decisions.log");
    let state = bench.path("home/.local/state/outrigger/x");
    for path in [Path::new("/project/a.txt"), &state] {
        let mut command = bench.command(&["hook", "--agent", "claude"]);
        command.env("OUTRIGGER_LOG", &log);
        bench.run(command, write_payload(path).to_string().as_bytes());
    }
    let lines = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<Value> = lines.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let decisions: Vec<&Value> = lines.iter().map(|it| &it["decision"]).collect();
    assert_eq!(decisions, ["pass", "refuse"]);
    assert_eq!(lines[0]["tool"], "Write");
    assert_eq!(lines[0]["files"], json!(["/project/a.txt"]));
}

#[test]
fn plugin_and_settings_together_answer_once() {
    let bench = Bench::new();
    let run = |from_plugin: bool, payload: &Value| {
        let mut command = bench.command(&["hook", "--agent", "claude"]);
        if from_plugin {
            command.env("CLAUDE_PLUGIN_ROOT", "/plugin");
        }
        !bench.run(command, payload.to_string().as_bytes()).stdout.is_empty()
    };
    let refused = |call_id: &str| {
        let mut payload = write_payload(&bench.path("home/.local/state/outrigger/x"));
        payload["tool_use_id"] = call_id.into();
        payload
    };
    // The plugin's mark is there from the session's start on.
    let start = json!({"session_id": "s-1", "cwd": "/", "hook_event_name": "SessionStart"});
    run(true, &start);
    run(false, &start);
    for (n_call, first_is_plugin) in [(1, true), (2, false), (3, true)] {
        let payload = refused(&format!("toolu_{n_call}"));
        assert!(run(first_is_plugin, &payload), "the first of two answers");
        assert!(!run(!first_is_plugin, &payload), "the second keeps silent");
    }
    // The very same payload again is a new event, not an old one.
    assert!(run(false, &refused("toolu_3")));
    // Another session, without the plugin: the settings' hook always answers.
    let mut other = refused("toolu_1");
    other["session_id"] = "s-2".into();
    assert!(run(false, &other) && run(false, &other));
}
