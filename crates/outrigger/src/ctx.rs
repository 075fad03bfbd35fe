//! What a hook call needs to know of the world, gathered once.

use std::path::PathBuf;
use std::time::Duration;

use crate::sys::deadline::Deadline;
use crate::sys::env;
use crate::sys::paths::Dirs;

/// The world as the guards see it.
#[derive(Debug)]
pub struct Ctx {
    /// The user's folders.
    pub dirs: Dirs,
    /// Where decisions are written down, if anywhere.
    pub log: Option<PathBuf>,
    /// Whether the agent runs us as a plugin's hook rather than from settings.
    pub from_plugin: bool,
    pub(crate) deadline: Deadline,
}

impl Ctx {
    /// Gathers what the environment says.
    pub fn from_env() -> Self {
        let mut ctx = Self::new(Dirs::from_env());
        ctx.log = env::OUTRIGGER_LOG.get().map(PathBuf::from);
        ctx.from_plugin = env::CLAUDE_PLUGIN_ROOT.get().is_some();
        ctx
    }

    /// Returns a world in which the user's folders are these and nothing is logged.
    pub fn new(dirs: Dirs) -> Self {
        Self { dirs, log: None, from_plugin: false, deadline: Deadline::after(BUDGET) }
    }
}

/// Far below every agent's own limit for a hook, after which it would go on as
/// if we had agreed.
const BUDGET: Duration = Duration::from_secs(20);
