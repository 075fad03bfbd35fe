//! `outrigger doctor`: is it on, is it called, does it work?

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use serde_json::json;

use crate::agents::AGENTS;
use crate::agents::settings::Scope;
use crate::cli::install::{Place, lock, make, with_hint};
use crate::cli::output::{self, Paint, plain, print};
use crate::ctx::Ctx;
use crate::install::doctor::{Finding, Level, examine_agent, examine_program};
use crate::install::site::Site;
use crate::install::{self, Wishes};
use crate::once;
use crate::sys::{paths, programs};

pub(super) const ABOUT: &str = "Check that outrigger is installed, called and working

Sends a canary through the installed command line, as the agent's shell would run it. \
Exit code: 0 all is well, 1 something is to be mended.";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Mend what can be mended: install again where hooks are missing or broken
    #[arg(long)]
    fix: bool,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    /// The project [default: the current folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let ctx = Ctx::from_env();
    let project = match &args.dir {
        Some(dir) => paths::canonical(&paths::process_dir().join(dir)),
        None => paths::process_dir(),
    };
    let mut findings = examine(&project, &ctx);
    if args.fix && findings.iter().any(|it| it.level == Level::Bad) {
        install_again(&project, &ctx)?;
        findings = examine(&project, &ctx);
    }
    let worst = findings.iter().map(|it| it.level).max().unwrap_or(Level::Good);
    match args.json {
        true => print(&format!("{}\n", as_json(&findings))),
        false => show(&findings),
    }
    Ok(match worst {
        Level::Good | Level::Note => ExitCode::SUCCESS,
        Level::Bad => ExitCode::from(output::NO),
    })
}

fn examine(project: &Path, ctx: &Ctx) -> Vec<Finding> {
    let mut findings = examine_program();
    let plugin_seen = once::plugin_seen(ctx);
    for agent in AGENTS {
        let site = Site { agent, scope: Scope::Local, project, dirs: &ctx.dirs };
        let is_wired = !install::scopes_with_us(&site).is_empty();
        if site.is_present() || is_wired {
            findings.extend(examine_agent(agent, project, &ctx.dirs, plugin_seen));
        }
    }
    findings
}

/// Installs again wherever we are installed already. Where we are not, that is
/// the user's choice to make.
fn install_again(project: &Path, ctx: &Ctx) -> anyhow::Result<()> {
    let own_path = programs::own_path().context("failed to find this program's own path")?;
    for agent in AGENTS {
        let any = Site { agent, scope: Scope::Local, project, dirs: &ctx.dirs };
        for scope in install::scopes_with_us(&any) {
            let place = Place { dirs: ctx.dirs.clone(), project: project.to_path_buf(), scope };
            let _lock = lock(&place)?;
            let Some(command) = install::own_command(&own_path, agent.name) else { continue };
            let wishes = Wishes { command, eval: None, replace_rivals: false };
            let changes = install::plan_install(&place.site(agent), &wishes).map_err(with_hint)?;
            make(&[changes], &place)?;
        }
    }
    Ok(())
}

fn show(findings: &[Finding]) {
    let paint = Paint::for_stdout();
    for finding in findings {
        let mark = match finding.level {
            Level::Good => paint.green("ok  "),
            Level::Note => paint.bold("note"),
            Level::Bad => paint.red("BAD "),
        };
        print(&format!("{mark} {}\n", plain(&finding.text)));
        if let Some(remedy) = &finding.remedy {
            print(&format!("     hint: {}\n", plain(remedy)));
        }
    }
    let n_bad = findings.iter().filter(|it| it.level == Level::Bad).count();
    match n_bad {
        0 => print("\nall is well\n"),
        1 => print("\n1 thing is to be mended\n"),
        _ => print(&format!("\n{n_bad} things are to be mended\n")),
    }
}

fn as_json(findings: &[Finding]) -> serde_json::Value {
    let rows = findings.iter().map(|it| {
        let level = match it.level {
            Level::Good => "good",
            Level::Note => "note",
            Level::Bad => "bad",
        };
        json!({"level": level, "text": it.text, "remedy": it.remedy})
    });
    rows.collect()
}
