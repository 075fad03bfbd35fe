//! Tokens to a tree, and what is wrong with the brackets.
//!
//! The tree is an arena: nodes refer to each other by index, so that nesting of
//! any depth is read and dropped without recursion. Reading never fails; an
//! unbalanced text gives a tree as good as can be had, and problems.

use std::fmt;

use crate::dialect::Dialect;
use crate::position::{Position, positions};
use crate::token::{Lexer, Token, TokenKind};

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// A bracket is never closed.
    Unclosed {
        /// The bracket that was opened.
        open: char,
        /// What would close it.
        expected: char,
    },
    /// A closing bracket closes nothing.
    Unexpected {
        /// The bracket that stands there.
        found: char,
    },
    /// A closing bracket is of another type than the bracket it should close.
    Mismatched {
        /// The bracket that was opened.
        open: char,
        /// What would close it.
        expected: char,
        /// The bracket that stands there.
        found: char,
    },
    /// A string is never closed.
    UnclosedString,
    /// A block comment is never closed.
    UnclosedComment,
    /// A `|…|` symbol is never closed.
    UnclosedSymbol,
}

/// Something that keeps a text from being balanced, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// Where it shows, in bytes: the opener for something unclosed, else the closer.
    pub offset: usize,
    /// The line of `offset`, from 1.
    pub line: usize,
    /// The column of `offset` in characters, from 1.
    pub column: usize,
    /// Where the bracket in question was opened, if one was.
    pub opened_at: Option<Position>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.opened_at) {
            (ProblemKind::Unclosed { open, expected }, _) => {
                write!(f, "`{open}` is never closed, expected `{expected}`")
            }
            (ProblemKind::Unexpected { found }, _) => {
                write!(f, "unexpected `{found}`, nothing is open")
            }
            (ProblemKind::Mismatched { open, expected, found }, Some(at)) => write!(
                f,
                "expected `{expected}` to close the `{open}` opened at {}:{}, found `{found}`",
                at.line, at.column
            ),
            (ProblemKind::Mismatched { open, expected, found }, None) => {
                write!(f, "expected `{expected}` to close `{open}`, found `{found}`")
            }
            (ProblemKind::UnclosedString, _) => f.write_str("string is never closed"),
            (ProblemKind::UnclosedComment, _) => f.write_str("block comment is never closed"),
            (ProblemKind::UnclosedSymbol, _) => f.write_str("quoted symbol is never closed"),
        }
    }
}

/// A node of the tree: a token, or a bracketed form with its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The index of the token: for a form, of its opening bracket.
    pub token: usize,
    /// The index of the closing bracket, for a form that is closed.
    pub close: Option<usize>,
    /// The index of the enclosing node; `None` at top level.
    pub parent: Option<usize>,
    /// The index of the node behind the last descendant: the next sibling, if it
    /// has the same parent.
    pub end: usize,
}

/// A text as nodes in reading order; blanks and comments have no node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// All tokens, with blanks.
    pub tokens: Vec<Token>,
    /// All nodes, parents before children.
    pub nodes: Vec<Node>,
}

impl Tree {
    /// Returns the indices of the children of a node, or of the top level.
    pub fn children(&self, parent: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        let (first, end) = match parent.and_then(|it| self.nodes.get(it).map(|node| (it, node))) {
            Some((idx, node)) => (idx + 1, node.end),
            None if parent.is_none() => (0, self.nodes.len()),
            None => (0, 0),
        };
        let mut next = first;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let child = next;
            next = self.nodes.get(child)?.end.max(child + 1);
            Some(child)
        })
    }
}

/// Reads a text into a tree and its problems.
pub fn parse(text: &str, dialect: &Dialect) -> (Tree, Vec<Problem>) {
    let mut tree = Tree { tokens: Vec::new(), nodes: Vec::new() };
    let mut open_nodes: Vec<usize> = Vec::new();
    let mut checker = Checker::new(dialect);
    for token in Lexer::new(text, dialect) {
        let idx = tree.tokens.len();
        tree.tokens.push(token);
        if token.is_blank() {
            checker.token(text, token);
            continue;
        }
        let n_open = checker.stack.len();
        checker.token(text, token);
        if token.kind == TokenKind::Close {
            // Several forms end here when a closer of an outer one was found.
            for depth in (checker.stack.len()..n_open).rev() {
                let Some(node_idx) = open_nodes.pop() else { continue };
                let end = tree.nodes.len();
                let node = &mut tree.nodes[node_idx];
                node.end = end;
                node.close = (depth == checker.stack.len()).then_some(idx);
            }
            continue;
        }
        let parent = open_nodes.last().copied();
        tree.nodes.push(Node { token: idx, close: None, parent, end: tree.nodes.len() + 1 });
        if token.kind == TokenKind::Open {
            open_nodes.push(tree.nodes.len() - 1);
        }
    }
    let end = tree.nodes.len();
    for node_idx in open_nodes {
        tree.nodes[node_idx].end = end;
    }
    (tree, checker.finish(text))
}

/// Returns what is wrong with the brackets of a text; nothing when it is balanced.
pub fn problems(text: &str, dialect: &Dialect) -> Vec<Problem> {
    let mut checker = Checker::new(dialect);
    for token in Lexer::new(text, dialect) {
        checker.token(text, token);
    }
    checker.finish(text)
}

/// Returns the first of the problems of a text, without placing all the others.
pub fn first_problem(text: &str, dialect: &Dialect) -> Option<Problem> {
    let mut checker = Checker::new(dialect);
    for token in Lexer::new(text, dialect) {
        checker.token(text, token);
    }
    checker.stack.truncate(1);
    checker.found.truncate(1);
    checker.finish(text).into_iter().next()
}

/// Returns whether every bracket, string and block comment of a text is closed.
pub fn is_balanced(text: &str, dialect: &Dialect) -> bool {
    let mut checker = Checker::new(dialect);
    for token in Lexer::new(text, dialect) {
        checker.token(text, token);
        if !checker.found.is_empty() {
            return false;
        }
    }
    checker.stack.is_empty()
}

/// Matches brackets as tokens come in.
struct Checker<'a> {
    dialect: &'a Dialect,
    /// Open brackets: what would close them, and where they stand.
    stack: Vec<(u8, usize)>,
    /// How many of each closing bracket the stack is waiting for.
    waiting: [usize; 128],
    /// Problems without line and column: kind, offset, offset of the opener.
    found: Vec<(ProblemKind, usize, Option<usize>)>,
}

impl<'a> Checker<'a> {
    fn new(dialect: &'a Dialect) -> Self {
        Checker { dialect, stack: Vec::new(), waiting: [0; 128], found: Vec::new() }
    }

    fn token(&mut self, text: &str, token: Token) {
        let byte = text.as_bytes().get(token.start).copied().unwrap_or(0);
        match token.kind {
            TokenKind::Open => {
                let close = closer_of(self.dialect, byte);
                self.stack.push((close, token.start));
                self.waiting[usize::from(close & 0x7F)] += 1;
            }
            TokenKind::Close => self.close(text, byte, token.start),
            TokenKind::UnclosedString => self.unclosed(ProblemKind::UnclosedString, token),
            TokenKind::UnclosedComment => self.unclosed(ProblemKind::UnclosedComment, token),
            TokenKind::UnclosedAtom => self.unclosed(ProblemKind::UnclosedSymbol, token),
            _ => {}
        }
    }

    fn unclosed(&mut self, kind: ProblemKind, token: Token) {
        self.found.push((kind, token.start, Some(token.start)));
    }

    fn close(&mut self, text: &str, found: u8, offset: usize) {
        let Some(&(expected, opened)) = self.stack.last() else {
            self.found.push((ProblemKind::Unexpected { found: char::from(found) }, offset, None));
            return;
        };
        if expected != found {
            let open = char::from(text.as_bytes().get(opened).copied().unwrap_or(0));
            let kind = ProblemKind::Mismatched {
                open,
                expected: char::from(expected),
                found: char::from(found),
            };
            self.found.push((kind, offset, Some(opened)));
            // The closer of an outer bracket ends what was left open inside it;
            // a closer of no open bracket is taken for a mistyped one.
            if self.waiting[usize::from(found & 0x7F)] > 0 {
                while self.stack.last().is_some_and(|it| it.0 != found) {
                    self.pop();
                }
            }
        }
        self.pop();
    }

    fn pop(&mut self) {
        if let Some((close, _)) = self.stack.pop() {
            self.waiting[usize::from(close & 0x7F)] -= 1;
        }
    }

    fn finish(mut self, text: &str) -> Vec<Problem> {
        for (close, opened) in self.stack {
            let open = char::from(text.as_bytes().get(opened).copied().unwrap_or(0));
            let kind = ProblemKind::Unclosed { open, expected: char::from(close) };
            self.found.push((kind, opened, Some(opened)));
        }
        self.found.sort_by_key(|it| it.1);
        let mut offsets = Vec::with_capacity(self.found.len() * 2);
        for (_, offset, opened) in &self.found {
            offsets.push(*offset);
            offsets.push(opened.unwrap_or(*offset));
        }
        let places = positions(text, &offsets);
        let problem = |((kind, offset, opened), place): (_, &[Position])| {
            let opened: Option<usize> = opened;
            Problem {
                kind,
                offset,
                line: place[0].line,
                column: place[0].column,
                opened_at: opened.map(|_| place[1]),
            }
        };
        self.found.into_iter().zip(places.chunks_exact(2)).map(problem).collect()
    }
}

/// Returns the bracket that closes `open`; the same byte if it is no bracket.
pub(crate) fn closer_of(dialect: &Dialect, open: u8) -> u8 {
    dialect.brackets.iter().find(|it| it.0 == open).map_or(open, |it| it.1)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::{Tree, is_balanced, parse, problems};
    use crate::dialect::Dialect;

    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let found = problems(text, &Dialect::CLOJURE);
        assert_eq!(found, parse(text, &Dialect::CLOJURE).1);
        assert_eq!(found.is_empty(), is_balanced(text, &Dialect::CLOJURE));
        let lines: Vec<String> =
            found.iter().map(|it| format!("{}:{}: {it}", it.line, it.column)).collect();
        expect.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn balanced_text_has_no_problems() {
        check("", expect![[""]]);
        check("(a [b {c \")\"}] \\( #_(d)) ; ]", expect![[""]]);
    }

    #[test]
    fn an_unclosed_form_is_shown_at_its_opener() {
        check(
            "(a\n  [b (c)",
            expect![[r#"
            1:1: `(` is never closed, expected `)`
            2:3: `[` is never closed, expected `]`"#]],
        );
    }

    #[test]
    fn a_closer_of_nothing_is_shown_where_it_stands() {
        check(
            "(ä))\n]",
            expect![[r#"
            1:4: unexpected `)`, nothing is open
            2:1: unexpected `]`, nothing is open"#]],
        );
    }

    #[test]
    fn a_mismatch_names_both_ends() {
        check(
            "(let [a 1\n  a)",
            expect!["2:4: expected `]` to close the `[` opened at 1:6, found `)`"],
        );
        check("(a]", expect!["1:3: expected `)` to close the `(` opened at 1:1, found `]`"]);
    }

    #[test]
    fn an_unclosed_string_is_shown_at_its_quote() {
        check(
            "(a \"b)",
            expect![[r#"
            1:1: `(` is never closed, expected `)`
            1:4: string is never closed"#]],
        );
    }

    fn render(tree: &Tree, text: &str, parent: Option<usize>) -> String {
        let shown: Vec<String> = tree
            .children(parent)
            .map(|it| {
                let inner = render(tree, text, Some(it));
                let token = tree.tokens[tree.nodes[it].token].text(text);
                if inner.is_empty() { token.to_owned() } else { format!("{token}<{inner}>") }
            })
            .collect();
        shown.join(" ")
    }

    #[test]
    fn children_are_found_in_order() {
        let text = "(a [b c] {}) d ([(e])";
        let (tree, _) = parse(text, &Dialect::CLOJURE);
        expect!["(<a [<b c> {> d (<[<(<e>>>"].assert_eq(&render(&tree, text, None));
    }

    #[test]
    fn a_million_levels_are_read_and_dropped() {
        let n_levels = 1_000_000;
        let open = "(".repeat(n_levels);
        assert_eq!(problems(&open, &Dialect::CLOJURE).len(), n_levels);
        let both = open + &")".repeat(n_levels);
        assert_eq!(parse(&both, &Dialect::CLOJURE).1, Vec::new());
    }
}
