//! One time limit for a whole hook, made once and handed down.
//!
//! Layers never start a clock of their own: they take the deadline they were
//! given, or a nearer one made with [`Deadline::at_most`].

use std::time::{Duration, Instant};

/// The moment by which an answer must be given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    at: Instant,
}

impl Deadline {
    /// Returns the deadline that lies `budget` from now.
    pub(crate) fn after(budget: Duration) -> Self {
        Self { at: Instant::now() + budget }
    }

    /// Returns this deadline, or the one `budget` from now if that is nearer.
    pub(crate) fn at_most(self, budget: Duration) -> Self {
        Self { at: self.at.min(Instant::now() + budget) }
    }

    /// Returns the time left; zero once it has passed.
    pub(crate) fn remaining(self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }

    /// Tells whether the time is up.
    pub(crate) fn has_passed(self) -> bool {
        self.remaining().is_zero()
    }
}
