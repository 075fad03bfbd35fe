//! Formatters and linters that rewrite what they look at: one row each.

use crate::shell::How;
use crate::shell::field::Field;
use crate::shell::programs::options::{Options, Spec};
use crate::shell::walk::{Call, Walk};

/// One formatter, or one subcommand of it.
#[derive(Debug)]
struct Formatter {
    names: &'static [&'static str],
    /// The first operand, if it is a subcommand.
    subcommand: Option<&'static str>,
    /// Options that make it write. None: it always does.
    writes_with: &'static [&'static str],
    /// Options that make it only look.
    looks_with: &'static [&'static str],
    /// Options with values.
    spec: Spec,
    /// Endings of the files it looks for in folders. None: any.
    endings: &'static [&'static str],
    /// Whether it takes the current folder when no path is given.
    defaults_to_all: bool,
}

const NO_VALUES: Spec = Spec { valued: "", attached: "", long: &[] };
const CLOJURE: &[&str] = &["clj", "cljs", "cljc", "cljd", "cljr", "bb", "edn"];
const PYTHON: &[&str] = &["py", "pyi", "ipynb"];

const BASE: Formatter = Formatter {
    names: &[],
    subcommand: None,
    writes_with: &[],
    looks_with: &["--check", "--diff", "--dry-run"],
    spec: NO_VALUES,
    endings: &[],
    defaults_to_all: false,
};

const FORMATTERS: &[Formatter] = &[
    Formatter {
        names: &["cljfmt", "standard-clj", "cljstyle"],
        subcommand: Some("fix"),
        endings: CLOJURE,
        spec: Spec { valued: "", attached: "", long: &["config", "file-pattern"] },
        defaults_to_all: true,
        ..BASE
    },
    Formatter {
        names: &["zprint"],
        writes_with: &["-w", "-fw", "-lfw", "-fsw", "-lfsw", "-cw", "-fcw", "--write"],
        ..BASE
    },
    Formatter {
        names: &["outrigger"],
        subcommand: Some("repair"),
        spec: Spec { valued: "", attached: "", long: &["dialect"] },
        ..BASE
    },
    Formatter {
        names: &["prettier"],
        writes_with: &["-w", "--write"],
        spec: Spec {
            valued: "",
            attached: "",
            long: &["config", "parser", "ignore-path", "plugin"],
        },
        ..BASE
    },
    Formatter {
        names: &["eslint", "stylelint", "standard", "xo"],
        writes_with: &["--fix"],
        looks_with: &["--fix-dry-run"],
        spec: Spec { valued: "c", attached: "", long: &["config", "ext", "rule", "format"] },
        ..BASE
    },
    Formatter {
        names: &["biome"],
        subcommand: Some("check"),
        writes_with: &["--write", "--apply", "--apply-unsafe", "--fix"],
        defaults_to_all: true,
        ..BASE
    },
    Formatter {
        names: &["biome"],
        subcommand: Some("format"),
        writes_with: &["--write", "--fix"],
        defaults_to_all: true,
        ..BASE
    },
    Formatter {
        names: &["rustfmt"],
        spec: Spec {
            valued: "",
            attached: "",
            long: &["edition", "config", "config-path", "emit"],
        },
        ..BASE
    },
    Formatter {
        names: &["cargo"],
        subcommand: Some("fmt"),
        endings: &["rs"],
        spec: Spec { valued: "p", attached: "", long: &["package", "manifest-path"] },
        defaults_to_all: true,
        ..BASE
    },
    Formatter {
        names: &["black", "isort"],
        endings: PYTHON,
        looks_with: &["--check", "--diff", "-c", "--check-only"],
        spec: Spec {
            valued: "lt",
            attached: "",
            long: &["line-length", "target-version", "config", "profile"],
        },
        ..BASE
    },
    Formatter {
        names: &["ruff"],
        subcommand: Some("format"),
        endings: PYTHON,
        spec: Spec { valued: "", attached: "", long: &["config", "line-length", "target-version"] },
        defaults_to_all: true,
        ..BASE
    },
    Formatter {
        names: &["ruff"],
        subcommand: Some("check"),
        writes_with: &["--fix", "--fix-only"],
        looks_with: &["--diff"],
        endings: PYTHON,
        spec: Spec {
            valued: "",
            attached: "",
            long: &["config", "select", "ignore", "extend-select"],
        },
        defaults_to_all: true,
    },
    Formatter {
        names: &["ruff"],
        writes_with: &["--fix"],
        endings: PYTHON,
        spec: Spec { valued: "", attached: "", long: &["select", "ignore"] },
        ..BASE
    },
    Formatter { names: &["autopep8", "autoflake"], writes_with: &["-i", "--in-place"], ..BASE },
    Formatter { names: &["yapf"], writes_with: &["-i", "--in-place"], endings: PYTHON, ..BASE },
    Formatter {
        names: &["gofmt", "goimports", "gofumpt"],
        writes_with: &["-w"],
        endings: &["go"],
        ..BASE
    },
    Formatter {
        names: &["shfmt"],
        writes_with: &["-w", "--write"],
        spec: Spec { valued: "i", attached: "", long: &["indent"] },
        ..BASE
    },
    Formatter { names: &["clang-format"], writes_with: &["-i"], ..BASE },
    Formatter { names: &["stylua", "nixfmt", "alejandra"], ..BASE },
    Formatter {
        names: &["rubocop"],
        writes_with: &["-a", "-A", "--autocorrect", "--auto-correct", "--autocorrect-all", "-x"],
        endings: &["rb"],
        defaults_to_all: true,
        ..BASE
    },
    Formatter {
        names: &["terraform", "tofu"],
        subcommand: Some("fmt"),
        looks_with: &["-check"],
        endings: &["tf", "tfvars"],
        defaults_to_all: true,
        ..BASE
    },
    Formatter {
        names: &["taplo"],
        subcommand: Some("fmt"),
        endings: &["toml"],
        defaults_to_all: true,
        ..BASE
    },
    Formatter {
        names: &["mix"],
        subcommand: Some("format"),
        endings: &["ex", "exs"],
        defaults_to_all: true,
        ..BASE
    },
];

/// Notes what a formatter writes. Returns whether it is one that is known.
pub(crate) fn run(walk: &mut Walk<'_>, call: &Call<'_>) -> bool {
    let of_name = |it: &&Formatter| it.names.contains(&call.name);
    for formatter in FORMATTERS.iter().filter(of_name) {
        let options = Options::new(call.args, formatter.spec);
        let mut paths = options.operands.as_slice();
        if let Some(subcommand) = formatter.subcommand {
            match paths.split_first() {
                Some((first, rest)) if first.text() == Some(subcommand) => paths = rest,
                _ => continue,
            }
        }
        // Some spell long options with one dash.
        let has = |names: &[&str]| {
            options.has(names) || call.args.iter().any(|it| names.contains(&it.text_or_empty()))
        };
        let is_writing = formatter.writes_with.is_empty() || has(formatter.writes_with);
        if !is_writing || has(formatter.looks_with) {
            return true;
        }
        let here = [Field::of(".")];
        if paths.is_empty() && formatter.defaults_to_all {
            paths = &here;
        }
        for path in paths.iter().filter(|it| it.text() != Some("-")) {
            format(walk, path, formatter.endings);
        }
        return true;
    }
    // `cargo build`, say, or a subcommand that only looks.
    FORMATTERS.iter().any(|it| of_name(&it)) && matches!(call.name, "cljfmt" | "ruff" | "biome")
}

/// Notes a file, or those files of a folder that have one of the endings.
fn format(walk: &mut Walk<'_>, path: &Field, endings: &[&str]) {
    // A pattern in quotes is the formatter's own to expand.
    if let Field::Text(text) = path
        && text.contains('*')
    {
        // Alternatives are not read: the folder before them is taken whole.
        if text.contains(['{', '(']) {
            let parts = text.split('/').take_while(|it| !it.contains(['*', '{', '(']));
            let base = parts.fold(".".to_owned(), |base, part| format!("{base}/{part}"));
            walk.tree(How::Edit, &Field::of(base));
        } else {
            walk.file(How::Edit, &Field::Names { pattern: text.clone(), matches_hidden: false });
        }
        return;
    }
    let is_file = path.text().is_none_or(|text| {
        let name = text.rsplit('/').next().unwrap_or(text);
        name.rsplit_once('.')
            .is_some_and(|(stem, ending)| !stem.is_empty() && endings.contains(&ending))
    });
    if endings.is_empty() || is_file {
        return walk.tree(How::Edit, path);
    }
    for ending in endings {
        let below = Field::Names { pattern: format!("**/*.{ending}"), matches_hidden: true };
        walk.file(How::Edit, &path.child(&below));
    }
}
