//! Runs the real Claude Code, headless, in a project, a home and a network of
//! its own: the only model it can reach is the script.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::agent_process::run_or_kill;
use crate::scripted_model::{Exchange, ScriptedModel, ToolUse, Turn, anthropic};

/// A run takes two seconds on an idle machine; this is for a busy one.
const PATIENCE: Duration = Duration::from_secs(120);

const SETTINGS: &str = ".claude/settings.local.json";

/// How outrigger gets into Claude Code.
#[derive(Debug)]
pub(super) enum Installed {
    /// These settings are added to the project's local ones.
    Settings(Value),
    /// `outrigger install claude` is run in the project, with these arguments.
    ByOutrigger(&'static [&'static str]),
    /// The repository's plugin is loaded.
    Plugin,
}

/// A run to be: the project, what is installed, what the model will say.
#[derive(Debug)]
pub(super) struct Case {
    root: tempfile::TempDir,
    program: PathBuf,
    permission_mode: &'static str,
    args: Vec<OsString>,
    script: Vec<Turn>,
}

/// What happened.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) exit: Option<i32>,
    /// The CLI's output, one JSON value per line.
    pub(super) stream: Vec<Value>,
    pub(super) requests: Vec<Exchange>,
    told: Vec<String>,
    stderr: String,
    case: Case,
}

impl Case {
    /// Returns an empty project in which edits need no permission, and nothing
    /// installed.
    pub(super) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let case = Self {
            program: PathBuf::from(env!("CARGO_BIN_EXE_outrigger")),
            permission_mode: "acceptEdits",
            args: Vec::new(),
            script: Vec::new(),
            root,
        };
        for folder in ["home", "tmp", "foreign", "config", "state", "cache", "data", "run"] {
            fs::create_dir(case.below(folder)).unwrap();
        }
        fs::create_dir(case.project()).unwrap();
        case
    }

    /// Returns the project's folder. The blank in its name is meant: whatever
    /// forgets to quote a path fails.
    pub(super) fn project(&self) -> PathBuf {
        self.below("the project")
    }

    /// Returns the path of a file in the project.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.project().join(name)
    }

    /// Returns the path of one of the run's own folders: `home`, `state`, ….
    pub(super) fn below(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Returns the folder all the others are in, by the name the CLI tells hooks:
    /// a temporary folder may be behind a link.
    fn root(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    /// Returns the binary that gets installed.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// Puts a file into the project.
    pub(super) fn file(self, name: &str, text: &str) -> Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Uses a copy of the binary from here on, for tests that take it away again.
    pub(super) fn with_own_program(mut self) -> Self {
        let copy = self.below("outrigger");
        fs::copy(&self.program, &copy).unwrap();
        self.program = copy;
        self
    }

    /// Takes away the copy of the binary, after it was installed.
    pub(super) fn without_program(self) -> Self {
        let settings = fs::read_to_string(self.path(SETTINGS)).unwrap();
        assert!(settings.contains(&*self.program.to_string_lossy()), "{settings}");
        fs::remove_file(self.below("outrigger")).unwrap();
        self
    }

    /// Adds a hook of somebody else's that writes down what it is given, and
    /// answers nothing.
    pub(super) fn foreign_hook(self, event: &str) -> Self {
        self.foreign_hook_then(event, "true")
    }

    /// Adds a hook of somebody else's that writes down what it is given and then
    /// runs a shell command.
    pub(super) fn foreign_hook_then(self, event: &str, then: &str) -> Self {
        let file = self.below("foreign").join(event);
        let command = format!("{{ cat; echo; }} >> {}; {then}", quoted(&file.to_string_lossy()));
        let hooks = json!([{"hooks": [{"type": "command", "command": command}]}]);
        self.add_settings(&json!({"hooks": {event: hooks}}));
        self
    }

    /// Installs outrigger as most tests want it.
    pub(super) fn usual(self) -> Self {
        self.install(Installed::ByOutrigger(&["--local", "--yes"]))
    }

    /// Installs outrigger.
    pub(super) fn install(mut self, how: Installed) -> Self {
        match how {
            Installed::Settings(settings) => self.add_settings(&settings),
            Installed::ByOutrigger(args) => {
                let mut command = self.command(&self.program);
                let output = command.args(["install", "claude"]).args(args).output().unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            }
            Installed::Plugin => {
                let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin");
                let manifest = plugin.join(".claude-plugin/plugin.json");
                assert!(manifest.exists(), "`{}` is missing", manifest.display());
                self.args.extend(["--plugin-dir".into(), plugin.into()]);
            }
        }
        self
    }

    /// Asks for another permission mode than `acceptEdits`.
    pub(super) fn permission_mode(mut self, mode: &'static str) -> Self {
        self.permission_mode = mode;
        self
    }

    /// Adds an argument to the CLI's.
    pub(super) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds a turn in which the model uses one tool.
    pub(super) fn uses(self, tool: ToolUse) -> Self {
        self.turn(Turn::uses([tool]))
    }

    /// Adds a turn.
    pub(super) fn turn(mut self, turn: Turn) -> Self {
        self.script.push(turn);
        self
    }

    /// Adds the model's last words and runs the CLI until it ends by itself.
    #[track_caller]
    pub(super) fn run(mut self) -> Run {
        self.script.push(Turn::says("Done."));
        let model = ScriptedModel::start(&anthropic::MESSAGES, self.script.clone());
        let status = self.run_cli(&model.url());
        let text = |name| fs::read_to_string(self.below(name)).unwrap_or_default();
        let raw = |line: &str| json!({"type": "not JSON", "line": line});
        let parsed = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| raw(line));
        let run = Run {
            exit: status.and_then(|it| it.code()),
            stream: text("stdout").lines().map(parsed).collect(),
            requests: model.exchanges(),
            told: model.told(),
            stderr: text("stderr"),
            case: self,
        };
        assert!(status.is_some(), "Claude Code did not end within {PATIENCE:?}");
        assert_eq!(model.n_unplayed(), 0, "some turns were never asked for");
        if run.case.program.exists() {
            assert_eq!(run.faults(), "", "a hook failed");
        }
        run
    }

    /// Runs the CLI. Returns nothing if it had to be killed.
    fn run_cli(&self, url: &str) -> Option<ExitStatus> {
        let mut command = self.command(claude());
        command.args(["-p", "--output-format", "stream-json", "--verbose"]);
        command.args(["--include-hook-events", "--permission-mode", self.permission_mode]);
        command.args(&self.args);
        command.env("ANTHROPIC_BASE_URL", url).env("ANTHROPIC_API_KEY", "scripted");
        for switch in [
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "DISABLE_AUTOUPDATER",
            "DISABLE_ERROR_REPORTING",
            "DISABLE_TELEMETRY",
        ] {
            command.env(switch, "1");
        }
        // Any proxy would be a way off this machine.
        command.env("NO_PROXY", "127.0.0.1");
        // Files instead of pipes: a process left behind cannot hold the test up.
        fs::write(self.below("stdin"), "Go.").unwrap();
        command.stdin(File::open(self.below("stdin")).unwrap());
        command.stdout(File::create(self.below("stdout")).unwrap());
        command.stderr(File::create(self.below("stderr")).unwrap());
        run_or_kill(&mut command, PATIENCE)
    }

    /// Returns a command that runs in the project and sees only this case's folders.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.project()).env_clear().stdin(Stdio::null());
        for name in ["LANG", "LC_ALL", "TERM", "TZ"] {
            command.envs(std::env::var_os(name).map(|it| (name, it)));
        }
        // The plugin looks for `outrigger` on the path.
        let outside = std::env::var_os("PATH").unwrap_or_default();
        let ours = self.program.parent().map(Path::to_path_buf);
        let path = std::env::join_paths(ours.into_iter().chain(std::env::split_paths(&outside)));
        command.env("PATH", path.unwrap());
        for (name, folder) in [
            ("HOME", "home"),
            ("TMPDIR", "tmp"),
            ("OUTRIGGER_TMP", "tmp"),
            ("CLAUDE_CODE_TMPDIR", "tmp"),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_RUNTIME_DIR", "run"),
            ("OUTRIGGER_LOG", "decisions"),
        ] {
            command.env(name, self.below(folder));
        }
        command
    }

    /// Adds settings to the local ones: lists of hooks are joined.
    fn add_settings(&self, more: &Value) {
        let path = self.path(SETTINGS);
        let text = fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_owned());
        let mut settings: Value = serde_json::from_str(&text).unwrap();
        for (event, entries) in more["hooks"].as_object().unwrap() {
            let listed = settings["hooks"][event].as_array().cloned().unwrap_or_default();
            let joined = listed.iter().chain(entries.as_array().unwrap());
            settings["hooks"][event] = joined.cloned().collect();
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{settings:#}\n")).unwrap();
    }
}

impl Run {
    /// Returns the project's files as they are now, without what an installation
    /// puts there.
    pub(super) fn files(&self) -> BTreeMap<String, String> {
        let is_installed = |name: &str| matches!(name, ".claude" | ".outrigger");
        let mut files = BTreeMap::new();
        let mut folders = vec![self.case.project()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.case.project()).unwrap().display().to_string();
                match path.is_dir() {
                    true if !is_installed(&name) => folders.push(path),
                    true => {}
                    false => {
                        let bytes = fs::read(path).unwrap();
                        files.insert(name, String::from_utf8_lossy(&bytes).into_owned());
                    }
                }
            }
        }
        files
    }

    /// Returns what the model learned with each request: the first holds the
    /// prompt, the n-th what became of its n-1st turn.
    pub(super) fn told(&self) -> &[String] {
        &self.told
    }

    /// Returns what the person at the terminal is told, a line each: what the CLI
    /// has to say, and the result.
    pub(super) fn shown(&self) -> String {
        let said = |message: &Value| {
            match message["type"].as_str() {
                Some("system") => message["content"].as_str().or(message["text"].as_str()),
                Some("result") => message["result"].as_str(),
                _ => None,
            }
            .map(|it| format!("{it}\n"))
        };
        self.stream.iter().filter_map(said).collect()
    }

    /// Returns the hooks that failed, wrote to stderr or gave an answer the CLI
    /// did not accept, a line each.
    pub(super) fn faults(&self) -> String {
        let is_fault = |it: &&Value| {
            it["subtype"] == "hook_response" && (it["outcome"] != "success" || it["stderr"] != "")
        };
        let line = |it: &Value| format!("{}: {}\n", text(&it["hook_name"]), text(&it["stderr"]));
        self.stream.iter().filter(is_fault).map(line).collect()
    }

    /// Returns what outrigger decided, a line each: event, tool, files, decision.
    pub(super) fn decisions(&self) -> String {
        let log = fs::read_to_string(self.case.below("decisions")).unwrap_or_default();
        let root = format!("{}/", self.case.root().display());
        let mut lines = String::new();
        for line in log.lines() {
            let decision: Value = serde_json::from_str(line).expect("every line is JSON");
            let mut words = vec![text(&decision["event"])];
            words.extend(decision["tool"].as_str().map(str::to_owned));
            words.extend(decision["files"].as_array().unwrap().iter().map(text));
            words.push(format!("-> {}\n", text(&decision["decision"])));
            lines += &words.join(" ").replace(&root, "");
        }
        lines
    }

    /// Returns what the foreign hook of this event was given.
    pub(super) fn foreign(&self, event: &str) -> Vec<Value> {
        let given = fs::read(self.case.below("foreign").join(event)).unwrap_or_default();
        serde_json::Deserializer::from_slice(&given).into_iter().map(Result::unwrap).collect()
    }
}

/// A test that fails says what happened.
impl Drop for Run {
    #[expect(clippy::print_stderr, reason = "the test runner shows it beside the failure")]
    fn drop(&mut self) {
        if !thread::panicking() {
            return;
        }
        eprintln!("exit {:?}\n-- files\n{:#?}", self.exit, self.files());
        eprintln!("-- decisions\n{}", self.decisions());
        let paths: Vec<&str> = self.requests.iter().map(|it| it.path.as_str()).collect();
        eprintln!("-- requests\n{}", paths.join("\n"));
        // The first request holds the CLI's own long instructions.
        for (request_idx, told) in self.told.iter().enumerate().skip(1) {
            eprintln!("-- told with request {request_idx}\n{told}");
        }
        eprintln!("-- shown\n{}-- hook faults\n{}", self.shown(), self.faults());
        eprintln!("-- stderr\n{}", self.stderr);
    }
}

/// Returns the settings that call `program` for everything it listens to.
pub(super) fn our_settings(program: &Path) -> Value {
    let command = format!("{} hook --agent claude", quoted(&program.to_string_lossy()));
    let entry = json!([{"hooks": [{"type": "command", "command": command, "timeout": 30}]}]);
    let events = [
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "UserPromptSubmit",
        "Stop",
        "SubagentStop",
        "SessionStart",
        "SessionEnd",
    ];
    let hooks: serde_json::Map<String, Value> =
        events.iter().map(|it| ((*it).to_owned(), entry.clone())).collect();
    json!({"hooks": hooks})
}

/// Returns the CLI under test. Without it these tests cannot say anything, so
/// they fail.
fn claude() -> &'static Path {
    static CLAUDE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let found = CLAUDE.get_or_init(|| {
        let path = std::env::var_os("OUTRIGGER_DEV_CLAUDE").map(PathBuf::from);
        let path = path.ok_or("`OUTRIGGER_DEV_CLAUDE` is not set")?;
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new(&path);
        command.arg("--version").env_clear().env("HOME", home.path()).stdin(Stdio::null());
        let output = command.output().map_err(|it| format!("`{}`: {it}", path.display()))?;
        match output.status.success() {
            true => Ok(path),
            false => Err(format!("`{}` ended with {}", path.display(), output.status)),
        }
    });
    match found {
        Ok(path) => path,
        Err(problem) => panic!("no Claude Code ({problem}): run `cargo xtask setup`"),
    }
}

/// Returns a word for a shell.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
