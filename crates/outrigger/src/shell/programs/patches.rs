//! Programs that apply patches, and the files that a patch names.

use crate::shell::How;
use crate::shell::field::{Field, Stream};
use crate::shell::programs::options::{Options, Spec};
use crate::shell::programs::{Program, git};
use crate::shell::walk::{Call, Walk};

pub(crate) const PROGRAMS: &[Program] = &[
    Program { names: &["apply_patch", "applypatch"], run: apply_patch },
    Program { names: &["patch", "gpatch"], run: patch },
];

/// The agents' own format, from the input or the first argument.
fn apply_patch(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let text = match call.args.first() {
        Some(field) => field.text(),
        None => call.stdin.text(),
    };
    let Some(text) = text else {
        walk.unreadable();
        return Stream::Unknown;
    };
    walk.patch(text);
    for line in text.lines() {
        let named = |marker: &str| line.strip_prefix(marker).map(|it| Field::of(it.trim()));
        if let Some(path) = named("*** Add File:") {
            walk.file(How::Write, &path);
        } else if let Some(path) = named("*** Update File:") {
            walk.file(How::Edit, &path);
        } else if let Some(path) = named("*** Delete File:") {
            walk.file(How::Delete, &path);
        } else if let Some(path) = named("*** Move to:") {
            walk.file(How::Write, &path);
        }
    }
    Stream::Unknown
}

fn patch(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec = Spec {
        valued: "pioBdDFrVYzg",
        attached: "",
        long: &["strip", "input", "output", "directory", "reject-file", "fuzz"],
    };
    let options = Options::new(call.args, spec);
    if options.has(&["--dry-run", "-C", "--check"]) {
        return Stream::Unknown;
    }
    if let Some(output) = options.value(&["-o", "--output"]) {
        walk.file(How::Write, output);
        return Stream::Unknown;
    }
    let strip = options.value(&["-p", "--strip"]).and_then(Field::text);
    let strip = strip.and_then(|it| it.parse::<usize>().ok());
    let dir = options.value(&["-d", "--directory"]).cloned();
    if let Some(file) = options.operands.first() {
        let file = dir.map_or_else(|| file.clone(), |dir| dir.child(file));
        walk.file(How::Edit, &file);
        return Stream::Unknown;
    }
    let text = if options.has(&["-i", "--input"]) { None } else { call.stdin.text() };
    match text {
        Some(text) => unified(walk, text, strip, dir.as_ref()),
        None => walk.tree(How::Restore, &dir.unwrap_or_else(|| Field::of("."))),
    }
    Stream::Unknown
}

/// `git apply`, which works from the work tree's root.
pub(crate) fn git_apply(walk: &mut Walk<'_>, args: &[Field], stdin: &Stream) {
    let spec = Spec { valued: "pC", attached: "", long: &["directory", "exclude", "include"] };
    let options = Options::new(args, spec);
    let is_asking = options.has(&["--check", "--stat", "--numstat", "--summary", "--cached"]);
    if is_asking && !options.has(&["--apply"]) {
        return;
    }
    let is_stdin = options.operands.iter().all(|it| it.text() == Some("-"));
    match stdin.text().filter(|_| is_stdin) {
        Some(text) => {
            let strip = options.value(&["-p"]).and_then(Field::text);
            let strip = strip.and_then(|it| it.parse::<usize>().ok()).unwrap_or(1);
            unified(walk, text, Some(strip), options.value(&["--directory"]));
        }
        None => git::work_tree(walk),
    }
}

/// Notes the files of a unified diff. Without a number of folders to take off,
/// `patch` takes the last part of the path.
fn unified(walk: &mut Walk<'_>, text: &str, strip: Option<usize>, dir: Option<&Field>) {
    let named = |line: &str| -> Option<Field> {
        let path = line.split('\t').next()?.trim_end();
        if path == "/dev/null" {
            return None;
        }
        let parts: Vec<&str> = path.split('/').collect();
        let n_off = strip.unwrap_or(parts.len() - 1);
        let path = Field::of(parts.get(n_off..)?.join("/"));
        Some(dir.map_or_else(|| path.clone(), |dir| dir.child(&path)))
    };
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        // Removed and added lines can look like headers, but not both at once.
        let (Some(old), Some(new)) =
            (line.strip_prefix("--- "), lines.peek().and_then(|it| it.strip_prefix("+++ ")))
        else {
            continue;
        };
        match (named(old), named(new)) {
            (Some(old), None) => walk.file(How::Delete, &old),
            (None, Some(new)) => walk.file(How::Write, &new),
            (Some(_), Some(new)) => walk.file(How::Edit, &new),
            (None, None) => {}
        }
    }
}
