//! How commands speak: exit codes, errors with their hint, text from outside
//! made safe for a terminal.

use std::fmt;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use crate::sys::env;

/// The answer is "no", or the work could not be done.
pub(super) const NO: u8 = 1;
/// The command line was wrong.
pub(super) const USAGE: u8 = 2;

/// An error's advice: printed on a line of its own below it.
#[derive(Debug)]
pub(super) struct Hint(pub(super) String);

impl fmt::Display for Hint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Prints an error with its causes, and its hint if it carries one.
pub(super) fn fail(error: &anyhow::Error) -> ExitCode {
    let hint = error.downcast_ref::<Hint>().map(ToString::to_string);
    let causes: Vec<String> =
        error.chain().map(ToString::to_string).filter(|it| Some(it) != hint.as_ref()).collect();
    let mut text = format!("error: {}\n", causes.join(": "));
    if let Some(hint) = hint {
        text.push_str(&format!("hint: {hint}\n"));
    }
    talk(&text);
    ExitCode::from(NO)
}

/// Prints data. A reader that has gone away is not an error.
pub(super) fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Prints talk, beside the data.
pub(super) fn talk(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Tells whether somebody is there to be asked.
pub(super) fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks a question; anything but a yes is a no.
pub(super) fn confirm(question: &str) -> bool {
    talk(&format!("{question} [y/N] "));
    let mut answer = String::new();
    let n_read = std::io::stdin().read_line(&mut answer).unwrap_or(0);
    n_read > 0 && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// Returns `text` with everything that could steer a terminal made visible.
/// File names and messages come from agents and projects.
pub(super) fn plain(text: &str) -> String {
    let is_bidi = |it: char| matches!(it, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let shown = |it: char| match it {
        '\n' | '\t' => it.to_string(),
        it if it.is_control() || is_bidi(it) => it.escape_default().to_string(),
        it => it.to_string(),
    };
    text.chars().map(shown).collect()
}

/// Colours for a terminal; plain text for everything else. What is said never
/// depends on them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint {
    is_on: bool,
}

impl Paint {
    /// Paints when stdout is a terminal and nobody has asked for plain text.
    pub(super) fn for_stdout() -> Self {
        Self { is_on: std::io::stdout().is_terminal() && env::NO_COLOR.get().is_none() }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    pub(super) fn red(self, text: &str) -> String {
        self.with("31", text)
    }

    pub(super) fn green(self, text: &str) -> String {
        self.with("32", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.is_on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
