//! An open form as the search sees it: just enough of what was read inside it to
//! judge the next line's indentation and, at its end, its shape.

use crate::repair::piece::{Kind, Leaf, Piece, Prefix};

/// No column.
pub(super) const NOWHERE: i32 = i32::MIN;

/// What kind of thing the second item of a form is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Second {
    None,
    Vector,
    Symbol,
    Other,
}

/// What kind of thing the first item of a form is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum First {
    None,
    Vector,
    OtherForm,
    Keyword,
    OtherLeaf,
}

/// A form that is open, or the top level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    /// The opening bracket; 0 at top level.
    pub(super) open: u8,
    /// Whether children were spliced in, so that their number is unknown.
    pub(super) uncountable: bool,
    /// Whether it is a `#?( … )`.
    pub(super) conditional: bool,
    /// Whether it is a `#{ … }` or `#( … )`.
    pub(super) hash: bool,
    /// Whether it is quoted data, or inside such.
    pub(super) quoted: bool,
    /// Whether a direct child is a list, and whether one is a vector.
    pub(super) has_list: bool,
    pub(super) has_vector: bool,
    pub(super) second: Second,
    pub(super) n_children: u32,
    /// The name at the head of a list; 0 when there is none.
    pub(super) head: u32,
    /// Whether the head is a keyword.
    pub(super) keyword_head: bool,
    /// What the first child is.
    pub(super) first: First,
    /// Whether it is the vector of a `let`.
    pub(super) bindings: bool,
    /// Whether a child is a list that starts with a vector: an arity of a function.
    pub(super) has_arity: bool,
    /// The line of the last child that leads one, and whether that child is a leaf.
    pub(super) lead_line: u32,
    pub(super) lead_is_leaf: bool,
    /// How many children that line has so far.
    pub(super) n_in_line: u32,
    /// The name of the last child, if it is a keyword; else 0.
    pub(super) last_keyword: u32,
    /// The column of the bracket, and the indentation of its line.
    pub(super) column: i32,
    pub(super) line_indent: i32,
    pub(super) line: u32,
    /// The column of the first argument, if it stands in the bracket's line.
    pub(super) argument: i32,
    /// The column of the first child that leads a line, and of the last one.
    pub(super) lead: i32,
    pub(super) last_lead: i32,
}

impl Frame {
    pub(super) const TOP: Frame = Frame {
        open: 0,
        uncountable: false,
        conditional: false,
        hash: false,
        quoted: false,
        has_list: false,
        has_vector: false,
        second: Second::None,
        n_children: 0,
        head: 0,
        keyword_head: false,
        first: First::None,
        bindings: false,
        has_arity: false,
        lead_line: u32::MAX,
        lead_is_leaf: false,
        n_in_line: 0,
        last_keyword: 0,
        column: -1,
        line_indent: 0,
        line: 0,
        argument: NOWHERE,
        lead: NOWHERE,
        last_lead: NOWHERE,
    };

    /// Returns the frame of a bracket at `column`; `self` is the frame around it.
    pub(super) fn opened(
        &self,
        piece: &Piece,
        bracket: u8,
        column: i32,
        line_indent: i32,
    ) -> Frame {
        let own = piece.byte == bracket && piece.kind == Kind::Open;
        let prefix = if own { piece.prefix } else { Prefix::None };
        Frame {
            open: bracket,
            conditional: prefix == Prefix::Conditional,
            hash: prefix == Prefix::Hash,
            quoted: self.quoted || prefix == Prefix::Quote,
            column,
            line_indent,
            line: piece.line,
            ..Frame::TOP
        }
    }

    /// Takes note of a child. `bracket` is the child's opening bracket, or 0.
    pub(super) fn add(&mut self, piece: &Piece, bracket: u8, shift: i32, leads: bool) {
        let column = piece.form_column + shift;
        if leads {
            if self.lead == NOWHERE {
                self.lead = column;
            }
            self.last_lead = column;
            self.lead_line = piece.start_line;
            self.lead_is_leaf = bracket == 0;
            self.n_in_line = 0;
        }
        match piece.prefix {
            Prefix::Skipped => return,
            Prefix::Splice | Prefix::Conditional => self.uncountable = true,
            _ => {}
        }
        self.has_list |= bracket == b'(' && piece.prefix == Prefix::None;
        self.has_vector |= bracket == b'[';
        match self.n_children {
            0 => {
                let plain = matches!(piece.prefix, Prefix::None) && bracket == 0;
                self.head = if plain && self.open == b'(' { piece.name } else { 0 };
                self.first = match (bracket, piece.kind) {
                    (b'[', _) => First::Vector,
                    (0, Kind::Leaf(Leaf::Keyword)) => First::Keyword,
                    (0, _) => First::OtherLeaf,
                    _ => First::OtherForm,
                };
                self.keyword_head = plain && piece.kind == Kind::Leaf(Leaf::Keyword);
            }
            1 => {
                if piece.start_line == self.line {
                    self.argument = column;
                }
                self.second = match (bracket, piece.kind) {
                    (b'[', _) => Second::Vector,
                    (0, Kind::Leaf(Leaf::Symbol)) => Second::Symbol,
                    _ => Second::Other,
                };
            }
            _ => {}
        }
        let is_keyword = bracket == 0 && piece.kind == Kind::Leaf(Leaf::Keyword);
        self.last_keyword = if is_keyword { piece.name } else { 0 };
        self.n_children += 1;
        self.n_in_line += 1;
    }

    /// Returns a number that tells frames apart, given the one of the frame around.
    pub(super) fn fingerprint(&self, around: u64) -> u64 {
        const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
        let flags = [
            self.uncountable,
            self.conditional,
            self.hash,
            self.quoted,
            self.has_list,
            self.has_vector,
            self.keyword_head,
            self.bindings,
            self.has_arity,
            self.lead_is_leaf,
        ]
        .iter()
        .fold(u64::from(self.open), |all, &it| all << 1 | u64::from(it));
        let second = self.second as u64 | (self.first as u64) << 2;
        let words = [
            flags << 37 | second << 32 | u64::from(self.last_keyword),
            u64::from(self.n_children) << 32 | u64::from(self.head),
            (self.column as u64) << 32 | (self.line_indent as u32 as u64),
            u64::from(self.lead_line) << 32 | u64::from(self.n_in_line),
            u64::from(self.line) << 32 | (self.argument as u32 as u64),
            (self.lead as u64) << 32 | (self.last_lead as u32 as u64),
        ];
        words
            .iter()
            .fold(around ^ FACTOR, |all, &it| (all.rotate_left(23) ^ it).wrapping_mul(FACTOR))
    }
}
