//! The rules, one file each, in the order in which they are asked.
//!
//! A guard sees our own words ([`Event`], [`Verdict`]) and the world through
//! [`Ctx`]; it never sees an agent's JSON.

pub(crate) mod delimiters;
mod own_state;
mod refresh;
mod selection;
mod targets;
mod unsaved;

use crate::ctx::Ctx;
use crate::event::{Event, EventKind};
use crate::verdict::Verdict;

/// One rule.
#[derive(Debug)]
pub(crate) struct Guard {
    /// Its name, in logs and faults.
    pub(crate) name: &'static str,
    /// Whether it has anything to say to this kind of event. Must be cheap.
    pub(crate) wants: fn(&EventKind) -> bool,
    /// What it says.
    pub(crate) judge: fn(&Event, &Ctx) -> Verdict,
}

/// Every rule, in order. Before a tool runs, the first refusal ends the matter.
pub(crate) const GUARDS: &[Guard] =
    &[own_state::GUARD, unsaved::GUARD, delimiters::GUARD, refresh::GUARD, selection::GUARD];
