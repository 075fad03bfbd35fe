//! Looks whether what should work does, and says what to do about the rest.
//!
//! It only looks; mending is `install`'s work.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::SystemTime;

use serde_json::Value;

use crate::agents::Agent;
use crate::agents::settings::Scope;
use crate::heartbeat;
use crate::install::site::Site;
use crate::install::{canary, commands, plan, validate};
use crate::sys::paths::Dirs;
use crate::sys::programs;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) level: Level,
    pub(crate) text: String,
    /// What to do about it.
    pub(crate) remedy: Option<String>,
}

/// How things stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// To be mended.
    Bad,
}

impl Finding {
    fn good(text: impl Into<String>) -> Self {
        Self { level: Level::Good, text: text.into(), remedy: None }
    }

    fn note(text: impl Into<String>, remedy: Option<String>) -> Self {
        Self { level: Level::Note, text: text.into(), remedy }
    }

    fn bad(text: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { level: Level::Bad, text: text.into(), remedy: Some(remedy.into()) }
    }
}

/// What one settings file says about us.
struct Wiring {
    scope: Scope,
    /// The command lines with which we are called.
    commands: BTreeSet<String>,
    /// The events we should be called for and are not.
    missing: Vec<&'static str>,
}

/// Looks at the program itself.
pub(crate) fn examine_program() -> Vec<Finding> {
    let own = match programs::own_path() {
        Ok(own) => own,
        Err(error) => {
            return vec![Finding::bad(
                format!("this program's path is unknown: {error}"),
                "install it again",
            )];
        }
    };
    let version = env!("CARGO_PKG_VERSION");
    let mut findings = vec![Finding::good(format!("outrigger {version} at `{}`", own.display()))];
    match programs::find("outrigger") {
        None => findings.push(Finding::note(
            "`outrigger` is not on PATH, so the agent cannot call `outrigger repair` by itself",
            Some(format!("add `{}` to PATH", own.parent().unwrap_or(&own).display())),
        )),
        Some(found) if found.canonicalize().ok() != own.canonicalize().ok() => {
            findings.push(Finding::note(
                format!("another outrigger is first on PATH: `{}`", found.display()),
                Some("remove one of them".to_owned()),
            ));
        }
        Some(_) => {}
    }
    findings
}

/// Looks at one agent, as it is wired for a project.
pub(crate) fn examine_agent(
    agent: &'static Agent,
    project: &Path,
    dirs: &Dirs,
    plugin_seen: bool,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut wirings = Vec::new();
    for scope in Scope::ALL.iter().copied() {
        let site = Site { agent, scope, project, dirs };
        wirings.extend(examine_scope(&site, &mut findings));
    }
    let install = format!("run `outrigger install {}`", agent.name);
    if wirings.is_empty() {
        match plugin_seen {
            true => findings.push(Finding::good(format!("{}'s plugin has called us", agent.title))),
            false => {
                findings.push(Finding::bad(format!("{} is not wired to us", agent.title), install));
            }
        }
    } else if plugin_seen {
        findings.push(Finding::note(
            "the plugin and the settings both call us; each event is handled once",
            Some(format!("`outrigger uninstall {}`, or disable the plugin", agent.name)),
        ));
    }
    let mut sung = BTreeSet::new();
    for command_line in wirings.iter().flat_map(|it| &it.commands) {
        if sung.insert(command_line) {
            findings.push(canary_finding(agent, command_line));
        }
    }
    findings.push(heartbeat_finding(agent, dirs));
    findings
}

/// Looks at one settings file; returns our wiring in it, if there is any.
fn examine_scope(site: &Site<'_>, findings: &mut Vec<Finding>) -> Option<Wiring> {
    let path = site.settings_file();
    let name = path.display();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => {
            findings.push(Finding::bad(
                format!("`{name}` cannot be read: {error}"),
                "mend the file by hand",
            ));
            return None;
        }
    };
    if let Some((line, column)) = validate::first_extension(&text) {
        findings.push(Finding::bad(
            format!("{name}:{line}:{column}: {} loads nothing from a file with comments or trailing commas", site.agent.title),
            "take them out",
        ));
    }
    let settings = match plan::read(&text) {
        Ok(settings) => settings,
        Err(problem) => {
            findings.push(Finding::bad(
                format!("{name}:{problem}; {} ignores the file", site.agent.title),
                "mend the file by hand",
            ));
            return None;
        }
    };
    for problem in validate::problems(&settings, &site.agent.settings) {
        let what = format!("`{name}`: {} {}", problem.path, problem.what);
        let remedy = "mend or remove that entry";
        findings.push(match problem.drops_file {
            true => {
                Finding::bad(format!("{what}; {} ignores the whole file", site.agent.title), remedy)
            }
            false => Finding::note(what, Some(remedy.to_owned())),
        });
    }
    if settings.get(site.agent.settings.off_switch) == Some(&Value::Bool(true)) {
        let key = site.agent.settings.off_switch;
        findings.push(Finding::bad(
            format!("`{name}` turns all hooks off (`{key}`)"),
            format!("remove `{key}`"),
        ));
    }
    for (event, hook) in plan::all_hooks(&settings) {
        if let Some(rival) = commands::rival(hook) {
            findings.push(Finding::note(
                format!("`{name}`: {} runs on {event} as well", rival.program),
                Some(format!("`outrigger install {} --replace-rivals`", site.agent.name)),
            ));
        }
    }
    let wiring = wiring(site, &settings)?;
    findings.extend(steering(site, &settings));
    let flag = wiring.scope.flag();
    findings.push(match wiring.missing.as_slice() {
        [] => Finding::good(format!("{} calls us, by `{name}`", site.agent.title)),
        missing => Finding::bad(
            format!("`{name}` does not call us for {}", missing.join(", ")),
            format!("run `outrigger install {} {flag}`", site.agent.name),
        ),
    });
    Some(wiring)
}

fn wiring(site: &Site<'_>, settings: &Value) -> Option<Wiring> {
    let own: Vec<(&str, &Value)> =
        plan::all_hooks(settings).filter(|(_, hook)| commands::is_own(hook)).collect();
    if own.is_empty() {
        return None;
    }
    let rows = site.agent.settings.hooks.iter().map(|it| it.event);
    let missing = rows.filter(|row| !own.iter().any(|(event, _)| event == row)).collect();
    let commands = own.iter().filter_map(|(_, hook)| hook.get("command")?.as_str());
    Some(Wiring { scope: site.scope, commands: commands.map(str::to_owned).collect(), missing })
}

/// Says what is known about edits by way of the shell: the agent may be steered
/// towards them, and not every command line can be read beforehand.
fn steering(site: &Site<'_>, settings: &Value) -> Option<Finding> {
    let switch = site.agent.settings.shell_first?;
    let value = settings.pointer("/env").and_then(|it| it.get(switch));
    let is_off = value.and_then(Value::as_str) == Some("0");
    (!is_off).then(|| {
        Finding::note(
            format!(
                "{} may steer its model towards editing files with shell commands; \
                 those that can be read beforehand are guarded",
                site.agent.title
            ),
            Some(format!("to keep it to its edit tools, put `\"env\": {{\"{switch}\": \"0\"}}` into its settings")),
        )
    })
}

fn canary_finding(agent: &Agent, command_line: &str) -> Finding {
    let remedy = format!("run `outrigger install {}` again", agent.name);
    let songs = match canary::sing(command_line) {
        Ok(songs) => songs,
        Err(error) => {
            return Finding::bad(format!("no canary could be sent: {error}"), "check TMPDIR");
        }
    };
    let faults: Vec<String> = songs
        .iter()
        .filter_map(|it| Some(format!("{}: {}", it.event, it.fault.as_ref()?)))
        .collect();
    let events: Vec<&str> = songs.iter().map(|it| it.event).collect();
    match faults.is_empty() {
        true => Finding::good(format!("the canary came back for {}", events.join(", "))),
        false => {
            Finding::bad(format!("`{command_line}` does not work: {}", faults.join("; ")), remedy)
        }
    }
}

fn heartbeat_finding(agent: &Agent, dirs: &Dirs) -> Finding {
    match heartbeat::beats(dirs, agent.name).first() {
        Some((event, time)) => {
            Finding::good(format!("{} last called us {} ({event})", agent.title, ago(*time)))
        }
        None => Finding::note(
            format!("{} has not called us yet", agent.title),
            Some(
                "start it in this project; a running session may have to be started again"
                    .to_owned(),
            ),
        ),
    }
}

/// Returns "5 minutes ago" and the like.
pub(crate) fn ago(time: SystemTime) -> String {
    let seconds = SystemTime::now().duration_since(time).map_or(0, |it| it.as_secs());
    let (count, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural} ago")
}
