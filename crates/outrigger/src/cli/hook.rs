//! `outrigger hook`: what agents run. Reads a payload, prints the answer,
//! exits 0, always.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use crate::agents::{self, Agent};
use crate::ctx::Ctx;
use crate::hook::{self, Reply};

pub(super) const ABOUT: &str = "Answer an agent's hook call (run by agents, never by hand)

Reads the agent's JSON on stdin and prints its answer, or nothing, on stdout. \
The exit code is always 0: whatever goes wrong, the agent goes on.";

/// The arguments, as `--help` shows them. The hook itself reads them without clap.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent that calls
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// The event, for agents that do not name it in their JSON
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
}

/// Tells whether somebody is asking what this command is.
pub(super) fn wants_help(args: &[OsString]) -> bool {
    args.iter().any(|it| it == "--help" || it == "-h")
}

/// More than any agent sends; a bound all the same.
const MAX_PAYLOAD: u64 = 64 << 20;

pub(super) fn run(args: &[OsString]) -> ExitCode {
    // A panic is told in our own line below, not in the runtime's three.
    std::panic::set_hook(Box::new(|_| {}));
    let reply = catch_unwind(AssertUnwindSafe(|| answer(args))).unwrap_or_else(|panic| {
        let mut reply = Reply::default();
        reply.complain(&format!("something went wrong ({})", hook::panic_text(&*panic)));
        reply
    });
    // Nobody may be listening any more. There is nothing better to do then than
    // to exit as if somebody were.
    let _ = std::io::stdout().write_all(reply.stdout.as_bytes());
    let _ = std::io::stderr().write_all(reply.stderr.as_bytes());
    ExitCode::SUCCESS
}

fn answer(args: &[OsString]) -> Reply {
    let mut reply = Reply::default();
    let (agent, event) = match arguments(args) {
        Ok(found) => found,
        Err(problem) => {
            reply.complain(&problem);
            return reply;
        }
    };
    let mut stdin = std::io::stdin().lock();
    if stdin.is_terminal() {
        reply.complain("`outrigger hook` is run by an agent, with a payload on stdin");
        return reply;
    }
    let mut payload = Vec::new();
    if let Err(error) = stdin.by_ref().take(MAX_PAYLOAD + 1).read_to_end(&mut payload) {
        reply.complain(&format!("failed to read stdin: {error}"));
        return reply;
    }
    if payload.len() as u64 > MAX_PAYLOAD {
        reply.complain("the payload is larger than 64 MiB");
        return reply;
    }
    hook::respond(agent, event, &payload, &Ctx::from_env())
}

fn arguments(args: &[OsString]) -> Result<(&'static Agent, Option<&str>), String> {
    let mut agent = None;
    let mut event = None;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let value = match arg.to_str() {
            Some("--agent" | "--event") => rest.next().and_then(|it| it.to_str()),
            _ => return Err(format!("unknown argument `{}`", arg.display())),
        };
        let value = value.ok_or_else(|| format!("`{}` needs a value", arg.display()))?;
        if arg == "--agent" {
            agent = Some(agents::by_name(value).ok_or_else(|| format!("unknown agent `{value}`"))?);
        } else {
            event = Some(value);
        }
    }
    Ok((agent.ok_or("`--agent` is missing")?, event))
}
