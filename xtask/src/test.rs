//! Runs every test there is, real programs included, and counts them.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::{root, setup};

/// Passes `args` on to `cargo test`, for example a filter.
pub(crate) fn run(args: &[&str]) -> anyhow::Result<()> {
    let variables = setup::run()?;
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "--workspace", "--all-features", "--no-fail-fast"]).args(args);
    command.envs(variables).current_dir(root()).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().context("failed to start cargo")?;
    let stdout = child.stdout.take().context("cargo has no stdout")?;
    let (mut n_passed, mut n_failed) = (0, 0);
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        println!("{line}");
        if let Some((passed, failed)) = counts(&line) {
            n_passed += passed;
            n_failed += failed;
        }
    }
    let status = child.wait()?;
    println!("{n_passed} passed, {n_failed} failed");
    if !status.success() || n_failed > 0 || n_passed == 0 {
        bail!("cargo test ended with {status}");
    }
    Ok(())
}

/// Reads `test result: ok. 18 passed; 0 failed; …`.
fn counts(line: &str) -> Option<(u64, u64)> {
    let rest = line.strip_prefix("test result: ")?.split_once(". ")?.1;
    let mut numbers = rest.split("; ").map(|it| it.split(' ').next()?.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_the_closing_line() {
        let line =
            "test result: FAILED. 18 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(counts(line), Some((18, 2)));
        assert_eq!(counts("test hook::x ... ok"), None);
    }
}
