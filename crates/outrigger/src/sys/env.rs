//! Every environment variable that outrigger reads, with its meaning.
//!
//! The list is the source of the table in `docs/cli.md`; nothing else in the
//! code asks the environment (clippy forbids it).

use std::ffi::OsString;
use std::path::PathBuf;

/// An environment variable and what it is for.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
}

pub(crate) const OUTRIGGER_LOG: Variable = Variable {
    name: "OUTRIGGER_LOG",
    about: "file to which every hook decision is appended, one JSON object per line",
};
pub(crate) const HOME: Variable = Variable { name: "HOME", about: "the home folder" };
pub(crate) const XDG_STATE_HOME: Variable = Variable {
    name: "XDG_STATE_HOME",
    about: "where `outrigger/` keeps its state (default `~/.local/state`)",
};
pub(crate) const XDG_CONFIG_HOME: Variable = Variable {
    name: "XDG_CONFIG_HOME",
    about: "where `outrigger/config.toml` is (default `~/.config`)",
};
pub(crate) const CLAUDE_CONFIG_DIR: Variable = Variable {
    name: "CLAUDE_CONFIG_DIR",
    about: "Claude Code's user folder (default `~/.claude`)",
};
pub(crate) const CLAUDE_PLUGIN_ROOT: Variable = Variable {
    name: "CLAUDE_PLUGIN_ROOT",
    about: "set by Claude Code when a hook comes from a plugin",
};
pub(crate) const OUTRIGGER_TMP: Variable =
    Variable { name: "OUTRIGGER_TMP", about: "looked at for editors' sockets instead of `/tmp`" };
pub(crate) const NO_COLOR: Variable =
    Variable { name: "NO_COLOR", about: "no colours, even on a terminal" };
pub(crate) const TMPDIR: Variable =
    Variable { name: "TMPDIR", about: "where temporary folders are made (default `/tmp`)" };
pub(crate) const XDG_DATA_HOME: Variable = Variable {
    name: "XDG_DATA_HOME",
    about: "where editors keep swap files and backups (default `~/.local/share`)",
};
pub(crate) const XDG_RUNTIME_DIR: Variable =
    Variable { name: "XDG_RUNTIME_DIR", about: "where Neovim puts its sockets" };
pub(crate) const NVIM: Variable =
    Variable { name: "NVIM", about: "the socket of the Neovim we run inside of" };
pub(crate) const USER: Variable =
    Variable { name: "USER", about: "part of the name of Neovim's folder for sockets" };
pub(crate) const PATH: Variable = Variable { name: "PATH", about: "where programs are looked for" };

/// All of the above, in the order in which they are documented.
pub(crate) const VARIABLES: &[&Variable] = &[
    &OUTRIGGER_LOG,
    &OUTRIGGER_TMP,
    &HOME,
    &XDG_STATE_HOME,
    &XDG_CONFIG_HOME,
    &CLAUDE_CONFIG_DIR,
    &CLAUDE_PLUGIN_ROOT,
    &PATH,
    &NO_COLOR,
    &TMPDIR,
    &XDG_DATA_HOME,
    &XDG_RUNTIME_DIR,
    &NVIM,
    &USER,
];

impl Variable {
    /// Returns the value, unless it is unset or empty.
    pub(crate) fn get(&self) -> Option<OsString> {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place that asks the environment"
        )]
        std::env::var_os(self.name).filter(|it| !it.is_empty())
    }

    /// Returns the value as an absolute path; a relative one is ignored, as the
    /// XDG base directory specification demands.
    pub(crate) fn absolute_path(&self) -> Option<PathBuf> {
        self.get().map(PathBuf::from).filter(|it| it.is_absolute())
    }
}
