//! The repository's own rules: who may know whom, how long a file may be, and
//! that nothing here can ever grant a permission.

use std::fs;
use std::path::{Path, PathBuf};

/// For each room of `crates/outrigger/src`, the rooms it may use. `cli` may use
/// all of them. docs/ARCHITECTURE.md explains the arrows.
const DOORS: &[(&str, &[&str])] = &[
    ("agents", &["event", "verdict", "sys"]),
    ("ctx", &["sys"]),
    ("editors", &["sys"]),
    ("event", &[]),
    ("guards", &["ctx", "editors", "event", "session", "shell", "sys", "told", "verdict"]),
    ("heartbeat", &["sys"]),
    (
        "hook",
        &["agents", "ctx", "event", "guards", "heartbeat", "once", "session", "sys", "verdict"],
    ),
    ("install", &["agents", "heartbeat", "sys"]),
    ("lib", &["sys"]),
    ("main", &[]),
    ("once", &["ctx", "event", "session", "sys"]),
    ("session", &["ctx", "event"]),
    ("shell", &["sys"]),
    ("sys", &[]),
    ("told", &["ctx", "event", "session", "sys"]),
    ("verdict", &["event"]),
];

const MAX_LINES: usize = 600;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns all files below `folder` with that ending, outside of what is built.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_ours = !matches!(name.as_str(), "target" | "node_modules" | ".git" | "fixtures");
        if path.is_dir() && is_ours {
            found.extend(files(&path, ending));
        } else if name.ends_with(ending) && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The source without its tests: those stand last, behind `#[cfg(test)]`.
fn without_tests(source: &str) -> &str {
    source.split("\n#[cfg(test)]\nmod ").next().unwrap_or(source)
}

#[test]
fn rooms_use_only_the_doors_they_have() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for path in files(&source, ".rs") {
        let below = path.strip_prefix(&source).unwrap();
        let room =
            below.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", "");
        if room == "cli" {
            continue;
        }
        let doors = DOORS.iter().find(|it| it.0 == room);
        let Some((_, doors)) = doors else {
            wrong.push(format!("the room `{room}` has no row in DOORS"));
            continue;
        };
        let text = fs::read_to_string(&path).unwrap();
        for (line_idx, line) in without_tests(&text).lines().enumerate() {
            for used in line.split("crate::").skip(1).flat_map(used_rooms) {
                if used != room && !doors.contains(&used.as_str()) {
                    wrong.push(format!(
                        "{}:{}: `{room}` uses `{used}`",
                        below.display(),
                        line_idx + 1
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the rooms in what follows a `crate::`: `sys::fs` or `{event, sys::fs}`.
fn used_rooms(after: &str) -> Vec<String> {
    let word = |it: &str| -> String {
        it.trim().chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect()
    };
    match after.strip_prefix('{') {
        Some(list) => list.split('}').next().unwrap_or("").split(',').map(word).collect(),
        None => vec![word(after)],
    }
}

#[test]
fn the_pure_crate_knows_nothing_of_the_world() {
    let lisp = root().join("crates/lisp");
    let manifest = fs::read_to_string(lisp.join("Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap().trim();
    assert_eq!(dependencies, "", "crates/lisp must have no dependencies");
    for path in files(&lisp.join("src"), ".rs") {
        let text = fs::read_to_string(&path).unwrap();
        for world in ["std::fs", "std::net", "std::process", "std::env", "std::io"] {
            assert!(!without_tests(&text).contains(world), "{} uses {world}", path.display());
        }
    }
}

#[test]
fn files_start_with_their_purpose_and_stay_short() {
    let mut wrong = Vec::new();
    for path in files(&root(), ".rs") {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        if !text.starts_with("//!") {
            wrong.push(format!("{name} does not start with `//!`"));
        }
        let n_lines = without_tests(&text).lines().count();
        if n_lines > MAX_LINES {
            wrong.push(format!("{name} has {n_lines} lines without tests, more than {MAX_LINES}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_code_can_grant_a_permission() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in files(&source, ".rs") {
        let text = fs::read_to_string(&path).unwrap().to_lowercase();
        for granting in ["\"allow\"", "\"approve\"", "bypasspermissions", "dangerously"] {
            assert!(!text.contains(granting), "{} contains {granting}", path.display());
        }
    }
}

#[test]
fn tests_are_run_and_await_events() {
    // Written apart, or this file would find itself.
    let forbidden =
        [concat!("#[ig", "nore"), concat!("#[should", "_panic"), concat!("thread::", "sleep")];
    for path in files(&root().join("crates"), ".rs") {
        let text = fs::read_to_string(&path).unwrap();
        for word in forbidden {
            assert!(!text.contains(word), "{} contains {word}", path.display());
        }
    }
}

#[test]
fn text_files_have_no_stray_blanks() {
    for ending in [".rs", ".md", ".toml", ".ts", ".js", ".edn"] {
        for path in files(&root(), ending) {
            let text = fs::read_to_string(&path).unwrap();
            assert!(
                text.ends_with('\n') || text.is_empty(),
                "{}: no final newline",
                path.display()
            );
            for (line_idx, line) in text.lines().enumerate() {
                let is_bad = line.ends_with([' ', '\t']);
                assert!(!is_bad, "{}:{}: trailing blank", path.display(), line_idx + 1);
            }
        }
    }
}
