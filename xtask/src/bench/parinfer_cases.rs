//! What our repair says to parinfer's own test cases: `cargo xtask bench parinfer-cases`.
//!
//! The cases are fetched from npm, never kept here: version 2.0.0 is the last
//! package that ships them (indent and paren mode; smart mode came later and its
//! cases were never packaged). The same inputs go through today's parinfer too.
//! No case tells an earlier text, so every one is asked as a whole file written.
//! docs/parinfer.md explains the differences.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use lisp::dialect::Dialect;
use lisp::repair::{Outcome, Request, repair};
use serde_json::{Value, json};

use crate::bench::repair::install_parinfer;
use crate::setup::npm_install;

/// The last version whose package holds the test cases.
const CASES_VERSION: &str = "2.0.0";

const SCRIPT: &str = include_str!("parinfer_cases.js");

struct Case {
    /// `indent-mode` or `paren-mode`.
    mode: &'static str,
    /// The line in the mode's Markdown file, by which a case is known.
    line: u64,
    text: String,
    cursor: Value,
    /// The recorded answer; `None` where parinfer reports an error.
    recorded: Option<String>,
}

/// How our answer stands to parinfer's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Same,
    BothRefuse,
    LeftAlone,
    WeRefuse,
    WeMend,
    Different,
}

const RELATIONS: &[(Relation, &str)] = &[
    (Relation::Same, "same text"),
    (Relation::BothRefuse, "both refuse"),
    (Relation::LeftAlone, "balanced, left alone"),
    (Relation::WeRefuse, "we refuse"),
    (Relation::WeMend, "parinfer refuses"),
    (Relation::Different, "different"),
];

/// Fetches the cases, runs them and prints the comparison.
pub(crate) fn run(args: &[String]) -> Result<()> {
    ensure!(args.is_empty(), "`bench parinfer-cases` takes no arguments");
    let package = format!("parinfer@{CASES_VERSION}");
    let folder = npm_install(&format!("parinfer-cases-{CASES_VERSION}"), &[&package])?;
    let folder = folder.join("node_modules/parinfer/test/cases");
    let mut cases = read_cases(&folder, "indent-mode")?;
    cases.extend(read_cases(&folder, "paren-mode")?);
    let today = answers_of_today(&cases)?;
    let ours: Vec<Outcome> = cases.iter().map(|it| answer(&it.text)).collect();

    let heads: Vec<&str> = RELATIONS.iter().map(|it| it.1).collect();
    println!("| parinfer's answers | cases | {} |", heads.join(" | "));
    println!("|---|{}", "--:|".repeat(heads.len() + 1));
    let mut listed = Vec::new();
    for mode in ["indent-mode", "paren-mode"] {
        let name = format!("{mode} cases, as recorded in {CASES_VERSION}");
        let rows = (0..cases.len()).filter(|it| cases[*it].mode == mode);
        listed.extend(row(&name, &cases, &ours, rows, |it| cases[it].recorded.as_deref()));
    }
    for function in ["indentMode", "parenMode", "smartMode"] {
        let name = format!("all inputs, today's `{function}`");
        row(&name, &cases, &ours, 0..cases.len(), |it| today[it][function].as_str());
    }

    println!("\nNot the same text as recorded:\n");
    for (relation, idx) in listed {
        let case = &cases[idx];
        let recorded =
            case.recorded.as_deref().map_or("refuses".to_owned(), |it| format!("{it:?}"));
        println!("- {} {}, {relation}: `{:?}`", case.mode, case.line, case.text);
        println!("  - parinfer: `{recorded}`");
        println!("  - we: `{}`", shown(&ours[idx]));
    }
    Ok(())
}

/// Prints one row of the table; returns the cases that are worth a line.
fn row<'a>(
    name: &str,
    cases: &[Case],
    ours: &[Outcome],
    rows: impl Iterator<Item = usize>,
    theirs: impl Fn(usize) -> Option<&'a str>,
) -> Vec<(&'static str, usize)> {
    let related: Vec<(usize, Relation)> =
        rows.map(|it| (it, relation(&cases[it].text, &ours[it], theirs(it)))).collect();
    let counts: Vec<String> = RELATIONS
        .iter()
        .map(|(relation, _)| related.iter().filter(|it| it.1 == *relation).count().to_string())
        .collect();
    println!("| {name} | {} | {} |", related.len(), counts.join(" | "));
    let is_listed =
        |it: Relation| matches!(it, Relation::WeRefuse | Relation::WeMend | Relation::Different);
    RELATIONS
        .iter()
        .rev()
        .filter(|(relation, _)| is_listed(*relation))
        .flat_map(|(relation, title)| {
            let same = related.iter().filter(move |it| it.1 == *relation);
            same.map(move |it| (*title, it.0))
        })
        .collect()
}

fn relation(text: &str, ours: &Outcome, theirs: Option<&str>) -> Relation {
    match (ours, theirs) {
        (Outcome::Unsure(_), None) => Relation::BothRefuse,
        (Outcome::Unsure(_), Some(_)) => Relation::WeRefuse,
        (Outcome::Balanced, Some(theirs)) if theirs == text => Relation::Same,
        (Outcome::Balanced, _) => Relation::LeftAlone,
        (Outcome::Repaired(ours), Some(theirs)) if ours.text == theirs => Relation::Same,
        (Outcome::Repaired(_), Some(_)) => Relation::Different,
        (Outcome::Repaired(_), None) => Relation::WeMend,
    }
}

fn answer(text: &str) -> Outcome {
    repair(&Request { broken: text, before: None, spans: None, dialect: &Dialect::CLOJURE })
}

fn shown(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Balanced => "balanced".to_owned(),
        Outcome::Repaired(repaired) => format!("{:?}", repaired.text),
        Outcome::Unsure(unsure) => format!("refuse: {}", unsure.why),
    }
}

fn read_cases(folder: &Path, mode: &'static str) -> Result<Vec<Case>> {
    let path = folder.join(format!("{mode}.json"));
    let text = fs::read_to_string(&path)
        .with_context(|| format!("failed to read `{}`", path.display()))?;
    let list: Vec<Value> = serde_json::from_str(&text)?;
    list.iter()
        .map(|it| {
            let is_error = it.pointer("/out/error").is_some_and(|it| !it.is_null());
            let recorded = lines(&it["out"])?;
            Ok(Case {
                mode,
                line: it["in"]["fileLineNo"].as_u64().context("a case has no line")?,
                text: lines(&it["in"])?,
                cursor: it["in"]["cursor"].clone(),
                recorded: (!is_error).then_some(recorded),
            })
        })
        .collect()
}

fn lines(half: &Value) -> Result<String> {
    let lines = half["lines"].as_array().context("a case has no lines")?;
    let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
    Ok(lines.join("\n"))
}

/// Returns what the parinfer of the repair benchmark says to each case.
fn answers_of_today(cases: &[Case]) -> Result<Vec<Value>> {
    let package = install_parinfer()?;
    let input: Vec<Value> =
        cases.iter().map(|it| json!({"text": it.text, "cursor": it.cursor})).collect();
    let mut node = Command::new("node")
        .args(["-e", SCRIPT])
        .arg(package)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("failed to start `node`\nhint: `cargo xtask setup` installs it")?;
    let mut stdin = node.stdin.take().context("stdin is a pipe")?;
    // Node reads everything before it writes anything, so nobody waits for the other.
    stdin.write_all(Value::from(input).to_string().as_bytes())?;
    drop(stdin);
    let output = node.wait_with_output()?;
    ensure!(output.status.success(), "`node` failed: {}", output.status);
    let answers: Vec<Value> = serde_json::from_slice(&output.stdout)?;
    ensure!(answers.len() == cases.len(), "`node` left a case out");
    Ok(answers)
}
