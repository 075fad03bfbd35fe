//! Emacs, with nothing set up: its lock links tell.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::desk::{Desk, ON_DISK, program, until};
use super::pty::Terminal;

struct Emacs {
    terminal: Terminal,
}

impl Emacs {
    #[track_caller]
    fn start(desk: &Desk, folder: &Path, args: &[&str]) -> Self {
        let program = program("OUTRIGGER_DEV_EMACS");
        let ready = desk.below("ready");
        let _ = fs::remove_file(&ready);
        let eval = format!("(write-region \"\" nil \"{}\")", ready.display());
        let args = [&["-nw", "-Q"], args, &["--eval", &eval]].concat();
        let terminal = Terminal::start(desk, &program, folder, &args);
        terminal.await_file(&ready);
        let mut emacs = Self { terminal };
        emacs.eval("t");
        emacs
    }

    fn pid(&self) -> u32 {
        self.terminal.editor.pid()
    }

    /// Evaluates a form, and waits until that is done.
    #[track_caller]
    fn eval(&mut self, form: &str) {
        self.terminal
            .sync(|mark| format!("\x1b:(progn {form} (write-region \"\" nil \"{mark}\" nil 0))\r"));
    }

    #[track_caller]
    fn type_text(&mut self) {
        self.terminal.keys("typed by a human");
        self.eval("t");
    }
}

#[test]
fn unsaved_saved_and_undone() {
    let desk = Desk::new();
    let mut emacs = Emacs::start(&desk, &desk.path(""), &["a.txt"]);
    desk.assert_passes("a.txt");
    emacs.type_text();
    desk.assert_denied("a.txt", "Emacs", emacs.pid());
    emacs.terminal.keys("\x18\x13");
    emacs.eval("t");
    assert_eq!(desk.content("a.txt"), format!("typed by a human{ON_DISK}"));
    desk.assert_passes("a.txt");
    emacs.eval("(undo-boundary)");
    emacs.type_text();
    desk.assert_denied("a.txt", "Emacs", emacs.pid());
    emacs.eval("(while (buffer-modified-p) (undo-only))");
    desk.assert_passes("a.txt");
}

#[test]
fn in_a_buffer_behind_or_a_window_beside() {
    for other in ["(find-file \"b.txt\")", "(progn (split-window) (find-file \"b.txt\"))"] {
        let desk = Desk::new();
        let mut emacs = Emacs::start(&desk, &desk.path(""), &["a.txt"]);
        emacs.type_text();
        emacs.eval(other);
        desk.assert_denied("a.txt", "Emacs", emacs.pid());
        desk.assert_passes("b.txt");
    }
}

#[test]
fn started_elsewhere_and_opened_through_links() {
    for (folder, opened) in [
        ("home", "project/a.txt"),
        ("home/project/sub", "../a.txt"),
        ("home/other", "../linked/a.txt"),
        ("home", "link.txt"),
    ] {
        let desk = Desk::new();
        symlink(desk.path(""), desk.below("home/linked")).unwrap();
        symlink(desk.path("a.txt"), desk.below("home/link.txt")).unwrap();
        let mut emacs = Emacs::start(&desk, &desk.below(folder), &[opened]);
        desk.assert_passes("a.txt");
        emacs.type_text();
        desk.assert_denied("a.txt", "Emacs", emacs.pid());
        desk.assert_denied(desk.below("home/linked/a.txt"), "Emacs", emacs.pid());
    }
}

#[test]
fn new_files_and_dotted_names() {
    for name in ["new.txt", ".env"] {
        let desk = Desk::new();
        let mut emacs = Emacs::start(&desk, &desk.path(""), &[name]);
        desk.assert_passes(name);
        emacs.type_text();
        desk.assert_denied(name, "Emacs", emacs.pid());
    }
}

#[test]
fn at_a_question_or_suspended() {
    let desk = Desk::new();
    let mut emacs = Emacs::start(&desk, &desk.path(""), &["a.txt"]);
    emacs.type_text();
    emacs.terminal.keys("\x1b:(progn (write-region \"\" nil \"~/asked\") (yes-or-no-p \"?\"))\r");
    emacs.terminal.await_file(&desk.below("home/asked"));
    desk.assert_denied("a.txt", "Emacs", emacs.pid());
    emacs.terminal.editor.stop();
    desk.assert_denied("a.txt", "Emacs", emacs.pid());
}

#[test]
fn without_lock_links_nothing_can_be_known() {
    let desk = Desk::new();
    let args = ["--eval", "(setq create-lockfiles nil)", "a.txt"];
    let mut emacs = Emacs::start(&desk, &desk.path(""), &args);
    emacs.type_text();
    desk.assert_passes("a.txt");
}

#[test]
fn what_a_crashed_editor_leaves_behind_denies_nothing() {
    let desk = Desk::new();
    let mut emacs = Emacs::start(&desk, &desk.path(""), &["a.txt"]);
    emacs.type_text();
    desk.assert_denied("a.txt", "Emacs", emacs.pid());
    emacs.terminal.editor.crash();
    let is_link = |it: fs::Metadata| it.is_symlink();
    assert!(desk.path(".#a.txt").symlink_metadata().is_ok_and(is_link));
    desk.assert_passes("a.txt");
    emacs.terminal.editor.bury();
    desk.assert_passes("a.txt");
}

#[test]
fn the_link_goes_when_the_buffer_is_thrown_away() {
    let desk = Desk::new();
    let mut emacs = Emacs::start(&desk, &desk.path(""), &["a.txt"]);
    emacs.type_text();
    desk.assert_denied("a.txt", "Emacs", emacs.pid());
    emacs.eval("(progn (set-buffer-modified-p nil) (kill-buffer))");
    until("the lock to go", || desk.path(".#a.txt").symlink_metadata().is_err().then_some(()));
    desk.assert_passes("a.txt");
}
