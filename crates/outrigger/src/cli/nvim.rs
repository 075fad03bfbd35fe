//! `outrigger nvim`: starts Neovim on a socket whose name tells folder and
//! process, which other tools look for too. We become Neovim, so that every
//! argument, signal and exit code is its own.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use anyhow::Context;

use crate::cli::output::{self, Hint};
use crate::sys::{paths, process};

pub(super) const ABOUT: &str = "Start Neovim on a socket that is found by its folder

Every argument goes to Neovim, and its exit code is ours. A plain `nvim` is found as well; this \
is for tools that look for `/tmp/<hash of the folder>-<pid>.sock`.";

/// The arguments, as `--help` shows them. They are passed on unread.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Neovim's own arguments
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

pub(super) fn run(args: &[OsString]) -> ExitCode {
    let folder = paths::process_dir();
    let socket = socket_in(&folder);
    remove_leftover(&socket);
    let mut command = process::command("nvim", &folder);
    command.stdin(Stdio::inherit()).arg("--listen").arg(&socket).args(args);
    let error = command.exec();
    let error = match error.kind() {
        ErrorKind::NotFound => anyhow::anyhow!("it is not on the PATH"),
        _ => error.into(),
    };
    let hint = Hint("install Neovim, or add the folder it is in to PATH".to_owned());
    let failed = Err::<(), _>(error).context("failed to start `nvim`").context(hint);
    failed.map_or_else(|error| output::fail(&error), |()| ExitCode::SUCCESS)
}

/// Returns the name by which others find a Neovim that was started in `folder`.
fn socket_in(folder: &Path) -> PathBuf {
    let folder = paths::canonical(folder);
    let hash = blake3::hash(folder.as_os_str().as_bytes()).to_hex();
    PathBuf::from(format!("/tmp/{hash}-{}.sock", std::process::id()))
}

/// A socket that carries our own pid is one of a process long gone.
fn remove_leftover(socket: &Path) {
    let Ok(meta) = socket.symlink_metadata() else { return };
    if meta.file_type().is_socket() && meta.uid() == rustix::process::getuid().as_raw() {
        let _ = std::fs::remove_file(socket);
    }
}
