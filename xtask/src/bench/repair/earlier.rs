//! Makes up what a file held before the edit that damaged it: a valid text that
//! differs from the wanted one inside the damaged region only. It must not know
//! the damage: a repairer that is given the earlier file has to find that itself.

use std::collections::BTreeSet;

use super::doc::{Doc, MAX_REGION_LINES, Site, Splice};
use super::lex::{TokenKind, balanced};
use super::rng::Rng;

/// How the earlier file differed, and the splices that make it of the wanted text.
#[derive(Debug)]
pub(crate) struct MadeUp {
    pub(crate) kind: &'static str,
    pub(crate) splices: Vec<Splice>,
}

/// Returns an earlier content for a damage at `site`, or `None` when nothing in
/// the region can have been different.
pub(crate) fn make_up(rng: &mut Rng, doc: &Doc, site: Site) -> Option<MadeUp> {
    // Of nine: two forms were not there at all, three were mostly rewritten, two
    // were shorter, one had another literal, one another name.
    let made = match rng.below(9) {
        0 | 1 => new_form(doc, site),
        2..=4 => rewrite(rng, doc, site),
        5 | 6 => less(rng, doc, site),
        7 => literal(rng, doc, site),
        _ => None,
    };
    made.or_else(|| rename(rng, doc, site))
}

fn new_form(doc: &Doc, site: Site) -> Option<MadeUp> {
    let top = site.top;
    let is_whole = site.region.open == top.open && top.last - top.first < MAX_REGION_LINES;
    if !is_whole {
        return None;
    }
    // The blank line after the form came with it.
    let mut next = top.last + 1;
    if next < doc.n_lines() && doc.line(next).trim().is_empty() {
        next += 1;
    }
    let splice = if next < doc.n_lines() {
        Splice::new(doc.line_start(top.first), doc.line_start(next), "")
    } else {
        Splice::new(doc.line_start(top.first).saturating_sub(1), doc.line_end(top.last), "")
    };
    Some(MadeUp { kind: "new form", splices: vec![splice] })
}

fn rewrite(rng: &mut Rng, doc: &Doc, site: Site) -> Option<MadeUp> {
    let names: BTreeSet<&str> = atoms(doc, site)
        .map(|it| doc.str(it))
        .filter(|it| is_name(it.strip_prefix(':').unwrap_or(it), "*!?<>./-"))
        .collect();
    let changed: BTreeSet<&str> = names.into_iter().filter(|_| rng.percent(60)).collect();
    let splices: Vec<Splice> = atoms(doc, site)
        .filter(|it| changed.contains(doc.str(*it)))
        .map(|it| suffixed(doc, it, "0"))
        .collect();
    (!splices.is_empty()).then_some(MadeUp { kind: "rewrite", splices })
}

fn less(rng: &mut Rng, doc: &Doc, site: Site) -> Option<MadeUp> {
    let mut spans = Vec::new();
    for first in site.region.first + 1..site.region.last {
        for last in first..site.region.last.min(first + 6) {
            let whole = !doc.begins_in_text(first) && !doc.begins_in_text(last + 1);
            let text = &doc.text[doc.line_start(first)..doc.line_end(last)];
            if whole && !doc.line(first).trim().is_empty() && balanced(text) {
                spans.push((first, last));
            }
        }
    }
    let (first, last) = *rng.pick(&spans)?;
    let splice = Splice::new(doc.line_start(first), doc.line_start(last + 1), "");
    Some(MadeUp { kind: "less", splices: vec![splice] })
}

fn literal(rng: &mut Rng, doc: &Doc, site: Site) -> Option<MadeUp> {
    let old_value = |token: usize| {
        let text = doc.str(token);
        match doc.kind(token) {
            TokenKind::Text if !text.contains('\n') => Some("\"something else\""),
            TokenKind::Atom if text.chars().all(|it| it.is_ascii_digit()) => Some("0"),
            TokenKind::Atom if text.strip_prefix(':').is_some_and(|it| is_name(it, "-")) => {
                Some(":other")
            }
            _ => None,
        }
    };
    let literals: Vec<(usize, &str)> = (site.region.open..site.region.close)
        .filter_map(|it| Some((it, old_value(it)?)))
        .filter(|(token, old)| doc.str(*token) != *old)
        .collect();
    let (token, old) = *rng.pick(&literals)?;
    let splice = Splice::new(doc.tokens[token].start, doc.tokens[token].end, old);
    Some(MadeUp { kind: "literal", splices: vec![splice] })
}

fn rename(rng: &mut Rng, doc: &Doc, site: Site) -> Option<MadeUp> {
    let names: Vec<usize> = atoms(doc, site).filter(|it| is_name(doc.str(*it), "*!?<>-")).collect();
    let name = doc.str(*rng.pick(&names)?);
    let splices = names
        .into_iter()
        .filter(|it| doc.str(*it) == name)
        .map(|it| suffixed(doc, it, "-old"))
        .collect();
    Some(MadeUp { kind: "rename", splices })
}

fn atoms(doc: &Doc, site: Site) -> impl Iterator<Item = usize> + '_ {
    (site.region.open..site.region.close).filter(|it| doc.kind(*it) == TokenKind::Atom)
}

fn suffixed(doc: &Doc, token: usize, suffix: &str) -> Splice {
    Splice::new(doc.tokens[token].end, doc.tokens[token].end, suffix)
}

/// Tells whether `text` is a plain lower-case name of two characters or more.
fn is_name(text: &str, punctuation: &str) -> bool {
    let inside =
        |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || punctuation.contains(it);
    text.len() > 1
        && text.starts_with(|it: char| it.is_ascii_lowercase())
        && text.chars().all(inside)
}

#[cfg(test)]
mod tests {
    use super::super::doc::apply;
    use super::*;

    const TEXT: &str =
        "(ns a)\n\n(defn total [xs]\n  (log \"sum\" 12)\n  (reduce + xs))\n\n(defn z [] 1)\n";

    #[track_caller]
    fn check(make: impl Fn(&mut Rng, &Doc, Site) -> Option<MadeUp>, expected: &str) {
        let doc = Doc::parse(TEXT).unwrap();
        let top = doc.damageable_tops()[0];
        let made = make(&mut Rng::new(3, ""), &doc, Site { top, region: top }).unwrap();
        assert_eq!(apply(TEXT, &made.splices), expected);
    }

    #[test]
    fn a_new_form_was_not_there() {
        check(|_, doc, site| new_form(doc, site), "(ns a)\n\n(defn z [] 1)\n");
    }

    #[test]
    fn a_shorter_form_lacks_complete_lines() {
        check(less, "(ns a)\n\n(defn total [xs]\n  (reduce + xs))\n\n(defn z [] 1)\n");
    }

    #[test]
    fn every_kind_is_balanced_and_differs_inside_the_form_only() {
        let doc = Doc::parse(TEXT).unwrap();
        let top = doc.damageable_tops()[0];
        let mut kinds = BTreeSet::new();
        for seed in 0..200 {
            let made = make_up(&mut Rng::new(seed, ""), &doc, Site { top, region: top }).unwrap();
            let text = apply(TEXT, &made.splices);
            assert!(balanced(&text) && text != TEXT, "{text}");
            assert!(text.starts_with("(ns a)\n\n") && text.ends_with("(defn z [] 1)\n"), "{text}");
            kinds.insert(made.kind);
        }
        assert_eq!(
            kinds.into_iter().collect::<Vec<_>>(),
            ["less", "literal", "new form", "rename", "rewrite"]
        );
    }
}
