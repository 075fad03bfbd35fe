//! A string quote that was lost: where it may have stood, and how well each
//! place fits.
//!
//! One lost quote turns all strings behind it inside out, so nothing but the
//! right place leaves both prose in strings and code outside of them. A quote is
//! never taken away, and never put where two places fit about equally well.

use std::collections::HashSet;
use std::ops::Range;

use crate::dialect::Dialect;
use crate::token::{Lexer, Token, TokenKind};
use crate::tree::{self, closer_of};

/// The most bytes read to try out places; a form that needs more is left alone.
const MAX_READ: usize = 6_000_000;
/// The most chunks one string may span before it counts as never closed.
const MAX_SPANNED: usize = 40;

/// A place for the quote.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) cost: f32,
}

/// What is known about words and strings of the text.
#[derive(Debug, Default)]
pub(super) struct Words<'a> {
    /// Symbols and keywords that stand in code elsewhere.
    code: HashSet<&'a str>,
    /// Strings that stand elsewhere, or stood in the text before.
    strings: HashSet<&'a str>,
}

impl<'a> Words<'a> {
    /// Learns from code that is whole.
    pub(super) fn learn(&mut self, text: &'a str, dialect: &Dialect) {
        for token in Lexer::new(text, dialect) {
            match token.kind {
                TokenKind::Atom => {
                    self.code.insert(token.text(text));
                }
                TokenKind::String => {
                    self.strings.insert(token.text(text));
                }
                _ => {}
            }
        }
    }

    /// Learns the names that stand in more than one line of a damaged form: local
    /// names are used again, words of a text seldom are.
    pub(super) fn learn_repeated(&mut self, chunk: &'a str, dialect: &Dialect) {
        let mut seen = HashSet::new();
        for line in chunk.lines() {
            let in_line: HashSet<&str> = Lexer::new(line, dialect)
                .filter(|it| it.kind == TokenKind::Atom)
                .map(|it| it.text(line))
                .collect();
            for word in in_line {
                let is_plain = word.bytes().all(|it| it.is_ascii_alphabetic());
                if !seen.insert(word) && (word.len() > 5 || !is_plain) {
                    self.code.insert(word);
                }
            }
        }
    }

    pub(super) fn add(&mut self, names: impl Iterator<Item = &'a str>) {
        self.code.extend(names);
    }
}

/// Returns the stretch of the text in which a quote is missing, if there is one.
pub(super) fn damaged(text: &str, dialect: &Dialect) -> Option<Range<usize>> {
    let starts = raw_starts(text);
    let mut idx = 0;
    while idx + 1 < starts.len() {
        if !is_open_ended(&text[starts[idx]..starts[idx + 1]], dialect) {
            idx += 1;
            continue;
        }
        // A docstring with code in column 0 spans several stretches.
        let last = (starts.len() - 1).min(idx + MAX_SPANNED);
        let whole =
            (idx + 2..=last).find(|&it| tree::is_balanced(&text[starts[idx]..starts[it]], dialect));
        match whole {
            Some(end) => idx = end,
            None => return Some(starts[idx]..starts[idx + 1]),
        }
    }
    None
}

/// Returns where lines start with a bracket in column 0, strings or not.
fn raw_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_start = line.starts_with(['(', '[', '{'])
            || line.starts_with("#?(")
            || line.starts_with("#?@(")
            || line.starts_with("#_(");
        if is_start && at > 0 {
            starts.push(at);
        }
        at += line.len();
    }
    starts.push(text.len());
    starts
}

fn is_open_ended(text: &str, dialect: &Dialect) -> bool {
    Lexer::new(text, dialect).any(|it| it.kind == TokenKind::UnclosedString)
}

/// Returns the places where one quote balances the chunk, best first.
///
/// `None` when trying them all would take too long.
pub(super) fn places(
    chunk: &str,
    dialect: &Dialect,
    words: &Words<'_>,
    may_insert: &dyn Fn(usize) -> bool,
) -> Option<Vec<Place>> {
    let mut budget = MAX_READ;
    let mut stack: Vec<u8> = Vec::new();
    let mut places = Vec::new();
    for token in Lexer::new(chunk, dialect) {
        let inside = match token.kind {
            TokenKind::String | TokenKind::UnclosedString => true,
            TokenKind::Comment => {
                continue;
            }
            _ => false,
        };
        for at in boundaries(chunk, token, inside) {
            if !may_insert(at) {
                continue;
            }
            let rest = match inside {
                true => Some(at),
                false => end_of_string(chunk, at),
            };
            let Some(rest) = rest else { continue };
            let read = closes(chunk, rest, stack.clone(), dialect)?;
            budget = budget.checked_sub(read.n_bytes)?;
            if read.balanced {
                places.push(at);
            }
        }
        match token.kind {
            TokenKind::Open => stack.push(chunk.as_bytes()[token.start]),
            TokenKind::Close => match stack.pop() {
                Some(open) if closer_of(dialect, open) == chunk.as_bytes()[token.start] => {}
                // What went before does not balance: no later place can help.
                _ => break,
            },
            _ => {}
        }
    }
    let mut scored: Vec<Place> = places
        .into_iter()
        .filter_map(|at| Some(Place { at, cost: cost_of(chunk, at, dialect, words)? }))
        .collect();
    scored.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    Some(scored)
}

/// Returns the offsets in a token where a quote might have stood.
fn boundaries(chunk: &str, token: Token, inside: bool) -> Vec<usize> {
    let source = token.text(chunk);
    if !inside {
        // A quote before a token, with its brackets and marks.
        return if token.kind == TokenKind::Whitespace {
            inner_blanks(source, token.start)
        } else {
            vec![token.start]
        };
    }
    let mut found = Vec::new();
    let mut before = '"';
    let body_start = source.find('"').map_or(0, |it| it + 1);
    for (idx, char) in source.char_indices().skip_while(|it| it.0 < body_start) {
        let is_edge = |it: char| it.is_whitespace() || "()[]{},;\"".contains(it);
        let differs = is_edge(char) || is_edge(before);
        if differs && before != '\\' && idx > body_start {
            found.push(token.start + idx);
        }
        before = char;
    }
    if token.kind == TokenKind::UnclosedString && before != '\\' {
        found.push(token.end);
    }
    found
}

/// A string may start with blanks: between two of them a quote may have stood.
fn inner_blanks(source: &str, start: usize) -> Vec<usize> {
    source.match_indices(' ').map(|(idx, _)| start + idx).filter(|&it| it > start).collect()
}

/// Returns the offset behind the next quote.
fn end_of_string(chunk: &str, from: usize) -> Option<usize> {
    let mut escaped = false;
    for (idx, byte) in chunk.as_bytes()[from..].iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(from + idx + 1),
            _ => {}
        }
    }
    None
}

struct Read {
    balanced: bool,
    n_bytes: usize,
}

/// Reads the chunk on from `from` with these brackets open.
fn closes(chunk: &str, from: usize, mut stack: Vec<u8>, dialect: &Dialect) -> Option<Read> {
    let rest = chunk.get(from..)?;
    for token in Lexer::new(rest, dialect) {
        let byte = rest.as_bytes()[token.start];
        let fits = match token.kind {
            TokenKind::Open => {
                stack.push(byte);
                true
            }
            TokenKind::Close => stack.pop().is_some_and(|it| closer_of(dialect, it) == byte),
            TokenKind::UnclosedString => false,
            _ => true,
        };
        if !fits {
            return Some(Read { balanced: false, n_bytes: token.end });
        }
    }
    Some(Read { balanced: stack.is_empty(), n_bytes: rest.len() + 64 })
}

/// Returns how badly a quote fits at a place; nothing where it cannot stand.
fn cost_of(chunk: &str, at: usize, dialect: &Dialect, words: &Words<'_>) -> Option<f32> {
    let text = format!("{}\"{}", &chunk[..at], &chunk[at..]);
    let tokens: Vec<Token> = Lexer::new(&text, dialect).collect();
    let mut cost = 0.0;
    for (idx, token) in tokens.iter().enumerate() {
        let source = token.text(&text);
        let before = idx.checked_sub(1).map(|it| tokens[it]);
        let after = tokens.get(idx + 1).copied();
        match token.kind {
            TokenKind::String => {
                let is_new = token.start == at || token.end == at + 1;
                if is_new && (touches(before, after) || swallows_form(*token, at, chunk)) {
                    return None;
                }
                cost += string_cost(source, is_new, words);
                cost += neighbours_cost(before, after, &text);
                if is_new {
                    cost += edge_cost(&tokens, idx, token.start == at, &text, words);
                }
            }
            TokenKind::Atom => cost += word_cost(source, words),
            _ => {}
        }
    }
    Some(cost)
}

/// Whether a string and what stands beside it run into each other: then the
/// quote between them belongs to another string.
fn touches(before: Option<Token>, after: Option<Token>) -> bool {
    let is_code =
        |it: TokenKind| matches!(it, TokenKind::Atom | TokenKind::String | TokenKind::Char);
    before.is_some_and(|it| is_code(it.kind) || it.kind == TokenKind::Close)
        || after.is_some_and(|it| is_code(it.kind) || it.kind == TokenKind::Open)
}

/// Whether the quote is put before a whole top-level form, which would make the
/// form a string: nobody loses a quote there.
fn swallows_form(string: Token, at: usize, chunk: &str) -> bool {
    string.start == at && at == 0 && chunk.starts_with(['(', '[', '{', '#'])
}

/// A string stands between blanks and brackets.
fn neighbours_cost(before: Option<Token>, after: Option<Token>, text: &str) -> f32 {
    let mut cost = 0.0;
    cost += match before.map(|it| it.kind) {
        Some(TokenKind::Atom | TokenKind::String | TokenKind::Char | TokenKind::Close) => 3.0,
        Some(TokenKind::Open) if before.is_some_and(|it| it.text(text) == "(") => 2.0,
        _ => 0.0,
    };
    cost += match after.map(|it| it.kind) {
        Some(
            TokenKind::Atom
            | TokenKind::String
            | TokenKind::Char
            | TokenKind::Open
            | TokenKind::Prefix,
        ) => 3.0,
        _ => 0.0,
    };
    cost
}

/// A quote does not stand in the middle of prose: beside it, in the same line, is
/// no word that is unknown as code.
fn edge_cost(tokens: &[Token], idx: usize, is_opening: bool, text: &str, words: &Words<'_>) -> f32 {
    let beside = if is_opening { idx.checked_sub(2) } else { Some(idx + 2) };
    let blank = if is_opening { idx.checked_sub(1) } else { Some(idx + 1) };
    let (Some(beside), Some(blank)) =
        (beside.and_then(|it| tokens.get(it)), blank.and_then(|it| tokens.get(it)))
    else {
        return 0.0;
    };
    let same_line = blank.kind == TokenKind::Whitespace && !blank.text(text).contains('\n');
    let is_prose = beside.kind == TokenKind::Atom && word_cost(beside.text(text), words) > 0.3;
    if same_line && is_prose { 1.5 } else { 0.0 }
}

/// How unlike a string it reads.
fn string_cost(source: &str, is_new: bool, words: &Words<'_>) -> f32 {
    if words.strings.contains(source) {
        return if is_new { -6.0 } else { 0.0 };
    }
    let body = source.trim_start_matches('#').trim_matches('"');
    let mut cost = 0.0;
    if body.is_empty() {
        cost += 1.5;
    }
    cost += if body.starts_with(char::is_whitespace) { 0.5 } else { 0.0 };
    let tail = &body[body.trim_end().len()..];
    cost += match tail {
        "" => 0.0,
        _ if tail.contains('\n') => 1.5,
        _ => 0.5,
    };
    let n_open = body.matches(['(', '[', '{']).count();
    let n_close = body.matches([')', ']', '}']).count();
    if n_open != n_close {
        cost += 1.0;
    }
    if body.ends_with([')', ']', '}']) && n_open < n_close {
        cost += 1.0;
    }
    for (idx, line) in body.split('\n').enumerate() {
        if idx > 0 {
            cost += 0.2;
            cost += if line.trim_start().starts_with(['(', '[', '{']) { 1.2 } else { 0.0 };
        }
    }
    if !is_new {
        return cost;
    }
    for word in body.split(|it: char| it.is_whitespace() || "()[]{},;".contains(it)) {
        let inner = word.char_indices().nth(1).map_or("", |(idx, _)| &word[idx..]);
        let looks_like_code = !inner.is_empty()
            && (word.starts_with(':')
                || inner.contains(['-', '/', '*', '>', '<', '?', '!', '#'])
                    && !word.contains("//"));
        if words.code.contains(word) {
            cost += match (looks_like_code, word.len()) {
                (true, _) => 1.0,
                (false, 0..=4) => 0.1,
                _ => 0.35,
            };
        }
    }
    cost
}

/// Words that every English sentence has and hardly any program.
const PROSE: &[&str] = &[
    "a", "an", "the", "of", "are", "with", "by", "on", "as", "that", "this", "be", "it", "which",
    "will", "must", "should", "can", "has", "have", "its", "at", "into", "only", "used", "using",
    "given", "returns", "than", "these", "was", "you",
];

/// How unlike code a word reads.
fn word_cost(word: &str, words: &Words<'_>) -> f32 {
    let first = word.chars().next().unwrap_or(' ');
    let is_number = first.is_ascii_digit()
        || (word.len() > 1 && first == '-' && word.as_bytes()[1].is_ascii_digit());
    if is_number || words.code.contains(word) {
        return 0.0;
    }
    let is_prose = PROSE.contains(&word);
    let is_plain = word.chars().all(char::is_alphabetic);
    let mut cost = match (is_prose, is_plain) {
        (true, _) => 1.0,
        (_, true) => 0.6,
        _ => 0.15,
    };
    let body = &word[first.len_utf8()..];
    if body.ends_with(['.', ':', '\'', '?']) && !body.contains(['/', '-']) && first.is_alphabetic()
    {
        cost += if body.ends_with(['.', '?']) && !body.ends_with("..") { 0.4 } else { 1.2 };
    }
    let is_capitalised =
        first.is_uppercase() && !body.is_empty() && body.chars().all(char::is_lowercase);
    cost += if is_capitalised { 0.5 } else { 0.0 };
    cost += if first == '%' && body.starts_with(['s', 'd', 'n', '.']) { 1.2 } else { 0.0 };
    cost
}
