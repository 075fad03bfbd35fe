//! Edits and candidates in words, for the agent that has to act on them.

use std::fmt;

use crate::repair::{Candidate, Change, Edit};

impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.change {
            Change::Insert(added) => write!(f, "added `{added}`")?,
            Change::Delete(removed) => write!(f, "removed `{removed}`")?,
            Change::Replace { from, to } => write!(f, "replaced `{from}` by `{to}`")?,
        }
        match self.after.is_empty() {
            true => f.write_str(" at the start of the line"),
            false => write!(f, " after `{}`", self.after),
        }
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, edit) in self.edits.iter().enumerate() {
            let separator = if idx == 0 { "" } else { "; " };
            write!(f, "{separator}{edit}")?;
        }
        Ok(())
    }
}
