//! Runs every test there is, real programs included, and counts them.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::setup::{self, succeed};
use crate::{root, setup::is_on_path};

/// How many tests passed and failed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    n_passed: u64,
    n_failed: u64,
}

/// Runs all tests; with `args`, only those of `cargo test` that fit.
pub(crate) fn run(args: &[&str]) -> anyhow::Result<()> {
    let variables = setup::run()?;
    let mut count = Count::default();
    let mut failed = Vec::new();
    let mut suite = |name: &str, command: &mut Command, read: fn(&str) -> Option<Count>| {
        println!("\n== {name}");
        let is_ok = run_suite(command, read, &mut count)?;
        if !is_ok {
            failed.push(name.to_owned());
        }
        anyhow::Ok(())
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--workspace", "--all-features", "--no-fail-fast"]).args(args);
    cargo.envs(variables).current_dir(root());
    suite("cargo test", &mut cargo, cargo_count)?;
    if args.is_empty() {
        prepare_extension()?;
        suite("VS Code extension: checks", &mut npm(&["run", "--silent", "check"]), |_| None)?;
        suite("VS Code extension: unit tests", &mut npm(&["test", "--silent"]), node_count)?;
        suite(
            "VS Code extension: in a real VS Code",
            &mut npm(&["run", "--silent", "e2e"]),
            plain_count,
        )?;
    }
    println!("\n{} passed, {} failed", count.n_passed, count.n_failed);
    if !failed.is_empty() || count.n_failed > 0 || count.n_passed == 0 {
        bail!("not everything passed: {}", failed.join(", "));
    }
    Ok(())
}

/// Runs one suite, shows what it prints, and adds up what it counts; tells
/// whether it ended well.
fn run_suite(
    command: &mut Command,
    read: fn(&str) -> Option<Count>,
    count: &mut Count,
) -> anyhow::Result<bool> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("failed to start {command:?}"))?;
    let stdout = child.stdout.take().context("the suite has no stdout")?;
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        println!("{line}");
        if let Some(more) = read(&line) {
            count.n_passed += more.n_passed;
            count.n_failed += more.n_failed;
        }
    }
    Ok(child.wait()?.success())
}

fn extension() -> PathBuf {
    root().join("editors/vscode")
}

fn npm(args: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(args).current_dir(extension());
    command
}

fn prepare_extension() -> anyhow::Result<()> {
    if !is_on_path("npm") {
        bail!("npm is missing");
    }
    succeed(&mut npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]))
}

/// Reads `test result: ok. 18 passed; 0 failed; …`.
fn cargo_count(line: &str) -> Option<Count> {
    let rest = line.strip_prefix("test result: ")?.split_once(". ")?.1;
    let mut numbers = rest.split("; ").map(|it| it.split(' ').next()?.parse().ok());
    Some(Count { n_passed: numbers.next()??, n_failed: numbers.next()?? })
}

/// Reads Node's `ℹ pass 18` and `# fail 0`.
fn node_count(line: &str) -> Option<Count> {
    let mut words = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# "))?.split(' ');
    let (word, number) = (words.next()?, words.next()?.parse().ok()?);
    match word {
        "pass" => Some(Count { n_passed: number, n_failed: 0 }),
        "fail" => Some(Count { n_passed: 0, n_failed: number }),
        _ => None,
    }
}

/// Reads `18 passed, 0 failed`.
fn plain_count(line: &str) -> Option<Count> {
    let (passed, failed) = line.split_once(" passed, ")?;
    let failed = failed.strip_suffix(" failed")?;
    Some(Count { n_passed: passed.parse().ok()?, n_failed: failed.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_the_closing_lines() {
        let count = |n_passed, n_failed| Some(Count { n_passed, n_failed });
        let line =
            "test result: FAILED. 18 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(cargo_count(line), count(18, 2));
        assert_eq!(cargo_count("test hook::x ... ok"), None);
        assert_eq!(node_count("ℹ pass 104"), count(104, 0));
        assert_eq!(node_count("# fail 1"), count(0, 1));
        assert_eq!(node_count("ℹ duration_ms 8"), None);
        assert_eq!(plain_count("31 passed, 1 failed"), count(31, 1));
        assert_eq!(plain_count("x passed, y failed"), None);
    }
}
