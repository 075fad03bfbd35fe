//! A throw-away desk: folders of its own for editors and hooks, an agent that
//! calls the real binary, and what is expected of its answers.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use outrigger::hook::Reply;
use serde_json::{Value, json};

use crate::world::Answer;

/// What lies in the file before anybody touches it.
pub(crate) const ON_DISK: &str = "one\ntwo\nthree\nfour\n";

/// A busy machine may need this long to start an editor.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Desk {
    root: tempfile::TempDir,
    n_calls: std::cell::Cell<u32>,
    has_runtime_dir: bool,
}

impl Desk {
    /// A desk with a project in which `a.txt` lies, in the user's home.
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let base = root.path().canonicalize().unwrap();
        for folder in ["home/project/sub", "home/other", "tmp"] {
            fs::create_dir_all(base.join(folder)).unwrap();
        }
        fs::write(base.join("home/project/a.txt"), ON_DISK).unwrap();
        Self { root, n_calls: std::cell::Cell::new(0), has_runtime_dir: false }
    }

    /// The same, for a user who has an `XDG_RUNTIME_DIR`.
    pub(crate) fn with_runtime_dir() -> Self {
        let desk = Self { has_runtime_dir: true, ..Self::new() };
        make_private(&desk.below("run"));
        desk
    }

    /// Returns a path below the desk's root.
    pub(crate) fn below(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    /// Returns the path of a file in the project.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.below("home/project").join(name)
    }

    pub(crate) fn content(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns a command that sees this desk and nothing else.
    pub(crate) fn command(&self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(folder).env_clear();
        command.envs([("PATH", "/usr/bin:/bin"), ("TERM", "xterm"), ("LANG", "C.UTF-8")]);
        command.env("HOME", self.below("home")).env("TMPDIR", self.below("tmp"));
        if self.has_runtime_dir {
            command.env("XDG_RUNTIME_DIR", self.below("run"));
        }
        command
    }

    /// Claude Code calls us; its fields are added to `payload`.
    pub(crate) fn claude(&self, event: &str, payload: Value) -> Answer {
        self.claude_from(&self.path(""), event, payload)
    }

    /// The same, with the agent in another folder.
    pub(crate) fn claude_from(&self, cwd: &Path, event: &str, payload: Value) -> Answer {
        let mut payload = payload;
        self.n_calls.set(self.n_calls.get() + 1);
        payload["session_id"] = json!("session");
        payload["cwd"] = json!(cwd);
        payload["hook_event_name"] = json!(event);
        if payload.get("tool_name").is_some() {
            payload["tool_use_id"] = json!(format!("toolu_{}", self.n_calls.get()));
        }
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_outrigger")), &self.below(""));
        command.args(["hook", "--agent", "claude"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Answer::of(&Reply { stdout: text(output.stdout), stderr: text(output.stderr) })
    }

    pub(crate) fn before(&self, tool: &str, input: impl Into<Value>) -> Answer {
        let input: Value = input.into();
        self.claude("PreToolUse", json!({"tool_name": tool, "tool_input": input}))
    }

    /// The agent has written the file; the editors are told.
    pub(crate) fn after_write(&self, path: &Path, content: &str) -> Answer {
        fs::write(path, content).unwrap();
        let input = json!({"file_path": path, "content": content});
        let response = json!({"filePath": path, "success": true});
        let call = json!({"tool_name": "Write", "tool_input": input, "tool_response": response});
        self.claude("PostToolUse", call)
    }

    pub(crate) fn prompt(&self) -> Answer {
        self.claude("UserPromptSubmit", json!({"prompt": "what does this do?"}))
    }

    /// Every tool that writes, aimed at a file as the agent spells it.
    fn writes(&self, spelled: &str) -> Vec<(&'static str, Value)> {
        let edit = json!({"old_string": "two", "new_string": "2"});
        vec![
            ("Write", json!({"file_path": spelled, "content": "the agent's\n"})),
            ("Edit", json!({"file_path": spelled, "old_string": "two", "new_string": "2"})),
            ("MultiEdit", json!({"file_path": spelled, "edits": [edit]})),
            ("NotebookEdit", json!({"notebook_path": spelled, "new_source": "2"})),
            ("mcp__filesystem__write_file", json!({"path": spelled, "content": "2\n"})),
        ]
    }

    /// Whatever tool the agent takes, it may not write the file, and is told who
    /// holds it; the file stays as it is.
    #[track_caller]
    pub(crate) fn assert_denied(&self, spelled: impl AsRef<Path>, editor: &str, pid: u32) {
        let spelled = spelled.as_ref().to_str().unwrap();
        let real = self.path(spelled);
        let before = fs::read(&real).ok();
        for (tool, input) in self.writes(spelled) {
            let answer = self.before(tool, input);
            let Some(reason) = answer.refused else {
                panic!("{tool} of {spelled} was let through: {:?}", answer.message)
            };
            let who = format!("has unsaved changes in {editor} (pid {pid})");
            assert!(reason.contains(&who), "{tool}: {reason}");
            assert!(reason.contains(real.file_name().unwrap().to_str().unwrap()), "{reason}");
            assert!(answer.message.unwrap().contains(&format!("(pid {pid})")));
        }
        assert_eq!(fs::read(&real).ok(), before);
    }

    /// Whatever tool the agent takes, it may write the file.
    #[track_caller]
    pub(crate) fn assert_passes(&self, spelled: impl AsRef<Path>) {
        let spelled = spelled.as_ref().to_str().unwrap();
        for (tool, input) in self.writes(spelled) {
            let answer = self.before(tool, input);
            assert_eq!(
                (answer.refused, answer.input, answer.context),
                (None, None, None),
                "{tool}"
            );
        }
    }
}

/// Makes a folder for the user alone.
pub(crate) fn make_private(path: &Path) {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).unwrap();
}

/// Waits until `look` finds something.
#[track_caller]
pub(crate) fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    until_or(look, || format!("waited in vain for {what}"))
}

/// Waits until `look` finds something; in the end `complaint` says what is wrong.
#[track_caller]
pub(crate) fn until_or<T>(
    mut look: impl FnMut() -> Option<T>,
    complaint: impl Fn() -> String,
) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "{}", complaint());
        std::thread::park_timeout(Duration::from_millis(3));
    }
}

/// Returns the program that `cargo xtask setup` has installed for the tests.
#[track_caller]
pub(crate) fn program(variable: &str) -> PathBuf {
    let path = std::env::var_os(variable).map(PathBuf::from);
    match path.filter(|it| it.is_file()) {
        Some(path) => path,
        None => {
            panic!("{variable} names no program: run `cargo xtask setup`, then `cargo xtask test`")
        }
    }
}
