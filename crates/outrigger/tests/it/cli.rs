//! The command line as a whole: help, version, the demo.

use crate::support::{Machine, tree};

#[test]
fn help_and_version_are_printed() {
    let machine = Machine::new();
    let version = machine.run_ok(&["--version"]);
    assert!(version.stdout.starts_with("outrigger 0."), "{version:?}");
    let help = machine.run_ok(&["--help"]);
    assert!(help.stdout.contains("Usage: outrigger"), "{help:?}");
    let none = machine.run(&[]);
    assert_eq!((none.code, none.stdout.as_str()), (2, ""));
    assert_eq!(machine.run(&["frobnicate"]).code, 2);
}

#[test]
fn the_demo_shows_repairs_and_refusals_and_leaves_nothing_behind() {
    check_demo("/usr/bin:/bin");
}

#[test]
fn the_demo_needs_no_editor() {
    check_demo("/nowhere");
}

#[track_caller]
fn check_demo(path: &str) {
    let mut machine = Machine::new();
    machine.set("PATH", path);
    let root = machine.project.parent().unwrap();
    let before = tree(root);
    let output = machine.run_ok(&["demo"]);
    assert_eq!(output.stderr, "");
    assert!(output.stdout.contains("line 4: added `)`"), "{}", output.stdout);
    let n_refused = output.stdout.matches("outrigger: refused in").count();
    assert_eq!(n_refused, 4, "{}", output.stdout);
    assert!(output.stdout.contains("has unsaved changes in"), "{}", output.stdout);
    let left: Vec<_> = tree(root).into_keys().filter(|it| !before.contains_key(it)).collect();
    assert!(left.is_empty(), "{left:?}");
}
