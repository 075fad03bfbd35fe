//! Programs that run code: shells, whose code is walked, and other languages,
//! in which only the plainest writes are found.

use crate::shell::How;
use crate::shell::field::{Field, Stream};
use crate::shell::programs::Program;
use crate::shell::programs::wrappers::n_leading_options;
use crate::shell::scripts;
use crate::shell::walk::{Call, Walk};

pub(crate) const PROGRAMS: &[Program] = &[
    Program { names: &["sh", "bash", "zsh", "dash", "ksh", "ash", "mksh"], run: shell },
    Program { names: &["python", "python3", "python2", "pypy3"], run: python },
    Program { names: &["node", "nodejs", "bun", "deno", "tsx"], run: node },
    Program { names: &["bb", "clojure", "clj", "nbb", "joker", "basilisp"], run: clojure },
];

fn shell(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let n_options = n_leading_options(call.args, "oO", &["rcfile", "init-file"]);
    let (options, rest) = call.args.split_at(n_options);
    let has = |letter: char| {
        let mut short = options.iter().filter_map(Field::text).filter(|it| !it.starts_with("--"));
        short.any(|it| it.starts_with('-') && it.contains(letter))
    };
    // `-n` only looks at the syntax.
    if has('n') {
        return Stream::Unknown;
    }
    let mut child = walk.state.child();
    let code = if has('c') {
        // After the code come `$0`, `$1` …
        child.positional = Some(rest.get(2..).unwrap_or_default().to_vec());
        rest.first().and_then(Field::text)
    } else if rest.is_empty() || has('s') || rest[0].text() == Some("-") {
        child.positional = Some(rest.to_vec());
        call.stdin.text()
    } else {
        None
    };
    match code {
        Some(code) => walk.in_copy(child, |walk| walk.text(code, &Stream::Unknown)),
        None => {
            walk.unreadable();
            Stream::Unknown
        }
    }
}

/// Returns the code after one of these options, or else from the input if no
/// file is named.
fn code<'a>(call: &Call<'a>, flags: &[&str], n_options: usize) -> Option<&'a str> {
    let at = call.args.iter().position(|it| flags.contains(&it.text_or_empty()));
    if let Some(at) = at {
        return call.args.get(at + 1).and_then(Field::text);
    }
    match call.args.get(n_options).map(Field::text) {
        None | Some(Some("-")) => call.stdin.text(),
        Some(_) => None,
    }
}

/// Code in another language is never read whole.
fn python(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let n_options = n_leading_options(call.args, "cmWX", &[]);
    let module = call.args.iter().position(|it| it.text() == Some("-m"));
    if let Some(at) = module.filter(|it| *it < n_options) {
        return run_module(walk, &call.args[at + 1..], call.stdin);
    }
    walk.unreadable();
    if let Some(code) = code(call, &["-c"], n_options) {
        scripts::python(walk, code);
    }
    Stream::Unknown
}

/// `python -m black src` is `black src`.
fn run_module(walk: &mut Walk<'_>, line: &[Field], stdin: &Stream) -> Stream {
    match line.first().and_then(Field::text) {
        Some("json.tool") => {
            let files: Vec<&Field> =
                line[1..].iter().filter(|it| !it.text_or_empty().starts_with("--")).collect();
            if let [_, output] = files.as_slice() {
                walk.file(How::Write, output);
            }
            Stream::Unknown
        }
        _ => walk.call(line, stdin),
    }
}

fn node(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    walk.unreadable();
    let n_options = n_leading_options(call.args, "epr", &["eval", "print", "require", "import"]);
    let flags: &[&str] = match call.name {
        "deno" => &["eval"],
        _ => &["-e", "--eval", "-p", "--print", "-pe"],
    };
    if let Some(code) = code(call, flags, n_options) {
        scripts::javascript(walk, code);
    }
    Stream::Unknown
}

fn clojure(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    walk.unreadable();
    let n_options = n_leading_options(call.args, "e", &["eval", "classpath"]);
    let first = call.args.first().and_then(Field::text).filter(|it| it.starts_with('('));
    if let Some(code) = first.or_else(|| code(call, &["-e", "--eval"], n_options)) {
        scripts::clojure(walk, code);
    }
    Stream::Unknown
}
