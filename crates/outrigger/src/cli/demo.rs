//! `outrigger demo`: plays an agent in a throw-away project. Real payloads go
//! through this very binary, as Claude Code would send them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use crate::cli::output::{Paint, print};
use crate::sys::deadline::Deadline;
use crate::sys::fs::{NewFile, write_atomic};
use crate::sys::{process, programs};

/// A folder for the project and for our state, removed at the end.
struct Stage {
    root: PathBuf,
    program: PathBuf,
    paint: Paint,
    n_scenes: usize,
}

pub(super) fn run() -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let stage = &mut Stage::new()?;
    print(&format!("A throw-away project in {}\n", stage.root.display()));

    stage.scene("The agent writes a file and forgets a bracket");
    let pricing = "(ns shop.pricing)\n\n(defn total [items]\n  (reduce + 0 (map :price items))\n\n\
                   (defn tax [items]\n  (* 0.2 (total items)))\n";
    stage.write("pricing.clj", pricing)?;

    stage.scene("It edits the file and closes one bracket too many");
    stage.edit("pricing.clj", "  (* 0.2 (total items)))", "  (* 0.19 (total items)))))")?;

    stage.scene("It begins a form and does not say where it ends");
    stage.edit("pricing.clj", "(defn tax [items]", "(defn tax [items]\n  (let [rate 0.19]")?;

    let human = stage.human()?;
    stage.scene(&format!("A human types into tax.txt in {}; the agent writes it", human.editor));
    stage.write("tax.txt", "the agent's text\n")?;
    stage.scene("It tries the same with a shell command");
    stage.shell("sed -i s/mine/yours/ tax.txt")?;
    drop(human);

    stage.scene("It tries to write where outrigger keeps its own state");
    let own = stage.root.join("state/outrigger/trust/all");
    stage.write(&own.to_string_lossy(), "yes\n")?;

    let took = started.elapsed();
    print(&format!(
        "\nDone in {:.1} s. Install it with `outrigger install`.\n",
        took.as_secs_f64()
    ));
    Ok(ExitCode::SUCCESS)
}

impl Stage {
    fn new() -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("failed to find this program")?;
        let root = crate::sys::paths::fresh_temporary_dir("outrigger-demo")
            .context("failed to make a folder for the demo")?;
        fs::create_dir_all(root.join("project"))?;
        fs::create_dir_all(root.join("run"))?;
        Ok(Self { root, program, paint: Paint::for_stdout(), n_scenes: 0 })
    }

    fn scene(&mut self, title: &str) {
        self.n_scenes += 1;
        print(&format!("\n{}\n", self.paint.bold(&format!("{}. {title}", self.n_scenes))));
    }

    /// The agent calls `Write`.
    fn write(&self, name: &str, content: &str) -> anyhow::Result<()> {
        let path = self.root.join("project").join(name);
        let input = json!({"file_path": path, "content": content});
        self.show("writes", name, content);
        if let Some(input) = self.ask("Write", &input)? {
            let content = input["content"].as_str().unwrap_or_default();
            write_atomic(&path, content.as_bytes(), NewFile::Shared)?;
            self.show("on disk", name, content);
        }
        Ok(())
    }

    /// The agent calls `Edit`.
    fn edit(&self, name: &str, old: &str, new: &str) -> anyhow::Result<()> {
        let path = self.root.join("project").join(name);
        let input = json!({"file_path": path, "old_string": old, "new_string": new});
        self.show("replaces", name, old);
        self.show("by", name, new);
        if let Some(input) = self.ask("Edit", &input)? {
            let new = input["new_string"].as_str().unwrap_or_default();
            let content = fs::read_to_string(&path)?.replacen(old, new, 1);
            write_atomic(&path, content.as_bytes(), NewFile::Shared)?;
            self.show("on disk", name, new);
        }
        Ok(())
    }

    /// The agent calls `Bash`.
    fn shell(&self, command: &str) -> anyhow::Result<()> {
        self.show("runs", "", command);
        self.ask("Bash", &json!({"command": command})).map(drop)
    }

    /// Lets somebody edit a file: a real Neovim if there is one, else a process
    /// that looks like Vim to whoever reads its swap file.
    fn human(&self) -> anyhow::Result<Human> {
        let file = self.root.join("project/tax.txt");
        write_atomic(&file, b"mine\n", NewFile::Shared)?;
        match programs::find("nvim") {
            Some(nvim) => self.neovim(&nvim, &file),
            None => self.vim(&file),
        }
    }

    fn neovim(&self, nvim: &Path, file: &Path) -> anyhow::Result<Human> {
        let mut command = process::command(nvim, &self.root);
        command.args(["--clean", "--headless"]).arg(file);
        command.args(["-c", "normal! oa line that is not saved", "-c"]);
        command.arg("lua io.stdout:write('ready\\n') io.stdout:flush()");
        self.private(&mut command).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().context("failed to start Neovim")?;
        let stdout = process.stdout.take().context("Neovim has no stdout")?;
        let human = Human { editor: "Neovim", process };
        BufReader::new(stdout).read_line(&mut String::new())?;
        Ok(human)
    }

    fn vim(&self, file: &Path) -> anyhow::Result<Human> {
        let program = self.root.join("vim");
        fs::copy("/bin/sleep", &program).context("failed to make something like Vim")?;
        let process = process::command(&program, &self.root).arg("60").spawn()?;
        let mut header = vec![0; 4096];
        header[..2].copy_from_slice(b"b0");
        header[24..28].copy_from_slice(&process.id().to_le_bytes());
        let name = file.as_os_str().as_encoded_bytes();
        header[108..108 + name.len().min(800)].copy_from_slice(&name[..name.len().min(800)]);
        // The mark of a modified buffer.
        header[1007] = 0x55;
        let human = Human { editor: "Vim", process };
        write_atomic(&file.with_file_name(".tax.txt.swp"), &header, NewFile::Private)?;
        Ok(human)
    }

    /// Keeps a program's sockets and everything it leaves behind in our folder.
    fn private<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "NVIM"] {
            command.env_remove(name);
        }
        command.env("HOME", &self.root).env("XDG_STATE_HOME", self.root.join("state"));
        command.env("TMPDIR", &self.root);
        command.env("OUTRIGGER_TMP", &self.root).env("XDG_RUNTIME_DIR", self.root.join("run"))
    }

    /// Sends a payload through the hook; returns the input the tool would run
    /// with, or nothing if it was refused.
    fn ask(&self, tool: &str, input: &Value) -> anyhow::Result<Option<Value>> {
        let payload = json!({
            "session_id": "demo", "cwd": self.root.join("project"), "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_use_id": "toolu_demo", "tool_input": input,
        });
        let mut command = process::command(&self.program, &self.root);
        command.args(["hook", "--agent", "claude"]);
        self.private(&mut command);
        let started = Instant::now();
        let deadline = Deadline::after(Duration::from_secs(10));
        let finished =
            process::run(&mut command, payload.to_string().as_bytes(), 1 << 20, deadline)?;
        let took = started.elapsed();
        if !finished.stderr.is_empty() {
            bail!("the hook complained: {}", String::from_utf8_lossy(&finished.stderr));
        }
        let answer: Value = match finished.stdout.is_empty() {
            true => Value::Null,
            false => serde_json::from_slice(&finished.stdout)?,
        };
        self.show_answer(&answer, took);
        let said = &answer["hookSpecificOutput"];
        Ok(match said.get("permissionDecision") {
            Some(_) => None,
            None => Some(said.get("updatedInput").unwrap_or(input).clone()),
        })
    }

    fn show_answer(&self, answer: &Value, took: Duration) {
        let said = &answer["hookSpecificOutput"];
        let millis = format!("{:.1} ms", took.as_secs_f64() * 1e3);
        let (word, text) = match said["permissionDecisionReason"].as_str() {
            Some(reason) => (self.paint.red("refused"), reason),
            None => (
                self.paint.green("passed"),
                said["additionalContext"].as_str().unwrap_or("(nothing to say)"),
            ),
        };
        print(&format!("   outrigger: {word} in {millis}; the model is told:\n"));
        print(&indented(text, "     "));
    }

    fn show(&self, verb: &str, name: &str, text: &str) {
        let name = Path::new(name).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let head = format!("{} {name}", self.paint.dim(verb));
        print(&format!("   {}\n{}", head.trim_end(), indented(text, "   │ ")));
    }
}

/// Somebody who edits a file, until dropped.
struct Human {
    editor: &'static str,
    process: Child,
}

impl Drop for Human {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn indented(text: &str, margin: &str) -> String {
    text.lines().map(|line| format!("{}\n", format!("{margin}{line}").trim_end())).collect()
}
