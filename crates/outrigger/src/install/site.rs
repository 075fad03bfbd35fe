//! Where an installation goes: the files of an agent in a scope, and whether we
//! may touch them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::agents::Agent;
use crate::agents::settings::Scope;
use crate::install::InstallError;
use crate::sys::paths::{self, Dirs};

/// An agent in a scope, seen from a project.
#[derive(Debug, Clone)]
pub(crate) struct Site<'a> {
    pub(crate) agent: &'static Agent,
    pub(crate) scope: Scope,
    /// The folder the agent is started in.
    pub(crate) project: &'a Path,
    pub(crate) dirs: &'a Dirs,
}

/// A file as it is now.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Current {
    /// Where it is said to be.
    pub(crate) path: PathBuf,
    /// Where it is, with links resolved.
    pub(crate) real: PathBuf,
    /// Its content, or `None` when there is no file.
    pub(crate) bytes: Option<Vec<u8>>,
}

impl Site<'_> {
    /// Returns the same agent and project in another scope.
    pub(crate) fn in_scope(&self, scope: Scope) -> Self {
        Self { scope, ..self.clone() }
    }

    pub(crate) fn settings_file(&self) -> PathBuf {
        self.agent.settings.file(self.scope, self.project, &self.dirs.home)
    }

    pub(crate) fn skill_file(&self) -> PathBuf {
        let folder = self.agent.settings.folder(self.scope, self.project, &self.dirs.home);
        folder.join(self.agent.settings.skill_file)
    }

    /// Returns the configuration that a choice of this scope goes into.
    pub(crate) fn config_file(&self) -> PathBuf {
        match self.scope {
            Scope::User => self.dirs.config.join("config.toml"),
            Scope::Project | Scope::Local => self.project.join(".outrigger/config.toml"),
        }
    }

    /// Returns where the project's checks are, unless there are some already
    /// that the template would hide.
    pub(crate) fn template_file(&self) -> Option<PathBuf> {
        let has_older = self.project.join(".brepl/hooks.edn").exists();
        let is_project = self.scope != Scope::User;
        (is_project && !has_older).then(|| self.project.join(".outrigger/hooks.edn"))
    }

    /// Returns the folder outside of which nothing of this scope may lie.
    fn bound(&self) -> &Path {
        match self.scope {
            Scope::User => &self.dirs.home,
            Scope::Project | Scope::Local => self.project,
        }
    }

    /// Reads one of the files above, if it is one that we may write.
    pub(crate) fn read(&self, path: &Path) -> Result<Current, InstallError> {
        let is_link = path.symlink_metadata().is_ok_and(|it| it.is_symlink());
        if is_link && !path.exists() {
            return Err(InstallError::Dangling { path: path.to_path_buf() });
        }
        let real = paths::canonical(path);
        let bound = paths::canonical(self.bound());
        let folder = self.agent.settings.folder(self.scope, self.project, &self.dirs.home);
        // The user's folder may have been moved out of the home folder by a
        // variable; a link may not lead out of either.
        let is_moved = self.scope == Scope::User && real.starts_with(paths::canonical(&folder));
        let is_config =
            self.scope == Scope::User && real.starts_with(paths::canonical(&self.dirs.config));
        if !real.starts_with(&bound) && !is_moved && !is_config {
            return Err(InstallError::LinkedAway {
                path: path.to_path_buf(),
                real,
                bound: self.bound().to_path_buf(),
            });
        }
        let bytes = read_writable(path, &real)?;
        Ok(Current { path: path.to_path_buf(), real, bytes })
    }

    /// Tells whether the agent is on this machine.
    pub(crate) fn is_present(&self) -> bool {
        let user = self.agent.settings.folder(Scope::User, self.project, &self.dirs.home);
        user.is_dir() || crate::sys::programs::find(self.agent.settings.program).is_some()
    }
}

fn read_writable(path: &Path, real: &Path) -> Result<Option<Vec<u8>>, InstallError> {
    let failed = |source: io::Error| InstallError::Read { path: path.to_path_buf(), source };
    let meta = match fs::metadata(real) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if !meta.is_file() {
        return Err(InstallError::NotAFile { path: path.to_path_buf() });
    }
    let bytes = fs::read(real).map_err(failed)?;
    if meta.permissions().readonly() {
        return Err(InstallError::ReadOnly { path: path.to_path_buf() });
    }
    Ok(Some(bytes))
}

impl Current {
    /// Returns the content as text.
    pub(crate) fn text(&self) -> Result<Option<&str>, InstallError> {
        let Some(bytes) = self.bytes.as_deref() else { return Ok(None) };
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(error) => Err(InstallError::NotText {
                path: self.path.clone(),
                line: bytes[..error.valid_up_to()].iter().filter(|it| **it == b'\n').count() + 1,
            }),
        }
    }
}
