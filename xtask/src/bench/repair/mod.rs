//! How well delimiter damage is repaired: `cargo xtask bench repair`.
//!
//! A corpus of public Clojure files is damaged in the ways agents damage files,
//! every tool is asked to repair the damage, and a lexer of the benchmark's own
//! judges the answers. The damage is synthetic and the mix of kinds is no measured
//! distribution of agents' mistakes: figures compare tools, they predict nothing.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's chore talks to the terminal"
)]

mod cases;
mod corpus;
mod damage;
mod doc;
mod earlier;
mod edits;
mod lex;
mod options;
mod report;
mod rng;
mod runners;
mod score;
mod show;

use std::path::PathBuf;

use anyhow::Result;

use cases::Case;
use corpus::{Corpus, SourceFile};
use options::{Cli, Options};
use report::{Report, Row, Scored, Section};
use runners::{Mode, Tool};
use score::Mark;

pub(super) use runners::install_parinfer;

/// Runs the benchmark and prints the report.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let options = Options::parse(args)?;
    if options.help {
        print!("{}", options::HELP);
        return Ok(());
    }
    if cfg!(debug_assertions) {
        eprintln!("note: an unoptimised build; the times of `outrigger` as a function say nothing");
    }
    let corpus = Corpus::open(options.archive)?;
    let tools = tools(&options)?;
    let mut sections = Vec::new();
    for half in &options.halves {
        let title = format!("{}, {} half", options.archive.name(), half.name());
        sections.push(section(&options, &tools, title, &corpus.half(*half))?);
    }
    if sections.len() > 1 {
        let title = format!("{}, both halves", options.archive.name());
        sections.push(Section::merged(&title, &sections));
    }
    let report = Report { facts: facts(args, &options, &corpus), sections };
    if options.json {
        println!("{}", report.json());
    } else {
        print!("{}", report.markdown());
    }
    Ok(())
}

fn tools(options: &Options) -> Result<Vec<Tool>> {
    let mut tools = vec![Tool::Outrigger];
    match &options.cli {
        Cli::At(program) => tools.push(Tool::OutriggerCli { program: program.clone() }),
        Cli::Beside => match program_beside() {
            Some(program) => tools.push(Tool::OutriggerCli { program }),
            None => {
                eprintln!(
                    "note: no `outrigger` beside this program, so it is not run; see `--cli`"
                );
            }
        },
        Cli::None => {}
    }
    if options.peers {
        let package = install_parinfer()?;
        for function in ["indentMode", "smartMode"] {
            tools.push(Tool::Parinfer { package: package.clone(), function });
        }
    }
    Ok(tools)
}

fn program_beside() -> Option<PathBuf> {
    let name = format!("outrigger{}", std::env::consts::EXE_SUFFIX);
    let program = std::env::current_exe().ok()?.with_file_name(name);
    program.is_file().then_some(program)
}

fn section(
    options: &Options,
    tools: &[Tool],
    title: String,
    files: &[&SourceFile],
) -> Result<Section> {
    let n_each = (options.n / 12).max(1);
    let cases = cases::make(files, &options.kinds(), n_each, options.seed);
    let undamaged = cases::undamaged(files);
    let mut rows = Vec::new();
    for tool in tools {
        for mode in options.modes.iter().copied().filter(|it| tool.knows(*it)) {
            eprintln!("{title}: {}, {}, {} cases", tool.name(), mode.name(), cases.len());
            let mut scored = judged(options, tool, mode, &cases)?;
            if mode == Mode::Write {
                scored.extend(judged(options, tool, mode, &undamaged)?);
            }
            rows.push(Row { tool: tool.name(), mode, scored });
        }
    }
    Ok(Section { title, rows })
}

fn judged(options: &Options, tool: &Tool, mode: Mode, cases: &[Case]) -> Result<Vec<Scored>> {
    let answers = tool.answer(mode, cases)?;
    let is_ours = !matches!(tool, Tool::Parinfer { .. });
    let mut n_left = if is_ours { options.n_shown } else { 0 };
    let mut scored = Vec::new();
    for (case, answer) in cases.iter().zip(&answers) {
        let judgement = score::judge(case, answer);
        let is_bad =
            judgement.collateral || matches!(judgement.mark, Mark::Wrong | Mark::Unbalanced);
        if let (true, true, Some(text)) = (is_bad, n_left > 0, &answer.text) {
            n_left -= 1;
            eprintln!(
                "{}",
                show::wrong_answer(&format!("{}, {}", tool.name(), mode.name()), case, text)
            );
        }
        scored.push(Scored { kind: case.kind, n_lines: case.n_lines, judgement, ms: answer.ms });
    }
    Ok(scored)
}

/// Returns what someone needs to run the same again.
fn facts(args: &[String], options: &Options, corpus: &Corpus) -> Vec<(&'static str, String)> {
    let build = if cfg!(debug_assertions) { "unoptimised" } else { "release" };
    let mut facts = vec![
        ("command", format!("`cargo xtask bench repair {}`", args.join(" ")).replace(" `", "`")),
        ("corpus", format!("{}: {}", options.archive.name(), corpus.describe())),
        ("seed", options.seed.to_string()),
        ("cases", format!("{} of each kind and half", (options.n / 12).max(1))),
        ("build", build.to_owned()),
    ];
    if let Some(processor) = processor() {
        facts.push(("machine", processor));
    }
    facts
}

fn processor() -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let model = info.lines().find(|it| it.starts_with("model name"))?.split_once(':')?.1;
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    Some(format!("{}, {n_threads} threads", model.trim()))
}
