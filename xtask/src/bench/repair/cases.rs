//! Makes the cases of a run out of a corpus: which file, which place, which
//! damage, which earlier content. It knows nothing of tools and scores.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};

use super::corpus::SourceFile;
use super::damage::{Damage, Earlier, Edit, Kind, Texture, VALID};
use super::doc::{Doc, apply};
use super::rng::{Rng, hash};
use super::{earlier, edits, lex};

/// Files from here on are "big"; a small share of the cases is made of them,
/// because time and collateral damage grow with the file.
const BIG_LINES: std::ops::RangeInclusive<usize> = 1200..=6000;
const BIG_PERCENT: usize = 6;
/// Other files have fewer lines than this: most files that agents edit have.
const SMALL_LINES: usize = 400;
/// No package counts for more files than this.
const MAX_WEIGHT: usize = 60;
/// A kind is given up after so many attempts for each wanted case.
const MAX_ATTEMPTS: usize = 400;

/// One damaged file and what is wanted of a repair.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) kind: &'static Kind,
    pub(crate) variant: String,
    pub(crate) package: String,
    pub(crate) path: String,
    /// How the earlier file differs.
    pub(crate) before_kind: &'static str,
    pub(crate) before: String,
    pub(crate) broken: String,
    pub(crate) expected: String,
    pub(crate) edits: Vec<Edit>,
    /// First and last line of each damaged top-level form, in `expected`.
    pub(crate) forms: Vec<(usize, usize)>,
    pub(crate) n_lines: usize,
}

/// Makes `n_each` cases of every kind.
pub(crate) fn make(
    files: &[&SourceFile],
    kinds: &[&'static Kind],
    n_each: usize,
    seed: u64,
) -> Vec<Case> {
    let shelf = Shelf::new(files);
    kinds.iter().flat_map(|kind| make_kind(&shelf, kind, n_each, seed)).collect()
}

/// Returns a case for every balanced file, with nothing to repair in it.
pub(crate) fn undamaged(files: &[&SourceFile]) -> Vec<Case> {
    let balanced = files.iter().filter(|it| lex::balanced(&it.text));
    let case = |(idx, file): (usize, &&SourceFile)| Case {
        id: format!("V-{idx:04}"),
        kind: &VALID,
        variant: String::new(),
        package: file.package.clone(),
        path: file.path.clone(),
        before_kind: "same",
        before: file.text.clone(),
        broken: file.text.clone(),
        expected: file.text.clone(),
        edits: Vec::new(),
        forms: Vec::new(),
        n_lines: file.n_lines,
    };
    balanced.enumerate().map(case).collect()
}

/// The files of a corpus, by how they are drawn.
#[derive(Debug)]
struct Shelf<'a> {
    files: &'a [&'a SourceFile],
    docs: Vec<OnceCell<Option<Doc>>>,
    /// Files of a package, and how often the package is drawn.
    packages: Vec<(Vec<usize>, usize)>,
    big: Vec<usize>,
}

impl<'a> Shelf<'a> {
    fn new(files: &'a [&'a SourceFile]) -> Shelf<'a> {
        let mut by_package: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (idx, file) in files.iter().enumerate() {
            by_package.entry(&file.package).or_default().push(idx);
        }
        let packages =
            by_package.into_values().map(|it| (it.clone(), it.len().min(MAX_WEIGHT))).collect();
        let big = (0..files.len()).filter(|it| BIG_LINES.contains(&files[*it].n_lines)).collect();
        let docs = files.iter().map(|_| OnceCell::new()).collect();
        Shelf { files, docs, packages, big }
    }

    fn draw(&self, rng: &mut Rng) -> Option<usize> {
        if rng.percent(BIG_PERCENT) && !self.big.is_empty() {
            return rng.pick(&self.big).copied();
        }
        let mut left = rng.below(self.packages.iter().map(|it| it.1).sum());
        let (files, _) = self.packages.iter().find(|(_, weight)| {
            let found = left < *weight;
            left = left.saturating_sub(*weight);
            found
        })?;
        let file = *rng.pick(files)?;
        // Data files are damaged less often than programs: half of them are passed by.
        let passed_by = self.files[file].path.ends_with(".edn") && rng.percent(50);
        (self.files[file].n_lines < SMALL_LINES && !passed_by).then_some(file)
    }

    /// Returns the file taken apart, when it is balanced and plainly laid out:
    /// tabs and carriage returns are a kind of their own.
    fn doc(&self, file: usize) -> Option<&Doc> {
        self.docs[file]
            .get_or_init(|| {
                let text = &self.files[file].text;
                (!text.contains(['\r', '\t'])).then(|| Doc::parse(text.as_str())).flatten()
            })
            .as_ref()
    }
}

fn make_kind(shelf: &Shelf<'_>, kind: &'static Kind, n_wanted: usize, seed: u64) -> Vec<Case> {
    let mut rng = Rng::new(seed, kind.label);
    let mut seen = HashSet::new();
    let mut cases = Vec::new();
    for _ in 0..n_wanted * MAX_ATTEMPTS {
        if cases.len() == n_wanted {
            break;
        }
        let Some(mut case) = attempt(shelf, kind, &mut rng) else { continue };
        if seen.insert(hash(case.broken.as_bytes())) {
            case.id = format!("{}-{seed}-{:04}", kind.label, cases.len());
            cases.push(case);
        }
    }
    cases
}

fn attempt(shelf: &Shelf<'_>, kind: &'static Kind, rng: &mut Rng) -> Option<Case> {
    let file_idx = shelf.draw(rng)?;
    let doc = shelf.doc(file_idx)?;
    let file = shelf.files[file_idx];
    let site = doc.site(rng)?;
    let damage = (kind.make)(rng, doc, site)?;
    // What stays balanced cannot be noticed by any tool, and a wanted text that
    // is not balanced cannot be given.
    let usable = !lex::balanced(&damage.broken)
        && lex::balanced(&damage.expected)
        && !lex::same_tokens(&damage.broken, &damage.expected);
    if !usable {
        return None;
    }
    let (before_kind, before, seam_before) = before(rng, doc, &damage)?;
    if !lex::balanced(&before) || before == damage.expected {
        return None;
    }
    let n_lines = damage.expected.split('\n').count();
    let mut forms = vec![(damage.site.top.first, n_lines - 1 - damage.n_lines_after)];
    if let Some(second) = &damage.second {
        forms = [damage.site, second.site].map(|it| (it.top.first, it.top.last)).to_vec();
    }
    let before = damage.texture.weave(before);
    let broken = damage.texture.weave(damage.broken.clone());
    let expected = damage.texture.weave(damage.expected.clone());
    let edits = case_edits(rng, &damage, &before, &broken, &expected, seam_before);
    Some(Case {
        id: String::new(),
        kind,
        variant: damage.variant,
        package: file.package.clone(),
        path: file.path.clone(),
        before_kind,
        before,
        broken,
        expected,
        edits,
        forms,
        n_lines,
    })
}

/// Returns how the earlier file differs, its text, and the seam in it when two
/// forms are damaged.
fn before(rng: &mut Rng, doc: &Doc, damage: &Damage) -> Option<(&'static str, String, usize)> {
    if damage.earlier == Earlier::Original {
        return Some(("original", doc.text.clone(), 0));
    }
    let wanted = Doc::parse(damage.expected.as_str())?;
    let made = earlier::make_up(rng, &wanted, damage.site)?;
    let Some(second) = &damage.second else {
        return Some((made.kind, apply(&wanted.text, &made.splices), 0));
    };
    let seam = second.seam_expected;
    // A removed form takes the blank line after it along, which may lie beyond the seam.
    if made.splices.iter().any(|it| it.end > seam && it.start < seam) {
        return None;
    }
    let seam_before = apply(&wanted.text[..seam], &made.splices).len();
    let mut splices = made.splices;
    splices.extend(earlier::make_up(rng, &wanted, second.site)?.splices);
    Some((made.kind, apply(&wanted.text, &splices), seam_before))
}

fn case_edits(
    rng: &mut Rng,
    damage: &Damage,
    before: &str,
    broken: &str,
    expected: &str,
    seam_before: usize,
) -> Vec<Edit> {
    debug_assert!(
        damage.edit.is_none() || damage.texture == Texture::Plain,
        "ranges are those of the plain text"
    );
    if let Some(edit) = &damage.edit {
        return vec![edit.clone()];
    }
    let Some(second) = &damage.second else {
        let fix = edits::difference(broken, expected);
        return vec![edits::changed_lines(rng, before, broken, &fix)];
    };
    let (old_ahead, old_after) = before.split_at(seam_before);
    let (new_ahead, new_after) = broken.split_at(second.seam_broken);
    let (wanted_ahead, wanted_after) = expected.split_at(second.seam_expected);
    let upper_fix = edits::difference(new_ahead, wanted_ahead);
    let lower_fix = edits::difference(new_after, wanted_after);
    let upper = edits::changed_lines(rng, old_ahead, new_ahead, &upper_fix);
    let lower = edits::changed_lines(rng, old_after, new_after, &lower_fix);
    let moved = Edit {
        old: lower.old.start + seam_before..lower.old.end + seam_before,
        new: lower.new.start + second.seam_broken..lower.new.end + second.seam_broken,
    };
    vec![upper, moved]
}

#[cfg(test)]
mod tests {
    use super::super::damage::KINDS;
    use super::*;

    /// The sample below can be damaged in so many different ways by every kind.
    const N_EACH: usize = 6;

    /// A file with something for every kind to damage.
    fn sample() -> SourceFile {
        let form = |name: usize| {
            format!(
                "(defn step-{name} [ctx {{:keys [limit]}}]\n  (let [total (reduce + (map #(* % 2)\n                              (:xs ctx)))\n        note \"the ( sum\"]\n    (when (pos? total)\n      (log note total)\n      (swap! seen conj {{:total total\n                        :limit [limit]}}))\n    #?(:clj (inc total)\n       :cljs (dec total))))\n"
            )
        };
        let text = format!("(ns a.b)\n\n{}", (0..6).map(form).collect::<Vec<_>>().join("\n"));
        SourceFile::new("lib-a", "a/b.cljc", text)
    }

    fn all_cases(seed: u64) -> Vec<Case> {
        let file = sample();
        let kinds: Vec<&'static Kind> = KINDS.iter().collect();
        make(&[&file], &kinds, N_EACH, seed)
    }

    #[test]
    fn every_kind_gives_as_many_cases_as_wanted() {
        let cases = all_cases(5);
        for kind in KINDS {
            let n = cases.iter().filter(|it| it.kind.label == kind.label).count();
            assert_eq!(n, N_EACH, "{}", kind.label);
        }
    }

    #[test]
    fn cases_are_broken_repairable_and_have_a_valid_earlier_file() {
        for case in all_cases(5) {
            assert!(!lex::balanced(&case.broken), "{case:?}");
            assert!(lex::balanced(&case.expected), "{case:?}");
            assert!(lex::balanced(&case.before), "{case:?}");
            assert_ne!(case.before, case.expected, "{case:?}");
        }
    }

    #[test]
    fn edits_turn_the_earlier_file_into_the_broken_one() {
        for case in all_cases(6) {
            let splices: Vec<_> = case
                .edits
                .iter()
                .map(|it| {
                    super::super::doc::Splice::new(
                        it.old.start,
                        it.old.end,
                        &case.broken[it.new.clone()],
                    )
                })
                .collect();
            assert_eq!(apply(&case.before, &splices), case.broken, "{}", case.id);
        }
    }

    #[test]
    fn the_wanted_text_differs_inside_the_edits_and_the_forms_only() {
        for case in all_cases(7) {
            let (first, last) = (case.edits[0].new.start, case.edits[case.edits.len() - 1].new.end);
            let untouched = (&case.broken[..first], &case.broken[last..]);
            assert!(
                case.expected.starts_with(untouched.0) && case.expected.ends_with(untouched.1),
                "{case:?}"
            );
            let wanted = edits::difference(&case.expected, &case.broken);
            let line = |pos| case.expected[..pos].matches('\n').count();
            let (top, bottom) = (case.forms[0].0, case.forms[case.forms.len() - 1].1);
            assert!(top <= line(wanted.start) && line(wanted.end) <= bottom, "{case:?}");
        }
    }

    #[test]
    fn same_seed_same_cases() {
        let texts =
            |seed| all_cases(seed).into_iter().map(|it| (it.before, it.broken)).collect::<Vec<_>>();
        assert_eq!(texts(1), texts(1));
        assert_ne!(texts(1), texts(2));
    }

    #[test]
    fn one_kind_alone_gives_the_same_cases() {
        let file = sample();
        let alone = make(&[&file], &[&KINDS[4]], N_EACH, 1);
        let among = all_cases(1);
        let ids = |cases: &mut dyn Iterator<Item = &Case>| {
            cases
                .filter(|it| it.kind.label == "M5")
                .map(|it| (it.id.clone(), it.broken.clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(ids(&mut alone.iter()), ids(&mut among.iter()));
    }
}
