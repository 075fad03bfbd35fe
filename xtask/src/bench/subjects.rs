//! What the hook benchmarks run: the programs, built, and the payloads.

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::Context;

use crate::setup::succeed;
use crate::{cache_dir, root};

pub(crate) const HOOK_ARGS: &[&str] = &["hook", "--agent", "claude"];

/// A throw-away home folder that is also the project.
pub(crate) struct World(PathBuf);

impl World {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let path = std::env::temp_dir().join(format!("outrigger-bench-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the payloads by name: nothing to do, a 300-line and a 3,000-line
/// Clojure file.
pub(crate) fn payloads(project: &Path) -> Vec<(&'static str, String)> {
    let write = |name: &str, content: &str| {
        serde_json::json!({
            "session_id": "bench", "transcript_path": "/dev/null", "cwd": project,
            "permission_mode": "acceptEdits", "hook_event_name": "PreToolUse",
            "tool_name": "Write", "tool_use_id": "toolu_1",
            "tool_input": {"file_path": project.join(name), "content": content},
        })
        .to_string()
    };
    vec![
        ("nothing to do", write("a.txt", "one\ntwo\n")),
        ("300-line Write", write("a.clj", &clojure(300))),
        ("3,000-line Write", write("b.clj", &clojure(3000))),
    ]
}

/// Returns a well-formed namespace of about that many lines.
fn clojure(n_lines: usize) -> String {
    let mut text = String::from("(ns bench.subject\n  (:require [clojure.string :as str]))\n");
    for n_form in 0..n_lines / 6 {
        text.push_str(&format!(
            "\n(defn handler-{n_form}\n  \"Handles request number {n_form}.\"\n  \
             [{{:keys [id name] :as request}}]\n  (let [found (get-in request [:params :id])]\n    \
             (when (= id found) (str/join \", \" [name found {{:n {n_form}}}]))))\n"
        ));
    }
    text
}

/// Builds outrigger as it is shipped.
pub(crate) fn outrigger() -> anyhow::Result<PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--package", "outrigger", "--message-format=json"]);
    let output = cargo.current_dir(root()).stderr(std::process::Stdio::inherit()).output()?;
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let executable = messages.lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message["executable"].as_str()?))
    });
    executable.context("cargo built no executable")
}

/// Compiles the floor: a static binary that reads stdin and does nothing.
pub(crate) fn floor() -> anyhow::Result<PathBuf> {
    let binary = cache_dir()?.join("floor");
    fs::create_dir_all(cache_dir()?)?;
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "-Copt-level=3", "-Cpanic=abort", "-Cstrip=symbols"]);
    rustc.args(["-Ctarget-feature=+crt-static", "-Crelocation-model=static", "-o"]).arg(&binary);
    rustc.arg(root().join("xtask/src/bench/floor.rs"));
    succeed(&mut rustc)?;
    Ok(binary)
}

/// Builds the peer `sidekick` 0.8.2 into the cache, once. Its build script wants
/// to download a recording for its demo; it is handed an empty one on loopback.
pub(crate) fn sidekick() -> anyhow::Result<PathBuf> {
    let folder = cache_dir()?.join("sidekick-0.8.2");
    let binary = folder.join("bin/sidekick");
    if !binary.exists() {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}/demo.cast", listener.local_addr()?);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let answer = b"HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\n\n";
                let _ = { stream }.write_all(answer);
            }
        });
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["install", "sidekick", "--version", "0.8.2", "--locked", "--root"])
            .arg(&folder);
        cargo.env("SIDEKICK_DEMO_CAST_URL", url).current_dir(folder.parent().unwrap_or(&folder));
        succeed(&mut cargo)?;
    }
    Ok(binary)
}

/// Starts a command, gives it its stdin, and waits for its end.
pub(crate) fn feed(command: &mut Command, stdin: &str) -> anyhow::Result<Output> {
    let mut child = command.spawn().with_context(|| format!("failed to start {command:?}"))?;
    if let Some(mut pipe) = child.stdin.take() {
        // A program that does not read its stdin is no failure.
        let _ = pipe.write_all(stdin.as_bytes());
    }
    Ok(child.wait_with_output()?)
}
