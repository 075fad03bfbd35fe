//! The command line: one file per subcommand. The only room that prints.

mod demo;
mod doctor;
mod editors;
mod hook;
mod install;
mod nvim;
mod output;
mod repair;
mod status;
mod uninstall;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::sys::env;

/// Rides beside a coding agent: guards unsaved work, mends brackets, holds the gate
#[derive(Debug, Parser)]
#[command(name = "outrigger", version, disable_help_subcommand = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answer an agent's hook call (run by agents, never by hand)
    #[command(long_about = hook::ABOUT)]
    Hook(hook::Args),
    /// Mend the brackets of Lisp files, or of stdin
    #[command(long_about = repair::ABOUT)]
    Repair(repair::Args),
    /// List the running editors and their unsaved files
    #[command(long_about = editors::ABOUT)]
    Editors(editors::Args),
    /// Start Neovim on a socket that is found by its folder
    #[command(long_about = nvim::ABOUT)]
    Nvim(nvim::Args),
    /// Show the whole thing at work in a throw-away project
    Demo,
    /// Wire coding agents to outrigger
    #[command(long_about = install::ABOUT)]
    Install(install::Args),
    /// Take outrigger out of the agents' settings again
    #[command(long_about = uninstall::ABOUT)]
    Uninstall(uninstall::Args),
    /// Check that outrigger is installed, called and working
    #[command(long_about = doctor::ABOUT)]
    Doctor(doctor::Args),
    /// Show agents, editors and their unsaved files on one screen
    Status,
}

/// Runs outrigger with these arguments (without the program's own name).
///
/// `hook` is looked at before anything else is touched: building the parser of
/// the other commands costs more than the whole of a quiet hook.
pub fn run(args: Vec<OsString>) -> ExitCode {
    if let Some((first, rest)) = args.split_first()
        && first == "hook"
        && !hook::wants_help(rest)
    {
        return hook::run(rest);
    }
    // Whatever follows, `--help` too, is Neovim's.
    if let Some((first, rest)) = args.split_first()
        && first == "nvim"
    {
        return nvim::run(rest);
    }
    let program = OsString::from("outrigger");
    let parser = Cli::command().after_long_help(variables());
    let matches = parser.try_get_matches_from(std::iter::once(program).chain(args));
    let cli = match matches.and_then(|it| Cli::from_arg_matches(&it)) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(output::USAGE));
        }
    };
    let done = match cli.command {
        Command::Hook(_) | Command::Nvim(_) => Ok(ExitCode::SUCCESS),
        Command::Editors(args) => Ok(editors::run(&args)),
        Command::Repair(args) => repair::run(&args),
        Command::Demo => demo::run(),
        Command::Install(args) => install::run(&args),
        Command::Uninstall(args) => uninstall::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Status => Ok(status::run()),
    };
    done.unwrap_or_else(|error| output::fail(&error))
}

/// Returns the environment variables and their meanings, for `--help`.
fn variables() -> String {
    let rows = env::VARIABLES.iter().map(|it| format!("  {:<20}{}\n", it.name, it.about));
    format!("Environment variables:\n{}", rows.collect::<String>())
}
