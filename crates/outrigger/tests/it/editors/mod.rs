//! The guard against real editors: what they hold is never overwritten, what
//! they do not hold is never refused.
//!
//! A test's editors see only the folders of its [`desk::Desk`], and the hook is
//! the real binary, fed as Claude Code feeds it. A missing editor fails the test.

mod commands;
mod desk;
mod emacs;
mod liars;
mod neovim;
mod neovim_states;
mod nvim;
mod pty;
mod refresh;
mod selection;
mod vim;
