//! `outrigger uninstall`: takes out what `install` put in, and nothing else.

use std::process::ExitCode;

use crate::cli::install::{PlaceArgs, lock, make, show, tell, with_hint};
use crate::cli::output::{self, talk};
use crate::install::{self, changes::Changes};

pub(super) const ABOUT: &str = "Take outrigger out of the agents' settings again

Files that nobody changed since `install` become what they were, to the byte; from others exactly \
our own entries are taken out. The skill and the `hooks.edn` template go too, unless they were \
changed. Asks first on a terminal.";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    place: PlaceArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let place = args.place.find()?;
    let agents = args.place.agents(&place)?;
    let _lock = if args.place.dry_run { None } else { Some(lock(&place)?) };
    let planned: Vec<Changes> = agents
        .iter()
        .map(|agent| install::plan_uninstall(&place.site(agent)).map_err(with_hint))
        .collect::<anyhow::Result<_>>()?;
    tell(&planned);
    if planned.iter().all(|it| it.files.is_empty()) {
        talk("nothing to change\n");
        for agent in &agents {
            for scope in install::scopes_with_us(&place.site(agent)) {
                talk(&format!("hint: {} calls outrigger from `{}`\n", agent.title, scope.flag()));
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    show(&planned);
    if args.place.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    // Without a terminal it goes on: only what is ours is taken out, and
    // `install` puts it back.
    if !args.place.yes && output::is_interactive() && !output::confirm("Write this?") {
        talk("nothing was written\n");
        return Ok(ExitCode::from(output::NO));
    }
    make(&planned, &place)?;
    Ok(ExitCode::SUCCESS)
}
