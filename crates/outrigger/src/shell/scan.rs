//! The parser's small steps: looking at what comes next, stepping over blanks,
//! comments and line ends, and reading here-documents.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::shell::parse::{Parser, Pending};
use crate::shell::syntax::{Piece, Redirect, Word};

impl<'t> Parser<'t> {
    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(crate) fn peek_at(&self, offset: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + offset).copied()
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(crate) fn starts_with(&self, what: &str) -> bool {
        self.text.as_bytes()[self.at.min(self.text.len())..].starts_with(what.as_bytes())
    }

    pub(crate) fn eat(&mut self, what: &str) -> bool {
        let is_there = self.starts_with(what);
        if is_there {
            self.at += what.len();
        }
        is_there
    }

    /// Steps over `what`; without it, the text is broken.
    pub(crate) fn expect(&mut self, what: &str) {
        self.skip_empty_lines();
        if !self.eat(what) {
            self.is_broken = true;
        }
    }

    /// Steps over one character.
    pub(crate) fn step(&mut self) {
        let next = self.text[self.at..].chars().next();
        self.at += next.map_or(0, char::len_utf8);
    }

    /// Returns the word here, if it could be a reserved one: no quotes, and a
    /// blank or an operator after it.
    pub(crate) fn reserved(&self) -> Option<&'t str> {
        let rest = &self.text.as_bytes()[self.at.min(self.text.len())..];
        let is_end = |it: &u8| b" \t\r\n;&|<>()".contains(it);
        let len = rest.iter().take(10).position(is_end).unwrap_or(rest.len());
        let is_word = (1..10).contains(&len)
            && rest[..len].iter().all(|it| it.is_ascii_lowercase() || b"{}![]-".contains(it));
        is_word.then(|| &self.text[self.at..self.at + len])
    }

    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let is_there = self.reserved() == Some(word);
        if is_there {
            self.at += word.len();
        }
        is_there
    }

    pub(crate) fn expect_word(&mut self, word: &str) {
        self.skip_empty_lines();
        if !self.eat_word(word) {
            self.is_broken = true;
        }
    }

    /// Returns the length of the variable name that stands here, or 0.
    pub(crate) fn name_len(&self) -> usize {
        let rest = &self.text.as_bytes()[self.at.min(self.text.len())..];
        if rest.first().is_none_or(u8::is_ascii_digit) {
            return 0;
        }
        rest.iter().take_while(|it| it.is_ascii_alphanumeric() || **it == b'_').count()
    }

    /// Steps over blanks and continued lines.
    pub(crate) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.at += 2,
                _ => return,
            }
        }
    }

    /// Steps over blanks, comments and line ends.
    pub(crate) fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'\n') => self.newline(),
                Some(b'#') => self.skip_comment(),
                _ => return,
            }
        }
    }

    /// Steps over blanks, comments, line ends, and single semicolons.
    pub(crate) fn skip_empty_lines(&mut self) {
        loop {
            self.skip_lines();
            let is_single =
                self.peek() == Some(b';') && !matches!(self.peek_at(1), Some(b';' | b'&'));
            if !is_single {
                return;
            }
            self.at += 1;
        }
    }

    pub(crate) fn skip_comment(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|it| *it == b'\n').unwrap_or(rest.len());
    }

    /// Steps over a line end and the here-documents that begin there.
    pub(crate) fn newline(&mut self) {
        self.at += 1;
        for pending in std::mem::take(&mut self.pending) {
            let body = self.here_body(&pending);
            let word = if pending.is_quoted {
                Word(vec![Piece::Text { text: body, is_quoted: true }])
            } else {
                self.expandable(&body)
            };
            // Empty until now: each is filled once, at the line's end.
            let _ = pending.body.set(word);
        }
    }

    /// Reads what follows `<<`; the text itself comes after the line.
    pub(crate) fn here_document(&mut self, strips_tabs: bool) -> Redirect {
        let start = self.at;
        let word = self.word();
        let is_quoted = self.text[start..self.at].contains(['\'', '"', '\\']);
        let end = word.0.iter().map(|piece| match piece {
            Piece::Text { text, .. } => text.as_str(),
            _ => "",
        });
        let body = Rc::new(OnceCell::new());
        let (end, kept) = (end.collect(), Rc::clone(&body));
        self.pending.push(Pending { end, is_quoted, strips_tabs, body: kept });
        Redirect::Text(body)
    }

    fn here_body(&mut self, pending: &Pending) -> String {
        let mut body = String::new();
        while !self.is_at_end() {
            let rest = &self.text[self.at..];
            let len = rest.find('\n').unwrap_or(rest.len());
            let line = &rest[..len];
            self.at += (len + 1).min(rest.len());
            let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { line };
            if line.trim_end_matches('\r') == pending.end {
                return body;
            }
            body.push_str(line);
            body.push('\n');
        }
        // bash takes the rest of the text, with a warning.
        self.is_broken = true;
        body
    }
}
