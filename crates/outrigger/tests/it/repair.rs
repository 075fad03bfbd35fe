//! `outrigger repair` as it is run by hand and in scripts.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use serde_json::{Value, json};

use crate::support::Machine;

const BROKEN: &str = "(defn f [x]\n  (inc x)\n\n(def y 1)\n";
const MENDED: &str = "(defn f [x]\n  (inc x))\n\n(def y 1)\n";
const MESS: &str = "(defn h [x] ]}) (let [{(]\n";

#[test]
fn stdin_is_mended_to_stdout() {
    let machine = Machine::new();
    for args in [&["repair", "-"][..], &["repair"]] {
        let output = machine.run_with(args, BROKEN);
        assert_eq!((output.stdout.as_str(), output.code), (MENDED, 0));
        assert_eq!(output.stderr, "-: line 2: added `)` after `(inc x)`\n");
    }
    let output = machine.run_with(&["repair", "-"], MENDED);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str(), output.code), (MENDED, "", 0));
}

#[test]
fn what_is_not_sure_is_printed_as_it_came_with_the_place_on_stderr() {
    let output = Machine::new().run_with(&["repair", "-"], MESS);
    assert_eq!((output.stdout.as_str(), output.code), (MESS, 1));
    assert!(output.stderr.starts_with("-:1:13: expected `)`"), "{}", output.stderr);
    assert!(output.stderr.contains("\nnot mended: "), "{}", output.stderr);
}

#[test]
fn files_are_mended_in_place_and_only_if_they_need_it() {
    let machine = Machine::new();
    machine.write("my file.clj", BROKEN);
    machine.write("fine.clj", MENDED);
    fs::set_permissions(machine.project.join("my file.clj"), fs::Permissions::from_mode(0o750))
        .unwrap();
    std::os::unix::fs::symlink("my file.clj", machine.project.join("link.clj")).unwrap();
    let inode = fs::metadata(machine.project.join("fine.clj")).unwrap().ino();
    let output = machine.run(&["repair", "link.clj", "fine.clj"]);
    assert_eq!((output.stdout.as_str(), output.code), ("", 0));
    assert_eq!(output.stderr, "link.clj: line 2: added `)` after `(inc x)`\n");
    assert_eq!(machine.text("my file.clj"), MENDED);
    assert!(fs::symlink_metadata(machine.project.join("link.clj")).unwrap().is_symlink());
    assert_eq!(
        fs::metadata(machine.project.join("my file.clj")).unwrap().permissions().mode() & 0o777,
        0o750
    );
    assert_eq!(
        fs::metadata(machine.project.join("fine.clj")).unwrap().ino(),
        inode,
        "not even touched"
    );
}

#[test]
fn line_ends_and_byte_order_mark_are_kept() {
    let machine = Machine::new();
    let broken = format!("\u{feff}{}", BROKEN.replace('\n', "\r\n"));
    machine.write("a.clj", &broken);
    assert_eq!(machine.run(&["repair", "a.clj"]).code, 0);
    assert_eq!(machine.text("a.clj"), format!("\u{feff}{}", MENDED.replace('\n', "\r\n")));
}

#[test]
fn a_read_only_file_is_said_and_left_alone() {
    let machine = Machine::new();
    machine.write("a.clj", BROKEN);
    fs::set_permissions(machine.project.join("a.clj"), fs::Permissions::from_mode(0o444)).unwrap();
    let output = machine.run(&["repair", "a.clj"]);
    assert_eq!(output.code, 1);
    assert_eq!(output.stderr, "error: failed to write `a.clj`: the file is read-only\n");
    assert_eq!(machine.text("a.clj"), BROKEN);
}

#[test]
fn check_prints_places_and_changes_nothing() {
    let machine = Machine::new();
    machine.write("a.clj", BROKEN);
    machine.write("b.clj", MENDED);
    let output = machine.run(&["repair", "--check", "a.clj", "b.clj"]);
    assert_eq!(output.code, 1);
    let expected = "a.clj:1:1: `(` is never closed, expected `)`\n1 | (defn f [x]\n  | ^\n";
    assert_eq!(output.stdout, expected);
    assert_eq!(machine.text("a.clj"), BROKEN);
    assert_eq!(machine.run(&["repair", "--check", "b.clj"]).code, 0);
}

#[test]
fn diff_shows_and_changes_nothing() {
    let machine = Machine::new();
    machine.write("a.clj", BROKEN);
    let output = machine.run(&["repair", "--diff", "a.clj"]);
    assert_eq!(output.code, 0);
    let expected = "--- a.clj\n+++ a.clj\n@@ -1,4 +1,4 @@\n (defn f [x]\n-  (inc x)\n+  (inc x))\n \n (def y 1)\n";
    assert_eq!(output.stdout, expected);
    assert_eq!(machine.text("a.clj"), BROKEN);
}

#[test]
fn folders_are_searched_and_ignored_files_left_out() {
    let machine = Machine::new();
    for name in ["src/a.clj", "src/deep/b.EDN", "src/notes.txt", "target/c.clj"] {
        machine.write(name, BROKEN);
    }
    machine.write(".gitignore", "target/\n");
    fs::create_dir(machine.project.join(".git")).unwrap();
    let output = machine.run(&["repair", "."]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let contents = ["src/a.clj", "src/deep/b.EDN", "src/notes.txt", "target/c.clj"]
        .map(|name| machine.text(name) == MENDED);
    assert_eq!(contents, [true, true, false, false]);
}

#[test]
fn the_text_before_says_which_lines_may_change() {
    let machine = Machine::new();
    machine.write("before.clj", "(defn f [x]\n  (inc x))\n\n(defn g [x]\n  (dec x))\n");
    let broken = "(defn f [x]\n  (inc x))\n\n(defn g [x]\n  (dec (dec x))\n";
    let output = machine.run_with(&["repair", "-", "--before", "before.clj"], broken);
    assert_eq!(output.stdout, "(defn f [x]\n  (inc x))\n\n(defn g [x]\n  (dec (dec x)))\n");
    assert_eq!(output.code, 0);
}

#[test]
fn json_tells_all_of_it() {
    let machine = Machine::new();
    let output = machine.run_with(&["repair", "--json", "-"], BROKEN);
    let mut found: Value = serde_json::from_str(&output.stdout).unwrap();
    let confidence = found[0].as_object_mut().unwrap().remove("confidence").unwrap();
    assert!(confidence.as_f64().is_some_and(|it| it > 0.5 && it <= 1.0), "{confidence}");
    let problem = json!({"line": 1, "column": 1, "message": "`(` is never closed, expected `)`"});
    let edit = json!({"line": 2, "column": 10, "offset": 21, "from": "", "to": ")"});
    let expected = json!([{
        "path": "-", "problem": problem, "outcome": "repaired", "edits": [edit], "text": MENDED,
    }]);
    assert_eq!((found, output.stderr.as_str(), output.code), (expected, "", 0));
    let unsure: Value =
        serde_json::from_str(&machine.run_with(&["repair", "--json", "-"], MESS).stdout).unwrap();
    assert_eq!(unsure[0]["outcome"], "unsure");
}

#[test]
fn wrong_usage_is_said_and_exits_with_two() {
    let machine = Machine::new();
    machine.write("a.clj", BROKEN);
    machine.write("b.clj", BROKEN);
    for (args, expected) in [
        (
            &["repair", "--dialect", "cobol", "a.clj"][..],
            "unknown dialect `cobol`; known are clojure",
        ),
        (&["repair", "-", "a.clj"], "`-` cannot be mended together with files"),
        (&["repair", "a.clj", "b.clj", "--before", "a.clj"], "`--before` belongs to one file"),
        (&["repair", "--check", "--diff", "a.clj"], "cannot be used with"),
        (&["repair", "--frobnicate"], "unexpected argument"),
    ] {
        let output = machine.run(args);
        assert_eq!(output.code, 2, "{args:?}");
        assert!(output.stderr.contains(expected), "{args:?}: {}", output.stderr);
        assert_eq!(machine.text("a.clj"), BROKEN);
    }
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_is_mended() {
    let machine = Machine::new();
    machine.write("a.clj", BROKEN);
    machine.write("latin.clj", b"(def x \"\xe9\")\n");
    let output = machine.run(&["repair", "missing.clj", "latin.clj", "a.clj"]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("error: failed to read `missing.clj`: No such file"));
    assert!(output.stderr.contains("`latin.clj` is not UTF-8 from byte 8 on; it was left alone"));
    assert_eq!(machine.text("a.clj"), MENDED);
}

#[test]
fn a_file_in_no_known_language_needs_to_be_told() {
    let machine = Machine::new();
    machine.write("notes.txt", BROKEN);
    let output = machine.run(&["repair", "notes.txt"]);
    assert_eq!(output.code, 1);
    let expected = "error: no Lisp is known for `notes.txt` by its name\n\
                    hint: pass `--dialect`, for example `--dialect clojure`\n";
    assert_eq!(output.stderr, expected);
    assert_eq!(machine.run(&["repair", "--dialect", "clojure", "notes.txt"]).code, 0);
    assert_eq!(machine.text("notes.txt"), MENDED);
}

#[test]
fn terminal_codes_in_a_file_do_not_reach_the_terminal() {
    let machine = Machine::new();
    let output = machine.run_with(&["repair", "--check", "-"], "(def \u{1b}[31mred\n");
    assert!(!output.stdout.contains('\u{1b}'), "{}", output.stdout);
    assert!(output.stdout.contains("\\u{1b}[31mred"), "{}", output.stdout);
}
