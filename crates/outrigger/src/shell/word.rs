//! Text → words: quotes, escapes, `$…`, and what is nested in them.

use crate::shell::parse::Parser;
use crate::shell::syntax::{Piece, Script, Variable, Word};

/// Where a run of pieces ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// At a blank or an operator.
    Word,
    /// At `}`, in `${…}`. Quoted or not, as the whole is.
    Brace { is_quoted: bool },
    /// At `"`.
    DoubleQuote,
    /// At the end of the text, in a here-document.
    Text,
}

impl End {
    fn is_quoted(self) -> bool {
        match self {
            Self::Word => false,
            Self::Brace { is_quoted } => is_quoted,
            Self::DoubleQuote | Self::Text => true,
        }
    }
}

/// What may follow the name in `${name…}`, longest first.
const OPERATIONS: &[&str] = &[
    ":-", ":=", ":?", ":+", "%%", "##", "//", "^^", ",,", "-", "=", "?", "+", "%", "#", "/", ":",
    "^", ",", "@",
];

impl Parser<'_> {
    /// Reads one word. It may be empty, if an operator stands here.
    pub(crate) fn word(&mut self) -> Word {
        if !self.enter() {
            return Word::default();
        }
        let word = Word(self.pieces(End::Word));
        self.depth -= 1;
        word
    }

    /// Reads the text of a here-document whose end was not quoted.
    pub(crate) fn expandable(&mut self, body: &str) -> Word {
        if !self.enter() {
            return Word::default();
        }
        let mut inner = self.inner(body);
        let word = Word(inner.pieces(End::Text));
        self.take_over(&inner);
        self.depth -= 1;
        word
    }

    /// Returns a parser for a text that is nested in this one.
    fn inner<'i>(&self, text: &'i str) -> Parser<'i> {
        let mut inner = Parser::new(text);
        inner.depth = self.depth;
        inner.n_nodes = self.n_nodes;
        inner
    }

    fn take_over(&mut self, inner: &Parser<'_>) {
        self.is_broken |= inner.is_broken;
        self.n_nodes = inner.n_nodes;
    }

    pub(crate) fn is_at_process(&self) -> bool {
        matches!(self.peek(), Some(b'<' | b'>')) && self.peek_at(1) == Some(b'(')
    }

    fn pieces(&mut self, end: End) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let is_quoted = end.is_quoted();
        loop {
            let Some(byte) = self.peek() else {
                if !matches!(end, End::Word | End::Text) {
                    self.is_broken = true;
                }
                return pieces;
            };
            match byte {
                b'"' if end == End::DoubleQuote => return pieces,
                b'}' if matches!(end, End::Brace { .. }) => return pieces,
                b'<' | b'>' if end == End::Word && self.is_at_process() => {
                    self.at += 2;
                    pieces.push(Piece::Process(self.nested()));
                }
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
                    if end == End::Word =>
                {
                    return pieces;
                }
                b'\\' => self.escape(end, &mut pieces),
                b'\'' if !is_quoted => {
                    self.at += 1;
                    let text = self.until_quote();
                    pieces.push(Piece::Text { text, is_quoted: true });
                }
                b'"' if end != End::Text => {
                    self.at += 1;
                    self.double_quoted(&mut pieces);
                }
                b'$' => self.dollar(end, &mut pieces),
                b'`' => {
                    self.at += 1;
                    let script = self.backquoted();
                    pieces.push(Piece::Output { script, is_quoted });
                }
                b'?' | b'*' | b'+' | b'@' | b'!'
                    if end == End::Word && self.peek_at(1) == Some(b'(') =>
                {
                    self.at += 1;
                    self.skip_parentheses();
                    pieces.push(Piece::Unknown);
                }
                _ => {
                    let text = self.plain(end);
                    push_text(&mut pieces, &text, is_quoted);
                }
            }
        }
    }

    /// Reads characters that mean nothing special, at least one.
    fn plain(&mut self, end: End) -> String {
        let rest = &self.text[self.at..];
        let is_special = |it: char| match end {
            End::Word => " \t\r\n;&|<>()\\'\"$`?*+@!".contains(it),
            End::Brace { .. } => "}\\'\"$`".contains(it),
            End::DoubleQuote | End::Text => "\"\\$`".contains(it),
        };
        let mut chars = rest.char_indices();
        chars.next();
        let len = chars.find(|it| is_special(it.1)).map_or(rest.len(), |it| it.0);
        self.at += len;
        rest[..len].to_owned()
    }

    fn escape(&mut self, end: End, pieces: &mut Vec<Piece>) {
        self.at += 1;
        if self.eat("\n") {
            return;
        }
        let next = self.text[self.at..].chars().next();
        let is_escape = match end {
            End::Word | End::Brace { is_quoted: false } => true,
            End::DoubleQuote | End::Brace { .. } => next.is_some_and(|it| "$`\"\\}".contains(it)),
            End::Text => next.is_some_and(|it| "$`\\".contains(it)),
        };
        if !is_escape {
            push_text(pieces, "\\", true);
            return;
        }
        self.step();
        match next {
            Some(next) => push_text(pieces, next.encode_utf8(&mut [0; 4]), true),
            None => self.is_broken = true,
        }
    }

    /// Reads up to the next `'`.
    fn until_quote(&mut self) -> String {
        let rest = &self.text[self.at..];
        match rest.find('\'') {
            Some(len) => {
                self.at += len + 1;
                rest[..len].to_owned()
            }
            None => {
                self.is_broken = true;
                self.at = self.text.len();
                rest.to_owned()
            }
        }
    }

    fn double_quoted(&mut self, pieces: &mut Vec<Piece>) {
        // Even an empty string is a word.
        push_text(pieces, "", true);
        if !self.enter() {
            return;
        }
        pieces.extend(self.pieces(End::DoubleQuote));
        self.eat("\"");
        self.depth -= 1;
    }

    fn dollar(&mut self, end: End, pieces: &mut Vec<Piece>) {
        let is_quoted = end.is_quoted();
        self.at += 1;
        match self.peek() {
            Some(b'(') => {
                if self.starts_with("((")
                    && let Some(len) = self.arithmetic_len()
                {
                    self.at += len;
                    pieces.push(Piece::Unknown);
                    return;
                }
                self.at += 1;
                let script = self.nested();
                pieces.push(Piece::Output { script, is_quoted });
            }
            Some(b'{') => {
                self.at += 1;
                let piece = self.parameter(is_quoted);
                pieces.push(piece);
            }
            Some(b'\'') if !is_quoted => {
                self.at += 1;
                let text = self.ansi_quoted();
                pieces.push(Piece::Text { text, is_quoted: true });
            }
            Some(b'"') if !is_quoted => {
                self.at += 1;
                self.double_quoted(pieces);
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?-$!".contains(&byte) => {
                let name = self.text[self.at..=self.at].to_owned();
                self.at += 1;
                let variable = Variable { name, index: None, operation: None };
                pieces.push(Piece::Variable { variable, is_quoted });
            }
            _ => match self.name_len() {
                0 => push_text(pieces, "$", is_quoted),
                len => {
                    let name = self.text[self.at..self.at + len].to_owned();
                    self.at += len;
                    let variable = Variable { name, index: None, operation: None };
                    pieces.push(Piece::Variable { variable, is_quoted });
                }
            },
        }
    }

    /// Reads commands up to `)`.
    fn nested(&mut self) -> Script {
        if !self.enter() {
            return Script::default();
        }
        let script = self.script();
        self.expect(")");
        self.depth -= 1;
        script
    }

    /// Reads `` …` ``, where a backslash takes the meaning from `` ` ``, `$`, `\`.
    fn backquoted(&mut self) -> Script {
        let mut inside = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(len) = rest.find(['`', '\\']) else {
                self.is_broken = true;
                self.at = self.text.len();
                inside.push_str(rest);
                break;
            };
            inside.push_str(&rest[..len]);
            self.at += len;
            if self.eat("`") {
                break;
            }
            self.at += 1;
            match self.peek() {
                Some(byte @ (b'`' | b'$' | b'\\')) => {
                    self.at += 1;
                    inside.push(char::from(byte));
                }
                _ => inside.push('\\'),
            }
        }
        if !self.enter() {
            return Script::default();
        }
        let mut inner = self.inner(&inside);
        let script = inner.whole();
        self.take_over(&inner);
        self.depth -= 1;
        script
    }

    /// Reads what follows `${`.
    fn parameter(&mut self, is_quoted: bool) -> Piece {
        if !self.enter() {
            return Piece::Unknown;
        }
        // The length of a value, or the value of a variable named by another.
        let is_indirect = matches!(self.peek(), Some(b'#' | b'!'))
            && self.peek_at(1).is_some_and(|it| it != b'}');
        self.at += usize::from(is_indirect);
        let len = match self.name_len() {
            0 => {
                let rest = &self.text.as_bytes()[self.at..];
                let n_digits = rest.iter().take_while(|it| it.is_ascii_digit()).count();
                let is_special = rest.first().is_some_and(|it| b"@*#?-$!".contains(it));
                n_digits.max(usize::from(is_special))
            }
            len => len,
        };
        let name = self.text[self.at..self.at + len].to_owned();
        self.at += len;
        let index = self.index();
        let operation = OPERATIONS.iter().find(|it| self.starts_with(it));
        self.at += operation.map_or(0, |it| it.len());
        // A pattern stays one inside double quotes, unless it has its own.
        let is_pattern = operation.is_some_and(|it| it.starts_with(['%', '#', '/']));
        let word = Word(self.pieces(End::Brace { is_quoted: is_quoted && !is_pattern }));
        self.eat("}");
        self.depth -= 1;
        let is_known = operation.is_some() || word.0.is_empty();
        if is_indirect || name.is_empty() || !is_known {
            return Piece::Unknown;
        }
        let operation = operation.map(|it| (*it, word));
        Piece::Variable { variable: Variable { name, index, operation }, is_quoted }
    }

    fn index(&mut self) -> Option<String> {
        if self.peek() != Some(b'[') {
            return None;
        }
        let rest = &self.text[self.at + 1..];
        let len = rest.bytes().take(200).position(|it| it == b']')?;
        self.at += len + 2;
        Some(rest[..len].to_owned())
    }

    /// Steps over `(…)`, or to the end of the text.
    fn skip_parentheses(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            self.step();
            if depth == 0 {
                return;
            }
        }
        self.is_broken = true;
    }

    /// Reads `…'` with the escapes of C.
    fn ansi_quoted(&mut self) -> String {
        let mut out = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((idx, it)) = chars.next() {
            match it {
                '\'' => {
                    self.at += idx + 1;
                    return out;
                }
                '\\' => match chars.next().map(|it| it.1) {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('r') => out.push('\r'),
                    Some('0') => out.push('\0'),
                    Some('e' | 'E') => out.push('\u{1b}'),
                    Some(kind @ ('x' | 'u' | 'U')) => {
                        let n_max = if kind == 'x' { 2 } else { 8 };
                        let mut code = 0_u32;
                        for _ in 0..n_max {
                            let digit = chars.clone().next().and_then(|it| it.1.to_digit(16));
                            let Some(digit) = digit else { break };
                            code = code.wrapping_mul(16).wrapping_add(digit);
                            chars.next();
                        }
                        out.extend(char::from_u32(code));
                    }
                    Some(other) => out.push(other),
                    None => {}
                },
                other => out.push(other),
            }
        }
        self.is_broken = true;
        self.at = self.text.len();
        out
    }
}

/// Adds text, to the last piece if it is of the same sort.
fn push_text(pieces: &mut Vec<Piece>, more: &str, is_quoted: bool) {
    if let Some(Piece::Text { text, is_quoted: before }) = pieces.last_mut()
        && *before == is_quoted
    {
        text.push_str(more);
        return;
    }
    pieces.push(Piece::Text { text: more.to_owned(), is_quoted });
}
