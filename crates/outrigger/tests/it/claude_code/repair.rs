//! Unbalanced Lisp in the real CLI: what lands on disk, what the model and the
//! human are told, and that the user is still asked.

use std::path::Path;

use expect_test::expect;
use serde_json::json;

use super::run::Case;
use super::{about_tools, answering, assert_contains, edit, files, inputs, write};
use crate::scripted_model::{ToolUse, Turn};

const BROKEN: &str = "(defn f [x]\n  (inc x)\n";
const MENDED: &str = "(defn f [x]\n  (inc x))\n";
/// Nobody can say what this was meant to be.
const MESS: &str = "(defn h [x] ]}) (let [{(]";

/// Reads a few lines: some models may edit only what they have read.
fn read(path: &Path, line: usize) -> ToolUse {
    ToolUse { name: "Read", input: json!({"file_path": path, "offset": line, "limit": 5}) }
}

#[test]
fn a_broken_write_lands_mended_and_both_are_told() {
    let case = Case::new().usual();
    let path = case.path("a.clj");
    let run = case.uses(write(&path, BROKEN)).uses(edit(&path, "(inc x))", "(dec x))")).run();
    assert_contains(&run.told()[1], "outrigger mended the brackets of");
    assert_contains(&run.told()[1], "added `)`");
    assert_contains(&run.shown(), "outrigger mended brackets in a.clj (line 2)\n");
    // The text the model was told of is the text its next edit finds.
    assert_eq!(run.files(), files([("a.clj", "(defn f [x]\n  (dec x))\n")]));
    expect![[r"
        before-tool Write the project/a.clj -> rewrite
        after-tool Write the project/a.clj -> pass
        before-tool Edit the project/a.clj -> pass
        after-tool Edit the project/a.clj -> pass
    "]]
    .assert_eq(&about_tools(&run.decisions()));
}

#[test]
fn the_permission_prompt_stays_and_shows_the_mended_text() {
    let case = Case::new().foreign_hook("PermissionRequest").usual().permission_mode("manual");
    let path = case.path("a.clj");
    let run = case.uses(write(&path, BROKEN)).run();
    let asked = run.foreign("PermissionRequest");
    assert_eq!(inputs(&asked), [json!({"file_path": path, "content": MENDED})]);
    assert_contains(&run.told()[1], "haven't granted it yet");
    assert_eq!(run.files(), files([]));
    assert_eq!(about_tools(&run.decisions()), "before-tool Write the project/a.clj -> rewrite\n");
}

#[test]
fn a_broken_edit_in_a_long_file_is_mended_where_it_broke() {
    let function = |n: usize| format!("(defn f{n} [x]\n  (let [y (inc x)]\n    (* y {n})))\n\n");
    let before: String = (0..500).map(function).collect();
    let after = before.replace("(* y 250)))", "(when (pos? y)\n      (* y 250))))");
    let case = Case::new().file("long.clj", &before).usual();
    let path = case.path("long.clj");
    let run = case
        .uses(read(&path, 1001))
        .uses(edit(&path, "(* y 250)))", "(when (pos? y)\n      (* y 250)))"))
        .run();
    let mended = &run.files()["long.clj"];
    let around = |text: &str| text.lines().skip(998).take(10).collect::<Vec<_>>().join("\n");
    assert_eq!(around(mended), around(&after));
    assert!(*mended == after, "the file was changed elsewhere");
    assert_contains(&run.told()[2], "added `)`");
    assert_contains(&run.decisions(), "before-tool Edit the project/long.clj -> rewrite\n");
}

#[test]
fn an_edit_that_cannot_be_mended_is_refused_with_its_line() {
    let before = "(ns a)\n\n(defn g [x]\n  (dec x))\n";
    let case = Case::new().file("a.clj", before).usual();
    let path = case.path("a.clj");
    let run = case.uses(read(&path, 1)).uses(edit(&path, "(defn g [x]", MESS)).run();
    assert_contains(&run.told()[2], "outrigger refused this edit");
    assert_contains(&run.told()[2], "a.clj:3:13:");
    assert_eq!(run.files(), files([("a.clj", before)]));
    assert_contains(&run.decisions(), "before-tool Edit the project/a.clj -> refuse\n");
}

#[test]
fn an_edit_of_a_crlf_file_is_mended_and_keeps_its_line_ends() {
    let case = Case::new().file("a.clj", "(ns a)\r\n\r\n(defn g [x]\r\n  (dec x))\r\n").usual();
    let path = case.path("a.clj");
    let run =
        case.uses(read(&path, 1)).uses(edit(&path, "[x]\n  (dec x))", "[y]\n  (dec y)")).run();
    let expected = "(ns a)\r\n\r\n(defn g [y]\r\n  (dec y))\r\n";
    assert_eq!(run.files(), files([("a.clj", expected)]));
    assert_contains(&run.told()[2], "added `)`");
}

#[test]
fn a_file_that_was_unbalanced_before_is_let_through_with_a_note() {
    let before = format!("{MENDED}\n{MESS}\n");
    let case = Case::new().file("a.clj", &before).usual();
    let path = case.path("a.clj");
    let run = case.uses(read(&path, 1)).uses(edit(&path, "(inc x)", "(dec x)")).run();
    assert_eq!(run.files(), files([("a.clj", &before.replace("(inc x)", "(dec x)"))]));
    assert_contains(&run.told()[2], "was not balanced before this edit");
    assert_contains(&run.decisions(), "before-tool Edit the project/a.clj -> pass\n");
}

#[test]
fn a_step_sent_twice_is_let_through_and_the_stop_is_held_until_it_balances() {
    let case = Case::new().file("a.clj", MENDED).usual();
    let path = case.path("a.clj");
    let run = case
        .uses(read(&path, 1))
        .uses(edit(&path, "(defn f [x]", MESS))
        .uses(edit(&path, "(defn f [x]", MESS))
        .turn(Turn::says("I think that is all."))
        .uses(write(&path, MENDED))
        .run();
    assert_contains(&run.told()[2], "outrigger refused this edit");
    assert_contains(&run.told()[3], "outrigger let this step through");
    assert_contains(&run.told()[4], "still does not balance");
    assert_eq!(run.files(), files([("a.clj", MENDED)]));
    let stops: Vec<String> = run.decisions().lines().map(str::to_owned).collect();
    let stops: Vec<&String> = stops.iter().filter(|it| it.starts_with("stopping")).collect();
    assert_eq!(stops, ["stopping -> continue", "stopping -> pass"]);
}

#[test]
fn another_hooks_rewrite_does_not_bring_the_broken_text_back() {
    let case = Case::new();
    let path = case.path("a.clj");
    // The last hook to finish wins: this one waits until ours has decided, but
    // not for ever.
    let wait = "n=0; until grep -qs before-tool \"$OUTRIGGER_LOG\" || [ $n = 5000 ]; \
                do n=$((n + 1)); done";
    let rewrite = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "updatedInput": {"file_path": path, "content": BROKEN},
    }});
    let run = case
        .foreign_hook_then("PreToolUse", &format!("{wait}; {}", answering(&rewrite)))
        .usual()
        .uses(write(&path, BROKEN))
        .run();
    assert_eq!(run.files(), files([("a.clj", MENDED)]));
    assert_contains(&run.told()[1], "outrigger mended the brackets of");
}
