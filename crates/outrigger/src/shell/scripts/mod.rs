//! Inline code in other languages: only calls that write, with paths that are
//! literal or were bound to a literal before. Everything else is not read, and
//! the callers say so.

mod clojure;
mod python;
mod tokens;

use crate::shell::How;
use crate::shell::field::Field;
use crate::shell::scripts::tokens::{Lexicon, Token, tokens};
use crate::shell::walk::Walk;

pub(crate) use crate::shell::scripts::clojure::clojure;
pub(crate) use crate::shell::scripts::python::{javascript, python};

/// Notes what a piece of Perl or Ruby opens for writing. `is_filter`: it is run
/// over lines, and does nothing else unless it opens or runs something.
pub(crate) fn perl(walk: &mut Walk<'_>, code: &str, is_filter: bool) {
    let acts = ["open", "system", "unlink", "rename", "exec", "File", "`"];
    if !is_filter || acts.iter().any(|it| code.contains(it)) {
        walk.unreadable();
    } else {
        return;
    }
    let lexicon = Lexicon { line_comment: "#", block_comment: None, is_python: false };
    let tokens = tokens(code, &lexicon);
    for (idx, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        let strings: Vec<&str> = tokens[idx + 1..]
            .iter()
            .take(8)
            .take_while(|it| !matches!(it, Token::Sign(';' | ')') | Token::LineEnd))
            .filter_map(|it| match it {
                Token::Text(Some(text)) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let target = match (*name, strings.as_slice()) {
            ("open", [mode, path, ..]) if matches!(mode.trim(), ">" | "+<" | "+>") => {
                Some((How::Write, *path))
            }
            ("open", [mode, path, ..]) if mode.trim() == ">>" => Some((How::Append, *path)),
            ("open", [whole]) => match whole.strip_prefix(">>") {
                Some(path) => Some((How::Append, path.trim())),
                None => whole.strip_prefix('>').map(|path| (How::Write, path.trim())),
            },
            ("File.write" | "IO.write", [path, ..]) => Some((How::Write, *path)),
            ("File.open", [path, mode, ..]) if mode.contains(['w', 'a', '+']) => {
                Some((How::Write, *path))
            }
            ("File.delete" | "unlink", [path, ..]) => Some((How::Delete, *path)),
            _ => None,
        };
        if let Some((how, path)) = target.filter(|it| !it.1.starts_with(['&', '$'])) {
            walk.file(how, &Field::of(path));
        }
    }
}
