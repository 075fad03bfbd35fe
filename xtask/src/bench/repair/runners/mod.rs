//! The tools that are measured, and how each is given a case. A tool gets what
//! its users can give it and nothing more: never the wanted text.

mod cli;
mod in_process;
mod parinfer;

use std::path::PathBuf;

use anyhow::Result;

use super::cases::Case;
use super::score::Answer;

pub(crate) use parinfer::install as install_parinfer;

/// What a tool is told besides the broken text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Nothing: a whole file was written.
    Write,
    /// The file as it was before.
    Edit,
    /// The file as it was before, and which bytes the edit put in.
    Span,
}

/// A tool in the benchmark.
#[derive(Debug, Clone)]
pub(crate) enum Tool {
    /// The repair of `crates/lisp`, called as a function.
    Outrigger,
    /// `outrigger repair -`, one process a case.
    OutriggerCli { program: PathBuf },
    /// `parinfer` from npm.
    Parinfer { package: PathBuf, function: &'static str },
}

impl Mode {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Mode::Write => "write",
            Mode::Edit => "edit",
            Mode::Span => "edit, span known",
        }
    }
}

impl Tool {
    pub(crate) fn name(&self) -> String {
        match self {
            Tool::Outrigger => "outrigger".to_owned(),
            Tool::OutriggerCli { .. } => "outrigger repair -".to_owned(),
            Tool::Parinfer { function, .. } => {
                format!("parinfer.js {} {function}", parinfer::VERSION)
            }
        }
    }

    /// Tells whether the tool can make use of what the mode tells it.
    pub(crate) fn knows(&self, mode: Mode) -> bool {
        match (self, mode) {
            (_, Mode::Write) | (Tool::Outrigger, _) => true,
            (Tool::OutriggerCli { .. }, it) => it == Mode::Edit,
            (Tool::Parinfer { .. }, _) => false,
        }
    }

    /// Returns an answer for each case, in order.
    pub(crate) fn answer(&self, mode: Mode, cases: &[Case]) -> Result<Vec<Answer>> {
        match self {
            Tool::Outrigger => Ok(cases.iter().map(|it| in_process::answer(mode, it)).collect()),
            Tool::OutriggerCli { program } => {
                cases.iter().map(|it| cli::answer(program, mode, it)).collect()
            }
            Tool::Parinfer { package, function } => parinfer::answer(package, function, cases),
        }
    }
}
