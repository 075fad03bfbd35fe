//! Harder damage than M1–M12, of sorts that agents are seen to make: reported
//! apart, so that the twelve stay comparable.

use super::super::doc::{Doc, Site, Splice, apply};
use super::super::lex::TokenKind;
use super::super::rng::Rng;
use super::reshape::{Wrapped, shifted};
use super::{Damage, Edit, KINDS, MakeSlip, Second, Texture, slips};

/// What an argument is wrapped in, without its brackets.
const FUNCTIONS: &[&str] = &["str", "count", "not", "first", "keyword", "some?", "vec", "deref"];

const NOTES: &[&str] = &["; see above", "; FIXME", ";; keep in sync", "; 1-based"];

/// X1: a slip in each of two top-level forms.
pub(super) fn two_forms(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Damage> {
    let others: Vec<_> =
        doc.damageable_tops().into_iter().filter(|it| it.open != site.top.open).collect();
    let top = *rng.pick(&others)?;
    let other = doc.site_in(rng, top)?;
    let (first, second) =
        if other.top.open < site.top.open { (other, site) } else { (site, other) };
    let (first_name, make_first) = rng.pick(slips::COMMON)?;
    let (second_name, make_second) = rng.pick(slips::COMMON)?;
    let mut splices = make_first(rng, doc, first)?.splices;
    let seam_expected = doc.line_start(first.top.last + 1);
    let seam_broken = apply(&doc.text[..seam_expected], &splices).len();
    splices.extend(make_second(rng, doc, second)?.splices);
    let broken = apply(&doc.text, &splices);
    let variant = format!("{first_name} and {second_name}");
    let mut damage = Damage::new(doc, first, broken, doc.text.clone(), variant);
    damage.second = Some(Second { site: second, seam_expected, seam_broken });
    Some(damage)
}

/// X2: the wrapping form lacks its closer, and another line of it is wrong too.
pub(super) fn wrapped_badly_on_two_lines(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Damage> {
    const INNER: &[(&str, MakeSlip)] = &[
        ("lost", slips::closer_lost_inside),
        ("extra", slips::closer_too_many_inside),
        ("retyped", slips::closer_retyped),
    ];
    let wrapped = Wrapped::make(rng, doc, site)?;
    let good = Doc::parse(wrapped.text(doc))?;
    let open = good.tokens.iter().position(|it| it.start == wrapped.start())?;
    let inside = Site { top: site.top, region: good.form(open) };
    let (name, make) = rng.pick(INNER)?;
    let slip = make(rng, &good, inside)?;
    let on_another_line = slip.splices.iter().all(|it| good.line_at(it.start) < inside.region.last);
    if !on_another_line {
        return None;
    }
    let mut splices = slip.splices;
    splices.push(slips::dropped(&good, inside.region.close));
    let broken = apply(&good.text, &splices);
    Some(Damage::new(doc, site, broken, good.text, *name).of_original())
}

/// X3: one of the other kinds in a file with CRLF line ends.
pub(super) fn crlf(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Damage> {
    textured(rng, doc, site, Texture::Crlf)
}

/// X4: one of the other kinds in a file that is indented with tabs.
pub(super) fn tabs(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Damage> {
    let width = *rng.pick(&[2, 8])?;
    textured(rng, doc, site, Texture::Tabs(width))
}

/// X5: a slip at the closer of a form that begins with `#`.
pub(super) fn reader_syntax(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Damage> {
    let forms: Vec<usize> = doc
        .openers_in(site.top)
        .filter(|it| is_dispatch(doc.str(it - 1)))
        .filter(|it| doc.form(*it).last - doc.form(*it).first < super::super::doc::MAX_REGION_LINES)
        .collect();
    let open = *rng.pick(&forms)?;
    let region = doc.form(open);
    let site = Site { top: site.top, region };
    // Within a line, little tells where a lost closer was; most cases are at line ends.
    if !doc.ends_line(region.close) && rng.percent(75) {
        return None;
    }
    let closer = doc.str(region.close);
    let (splice, name) = match rng.below(4) {
        0 | 1 => (slips::dropped(doc, region.close), "lost"),
        2 => (slips::added(doc, region.close, closer), "extra"),
        _ => {
            let wrong = if closer == ")" { "}" } else { ")" };
            let token = doc.tokens[region.close];
            (Splice::new(token.start, token.end, wrong), "retyped")
        }
    };
    let prefix = doc.str(open - 1);
    let prefix = if prefix.starts_with("#:") { "#:" } else { prefix };
    let variant = format!("{prefix}{} {name}", doc.str(open));
    Some(Damage::new(doc, site, apply(&doc.text, &[splice]), doc.text.clone(), variant))
}

/// X6: `x` becomes `(f x` or `(f x))` in the middle of a line; the edit is just that.
pub(super) fn argument_wrapped(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Damage> {
    let arguments: Vec<usize> = (site.region.open + 2..site.region.close)
        .filter(|it| doc.kind(it - 1) == TokenKind::Blank && !doc.breaks_line(it - 1))
        .filter(|it| match doc.kind(*it) {
            TokenKind::Atom => doc.str(*it).starts_with(|it: char| it.is_ascii_alphabetic()),
            TokenKind::Open => doc.form(*it).first == doc.form(*it).last,
            _ => false,
        })
        .collect();
    let argument = *rng.pick(&arguments)?;
    let (start, end) = (doc.tokens[argument].start, doc.tokens[doc.partner(argument)].end);
    let good = format!("({} {})", rng.pick(FUNCTIONS)?, &doc.text[start..end]);
    let (bad, variant) = if rng.percent(70) {
        (good[..good.len() - 1].to_owned(), "missing")
    } else {
        (format!("{good})"), "extra")
    };
    let broken = apply(&doc.text, &[Splice::new(start, end, bad.as_str())]);
    let expected = apply(&doc.text, &[Splice::new(start, end, good)]);
    let mut damage = Damage::new(doc, site, broken, expected, variant).of_original();
    damage.edit = Some(Edit { old: start..end, new: start..start + bad.len() });
    Some(damage)
}

/// X8: a nested form stands some columns off, as a whole, and has a common slip.
pub(super) fn pasted(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Damage> {
    let forms: Vec<usize> = doc
        .openers_in(site.region)
        .filter(|it| doc.starts_line(*it) && doc.form(*it).last > doc.form(*it).first)
        .collect();
    let region = doc.form(*rng.pick(&forms)?);
    let site = Site { top: site.top, region };
    let columns = *rng.pick(&[-3, -2, -2, 2, 2, 3, 4])?;
    let shifted = shifted(doc, region.first, region.last, columns)?;
    let (name, make) = rng.pick(slips::COMMON)?;
    let slip = make(rng, &shifted, site)?;
    let broken = apply(&shifted.text, &slip.splices);
    Some(Damage::new(doc, site, broken, shifted.text, format!("{name}, {columns:+} columns")))
}

/// X9: a comment is put in the middle of a run of closers and hides the rest of it.
pub(super) fn closers_commented_out(rng: &mut Rng, doc: &Doc, site: Site) -> Option<Damage> {
    let ends_bare = |last: usize| last + 1 == doc.tokens.len() || doc.breaks_line(last + 1);
    let runs: Vec<Vec<usize>> = doc
        .closer_runs(site.region)
        .into_iter()
        .filter(|run| run.last().is_some_and(|last| ends_bare(*last)))
        .collect();
    let run = rng.pick(&runs)?;
    let first_hidden = *rng.pick(run)?;
    let note = *rng.pick(NOTES)?;
    let (start, end) = (doc.tokens[first_hidden].start, doc.tokens[*run.last()?].end);
    let hidden = &doc.text[start..end];
    let broken = apply(&doc.text, &[Splice::new(start, start, format!(" {note}"))]);
    // The comment keeps what it swallowed: a repair adds brackets, it edits no prose.
    let expected = apply(&doc.text, &[Splice::new(end, end, format!(" {note}{hidden}"))]);
    let variant = format!("{} hidden", hidden.len());
    Some(Damage::new(doc, site, broken, expected, variant).of_original())
}

fn textured(rng: &mut Rng, doc: &Doc, site: Site, texture: Texture) -> Option<Damage> {
    const BASE: &[&str] = &["M1", "M2", "M3", "M4", "M5", "M6", "M8", "M10", "M11"];
    let label = rng.pick(BASE)?;
    let kind = KINDS.iter().find(|it| it.label == *label)?;
    let damage = (kind.make)(rng, doc, site)?;
    let variant = format!("{label} {texture:?}").to_lowercase();
    Some(Damage { texture, variant, ..damage })
}

fn is_dispatch(prefix: &str) -> bool {
    matches!(prefix, "#" | "#?" | "#?@") || prefix.starts_with("#:")
}
