//! Code → names, strings and signs; enough to see a call with literal arguments.

/// What differs between languages.
#[derive(Debug)]
pub(crate) struct Lexicon {
    pub(crate) line_comment: &'static str,
    pub(crate) block_comment: Option<(&'static str, &'static str)>,
    /// Python has long strings and letters before quotes.
    pub(crate) is_python: bool,
}

/// One token.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Token<'c> {
    /// A name, with dots in it: `os.path.join`.
    Name(&'c str),
    /// A string, unless it depends on something.
    Text(Option<String>),
    /// Anything else, one character at a time.
    Sign(char),
    LineEnd,
}

/// Reads code.
pub(crate) fn tokens<'c>(code: &'c str, lexicon: &Lexicon) -> Vec<Token<'c>> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with(lexicon.line_comment) {
            rest = rest.find('\n').map_or("", |it| &rest[it..]);
            continue;
        }
        if let Some((open, close)) = lexicon.block_comment
            && rest.starts_with(open)
        {
            rest = rest[open.len()..].split_once(close).map_or("", |it| it.1);
            continue;
        }
        if first == '\n' {
            found.push(Token::LineEnd);
            rest = &rest[1..];
        } else if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
        } else if matches!(first, '\'' | '"' | '`') {
            let (text, len) = string(rest, first, lexicon.is_python);
            let is_template = first == '`' && text.contains("${");
            found.push(Token::Text((!is_template).then_some(text)));
            rest = &rest[len..];
        } else if first.is_alphabetic() || first == '_' || first == '$' {
            let is_part = |it: char| it.is_alphanumeric() || matches!(it, '_' | '.' | '$');
            let len = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(len);
            let quote = after.chars().next().filter(|it| matches!(it, '\'' | '"'));
            let is_prefix = name.len() <= 2 && name.chars().all(|it| "rRbBuUfF".contains(it));
            match quote {
                Some(quote) if lexicon.is_python && is_prefix => {
                    let (text, len) = string(after, quote, true);
                    let depends = name.contains(['f', 'F']) && text.contains('{');
                    found.push(Token::Text((!depends).then_some(text)));
                    rest = &after[len..];
                }
                _ => {
                    found.push(Token::Name(name));
                    rest = after;
                }
            }
        } else {
            found.push(Token::Sign(first));
            rest = &rest[first.len_utf8()..];
        }
    }
    found
}

/// Returns what is between quotes, and the length of the whole.
fn string(rest: &str, quote: char, is_python: bool) -> (String, usize) {
    let n_quotes = rest.chars().take(3).take_while(|it| *it == quote).count();
    let close = if is_python && n_quotes == 3 { &rest[..3] } else { &rest[..1] };
    let mut text = String::new();
    let mut at = close.len();
    while at < rest.len() {
        if rest[at..].starts_with(close) {
            return (text, at + close.len());
        }
        let Some(it) = rest[at..].chars().next() else { break };
        at += it.len_utf8();
        match it {
            '\\' => {
                let Some(escaped) = rest[at..].chars().next() else { break };
                at += escaped.len_utf8();
                match escaped {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    '\n' => {}
                    '\\' | '\'' | '"' | '/' => text.push(escaped),
                    other => text.extend(['\\', other]),
                }
            }
            // A string that is not closed ends with its line.
            '\n' if close.len() == 1 && quote != '`' => return (text, at - 1),
            other => text.push(other),
        }
    }
    (text, rest.len())
}
