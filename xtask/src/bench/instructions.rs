//! Counts the instructions of a quiet hook with callgrind. Unlike time, the
//! count is the same on a busy machine, so CI can hold it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use super::subjects;

/// How far above the recorded count a hook may be.
const TOLERANCE_PERCENT: u64 = 10;

/// Counts, and with `--check` compares, with `--record` remembers.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let outrigger = subjects::outrigger()?;
    let world = subjects::World::new()?;
    let record = crate::root().join("xtask/src/bench/instructions.txt");
    let mut rows = Vec::new();
    for (name, payload) in subjects::payloads(world.path()) {
        // The first run makes folders; the second is what every later one costs.
        count(&outrigger, &payload, world.path())?;
        let n_instructions = count(&outrigger, &payload, world.path())?;
        println!("{n_instructions:>12}  {name}");
        rows.push((name, n_instructions));
    }
    if args.iter().any(|it| it == "--record") {
        let text: String = rows.iter().map(|(name, count)| format!("{count} {name}\n")).collect();
        fs::write(&record, text)?;
    }
    if args.iter().any(|it| it == "--check") {
        let recorded = fs::read_to_string(&record).context("nothing is recorded yet")?;
        check(&rows, &recorded)?;
    }
    Ok(())
}

fn check(rows: &[(&str, u64)], recorded: &str) -> anyhow::Result<()> {
    for (name, n_instructions) in rows {
        let line =
            recorded.lines().find_map(|line| line.split_once(' ').filter(|it| it.1 == *name));
        let Some((limit, _)) = line else {
            bail!("`{name}` is not recorded\nhint: run with `--record`")
        };
        let limit = limit.parse::<u64>()? * (100 + TOLERANCE_PERCENT) / 100;
        if *n_instructions > limit {
            bail!(
                "`{name}` takes {n_instructions} instructions, more than {limit}\n\
                 hint: find out why, or run with `--record` and say why in the commit"
            );
        }
    }
    Ok(())
}

fn count(program: &Path, payload: &str, home: &Path) -> anyhow::Result<u64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    command.args(subjects::HOOK_ARGS).env_clear().env("HOME", home).env("PATH", "/usr/bin:/bin");
    // What lies in the common folder would be counted as well.
    command.env("OUTRIGGER_TMP", home);
    command.current_dir(home).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let output = subjects::feed(&mut command, payload)?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let collected = text.lines().find_map(|line| line.split("Collected : ").nth(1));
    let collected = collected.with_context(|| format!("valgrind did not count:\n{text}"))?;
    Ok(collected.trim().parse()?)
}
