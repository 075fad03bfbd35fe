//! A lexer for the delimiter level of Clojure: the oracle of the benchmark.
//!
//! It is written apart from `crates/lisp` and must never use it: a judge that
//! shares the bugs of the judged finds nothing. It knows no more than it takes to
//! tell brackets that nest from brackets in strings, comments and characters.

/// What a stretch of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// White space and commas.
    Blank,
    /// From `;` or `#!` to the end of the line.
    Comment,
    /// A string with both its quotes; also the quoted part of a `#"regex"`.
    Text,
    /// A string whose closing quote is missing: it runs to the end of the file.
    OpenText,
    /// `\a`, `\(`, `\newline`.
    Char,
    /// `(`, `[` or `{`.
    Open,
    /// `)`, `]` or `}`.
    Close,
    /// One of ``^ @ ` ~``.
    Prefix,
    /// Symbols, keywords, numbers, and the `#` or `'` before a bracket.
    Atom,
}

/// A stretch of text, as byte offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Splits `text` into tokens; joined, they are the text.
pub(crate) fn lex(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let (kind, len) = match first {
            '(' | '[' | '{' => (TokenKind::Open, 1),
            ')' | ']' | '}' => (TokenKind::Close, 1),
            '^' | '@' | '`' | '~' => (TokenKind::Prefix, 1),
            ';' => (TokenKind::Comment, until(rest, |it| it == '\n')),
            '#' if rest.starts_with("#!") => (TokenKind::Comment, until(rest, |it| it == '\n')),
            '"' => match closing_quote(rest) {
                Some(len) => (TokenKind::Text, len),
                None => (TokenKind::OpenText, rest.len()),
            },
            '\\' => (TokenKind::Char, char_len(rest)),
            it if is_blank(it) => (TokenKind::Blank, until(rest, |it| !is_blank(it))),
            _ => (TokenKind::Atom, until(rest, ends_atom)),
        };
        tokens.push(Token { kind, start, end: start + len });
        start += len;
    }
    tokens
}

/// Returns for every bracket the index of its partner (for other tokens their
/// own index), or `None` when the brackets or quotes do not match.
pub(crate) fn partners(text: &str, tokens: &[Token]) -> Option<Vec<usize>> {
    let mut partners: Vec<usize> = (0..tokens.len()).collect();
    let mut open = Vec::new();
    for (idx, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Open => open.push(idx),
            TokenKind::Close => {
                let opener = open.pop()?;
                if closer_for(&text[tokens[opener].start..]) != text[token.start..].chars().next() {
                    return None;
                }
                partners[opener] = idx;
                partners[idx] = opener;
            }
            TokenKind::OpenText => return None,
            _ => {}
        }
    }
    open.is_empty().then_some(partners)
}

/// Tells whether every bracket and every quote of `text` has its partner.
pub(crate) fn balanced(text: &str) -> bool {
    partners(text, &lex(text)).is_some()
}

/// Tells whether a reader gets the same program from both texts: the same
/// tokens, blanks and comments left out.
pub(crate) fn same_tokens(left: &str, right: &str) -> bool {
    meaningful(left).eq(meaningful(right))
}

/// Returns the closing bracket for the opening one `text` begins with.
pub(crate) fn closer_for(text: &str) -> Option<char> {
    match text.chars().next()? {
        '(' => Some(')'),
        '[' => Some(']'),
        '{' => Some('}'),
        _ => None,
    }
}

fn meaningful(text: &str) -> impl Iterator<Item = &str> {
    lex(text)
        .into_iter()
        .filter(|it| !matches!(it.kind, TokenKind::Blank | TokenKind::Comment))
        .map(|it| &text[it.start..it.end])
}

fn until(text: &str, stop: impl Fn(char) -> bool) -> usize {
    text.find(stop).unwrap_or(text.len())
}

fn is_blank(it: char) -> bool {
    it.is_whitespace() || it == ','
}

/// `'` and `#` do not end an atom (`inc'`, `x#`); everything the reader calls a
/// terminating macro character does.
fn ends_atom(it: char) -> bool {
    is_blank(it) || "()[]{}\"\\;^@`~".contains(it)
}

/// Returns the length of the string that `text` begins with.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, it) in text.char_indices().skip(1) {
        match it {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// A character is the backslash, one character of any sort, and what follows up
/// to the next terminator: `\(`, `\space`, `\o377`.
fn char_len(text: &str) -> usize {
    match text.chars().nth(1) {
        None => 1,
        Some(named) => {
            let len = 1 + named.len_utf8();
            len + until(&text[len..], ends_atom)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown: Vec<String> = lex(text)
            .iter()
            .filter(|it| it.kind != TokenKind::Blank)
            .map(|it| format!("{:?} {}", it.kind, &text[it.start..it.end]))
            .collect();
        assert_eq!(shown.join("\n"), expected);
    }

    #[test]
    fn strings_keep_their_escapes() {
        check(r#""a\"b" "\\" c"#, "Text \"a\\\"b\"\nText \"\\\\\"\nAtom c");
        check(r#""a)"#, "OpenText \"a)");
        check(r#"#"[(]""#, "Atom #\nText \"[(]\"");
    }

    #[test]
    fn characters_hide_brackets_and_quotes() {
        check(r#"\( \" \newline \\"#, "Char \\(\nChar \\\"\nChar \\newline\nChar \\\\");
        check(r"[\a]", "Open [\nChar \\a\nClose ]");
        check(r"(\))", "Open (\nChar \\)\nClose )");
        check("\\é)", "Char \\é\nClose )");
        check("\\", "Char \\");
    }

    #[test]
    fn comments_end_with_the_line() {
        check("a ; b ) \"\nc", "Atom a\nComment ; b ) \"\nAtom c");
        check("#!/usr/bin/env bb (\n1", "Comment #!/usr/bin/env bb (\nAtom 1");
    }

    #[test]
    fn atoms_keep_quotes_and_hashes_inside() {
        check("inc' x# #'a", "Atom inc'\nAtom x#\nAtom #'a");
        check("'(a)", "Atom '\nOpen (\nAtom a\nClose )");
        check("#:a{}", "Atom #:a\nOpen {\nClose }");
        check("~@a^b", "Prefix ~\nPrefix @\nAtom a\nPrefix ^\nAtom b");
    }

    #[test]
    fn tokens_joined_are_the_text() {
        let text = "(a, \"é\\\"\" \\é ; x\r\n\t#_[b] \\";
        let joined: String = lex(text).iter().map(|it| &text[it.start..it.end]).collect();
        assert_eq!(joined, text);
    }

    #[test]
    fn balance_needs_matching_kinds() {
        for text in ["", "(a [b {c}])", r#"(\( ")")"#, "(a ; )\n)", "#(a)"] {
            assert!(balanced(text), "{text}");
        }
        for text in ["(", ")", "(]", "([)]", "(a \"b)", "(; )", ")("] {
            assert!(!balanced(text), "{text}");
        }
    }

    #[test]
    fn partners_point_at_each_other() {
        let text = "(a [b])";
        let tokens = lex(text);
        assert_eq!(partners(text, &tokens), Some(vec![6, 1, 2, 5, 4, 3, 0]));
    }

    #[test]
    fn only_blanks_and_comments_may_differ() {
        assert!(same_tokens("(a b)", "( a,\n b ; c\n)"));
        assert!(!same_tokens("(a b)", "(a) b"));
        assert!(!same_tokens("(a b)", "(ab)"));
        assert!(!same_tokens("(a)", "(a) b"));
    }
}
