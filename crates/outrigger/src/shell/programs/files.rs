//! Programs that copy, move, remove, link and fill files.

use crate::shell::How;
use crate::shell::field::{Field, Stream};
use crate::shell::programs::Program;
use crate::shell::programs::options::{Options, Spec};
use crate::shell::walk::{Call, Walk};

pub(crate) const PROGRAMS: &[Program] = &[
    Program { names: &["cp", "gcp"], run: cp },
    Program { names: &["mv", "gmv"], run: mv },
    Program { names: &["rm", "grm", "rmdir", "unlink", "trash", "shred"], run: rm },
    Program { names: &["ln", "gln"], run: ln },
    Program { names: &["install", "ginstall"], run: install },
    Program { names: &["rsync"], run: rsync },
    Program { names: &["truncate"], run: truncate },
    Program { names: &["dd"], run: dd },
    Program { names: &["tee"], run: tee },
    Program { names: &["sponge"], run: sponge },
    Program { names: &["sort", "shuf", "iconv", "pandoc", "tree"], run: output_option },
    Program { names: &["uniq", "xxd"], run: uniq },
    Program { names: &["split", "csplit"], run: unforeseen },
    Program { names: &["ls"], run: ls },
];

/// Where sources go: `-t dir`, or the last operand.
fn destination(options: &mut Options) -> Option<(Field, bool)> {
    match options.value(&["-t", "--target-directory"]).cloned() {
        Some(dir) => Some((dir, true)),
        None => options.operands.pop().map(|it| (it, false)),
    }
}

fn copy_onto(walk: &mut Walk<'_>, options: &mut Options) {
    let Some((to, is_dir)) = destination(options) else { return };
    let is_itself = options.has(&["-T", "--no-target-directory"]);
    let is_recursive = options.has(&["-r", "-R", "-a", "--recursive", "--archive"]);
    let is_many = options.operands.len() > 1;
    for from in &options.operands {
        let copies_content = from.text().is_some_and(|it| it.ends_with("/.") || it == ".");
        if is_itself || (is_recursive && copies_content) {
            if is_recursive { walk.tree(How::Write, &to) } else { walk.file(How::Write, &to) }
        } else if is_dir || is_many {
            walk.tree(How::Write, &to.child(&from.base_name()));
        } else {
            walk.file_or_entry(How::Write, &to, from);
        }
    }
}

const COPYING: Spec = Spec { valued: "tSg", attached: "", long: &["target-directory", "suffix"] };

fn cp(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let mut options = Options::new(call.args, COPYING);
    // Both leave a file that is there as it is.
    if !options.has(&["-n", "--no-clobber"]) {
        copy_onto(walk, &mut options);
    }
    Stream::Unknown
}

fn mv(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    move_onto(walk, call.args);
    Stream::Unknown
}

/// Moves, as `mv` and `git mv` do.
pub(crate) fn move_onto(walk: &mut Walk<'_>, args: &[Field]) {
    let mut options = Options::new(args, COPYING);
    let is_last_destination = !options.has(&["-t", "--target-directory"]);
    let n_sources = options.operands.len().saturating_sub(usize::from(is_last_destination));
    for from in &options.operands[..n_sources] {
        walk.tree(How::Move, from);
    }
    if n_sources > 0 {
        copy_onto(walk, &mut options);
    }
}

fn rm(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let valued = if call.name == "shred" { "ns" } else { "" };
    let options = Options::new(call.args, Spec { valued, ..Spec::default() });
    let is_recursive = options.has(&["-r", "-R", "--recursive"]) || call.name == "trash";
    for field in &options.operands {
        if is_recursive { walk.tree(How::Delete, field) } else { walk.file(How::Delete, field) }
    }
    Stream::Unknown
}

fn ln(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let mut options = Options::new(call.args, COPYING);
    if let [only] = options.operands.as_slice()
        && options.value(&["-t", "--target-directory"]).is_none()
    {
        walk.file(How::Write, &only.base_name());
    } else if options.has(&["-n", "-T", "--no-dereference", "--no-target-directory"]) {
        let to = options.operands.pop();
        to.iter().for_each(|it| walk.file(How::Write, it));
    } else {
        copy_onto(walk, &mut options);
    }
    Stream::Unknown
}

fn install(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec = Spec {
        valued: "tSgmo",
        attached: "",
        long: &["target-directory", "mode", "owner", "group"],
    };
    let mut options = Options::new(call.args, spec);
    if !options.has(&["-d", "--directory"]) {
        copy_onto(walk, &mut options);
    }
    Stream::Unknown
}

fn rsync(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let long =
        &["exclude", "include", "exclude-from", "include-from", "files-from", "filter", "rsh"];
    let mut options = Options::new(call.args, Spec { valued: "efBMT", attached: "", long });
    if options.has(&["-n", "--dry-run", "--list-only"]) || options.operands.len() < 2 {
        return Stream::Unknown;
    }
    let Some(to) = options.operands.pop() else { return Stream::Unknown };
    // `host:path` is on another machine.
    let is_remote = |it: &Field| {
        let head = it.text_or_empty().split('/').next().unwrap_or_default();
        head.contains(':')
    };
    if options.has(&["--remove-source-files"]) {
        options.operands.iter().for_each(|it| walk.tree(How::Delete, it));
    }
    if is_remote(&to) {
        return Stream::Unknown;
    }
    let deletes =
        options.has(&["--delete", "--delete-after", "--delete-before", "--delete-excluded"]);
    for from in &options.operands {
        if deletes || from.text().is_some_and(|it| it.ends_with('/') || it.ends_with('.')) {
            walk.tree(How::Write, &to);
        } else {
            walk.file_or_entry(How::Write, &to, from);
        }
    }
    Stream::Unknown
}

fn truncate(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec = Spec { valued: "sr", attached: "", long: &["size", "reference"] };
    for field in &Options::new(call.args, spec).operands {
        walk.file(How::Write, field);
    }
    Stream::Unknown
}

fn dd(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    for field in call.args {
        match field.text() {
            Some(text) => {
                if let Some(path) = text.strip_prefix("of=") {
                    walk.file(How::Write, &Field::of(path));
                }
            }
            None => walk.unreadable(),
        }
    }
    Stream::Unknown
}

fn tee(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let options = Options::new(call.args, Spec::default());
    let how = if options.has(&["-a", "--append"]) { How::Append } else { How::Write };
    for field in &options.operands {
        walk.file(how, field);
    }
    call.stdin.clone()
}

fn sponge(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let options = Options::new(call.args, Spec::default());
    let how = if options.has(&["-a"]) { How::Append } else { How::Write };
    for field in &options.operands {
        walk.file(how, field);
    }
    Stream::Unknown
}

/// Programs that print, unless `-o` names a file.
fn output_option(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec = match call.name {
        "sort" => Spec { valued: "oktST", attached: "", long: &["output", "key"] },
        "shuf" => Spec { valued: "oni", attached: "", long: &["output"] },
        "tree" => Spec { valued: "oLIP", ..Spec::default() },
        "iconv" => Spec { valued: "oft", attached: "", long: &["output", "from-code", "to-code"] },
        _ => Spec { valued: "oftrwV", attached: "", long: &["output", "from", "to"] },
    };
    let options = Options::new(call.args, spec);
    if let Some(field) = options.value(&["-o", "--output"]) {
        walk.file(How::Write, field);
        return Stream::Unknown;
    }
    match (call.name, call.stdin) {
        ("sort", Stream::Names(_)) if options.operands.is_empty() => call.stdin.clone(),
        _ => Stream::Unknown,
    }
}

fn uniq(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let options = Options::new(call.args, Spec { valued: "fswcglno", ..Spec::default() });
    match options.operands.as_slice() {
        [_, output] => walk.file(How::Write, output),
        [] => return call.stdin.clone(),
        _ => {}
    }
    Stream::Unknown
}

/// Programs that make up the names of what they write.
fn unforeseen(walk: &mut Walk<'_>, _call: &Call<'_>) -> Stream {
    walk.unreadable();
    Stream::Unknown
}

/// Names files, if only files are asked for.
fn ls(_walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let options = Options::new(call.args, Spec { valued: "I", ..Spec::default() });
    let is_plain = !options.has(&["-l", "-R", "-s", "-i"]) && !options.operands.is_empty();
    let is_pattern = |it: &Field| matches!(it, Field::Names { .. });
    if is_plain && options.operands.iter().all(is_pattern) {
        return Stream::Names(options.operands);
    }
    Stream::Unknown
}
