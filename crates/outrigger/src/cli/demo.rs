//! `outrigger demo`: plays an agent in a throw-away project. Real payloads go
//! through this very binary, as Claude Code would send them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use crate::cli::output::{Paint, print};
use crate::sys::deadline::Deadline;
use crate::sys::fs::{NewFile, write_atomic};
use crate::sys::process;

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

    /// Sends a payload through the hook; returns the input the tool would run
    /// with, or nothing if it was refused.
    fn ask(&self, tool: &str, input: &Value) -> anyhow::Result<Option<Value>> {
        let payload = json!({
            "session_id": "demo", "cwd": self.root.join("project"), "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_use_id": "toolu_demo", "tool_input": input,
        });
        let mut command = process::command(&self.program, &self.root);
        command.args(["hook", "--agent", "claude"]);
        command.env("XDG_STATE_HOME", self.root.join("state"));
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
        print(&format!("   {} {name}\n{}", self.paint.dim(verb), indented(text, "   │ ")));
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
