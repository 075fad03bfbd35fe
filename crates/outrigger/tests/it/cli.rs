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
fn the_demo_shows_a_repair_and_a_refusal_and_leaves_nothing_behind() {
    let machine = Machine::new();
    let root = machine.project.parent().unwrap();
    let before = tree(root);
    let output = machine.run_ok(&["demo"]);
    assert_eq!(output.stderr, "");
    assert!(output.stdout.contains("line 4: added `)`"), "{}", output.stdout);
    assert!(output.stdout.contains("refused in"), "{}", output.stdout);
    assert_eq!(tree(root), before);
}
