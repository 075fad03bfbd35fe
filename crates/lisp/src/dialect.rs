//! The Lisps this crate reads: one row of [`DIALECTS`] each.
//!
//! A row says only what the delimiter level of a language looks like: which
//! brackets nest, what hides them (strings, characters, comments) and which
//! files hold it. Names of functions and macros are no business of this file.

/// How a dialect writes a single character, which may be a bracket or a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharSyntax {
    /// There are no character literals.
    None,
    /// `\(`, `\newline`, `\u0028` (Clojure).
    Backslash,
    /// `#\(`, `#\space` (Common Lisp, Scheme, Racket).
    HashBackslash,
    /// `?(`, `?\(`, `?\C-x` (Emacs Lisp).
    Question,
}

/// What the delimiter level of one Lisp looks like.
#[derive(Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The name used on command lines, lower case.
    pub name: &'static str,
    /// Other names for the same row.
    pub aliases: &'static [&'static str],
    /// File name extensions, lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// Whole file names that have no telling extension.
    pub file_names: &'static [&'static str],
    /// Interpreters whose shebang line marks a file as this dialect.
    pub interpreters: &'static [&'static str],
    /// Opening and closing brackets; all ASCII.
    pub brackets: &'static [(u8, u8)],
    /// The byte that starts a comment to the end of the line.
    pub comment: u8,
    /// Whether `#!` starts a comment anywhere, not only on the first line.
    pub hash_bang_comments: bool,
    /// Whether `#| … |#` is a comment that nests.
    pub block_comments: bool,
    /// Whether a comma is white space.
    pub comma_is_space: bool,
    /// How characters are written.
    pub chars: CharSyntax,
    /// Whether `|…|` quotes a part of a symbol.
    pub bar_symbols: bool,
    /// Whether a backslash in a symbol takes the next character with it.
    pub symbol_escapes: bool,
    /// Bytes that are a prefix of the next form when a token starts with them.
    pub prefixes: &'static [u8],
    /// Bytes that end a symbol besides white space, brackets, `"` and comments.
    pub terminators: &'static [u8],
    /// Whether `#` starts the reader macros of Clojure (`#_`, `#'`, `#?`, `#:ns`, tags).
    pub clojure_dispatch: bool,
    /// Whether runs of backticks quote raw strings (Janet).
    pub backtick_strings: bool,
    /// Whether `#[tag[ … ]tag]` is a string (Hy).
    pub bracket_strings: bool,
    /// Whether `#<<END` starts a string that ends with a line `END` (Racket).
    pub here_strings: bool,
}

const ROUND: &[(u8, u8)] = &[(b'(', b')')];
const ROUND_SQUARE: &[(u8, u8)] = &[(b'(', b')'), (b'[', b']')];
const ALL: &[(u8, u8)] = &[(b'(', b')'), (b'[', b']'), (b'{', b'}')];

/// What most Lisps have in common; the rows say where they differ.
const PLAIN: Dialect = Dialect {
    name: "",
    aliases: &[],
    extensions: &[],
    file_names: &[],
    interpreters: &[],
    brackets: ROUND,
    comment: b';',
    hash_bang_comments: false,
    block_comments: false,
    comma_is_space: false,
    chars: CharSyntax::None,
    bar_symbols: false,
    symbol_escapes: false,
    prefixes: b"'`,",
    terminators: b"'`,",
    clojure_dispatch: false,
    backtick_strings: false,
    bracket_strings: false,
    here_strings: false,
};

impl Dialect {
    /// Clojure, ClojureScript, ClojureDart, babashka, Basilisp and EDN.
    pub const CLOJURE: Dialect = Dialect {
        name: "clojure",
        aliases: &[
            "clj",
            "cljs",
            "cljc",
            "cljd",
            "bb",
            "babashka",
            "clojurescript",
            "clojuredart",
            "edn",
            "basilisp",
        ],
        extensions: &["clj", "cljs", "cljc", "cljd", "cljx", "bb", "edn", "lpy"],
        interpreters: &["bb", "clojure", "clj", "nbb", "plk", "lumo", "basilisp", "joker", "jank"],
        brackets: ALL,
        hash_bang_comments: true,
        comma_is_space: true,
        chars: CharSyntax::Backslash,
        // `'` is not among the terminators: `inc'` is one symbol.
        prefixes: b"'`~@^",
        terminators: b"`~@^\\",
        clojure_dispatch: true,
        ..PLAIN
    };

    /// Emacs Lisp.
    pub const EMACS_LISP: Dialect = Dialect {
        name: "emacs-lisp",
        aliases: &["elisp", "el"],
        extensions: &["el"],
        file_names: &[".emacs", "_emacs", ".dir-locals"],
        brackets: ROUND_SQUARE,
        chars: CharSyntax::Question,
        symbol_escapes: true,
        ..PLAIN
    };

    /// Common Lisp.
    pub const COMMON_LISP: Dialect = Dialect {
        name: "common-lisp",
        aliases: &["lisp", "cl"],
        extensions: &["lisp", "lsp", "cl", "asd"],
        file_names: &[".sbclrc"],
        interpreters: &["sbcl", "clisp", "ecl", "ccl"],
        block_comments: true,
        chars: CharSyntax::HashBackslash,
        bar_symbols: true,
        symbol_escapes: true,
        ..PLAIN
    };

    /// Scheme (R6RS, R7RS and the common implementations).
    pub const SCHEME: Dialect = Dialect {
        name: "scheme",
        aliases: &["scm"],
        extensions: &["scm", "ss", "sld", "sls", "sps", "sch"],
        interpreters: &["guile", "chibi-scheme", "chez", "csi", "gsi", "scheme"],
        brackets: ROUND_SQUARE,
        block_comments: true,
        chars: CharSyntax::HashBackslash,
        bar_symbols: true,
        ..PLAIN
    };

    /// Racket.
    pub const RACKET: Dialect = Dialect {
        name: "racket",
        aliases: &["rkt"],
        extensions: &["rkt", "rktd", "rktl"],
        interpreters: &["racket"],
        brackets: ALL,
        block_comments: true,
        chars: CharSyntax::HashBackslash,
        bar_symbols: true,
        symbol_escapes: true,
        here_strings: true,
        ..PLAIN
    };

    /// Fennel.
    pub const FENNEL: Dialect = Dialect {
        name: "fennel",
        aliases: &["fnl"],
        extensions: &["fnl", "fnlm"],
        interpreters: &["fennel"],
        brackets: ALL,
        prefixes: b"'`,#",
        ..PLAIN
    };

    /// Janet.
    pub const JANET: Dialect = Dialect {
        name: "janet",
        extensions: &["janet", "jdn"],
        interpreters: &["janet", "jpm"],
        brackets: ALL,
        comment: b'#',
        prefixes: b"'~,;|@",
        terminators: b"'~,;|`",
        backtick_strings: true,
        ..PLAIN
    };

    /// Hy.
    pub const HY: Dialect = Dialect {
        name: "hy",
        extensions: &["hy"],
        interpreters: &["hy", "hy3"],
        brackets: ALL,
        prefixes: b"'`~@^#",
        terminators: b"'`~",
        bracket_strings: true,
        ..PLAIN
    };
}

/// Every dialect; adding one is a row here and fixtures in the tests.
pub const DIALECTS: &[&Dialect] = &[
    &Dialect::CLOJURE,
    &Dialect::EMACS_LISP,
    &Dialect::COMMON_LISP,
    &Dialect::SCHEME,
    &Dialect::RACKET,
    &Dialect::FENNEL,
    &Dialect::JANET,
    &Dialect::HY,
];

/// Returns the dialect with this name, alias or extension, in any case.
pub fn by_name(name: &str) -> Option<&'static Dialect> {
    let name = name.trim_start_matches('.').to_ascii_lowercase();
    let name = name.as_str();
    DIALECTS
        .iter()
        .copied()
        .find(|it| it.name == name || it.aliases.contains(&name) || it.extensions.contains(&name))
}

/// Returns the dialect of a file by its name, or by its shebang line.
///
/// A file with an extension we do not know is not looked into: a shebang
/// decides only for names without an extension.
pub fn for_path(file_name: &str, first_line: &str) -> Option<&'static Dialect> {
    let base = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name).to_ascii_lowercase();
    let (stem, extension) = match base.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, Some(extension)),
        _ => (base.as_str(), None),
    };
    let whole_name =
        |it: &&Dialect| it.file_names.contains(&stem) || it.file_names.contains(&base.as_str());
    match extension {
        Some(extension) => DIALECTS.iter().copied().find(|it| {
            it.extensions.contains(&extension)
                || (it.file_names.contains(&stem) && extension == "el")
        }),
        None => DIALECTS.iter().copied().find(whole_name).or_else(|| for_shebang(first_line)),
    }
}

/// Returns the dialect a shebang line runs, also through `env`.
fn for_shebang(first_line: &str) -> Option<&'static Dialect> {
    let line = first_line.trim_start_matches('\u{feff}').strip_prefix("#!")?;
    // `#!/usr/bin/env -S FOO=1 bb --classpath src`: the first word that is
    // neither `env`, an option nor an assignment is the interpreter.
    let program = line
        .split_whitespace()
        .map(|it| it.rsplit('/').next().unwrap_or(it))
        .find(|it| *it != "env" && !it.starts_with('-') && !it.contains('='))?;
    let program = program.strip_suffix(".exe").unwrap_or(program);
    DIALECTS.iter().copied().find(|it| it.interpreters.contains(&program))
}

#[cfg(test)]
mod tests {
    use super::{DIALECTS, by_name, for_path};

    #[track_caller]
    fn check(file_name: &str, first_line: &str, expected: &str) {
        let found = for_path(file_name, first_line).map_or("none", |it| it.name);
        assert_eq!(found, expected, "{file_name}");
    }

    #[test]
    fn the_extension_decides_in_any_case() {
        for name in
            ["a.clj", "src/A.CLJS", "b.cljc", "c.cljd", "d.cljx", "e.BB", "deps.edn", "f.lpy"]
        {
            check(name, "", "clojure");
        }
        check("init.el", "", "emacs-lisp");
        check("x.lisp", "", "common-lisp");
        check("x.ASD", "", "common-lisp");
        check("x.scm", "", "scheme");
        check("x.rkt", "", "racket");
        check("x.fnl", "", "fennel");
        check("x.janet", "", "janet");
        check("x.hy", "", "hy");
        check(".dir-locals.el", "", "emacs-lisp");
        check(".emacs", "", "emacs-lisp");
        check("main.rs", "", "none");
        check("clj", "", "none");
        check("C:\\work\\core.clj", "", "clojure");
    }

    #[test]
    fn a_shebang_decides_for_names_without_extension() {
        check("script", "#!/usr/bin/env bb", "clojure");
        check("script", "#!/usr/bin/env -S FOO=1 bb --classpath src", "clojure");
        check("script", "#!/usr/local/bin/clojure", "clojure");
        check("script", "#!/usr/bin/env racket", "racket");
        check("script", "#!/bin/sh", "none");
        check("script.py", "#!/usr/bin/env bb", "none");
        check("script", "", "none");
    }

    #[test]
    fn every_name_alias_and_extension_leads_to_its_row() {
        for dialect in DIALECTS {
            for name in [&dialect.name].into_iter().chain(dialect.aliases).chain(dialect.extensions)
            {
                assert_eq!(by_name(&name.to_uppercase()), Some(*dialect), "{name}");
            }
        }
        assert_eq!(by_name("cobol"), None);
    }
}
