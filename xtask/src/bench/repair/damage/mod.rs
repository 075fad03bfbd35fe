//! The kinds of damage, one row of [`KINDS`] each, and what one damage is made of.
//!
//! M1–M12 are kept as they are, so that figures stay comparable over time; a new
//! idea becomes a new X. A kind sees one balanced text and a place in it, never a
//! file, a tool or a score.

mod extra;
mod reshape;
mod slips;

use std::ops::Range;

use super::doc::{Doc, Site, Splice, apply};
use super::rng::Rng;

/// Which table a kind is reported in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// M1–M12.
    Twelve,
    /// Harder ones, reported apart.
    Extra,
    /// No damage at all: nothing may change.
    Valid,
}

/// A kind of damage.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) label: &'static str,
    pub(crate) group: Group,
    /// What is done to the text, for people.
    pub(crate) what: &'static str,
    /// Damages the text at the place, or returns `None` when it cannot be done there.
    pub(crate) make: fn(&mut Rng, &Doc, Site) -> Option<Damage>,
}

/// A damaged text and what a perfect repair of it is.
#[derive(Debug)]
pub(crate) struct Damage {
    pub(crate) broken: String,
    pub(crate) expected: String,
    /// A finer label within the kind.
    pub(crate) variant: String,
    pub(crate) site: Site,
    pub(crate) earlier: Earlier,
    pub(crate) texture: Texture,
    /// A second damaged form, further down.
    pub(crate) second: Option<Second>,
    /// The edit that made the damage, when it is not simply the changed lines.
    pub(crate) edit: Option<Edit>,
    /// The number of lines of `expected` after the damaged form.
    pub(crate) n_lines_after: usize,
}

/// Where the file as it was before the edit comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Earlier {
    /// The undamaged text: the edit is the damage.
    Original,
    /// Made up from `expected`, whose tokens are those of the undamaged text.
    MadeUp,
}

/// How lines begin and end; applied to every text of a case alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Texture {
    Plain,
    Crlf,
    /// Each so many columns of indentation are a tab.
    Tabs(usize),
}

/// The second damaged form, and the seam between the two in both texts.
#[derive(Debug)]
pub(crate) struct Second {
    pub(crate) site: Site,
    pub(crate) seam_expected: usize,
    pub(crate) seam_broken: usize,
}

/// A replaced stretch: `old` of the file before, `new` of the broken file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// Every kind of damage, in the order of the reports.
pub(crate) const KINDS: &[Kind] = &[
    twelve("M1", "a closer lost at the end", |rng, doc, site| {
        slip(rng, doc, site, slips::closer_lost_at_end)
    }),
    twelve("M2", "a closer lost at an inner line end", |rng, doc, site| {
        slip(rng, doc, site, slips::closer_lost_inside)
    }),
    twelve("M3", "a closer too many at the end", |rng, doc, site| {
        slip(rng, doc, site, slips::closer_too_many_at_end)
    }),
    twelve("M4", "a closer too many at an inner line end", |rng, doc, site| {
        slip(rng, doc, site, slips::closer_too_many_inside)
    }),
    twelve("M5", "a closer of the wrong type", |rng, doc, site| {
        slip(rng, doc, site, slips::closer_retyped)
    }),
    twelve("M6", "two or three closers lost", |rng, doc, site| {
        slip(rng, doc, site, slips::closers_lost)
    }),
    twelve("M7", "an opener lost", |rng, doc, site| slip(rng, doc, site, slips::opener_lost)),
    twelve("M8", "two closers swapped", |rng, doc, site| {
        slip(rng, doc, site, slips::closers_swapped)
    }),
    twelve("M9", "a string quote lost", |rng, doc, site| slip(rng, doc, site, slips::quote_lost)),
    twelve("M10", "a form wrapped, closers wrong", reshape::wrapped_badly),
    twelve("M11", "a line with closers lost", reshape::line_lost),
    twelve("M12", "closers wrong and lines off by a column", reshape::indented_sloppily),
    extra_kind("X1", "two damaged forms", extra::two_forms),
    extra_kind(
        "X2",
        "a form wrapped, closers wrong on two lines",
        extra::wrapped_badly_on_two_lines,
    ),
    extra_kind("X3", "CRLF line ends", extra::crlf),
    extra_kind("X4", "indented with tabs", extra::tabs),
    extra_kind("X5", "in `#( )`, `#{ }`, `#?( )`, `#:ns{ }`", extra::reader_syntax),
    extra_kind("X6", "an argument wrapped within its line", extra::argument_wrapped),
    extra_kind("X7", "a form unwrapped, its closer left", reshape::unwrapped),
    extra_kind("X8", "pasted some columns off, closers wrong", extra::pasted),
    extra_kind("X9", "closers behind a new comment", extra::closers_commented_out),
    extra_kind("X10", "the tail of a form lost", reshape::tail_lost),
];

/// The kind of the undamaged files.
pub(crate) const VALID: Kind = Kind {
    label: "V",
    group: Group::Valid,
    what: "nothing wrong: the file must stay as it is",
    make: |_, _, _| None,
};

const fn twelve(
    label: &'static str,
    what: &'static str,
    make: fn(&mut Rng, &Doc, Site) -> Option<Damage>,
) -> Kind {
    Kind { label, group: Group::Twelve, what, make }
}

const fn extra_kind(
    label: &'static str,
    what: &'static str,
    make: fn(&mut Rng, &Doc, Site) -> Option<Damage>,
) -> Kind {
    Kind { label, group: Group::Extra, what, make }
}

impl Damage {
    /// Returns a damage inside one form, with an earlier file still to be made up.
    fn new(
        doc: &Doc,
        site: Site,
        broken: String,
        expected: String,
        variant: impl Into<String>,
    ) -> Damage {
        Damage {
            broken,
            expected,
            variant: variant.into(),
            site,
            earlier: Earlier::MadeUp,
            texture: Texture::Plain,
            second: None,
            edit: None,
            n_lines_after: doc.n_lines() - 1 - site.top.last,
        }
    }

    fn of_original(self) -> Damage {
        Damage { earlier: Earlier::Original, ..self }
    }
}

impl Texture {
    /// Returns `text`, which has neither tabs nor carriage returns, in this texture.
    pub(crate) fn weave(self, text: String) -> String {
        match self {
            Texture::Plain => text,
            Texture::Crlf => text.replace('\n', "\r\n"),
            Texture::Tabs(width) => {
                let tabbed = |line: &str| {
                    let code = line.trim_start_matches(' ');
                    let column = line.len() - code.len();
                    format!("{}{}{code}", "\t".repeat(column / width), " ".repeat(column % width))
                };
                text.split('\n').map(tabbed).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

/// Some delimiters typed wrongly, the rest of the text as it was.
#[derive(Debug)]
struct Slip {
    splices: Vec<Splice>,
    variant: String,
}

type MakeSlip = fn(&mut Rng, &Doc, Site) -> Option<Slip>;

fn slip(rng: &mut Rng, doc: &Doc, site: Site, make: MakeSlip) -> Option<Damage> {
    let slip = make(rng, doc, site)?;
    Some(Damage::new(doc, site, apply(&doc.text, &slip.splices), doc.text.clone(), slip.variant))
}

#[cfg(test)]
mod tests;
