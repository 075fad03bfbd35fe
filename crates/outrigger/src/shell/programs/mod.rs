//! What programs do to the files named in their arguments: one row each.
//!
//! A program that is in no table may write anything, which makes the answer
//! incomplete. Options are read as the programs' manuals say.

mod archives;
mod downloads;
mod edit;
mod files;
mod formatters;
mod git;
mod interpreters;
mod options;
mod patches;
mod search;
mod wrappers;

use std::path::Path;

use crate::shell::builtins;
use crate::shell::field::{Field, Stream};
use crate::shell::walk::{Call, Walk};

/// One program, under all its names.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) names: &'static [&'static str],
    /// Notes what is written, and returns what is printed if that is known.
    pub(crate) run: fn(&mut Walk<'_>, &Call<'_>) -> Stream,
}

/// Programs whose arguments are commands, or mean nothing.
const RUNNERS: &[&[Program]] =
    &[builtins::PROGRAMS, wrappers::PROGRAMS, search::PROGRAMS, interpreters::PROGRAMS];

/// Programs whose arguments are options and files.
const WRITERS: &[&[Program]] = &[
    files::PROGRAMS,
    edit::PROGRAMS,
    git::PROGRAMS,
    patches::PROGRAMS,
    archives::PROGRAMS,
    downloads::PROGRAMS,
];

/// Programs that write nothing but what they print. `touch`, `chmod` and
/// `mkdir` are here because they change no content.
const READERS: &[&str] = &[
    ":",
    "[",
    "alias",
    "apropos",
    "arch",
    "base32",
    "base64",
    "basename",
    "bat",
    "bc",
    "bg",
    "break",
    "cal",
    "chgrp",
    "chmod",
    "chown",
    "cksum",
    "clear",
    "cmp",
    "column",
    "comm",
    "compgen",
    "complete",
    "continue",
    "cut",
    "date",
    "delta",
    "df",
    "diff",
    "diff3",
    "difft",
    "dig",
    "dircolors",
    "dirname",
    "dirs",
    "disown",
    "du",
    "enable",
    "eza",
    "exa",
    "expand",
    "expr",
    "factor",
    "false",
    "fc",
    "fg",
    "file",
    "fmt",
    "fold",
    "free",
    "getconf",
    "getent",
    "groups",
    "gron",
    "hash",
    "head",
    "help",
    "hexdump",
    "history",
    "hostname",
    "htop",
    "id",
    "ifconfig",
    "info",
    "ip",
    "jobs",
    "join",
    "jq",
    "kill",
    "killall",
    "last",
    "less",
    "let",
    "locale",
    "locate",
    "logname",
    "lsattr",
    "lsblk",
    "lsof",
    "lscpu",
    "man",
    "md5",
    "md5sum",
    "mkdir",
    "mkfifo",
    "mktemp",
    "more",
    "netstat",
    "nl",
    "nproc",
    "nslookup",
    "numfmt",
    "od",
    "paste",
    "pathchk",
    "pgrep",
    "pidof",
    "ping",
    "pkill",
    "pr",
    "printenv",
    "ps",
    "pstree",
    "readelf",
    "readlink",
    "realpath",
    "rev",
    "seq",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shasum",
    "shellcheck",
    "shopt",
    "sleep",
    "ss",
    "ssh",
    "stat",
    "strings",
    "stty",
    "sum",
    "suspend",
    "sync",
    "tac",
    "tail",
    "test",
    "times",
    "tldr",
    "tokei",
    "top",
    "touch",
    "tput",
    "tr",
    "true",
    "tsort",
    "tty",
    "type",
    "ulimit",
    "umask",
    "unalias",
    "uname",
    "unexpand",
    "uptime",
    "users",
    "vdir",
    "vmstat",
    "w",
    "wait",
    "wc",
    "whatis",
    "whereis",
    "which",
    "who",
    "whoami",
    "yes",
    "zcat",
    "zgrep",
];

/// Runs a program.
pub(crate) fn run(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let path = Path::new(call.name);
    let name = match path.file_name().and_then(|it| it.to_str()) {
        // What lies in the project may be called like a program, and be another.
        Some(name) if path.is_absolute() || name == call.name => name,
        _ => {
            walk.unreadable();
            return Stream::Unknown;
        }
    };
    let call = &Call { name, ..*call };
    if let Some(program) = find(RUNNERS, name) {
        return (program.run)(walk, call);
    }
    if asks_for_help(call.args) {
        return Stream::Unknown;
    }
    if let Some(program) = find(WRITERS, name) {
        return (program.run)(walk, call);
    }
    if formatters::run(walk, call) || READERS.contains(&name) {
        return Stream::Unknown;
    }
    walk.unreadable();
    Stream::Unknown
}

fn find(tables: &'static [&'static [Program]], name: &str) -> Option<&'static Program> {
    tables.iter().flat_map(|it| it.iter()).find(|it| it.names.contains(&name))
}

fn asks_for_help(args: &[Field]) -> bool {
    let mut options = args.iter().map_while(|it| (it.text() != Some("--")).then_some(it));
    options.any(|it| matches!(it.text(), Some("--help" | "--version")))
}
