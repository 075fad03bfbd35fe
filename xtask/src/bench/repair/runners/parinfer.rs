//! Runs `parinfer` from npm, the peer anyone can run, in one Node process.
//!
//! It is only ever given the broken text. Smart mode also takes a list of changes,
//! but over whole edits it gave the same answers with and without one.
#![expect(
    clippy::disallowed_methods,
    reason = "a developer's chore may start programs and keep scratch files"
)]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::super::cases::Case;
use super::super::score::Answer;

/// The measured version.
pub(crate) const VERSION: &str = "3.13.1";

const SCRIPT: &str = include_str!("parinfer.js");

/// Installs the package into the cache, if need be, and returns its folder.
pub(crate) fn install() -> Result<PathBuf> {
    let folder = crate::cache_dir()?.join("peers").join(format!("parinfer-{VERSION}"));
    let package = folder.join("node_modules").join("parinfer");
    if !package.join("package.json").is_file() {
        std::fs::create_dir_all(&folder)?;
        let done = Command::new("npm")
            .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", "."])
            .arg(format!("parinfer@{VERSION}"))
            .current_dir(&folder)
            .stdin(Stdio::null())
            .output()
            .context("failed to start `npm`\nhint: install Node, or pass `--no-peers`")?;
        let complaint = String::from_utf8_lossy(&done.stderr);
        anyhow::ensure!(
            done.status.success(),
            "`npm install parinfer` failed: {}",
            complaint.trim()
        );
    }
    Ok(package)
}

pub(super) fn answer(package: &Path, function: &str, cases: &[Case]) -> Result<Vec<Answer>> {
    let mut input = String::new();
    for (idx, case) in cases.iter().enumerate() {
        let request = json!({ "id": idx, "broken": case.broken });
        writeln!(input, "{request}").context("a string takes any text")?;
    }
    let output = run_node(package, function, input)?;
    let mut answers: HashMap<u64, Answer> = HashMap::new();
    for line in output.lines() {
        let reply: Value =
            serde_json::from_str(line).context("`parinfer.js` wrote something else than JSON")?;
        let id = reply["id"].as_u64().context("a reply of `parinfer.js` has no id")?;
        let text = reply["text"].as_str().map(str::to_owned);
        answers.insert(id, Answer { text, ms: reply["ms"].as_f64().unwrap_or_default() });
    }
    (0..cases.len() as u64)
        .map(|it| answers.remove(&it).context("`parinfer.js` left a case out"))
        .collect()
}

fn run_node(package: &Path, function: &str, input: String) -> Result<String> {
    // A script in a file keeps stdin free for the cases.
    let script = crate::cache_dir()?.join("peers").join("parinfer.js");
    std::fs::write(&script, SCRIPT)?;
    let mut node = Command::new("node")
        .args([&script, package])
        .arg(function)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("failed to start `node`\nhint: install Node, or pass `--no-peers`")?;
    let mut stdin = node.stdin.take().context("stdin is a pipe")?;
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = node.wait_with_output()?;
    anyhow::ensure!(output.status.success(), "`node` failed on `parinfer.js`: {}", output.status);
    match writer.join() {
        Ok(written) => written.context("failed to hand the cases to `node`")?,
        Err(_) => anyhow::bail!("the thread that feeds `node` panicked"),
    }
    String::from_utf8(output.stdout).context("`parinfer.js` wrote something else than UTF-8")
}
