//! Neovim: where the unsaved text is – in which buffer, window, instance, under
//! which spelling of the path – does not matter.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::desk::{Desk, ON_DISK, until};
use super::nvim::{Nvim, Start, versions, with_each};

#[test]
fn a_clean_file_may_be_written() {
    with_each(|desk, program| {
        let _nvim = Nvim::start(desk, program, &["a.txt"]);
        desk.assert_passes("a.txt");
        desk.assert_passes("never-opened.txt");
    });
}

#[test]
fn the_default_socket_is_found_in_the_runtime_folder_too() {
    for program in versions() {
        let desk = Desk::with_runtime_dir();
        let mut nvim = Nvim::start(&desk, &program, &["-n", "a.txt"]);
        desk.assert_passes("a.txt");
        nvim.type_a_line();
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
    }
}

#[test]
fn a_named_socket_is_found_beside_the_default_ones() {
    let [_, newest] = versions();
    for desk in [Desk::new(), Desk::with_runtime_dir()] {
        let mut nvim = Nvim::start(&desk, &newest, &["-n", "--listen", "work", "a.txt"]);
        nvim.type_a_line();
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
    }
}

#[test]
fn unsaved_saved_changed_and_undone() {
    with_each(|desk, program| {
        let mut nvim = Nvim::start(desk, program, &["a.txt"]);
        nvim.type_a_line();
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
        nvim.ex("silent write");
        desk.assert_passes("a.txt");
        nvim.ex("1delete");
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
        nvim.ex("silent undo");
        desk.assert_passes("a.txt");
        nvim.ex("silent redo");
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
        nvim.ex("edit!");
        desk.assert_passes("a.txt");
    });
}

#[test]
fn unsaved_in_a_hidden_buffer() {
    with_each(|desk, program| {
        let mut nvim = Nvim::start(desk, program, &["a.txt"]);
        nvim.type_a_line();
        nvim.ex("hide edit b.txt");
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
        desk.assert_passes("b.txt");
        nvim.ex("bwipeout! a.txt");
        desk.assert_passes("a.txt");
    });
}

#[test]
fn unsaved_in_another_tab_or_split() {
    for other in ["tabnew", "new", "botright vnew"] {
        with_each(|desk, program| {
            let mut nvim = Nvim::start(desk, program, &["a.txt"]);
            nvim.type_a_line();
            nvim.ex(other);
            desk.assert_denied("a.txt", "Neovim", nvim.pid);
        });
    }
}

#[test]
fn unsaved_in_another_instance() {
    with_each(|desk, program| {
        let _clean = Nvim::start(desk, program, &["a.txt"]);
        let elsewhere = Start::new(desk, program, &[]).in_folder(desk.below("home/other"));
        let mut unsaved = elsewhere.go(desk);
        unsaved.ex("set shortmess+=A");
        unsaved.ex(&format!("edit {}", desk.path("a.txt").display()));
        unsaved.type_a_line();
        desk.assert_denied("a.txt", "Neovim", unsaved.pid);
        unsaved.ex("undo");
        desk.assert_passes("a.txt");
    });
}

#[test]
fn the_editor_may_have_been_started_anywhere() {
    for folder in ["home", "home/project", "home/project/sub", "home/other"] {
        with_each(|desk, program| {
            let path = desk.path("a.txt");
            let start = Start::new(desk, program, &[path.to_str().unwrap()]);
            let mut nvim = start.in_folder(desk.below(folder)).go(desk);
            desk.assert_passes(&path);
            nvim.type_a_line();
            desk.assert_denied(&path, "Neovim", nvim.pid);
        });
    }
}

#[test]
fn the_agent_may_be_anywhere_and_write_relative_paths() {
    for (folder, spelled) in [
        ("home/project", "./sub/../a.txt"),
        ("home/project/sub", "../a.txt"),
        ("home", "project/a.txt"),
        ("home/other", "~/project/a.txt"),
    ] {
        with_each(|desk, program| {
            let mut nvim = Nvim::start(desk, program, &["a.txt"]);
            nvim.type_a_line();
            let input = json!({"file_path": spelled, "content": "x"});
            let cwd = desk.below(folder);
            let payload = json!({"tool_name": "Write", "tool_input": input});
            let answer = desk.claude_from(&cwd, "PreToolUse", payload);
            assert!(answer.refused.is_some(), "{spelled} from {folder}");
        });
    }
}

#[test]
fn links_to_the_file_or_its_folder_are_the_same_file() {
    for (opened, written) in [
        ("linked/a.txt", "project/a.txt"),
        ("project/a.txt", "linked/a.txt"),
        ("link.txt", "project/a.txt"),
        ("project/a.txt", "link.txt"),
        ("linked/new.txt", "project/new.txt"),
        ("project/new.txt", "linked/new.txt"),
    ] {
        with_each(|desk, program| {
            symlink(desk.path(""), desk.below("home/linked")).unwrap();
            symlink(desk.path("a.txt"), desk.below("home/link.txt")).unwrap();
            let opened = desk.below("home").join(opened);
            let mut nvim = Nvim::start(desk, program, &[opened.to_str().unwrap()]);
            desk.assert_passes(desk.below("home").join(written));
            nvim.type_a_line();
            let input = json!({
                "file_path": desk.below("home").join(written), "content": "x",
            });
            assert!(desk.before("Write", input).refused.is_some(), "{opened:?} {written}");
        });
    }
}

#[test]
fn a_new_file_that_was_never_saved() {
    with_each(|desk, program| {
        for name in ["new.txt", "sub/new.txt", "no/such/folder/new.txt"] {
            let mut nvim = Nvim::start(desk, program, &[name]);
            desk.assert_passes(name);
            nvim.type_a_line();
            desk.assert_denied(name, "Neovim", nvim.pid);
            assert!(!desk.path(name).exists());
        }
    });
}

#[test]
fn names_may_be_odd() {
    with_each(|desk, program| {
        for name in [".env", "two words.txt", "ümläut %.txt", "a'b\"c.txt", "[x]*?.txt"] {
            fs::write(desk.path(name), ON_DISK).unwrap();
            let path = desk.path(name);
            let mut nvim = Nvim::start(desk, program, &["--", path.to_str().unwrap()]);
            desk.assert_passes(name);
            nvim.type_a_line();
            desk.assert_denied(name, "Neovim", nvim.pid);
        }
    });
}

#[test]
fn the_cursor_may_be_in_a_terminal_window() {
    with_each(|desk, program| {
        let mut nvim = Nvim::start(desk, program, &["a.txt"]);
        nvim.type_a_line();
        nvim.ex("set shell=/bin/sh | split | terminal");
        nvim.keys_to_mode("i", "t");
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
    });
}

#[test]
fn in_a_real_terminal_what_was_typed_is_kept() {
    with_each(|desk, program| {
        let start = Start::new(desk, program, &["a.txt"]);
        let (mut terminal, pid, _) = start.go_in_terminal(desk);
        let sync = |mark: &str| format!("\x1b:call writefile([], '{mark}')\r");
        terminal.sync(sync);
        desk.assert_passes("a.txt");
        terminal.keys("itext of a human");
        terminal.sync(sync);
        desk.assert_denied("a.txt", "Neovim", pid);
        terminal.keys(":w\r");
        terminal.sync(sync);
        desk.assert_passes("a.txt");
        assert_eq!(desk.content("a.txt"), format!("text of a human{ON_DISK}"));
    });
}

#[test]
fn the_human_is_told_and_not_held_up() {
    with_each(|desk, program| {
        let mut nvim = Nvim::start(desk, program, &["a.txt"]);
        nvim.attach_screen();
        nvim.type_a_line();
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
        // A message wider than the screen would make the human press a key
        // before anything else, and Neovim deaf until then.
        until("the message", || {
            let shown = nvim.eval_text("execute('messages')");
            shown.contains("outrigger: Claude Code wants to write a.txt").then_some(())
        });
        assert_eq!(nvim.mode(), ("n".to_owned(), false));
    });
}

#[test]
fn an_override_of_notify_gets_the_whole_message() {
    with_each(|desk, program| {
        let mut nvim = Nvim::start(desk, program, &["a.txt"]);
        nvim.ex("lua vim.notify = function(text, level) vim.g.told = { text, level } end");
        nvim.type_a_line();
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
        let told = until("the message", || {
            let told = nvim.eval("get(g:, 'told', [])");
            let told = told.as_array()?.clone();
            told.first()?.as_str().map(str::to_owned)
        });
        assert!(told.ends_with("Save or discard them to let it go on."), "{told}");
    });
}
