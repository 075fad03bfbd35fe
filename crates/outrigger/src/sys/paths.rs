//! Folders that are ours, and paths as agents write them turned into paths that
//! can be compared. Knows nothing of what lies in the files.

use std::ffi::OsStr;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};

use crate::sys::env;

/// The user's folders, read from the environment once.
#[derive(Debug, Clone)]
pub struct Dirs {
    /// The home folder.
    pub home: PathBuf,
    /// `$XDG_STATE_HOME/outrigger`: everything we keep.
    pub state: PathBuf,
    /// `$XDG_CONFIG_HOME/outrigger`: what the user tells us.
    pub config: PathBuf,
    /// The folders for temporary things, in which editors put their sockets: the
    /// user's own, and the common one.
    pub temporary: Vec<PathBuf>,
}

impl Dirs {
    /// Reads the folders from the environment.
    ///
    /// Without `HOME` everything hangs below `/nonexistent`, so that nothing is
    /// found and nothing can be written; a hook must work even then.
    pub fn from_env() -> Self {
        let home = env::HOME.absolute_path().unwrap_or_else(|| PathBuf::from("/nonexistent"));
        let state =
            env::XDG_STATE_HOME.absolute_path().unwrap_or_else(|| home.join(".local/state"));
        let config = env::XDG_CONFIG_HOME.absolute_path().unwrap_or_else(|| home.join(".config"));
        let common = env::OUTRIGGER_TMP.absolute_path().unwrap_or_else(|| PathBuf::from("/tmp"));
        let own = env::TMPDIR.absolute_path().filter(|it| *it != common);
        Self {
            state: state.join("outrigger"),
            config: config.join("outrigger"),
            temporary: own.into_iter().chain([common]).collect(),
            home,
        }
    }
}

/// Returns the folder this process was started in, or `/` if it is gone.
pub(crate) fn process_dir() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "the one place that asks")]
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"))
}

/// Makes a folder of our own, which nobody else can have prepared, in the
/// folder for temporary things.
pub(crate) fn fresh_temporary_dir(name: &str) -> io::Result<PathBuf> {
    let base = env::TMPDIR.absolute_path().unwrap_or_else(|| PathBuf::from("/tmp"));
    let base = base.canonicalize()?;
    for n_tries in 0_u32.. {
        let path = base.join(format!("{name}-{}-{n_tries}", std::process::id()));
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && n_tries < 100 => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Returns the absolute path that `written` means for a program running in `cwd`.
///
/// `~`, `~/x` and `~user/x` are expanded, `.` and `..` are kept for
/// [`canonical`] to resolve, since only the file system knows what they mean
/// behind a symbolic link.
pub(crate) fn absolute(written: &str, cwd: &Path, home: &Path) -> PathBuf {
    if let Some(rest) = written.strip_prefix('~') {
        let (user, below) = rest.split_once('/').unwrap_or((rest, ""));
        let base = if user.is_empty() { Some(home.to_path_buf()) } else { home_of(user) };
        if let Some(base) = base {
            return if below.is_empty() { base } else { base.join(below) };
        }
    }
    cwd.join(written)
}

/// Returns `path` with symbolic links, `.` and `..` resolved, also when it, or
/// some of the folders above it, do not exist yet.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let mut missing: Vec<&OsStr> = Vec::new();
    let mut here = path;
    while let (Some(parent), Some(name)) = (here.parent(), here.components().next_back()) {
        match name {
            Component::Normal(name) => missing.push(name),
            // Without the folder it starts from, `..` can only be taken literally.
            Component::ParentDir => return literal(path),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
        if let Ok(real) = parent.canonicalize() {
            return missing.iter().rev().fold(real, |base, name| base.join(name));
        }
        here = parent;
    }
    literal(path)
}

/// Returns `path` with `.` and `..` taken by the letter.
fn literal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => out.push(part),
        }
    }
    out
}

/// Returns the home folder of another user, from the password file. The C
/// library is not asked: a static binary cannot load its name service modules.
fn home_of(user: &str) -> Option<PathBuf> {
    let table = std::fs::read_to_string("/etc/passwd").ok()?;
    let fields: Vec<&str> = table
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields.first() == Some(&user))?;
    fields.get(5).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_from_the_agents_folder() {
        let (cwd, home) = (Path::new("/project"), Path::new("/home/user"));
        for (written, expected) in [
            ("/etc/hosts", "/etc/hosts"),
            ("src/a.clj", "/project/src/a.clj"),
            ("~", "/home/user"),
            ("~/a b.clj", "/home/user/a b.clj"),
            ("~root/x", "/root/x"),
            ("~no-such-user-here/x", "/project/~no-such-user-here/x"),
            ("", "/project/"),
        ] {
            assert_eq!(absolute(written, cwd, home), PathBuf::from(expected), "{written}");
        }
    }

    #[test]
    fn a_missing_file_is_found_through_a_linked_folder() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap().join("real");
        std::fs::create_dir(&real).unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(canonical(&link.join("new.clj")), real.join("new.clj"));
        assert_eq!(canonical(&link.join("a/b/../new.clj")), literal(&link.join("a/new.clj")));
        assert_eq!(canonical(&link.join("./x/y.clj")), real.join("x/y.clj"));
        assert_eq!(canonical(Path::new("/no/such/place")), Path::new("/no/such/place"));
    }
}
