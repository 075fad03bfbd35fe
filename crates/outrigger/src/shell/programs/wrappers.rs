//! Programs that run another program: `sudo`, `env`, `timeout`, `xargs` …

use crate::shell::field::{Field, Stream};
use crate::shell::programs::Program;
use crate::shell::walk::{Call, Walk};

pub(crate) const PROGRAMS: &[Program] = &[
    Program { names: &["command", "builtin"], run: command },
    Program { names: &["exec"], run: exec },
    Program { names: &["xargs", "gxargs"], run: xargs },
    Program { names: &["su"], run: su },
    Program {
        names: &[
            "sudo",
            "doas",
            "env",
            "nohup",
            "setsid",
            "stdbuf",
            "nice",
            "ionice",
            "timeout",
            "gtimeout",
            "time",
            "chronic",
            "caffeinate",
            "unbuffer",
            "flock",
            "watch",
            "npx",
            "bunx",
            "uv",
            "uvx",
            "pipx",
            "poetry",
            "pipenv",
            "hatch",
            "rye",
            "pdm",
            "pnpm",
            "yarn",
            "npm",
            "bundle",
            "direnv",
            "rtk",
            "xvfb-run",
            "ltrace",
            "strace",
            "taskset",
            "chrt",
        ],
        run: wrapper,
    },
];

/// How a program's own arguments end and the other program begins.
#[derive(Debug)]
struct Wrapper {
    names: &'static [&'static str],
    /// Subcommands after which a program may follow. None: it follows at once.
    subcommands: &'static [&'static str],
    /// Letters of options that take a value.
    valued: &'static str,
    /// Long options that take the next argument.
    long: &'static [&'static str],
    /// How many operands come before the program.
    n_operands: usize,
}

const BASE: Wrapper =
    Wrapper { names: &[], subcommands: &[], valued: "", long: &[], n_operands: 0 };

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["sudo", "doas"],
        valued: "ugCphTDrt",
        long: &["user", "group", "chdir"],
        ..BASE
    },
    Wrapper { names: &["env"], valued: "uCS", long: &["unset", "chdir"], ..BASE },
    Wrapper { names: &["stdbuf"], valued: "ioe", long: &["input", "output", "error"], ..BASE },
    Wrapper { names: &["nice"], valued: "n", long: &["adjustment"], ..BASE },
    Wrapper { names: &["ionice"], valued: "cn", ..BASE },
    Wrapper {
        names: &["timeout", "gtimeout"],
        valued: "sk",
        long: &["signal", "kill-after"],
        n_operands: 1,
        ..BASE
    },
    Wrapper { names: &["time"], valued: "fo", long: &["format", "output"], ..BASE },
    Wrapper { names: &["watch"], valued: "n", long: &["interval"], ..BASE },
    Wrapper { names: &["flock"], valued: "wE", long: &["timeout"], n_operands: 1, ..BASE },
    Wrapper { names: &["taskset", "chrt"], n_operands: 1, ..BASE },
    Wrapper { names: &["strace", "ltrace"], valued: "eosp", ..BASE },
    Wrapper {
        names: &["npx", "bunx", "uvx", "pipx"],
        valued: "p",
        long: &["package", "from", "with"],
        ..BASE
    },
    Wrapper {
        names: &["uv", "poetry", "pipenv", "hatch", "rye", "pdm"],
        subcommands: &["run"],
        valued: "p",
        long: &["with", "python", "project", "extra", "group"],
        ..BASE
    },
    Wrapper { names: &["pnpm", "yarn", "npm"], subcommands: &["exec", "dlx"], ..BASE },
    Wrapper { names: &["bundle"], subcommands: &["exec"], ..BASE },
    Wrapper { names: &["direnv"], subcommands: &["exec"], n_operands: 1, ..BASE },
];

/// Returns how many arguments are options and their values.
pub(crate) fn n_leading_options(args: &[Field], valued: &str, long: &[&str]) -> usize {
    let mut idx = 0;
    while let Some(text) = args.get(idx).and_then(Field::text) {
        if text == "--" {
            return idx + 1;
        }
        if text.len() < 2 || !text.starts_with('-') {
            return idx;
        }
        let takes_next = match text.strip_prefix("--") {
            Some(name) => long.contains(&name),
            None => {
                let place = text.char_indices().skip(1).find(|it| valued.contains(it.1));
                place.is_some_and(|it| it.0 + it.1.len_utf8() == text.len())
            }
        };
        idx += 1 + usize::from(takes_next);
    }
    idx.min(args.len())
}

fn wrapper(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let wrapper = WRAPPERS.iter().find(|it| it.names.contains(&call.name)).unwrap_or(&BASE);
    let mut args = call.args;
    if !wrapper.subcommands.is_empty() {
        let known =
            args.first().and_then(Field::text).is_some_and(|it| wrapper.subcommands.contains(&it));
        if !known {
            // `npm install`, `uv sync` …
            walk.unreadable();
            return Stream::Unknown;
        }
        args = &args[1..];
    }
    let n_options = n_leading_options(args, wrapper.valued, wrapper.long);
    let (options, rest) = args.split_at(n_options);
    let rest = rest.get(wrapper.n_operands..).unwrap_or_default();
    let mut state = walk.state.clone();
    // Other programs do not know a shell's functions.
    state.functions.clear();
    if matches!(call.name, "env" | "sudo" | "doas")
        && let Some(dir) = value_of(options, &["-C", "-D", "--chdir"])
    {
        let to = dir.text().and_then(|it| state.path(it));
        state.change_dir(to);
    }
    let mut rest = rest;
    while let Some((first, others)) = rest.split_first()
        && let Some((name, value)) = first.text().and_then(|it| it.split_once('='))
        && matches!(call.name, "env" | "sudo" | "doas")
    {
        state.variables.insert(name.to_owned(), vec![Field::of(value)]);
        state.exported.insert(name.to_owned());
        rest = others;
    }
    let line = match call.name {
        // `env -S 'a b'` and `watch 'a b'` take a whole line; `flock f -c 'a b'` too.
        "env" => value_of(options, &["-S"]).cloned(),
        "watch" | "flock" => match rest {
            [only] => Some(only.clone()),
            [flag, line] if flag.text() == Some("-c") => Some(line.clone()),
            _ => None,
        },
        _ => None,
    };
    walk.in_copy(state, |walk| match line {
        Some(Field::Text(line)) => walk.text(&line, call.stdin),
        Some(_) => {
            walk.unreadable();
            Stream::Unknown
        }
        None if rest.is_empty() => Stream::Unknown,
        None => walk.call(rest, call.stdin),
    })
}

fn value_of<'a>(options: &'a [Field], names: &[&str]) -> Option<&'a Field> {
    let at = options.iter().position(|it| names.contains(&it.text_or_empty()))?;
    options.get(at + 1)
}

fn command(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let n_options = n_leading_options(call.args, "", &[]);
    let (options, rest) = call.args.split_at(n_options);
    if options.iter().any(|it| matches!(it.text(), Some("-v" | "-V"))) || rest.is_empty() {
        return Stream::Unknown;
    }
    let functions = std::mem::take(&mut walk.state.functions);
    let output = walk.call(rest, call.stdin);
    walk.state.functions = functions;
    output
}

fn exec(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let n_options = n_leading_options(call.args, "a", &[]);
    let rest = &call.args[n_options..];
    // Without a program it only redirects this shell.
    if rest.is_empty() {
        return Stream::Unknown;
    }
    let output = walk.call(rest, call.stdin);
    walk.state.has_ended = true;
    output
}

fn su(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    match value_of(call.args, &["-c", "--command"]) {
        Some(Field::Text(line)) => {
            let child = walk.state.child();
            walk.in_copy(child, |walk| walk.text(line, call.stdin))
        }
        _ => {
            walk.unreadable();
            Stream::Unknown
        }
    }
}

fn xargs(walk: &mut Walk<'_>, call: &Call<'_>) -> Stream {
    let long = &["arg-file", "delimiter", "max-args", "max-procs", "max-lines", "replace"];
    let n_options = n_leading_options(call.args, "aEILnPsdJR", long);
    let (options, command) = call.args.split_at(n_options);
    if command.is_empty() {
        return call.stdin.clone();
    }
    let texts = || options.iter().filter_map(Field::text);
    let mark = texts().find_map(|it| it.strip_prefix("-I").or_else(|| it.strip_prefix("-J")));
    let mark = match mark {
        Some("") => value_of(options, &["-I", "-J"]).and_then(Field::text),
        other => other.or_else(|| texts().any(|it| it == "-i").then_some("{}")),
    };
    let is_from_file = texts().any(|it| it.starts_with("-a") || it.starts_with("--arg-file"));
    let is_zero =
        texts().any(|it| it.starts_with('-') && !it.starts_with("--") && it.contains('0'));
    let names = match call.stdin {
        _ if is_from_file => None,
        Stream::Text(text) if is_zero => {
            Some(text.split('\0').filter(|it| !it.is_empty()).map(Field::of).collect())
        }
        stdin if mark.is_some() || texts().any(|it| it.starts_with("-d")) => stdin.lines(),
        stdin => stdin.words(),
    };
    let names = names.unwrap_or_else(|| vec![Field::Unknown]);
    let mut state = walk.state.clone();
    state.functions.clear();
    walk.in_copy(state, |walk| {
        match mark {
            Some(mark) => {
                for name in &names {
                    let line: Vec<Field> =
                        command.iter().map(|it| it.replaced(mark, name)).collect();
                    walk.call(&line, &Stream::Unknown);
                }
            }
            None => {
                walk.call(&[command, names.as_slice()].concat(), &Stream::Unknown);
            }
        }
        Stream::Unknown
    })
}
