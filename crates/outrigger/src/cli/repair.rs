//! `outrigger repair`: mends the brackets of files, or of what comes on stdin.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use lisp::dialect::{self, Dialect};
use lisp::repair::{Change, Edit, Outcome, Request, repair};
use lisp::tree::{self, Problem};
use serde_json::{Value, json};

use crate::cli::output::{self, Hint, plain, print, talk};
use crate::sys::fs::{NewFile, read_regular, write_atomic};

/// The arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files and folders to mend; `-` mends stdin to stdout
    ///
    /// Folders are searched for Lisp files; what git ignores is left out.
    #[arg(value_name = "FILES")]
    files: Vec<PathBuf>,
    /// Only say what is unbalanced; exit 1 if anything is
    #[arg(long, conflicts_with = "diff")]
    check: bool,
    /// Only show what would change
    #[arg(long, alias = "dry-run")]
    diff: bool,
    /// The language, instead of going by the file's name
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,
    /// The content before the edit: only lines that differ are mended
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
}

pub(super) const ABOUT: &str = "Mend the brackets of Lisp files, or of stdin

A file is changed only when the repair is sure; otherwise it stays as it is and the place is \
printed. Exit code: 0 balanced or mended, 1 not sure (with --check: unbalanced), 2 wrong usage.";

/// Above this many files a terminal is shown how far we are.
const MANY: usize = 200;
const MAX_BYTES: u64 = 256 << 20;

/// What became of one file.
struct Finding {
    /// The file, or `-`.
    name: String,
    result: Result<Done, String>,
}

struct Done {
    text: String,
    outcome: Outcome,
    /// The first thing wrong with the text, if anything was.
    problem: Option<Problem>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let dialect = match &args.dialect {
        Some(name) => match dialect::by_name(name) {
            Some(dialect) => Some(dialect),
            None => return Ok(usage(&unknown_dialect(name))),
        },
        None => None,
    };
    let before = match &args.before {
        Some(path) => Some(read_text(path).map_err(anyhow::Error::msg)?),
        None => None,
    };
    let from_stdin = match args.files.as_slice() {
        [] if std::io::stdin().is_terminal() => {
            return Ok(usage("name the files to mend, or `-` for stdin"));
        }
        [] => true,
        [file] if file == Path::new("-") => true,
        files if files.iter().any(|it| it == Path::new("-")) => {
            return Ok(usage("`-` cannot be mended together with files"));
        }
        files if before.is_some() && (files.len() > 1 || files[0].is_dir()) => {
            return Ok(usage("`--before` belongs to one file"));
        }
        _ => false,
    };
    let findings = match from_stdin {
        true => vec![mend_stdin(dialect, before.as_deref())?],
        false => mend_files(args, dialect, before.as_deref())?,
    };
    let mut worst = ExitCode::SUCCESS;
    for finding in &findings {
        if !report(finding, args, from_stdin) {
            worst = ExitCode::from(output::NO);
        }
    }
    if args.json {
        let findings: Vec<Value> =
            findings.iter().map(|it| as_json(it, args.check, from_stdin)).collect();
        print(&format!("{}\n", Value::Array(findings)));
    }
    Ok(worst)
}

fn usage(problem: &str) -> ExitCode {
    talk(&format!("error: {problem}\nhint: see `outrigger repair --help`\n"));
    ExitCode::from(output::USAGE)
}

fn unknown_dialect(name: &str) -> String {
    let known: Vec<&str> = dialect::DIALECTS.iter().map(|it| it.name).collect();
    format!("unknown dialect `{}`; known are {}", plain(name), known.join(", "))
}

fn mend_stdin(dialect: Option<&'static Dialect>, before: Option<&str>) -> anyhow::Result<Finding> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_BYTES)
        .read_to_end(&mut bytes)
        .context("failed to read stdin")?;
    let result = match String::from_utf8(bytes) {
        Ok(text) => Ok(mend(text, before, dialect.unwrap_or(&Dialect::CLOJURE))),
        Err(error) => bail!("stdin is {}", not_utf8(&error.utf8_error())),
    };
    Ok(Finding { name: "-".to_owned(), result })
}

fn mend_files(
    args: &Args,
    dialect: Option<&'static Dialect>,
    before: Option<&str>,
) -> anyhow::Result<Vec<Finding>> {
    let mut files = Vec::new();
    for path in &args.files {
        if path.is_dir() {
            files.extend(lisp_files_below(path, dialect));
        } else {
            let known = dialect.or_else(|| named_dialect(path));
            let Some(known) = known else {
                let hint = Hint("pass `--dialect`, for example `--dialect clojure`".to_owned());
                return Err(anyhow::Error::new(std::io::Error::other(format!(
                    "no Lisp is known for `{}` by its name",
                    path.display()
                )))
                .context(hint));
            };
            files.push((path.clone(), known));
        }
    }
    let shows_progress = files.len() > MANY && std::io::stderr().is_terminal();
    let n_files = files.len();
    let mut findings = Vec::with_capacity(n_files);
    for (idx, (path, dialect)) in files.into_iter().enumerate() {
        if shows_progress && idx % 20 == 0 {
            talk(&format!("\r{idx}/{n_files} files"));
        }
        let result = read_text(&path).map(|text| mend(text, before, dialect));
        let writes = !args.check && !args.diff;
        let result = result.and_then(|done| {
            if let (true, Outcome::Repaired(mended)) = (writes, &done.outcome) {
                write_atomic(&path, mended.text.as_bytes(), NewFile::Shared)
                    .map_err(|error| format!("failed to write `{}`: {error}", path.display()))?;
            }
            Ok(done)
        });
        findings.push(Finding { name: path.display().to_string(), result });
    }
    if shows_progress {
        talk("\r\x1b[K");
    }
    Ok(findings)
}

/// Returns the dialect of a file that was named: by its ending, by its shebang,
/// and Clojure for a name without an ending.
fn named_dialect(path: &Path) -> Option<&'static Dialect> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let head = read_regular(path, MAX_BYTES).unwrap_or_default();
    let first_line = head.split(|it| *it == b'\n').next().unwrap_or_default();
    let by_name = dialect::for_path(&name, &String::from_utf8_lossy(first_line));
    by_name.or_else(|| path.extension().is_none().then_some(&Dialect::CLOJURE))
}

fn lisp_files_below(
    folder: &Path,
    dialect: Option<&'static Dialect>,
) -> Vec<(PathBuf, &'static Dialect)> {
    let entries = ignore::WalkBuilder::new(folder).sort_by_file_path(Ord::cmp).build().flatten();
    entries
        .filter(|it| it.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|it| {
            let by_name = dialect::for_path(&it.file_name().to_string_lossy(), "")?;
            Some((it.into_path(), dialect.unwrap_or(by_name)))
        })
        .collect()
}

fn read_text(path: &Path) -> Result<String, String> {
    let bytes = read_regular(path, MAX_BYTES)
        .map_err(|error| format!("failed to read `{}`: {error}", path.display()))?;
    String::from_utf8(bytes)
        .map_err(|error| format!("`{}` is {}", path.display(), not_utf8(&error.utf8_error())))
}

fn not_utf8(error: &std::str::Utf8Error) -> String {
    format!("not UTF-8 from byte {} on; it was left alone", error.valid_up_to())
}

fn mend(text: String, before: Option<&str>, dialect: &Dialect) -> Done {
    let problem = tree::problems(&text, dialect).into_iter().next();
    let before = before.filter(|it| tree::is_balanced(it, dialect));
    let outcome = match &problem {
        Some(_) => repair(&Request { broken: &text, before, spans: None, dialect }),
        None => Outcome::Balanced,
    };
    Done { text, outcome, problem }
}

/// Prints what is to be said about one file; tells whether all is well.
fn report(finding: &Finding, args: &Args, from_stdin: bool) -> bool {
    let name = plain(&finding.name);
    let done = match &finding.result {
        Ok(done) => done,
        Err(error) => {
            talk(&format!("error: {}\n", plain(error)));
            return false;
        }
    };
    if args.check {
        if let (Some(problem), false) = (&done.problem, args.json) {
            print(&located(&name, &done.text, problem));
        }
        return done.problem.is_none();
    }
    match &done.outcome {
        Outcome::Balanced | Outcome::Unsure(_) if from_stdin && !args.json && !args.diff => {
            print(&done.text);
        }
        Outcome::Repaired(mended) if from_stdin && !args.json && !args.diff => print(&mended.text),
        Outcome::Repaired(mended) if args.diff && !args.json => {
            print(&unified_diff(&name, &done.text, &mended.text));
        }
        _ => {}
    }
    match &done.outcome {
        Outcome::Balanced => true,
        Outcome::Repaired(mended) => {
            if !args.json && !args.diff {
                for edit in &mended.edits {
                    talk(&format!("{name}: {}\n", plain(&edit.to_string())));
                }
            }
            true
        }
        Outcome::Unsure(unsure) => {
            if !args.json {
                talk(&located(&name, &done.text, &unsure.problem));
                talk(&format!("not mended: {}\n", plain(&unsure.why)));
                for candidate in unsure.candidates.iter().take(3) {
                    let edits: Vec<String> =
                        candidate.edits.iter().map(|it| plain(&it.to_string())).collect();
                    talk(&format!("possible: {}\n", edits.join("; ")));
                }
            }
            false
        }
    }
}

/// Returns `name:line:col: message` and the line with a caret below it.
fn located(name: &str, text: &str, problem: &Problem) -> String {
    let line = text.lines().nth(problem.line - 1).unwrap_or_default();
    let line: String = line.chars().take(200).collect();
    let number = problem.line.to_string();
    // Tabs stay tabs, so that the caret stands below its bracket.
    let indent: String = line
        .chars()
        .take(problem.column - 1)
        .map(|it| if it == '\t' { '\t' } else { ' ' })
        .collect();
    let margin = " ".repeat(number.len());
    format!(
        "{name}:{}:{}: {}\n{number} | {}\n{margin} | {indent}^\n",
        problem.line,
        problem.column,
        plain(&problem.to_string()),
        plain(&line)
    )
}

fn unified_diff(name: &str, old: &str, new: &str) -> String {
    let diff = similar::TextDiff::from_lines(old, new);
    diff.unified_diff().header(name, name).to_string()
}

fn as_json(finding: &Finding, is_check: bool, with_text: bool) -> Value {
    let done = match &finding.result {
        Ok(done) => done,
        Err(error) => return json!({"path": finding.name, "outcome": "error", "error": error}),
    };
    let problem = done
        .problem
        .as_ref()
        .map(|it| json!({"line": it.line, "column": it.column, "message": it.to_string()}));
    let mut value = json!({"path": finding.name, "problem": problem});
    match &done.outcome {
        _ if is_check => {
            value["outcome"] = if problem.is_none() { "balanced" } else { "unbalanced" }.into();
        }
        Outcome::Balanced => value["outcome"] = "balanced".into(),
        Outcome::Repaired(mended) => {
            value["outcome"] = "repaired".into();
            value["confidence"] = json!((f64::from(mended.confidence) * 1000.0).round() / 1000.0);
            value["edits"] = mended.edits.iter().map(edit_as_json).collect();
            if with_text {
                value["text"] = mended.text.as_str().into();
            }
        }
        Outcome::Unsure(unsure) => {
            value["outcome"] = "unsure".into();
            value["why"] = unsure.why.as_str().into();
            let candidates = unsure.candidates.iter();
            value["candidates"] =
                candidates.map(|it| it.edits.iter().map(edit_as_json).collect::<Value>()).collect();
        }
    }
    value
}

fn edit_as_json(edit: &Edit) -> Value {
    let (from, to) = match &edit.change {
        Change::Insert(to) => ("", to.as_str()),
        Change::Delete(from) => (from.as_str(), ""),
        Change::Replace { from, to } => (from.as_str(), to.as_str()),
    };
    json!({"line": edit.line, "column": edit.column, "offset": edit.offset, "from": from, "to": to})
}
