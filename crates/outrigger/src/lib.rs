//! outrigger: rides beside a coding agent and keeps the boat level.
//!
//! The rooms and the doors between them are described in `docs/ARCHITECTURE.md`.

pub mod agents;
pub mod cli;
pub mod ctx;
mod editors;
pub mod event;
mod guards;
mod heartbeat;
pub mod hook;
mod install;
mod once;
mod session;
mod shell;
mod sys;
mod told;
pub mod verdict;

pub use sys::paths::Dirs;
