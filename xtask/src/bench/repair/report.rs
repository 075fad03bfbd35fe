//! Turns judged answers into a table for people (Markdown, for
//! `docs/benchmarks.md`) and for programs (JSON). It judges nothing itself.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::damage::{Group, KINDS, Kind, VALID};
use super::runners::Mode;
use super::score::{Judgement, Tally, Times};

/// Above this many lines a file is reported as big, too.
const BIG_LINES: usize = 1000;
/// Lost openers and lost quotes leave little to go by; they are left out of one column.
const HARDEST: &[&str] = &["M7", "M9"];

/// A judged answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scored {
    pub(crate) kind: &'static Kind,
    pub(crate) n_lines: usize,
    pub(crate) judgement: Judgement,
    pub(crate) ms: f64,
}

/// The judged answers of one tool in one mode.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) tool: String,
    pub(crate) mode: Mode,
    pub(crate) scored: Vec<Scored>,
}

/// The answers to one set of cases.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) rows: Vec<Row>,
}

/// A whole run: what was measured on what, and the answers.
#[derive(Debug)]
pub(crate) struct Report {
    /// Names and values that tell this run from others.
    pub(crate) facts: Vec<(&'static str, String)>,
    pub(crate) sections: Vec<Section>,
}

impl Row {
    fn tally(&self, wanted: impl Fn(&Scored) -> bool) -> Tally {
        Tally::of(self.scored.iter().filter(|it| wanted(it)).map(|it| it.judgement))
    }

    fn of_group(&self, group: Group) -> Tally {
        self.tally(|it| it.kind.group == group)
    }

    fn of_kind(&self, kind: &Kind) -> Tally {
        self.tally(|it| it.kind.label == kind.label)
    }

    fn without_hardest(&self) -> Tally {
        self.tally(|it| it.kind.group == Group::Twelve && !HARDEST.contains(&it.kind.label))
    }

    fn big(&self) -> Tally {
        self.tally(|it| it.kind.group == Group::Twelve && it.n_lines > BIG_LINES)
    }

    fn times(&self, group: Group) -> Times {
        Times::of(self.scored.iter().filter(|it| it.kind.group == group).map(|it| it.ms))
    }

    fn name(&self) -> String {
        format!("{}, {}", self.tool, self.mode.name())
    }
}

impl Section {
    /// Returns one section with the answers of all of them.
    pub(crate) fn merged(title: &str, sections: &[Section]) -> Section {
        let mut rows: Vec<Row> = Vec::new();
        for row in sections.iter().flat_map(|it| &it.rows) {
            match rows.iter_mut().find(|it| it.tool == row.tool && it.mode == row.mode) {
                Some(merged) => merged.scored.extend(&row.scored),
                None => rows.push(row.clone()),
            }
        }
        Section { title: title.to_owned(), rows }
    }

    fn markdown(&self) -> String {
        let mut out = format!("## {}\n\n", self.title);
        self.write_totals(&mut out, Group::Twelve, "M1–M12");
        self.write_kinds(&mut out, Group::Twelve);
        self.write_totals(&mut out, Group::Extra, "X1–X10");
        self.write_kinds(&mut out, Group::Extra);
        self.write_undamaged(&mut out);
        out
    }

    fn write_totals(&self, out: &mut String, group: Group, kinds: &str) {
        let n = self.rows.iter().map(|it| it.of_group(group).n).max().unwrap_or_default();
        if n == 0 {
            return;
        }
        let _ = writeln!(out, "### {kinds}: {n} cases\n");
        let is_twelve = group == Group::Twelve;
        out.push_str("| tool | exact (95 %) | same tree | WRONG (95 %) | still unbalanced | refused | collateral |");
        out.push_str(if is_twelve {
            " without M7, M9: exact / WRONG | big files: exact / WRONG |"
        } else {
            ""
        });
        out.push_str(" ms: median / p95 / max |\n|---|---|---|---|---|---|---|---|");
        out.push_str(if is_twelve { "---|---|\n" } else { "\n" });
        for row in self.rows.iter().filter(|it| it.of_group(group).n > 0) {
            let tally = row.of_group(group);
            let _ = write!(
                out,
                "| {} | **{}** | {} | **{}** | {} | {} | {} |",
                row.name(),
                with_interval(&tally, tally.exact),
                percent(&tally, tally.exact + tally.same_tree),
                with_interval(&tally, tally.wrong),
                percent(&tally, tally.unbalanced),
                percent(&tally, tally.refused),
                percent(&tally, tally.collateral),
            );
            if is_twelve {
                let _ = write!(out, " {} | {} |", pair(&row.without_hardest()), pair(&row.big()));
            }
            let times = row.times(group);
            let _ = writeln!(out, " {:.2} / {:.1} / {:.0} |", times.median, times.p95, times.max);
        }
        out.push('\n');
    }

    fn write_kinds(&self, out: &mut String, group: Group) {
        let kinds: Vec<&Kind> = KINDS
            .iter()
            .filter(|it| it.group == group && self.rows.iter().any(|row| row.of_kind(it).n > 0))
            .collect();
        if kinds.is_empty() {
            return;
        }
        out.push_str("Exact (95 %) / WRONG (95 %) / refused, in percent:\n\n| kind | damage | n |");
        for row in &self.rows {
            let _ = write!(out, " {} |", row.name());
        }
        let _ = writeln!(out, "\n|---|---|---|{}", "---|".repeat(self.rows.len()));
        for kind in kinds {
            let n = self.rows.iter().map(|it| it.of_kind(kind).n).max().unwrap_or_default();
            let _ = write!(out, "| {} | {} | {n} |", kind.label, kind.what);
            for row in &self.rows {
                let tally = row.of_kind(kind);
                let cell = |count| {
                    let (low, high) = tally.interval(count);
                    format!("{:.0} ({low:.0}–{high:.0})", tally.percent(count))
                };
                let _ = write!(
                    out,
                    " {} / {} / {:.0} |",
                    cell(tally.exact),
                    cell(tally.wrong),
                    tally.percent(tally.refused)
                );
            }
            out.push('\n');
        }
        out.push('\n');
    }

    fn write_undamaged(&self, out: &mut String) {
        let rows: Vec<&Row> = self.rows.iter().filter(|it| it.of_kind(&VALID).n > 0).collect();
        if rows.is_empty() {
            return;
        }
        out.push_str("### Files with nothing wrong\n\n");
        out.push_str("| tool | files | unchanged | blanks changed | program changed | unbalanced | refused |\n");
        out.push_str("|---|---|---|---|---|---|---|\n");
        for row in rows {
            let tally = row.of_kind(&VALID);
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} | {} |",
                row.tool,
                tally.n,
                tally.exact,
                tally.same_tree,
                tally.wrong,
                tally.unbalanced,
                tally.refused
            );
        }
        out.push('\n');
    }

    fn json(&self) -> Value {
        let row = |row: &Row| {
            let kinds: serde_json::Map<String, Value> = KINDS
                .iter()
                .map(|it| (it.label.to_owned(), row.of_kind(it)))
                .filter(|(_, tally)| tally.n > 0)
                .map(|(label, tally)| (label, tally_json(&tally)))
                .collect();
            json!({
                "tool": row.tool,
                "mode": row.mode.name(),
                "twelve": tally_json(&row.of_group(Group::Twelve)),
                "without_m7_m9": tally_json(&row.without_hardest()),
                "big_files": tally_json(&row.big()),
                "extra": tally_json(&row.of_group(Group::Extra)),
                "undamaged": tally_json(&row.of_kind(&VALID)),
                "kinds": kinds,
                "ms": times_json(&row.times(Group::Twelve)),
                "ms_extra": times_json(&row.times(Group::Extra)),
            })
        };
        json!({ "title": self.title, "rows": self.rows.iter().map(row).collect::<Vec<_>>() })
    }
}

impl Report {
    pub(crate) fn markdown(&self) -> String {
        let mut out = String::new();
        for (name, value) in &self.facts {
            let _ = writeln!(out, "- {name}: {value}");
        }
        out.push('\n');
        for section in &self.sections {
            out.push_str(&section.markdown());
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }

    pub(crate) fn json(&self) -> Value {
        let facts: serde_json::Map<String, Value> =
            self.facts.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        json!({ "run": facts, "sections": self.sections.iter().map(Section::json).collect::<Vec<_>>() })
    }
}

fn percent(tally: &Tally, count: usize) -> String {
    format!("{:.1} %", tally.percent(count))
}

fn with_interval(tally: &Tally, count: usize) -> String {
    let (low, high) = tally.interval(count);
    format!("{:.1} % ({low:.1}–{high:.1})", tally.percent(count))
}

fn pair(tally: &Tally) -> String {
    if tally.n == 0 {
        return "–".to_owned();
    }
    format!("{:.1} / {:.1} (n={})", tally.percent(tally.exact), tally.percent(tally.wrong), tally.n)
}

fn times_json(times: &Times) -> Value {
    json!({ "median": times.median, "p95": times.p95, "max": times.max })
}

fn tally_json(tally: &Tally) -> Value {
    let share = |count: usize| {
        let (low, high) = tally.interval(count);
        json!({ "count": count, "percent": tally.percent(count), "low": low, "high": high })
    };
    json!({
        "n": tally.n,
        "exact": share(tally.exact),
        "same_tree": share(tally.exact + tally.same_tree),
        "wrong": share(tally.wrong),
        "unbalanced": share(tally.unbalanced),
        "refused": share(tally.refused),
        "collateral": share(tally.collateral),
    })
}

#[cfg(test)]
mod tests {
    use super::super::score::Mark;
    use super::*;

    fn section(title: &str, marks: &[(usize, Mark)]) -> Section {
        let scored = |(kind, mark): &(usize, Mark)| Scored {
            kind: KINDS.get(*kind).unwrap_or(&VALID),
            n_lines: 10,
            judgement: Judgement { mark: *mark, collateral: false },
            ms: 1.5,
        };
        let row = Row {
            tool: "t".to_owned(),
            mode: Mode::Write,
            scored: marks.iter().map(scored).collect(),
        };
        Section { title: title.to_owned(), rows: vec![row] }
    }

    #[test]
    fn hardest_kinds_are_left_out_of_one_column_only() {
        let section = section(
            "s",
            &[(0, Mark::Exact), (6, Mark::Wrong), (8, Mark::Wrong), (0, Mark::Refused)],
        );
        let row = &section.rows[0];
        assert_eq!((row.of_group(Group::Twelve).wrong, row.without_hardest().wrong), (2, 0));
        assert_eq!((row.of_group(Group::Twelve).n, row.without_hardest().n), (4, 2));
    }

    #[test]
    fn extra_kinds_and_valid_files_do_not_count_among_the_twelve() {
        let section = section("s", &[(0, Mark::Exact), (12, Mark::Wrong), (99, Mark::Wrong)]);
        let row = &section.rows[0];
        assert_eq!(row.of_group(Group::Twelve), Tally { n: 1, exact: 1, ..Tally::default() });
        assert_eq!(row.of_group(Group::Extra), Tally { n: 1, wrong: 1, ..Tally::default() });
        assert_eq!(row.of_kind(&VALID), Tally { n: 1, wrong: 1, ..Tally::default() });
    }

    #[test]
    fn merging_adds_the_answers_of_the_same_tool_and_mode() {
        let merged = Section::merged(
            "all",
            &[section("a", &[(0, Mark::Exact)]), section("b", &[(0, Mark::Wrong)])],
        );
        assert_eq!(merged.rows.len(), 1);
        assert_eq!(
            merged.rows[0].of_group(Group::Twelve),
            Tally { n: 2, exact: 1, wrong: 1, ..Tally::default() }
        );
    }

    #[test]
    fn tables_have_a_cell_for_every_column() {
        let marks = [(0, Mark::Exact), (12, Mark::Wrong), (99, Mark::Exact)];
        let report =
            Report { facts: vec![("seed", "1".to_owned())], sections: vec![section("s", &marks)] };
        let text = report.markdown();
        for table in text.split("\n\n").filter(|it| it.starts_with('|')) {
            let widths: Vec<usize> = table.lines().map(|it| it.matches('|').count()).collect();
            assert!(widths.iter().all(|it| *it == widths[0]), "{widths:?}\n{table}");
        }
        assert!(text.contains("| t, write | **100.0 % (20.7–100.0)** |"), "{text}");
        assert_eq!(report.json()["sections"][0]["rows"][0]["kinds"]["X1"]["wrong"]["count"], 1);
    }
}
