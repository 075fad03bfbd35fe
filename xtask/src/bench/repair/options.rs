//! The command line of the benchmark, and nothing else.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::corpus::{Archive, Half};
use super::damage::{KINDS, Kind};
use super::runners::Mode;

/// What `cargo xtask bench repair --help` prints.
pub(crate) const HELP: &str = "\
Measure how well delimiter damage is repaired

Usage: cargo xtask bench repair [OPTIONS]
(times are only worth something with `cargo run --release -p xtask -- bench repair`)

  --n N                          cases of M1-M12 for each half, in equal numbers; every
                                 further kind gets N/12 [default: 600]
  --seed N                       same seed, same corpus, same cases [default: 1]
  --half tuned|held-out|all      which packages [default: all]
  --corpus debian|maven          where the files come from [default: debian]
  --mode write|edit|both         without or with the file before [default: both]
  --kind LABELS                  only these kinds, such as M7,M9 [default: all]
  --cli PATH                     the `outrigger` to run [default: the one beside this program]
  --no-cli                       do not run the `outrigger` program
  --no-peers                     do not run parinfer
  --show N                       print N answers that are wrong or change lines elsewhere, of
                                 each way outrigger is run
  --json                         print JSON instead of Markdown
";

/// What a run was asked for.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) n: usize,
    pub(crate) seed: u64,
    pub(crate) halves: Vec<Half>,
    pub(crate) archive: Archive,
    pub(crate) modes: Vec<Mode>,
    pub(crate) labels: Vec<&'static str>,
    pub(crate) cli: Cli,
    pub(crate) peers: bool,
    pub(crate) n_shown: usize,
    pub(crate) json: bool,
    pub(crate) help: bool,
}

/// Which `outrigger` program is run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Cli {
    Beside,
    At(PathBuf),
    None,
}

impl Options {
    pub(crate) fn parse(args: &[String]) -> Result<Options> {
        let mut options = Options {
            n: 600,
            seed: 1,
            halves: vec![Half::Tuned, Half::HeldOut],
            archive: Archive::Debian,
            modes: vec![Mode::Write, Mode::Edit, Mode::Span],
            labels: KINDS.iter().map(|it| it.label).collect(),
            cli: Cli::Beside,
            peers: true,
            n_shown: 0,
            json: false,
            help: false,
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let (name, mut inline) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (arg.as_str(), None),
            };
            let mut value = || {
                let given = inline.take().or_else(|| args.next().map(String::as_str));
                given.with_context(|| format!("`{name}` needs a value"))
            };
            match name {
                "--n" => options.n = number(name, value()?)?,
                "--seed" => options.seed = number(name, value()?)? as u64,
                "--show" => options.n_shown = number(name, value()?)?,
                "--half" => {
                    options.halves = match value()? {
                        "tuned" => vec![Half::Tuned],
                        "held-out" => vec![Half::HeldOut],
                        "all" => vec![Half::Tuned, Half::HeldOut],
                        it => anyhow::bail!("`--half` is `tuned`, `held-out` or `all`, not `{it}`"),
                    }
                }
                "--corpus" => {
                    options.archive = match value()? {
                        "debian" => Archive::Debian,
                        "maven" => Archive::Maven,
                        it => anyhow::bail!("`--corpus` is `debian` or `maven`, not `{it}`"),
                    }
                }
                "--mode" => {
                    options.modes = match value()? {
                        "write" => vec![Mode::Write],
                        "edit" => vec![Mode::Edit, Mode::Span],
                        "both" => vec![Mode::Write, Mode::Edit, Mode::Span],
                        it => anyhow::bail!("`--mode` is `write`, `edit` or `both`, not `{it}`"),
                    }
                }
                "--kind" => options.labels = labels(value()?)?,
                "--cli" => options.cli = Cli::At(PathBuf::from(value()?)),
                "--no-cli" => options.cli = Cli::None,
                "--no-peers" => options.peers = false,
                "--json" => options.json = true,
                "--help" | "-h" => options.help = true,
                _ => anyhow::bail!("unknown option `{name}`\n\n{HELP}"),
            }
        }
        Ok(options)
    }

    /// Returns the kinds that were asked for.
    pub(crate) fn kinds(&self) -> Vec<&'static Kind> {
        KINDS.iter().filter(|it| self.labels.contains(&it.label)).collect()
    }
}

fn number(name: &str, value: &str) -> Result<usize> {
    value.parse().with_context(|| format!("`{name}` needs a number, not `{value}`"))
}

fn labels(value: &str) -> Result<Vec<&'static str>> {
    let label = |name: &str| {
        let kind = KINDS.iter().find(|it| it.label.eq_ignore_ascii_case(name));
        kind.map(|it| it.label).with_context(|| format!("no kind of damage `{name}`"))
    };
    value.split(',').map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read_with_and_without_an_equals_sign() {
        let options =
            parse("--n 24 --seed=7 --half held-out --mode=write --kind m7,X1 --cli a/b --json")
                .unwrap();
        let expected = Options {
            n: 24,
            seed: 7,
            halves: vec![Half::HeldOut],
            archive: Archive::Debian,
            modes: vec![Mode::Write],
            labels: vec!["M7", "X1"],
            cli: Cli::At(PathBuf::from("a/b")),
            peers: true,
            n_shown: 0,
            json: true,
            help: false,
        };
        assert_eq!(options, expected);
    }

    #[test]
    fn mistakes_are_named() {
        for (line, part) in [
            ("--half both", "not `both`"),
            ("--n", "`--n` needs a value"),
            ("--n x", "needs a number"),
            ("--kind M99", "no kind of damage `M99`"),
            ("--frobnicate", "unknown option"),
        ] {
            let message = format!("{:#}", parse(line).unwrap_err());
            assert!(message.contains(part), "{line}: {message}");
        }
    }
}
