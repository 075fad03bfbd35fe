//! `outrigger install`: wires agents to us. Shows what would change, asks, writes.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use crate::agents::settings::Scope;
use crate::agents::{self, AGENTS, Agent};
use crate::cli::output::{self, Hint, plain, print, talk};
use crate::install::changes::Changes;
use crate::install::eval_mode::EvalMode;
use crate::install::site::Site;
use crate::install::{self, InstallError, Wishes};
use crate::sys::env;
use crate::sys::lock::Lock;
use crate::sys::paths::{self, Dirs};
use crate::sys::programs;

pub(super) const ABOUT: &str = "Wire coding agents to outrigger

Puts outrigger's hooks into each agent's settings, beside the hooks that are there, with a skill \
that teaches the agent `outrigger eval` and `outrigger repair`, and a commented \
`.outrigger/hooks.edn` if the project has none. Shows the diff and asks first. Running it again \
changes nothing; `outrigger uninstall` takes everything out again.";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) place: PlaceArgs,
    /// Block the agent when a changed file fails to evaluate
    #[arg(long, conflicts_with = "skip_eval")]
    strict_eval: bool,
    /// Do not evaluate changed files
    #[arg(long)]
    skip_eval: bool,
    /// Take out the hooks of programs that do the same
    #[arg(long)]
    replace_rivals: bool,
}

/// Which agents and which files; the same for `uninstall`.
#[derive(Debug, clap::Args)]
pub(super) struct PlaceArgs {
    /// The agents; without any, all that are found on this machine
    #[arg(value_name = "AGENT", value_parser = agent_names())]
    agents: Vec<String>,
    /// For all projects of this user
    #[arg(long, conflicts_with_all = ["project", "local"])]
    user: bool,
    /// For everybody who works on this project
    #[arg(long, conflicts_with = "local")]
    project: bool,
    /// For this user in this project (the default)
    #[arg(long)]
    local: bool,
    /// The project: the folder in which the agent is started [default: the current one]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Only print the diff
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(super) yes: bool,
}

/// The folders an installation is about, found once.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) dirs: Dirs,
    pub(super) project: PathBuf,
    pub(super) scope: Scope,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let place = args.place.find()?;
    let agents = args.place.agents(&place)?;
    let own_path = programs::own_path().context("failed to find this program's own path")?;
    if programs::is_short_lived(&own_path) {
        warn(&format!(
            "`{}` may not stay there; install outrigger for good, then run this again from there",
            own_path.display()
        ));
    }
    let _lock = if args.place.dry_run { None } else { Some(lock(&place)?) };
    let mut replace_rivals = args.replace_rivals;
    let plan = |replace_rivals| -> anyhow::Result<Vec<Changes>> {
        let plan = |agent: &&'static Agent| {
            let command = install::own_command(&own_path, agent.name).ok_or_else(|| {
                anyhow::anyhow!("the path `{}` cannot be written into settings", own_path.display())
            })?;
            let wishes = Wishes { command, eval: args.eval(), replace_rivals };
            install::plan_install(&place.site(agent), &wishes).map_err(with_hint)
        };
        agents.iter().map(plan).collect()
    };
    let mut planned = plan(replace_rivals)?;
    let rivals: Vec<_> = planned.iter().flat_map(|it| &it.rivals).cloned().collect();
    for rival in &rivals {
        warn(&format!(
            "{}: `{}` runs on {} as well, and two hooks that do the same get in each other's way",
            rival.path.display(),
            rival.command,
            rival.event
        ));
    }
    if !rivals.is_empty() && !replace_rivals {
        let may_ask = !args.place.yes && !args.place.dry_run && output::is_interactive();
        if may_ask && output::confirm("Take them out?") {
            replace_rivals = true;
            planned = plan(replace_rivals)?;
        } else {
            talk("hint: `--replace-rivals` takes them out; `uninstall` puts them back\n");
        }
    }
    tell(&planned);
    if planned.iter().all(|it| it.files.is_empty()) {
        talk("nothing to change\n");
        return Ok(ExitCode::SUCCESS);
    }
    show(&planned);
    if args.place.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    if !args.place.yes {
        if !output::is_interactive() {
            return Err(anyhow::anyhow!("nobody is there to ask, so nothing was written")
                .context(Hint("look at the diff, then run this again with `--yes`".to_owned())));
        }
        if !output::confirm("Write this?") {
            talk("nothing was written\n");
            return Ok(ExitCode::from(output::NO));
        }
    }
    make(&planned, &place)?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn eval(&self) -> Option<EvalMode> {
        match (self.strict_eval, self.skip_eval) {
            (true, _) => Some(EvalMode::Strict),
            (_, true) => Some(EvalMode::Skip),
            _ => None,
        }
    }
}

impl PlaceArgs {
    pub(super) fn find(&self) -> anyhow::Result<Place> {
        if env::HOME.absolute_path().is_none() {
            return Err(anyhow::anyhow!("`HOME` is not set, so there is nowhere to keep records")
                .context(Hint("set `HOME` to your home folder".to_owned())));
        }
        let cwd = paths::process_dir();
        let project = self.dir.as_ref().map_or_else(|| cwd.clone(), |it| cwd.join(it));
        if !project.is_dir() {
            return Err(anyhow::anyhow!("`{}` is not a folder", project.display())
                .context(Hint("pass the project's folder to `--dir`".to_owned())));
        }
        let scope = match (self.user, self.project) {
            (true, _) => Scope::User,
            (_, true) => Scope::Project,
            _ => Scope::Local,
        };
        Ok(Place { dirs: Dirs::from_env(), project, scope })
    }

    pub(super) fn agents(&self, place: &Place) -> anyhow::Result<Vec<&'static Agent>> {
        let mut chosen: Vec<&'static Agent> = Vec::new();
        for agent in self.agents.iter().filter_map(|it| agents::by_name(it)) {
            if !chosen.iter().any(|it| it.name == agent.name) {
                chosen.push(agent);
            }
        }
        if chosen.is_empty() {
            chosen = AGENTS.iter().filter(|it| place.site(it).is_present()).collect();
        }
        if chosen.is_empty() {
            let names: Vec<&str> = AGENTS.iter().map(|it| it.name).collect();
            return Err(anyhow::anyhow!("no coding agent was found on this machine")
                .context(Hint(format!("name one of them: {}", names.join(", ")))));
        }
        Ok(chosen)
    }
}

impl Place {
    pub(super) fn site(&self, agent: &'static Agent) -> Site<'_> {
        Site { agent, scope: self.scope, project: &self.project, dirs: &self.dirs }
    }
}

/// Keeps a second installer out.
pub(super) fn lock(place: &Place) -> anyhow::Result<Lock> {
    install::lock(&place.dirs.state).map_err(with_hint)
}

/// Prints what the user should know.
pub(super) fn tell(planned: &[Changes]) {
    for text in planned.iter().flat_map(|it| &it.warnings) {
        warn(text);
    }
    for text in planned.iter().flat_map(|it| &it.notes) {
        talk(&plain(&format!("note: {text}\n")));
    }
}

/// Prints the diff.
pub(super) fn show(planned: &[Changes]) {
    for file in planned.iter().flat_map(|it| &it.files) {
        print(&plain(&file.diff()));
    }
}

/// Makes the changes and says so.
pub(super) fn make(planned: &[Changes], place: &Place) -> anyhow::Result<()> {
    for changes in planned {
        changes.make(&place.dirs.state).map_err(with_hint)?;
        for file in &changes.files {
            let verb = if file.after.is_some() { "wrote" } else { "removed" };
            talk(&plain(&format!("{verb} {}\n", file.current.path.display())));
        }
    }
    Ok(())
}

pub(super) fn with_hint(error: InstallError) -> anyhow::Error {
    let hint = Hint(error.hint().to_owned());
    anyhow::Error::new(error).context(hint)
}

fn warn(text: &str) {
    talk(&plain(&format!("warning: {text}\n")));
}

fn agent_names() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(AGENTS.iter().map(|it| it.name))
}
