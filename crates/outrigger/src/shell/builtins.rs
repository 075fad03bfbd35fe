//! What a shell does itself: folders, variables, `eval`, `echo`.

use crate::shell::field::{Field, MAX_MADE, Stream};
use crate::shell::programs::Program;
use crate::shell::walk::{Call, Walk};

pub(crate) const PROGRAMS: &[Program] = &[
    Program { names: &["cd", "chdir"], run: cd },
    Program { names: &["pushd"], run: pushd },
    Program { names: &["popd"], run: popd },
    Program { names: &["export", "declare", "local", "typeset", "readonly"], run: declare },
    Program { names: &["unset"], run: unset },
    Program { names: &["read", "mapfile", "readarray", "getopts"], run: read },
    Program { names: &["set"], run: set },
    Program { names: &["shift"], run: shift },
    Program { names: &["eval"], run: eval },
    Program { names: &["source", "."], run: source },
    Program { names: &["exit", "return", "logout"], run: exit },
    Program { names: &["trap"], run: trap },
    Program { names: &["echo"], run: echo },
    Program { names: &["printf"], run: printf },
    Program { names: &["pwd"], run: pwd },
    Program { names: &["cat"], run: cat },
];

/// Returns whether assignments may be arguments of this.
pub(crate) fn is_declaring(name: &str) -> bool {
    matches!(name, "export" | "declare" | "local" | "typeset" | "readonly")
}

fn nothing() -> Stream {
    Stream::Text(String::new())
}

fn is_option(field: &&Field) -> bool {
    field.text().is_some_and(|it| it.len() > 1 && it.starts_with('-'))
}

fn cd(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let to = match call.args.iter().find(|it| !is_option(it)) {
        None => Some(walk.home.to_path_buf()),
        Some(Field::Text(text)) if text == "-" => walk.state.previous.clone(),
        Some(Field::Text(text)) if text.is_empty() => walk.state.cwd.clone(),
        Some(Field::Text(text)) => walk.path(text),
        Some(Field::Names { .. } | Field::Unknown) => None,
    };
    if to.is_none() {
        walk.unreadable();
    }
    walk.state.change_dir(to);
    nothing()
}

fn pushd(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let here = walk.state.cwd.clone();
    walk.state.stack.push(here);
    cd(walk, call)
}

fn popd(walk: &mut Walk<'_>, _call: &Call<'_>) -> Stream {
    let to = walk.state.stack.pop().flatten();
    walk.state.change_dir(to);
    nothing()
}

/// The assignments themselves have been made already.
fn declare(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let is_exported = call.name == "export" || call.args.iter().any(|it| it.text() == Some("-x"));
    for field in call.args.iter().filter(|it| !is_option(it)) {
        let Some(text) = field.text() else { continue };
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        if let Some(value) = value {
            walk.state.variables.insert(name.to_owned(), vec![Field::of(value)]);
        }
        if is_exported {
            walk.state.exported.insert(name.to_owned());
        }
    }
    nothing()
}

fn unset(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    for name in call.args.iter().filter_map(Field::text) {
        walk.state.variables.remove(name);
        walk.state.functions.remove(name);
    }
    nothing()
}

fn read(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    for name in call.args.iter().filter(|it| !is_option(it)).filter_map(Field::text) {
        walk.state.variables.insert(name.to_owned(), vec![Field::Unknown]);
    }
    nothing()
}

fn set(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let dashes = call.args.iter().position(|it| it.text() == Some("--"));
    if let Some(at) = dashes {
        walk.state.positional = Some(call.args[at + 1..].to_vec());
    }
    nothing()
}

fn shift(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let n_fields = match call.args.first() {
        None => Some(1),
        Some(field) => field.text().and_then(|it| it.parse::<usize>().ok()),
    };
    walk.state.positional = match (walk.state.positional.take(), n_fields) {
        (Some(values), Some(n_fields)) => Some(values.into_iter().skip(n_fields).collect()),
        _ => None,
    };
    nothing()
}

fn eval(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let words: Option<Vec<&str>> = call.args.iter().map(Field::text).collect();
    match words {
        Some(words) => walk.text(&words.join(" "), call.stdin),
        None => {
            walk.unreadable();
            Stream::Unknown
        }
    }
}

/// What is in the file is not known, nor which folder it leaves us in; most do
/// not change it.
fn source(walk: &mut Walk<'_>, _call: &Call<'_>) -> Stream {
    walk.unreadable();
    Stream::Unknown
}

fn exit(walk: &mut Walk<'_>, _call: &Call<'_>) -> Stream {
    walk.state.has_ended = true;
    nothing()
}

/// Runs it now: when it will be run, nobody knows, but it will.
fn trap(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    match call.args {
        [Field::Text(command), _, ..] if !command.starts_with('-') && !command.is_empty() => {
            let copy = walk.state.clone();
            walk.in_copy(copy, |walk| walk.text(command, &Stream::Unknown));
        }
        [Field::Text(_), ..] | [] => {}
        _ => walk.unreadable(),
    }
    nothing()
}

fn echo(_walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let is_flag = |it: &&Field| matches!(it.text(), Some("-n" | "-e" | "-E" | "-ne" | "-en"));
    let n_flags = call.args.iter().take_while(is_flag).count();
    let (flags, args) = call.args.split_at(n_flags);
    let words: Option<Vec<&str>> = args.iter().map(Field::text).collect();
    match words {
        Some(words) if words.iter().map(|it| it.len()).sum::<usize>() > MAX_MADE => Stream::Unknown,
        Some(words) => {
            let text = words.join(" ");
            let is_escaped = flags.iter().any(|it| it.text_or_empty().contains('e'));
            Stream::Text(if is_escaped { unescaped(&text) } else { text } + "\n")
        }
        None if args.iter().all(|it| *it != Field::Unknown) => Stream::Names(args.to_vec()),
        None => Stream::Unknown,
    }
}

fn printf(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    if let [Field::Text(flag), Field::Text(name), ..] = call.args
        && flag == "-v"
    {
        walk.state.variables.insert(name.clone(), vec![Field::Unknown]);
        return nothing();
    }
    let Some((format, args)) = call.args.split_first() else { return nothing() };
    let words: Option<Vec<&str>> = args.iter().map(Field::text).collect();
    let (Some(format), Some(words)) = (format.text(), words) else { return Stream::Unknown };
    let format = unescaped(format);
    if !format.contains('%') {
        return Stream::Text(format);
    }
    let parts: Vec<&str> = format.split("%s").collect();
    let (n_places, is_plain) = (parts.len() - 1, parts.iter().all(|it| !it.contains('%')));
    if n_places == 0 || !is_plain {
        return Stream::Unknown;
    }
    if words.iter().map(|it| it.len() + format.len()).sum::<usize>() > MAX_MADE {
        return Stream::Unknown;
    }
    // The format is used again until all words are.
    let mut out = String::new();
    for chunk in words.chunks(n_places) {
        for (idx, part) in parts.iter().enumerate() {
            out.push_str(part);
            out.push_str(if idx < n_places { chunk.get(idx).unwrap_or(&"") } else { "" });
        }
    }
    Stream::Text(out)
}

fn pwd(walk: &mut Walk<'_>, _call: &Call<'_>) -> Stream {
    let here = walk.state.cwd.as_ref().and_then(|it| it.to_str());
    here.map_or(Stream::Unknown, |it| Stream::Text(format!("{it}\n")))
}

fn cat(_walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    match call.args {
        [] => call.stdin.clone(),
        [Field::Text(dash)] if dash == "-" => call.stdin.clone(),
        _ => Stream::Unknown,
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(it) = chars.next() {
        match it {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('0') => out.push('\0'),
                Some('\\') => out.push('\\'),
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            other => out.push(other),
        }
    }
    out
}
