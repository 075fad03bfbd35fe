//! The one test crate: a module per subcommand, agent and editor.
//!
//! Modules behind the feature `real` drive real programs; `cargo xtask test`
//! installs those and turns the feature on.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make files, processes and folders of their own, and fail where that fails"
)]

mod hook;
mod install;
mod install_corpus;
mod payloads;
mod plugin;
mod support;
mod tidy;
