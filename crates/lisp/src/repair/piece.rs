//! A text as the pieces the search moves over: brackets and leaves, with their
//! columns, each with the prefixes (`'`, `#`, `^`, …) that belong to it.

use std::collections::HashMap;

use crate::dialect::Dialect;
use crate::token::{Lexer, Token, TokenKind};

/// What a piece is to the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Open,
    Close,
    Leaf(Leaf),
}

/// What a leaf is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaf {
    Symbol,
    Keyword,
    /// A number, character, `nil`, `true` or `false`.
    Literal,
    String,
}

/// What stands directly before a piece and belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefix {
    None,
    /// `#_` and metadata: the piece is no child of the form around it.
    Skipped,
    /// `#?`, `#?@`, `~@`: the piece stands for any number of children.
    Splice,
    /// `#?(` itself.
    Conditional,
    /// `#{` and `#(`.
    Hash,
    /// `'` and `` ` ``.
    Quote,
    /// Tags, `@`, `~`, `#'`, and the rest.
    Other,
}

/// A bracket or leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    /// The bracket, for brackets; else 0.
    pub(super) byte: u8,
    pub(super) prefix: Prefix,
    /// Whether nothing but blanks stands before it in its line.
    pub(super) leads: bool,
    /// Whether nothing but blanks or a comment follows in its line.
    pub(super) trails: bool,
    /// The number of the name, for symbols and keywords; 0 for everything else.
    pub(super) name: u32,
    /// The lines it starts and ends in, from 0.
    pub(super) start_line: u32,
    pub(super) line: u32,
    /// The column of the piece, and of its first prefix.
    pub(super) column: i32,
    pub(super) form_column: i32,
    /// Where the piece starts and ends, and where its first prefix starts.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) form_start: usize,
}

/// A text cut into pieces.
#[derive(Debug)]
pub(super) struct Pieces<'a> {
    pub(super) text: &'a str,
    pub(super) list: Vec<Piece>,
    /// Where each line starts.
    pub(super) line_starts: Vec<usize>,
    /// Whether a string, block comment or `|…|` is open at the end.
    pub(super) open_ended: bool,
}

/// Names of symbols as small numbers; 0 is no name.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    numbers: HashMap<&'a str, u32>,
}

impl<'a> Names<'a> {
    pub(super) fn number(&mut self, name: &'a str) -> u32 {
        let next = self.numbers.len() as u32 + 1;
        *self.numbers.entry(name).or_insert(next)
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a str, u32)> + '_ {
        self.numbers.iter().map(|(name, number)| (*name, *number))
    }

    pub(super) fn known(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }
}

/// Prefixes seen since the last piece.
#[derive(Default)]
struct Pending {
    start: Option<(usize, i32, bool)>,
    skipped: bool,
    splice: bool,
    conditional: bool,
    hash: bool,
    quote: bool,
    other: bool,
}

impl Pending {
    fn add(&mut self, source: &str) {
        match source {
            "#_" | "^" | "#^" | "#;" => self.skipped = true,
            "#?@" => (self.splice, self.conditional) = (true, true),
            "#?" => self.conditional = true,
            "~@" | ",@" => self.splice = true,
            "#" => self.hash = true,
            "'" | "`" => self.quote = true,
            _ => self.other = true,
        }
    }

    fn prefix(&self) -> Prefix {
        match self {
            Pending { skipped: true, .. } => Prefix::Skipped,
            Pending { conditional: true, .. } => Prefix::Conditional,
            Pending { splice: true, .. } => Prefix::Splice,
            Pending { hash: true, .. } => Prefix::Hash,
            Pending { quote: true, .. } => Prefix::Quote,
            Pending { other: true, .. } => Prefix::Other,
            _ => Prefix::None,
        }
    }
}

impl<'a> Pieces<'a> {
    /// Cuts a text; `number` gives each name its number.
    pub(super) fn new(
        text: &'a str,
        dialect: &Dialect,
        number: &mut dyn FnMut(&'a str) -> u32,
    ) -> Self {
        let mut pieces = Pieces { text, list: Vec::new(), line_starts: vec![0], open_ended: false };
        let mut pending = Pending::default();
        // Columns are counted on from the last token, so that a long line costs
        // no more than its length.
        let (mut at, mut column, mut only_blanks) = (0, 0, true);
        for token in Lexer::new(text, dialect) {
            debug_assert_eq!(at, token.start);
            if let Some(kind) = kind_of(text, token, &mut pieces.open_ended) {
                let line = pieces.line_starts.len() as u32 - 1;
                let (form_start, form_column, leads) =
                    pending.start.unwrap_or((token.start, column, only_blanks));
                let byte =
                    if matches!(kind, Kind::Leaf(_)) { 0 } else { text.as_bytes()[token.start] };
                let name = match kind {
                    Kind::Leaf(Leaf::Symbol | Leaf::Keyword) => number(token.text(text)),
                    _ => 0,
                };
                if let Some(last) = pieces.list.last_mut() {
                    last.trails = last.line != line;
                }
                pieces.list.push(Piece {
                    kind,
                    byte,
                    prefix: pending.prefix(),
                    leads,
                    trails: true,
                    name,
                    start_line: line,
                    line,
                    column,
                    form_column,
                    start: token.start,
                    end: token.end,
                    form_start,
                });
                pending = Pending::default();
            } else if matches!(token.kind, TokenKind::Prefix | TokenKind::Tag) {
                pending.start.get_or_insert((token.start, column, only_blanks));
                pending.add(token.text(text));
            }
            only_blanks = only_blanks && token.is_blank();
            // A multi-line string ends in a line that does not start with blanks only.
            for char in token.text(text).chars() {
                at += char.len_utf8();
                match char {
                    '\n' => {
                        pieces.line_starts.push(at);
                        column = 0;
                        only_blanks = token.is_blank();
                    }
                    '\t' => column = (column / 8 + 1) * 8,
                    '\u{feff}' => {}
                    _ => column += 1,
                }
            }
            // The last piece's line is where it ends: what follows a multi-line
            // string stands in the string's last line.
            if let Some(last) = pieces.list.last_mut().filter(|it| it.end == token.end) {
                last.line = pieces.line_starts.len() as u32 - 1;
            }
        }
        pieces
    }

    /// Returns the line of an offset, from 0.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&it| it <= offset).saturating_sub(1)
    }
}

fn kind_of(text: &str, token: Token, open_ended: &mut bool) -> Option<Kind> {
    match token.kind {
        TokenKind::Open => Some(Kind::Open),
        TokenKind::Close => Some(Kind::Close),
        TokenKind::String => Some(Kind::Leaf(Leaf::String)),
        TokenKind::Char => Some(Kind::Leaf(Leaf::Literal)),
        TokenKind::Atom => Some(Kind::Leaf(leaf_of(token.text(text)))),
        TokenKind::UnclosedString | TokenKind::UnclosedAtom => {
            *open_ended = true;
            Some(Kind::Leaf(Leaf::String))
        }
        TokenKind::UnclosedComment => {
            *open_ended = true;
            None
        }
        TokenKind::Whitespace | TokenKind::Comment | TokenKind::Prefix | TokenKind::Tag => None,
    }
}

fn leaf_of(source: &str) -> Leaf {
    let mut bytes = source.bytes();
    match (bytes.next(), bytes.next()) {
        (Some(b':'), Some(_)) => Leaf::Keyword,
        (Some(b'0'..=b'9'), _) => Leaf::Literal,
        (Some(b'+' | b'-'), Some(b'0'..=b'9')) => Leaf::Literal,
        _ if matches!(source, "nil" | "true" | "false" | "t" | "#t" | "#f") => Leaf::Literal,
        _ => Leaf::Symbol,
    }
}
