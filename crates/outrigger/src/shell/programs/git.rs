//! git: the subcommands that change files in the work tree.

use crate::shell::field::{Field, Stream};
use crate::shell::programs::options::{Options, Spec};
use crate::shell::programs::{Program, files, patches};
use crate::shell::walk::{Call, Walk};
use crate::shell::{How, Place};

pub(crate) const PROGRAMS: &[Program] = &[Program { names: &["git"], run: git }];

/// Subcommands that leave the work tree alone.
const READERS: &[&str] = &[
    "add",
    "annotate",
    "blame",
    "branch",
    "bundle",
    "cat-file",
    "check-attr",
    "check-ignore",
    "cherry",
    "commit-tree",
    "count-objects",
    "credential",
    "describe",
    "diff-files",
    "diff-index",
    "diff-tree",
    "fetch",
    "for-each-ref",
    "fsck",
    "gc",
    "grep",
    "hash-object",
    "help",
    "init",
    "log",
    "ls-remote",
    "ls-tree",
    "maintenance",
    "merge-base",
    "merge-file",
    "mktree",
    "name-rev",
    "notes",
    "prune",
    "reflog",
    "remote",
    "repack",
    "replace",
    "rerere",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "status",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "var",
    "verify-commit",
    "version",
    "whatchanged",
    "write-tree",
];

fn git(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let mut rest = call.args.iter();
    let mut dirs = Vec::new();
    let subcommand = loop {
        let Some(field) = rest.next() else { return Stream::Unknown };
        let Some(text) = field.text() else {
            walk.unreadable();
            return Stream::Unknown;
        };
        match text {
            "-C" => dirs.extend(rest.next()),
            "-c" | "--git-dir" | "--namespace" => {
                rest.next();
            }
            "--work-tree" => dirs.extend(rest.next()),
            _ if text.starts_with('-') => {}
            _ => break text,
        }
    };
    // As if it were run there.
    let mut state = walk.state.clone();
    for dir in dirs {
        let to = dir.text().and_then(|it| state.path(it));
        state.change_dir(to);
    }
    let args = rest.as_slice();
    walk.in_copy(state, |walk| run(walk, subcommand, args, call.stdin))
}

fn run(walk: &mut Walk<'_>, subcommand: &str, args: &[Field], stdin: &Stream) -> Stream {
    match subcommand {
        "checkout" => checkout(walk, args),
        "switch" => switch(walk, args),
        "restore" => restore(walk, args),
        "stash" => stash(walk, args),
        "reset" => {
            if Options::new(args, Spec::default()).has(&["--hard", "--merge", "--keep"]) {
                work_tree(walk);
            }
        }
        "clean" => clean(walk, args),
        "pull" | "merge" | "rebase" | "revert" | "cherry-pick" | "am" | "bisect" | "submodule"
        | "sparse-checkout" | "checkout-index" | "read-tree" | "subtree" | "lfs" => {
            let is_asking = args.iter().any(|it| {
                matches!(it.text(), Some("--quit" | "--show-current-patch" | "status" | "log"))
            });
            if !is_asking {
                work_tree(walk);
            }
        }
        "apply" => patches::git_apply(walk, args, stdin),
        "rm" => {
            let options = Options::new(args, Spec::default());
            if !options.has(&["--cached", "-n", "--dry-run"]) {
                options.operands.iter().for_each(|it| walk.tree(How::Delete, it));
            }
        }
        "mv" => files::move_onto(walk, args),
        "diff" | "archive" | "format-patch" => output(walk, subcommand, args),
        "worktree" | "clone" => {
            let options = Options::new(args, Spec { valued: "bBo", ..Spec::default() });
            match (subcommand, options.operands.as_slice()) {
                ("clone", [_, dir, ..]) => walk.tree(How::Write, dir),
                ("worktree", [action, dir, ..]) => match action.text() {
                    Some("add") => walk.tree(How::Write, dir),
                    Some("remove") => walk.tree(How::Delete, dir),
                    _ => {}
                },
                ("clone", _) => walk.unreadable(),
                _ => {}
            }
        }
        // Hooks may do anything; formatters that mend what is committed do.
        "commit" | "push" => {
            if !args.iter().any(|it| matches!(it.text(), Some("--no-verify" | "-n" | "--dry-run")))
            {
                walk.unreadable();
            }
        }
        // The user's own settings may be open as well; which file it is, is not read.
        "config" => {
            let options = Options::new(args, Spec { valued: "f", attached: "", long: &["file"] });
            let is_asking = options.has(&["--get", "--get-all", "--get-regexp", "--list", "-l"]);
            if !is_asking && options.operands.len() > 1 {
                walk.unreadable();
            }
        }
        "ls-files" => return listed(args),
        _ if READERS.contains(&subcommand) => {}
        _ => walk.unreadable(),
    }
    Stream::Unknown
}

/// Notes that anything in the work tree may change.
pub(crate) fn work_tree(walk: &mut Walk<'_>) {
    match walk.state.cwd.clone() {
        Some(dir) => walk.place(How::Restore, Place::WorkTree(dir)),
        None => walk.unreadable(),
    }
}

fn paths(walk: &mut Walk<'_>, fields: &[Field]) {
    for field in fields {
        match field.text() {
            // `:/`, `:!x` …: pathspecs with magic.
            Some(text) if text.starts_with(':') => work_tree(walk),
            Some(text) if text.contains(['*', '?']) => {
                walk.tree(
                    How::Restore,
                    &Field::Names { pattern: spread(text), matches_hidden: true },
                );
            }
            _ => walk.tree(How::Restore, field),
        }
    }
}

/// In git's own patterns, `*` also goes through folders.
fn spread(pattern: &str) -> String {
    match pattern.rsplit_once('/') {
        Some((dir, name)) => format!("{dir}/**/{name}"),
        None => format!("**/{pattern}"),
    }
}

fn checkout(walk: &mut Walk<'_>, args: &[Field]) {
    let spec =
        Spec { valued: "bB", attached: "", long: &["orphan", "conflict", "pathspec-from-file"] };
    let options = Options::new(args, spec);
    let operands = &options.operands;
    if let Some(n_before) = options.n_before_dashes {
        return match operands.get(n_before..) {
            Some([]) | None => work_tree(walk),
            Some(named) => paths(walk, named),
        };
    }
    // A new branch starts where we are, unless told otherwise.
    if options.has(&["-b", "-B", "--orphan"]) {
        if !operands.is_empty() {
            work_tree(walk);
        }
        return;
    }
    match operands.as_slice() {
        [] if options.has(&["-f", "--force"]) => work_tree(walk),
        [] => {}
        [only] => match only.text() {
            Some(".") => paths(walk, operands),
            Some(text) if text.starts_with(':') || text.ends_with('/') => paths(walk, operands),
            Some(text) if is_revision(text) => work_tree(walk),
            Some(text) => match (walk.path(text), walk.state.cwd.clone()) {
                (Some(path), Some(dir)) => {
                    walk.place(How::Restore, Place::FileOrWorkTree { path, dir });
                }
                _ => walk.unreadable(),
            },
            None if *only == Field::Unknown => {
                work_tree(walk);
                walk.unreadable();
            }
            None => paths(walk, operands),
        },
        [first, rest @ ..] => {
            if first.text().is_some_and(|it| !is_revision(it)) {
                paths(walk, std::slice::from_ref(first));
            }
            paths(walk, rest);
        }
    }
}

/// Returns whether this can hardly be the name of a file.
fn is_revision(text: &str) -> bool {
    let is_hash = text.len() >= 7 && text.bytes().all(|it| it.is_ascii_hexdigit());
    is_hash
        || matches!(text, "-" | "@" | "main" | "master" | "develop" | "FETCH_HEAD" | "ORIG_HEAD")
        || text.starts_with("HEAD")
        || text.starts_with("origin/")
        || text.starts_with("upstream/")
        || text.starts_with("stash@{")
        || text.contains(['~', '^'])
}

fn switch(walk: &mut Walk<'_>, args: &[Field]) {
    let spec = Spec { valued: "cC", attached: "", long: &["create", "force-create", "orphan"] };
    let options = Options::new(args, spec);
    let is_new = options.has(&["-c", "-C", "--create", "--force-create"]);
    if !is_new || !options.operands.is_empty() || options.has(&["--orphan"]) {
        work_tree(walk);
    }
}

fn restore(walk: &mut Walk<'_>, args: &[Field]) {
    let spec =
        Spec { valued: "s", attached: "", long: &["source", "pathspec-from-file", "conflict"] };
    let options = Options::new(args, spec);
    let is_index_only = options.has(&["-S", "--staged"]) && !options.has(&["-W", "--worktree"]);
    if is_index_only {
        return;
    }
    if options.has(&["--pathspec-from-file"]) {
        work_tree(walk);
    }
    paths(walk, &options.operands);
}

fn stash(walk: &mut Walk<'_>, args: &[Field]) {
    let spec = Spec { valued: "m", attached: "", long: &["message", "pathspec-from-file"] };
    let options = Options::new(args, spec);
    match options.operands.split_first() {
        Some((action, rest)) => match action.text() {
            Some("list" | "show" | "drop" | "clear" | "create" | "store") => {}
            Some("push") if !rest.is_empty() => paths(walk, rest),
            _ => work_tree(walk),
        },
        None => work_tree(walk),
    }
}

fn clean(walk: &mut Walk<'_>, args: &[Field]) {
    let options = Options::new(args, Spec { valued: "e", attached: "", long: &["exclude"] });
    if options.has(&["-n", "--dry-run"]) || !options.has(&["-f", "--force", "-i"]) {
        return;
    }
    match options.operands.as_slice() {
        [] => walk.tree(How::Delete, &Field::of(".")),
        named => named.iter().for_each(|it| walk.tree(How::Delete, it)),
    }
}

fn output(walk: &mut Walk<'_>, subcommand: &str, args: &[Field]) {
    let long = &["output", "output-directory", "format", "prefix", "remote"];
    let valued = if subcommand == "diff" { "USGO" } else { "o" };
    let options = Options::new(args, Spec { valued, attached: "", long });
    match options.value(&["-o", "--output"]) {
        Some(field) if subcommand != "format-patch" => walk.file(How::Write, field),
        _ if subcommand == "format-patch" && !options.has(&["--stdout"]) => walk.unreadable(),
        _ => {}
    }
}

/// `git ls-files '*.clj'`, for what reads it.
fn listed(args: &[Field]) -> Stream {
    let options = Options::new(args, Spec { valued: "xX", ..Spec::default() });
    if options.operands.is_empty() {
        return Stream::Names(vec![Field::Names {
            pattern: "**/*".to_owned(),
            matches_hidden: true,
        }]);
    }
    let names = options.operands.iter().map(|it| match it.text() {
        Some(text) if text.contains(['*', '?']) => {
            Field::Names { pattern: spread(text), matches_hidden: true }
        }
        _ => it.clone(),
    });
    Stream::Names(names.collect())
}
