//! Clojure: `(spit "f" …)` and its kin, with literal paths or names bound to
//! them by `def` and `let`.

use std::collections::BTreeMap;

use lisp::dialect;
use lisp::token::{self, TokenKind};

use crate::shell::How;
use crate::shell::field::Field;
use crate::shell::walk::Walk;

/// Notes what a piece of Clojure writes.
pub(crate) fn clojure(walk: &mut Walk<'_>, code: &str) {
    let Some(dialect) = dialect::by_name("clojure") else { return };
    let tokens: Vec<(TokenKind, &str)> = token::tokens(code, dialect)
        .into_iter()
        .filter(|it| !it.is_blank())
        .map(|it| (it.kind, it.text(code)))
        .collect();
    let mut bound: BTreeMap<&str, String> = BTreeMap::new();
    for idx in 0..tokens.len() {
        match tokens[idx..] {
            [(TokenKind::Atom, "def"), (TokenKind::Atom, name), (TokenKind::String, text), ..] => {
                bound.insert(name, unquoted(text));
            }
            [(TokenKind::Atom, "let" | "when-let" | "if-let"), (TokenKind::Open, "["), ..] => {
                bind_pairs(&tokens[idx + 2..], &mut bound);
            }
            [(TokenKind::Open, "("), (TokenKind::Atom, function), ..] => {
                call(walk, function, &tokens[idx + 2..], &bound);
            }
            _ => {}
        }
    }
}

/// Remembers `[name "text" name "text" …`, as far as that goes.
fn bind_pairs<'c>(tokens: &[(TokenKind, &'c str)], bound: &mut BTreeMap<&'c str, String>) {
    for pair in tokens.chunks(2) {
        match pair {
            [(TokenKind::Atom, name), (TokenKind::String, text)] => {
                bound.insert(name, unquoted(text));
            }
            _ => return,
        }
    }
}

fn call(
    walk: &mut Walk<'_>,
    function: &str,
    args: &[(TokenKind, &str)],
    bound: &BTreeMap<&str, String>,
) {
    let name = function.rsplit('/').next().unwrap_or(function);
    let first = path(args, bound);
    let second = first.as_ref().and_then(|it| path(&args[it.1..], bound));
    let note = |walk: &mut Walk<'_>, how, found: &Option<(String, usize)>| {
        let Some((path, _)) = found else { return };
        let field = Field::of(path.as_str());
        if name.ends_with("-tree") { walk.tree(how, &field) } else { walk.file(how, &field) }
    };
    match name {
        "spit" => {
            let is_append = args.iter().take(200).any(|it| it.1 == ":append");
            let how = if is_append { How::Append } else { How::Write };
            note(walk, how, &first);
        }
        "write-lines" | "write-bytes" if function.contains("fs/") => note(walk, How::Write, &first),
        "delete-file" | "delete-tree" | "delete-if-exists" => note(walk, How::Delete, &first),
        "delete" if function.contains("fs/") => note(walk, How::Delete, &first),
        "copy" | "copy-tree" if function.contains("fs/") => note(walk, How::Write, &second),
        "move" if function.contains("fs/") => {
            note(walk, How::Move, &first);
            note(walk, How::Write, &second);
        }
        _ => {}
    }
}

/// Returns a path and how many tokens it takes: `"f"`, `f`, `(io/file "f")`.
fn path(args: &[(TokenKind, &str)], bound: &BTreeMap<&str, String>) -> Option<(String, usize)> {
    match args {
        [(TokenKind::String, text), ..] if text.starts_with('"') => Some((unquoted(text), 1)),
        [(TokenKind::Atom, name), ..] => bound.get(name).map(|it| (it.clone(), 1)),
        [
            (TokenKind::Open, "("),
            (TokenKind::Atom, "io/file" | "fs/file" | "fs/path" | "file"),
            (TokenKind::String, text),
            (TokenKind::Close, ")"),
            ..,
        ] => Some((unquoted(text), 4)),
        _ => None,
    }
}

fn unquoted(text: &str) -> String {
    let inside = text.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(text);
    inside.replace("\\\"", "\"").replace("\\\\", "\\")
}
