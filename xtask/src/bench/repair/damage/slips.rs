//! Wrongly typed delimiters: M1–M9. Each function says which bytes of an
//! undamaged text an agent would have got wrong; the text itself is the repair.

use super::super::doc::{Doc, Site, Splice};
use super::super::lex::TokenKind;
use super::super::rng::Rng;
use super::{MakeSlip, Slip};

const CLOSERS: &[&str] = &[")", "]", "}"];

/// The slips that other kinds of damage build upon.
pub(super) const COMMON: &[(&str, MakeSlip)] = &[
    ("M1", closer_lost_at_end),
    ("M2", closer_lost_inside),
    ("M3", closer_too_many_at_end),
    ("M4", closer_too_many_inside),
    ("M6", closers_lost),
];

pub(super) fn closer_lost_at_end(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Slip> {
    let runs = doc.closer_runs(site.region);
    let closer = *rng.pick(runs.last()?)?;
    Some(Slip { splices: vec![dropped(doc, closer)], variant: "end".to_owned() })
}

pub(super) fn closer_lost_inside(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Slip> {
    let runs = inner_runs(doc, site);
    let run = rng.pick(&runs)?;
    let closer = *rng.pick(run)?;
    Some(Slip { splices: vec![dropped(doc, closer)], variant: "inner".to_owned() })
}

pub(super) fn closer_too_many_at_end(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Slip> {
    let own = doc.str(site.region.close);
    let extra = if rng.percent(80) { own } else { rng.pick(CLOSERS)? };
    Some(Slip { splices: vec![added(doc, site.region.close, extra)], variant: extra.to_owned() })
}

pub(super) fn closer_too_many_inside(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Slip> {
    // Most follow another closer; some follow a bare word or string.
    let places: Vec<usize> = if rng.percent(70) {
        inner_runs(doc, site).iter().filter_map(|it| it.last().copied()).collect()
    } else {
        (site.region.open + 1..site.region.close)
            .filter(|it| matches!(doc.kind(*it), TokenKind::Atom | TokenKind::Text))
            .filter(|it| doc.line_of(*it) < site.region.last && doc.breaks_line(it + 1))
            .collect()
    };
    let place = *rng.pick(&places)?;
    let same = doc.kind(place) == TokenKind::Close && rng.percent(80);
    let extra = if same { doc.str(place) } else { ")" };
    Some(Slip { splices: vec![added(doc, place, extra)], variant: extra.to_owned() })
}

pub(super) fn closer_retyped(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Slip> {
    let closer = *rng.pick(&doc.closers_in(site.region))?;
    let right = doc.str(closer);
    let others: Vec<&str> = CLOSERS.iter().copied().filter(|it| *it != right).collect();
    let wrong = *rng.pick(&others)?;
    let token = doc.tokens[closer];
    Some(Slip {
        splices: vec![Splice::new(token.start, token.end, wrong)],
        variant: format!("{wrong} for {right}"),
    })
}

pub(super) fn closers_lost(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Slip> {
    let n_lost = *rng.pick(&[2, 2, 3])?;
    let runs = doc.closer_runs(site.region);
    let last = runs.last()?;
    let (lost, place) = if rng.percent(50) && last.len() >= n_lost {
        (rng.sample(last, n_lost)?, "end")
    } else {
        (rng.sample(&runs.concat(), n_lost)?, "spread")
    };
    Some(Slip {
        splices: lost.iter().map(|it| dropped(doc, *it)).collect(),
        variant: format!("{n_lost} {place}"),
    })
}

pub(super) fn opener_lost(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Slip> {
    let inner: Vec<usize> = doc.openers_in(site.region).collect();
    let opener =
        if inner.is_empty() || rng.percent(10) { site.region.open } else { *rng.pick(&inner)? };
    let token = doc.tokens[opener];
    // A lone `#`, `'` or backtick goes with its bracket: `#{` is typed as one thing.
    let start = match opener.checked_sub(1) {
        Some(ahead) if matches!(doc.str(ahead), "#" | "'" | "`") => doc.tokens[ahead].start,
        _ => token.start,
    };
    Some(Slip {
        splices: vec![Splice::new(start, token.end, "")],
        variant: doc.text[start..token.end].to_owned(),
    })
}

pub(super) fn closers_swapped(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Slip> {
    let closers = doc.closers_in(site.region);
    let pairs: Vec<(usize, usize)> = closers
        .windows(2)
        .map(|it| (it[0], it[1]))
        .filter(|(left, right)| left + 1 == *right && doc.str(*left) != doc.str(*right))
        .collect();
    let (left, right) = *rng.pick(&pairs)?;
    let swapped = format!("{}{}", doc.str(right), doc.str(left));
    Some(Slip {
        splices: vec![Splice::new(doc.tokens[left].start, doc.tokens[right].end, swapped.as_str())],
        variant: swapped,
    })
}

pub(super) fn quote_lost(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Slip> {
    let strings: Vec<usize> = (site.region.open..site.region.close)
        .filter(|it| doc.kind(*it) == TokenKind::Text && doc.str(*it).len() > 2)
        .collect();
    let token = doc.tokens[*rng.pick(&strings)?];
    let (at, variant) = if rng.percent(65) {
        (token.end - 1, "closing quote")
    } else {
        (token.start, "opening quote")
    };
    Some(Slip { splices: vec![Splice::new(at, at + 1, "")], variant: variant.to_owned() })
}

/// Returns a splice that removes a token.
pub(super) fn dropped(doc: &Doc, token: usize) -> Splice {
    Splice::new(doc.tokens[token].start, doc.tokens[token].end, "")
}

/// Returns a splice that puts `text` right after a token.
pub(super) fn added(doc: &Doc, token: usize, text: &str) -> Splice {
    Splice::new(doc.tokens[token].end, doc.tokens[token].end, text)
}

/// Returns the line-end runs of closers above the last line of the region.
fn inner_runs(doc: &Doc, site: Site) -> Vec<Vec<usize>> {
    let mut runs = doc.closer_runs(site.region);
    runs.retain(|it| it.last().is_some_and(|closer| doc.line_of(*closer) < site.region.last));
    runs
}
