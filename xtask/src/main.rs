//! The project's chores: what a developer or CI runs, as one program that needs
//! no shell. `cargo xtask` lists them.
#![expect(
    clippy::disallowed_methods,
    reason = "a chore starts programs and writes files of its own"
)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a chore talks to whoever runs it")]

mod bench;
mod setup;
mod test;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;

const USAGE: &str = "\
Usage: cargo xtask <chore>

  setup                 install what the tests need (apt, npm, pip), by name
  test                  setup, then every test, real programs included
  bench guard           time a hook beside none, one, five and suspended Neovims
  bench hook            time a hook against the floor and a peer
  bench instructions    count a quiet hook's instructions; `--check` fails at +10 %
  bench repair          score the repair against parinfer
  bench parinfer-cases  compare the repair with parinfer's own test cases
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> anyhow::Result<()> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["setup"] => setup::run().map(drop),
        ["test", rest @ ..] => test::run(rest),
        ["bench", ..] => bench::run(&args[1..]),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        [word, ..] => bail!("no chore `{word}`\n\n{USAGE}"),
    }
}

/// Returns the root of the checkout.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Returns the folder in which downloaded tools and corpora are kept between
/// runs and between checkouts.
pub(crate) fn cache_dir() -> anyhow::Result<PathBuf> {
    let base = match std::env::var_os("XDG_CACHE_HOME").filter(|it| !it.is_empty()) {
        Some(base) => PathBuf::from(base),
        None => match std::env::var_os("HOME") {
            Some(home) => PathBuf::from(home).join(".cache"),
            None => bail!("neither XDG_CACHE_HOME nor HOME is set"),
        },
    };
    Ok(base.join("outrigger-dev"))
}
