//! What must hold for the answers to any bytes at all. The fuzz targets feed
//! these functions, and the replay of the kept corpus does so in every test run.
//!
//! Everything here panics when something does not hold, so that a fuzzer sees it.

use std::ops::Range;

use lisp::dialect::{DIALECTS, Dialect};
use lisp::repair::{Change, Edit, Outcome, Repaired, Request, repair};
use lisp::{edn, token, tree};

/// Reads a text in every dialect: nothing is lost, and all ways to ask what is
/// wrong with it agree.
pub(crate) fn read(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for dialect in DIALECTS {
        let tokens = token::tokens(&text, dialect);
        let joined: String = tokens.iter().map(|it| it.text(&text)).collect();
        assert_eq!(joined, text, "{}: tokens joined are the text", dialect.name);

        let (tree, problems) = tree::parse(&text, dialect);
        assert_eq!(tree.tokens, tokens, "{}: the tree holds the tokens", dialect.name);
        assert_eq!(tree::problems(&text, dialect), problems);
        assert_eq!(tree::first_problem(&text, dialect), problems.first().cloned());
        assert_eq!(tree::is_balanced(&text, dialect), problems.is_empty());
        for problem in &problems {
            assert!(text.is_char_boundary(problem.offset), "{problem:?}");
            assert!(!problem.to_string().is_empty());
        }
        for (idx, node) in tree.nodes.iter().enumerate() {
            assert!(node.parent.is_none_or(|it| it < idx), "parents come before children");
            assert!(idx < node.end && node.end <= tree.nodes.len(), "{node:?}");
            assert!(node.close.is_none_or(|it| node.token < it), "{node:?}");
        }
    }
}

/// Reads a text as EDN: every value stands where it says, and in a balanced text
/// inside its parent. A form that is never closed reaches to the end of the text,
/// beyond a parent that is.
pub(crate) fn edn(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (nodes, problems) = edn::read(&text);
    let is_balanced = tree::is_balanced(&text, &Dialect::CLOJURE);
    for node in &nodes {
        edn_node(&text, node, 0..text.len(), is_balanced);
    }
    for problem in &problems {
        assert!(text.is_char_boundary(problem.offset), "{problem:?}");
        assert!(!problem.to_string().is_empty());
    }
    if problems.is_empty() {
        assert!(is_balanced);
    }
}

/// Recursive; the reader bounds the depth.
fn edn_node(text: &str, node: &edn::Node, parent: Range<usize>, is_balanced: bool) {
    let span = node.span.clone();
    let inner = if is_balanced { span.clone() } else { parent.clone() };
    assert!(parent.start <= span.start && span.end <= parent.end, "{node:?} in {parent:?}");
    assert!(text.get(span.clone()).is_some_and(|it| !it.is_empty()), "{node:?}");
    assert!(node.line >= 1 && node.column >= 1, "{node:?}");
    match &node.value {
        edn::Value::List(items) | edn::Value::Vector(items) | edn::Value::Set(items) => {
            for item in items {
                edn_node(text, item, inner.clone(), is_balanced);
            }
        }
        edn::Value::Map(entries) => {
            for (key, value) in entries {
                edn_node(text, key, inner.clone(), is_balanced);
                edn_node(text, value, inner.clone(), is_balanced);
            }
        }
        edn::Value::Tagged(_, it) => edn_node(text, it, inner, is_balanced),
        _ => {}
    }
}

/// Mends what a [`Script`] asks for and checks the answer.
pub(crate) fn mend(bytes: &[u8]) {
    let script = Script::parse(bytes);
    let Script { dialect, before, broken, spans } = &script;
    let request = Request {
        broken,
        before: before.as_deref(),
        spans: (!spans.is_empty()).then_some(spans.as_slice()),
        dialect,
    };
    let outcome = repair(&request);
    let is_balanced = tree::is_balanced(broken, dialect);
    assert_eq!(outcome == Outcome::Balanced, is_balanced, "balanced text is left alone");
    assert_eq!(repair(&request), outcome, "the same question has the same answer");
    match outcome {
        Outcome::Balanced => {}
        Outcome::Repaired(repaired) => mended(&script, &repaired),
        Outcome::Unsure(unsure) => {
            assert!(broken.is_char_boundary(unsure.problem.offset), "{unsure:?}");
            assert!(!unsure.why.is_empty());
            for candidate in &unsure.candidates {
                assert!(candidate.edits.iter().all(|it| broken.is_char_boundary(it.offset)));
                assert!(!candidate.to_string().is_empty());
            }
        }
    }
}

fn mended(script: &Script, repaired: &Repaired) {
    let Script { dialect, before, broken, spans } = script;
    assert!(tree::is_balanced(&repaired.text, dialect), "{repaired:?}");
    assert!((0.0..=1.0).contains(&repaired.confidence), "{}", repaired.confidence);
    assert_eq!(without_delimiters(&repaired.text), without_delimiters(broken));
    assert_eq!(applied(broken, &repaired.edits), repaired.text, "the edits are the change");
    assert!(!repaired.edits.is_empty());
    for edit in &repaired.edits {
        let place = edit.offset..edit.offset + length(edit);
        let is_allowed = |it: &Range<usize>| it.start <= place.start && place.end <= it.end;
        assert!(spans.is_empty() || spans.iter().any(is_allowed), "{edit:?} not in {spans:?}");
        assert!(!edit.to_string().is_empty());
    }
    let again = Request { broken: &repaired.text, before: before.as_deref(), spans: None, dialect };
    assert_eq!(repair(&again), Outcome::Balanced, "mending twice is mending once");
}

fn length(edit: &Edit) -> usize {
    match &edit.change {
        Change::Insert(_) => 0,
        Change::Delete(gone) => gone.len(),
        Change::Replace { from, .. } => from.len(),
    }
}

/// Applies edits by hand.
fn applied(broken: &str, edits: &[Edit]) -> String {
    let mut text = broken.to_owned();
    for edit in edits.iter().rev() {
        let new = match &edit.change {
            Change::Insert(added) => added,
            Change::Delete(_) => "",
            Change::Replace { to, .. } => to,
        };
        text.replace_range(edit.offset..edit.offset + length(edit), new);
    }
    text
}

fn without_delimiters(text: &str) -> String {
    text.chars().filter(|it| !"()[]{}\"".contains(*it)).collect()
}

/// A question to the repair, written so that a mutated one is still a question.
///
/// An optional first line `#lang NAME` names the dialect; a line `%%` stands
/// between the text before and the broken one; `«` and `»` around what was just
/// written are not part of the text.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) dialect: &'static Dialect,
    pub(crate) before: Option<String>,
    pub(crate) broken: String,
    pub(crate) spans: Vec<Range<usize>>,
}

impl Script {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let named = text.strip_prefix("#lang ").and_then(|it| it.split_once('\n'));
        let known = named.and_then(|(name, rest)| Some((lisp::dialect::by_name(name)?, rest)));
        let (dialect, rest) = known.unwrap_or((DIALECTS[0], &text));
        let (before, marked) = match rest.split_once("\n%%\n") {
            Some((before, marked)) => (Some(before.to_owned()), marked),
            None => (None, rest),
        };
        let (mut broken, mut spans, mut opened) = (String::new(), Vec::new(), None);
        for char in marked.chars() {
            match char {
                '«' => opened = Some(broken.len()),
                '»' => spans.extend(opened.take().map(|it| it..broken.len())),
                _ => broken.push(char),
            }
        }
        Self { dialect, before, broken, spans }
    }
}
