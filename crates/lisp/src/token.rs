//! Text to tokens, without loss: the tokens joined are the text.
//!
//! One pass, no recursion, no look-behind further than a token. The lexer knows
//! what can hide a bracket (strings, characters, comments) and nothing about
//! nesting; that is [`crate::tree`].

use crate::dialect::{CharSyntax, Dialect};

/// What a token is at the delimiter level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// Blanks, line ends, in Clojure commas, a byte order mark.
    Whitespace,
    /// A comment, without the line end that closes it.
    Comment,
    /// A block comment that is still open at the end of the text.
    UnclosedComment,
    /// An opening bracket.
    Open,
    /// A closing bracket.
    Close,
    /// A string with its quotes and, for `#"…"`, its hash.
    String,
    /// A string that is still open at the end of the text.
    UnclosedString,
    /// A character literal.
    Char,
    /// Something that belongs to the form after it: `'`, `#_`, `^`, `#?`, `#:ns`, …
    Prefix,
    /// The tag of a tagged literal, such as `#inst`; it also belongs to the next form.
    Tag,
    /// A symbol, keyword, number, or anything else without structure.
    Atom,
    /// A `|…|` symbol that is still open at the end of the text.
    UnclosedAtom,
}

/// A piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it starts, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
}

impl Token {
    /// Returns the text of the token.
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start..self.end).unwrap_or("")
    }

    /// Returns whether a reader skips the token: white space or comment.
    pub fn is_blank(&self) -> bool {
        matches!(self.kind, TokenKind::Whitespace | TokenKind::Comment | TokenKind::UnclosedComment)
    }
}

/// Returns all tokens of a text.
pub fn tokens(text: &str, dialect: &Dialect) -> Vec<Token> {
    Lexer::new(text, dialect).collect()
}

/// An iterator over the tokens of a text.
#[derive(Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    dialect: &'a Dialect,
    classes: [Class; 256],
}

/// What a byte can start or end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Open,
    Close,
    Quote,
    Comment,
    /// Starts a prefix and ends a symbol.
    Prefix,
    /// Ends a symbol; alone it is looked at by `special`.
    Terminator,
    /// Part of a symbol.
    Plain,
    /// First byte of a character outside ASCII.
    Wide,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of the text.
    pub fn new(text: &'a str, dialect: &'a Dialect) -> Self {
        let mut classes = [Class::Plain; 256];
        for class in &mut classes[128..] {
            *class = Class::Wide;
        }
        for byte in *b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f" {
            classes[byte as usize] = Class::Space;
        }
        for &byte in dialect.terminators {
            classes[byte as usize] = Class::Terminator;
        }
        if dialect.comma_is_space {
            classes[b',' as usize] = Class::Space;
        }
        for &byte in dialect.prefixes {
            if dialect.terminators.contains(&byte) {
                classes[byte as usize] = Class::Prefix;
            }
        }
        for &(open, close) in dialect.brackets {
            classes[open as usize] = Class::Open;
            classes[close as usize] = Class::Close;
        }
        classes[b'"' as usize] = Class::Quote;
        classes[dialect.comment as usize] = Class::Comment;
        Lexer { text, bytes: text.as_bytes(), at: 0, dialect, classes }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn class(&self, at: usize) -> Option<Class> {
        self.byte(at).map(|it| self.classes[it as usize])
    }

    /// Returns the end of the character at `at`.
    fn char_end(&self, at: usize) -> usize {
        let mut end = at + 1;
        while end < self.bytes.len() && self.bytes[end] & 0xC0 == 0x80 {
            end += 1;
        }
        end.min(self.bytes.len())
    }

    /// Returns whether the character at `at`, outside ASCII, is white space.
    fn is_wide_space(&self, at: usize) -> bool {
        // A no-break space is a constituent for Clojure's reader
        // (`Character.isWhitespace` is false), the other blanks are not. A
        // byte order mark counts as blank at the very beginning only.
        match self.text.get(at..).and_then(|it| it.chars().next()) {
            Some('\u{feff}') => at == 0,
            Some('\u{a0}' | '\u{2007}' | '\u{202f}') => false,
            Some(char) => char.is_whitespace(),
            None => false,
        }
    }

    fn whitespace(&self, start: usize) -> usize {
        let mut at = start;
        loop {
            match self.class(at) {
                Some(Class::Space) => at += 1,
                Some(Class::Wide) if self.is_wide_space(at) => at = self.char_end(at),
                _ => return at,
            }
        }
    }

    fn line_comment(&self, start: usize) -> usize {
        self.bytes[start..]
            .iter()
            .position(|&it| it == b'\n')
            .map_or(self.bytes.len(), |it| start + it)
    }

    fn block_comment(&self, start: usize) -> (TokenKind, usize) {
        let (mut at, mut depth) = (start + 2, 1_usize);
        while at + 1 < self.bytes.len() {
            match (self.bytes[at], self.bytes[at + 1]) {
                (b'|', b'#') => {
                    depth -= 1;
                    at += 2;
                    if depth == 0 {
                        return (TokenKind::Comment, at);
                    }
                }
                (b'#', b'|') => {
                    depth += 1;
                    at += 2;
                }
                _ => at += 1,
            }
        }
        (TokenKind::UnclosedComment, self.bytes.len())
    }

    /// Reads to the next unescaped `quote`; `at` is behind the opening one.
    fn quoted(&self, mut at: usize, quote: u8) -> Option<usize> {
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'\\' => at = self.char_end((at + 1).min(self.bytes.len())),
                byte if byte == quote => return Some(at + 1),
                _ => at += 1,
            }
        }
        None
    }

    fn string(&self, behind_quote: usize) -> (TokenKind, usize) {
        match self.quoted(behind_quote, b'"') {
            Some(end) => (TokenKind::String, end),
            None => (TokenKind::UnclosedString, self.bytes.len()),
        }
    }

    /// A string that ends where `terminator` is found.
    fn raw_string(&self, from: usize, terminator: &[u8]) -> (TokenKind, usize) {
        let found = self.bytes[from.min(self.bytes.len())..]
            .windows(terminator.len().max(1))
            .position(|it| it == terminator);
        match found {
            Some(at) => (TokenKind::String, from + at + terminator.len()),
            None => (TokenKind::UnclosedString, self.bytes.len()),
        }
    }

    /// Reads the rest of a symbol, number or keyword.
    fn atom(&self, start: usize) -> (TokenKind, usize) {
        let mut at = start;
        while let Some(byte) = self.byte(at) {
            match self.classes[byte as usize] {
                Class::Plain if byte == b'\\' && self.dialect.symbol_escapes => {
                    at = self.char_end((at + 1).min(self.bytes.len()));
                }
                Class::Plain if byte == b'|' && self.dialect.bar_symbols => {
                    match self.quoted(at + 1, b'|') {
                        Some(end) => at = end,
                        None => return (TokenKind::UnclosedAtom, self.bytes.len()),
                    }
                }
                Class::Plain => at += 1,
                Class::Wide if at == start || !self.is_wide_space(at) => at = self.char_end(at),
                // Janet's comment sign is no part of a symbol, and neither is `;` elsewhere.
                _ => break,
            }
        }
        (TokenKind::Atom, at.max(self.char_end(start)))
    }

    /// Reads a `\x` character: one character and the constituents behind it.
    fn backslash_char(&self, start: usize) -> usize {
        if start + 1 >= self.bytes.len() {
            return self.bytes.len();
        }
        let first_end = self.char_end(start + 1);
        let mut at = first_end;
        loop {
            match self.class(at) {
                Some(Class::Plain) => at += 1,
                Some(Class::Wide) if !self.is_wide_space(at) => at = self.char_end(at),
                _ => return at,
            }
        }
    }

    /// Reads an Emacs Lisp character such as `?a`, `?\(` or `?\C-\M-(`.
    fn question_char(&self, start: usize) -> Option<usize> {
        let mut at = start + 1;
        let mut escaped = false;
        while self.byte(at) == Some(b'\\') {
            escaped = true;
            at += 1;
            match (self.byte(at), self.byte(at + 1)) {
                (Some(b'C' | b'M' | b'S' | b'H' | b'A' | b's'), Some(b'-')) => at += 2,
                (Some(b'^'), Some(_)) => at += 1,
                _ => break,
            }
        }
        if at >= self.bytes.len() || (!escaped && matches!(self.class(at), Some(Class::Space))) {
            return None;
        }
        let end = self.char_end(at);
        // `?ab` is no character but a symbol; after a backslash come digits or names.
        let more_is_symbol = matches!(self.class(end), Some(Class::Plain | Class::Wide));
        match (escaped, more_is_symbol) {
            (false, true) => None,
            (true, true) if self.bytes[at].is_ascii_alphanumeric() => Some(self.atom(end).1),
            _ => Some(end),
        }
    }

    /// Reads what starts with `#`; `None` when it has no special meaning.
    fn hash(&self, start: usize) -> Option<(TokenKind, usize)> {
        let next = self.byte(start + 1)?;
        let dialect = self.dialect;
        match next {
            b'"' => return Some(self.string(start + 2)),
            b'!' if dialect.hash_bang_comments => {
                return Some((TokenKind::Comment, self.line_comment(start)));
            }
            b'|' if dialect.block_comments => return Some(self.block_comment(start)),
            b'\\' if dialect.chars == CharSyntax::HashBackslash => {
                return Some((TokenKind::Char, self.backslash_char(start + 1)));
            }
            b'[' if dialect.bracket_strings => {
                let tag_end = self.bytes[start + 2..]
                    .iter()
                    .position(|&it| it == b'[' || it == b']')
                    .map(|it| start + 2 + it);
                return match tag_end {
                    Some(end) if self.bytes[end] == b'[' => {
                        let terminator = format!("]{}]", &self.text[start + 2..end]);
                        Some(self.raw_string(end + 1, terminator.as_bytes()))
                    }
                    _ => Some((TokenKind::Prefix, start + 1)),
                };
            }
            b'<' if dialect.here_strings && self.byte(start + 2) == Some(b'<') => {
                let line_end = self.line_comment(start);
                let terminator =
                    format!("\n{}\n", self.text[start + 3..line_end].trim_end_matches('\r'));
                let (kind, end) = self.raw_string(line_end, terminator.as_bytes());
                let at_the_end = self.text[line_end..].ends_with(terminator.trim_end_matches('\n'));
                return Some(match kind {
                    TokenKind::String => (kind, end - 1),
                    _ if at_the_end => (TokenKind::String, self.bytes.len()),
                    _ => (kind, end),
                });
            }
            _ => {}
        }
        if dialect.clojure_dispatch {
            return Some(self.clojure_dispatch(start, next));
        }
        match self.class(start + 1)? {
            _ if matches!(next, b';' | b'_' | b'\'' | b'`') => Some((TokenKind::Prefix, start + 2)),
            Class::Open | Class::Prefix => Some((TokenKind::Prefix, start + 1)),
            _ => None,
        }
    }

    fn clojure_dispatch(&self, start: usize, next: u8) -> (TokenKind, usize) {
        match next {
            b'_' | b'\'' | b'^' | b'=' => (TokenKind::Prefix, start + 2),
            b'?' if self.byte(start + 2) == Some(b'@') => (TokenKind::Prefix, start + 3),
            b'?' => (TokenKind::Prefix, start + 2),
            b':' => {
                let (_, end) = self.atom(start + 1);
                (TokenKind::Prefix, end)
            }
            b'#' | b'<' => self.atom(start),
            _ => match self.classes[next as usize] {
                Class::Open => (TokenKind::Prefix, start + 1),
                Class::Plain | Class::Wide => (TokenKind::Tag, self.atom(start).1),
                _ => (TokenKind::Prefix, start + 1),
            },
        }
    }

    /// Reads one token; `start` is inside the text.
    fn read(&self, start: usize, byte: u8) -> (TokenKind, usize) {
        let dialect = self.dialect;
        if start == 0 && self.text.starts_with("#!") {
            return (TokenKind::Comment, self.line_comment(start));
        }
        match self.classes[byte as usize] {
            Class::Space => (TokenKind::Whitespace, self.whitespace(start)),
            Class::Open => (TokenKind::Open, start + 1),
            Class::Close => (TokenKind::Close, start + 1),
            Class::Quote => self.string(start + 1),
            Class::Comment => (TokenKind::Comment, self.line_comment(start)),
            Class::Prefix => {
                let splices = matches!(byte, b'~' | b',') && self.byte(start + 1) == Some(b'@');
                (TokenKind::Prefix, start + 1 + usize::from(splices))
            }
            Class::Wide if self.is_wide_space(start) => {
                (TokenKind::Whitespace, self.whitespace(start))
            }
            Class::Terminator if byte == b'\\' && dialect.chars == CharSyntax::Backslash => {
                (TokenKind::Char, self.backslash_char(start))
            }
            Class::Terminator if byte == b'`' && dialect.backtick_strings => {
                let n_ticks = self.bytes[start..].iter().take_while(|&&it| it == b'`').count();
                self.raw_string(start + n_ticks, &self.bytes[start..start + n_ticks])
            }
            Class::Plain if byte == b'#' => self.hash(start).unwrap_or_else(|| self.atom(start)),
            Class::Plain if byte == b'?' && dialect.chars == CharSyntax::Question => self
                .question_char(start)
                .map_or_else(|| self.atom(start), |end| (TokenKind::Char, end)),
            Class::Plain if dialect.prefixes.contains(&byte) => (TokenKind::Prefix, start + 1),
            Class::Plain | Class::Wide | Class::Terminator => self.atom(start),
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let start = self.at;
        let byte = self.byte(start)?;
        let (kind, end) = self.read(start, byte);
        self.at = end;
        Some(Token { kind, start, end })
    }
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::needless_pass_by_value,
        reason = "an expectation reads best as a literal at the call"
    )]

    use expect_test::{Expect, expect};

    use super::{TokenKind, tokens};
    use crate::dialect::Dialect;

    /// Shows each token that a reader does not skip, with a letter for its kind.
    fn render(text: &str, dialect: &Dialect) -> String {
        let found = tokens(text, dialect);
        let joined: String = found.iter().map(|it| it.text(text)).collect();
        assert_eq!(joined, text, "tokens joined are the text");
        let mut shown = Vec::new();
        for token in found {
            let letter = match token.kind {
                TokenKind::Whitespace => continue,
                TokenKind::Comment => "comment",
                TokenKind::UnclosedComment => "comment!",
                TokenKind::Open | TokenKind::Close => "",
                TokenKind::String => "str",
                TokenKind::UnclosedString => "str!",
                TokenKind::Char => "char",
                TokenKind::Prefix => "pre",
                TokenKind::Tag => "tag",
                TokenKind::Atom => "",
                TokenKind::UnclosedAtom => "atom!",
            };
            let piece = token.text(text).replace('\n', "⏎");
            shown.push(if letter.is_empty() { piece } else { format!("{letter}‹{piece}›") });
        }
        shown.join(" ")
    }

    #[track_caller]
    fn check(text: &str, dialect: &Dialect, expect: Expect) {
        expect.assert_eq(&render(text, dialect));
    }

    #[test]
    fn clojure_strings_regexes_and_characters() {
        check(
            r#"(f "a\"(" #"\"[(" \( \newline \u0028 \o50 \" \\ \;x)"#,
            &Dialect::CLOJURE,
            expect![[
                r#"( f str‹"a\"("› str‹#"\"[("› char‹\(› char‹\newline› char‹\u0028› char‹\o50› char‹\"› char‹\\› char‹\;x› )"#
            ]],
        );
        check(r"\a\b[\space]", &Dialect::CLOJURE, expect![[r"char‹\a› char‹\b› [ char‹\space› ]"]]);
        check("\\ü\\", &Dialect::CLOJURE, expect![[r"char‹\ü› char‹\›"]]);
    }

    #[test]
    fn clojure_comments_discards_and_reader_macros() {
        check(
            "#!/usr/bin/env bb )\n(a ; ) \"\n #! ]\n #_ #_b {c #_(d)})",
            &Dialect::CLOJURE,
            expect![[
                r#"comment‹#!/usr/bin/env bb )› ( a comment‹; ) "› comment‹#! ]› pre‹#_› pre‹#_› b { c pre‹#_› ( d ) } )"#
            ]],
        );
        check(
            "#?(:clj 1) #?@(:cljs [2]) #{a} #(f %) #'v #:ns{:a 1} #::{:b 2} #::x{} ^:m x #^T y ##Inf #inst \"x\" #js [1]",
            &Dialect::CLOJURE,
            expect![[
                r#"pre‹#?› ( :clj 1 ) pre‹#?@› ( :cljs [ 2 ] ) pre‹#› { a } pre‹#› ( f % ) pre‹#'› v pre‹#:ns› { :a 1 } pre‹#::› { :b 2 } pre‹#::x› { } pre‹^› :m x pre‹#^› T y ##Inf tag‹#inst› str‹"x"› tag‹#js› [ 1 ]"#
            ]],
        );
        check(
            "'a `(b ~c ~@d) @e inc' a# foo'bar %&",
            &Dialect::CLOJURE,
            expect!["pre‹'› a pre‹`› ( b pre‹~› c pre‹~@› d ) pre‹@› e inc' a# foo'bar %&"],
        );
    }

    #[test]
    fn clojure_blanks() {
        check("\u{feff}(a,b\r\n\t\u{c}c\u{2003}d)", &Dialect::CLOJURE, expect!["( a b c d )"]);
        check("a\u{a0}b", &Dialect::CLOJURE, expect!["a\u{a0}b"]);
        check("(\"abc", &Dialect::CLOJURE, expect![[r#"( str!‹"abc›"#]]);
        check("\"abc\\", &Dialect::CLOJURE, expect![[r#"str!‹"abc\›"#]]);
    }

    #[test]
    fn emacs_lisp_characters() {
        check(
            r#"(list ?( ?\) ?\" ?" ?\C-( ?\^[ ?\x41 ?a ?\\ why? [a\ b] #'car `(,x ,@y))"#,
            &Dialect::EMACS_LISP,
            expect![[
                r#"( list char‹?(› char‹?\)› char‹?\"› char‹?"› char‹?\C-(› char‹?\^[› char‹?\x41› char‹?a› char‹?\\› why? [ a\ b ] pre‹#'› car pre‹`› ( pre‹,› x pre‹,@› y ) )"#
            ]],
        );
    }

    #[test]
    fn common_lisp_bars_blocks_and_characters() {
        check(
            "(a #| ( #| nested |# ) |# |odd ( sym| #\\( #\\Space a\\(b [x] #+sbcl (c) #'car)",
            &Dialect::COMMON_LISP,
            expect![[
                r"( a comment‹#| ( #| nested |# ) |#› |odd ( sym| char‹#\(› char‹#\Space› a\(b [x] #+sbcl ( c ) pre‹#'› car )"
            ]],
        );
        check("(a |b", &Dialect::COMMON_LISP, expect!["( a atom!‹|b›"]);
        check("(a #| b", &Dialect::COMMON_LISP, expect!["( a comment!‹#| b›"]);
    }

    #[test]
    fn scheme_datum_comments_and_characters() {
        check(
            r"(define (f x) #;(g [x]) #(1 2) #\) #t |a b| '())",
            &Dialect::SCHEME,
            expect![[
                r"( define ( f x ) pre‹#;› ( g [ x ] ) pre‹#› ( 1 2 ) char‹#\)› #t |a b| pre‹'› ( ) )"
            ]],
        );
    }

    #[test]
    fn racket_here_strings_and_byte_strings() {
        check(
            "#lang racket\n(f #\"by(te\" #rx\"(\" #<<END\n ( \"\nEND\n {x})",
            &Dialect::RACKET,
            expect![[
                r##"#lang racket ( f str‹#"by(te"› #rx str‹"("› str‹#<<END⏎ ( "⏎END› { x } )"##
            ]],
        );
    }

    #[test]
    fn fennel_hash_functions() {
        check(
            "(fn [x] #(+ $1 x) {:a 1} `(f ,x))",
            &Dialect::FENNEL,
            expect!["( fn [ x ] pre‹#› ( + $1 x ) { :a 1 } pre‹`› ( f pre‹,› x ) )"],
        );
    }

    #[test]
    fn janet_long_strings_and_comments() {
        check(
            "(def a @[1 2]) # ) \"\n(f ``a ` ( b`` `x` ;xs |(+ $ 1))",
            &Dialect::JANET,
            expect![[
                r#"( def a pre‹@› [ 1 2 ] ) comment‹# ) "› ( f str‹``a ` ( b``› str‹`x`› pre‹;› xs pre‹|› ( + $ 1 ) )"#
            ]],
        );
    }

    #[test]
    fn hy_bracket_strings() {
        check(
            "(f #[[ a ( \" ]] #[x[ ]] ]x] #{1} r\"(\" #_(g) ~@h)",
            &Dialect::HY,
            expect![[
                r##"( f str‹#[[ a ( " ]]› str‹#[x[ ]] ]x]› pre‹#› { 1 } r str‹"("› pre‹#_› ( g ) pre‹~@› h )"##
            ]],
        );
    }
}
