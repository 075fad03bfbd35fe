//! Judges answers against the wanted texts and counts them. It decides with the
//! benchmark's own lexer, and knows no tool.

use super::cases::Case;
use super::lex;

/// What a tool answered.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// The repaired text, or `None` when the tool refused.
    pub(crate) text: Option<String>,
    pub(crate) ms: f64,
}

/// How good an answer is; every answer is exactly one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The wanted text; blanks at line ends and at the end of the file aside.
    Exact,
    /// Other blanks, comments or line ends, the same program.
    SameTree,
    /// Balanced, but another program: the dangerous answer.
    Wrong,
    /// Called a success, and still not balanced.
    Unbalanced,
    Refused,
}

/// The judgement of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) mark: Mark,
    /// Whether lines outside the damaged top-level forms changed.
    pub(crate) collateral: bool,
}

/// How often each mark was given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) n: usize,
    pub(crate) exact: usize,
    pub(crate) same_tree: usize,
    pub(crate) wrong: usize,
    pub(crate) unbalanced: usize,
    pub(crate) refused: usize,
    pub(crate) collateral: usize,
}

/// Median, 95th percentile and maximum, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Times {
    pub(crate) median: f64,
    pub(crate) p95: f64,
    pub(crate) max: f64,
}

/// Judges one answer.
pub(crate) fn judge(case: &Case, answer: &Answer) -> Judgement {
    let Some(text) = &answer.text else {
        return Judgement { mark: Mark::Refused, collateral: false };
    };
    // A file with nothing wrong must come back byte for byte.
    let is_exact = if case.broken == case.expected {
        *text == case.expected
    } else {
        tidy(text) == tidy(&case.expected)
    };
    let mark = if is_exact {
        Mark::Exact
    } else if !lex::balanced(text) {
        Mark::Unbalanced
    } else if lex::same_tokens(text, &case.expected) {
        Mark::SameTree
    } else {
        Mark::Wrong
    };
    Judgement { mark, collateral: changes_elsewhere(case, text) }
}

impl Tally {
    pub(crate) fn of(judgements: impl IntoIterator<Item = Judgement>) -> Tally {
        let mut tally = Tally::default();
        for judgement in judgements {
            tally.n += 1;
            tally.collateral += usize::from(judgement.collateral);
            *match judgement.mark {
                Mark::Exact => &mut tally.exact,
                Mark::SameTree => &mut tally.same_tree,
                Mark::Wrong => &mut tally.wrong,
                Mark::Unbalanced => &mut tally.unbalanced,
                Mark::Refused => &mut tally.refused,
            } += 1;
        }
        tally
    }

    /// Returns a share of all answers in percent.
    pub(crate) fn percent(&self, count: usize) -> f64 {
        if self.n == 0 { 0.0 } else { 100.0 * count as f64 / self.n as f64 }
    }

    /// Returns the 95 % Wilson interval of a share, in percent.
    pub(crate) fn interval(&self, count: usize) -> (f64, f64) {
        const Z: f64 = 1.96;
        if self.n == 0 {
            return (0.0, 0.0);
        }
        let n = self.n as f64;
        let share = count as f64 / n;
        let centre = share + Z * Z / (2.0 * n);
        let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        (100.0 * ((centre - spread) / scale).max(0.0), 100.0 * ((centre + spread) / scale).min(1.0))
    }
}

impl Times {
    pub(crate) fn of(times: impl IntoIterator<Item = f64>) -> Times {
        let mut times: Vec<f64> = times.into_iter().collect();
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied();
        Times {
            median: at(0.5).unwrap_or_default(),
            p95: at(0.95).unwrap_or_default(),
            max: times.last().copied().unwrap_or_default(),
        }
    }
}

/// Drops blanks before line ends and at the end of the file; line ends stay what
/// they are, because a tool must not change those.
fn tidy(text: &str) -> String {
    let mut tidy = text.split('\n').map(tidy_line).collect::<Vec<_>>().join("\n");
    tidy.truncate(tidy.trim_end().len());
    tidy
}

fn tidy_line(line: &str) -> String {
    match line.strip_suffix('\r') {
        Some(line) => format!("{}\r", line.trim_end()),
        None => line.trim_end().to_owned(),
    }
}

fn changes_elsewhere(case: &Case, text: &str) -> bool {
    let (Some(first), Some(last)) = (case.forms.first(), case.forms.last()) else {
        return text != case.expected;
    };
    let wanted: Vec<String> = case.expected.trim_end().split('\n').map(tidy_line).collect();
    let got: Vec<String> = text.trim_end().split('\n').map(tidy_line).collect();
    let last_wanted = (last.1 + 1).min(wanted.len());
    let (ahead, after) = (&wanted[..first.0.min(wanted.len())], &wanted[last_wanted..]);
    if !got.starts_with(ahead) || !got.ends_with(after) {
        return true;
    }
    // Between two damaged forms, lines can be told apart only when none was added.
    got.len() == wanted.len()
        && case.forms.windows(2).any(|it| {
            let between = it[0].1 + 1..it[1].0;
            got[between.clone()] != wanted[between]
        })
}

#[cfg(test)]
mod tests {
    use super::super::damage::KINDS;
    use super::*;

    fn case(broken: &str, expected: &str, forms: &[(usize, usize)]) -> Case {
        Case {
            id: String::new(),
            kind: &KINDS[0],
            variant: String::new(),
            package: String::new(),
            path: String::new(),
            before_kind: "",
            before: String::new(),
            broken: broken.to_owned(),
            expected: expected.to_owned(),
            edits: Vec::new(),
            forms: forms.to_vec(),
            n_lines: expected.split('\n').count(),
        }
    }

    #[track_caller]
    fn check(case: &Case, text: &str, mark: Mark, collateral: bool) {
        let answer = Answer { text: Some(text.to_owned()), ms: 0.0 };
        assert_eq!(judge(case, &answer), Judgement { mark, collateral }, "{text:?}");
    }

    #[test]
    fn each_mark_is_given() {
        let case = case("(a)\n(b (c)\n(d)\n", "(a)\n(b (c))\n(d)\n", &[(1, 1)]);
        check(&case, "(a)\n(b (c))\n(d)\n", Mark::Exact, false);
        check(&case, "(a)\n(b (c))  \n(d)\n\n", Mark::Exact, false);
        check(&case, "(a)\n(b (c)\n)\n(d)\n", Mark::SameTree, false);
        check(&case, "(a)\n(b) (c)\n(d)\n", Mark::Wrong, false);
        check(&case, "(a)\n(b (c)\n(d))\n", Mark::Wrong, true);
        check(&case, "(a)\n(b (c)\n(d)\n", Mark::Unbalanced, false);
        let refused = judge(&case, &Answer { text: None, ms: 0.0 });
        assert_eq!(refused, Judgement { mark: Mark::Refused, collateral: false });
    }

    #[test]
    fn line_ends_count() {
        let case = case("(a)\r\n(b\r\n", "(a)\r\n(b)\r\n", &[(1, 1)]);
        check(&case, "(a)\r\n(b)\r\n", Mark::Exact, false);
        check(&case, "(a)\n(b)\n", Mark::SameTree, true);
    }

    #[test]
    fn lines_between_two_forms_are_looked_at() {
        let case = case("(a\n(x)\n(b", "(a)\n(x)\n(b)", &[(0, 0), (2, 2)]);
        check(&case, "(a)\n(x)\n(b)", Mark::Exact, false);
        check(&case, "(a)\n(x )\n(b)", Mark::SameTree, true);
    }

    #[test]
    fn a_file_with_nothing_wrong_must_not_change_by_a_byte() {
        let case = case("(a) \n", "(a) \n", &[]);
        check(&case, "(a) \n", Mark::Exact, false);
        check(&case, "(a)\n", Mark::SameTree, true);
    }

    #[test]
    fn intervals_are_wilsons() {
        let tally = Tally { n: 600, exact: 339, ..Tally::default() };
        let (low, high) = tally.interval(tally.exact);
        assert_eq!(
            format!("{:.1} {low:.1} {high:.1}", tally.percent(tally.exact)),
            "56.5 52.5 60.4"
        );
        let (low, high) = tally.interval(0);
        assert_eq!(format!("{low:.1} {high:.1}"), "0.0 0.6");
    }

    #[test]
    fn times_are_ordered_first() {
        let times = Times::of((0..100).rev().map(f64::from));
        assert_eq!(times, Times { median: 50.0, p95: 95.0, max: 99.0 });
    }

    #[test]
    fn tallies_add_up() {
        let judgement = |mark, collateral| Judgement { mark, collateral };
        let tally = Tally::of([
            judgement(Mark::Exact, false),
            judgement(Mark::Wrong, true),
            judgement(Mark::Wrong, false),
            judgement(Mark::Refused, false),
        ]);
        assert_eq!(
            tally,
            Tally {
                n: 4,
                exact: 1,
                same_tree: 0,
                wrong: 2,
                unbalanced: 0,
                refused: 1,
                collateral: 1
            }
        );
    }
}
