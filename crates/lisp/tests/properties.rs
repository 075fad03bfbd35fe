//! What holds for every text: nothing is lost, nothing but delimiters changes,
//! nothing outside the allowed spans is touched, and every answer comes to rest.

use std::ops::Range;

use lisp::dialect::{DIALECTS, Dialect};
use lisp::repair::{Change, Outcome, Repaired, Request, repair};
use lisp::{edn, token, tree};
use proptest::prelude::{
    Just, ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use proptest::sample::select;

/// Text made of what lexers stumble over.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        select(vec![
            "(", ")", "[", "]", "{", "}", "\"", "\\", ";", "#", "'", "`", "~", "@", "^", ",", "|",
            "?", " ", "\n", "\r\n", "\t", "#_", "#?(", "#?@(", "#{", "#\"", "#|", "|#", "#\\",
            "\\(", "#<<", "#[[", "]]", "``", "##Inf", "#:a{", "a", "b-c", ":k", "12", "let",
            "defn", "\n  ", "\n(", "ü", "\u{feff}", "λ", "\u{2028}",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|it| it.concat())
}

/// Balanced code in lines, as trees print.
fn code() -> impl Strategy<Value = String> {
    let leaf = select(vec!["x", "foo", ":key", "\"a (b\"", "\\)", "12", "#_y z", "'q", "nil"])
        .prop_map(str::to_owned);
    let form = leaf.prop_recursive(4, 40, 5, |inner| {
        (
            select(vec![
                ("(f ", ")"),
                ("[", "]"),
                ("{:a ", "}"),
                ("#{", "}"),
                ("(let [a 1]\n  ", ")"),
            ]),
            proptest::collection::vec(inner, 1..5),
        )
            .prop_map(|((open, close), items)| format!("{open}{}{close}", items.join("\n  ")))
    });
    proptest::collection::vec(form, 1..5)
        .prop_map(|it| it.iter().map(|form| format!("(def v\n  {form})\n\n")).collect())
}

/// Code with some delimiters removed, added or replaced.
fn broken_code() -> impl Strategy<Value = (String, String)> {
    let wound = (any::<proptest::sample::Index>(), select(vec!["", ")", "]", "}", "(", "\""]));
    (code(), proptest::collection::vec(wound, 1..4)).prop_map(|(text, wounds)| {
        let mut broken = text.clone();
        for (place, with) in wounds {
            let places: Vec<usize> = broken
                .char_indices()
                .filter(|it| "()[]{}\"".contains(it.1))
                .map(|it| it.0)
                .collect();
            if places.is_empty() {
                continue;
            }
            let at = places[place.index(places.len())];
            broken.replace_range(at..=at, with);
        }
        (text, broken)
    })
}

fn dialect() -> impl Strategy<Value = &'static Dialect> {
    prop_oneof![4 => Just(DIALECTS[0]), 1 => select(DIALECTS.to_vec())]
}

fn ask<'a>(
    broken: &'a str,
    before: Option<&'a str>,
    spans: Option<&'a [Range<usize>]>,
    dialect: &'a Dialect,
) -> Outcome {
    repair(&Request { broken, before, spans, dialect })
}

/// Applies the edits of an answer by hand.
fn apply(broken: &str, repaired: &Repaired) -> String {
    let mut text = broken.to_owned();
    for edit in repaired.edits.iter().rev() {
        let at = edit.offset;
        match &edit.change {
            Change::Insert(added) => text.insert_str(at, added),
            Change::Delete(gone) => text.replace_range(at..at + gone.len(), ""),
            Change::Replace { from, to } => text.replace_range(at..at + from.len(), to),
        }
    }
    text
}

fn without_delimiters(text: &str) -> String {
    text.chars().filter(|it| !"()[]{}\"".contains(*it)).collect()
}

/// Checks everything that must hold for an answer.
fn check(
    broken: &str,
    outcome: &Outcome,
    dialect: &Dialect,
) -> Result<(), proptest::test_runner::TestCaseError> {
    prop_assert_eq!(*outcome == Outcome::Balanced, tree::is_balanced(broken, dialect));
    match outcome {
        Outcome::Balanced => {}
        Outcome::Repaired(repaired) => {
            prop_assert!(tree::is_balanced(&repaired.text, dialect));
            prop_assert_eq!(&apply(broken, repaired), &repaired.text);
            prop_assert_eq!(without_delimiters(broken), without_delimiters(&repaired.text));
            prop_assert!((0.0..=1.0).contains(&repaired.confidence));
            prop_assert_eq!(ask(&repaired.text, None, None, dialect), Outcome::Balanced);
        }
        Outcome::Unsure(unsure) => {
            prop_assert!(unsure.problem.offset <= broken.len());
            prop_assert!(!unsure.why.is_empty());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tokens_joined_are_the_text(text in soup(), dialect in dialect()) {
        let joined: String = token::tokens(&text, dialect).iter().map(|it| it.text(&text)).collect();
        prop_assert_eq!(joined, text);
    }

    #[test]
    fn problems_are_the_same_with_and_without_a_tree(text in soup(), dialect in dialect()) {
        let problems = tree::problems(&text, dialect);
        prop_assert_eq!(problems.is_empty(), tree::is_balanced(&text, dialect));
        prop_assert_eq!(tree::first_problem(&text, dialect), problems.first().cloned());
        prop_assert_eq!(tree::parse(&text, dialect).1, problems);
    }

    #[test]
    fn edn_reads_anything(text in soup()) {
        let (nodes, _) = edn::read(&text);
        for node in nodes {
            prop_assert!(text.get(node.span).is_some());
        }
    }

    #[test]
    fn balanced_code_is_balanced(text in code()) {
        prop_assert_eq!(ask(&text, None, None, DIALECTS[0]), Outcome::Balanced);
    }

    #[test]
    fn any_text_gets_a_sound_answer(text in soup(), dialect in dialect()) {
        check(&text, &ask(&text, None, None, dialect), dialect)?;
    }

    #[test]
    fn any_two_texts_get_a_sound_answer(before in soup(), text in soup(), dialect in dialect()) {
        check(&text, &ask(&text, Some(&before), None, dialect), dialect)?;
    }

    #[test]
    fn broken_code_gets_a_sound_answer((text, broken) in broken_code()) {
        check(&broken, &ask(&broken, None, None, DIALECTS[0]), DIALECTS[0])?;
        check(&broken, &ask(&broken, Some(&text), None, DIALECTS[0]), DIALECTS[0])?;
    }

    #[test]
    fn edits_lie_inside_the_spans((_, broken) in broken_code(), from in any::<proptest::sample::Index>(), to in any::<proptest::sample::Index>()) {
        let places: Vec<usize> = broken.char_indices().map(|it| it.0).chain([broken.len()]).collect();
        let (a, b) = (places[from.index(places.len())], places[to.index(places.len())]);
        let span = a.min(b)..a.max(b);
        let spans = [span.clone()];
        let outcome = ask(&broken, None, Some(&spans), DIALECTS[0]);
        check(&broken, &outcome, DIALECTS[0])?;
        if let Outcome::Repaired(repaired) = outcome {
            for edit in &repaired.edits {
                let length = match &edit.change {
                    Change::Insert(_) => 0,
                    Change::Delete(gone) => gone.len(),
                    Change::Replace { from, .. } => from.len(),
                };
                prop_assert!(span.start <= edit.offset && edit.offset + length <= span.end);
            }
        }
    }

    #[test]
    fn lines_that_did_not_change_are_not_touched((text, broken) in broken_code()) {
        let Outcome::Repaired(repaired) = ask(&broken, Some(&text), None, DIALECTS[0]) else { return Ok(()) };
        let (old, new): (Vec<&str>, Vec<&str>) = (text.split('\n').collect(), broken.split('\n').collect());
        let n_same_before = old.iter().zip(&new).take_while(|it| it.0 == it.1).count();
        let n_same_after = old.iter().rev().zip(new.iter().rev()).take_while(|it| it.0 == it.1).count();
        for (idx, (line, mended)) in new.iter().zip(repaired.text.split('\n')).enumerate() {
            // The end of the line before the edit may get the closers of lines that are gone.
            let is_same = idx + 1 < n_same_before || idx >= new.len().saturating_sub(n_same_after).max(n_same_before);
            prop_assert!(!is_same || *line == mended);
        }
    }
}

#[test]
fn huge_and_hostile_texts_come_to_an_end() {
    let n = 50_000;
    for text in [
        "(".repeat(n),
        ")".repeat(n),
        "([{".repeat(n),
        "\"".repeat(n + 1),
        "(a]\n".repeat(n),
        "(foo\n".repeat(n),
        "(a \"b\n".repeat(n / 10),
    ] {
        for before in [None, Some("(ns a)\n")] {
            let outcome = ask(&text, before, None, DIALECTS[0]);
            assert_ne!(outcome, Outcome::Balanced);
        }
    }
}
