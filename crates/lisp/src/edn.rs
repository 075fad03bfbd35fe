//! Text to EDN values with positions, for configuration files.
//!
//! Comments and discards are skipped. Reading never fails: what cannot be read
//! is left out and reported, so that a message can name every mistake at once.
//! Deliberately absent: evaluation, reader conditionals, and nesting deeper than
//! [`MAX_DEPTH`], which no configuration needs and recursive drops cannot bear.

use std::fmt;
use std::ops::Range;

use crate::dialect::Dialect;
use crate::position::{Position, positions};
use crate::token::{Token, TokenKind};
use crate::tree::{self, Tree};

/// How deep values may nest.
pub const MAX_DEPTH: usize = 200;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `nil`
    Nil,
    /// `true`, `false`
    Bool(bool),
    /// A whole number of 64 bits, also with a trailing `N`.
    Int(i64),
    /// A whole number that needs more than 64 bits, as written without the `N`.
    BigInt(String),
    /// A number with a fraction or exponent, also with a trailing `M`; `##Inf`, `##NaN`.
    Float(f64),
    /// `\a`, `\newline`
    Char(char),
    /// `"…"`, escapes resolved.
    String(String),
    /// A symbol, as written.
    Symbol(String),
    /// A keyword, without its colon.
    Keyword(String),
    /// `( … )`
    List(Vec<Node>),
    /// `[ … ]`
    Vector(Vec<Node>),
    /// `{ … }` in the order written.
    Map(Vec<(Node, Node)>),
    /// `#{ … }`
    Set(Vec<Node>),
    /// `#tag value`, the tag without its hash.
    Tagged(String, Box<Node>),
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Its bytes in the text.
    pub span: Range<usize>,
    /// The line it starts in, from 1.
    pub line: usize,
    /// The column it starts in, in characters, from 1.
    pub column: usize,
}

impl Node {
    /// Returns the value of a keyword key in a map; `key` without its colon.
    pub fn get(&self, key: &str) -> Option<&Node> {
        let Value::Map(entries) = &self.value else { return None };
        entries
            .iter()
            .find(|(it, _)| matches!(&it.value, Value::Keyword(name) if name == key))
            .map(|(_, value)| value)
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the name of a keyword, without its colon.
    pub fn as_keyword(&self) -> Option<&str> {
        match &self.value {
            Value::Keyword(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the items of a list, vector or set.
    pub fn items(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) | Value::Vector(items) | Value::Set(items) => Some(items),
            _ => None,
        }
    }
}

/// What is wrong with an EDN text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// The brackets or strings do not match.
    Delimiter(tree::ProblemKind),
    /// The last key of a map has no value.
    OddMap,
    /// A key of a map or an item of a set occurs twice.
    Duplicate(String),
    /// A token that is no EDN.
    Invalid(String),
    /// A tag, discard or quote with nothing behind it.
    Dangling(String),
    /// A string escape that does not exist.
    BadEscape(String),
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep,
}

/// Something wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// Where, in bytes.
    pub offset: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// Where the bracket in question was opened, if one was.
    pub opened_at: Option<Position>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ProblemKind::Delimiter(kind) => {
                let Problem { offset, line, column, opened_at, .. } = *self;
                tree::Problem { kind: *kind, offset, line, column, opened_at }.fmt(f)
            }
            ProblemKind::OddMap => f.write_str("map has a key without a value"),
            ProblemKind::Duplicate(text) => write!(f, "`{text}` occurs twice"),
            ProblemKind::Invalid(text) => write!(f, "`{text}` is not EDN"),
            ProblemKind::Dangling(text) => write!(f, "nothing follows `{text}`"),
            ProblemKind::BadEscape(text) => write!(f, "unknown escape `{text}` in string"),
            ProblemKind::TooDeep => write!(f, "nested deeper than {MAX_DEPTH} levels"),
        }
    }
}

/// Reads all values of a text, and what is wrong with it.
pub fn read(text: &str) -> (Vec<Node>, Vec<Problem>) {
    let (tree, delimiter_problems) = tree::parse(text, &Dialect::CLOJURE);
    let offsets: Vec<usize> = tree.tokens.iter().map(|it| it.start).collect();
    let places = positions(text, &offsets);
    let mut reader = Reader { text, tree: &tree, places: &places, problems: Vec::new() };
    let values = reader.values(None, MAX_DEPTH);
    let mut problems = reader.problems;
    problems.extend(delimiter_problems.into_iter().map(|it| Problem {
        kind: ProblemKind::Delimiter(it.kind),
        offset: it.offset,
        line: it.line,
        column: it.column,
        opened_at: it.opened_at,
    }));
    problems.sort_by_key(|it| it.offset);
    (values, problems)
}

struct Reader<'a> {
    text: &'a str,
    tree: &'a Tree,
    /// The position of every token.
    places: &'a [Position],
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn token(&self, node_idx: usize) -> Token {
        self.tree.tokens[self.tree.nodes[node_idx].token]
    }

    fn problem(&mut self, node_idx: usize, kind: ProblemKind) {
        let Position { line, column, offset } = self.places[self.tree.nodes[node_idx].token];
        self.problems.push(Problem { kind, offset, line, column, opened_at: None });
    }

    /// Reads the children of a node. Recursive, bounded by `depth`.
    fn values(&mut self, parent: Option<usize>, depth: usize) -> Vec<Node> {
        let children: Vec<usize> = self.tree.children(parent).collect();
        let mut values = Vec::new();
        let mut next = 0;
        while next < children.len() {
            if let Some(node) = self.value(&children, &mut next, depth) {
                values.push(node);
            }
        }
        values
    }

    /// Reads one value with its prefixes; `None` when it is discarded or invalid.
    fn value(&mut self, siblings: &[usize], next: &mut usize, depth: usize) -> Option<Node> {
        let first = *siblings.get(*next)?;
        *next += 1;
        let token = self.token(first);
        let source = token.text(self.text);
        let place = self.places[self.tree.nodes[first].token];
        if depth == 0 {
            // Say it once, not for each of a million levels.
            if !self.problems.iter().any(|it| it.kind == ProblemKind::TooDeep) {
                self.problem(first, ProblemKind::TooDeep);
            }
            return None;
        }
        let node = |value, end| {
            Some(Node { value, span: token.start..end, line: place.line, column: place.column })
        };
        match token.kind {
            TokenKind::Open => {
                let close = self.tree.nodes[first]
                    .close
                    .map_or(self.text.len(), |it| self.tree.tokens[it].end);
                let items = self.values(Some(first), depth - 1);
                let value = match source {
                    "(" => Value::List(items),
                    "[" => Value::Vector(items),
                    _ => self.map(first, items),
                };
                node(value, close)
            }
            TokenKind::Prefix | TokenKind::Tag => self.prefixed(first, siblings, next, depth),
            TokenKind::String => {
                if source.starts_with('#') {
                    self.problem(first, ProblemKind::Invalid(short(source)));
                    return None;
                }
                let text = self.unescape(first, source.get(1..source.len() - 1).unwrap_or(""));
                node(Value::String(text), token.end)
            }
            TokenKind::Char => match character(source) {
                Some(char) => node(Value::Char(char), token.end),
                None => {
                    self.problem(first, ProblemKind::Invalid(short(source)));
                    None
                }
            },
            TokenKind::Atom => match atom(source) {
                Some(value) => node(value, token.end),
                None => {
                    self.problem(first, ProblemKind::Invalid(short(source)));
                    None
                }
            },
            // Reported by the tree already.
            _ => None,
        }
    }

    fn prefixed(
        &mut self,
        first: usize,
        siblings: &[usize],
        next: &mut usize,
        depth: usize,
    ) -> Option<Node> {
        let token = self.token(first);
        let source = token.text(self.text);
        if *next >= siblings.len() {
            self.problem(first, ProblemKind::Dangling(short(source)));
            return None;
        }
        let place = self.places[self.tree.nodes[first].token];
        // A discard takes the next value, however many prefixes that one has;
        // mistakes inside a discarded value do not matter.
        if source == "#_" {
            let n_problems = self.problems.len();
            let target = *next;
            let mut discarded = None;
            while *next < siblings.len() && discarded.is_none() {
                let is_discard = self.token(siblings[*next]).text(self.text) == "#_";
                discarded = self.value(siblings, next, depth - 1);
                if !is_discard {
                    break;
                }
            }
            if *next > target {
                self.problems.truncate(n_problems);
            }
            return None;
        }
        let is_set = source == "#" && self.token(siblings[*next]).text(self.text) == "{";
        if is_set {
            let brace = siblings[*next];
            *next += 1;
            let items = self.values(Some(brace), depth - 1);
            self.report_duplicates(items.iter());
            let end =
                self.tree.nodes[brace].close.map_or(self.text.len(), |it| self.tree.tokens[it].end);
            return Some(Node {
                value: Value::Set(items),
                span: token.start..end,
                line: place.line,
                column: place.column,
            });
        }
        let inner = self.value(siblings, next, depth - 1);
        if token.kind == TokenKind::Tag {
            let inner = inner?;
            let span = token.start..inner.span.end;
            let value = Value::Tagged(source.trim_start_matches('#').to_owned(), Box::new(inner));
            return Some(Node { value, span, line: place.line, column: place.column });
        }
        if let Some(namespace) = source.strip_prefix("#:") {
            let mut inner = inner?;
            if let Value::Map(entries) = &mut inner.value {
                for (key, _) in entries {
                    qualify(key, namespace);
                }
                return Some(inner);
            }
        }
        self.problem(first, ProblemKind::Invalid(short(source)));
        None
    }

    fn map(&mut self, node_idx: usize, items: Vec<Node>) -> Value {
        if items.len() % 2 == 1 {
            self.problem(node_idx, ProblemKind::OddMap);
        }
        let mut entries = Vec::with_capacity(items.len() / 2);
        let mut items = items.into_iter();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            entries.push((key, value));
        }
        self.report_duplicates(entries.iter().map(|(key, _)| key));
        Value::Map(entries)
    }

    fn report_duplicates<'n>(&mut self, nodes: impl Iterator<Item = &'n Node>) {
        // Only names and strings: they are what configuration is keyed by, and
        // comparing collections would be quadratic in their size.
        let mut seen = std::collections::HashSet::new();
        for node in nodes {
            let name = match &node.value {
                Value::Keyword(name) => format!(":{name}"),
                Value::String(text) => format!("\"{text}\""),
                Value::Symbol(name) => name.clone(),
                _ => continue,
            };
            if !seen.insert(name.clone()) {
                let (line, column, offset) = (node.line, node.column, node.span.start);
                self.problems.push(Problem {
                    kind: ProblemKind::Duplicate(short(&name)),
                    offset,
                    line,
                    column,
                    opened_at: None,
                });
            }
        }
    }

    fn unescape(&mut self, node_idx: usize, source: &str) -> String {
        let mut text = String::with_capacity(source.len());
        let mut rest = source;
        while let Some(at) = rest.find('\\') {
            text.push_str(&rest[..at]);
            let escape = &rest[at + 1..];
            let (char, length) = escaped(escape);
            match char {
                Some(char) => text.push(char),
                None => self
                    .problem(node_idx, ProblemKind::BadEscape(format!("\\{}", &escape[..length]))),
            }
            rest = &escape[length..];
        }
        text.push_str(rest);
        text
    }
}

/// Reads what follows a backslash in a string: the character, and how many bytes it took.
fn escaped(escape: &str) -> (Option<char>, usize) {
    let Some(first) = escape.chars().next() else { return (None, 0) };
    let simple = match first {
        't' => Some('\t'),
        'r' => Some('\r'),
        'n' => Some('\n'),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        '\\' => Some('\\'),
        '"' => Some('"'),
        _ => None,
    };
    if simple.is_some() {
        return (simple, 1);
    }
    if first == 'u' {
        let digits = escape.get(1..5).unwrap_or("");
        let char = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
        return if char.is_some() { (char, 5) } else { (None, 1) };
    }
    let n_octal = escape.bytes().take(3).take_while(|it| (b'0'..=b'7').contains(it)).count();
    if n_octal > 0 {
        return (u32::from_str_radix(&escape[..n_octal], 8).ok().and_then(char::from_u32), n_octal);
    }
    (None, first.len_utf8())
}

fn character(source: &str) -> Option<char> {
    let name = source.strip_prefix('\\')?;
    let mut chars = name.chars();
    let first = chars.next()?;
    if chars.next().is_none() {
        return Some(first);
    }
    match name {
        "newline" => Some('\n'),
        "space" => Some(' '),
        "tab" => Some('\t'),
        "return" => Some('\r'),
        "backspace" => Some('\u{8}'),
        "formfeed" => Some('\u{c}'),
        _ => {
            let (digits, radix) = match first {
                'u' => (name.get(1..)?, 16),
                'o' => (name.get(1..)?, 8),
                _ => return None,
            };
            u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)
        }
    }
}

fn atom(source: &str) -> Option<Value> {
    match source {
        "nil" => return Some(Value::Nil),
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        "##Inf" => return Some(Value::Float(f64::INFINITY)),
        "##-Inf" => return Some(Value::Float(f64::NEG_INFINITY)),
        "##NaN" => return Some(Value::Float(f64::NAN)),
        _ => {}
    }
    if let Some(name) = source.strip_prefix(':') {
        let valid = !name.is_empty() && !name.starts_with(':') && !name.ends_with(':');
        return valid.then(|| Value::Keyword(name.to_owned()));
    }
    let digits = source.trim_start_matches(['+', '-']);
    if digits.starts_with(|it: char| it.is_ascii_digit()) {
        return number(source);
    }
    let valid = !source.starts_with('#') && !source.ends_with(':');
    valid.then(|| Value::Symbol(source.to_owned()))
}

fn number(source: &str) -> Option<Value> {
    let whole = source.strip_suffix('N').unwrap_or(source);
    let unsigned = whole.strip_prefix(['+', '-']).unwrap_or(whole);
    if unsigned.bytes().all(|it| it.is_ascii_digit()) {
        let signed = whole.strip_prefix('+').unwrap_or(whole);
        return Some(signed.parse().map_or_else(|_| Value::BigInt(signed.to_owned()), Value::Int));
    }
    let hex = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X"));
    if let Some(value) = hex.and_then(|it| i64::from_str_radix(it, 16).ok()) {
        return Some(Value::Int(if whole.starts_with('-') { -value } else { value }));
    }
    let decimal = source.strip_suffix('M').unwrap_or(source);
    decimal.parse().ok().map(Value::Float)
}

/// Puts a key of `#:ns{…}` into the namespace, as Clojure does: `:a` becomes
/// `:ns/a`, `:_/a` becomes `:a`, `:b/a` stays.
fn qualify(key: &mut Node, namespace: &str) {
    let (Value::Keyword(name) | Value::Symbol(name)) = &mut key.value else { return };
    match name.strip_prefix("_/") {
        Some(bare) => *name = bare.to_owned(),
        None if name.contains('/') => {}
        None => *name = format!("{namespace}/{name}"),
    }
}

/// Shortens a token for a message.
fn short(source: &str) -> String {
    const MAX_CHARS: usize = 40;
    match source.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{}…", &source[..at]),
        None => source.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::needless_pass_by_value,
        reason = "an expectation reads best as a literal at the call"
    )]

    use expect_test::{Expect, expect};

    use super::{Node, Value, read};

    fn render(node: &Node) -> String {
        let list = |items: &[Node]| items.iter().map(render).collect::<Vec<_>>().join(" ");
        match &node.value {
            Value::List(items) => format!("({})", list(items)),
            Value::Vector(items) => format!("[{}]", list(items)),
            Value::Set(items) => format!("#{{{}}}", list(items)),
            Value::Map(entries) => {
                let shown: Vec<String> = entries
                    .iter()
                    .map(|(key, value)| format!("{} {}", render(key), render(value)))
                    .collect();
                format!("{{{}}}", shown.join(", "))
            }
            Value::Tagged(tag, inner) => format!("#{tag} {}", render(inner)),
            other => format!("{other:?}"),
        }
    }

    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let (nodes, problems) = read(text);
        let mut lines: Vec<String> =
            nodes.iter().map(|it| format!("{}:{} {}", it.line, it.column, render(it))).collect();
        lines.extend(problems.iter().map(|it| format!("{}:{}: {it}", it.line, it.column)));
        expect.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn scalars() {
        check(
            r#"nil true -7 +8 9N 123456789012345678901 1.5 2e3 3M 0x1F \a \newline \u0041 "a\n\"\u00e4\101" foo/bar :a/b ##Inf"#,
            expect![[r#"
                1:1 Nil
                1:5 Bool(true)
                1:10 Int(-7)
                1:13 Int(8)
                1:16 Int(9)
                1:19 BigInt("123456789012345678901")
                1:41 Float(1.5)
                1:45 Float(2000.0)
                1:49 Float(3.0)
                1:52 Int(31)
                1:57 Char('a')
                1:60 Char('\n')
                1:69 Char('A')
                1:76 String("a\n\"äA")
                1:94 Symbol("foo/bar")
                1:102 Keyword("a/b")
                1:107 Float(inf)"#]],
        );
    }

    #[test]
    fn collections_comments_and_discards() {
        check(
            "; hooks\n{:stop [{:type :bash #_#_:name \"x\" :cmd \"ls\"} #_{:bad}] ; c\n :tags #{a b}, :at #inst \"2020\" :ns #:n{:a 1 :_/b 2 :c/d 3}}",
            expect![[
                r##"2:1 {Keyword("stop") [{Keyword("type") Keyword("bash"), Keyword("cmd") String("ls")}], Keyword("tags") #{Symbol("a") Symbol("b")}, Keyword("at") #inst String("2020"), Keyword("ns") {Keyword("n/a") Int(1), Keyword("b") Int(2), Keyword("c/d") Int(3)}}"##
            ]],
        );
    }

    #[test]
    fn every_mistake_is_reported_with_its_place() {
        check(
            "{:a 1 :b}\n{:a 1 :a 2} #\"re\" \"\\q\" 12abc : #tag",
            expect![[r#"
                1:1 {Keyword("a") Int(1)}
                2:1 {Keyword("a") Int(1), Keyword("a") Int(2)}
                2:19 String("")
                1:1: map has a key without a value
                2:7: `:a` occurs twice
                2:13: `#"re"` is not EDN
                2:19: unknown escape `\q` in string
                2:24: `12abc` is not EDN
                2:30: `:` is not EDN
                2:32: nothing follows `#tag`"#]],
        );
        check(
            "[1 (2]",
            expect![[r#"
            1:1 [Int(1) (Int(2))]
            1:6: expected `)` to close the `(` opened at 1:4, found `]`"#]],
        );
    }

    #[test]
    fn deep_nesting_is_a_problem_and_no_overflow() {
        let (_, problems) = read(&"[".repeat(100_000));
        assert!(problems.iter().any(|it| it.to_string() == "nested deeper than 200 levels"));
        let discards = "#_ ".repeat(100_000);
        assert_eq!(read(&discards).0, Vec::new());
    }

    #[test]
    fn values_are_found_by_key() {
        let (nodes, _) = read("{:type :bash, :command \"ls\" :args [1 2]}");
        let node = &nodes[0];
        assert_eq!(node.get("type").and_then(Node::as_keyword), Some("bash"));
        assert_eq!(node.get("command").and_then(Node::as_str), Some("ls"));
        assert_eq!(node.get("args").and_then(Node::items).map(<[Node]>::len), Some(2));
        assert_eq!(node.get("nope"), None);
    }
}
