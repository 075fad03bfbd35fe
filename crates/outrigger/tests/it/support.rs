//! A machine of its own for each test: a home folder, a project, and the real
//! binary run in them with nothing else in its environment.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A throw-away home and project.
#[derive(Debug)]
pub(crate) struct Machine {
    _root: TempDir,
    pub(crate) home: PathBuf,
    pub(crate) project: PathBuf,
    variables: BTreeMap<String, String>,
}

/// What a run printed and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self::named("home", "project")
    }

    /// Makes one whose folders have these names.
    pub(crate) fn named(home: &str, project: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().canonicalize().unwrap();
        let (home, project) = (path.join(home), path.join(project));
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&project).unwrap();
        // Editors that happen to run on the real machine are none of a test's business.
        let tmp = path.join("tmp");
        fs::create_dir_all(&tmp).unwrap();
        let tmp = tmp.to_str().unwrap().to_owned();
        let variables = [("PATH", "/usr/bin:/bin"), ("TMPDIR", &tmp), ("OUTRIGGER_TMP", &tmp)];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Self { _root: root, home, project, variables }
    }

    /// Sets an environment variable for every run.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> &mut Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Returns our state folder.
    pub(crate) fn state(&self) -> PathBuf {
        self.home.join(".local/state/outrigger")
    }

    /// Writes a file of the project, with the folders above it.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Reads a file of the project.
    #[track_caller]
    pub(crate) fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.project.join(path)).unwrap()
    }

    /// Reads a file of the project as text.
    #[track_caller]
    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.read(path)).unwrap()
    }

    /// Runs the binary in the project, with that on stdin.
    pub(crate) fn run_with(&self, args: &[&str], stdin: &str) -> Output {
        self.run_in(&self.project, args, stdin.as_bytes())
    }

    /// Runs the binary in the project, with nothing on stdin.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.run_in(&self.project, args, b"")
    }

    /// Runs the binary in a folder, with that on stdin.
    pub(crate) fn run_in(&self, folder: &Path, args: &[&str], stdin: &[u8]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outrigger"));
        command.args(args).current_dir(folder).env_clear().envs(&self.variables);
        command.env("HOME", &self.home);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // It may end without having read everything.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        let output = child.wait_with_output().unwrap();
        Output {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code().expect("it was not killed"),
        }
    }

    /// Runs the binary and expects it to succeed.
    #[track_caller]
    pub(crate) fn run_ok(&self, args: &[&str]) -> Output {
        let output = self.run(args);
        assert_eq!(output.code, 0, "{args:?}: {output:#?}");
        output
    }
}

/// Returns every file and folder below a folder, with the files' contents.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(here) = folders.pop() {
        for entry in fs::read_dir(here).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_path_buf();
            if path.is_dir() && !path.is_symlink() {
                found.insert(name, None);
                folders.push(path);
            } else {
                found.insert(name, Some(fs::read(&path).unwrap_or_default()));
            }
        }
    }
    found
}
