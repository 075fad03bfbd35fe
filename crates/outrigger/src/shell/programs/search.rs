//! Programs that look for files, and may do something to each: `find`, `fd`,
//! `grep -l`, `rg -l`. What they would find is known only as a pattern.

use crate::shell::How;
use crate::shell::field::{Field, Stream};
use crate::shell::programs::Program;
use crate::shell::programs::options::{Options, Spec};
use crate::shell::walk::{Call, Walk};

pub(crate) const PROGRAMS: &[Program] = &[
    Program { names: &["find", "gfind"], run: find },
    Program { names: &["fd", "fdfind"], run: fd },
    Program { names: &["grep", "egrep", "fgrep", "ggrep"], run: grep },
    Program { names: &["rg", "ag"], run: rg },
];

/// Returns the files below the folders, for each pattern of names.
fn below(roots: &[Field], names: &[String]) -> Vec<Field> {
    let any = ["*".to_owned()];
    let names = if names.is_empty() { &any } else { names };
    let pattern = |it: &String| Field::Names { pattern: format!("**/{it}"), matches_hidden: true };
    roots.iter().flat_map(|root| names.iter().map(|it| root.child(&pattern(it)))).collect()
}

fn find(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let starts_expression = |it: &Field| {
        it.text().is_some_and(|it| it.starts_with('-') || matches!(it, "(" | ")" | "!" | ","))
    };
    let is_global = |it: &Field| matches!(it.text(), Some("-H" | "-L" | "-P"));
    let args: Vec<&Field> = call.args.iter().skip_while(|it| is_global(it)).collect();
    let n_roots = args.iter().position(|it| starts_expression(it)).unwrap_or(args.len());
    let mut roots: Vec<Field> = args[..n_roots].iter().map(|it| (*it).clone()).collect();
    if roots.is_empty() {
        roots.push(Field::of("."));
    }
    let mut names = Vec::new();
    let mut is_filtered = false;
    let mut is_shallow = false;
    let mut actions: Vec<(&str, Vec<Field>)> = Vec::new();
    let mut rest = args[n_roots..].iter();
    let mut is_negated = false;
    while let Some(field) = rest.next() {
        let Some(word) = field.text() else { continue };
        match word {
            "!" | "-not" => {
                is_negated = true;
                continue;
            }
            "-name" | "-iname" => {
                let name = rest.next().and_then(|it| it.text());
                match name {
                    Some(name) if !is_negated && word == "-name" => names.push(name.to_owned()),
                    _ => is_filtered = true,
                }
            }
            "-o" | "-or" | "(" | ")" | "-a" | "-and" => {}
            "-maxdepth" => is_shallow = rest.next().is_some_and(|it| it.text() == Some("1")),
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let ends = |it: &&&Field| !matches!(it.text(), Some(";" | "+"));
                let line: Vec<Field> =
                    rest.by_ref().take_while(ends).map(|it| (*it).clone()).collect();
                actions.push(("-exec", line));
            }
            "-delete" => actions.push(("-delete", Vec::new())),
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                rest.next().into_iter().for_each(|it| walk.file(How::Write, it));
            }
            "-type" | "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex" | "-newer"
            | "-mtime" | "-mmin" | "-size" | "-user" | "-group" | "-perm" | "-mindepth"
            | "-empty" => {
                is_filtered = true;
                if word != "-empty" {
                    rest.next();
                }
            }
            _ => {}
        }
        is_negated = false;
    }
    // With `-o`, a filter may stand beside the names rather than narrow them.
    let has_or = args.iter().any(|it| matches!(it.text(), Some("-o" | "-or")));
    if has_or && is_filtered {
        names.clear();
    }
    let found = if is_shallow && !names.is_empty() {
        let name = |it: &String| Field::Names { pattern: it.clone(), matches_hidden: true };
        roots.iter().flat_map(|root| names.iter().map(|it| root.child(&name(it)))).collect()
    } else {
        below(&roots, &names)
    };
    let mut state = walk.state.clone();
    state.functions.clear();
    walk.in_copy(state, |walk| {
        for (action, line) in &actions {
            for file in &found {
                if *action == "-delete" {
                    walk.file(How::Delete, file);
                } else {
                    let line: Vec<Field> = line.iter().map(|it| it.replaced("{}", file)).collect();
                    walk.call(&line, &Stream::Unknown);
                }
            }
        }
        Stream::Unknown
    });
    if actions.is_empty() { Stream::Names(found) } else { Stream::Unknown }
}

fn fd(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let is_action = |it: &Field| matches!(it.text(), Some("-x" | "-X" | "--exec" | "--exec-batch"));
    let n_own = call.args.iter().position(is_action).unwrap_or(call.args.len());
    let (own, action) = call.args.split_at(n_own);
    let spec = Spec {
        valued: "etdEcjS",
        attached: "",
        long: &[
            "extension",
            "type",
            "max-depth",
            "exclude",
            "glob",
            "search-path",
            "base-directory",
        ],
    };
    let options = Options::new(own, spec);
    let endings = options.values(&["-e", "--extension"]).filter_map(Field::text);
    let names: Vec<String> = endings.map(|it| format!("*.{it}")).collect();
    let mut roots = options.operands.get(1..).unwrap_or_default().to_vec();
    if roots.is_empty() {
        roots.push(Field::of("."));
    }
    let found = below(&roots, &names);
    let Some((_, line)) = action.split_first() else { return Stream::Names(found) };
    let has_mark = line.iter().any(|it| it.text_or_empty().contains('{'));
    let mut state = walk.state.clone();
    state.functions.clear();
    walk.in_copy(state, |walk| {
        for file in &found {
            let mut line: Vec<Field> = line.iter().map(|it| it.replaced("{}", file)).collect();
            if !has_mark {
                line.push(file.clone());
            }
            // `{.}`, `{/}`: parts of the name.
            for field in &mut line {
                let is_part = ["{.}", "{/}", "{//}", "{/.}"]
                    .iter()
                    .any(|it| field.text_or_empty().contains(it));
                if is_part {
                    *field = Field::Unknown;
                }
            }
            walk.call(&line, &Stream::Unknown);
        }
        Stream::Unknown
    })
}

fn grep(_walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec = Spec {
        valued: "efmABCdD",
        attached: "",
        long: &["regexp", "file", "include", "exclude", "exclude-dir", "max-count", "context"],
    };
    let options = Options::new(call.args, spec);
    if !options.has(&["-l", "-L", "--files-with-matches", "--files-without-match"]) {
        return Stream::Unknown;
    }
    let has_pattern = options.has(&["-e", "-f", "--regexp", "--file"]);
    let paths = options.operands.get(usize::from(!has_pattern)..).unwrap_or_default();
    if !options.has(&["-r", "-R", "--recursive", "--dereference-recursive"]) {
        return if paths.is_empty() { Stream::Unknown } else { Stream::Names(paths.to_vec()) };
    }
    let names: Vec<String> =
        options.values(&["--include"]).filter_map(Field::text).map(str::to_owned).collect();
    let here = [Field::of(".")];
    Stream::Names(searched(if paths.is_empty() { &here } else { paths }, &names))
}

fn rg(_walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let spec = Spec {
        valued: "egtTfmABCjMd",
        attached: "",
        long: &[
            "regexp",
            "glob",
            "type",
            "type-not",
            "file",
            "max-count",
            "context",
            "replace",
            "max-depth",
        ],
    };
    let options = Options::new(call.args, spec);
    let is_listing = options.has(&["--files"]);
    if !is_listing && !options.has(&["-l", "--files-with-matches", "--files-without-match"]) {
        return Stream::Unknown;
    }
    let has_pattern = is_listing || options.has(&["-e", "-f", "--regexp", "--file"]);
    let paths = options.operands.get(usize::from(!has_pattern)..).unwrap_or_default();
    let globs = options.values(&["-g", "--glob"]).filter_map(Field::text);
    let names: Vec<String> =
        globs.filter(|it| !it.starts_with('!') && !it.contains('{')).map(str::to_owned).collect();
    let here = [Field::of(".")];
    Stream::Names(searched(if paths.is_empty() { &here } else { paths }, &names))
}

/// Files are searched themselves, folders with all that is in them.
fn searched(paths: &[Field], names: &[String]) -> Vec<Field> {
    let is_file = |it: &Field| {
        let name = it.base_name();
        name.text().is_some_and(|it| it.trim_matches('.').contains('.'))
    };
    let (files, folders): (Vec<Field>, Vec<Field>) = paths.iter().cloned().partition(is_file);
    let mut found = files;
    found.extend(below(&folders, names));
    found
}
