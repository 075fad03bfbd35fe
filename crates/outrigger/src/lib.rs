//! outrigger: rides beside a coding agent and keeps the boat level.
//!
//! The rooms and the doors between them are described in `docs/ARCHITECTURE.md`.

pub mod agents;
pub mod cli;
pub mod ctx;
pub mod event;
mod guards;
mod heartbeat;
pub mod hook;
mod once;
mod shell;
mod sys;
pub mod verdict;

pub use sys::paths::Dirs;
