//! `outrigger status`: how things stand, on one screen. It only looks; whether
//! all of it works is `doctor`'s question.

use std::fmt::Write;
use std::process::ExitCode;

use crate::agents::settings::Scope;
use crate::agents::{AGENTS, Agent};
use crate::cli::editors;
use crate::cli::output::{Paint, plain, print};
use crate::ctx::Ctx;
use crate::install::doctor::ago;
use crate::install::site::Site;
use crate::sys::paths;
use crate::{heartbeat, install, session};

pub(super) fn run() -> ExitCode {
    let ctx = Ctx::from_env();
    let paint = Paint::for_stdout();
    let mut screen = format!("outrigger {}\n", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(screen, "\n{}", paint.bold("Agents"));
    for agent in AGENTS {
        screen.push_str(&agent_lines(agent, &ctx));
    }
    let _ = writeln!(screen, "\n{}", paint.bold("Editors"));
    let editors = editors::paragraphs(&ctx.dirs);
    screen.push_str(&match editors.is_empty() {
        true => "  none that can be asked\n".to_owned(),
        false => editors.iter().map(|it| indented(it)).collect(),
    });
    let n_sessions = session::all(&ctx).len();
    let _ = writeln!(screen, "\n{}", paint.bold("State"));
    let _ = writeln!(screen, "  {} ({n_sessions} open sessions)", ctx.dirs.state.display());
    if let Some(log) = &ctx.log {
        let _ = writeln!(screen, "  decisions are logged in {}", log.display());
    }
    print(&screen);
    ExitCode::SUCCESS
}

fn agent_lines(agent: &'static Agent, ctx: &Ctx) -> String {
    let project = paths::process_dir();
    let site = Site { agent, scope: Scope::Local, project: &project, dirs: &ctx.dirs };
    let files: Vec<String> = install::scopes_with_us(&site)
        .into_iter()
        .map(|scope| site.in_scope(scope).settings_file().display().to_string())
        .collect();
    let wiring = match (files.as_slice(), site.is_present()) {
        ([], true) => format!("not wired here; run `outrigger install {}`", agent.name),
        ([], false) => "not found on this machine".to_owned(),
        (files, _) => format!("wired by {}", plain(&files.join(", "))),
    };
    let mut lines = format!("  {}: {wiring}\n", agent.title);
    for (event, time) in heartbeat::beats(&ctx.dirs, agent.name) {
        let _ = writeln!(lines, "    {event}: {}", ago(time));
    }
    lines
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
