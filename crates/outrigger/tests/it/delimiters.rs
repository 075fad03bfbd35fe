//! The delimiter guard through the hook: what is mended, refused, let through.

use serde_json::{Value, json};

use crate::world::World;

const BROKEN: &str = "(ns a)\n\n(defn f [x]\n  (inc x)\n\n(defn g [x]\n  (dec x))\n";
const MENDED: &str = "(ns a)\n\n(defn f [x]\n  (inc x))\n\n(defn g [x]\n  (dec x))\n";
/// Nothing tells what this was meant to be.
const MESS: &str = "(defn h [x] ]}) (let [{(]\n";

#[test]
fn a_broken_write_is_mended_and_both_are_told() {
    let world = World::new();
    let answer = world.before("Write", world.write_input("a.clj", BROKEN));
    assert_eq!(answer.input, Some(world.write_input("a.clj", MENDED)));
    assert_eq!(answer.refused, None);
    let context = answer.context.unwrap();
    assert!(context.contains("a.clj") && context.contains("line 4: added `)`"), "{context}");
    assert_eq!(answer.message.as_deref(), Some("outrigger mended brackets in a.clj (line 4)"));
}

#[test]
fn balanced_text_and_other_languages_pass_in_silence() {
    let world = World::new();
    world.before("Write", world.write_input("a.clj", MENDED)).assert_silent();
    world.before("Write", world.write_input("a.py", BROKEN)).assert_silent();
    world.before("Write", world.write_input("README", BROKEN)).assert_silent();
    let notebook = json!({"notebook_path": world.path("a.ipynb"), "new_source": "("});
    world.before("NotebookEdit", notebook).assert_silent();
    world.before("Bash", json!({"command": "echo '(' > a.clj"})).assert_silent();
}

#[test]
fn a_script_is_known_by_its_first_line() {
    let world = World::new();
    let script = format!("#!/usr/bin/env bb\n{BROKEN}");
    let answer = world.before("Write", world.write_input("task", &script));
    let expected = format!("#!/usr/bin/env bb\n{MENDED}");
    assert_eq!(answer.input, Some(world.write_input("task", &expected)));
    world.put("task", expected);
    let answer = world.before("Edit", world.edit_input("task", "  (inc x))", "  (inc (inc x))"));
    assert_eq!(answer.input, Some(world.edit_input("task", "  (inc x))", "  (inc (inc x)))")));
}

#[test]
fn an_edit_is_mended_inside_its_new_text() {
    let world = World::new();
    world.put("a.clj", MENDED);
    let mut input = world.edit_input("a.clj", "  (inc x))", "  (let [y (inc x)]\n    (* y y))");
    input["replace_all"] = json!(false);
    let answer = world.before("Edit", input.clone());
    input["new_string"] = json!("  (let [y (inc x)]\n    (* y y)))");
    assert_eq!(answer.input, Some(input));
}

#[test]
fn an_edit_of_a_crlf_file_is_mended() {
    let world = World::new();
    world.put("a.clj", MENDED.replace('\n', "\r\n"));
    let answer =
        world.before("Edit", world.edit_input("a.clj", "[x]\n  (dec x))", "[y]\n  (dec y)"));
    let expected = world.edit_input("a.clj", "[x]\n  (dec x))", "[y]\n  (dec y))");
    assert_eq!(answer.input, Some(expected));
}

#[test]
fn the_edits_of_older_versions_are_mended_one_by_one() {
    let world = World::new();
    world.put("a.clj", MENDED);
    let edits = |first: &str, second: &str| {
        json!({"file_path": world.path("a.clj"), "edits": [
            {"old_string": "  (inc x))", "new_string": first},
            {"old_string": "  (dec x))", "new_string": second},
        ]})
    };
    let answer = world.before("MultiEdit", edits("  (inc (inc x))", "  (dec (dec x)))"));
    assert_eq!(answer.input, Some(edits("  (inc (inc x)))", "  (dec (dec x)))")));
}

#[test]
fn what_cannot_be_mended_is_refused_with_its_place() {
    let world = World::new();
    let refused = world.before("Write", world.write_input("h.clj", MESS)).refused.unwrap();
    assert!(refused.contains("h.clj:1:13:"), "{refused}");
    assert!(refused.contains("1 | (defn h [x] ]})"), "{refused}");
    assert!(refused.contains("Not mended, because"), "{refused}");
}

#[test]
fn an_edit_that_the_tool_itself_will_refuse_is_left_to_it() {
    let world = World::new();
    world.put("a.clj", MENDED);
    world.before("Edit", world.edit_input("a.clj", "no such text", "(")).assert_silent();
    world.before("Edit", world.edit_input("missing.clj", "x", "(")).assert_silent();
}

#[test]
fn a_file_that_was_unbalanced_before_is_not_the_agents_fault() {
    let world = World::new();
    world.put("a.clj", format!("{MENDED}\n{MESS}"));
    let answer = world.before("Edit", world.edit_input("a.clj", "(inc x)", "(inc 1)"));
    assert_eq!((answer.refused, answer.input), (None, None));
    let context = answer.context.unwrap();
    assert!(context.contains("was not balanced before this edit"), "{context}");
    let worse = world.before("Edit", world.edit_input("a.clj", "(inc x)", MESS));
    assert!(worse.refused.is_some(), "{worse:?}");
}

/// Plays a tool call to its end: the hook before, the write, the hook after.
fn write_for_real(world: &World, name: &str, content: &str) -> crate::world::Answer {
    let call =
        |input: Value| json!({"tool_name": "Write", "tool_input": input, "tool_use_id": "t"});
    let input = world.write_input(name, content);
    let before = world.claude("PreToolUse", call(input.clone()));
    assert_eq!(before.refused, None);
    let input = before.input.unwrap_or(input);
    world.put(name, input["content"].as_str().unwrap());
    world.claude("PostToolUse", call(input))
}

#[test]
fn steps_that_only_together_balance_are_let_through_on_the_second_asking() {
    let world = World::new();
    world.put("a.clj", MENDED);
    let first = world.edit_input("a.clj", "(defn g [x]", MESS);
    assert!(world.before("Edit", first.clone()).refused.is_some());
    let again = world.before("Edit", first.clone());
    assert_eq!((again.refused, again.input), (None, None));
    assert!(again.context.unwrap().contains("let this step through"));
    world.put("a.clj", MENDED.replace("(defn g [x]", MESS));
    world.claude("PostToolUse", json!({"tool_name": "Edit", "tool_input": first})).assert_silent();

    // Further steps are neither mended nor refused.
    let second = world.before("Edit", world.edit_input("a.clj", "(inc x))", "(inc x)"));
    assert_eq!((second.refused, second.input), (None, None));

    // The stop is held, twice at most; then the human is told.
    let stop = || world.claude("Stop", json!({"stop_hook_active": false}));
    for _ in 0..2 {
        let reason = stop().blocked.unwrap();
        assert!(reason.contains("still does not balance"), "{reason}");
    }
    let last = stop();
    assert_eq!(last.blocked, None);
    assert!(last.message.unwrap().contains("was left unbalanced"));
    stop().assert_silent();
}

#[test]
fn a_step_that_balances_the_file_settles_it() {
    let world = World::new();
    world.put("a.clj", MENDED);
    let step = world.edit_input("a.clj", "(defn g [x]", MESS);
    assert!(world.before("Edit", step.clone()).refused.is_some());
    assert!(world.before("Edit", step).refused.is_none());
    world.put("a.clj", MENDED.replace("(defn g [x]", MESS));
    write_for_real(&world, "a.clj", MENDED).assert_silent();
    world.claude("Stop", json!({})).assert_silent();
    // The next broken edit is judged as usual.
    let answer = world.before("Write", world.write_input("a.clj", BROKEN));
    assert_eq!(answer.input, Some(world.write_input("a.clj", MENDED)));
}

#[test]
fn another_hooks_rewrite_is_mended_on_disk_or_taken_back() {
    let world = World::new();
    let call = |name: &str| json!({"tool_name": "Write", "tool_use_id": "t", "tool_input": world.write_input(name, MENDED)});
    world.put("a.clj", "(ns a)\n");
    world.claude("PreToolUse", call("a.clj")).assert_silent();
    world.put("a.clj", BROKEN);
    let answer = world.claude("PostToolUse", call("a.clj"));
    assert!(answer.context.unwrap().contains("mended the brackets"));
    assert_eq!(world.content("a.clj"), MENDED);

    world.claude("PreToolUse", call("a.clj")).assert_silent();
    world.put("a.clj", MESS);
    let blocked = world.claude("PostToolUse", call("a.clj")).blocked.unwrap();
    assert!(blocked.contains("put the file back"), "{blocked}");
    assert_eq!(world.content("a.clj"), MENDED);

    // A new file has nothing to be put back to; it stays for the agent to mend.
    world.claude("PreToolUse", call("new.clj")).assert_silent();
    world.put("new.clj", MESS);
    let blocked = world.claude("PostToolUse", call("new.clj")).blocked.unwrap();
    assert!(blocked.contains("left as it is"), "{blocked}");
    assert_eq!(world.content("new.clj"), MESS);
}

#[test]
fn odd_files_on_disk_are_left_alone() {
    let world = World::new();
    world.put("latin.clj", b"(def x \"\xe9\")\n");
    world.before("Edit", world.edit_input("latin.clj", "x", "(")).assert_silent();
    std::fs::create_dir(world.path("folder.clj")).unwrap();
    world.before("Edit", world.edit_input("folder.clj", "x", "(")).assert_silent();
    let pipe = world.path("pipe.clj");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    world.before("Edit", world.edit_input("pipe.clj", "x", "(")).assert_silent();
}

#[test]
fn mending_keeps_the_byte_order_mark_and_the_missing_final_newline() {
    let world = World::new();
    let answer = world.before("Write", world.write_input("a.clj", "\u{feff}(def x [1 2)"));
    assert_eq!(answer.input, Some(world.write_input("a.clj", "\u{feff}(def x [1 2])")));
}

#[test]
fn an_edit_of_which_nothing_is_left_is_refused_by_name() {
    let world = World::new();
    world.put("a.clj", MENDED);
    let refused = world.before("Edit", world.edit_input("a.clj", "(inc x))", "(inc x)))")).refused;
    let refused = refused.unwrap();
    assert!(refused.contains("changes nothing in"), "{refused}");
    assert!(refused.contains("line 4: removed `)`"), "{refused}");
}
