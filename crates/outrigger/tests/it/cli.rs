//! The real binary, run by hand: a throw-away home and project, and whole
//! outputs to compare.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

pub(crate) struct Shell {
    root: tempfile::TempDir,
}

/// What a command printed and how it ended.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Shell {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("project")).unwrap();
        Self { root }
    }

    /// Returns the path of a file in the project, where commands run.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("project").join(name)
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn content(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.run_with(args, "")
    }

    pub(crate) fn run_with(&self, args: &[&str], stdin: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outrigger"));
        command.args(args).current_dir(self.path("")).env_clear();
        command.env("HOME", self.root.path().join("home")).env("TMPDIR", self.root.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command may end before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        Output {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code().unwrap_or(-1),
        }
    }
}

#[test]
fn help_and_version_are_printed() {
    let shell = Shell::new();
    let version = shell.run(&["--version"]);
    assert!(version.stdout.starts_with("outrigger 0."), "{version:?}");
    let help = shell.run(&["--help"]);
    assert!(help.stdout.contains("Usage: outrigger"), "{help:?}");
    assert_eq!((version.code, help.code), (0, 0));
    let none = shell.run(&[]);
    assert_eq!((none.code, none.stdout.as_str()), (2, ""));
    assert_eq!(shell.run(&["frobnicate"]).code, 2);
}

#[test]
fn the_demo_shows_a_repair_and_a_refusal_and_leaves_nothing_behind() {
    let shell = Shell::new();
    let output = shell.run(&["demo"]);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert!(output.stdout.contains("line 4: added `)`"), "{}", output.stdout);
    assert!(output.stdout.contains("refused in"), "{}", output.stdout);
    let left: Vec<_> = fs::read_dir(shell.root.path()).unwrap().flatten().collect();
    let left: Vec<_> = left.iter().map(|it| it.file_name()).filter(|it| it != "home").collect();
    assert_eq!(left, ["project"]);
}
