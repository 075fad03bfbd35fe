//! `{a,b}` and `{1..3}`: one word becomes several, before anything else happens.

use std::borrow::Cow;

use crate::shell::syntax::{Piece, Word};

/// More words than this are not made from one.
const MAX_WORDS: usize = 200;
/// Longer words are not looked at.
const MAX_BITS: usize = 400;

/// Part of a word between braces.
#[derive(Debug, Clone)]
pub(crate) enum Bit<'w> {
    /// Text without quotes.
    Bare(Cow<'w, str>),
    /// Anything else.
    Piece(&'w Piece),
    Open,
    Comma,
    Close,
}

/// Returns the words that one word stands for, or `None` if there are too many.
pub(crate) fn expand(word: &Word) -> Option<Vec<Vec<Bit<'_>>>> {
    let bits = bits(word);
    if !bits.iter().any(|it| matches!(it, Bit::Open)) {
        return Some(vec![bits.iter().map(plain).collect()]);
    }
    if bits.len() > MAX_BITS {
        return None;
    }
    alternatives(&bits, 0)
}

fn bits(word: &Word) -> Vec<Bit<'_>> {
    let mut bits = Vec::with_capacity(word.0.len());
    for piece in &word.0 {
        match piece {
            Piece::Text { text, is_quoted: false } if text.contains('{') || text.contains('}') => {
                split(text, &mut bits);
            }
            Piece::Text { text, is_quoted: false } if word.0.len() > 1 && text.contains(',') => {
                split(text, &mut bits);
            }
            Piece::Text { text, is_quoted: false } => bits.push(Bit::Bare(Cow::Borrowed(text))),
            other => bits.push(Bit::Piece(other)),
        }
    }
    bits
}

fn split<'w>(text: &'w str, bits: &mut Vec<Bit<'w>>) {
    let mut rest = text;
    while let Some(at) = rest.find(['{', ',', '}']) {
        if at > 0 {
            bits.push(Bit::Bare(Cow::Borrowed(&rest[..at])));
        }
        bits.push(match rest.as_bytes()[at] {
            b'{' => Bit::Open,
            b',' => Bit::Comma,
            _ => Bit::Close,
        });
        rest = &rest[at + 1..];
    }
    if !rest.is_empty() {
        bits.push(Bit::Bare(Cow::Borrowed(rest)));
    }
}

fn alternatives<'w>(bits: &[Bit<'w>], depth: usize) -> Option<Vec<Vec<Bit<'w>>>> {
    let mut words: Vec<Vec<Bit<'w>>> = vec![Vec::new()];
    let mut idx = 0;
    while idx < bits.len() {
        let choices = match (&bits[idx], group(&bits[idx..])) {
            (Bit::Open, Some((len, parts))) => {
                if depth > 8 {
                    return None;
                }
                idx += len;
                match parts.as_slice() {
                    [only] => sequence(only)?,
                    _ => {
                        let mut all = Vec::new();
                        for part in parts {
                            all.extend(alternatives(part, depth + 1)?);
                        }
                        all
                    }
                }
            }
            (bit, _) => {
                idx += 1;
                vec![vec![plain(bit)]]
            }
        };
        if words.len().saturating_mul(choices.len()) > MAX_WORDS {
            return None;
        }
        words = words
            .iter()
            .flat_map(|word| choices.iter().map(|it| [word.as_slice(), it.as_slice()].concat()))
            .collect();
    }
    Some(words)
}

/// Returns the length and the parts of the group that begins here. One part
/// means a range.
fn group<'b, 'w>(bits: &'b [Bit<'w>]) -> Option<(usize, Vec<&'b [Bit<'w>]>)> {
    let (mut depth, mut start, mut parts) = (0_usize, 1, Vec::new());
    for (idx, bit) in bits.iter().enumerate() {
        match bit {
            Bit::Open => depth += 1,
            Bit::Comma if depth == 1 => {
                parts.push(&bits[start..idx]);
                start = idx + 1;
            }
            Bit::Close if depth == 1 => {
                parts.push(&bits[start..idx]);
                let is_range =
                    matches!(parts.as_slice(), [[Bit::Bare(text)]] if range(text).is_some());
                return (parts.len() > 1 || is_range).then_some((idx + 1, parts));
            }
            Bit::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn sequence<'w>(part: &[Bit<'w>]) -> Option<Vec<Vec<Bit<'w>>>> {
    let [Bit::Bare(text)] = part else { return None };
    let (from, to) = range(text)?;
    if from.abs_diff(to) as usize >= MAX_WORDS {
        return None;
    }
    let numbers: Vec<i64> =
        if from <= to { (from..=to).collect() } else { (to..=from).rev().collect() };
    let is_letters = text.bytes().any(|it| it.is_ascii_alphabetic());
    let name = |number: i64| match u8::try_from(number) {
        Ok(letter) if is_letters => char::from(letter).to_string(),
        _ => number.to_string(),
    };
    Some(numbers.into_iter().map(|it| vec![Bit::Bare(Cow::Owned(name(it)))]).collect())
}

fn range(text: &str) -> Option<(i64, i64)> {
    let (from, to) = text.split_once("..")?;
    let value = |it: &str| match it.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(i64::from(*letter)),
        // A leading zero asks for padding, which is not done here.
        [b'0', _, ..] => None,
        _ => it.parse::<i64>().ok().filter(|it| it.abs() < 1_000_000),
    };
    Some((value(from)?, value(to)?))
}

fn plain<'w>(bit: &Bit<'w>) -> Bit<'w> {
    match bit {
        Bit::Open => Bit::Bare(Cow::Borrowed("{")),
        Bit::Comma => Bit::Bare(Cow::Borrowed(",")),
        Bit::Close => Bit::Bare(Cow::Borrowed("}")),
        other => other.clone(),
    }
}
