//! The one test crate: a module per subcommand, agent and editor.
//!
//! Modules behind the feature `real` drive real programs; `cargo xtask test`
//! installs those and turns the feature on.
#![expect(clippy::disallowed_methods, reason = "tests make files and processes of their own")]
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[cfg(feature = "real")]
mod agent_process;
#[cfg(feature = "real")]
mod claude_code;
mod cli;
mod delimiters;
mod doctor;
#[cfg(feature = "real")]
mod editors;
mod hook;
mod hook_script;
mod install;
mod install_corpus;
mod payloads;
mod plugin;
mod repair;
mod replay;
#[cfg(feature = "real")]
mod scripted_model;
mod support;
mod tidy;
mod unsaved;
mod world;
