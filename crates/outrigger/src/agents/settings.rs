//! What `install` must know of an agent, as plain data: where its settings lie
//! in each scope, which events it is asked to call us for, what it accepts.
//!
//! How the files are edited is known only to `install/`.

use std::path::{Path, PathBuf};

use crate::sys::env::Variable;

/// Where and how an agent's hooks are installed.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The program that shows that the agent is on this machine.
    pub(crate) program: &'static str,
    /// The agent's folder, in the home folder and in a project.
    pub(crate) folder: &'static str,
    /// The variable that moves the folder in the home folder elsewhere.
    pub(crate) folder_variable: &'static Variable,
    /// The files in that folder, by scope.
    pub(crate) user_file: &'static str,
    pub(crate) project_file: &'static str,
    pub(crate) local_file: &'static str,
    /// The skill's file in that folder.
    pub(crate) skill_file: &'static str,
    /// The events we want to be called for.
    pub(crate) hooks: &'static [HookRow],
    /// The kinds of hook the agent accepts, each with the key it cannot be without.
    pub(crate) kinds: &'static [(&'static str, &'static str)],
    /// Events of which one bad entry makes the agent ignore the whole file.
    pub(crate) fragile_events: &'static [&'static str],
    /// Whether the agent loads nothing from a file with comments or trailing commas.
    pub(crate) is_strict: bool,
    /// The variable that decides whether the agent steers its model towards
    /// editing with shell commands; `0` is off.
    pub(crate) shell_first: Option<&'static str>,
    /// The key that turns all hooks off.
    pub(crate) off_switch: &'static str,
}

/// One event we want to be called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HookRow {
    pub(crate) event: &'static str,
    pub(crate) matcher: Option<&'static str>,
    /// Seconds after which the agent goes on without us.
    pub(crate) timeout: u32,
}

/// Whom an installation is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All projects of this user.
    User,
    /// Everybody who works on this project.
    Project,
    /// This user in this project.
    Local,
}

impl Scope {
    /// Every scope, the narrowest first.
    pub(crate) const ALL: &'static [Self] = &[Self::Local, Self::Project, Self::User];

    /// Returns the flag that chooses it.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::User => "--user",
            Self::Project => "--project",
            Self::Local => "--local",
        }
    }
}

impl Settings {
    /// Returns the agent's folder for a scope.
    pub(crate) fn folder(&self, scope: Scope, project: &Path, home: &Path) -> PathBuf {
        match scope {
            Scope::User => {
                let moved = self.folder_variable.absolute_path();
                moved.unwrap_or_else(|| home.join(self.folder))
            }
            Scope::Project | Scope::Local => project.join(self.folder),
        }
    }

    /// Returns the settings file of a scope.
    pub(crate) fn file(&self, scope: Scope, project: &Path, home: &Path) -> PathBuf {
        let name = match scope {
            Scope::User => self.user_file,
            Scope::Project => self.project_file,
            Scope::Local => self.local_file,
        };
        self.folder(scope, project, home).join(name)
    }
}
