//! After a write, every Neovim shows the new text, and nothing else of what its
//! human sees has changed; unsaved text stays, without a dialog.

use std::fs;

use rmpv::Value;

use super::desk::{Desk, ON_DISK, until};
use super::nvim::{Nvim, with_each};

/// Everything of a window that a human would miss: cursor, first line, jumps,
/// closed folds.
const VIEWS: &str = "map(getwininfo(), {_, win -> [win.winid, getcurpos(win.winid)[1:4], \
                     win.topline, len(getjumplist(win.winid)[0]), \
                     win_execute(win.winid, 'echo foldclosed(2)')]})";

fn numbered(prefix: &str) -> String {
    (1..=100).map(|it| format!("{prefix} {it}\n")).collect()
}

#[test]
fn three_editors_with_two_windows_each_show_the_new_text() {
    with_each(|desk, program| {
        let (before, after) = (numbered("line"), numbered("new line") + "and one more\n");
        fs::write(desk.path("a.txt"), &before).unwrap();
        let mut editors: Vec<Nvim> =
            (0..3).map(|_| Nvim::start(desk, program, &["-n", "a.txt"])).collect();
        for (idx, nvim) in editors.iter_mut().enumerate() {
            nvim.attach_screen();
            nvim.ex("set foldmethod=manual | 2,4fold | split | 2,4fold");
            nvim.ex(&format!("normal! {}Gzt3|", 20 + idx));
            nvim.ex("wincmd w");
            nvim.ex(&format!("normal! {}G90G2|", 40 + idx));
            nvim.ex("redraw");
        }
        let views: Vec<Value> = editors.iter_mut().map(|it| it.eval(VIEWS)).collect();
        let answer = desk.after_write(&desk.path("a.txt"), &after);
        assert_eq!((answer.blocked, answer.context, answer.message), (None, None, None));
        for (nvim, view) in editors.iter_mut().zip(views) {
            assert_eq!(nvim.text(), after);
            assert_eq!(nvim.eval(VIEWS), view);
            assert_eq!(nvim.eval("&modified").as_u64(), Some(0));
            assert_eq!(nvim.mode(), ("n".to_owned(), false));
            nvim.ex("silent undo");
            assert_eq!(nvim.text(), before, "one undo brings the old text back");
        }
    });
}

#[test]
fn unsaved_text_stays_and_its_human_is_told() {
    with_each(|desk, program| {
        let mut unsaved = Nvim::start(desk, program, &["-n", "a.txt"]);
        let mut clean = Nvim::start(desk, program, &["-n", "a.txt"]);
        for nvim in [&mut unsaved, &mut clean] {
            nvim.attach_screen();
        }
        unsaved.type_a_line();
        let answer = desk.after_write(&desk.path("a.txt"), "the agent's\n");
        assert!(answer.context.unwrap().contains("was written while it has unsaved changes"));
        assert!(answer.message.unwrap().contains("a.txt"));
        assert_eq!(unsaved.text(), format!("typed by a human\n{ON_DISK}"));
        assert_eq!(clean.text(), "the agent's\n");
        until("the message", || {
            let shown = unsaved.eval_text("execute('messages')");
            shown.contains("outrigger: Claude Code has written").then_some(())
        });
        assert_eq!(unsaved.mode(), ("n".to_owned(), false));
        assert!(!clean.eval_text("execute('messages')").contains("outrigger"));
    });
}

#[test]
fn hidden_and_unloaded_buffers_are_no_trouble() {
    with_each(|desk, program| {
        let mut nvim = Nvim::start(desk, program, &["-n", "a.txt"]);
        fs::write(desk.path("b.txt"), ON_DISK).unwrap();
        nvim.ex("hide edit b.txt");
        desk.after_write(&desk.path("a.txt"), "the agent's\n");
        assert_eq!(nvim.text(), ON_DISK, "the other file stays in front");
        assert_eq!(nvim.eval_text("getbufline('a.txt', 1)[0]"), "the agent's");
        nvim.ex("bunload a.txt");
        desk.after_write(&desk.path("a.txt"), "again\n");
        assert_eq!(nvim.eval("bufloaded('a.txt')").as_u64(), Some(0));
        nvim.ex("edit a.txt");
        assert_eq!(nvim.text(), "again\n");
    });
}

#[test]
fn a_human_who_does_not_want_files_reread_keeps_the_setting() {
    with_each(|desk, program| {
        let mut nvim = Nvim::start(desk, program, &["-n", "a.txt"]);
        nvim.attach_screen();
        nvim.ex("set noautoread");
        desk.after_write(&desk.path("a.txt"), "the agent's\n");
        assert_eq!(nvim.text(), "the agent's\n");
        assert_eq!(nvim.mode(), ("n".to_owned(), false));
        assert_eq!(nvim.eval("&g:autoread").as_u64(), Some(0));
        assert_eq!(nvim.eval("&autoread").as_u64(), Some(0));
    });
}

#[test]
fn in_the_middle_of_something_it_is_refreshed_all_the_same() {
    for (keys, mode) in [("i", "i"), ("v", "v"), (":", "c"), ("d", "no")] {
        with_each(|desk, program| {
            let mut nvim = Nvim::start(desk, program, &["-n", "a.txt"]);
            nvim.attach_screen();
            nvim.keys_to_mode(keys, mode);
            desk.after_write(&desk.path("a.txt"), "the agent's\nsecond\n");
            assert_eq!(nvim.text(), "the agent's\nsecond\n", "{mode}");
            assert_eq!(nvim.mode(), (mode.to_owned(), false));
        });
    }
}

#[test]
fn a_file_that_was_new_on_both_sides() {
    with_each(|desk, program| {
        let mut nvim = Nvim::start(desk, program, &["-n", "new.txt"]);
        nvim.attach_screen();
        desk.after_write(&desk.path("new.txt"), "the agent's\n");
        assert_eq!(nvim.mode(), ("n".to_owned(), false));
        assert_eq!(nvim.text(), "the agent's\n");
    });
}

#[test]
fn a_hung_editor_does_not_keep_the_others_from_it() {
    with_each(|desk, program| {
        let hung = Nvim::start(desk, program, &["-n", "a.txt"]);
        let mut nvim = Nvim::start(desk, program, &["-n", "a.txt"]);
        hung.stop();
        let started = std::time::Instant::now();
        desk.after_write(&desk.path("a.txt"), "the agent's\n");
        assert!(started.elapsed() < std::time::Duration::from_millis(380), "asked twice");
        assert_eq!(nvim.text(), "the agent's\n");
    });
}

#[test]
fn a_link_to_the_file_is_refreshed_as_well() {
    with_each(|desk: &Desk, program| {
        std::os::unix::fs::symlink(desk.path("a.txt"), desk.below("home/link.txt")).unwrap();
        let link = desk.below("home/link.txt");
        let mut nvim = Nvim::start(desk, program, &["-n", link.to_str().unwrap()]);
        desk.after_write(&desk.path("a.txt"), "the agent's\n");
        assert_eq!(nvim.text(), "the agent's\n");
    });
}
