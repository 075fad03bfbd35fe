//! Vim, with nothing set up: its swap files tell.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::desk::{Desk, ON_DISK, program};
use super::pty::Terminal;

struct Vim {
    terminal: Terminal,
}

impl Vim {
    #[track_caller]
    fn start(desk: &Desk, folder: &Path, args: &[&str]) -> Self {
        let plain = ["-N", "-u", "NONE", "-i", "NONE", "--cmd", "set shortmess+=A"];
        let program = program("OUTRIGGER_DEV_VIM");
        let args = [&plain, args].concat();
        let mut vim = Self { terminal: Terminal::start(desk, &program, folder, &args) };
        vim.ex("");
        vim
    }

    fn pid(&self) -> u32 {
        self.terminal.editor.pid()
    }

    /// Types a command and waits until it is done.
    #[track_caller]
    fn ex(&mut self, command: &str) {
        self.terminal.keys(&format!("\x1b:{command}\r"));
        self.terminal.sync(|mark| format!("\x1b:call writefile([], '{mark}')\r"));
    }

    #[track_caller]
    fn type_text(&mut self) {
        self.terminal.keys("ityped by a human");
        self.ex("");
    }
}

#[test]
fn unsaved_saved_and_undone() {
    let desk = Desk::new();
    let mut vim = Vim::start(&desk, &desk.path(""), &["a.txt"]);
    desk.assert_passes("a.txt");
    vim.type_text();
    desk.assert_denied("a.txt", "Vim", vim.pid());
    vim.ex("w");
    assert_eq!(desk.content("a.txt"), format!("typed by a human{ON_DISK}"));
    desk.assert_passes("a.txt");
    vim.type_text();
    desk.assert_denied("a.txt", "Vim", vim.pid());
    vim.ex("undo");
    desk.assert_passes("a.txt");
}

#[test]
fn hidden_in_another_tab_or_split() {
    for other in ["hide edit b.txt", "tabnew", "new"] {
        let desk = Desk::new();
        let mut vim = Vim::start(&desk, &desk.path(""), &["a.txt"]);
        vim.type_text();
        vim.ex(other);
        desk.assert_denied("a.txt", "Vim", vim.pid());
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
        let mut vim = Vim::start(&desk, &desk.below(folder), &[opened]);
        desk.assert_passes("a.txt");
        vim.type_text();
        desk.assert_denied("a.txt", "Vim", vim.pid());
        desk.assert_denied(desk.below("home/linked/a.txt"), "Vim", vim.pid());
    }
}

#[test]
fn new_files_dotted_names_and_files_outside_the_home_folder() {
    let desk = Desk::new();
    fs::write(desk.path(".env"), ON_DISK).unwrap();
    for path in [desk.path("new.txt"), desk.path(".env"), desk.below("elsewhere.txt")] {
        let mut vim = Vim::start(&desk, &desk.path(""), &[path.to_str().unwrap()]);
        desk.assert_passes(&path);
        vim.type_text();
        let input = serde_json::json!({"file_path": path, "content": "x"});
        assert!(desk.before("Write", input).refused.is_some(), "{}", path.display());
    }
}

#[test]
fn swap_files_in_a_folder_of_their_own() {
    for (folder, directory) in [
        ("home/.vim/swap", "~/.vim/swap//"),
        ("home/.vim/swap", "~/.vim/swap"),
        ("home/tmp", "~/tmp"),
        ("home/.local/state/vim/swap", "~/.local/state/vim/swap//"),
    ] {
        let desk = Desk::new();
        fs::create_dir_all(desk.below(folder)).unwrap();
        let set = format!("set directory={directory}");
        let mut vim = Vim::start(&desk, &desk.path(""), &["--cmd", &set, "a.txt"]);
        desk.assert_passes("a.txt");
        vim.type_text();
        desk.assert_denied("a.txt", "Vim", vim.pid());
        // A file of the same name elsewhere is another file.
        fs::write(desk.below("home/other/a.txt"), ON_DISK).unwrap();
        desk.assert_passes(desk.below("home/other/a.txt"));
    }
}

#[test]
fn without_a_swap_file_nothing_can_be_known() {
    for off in [&["-n"][..], &["--cmd", "set noswapfile"]] {
        let desk = Desk::new();
        let mut vim = Vim::start(&desk, &desk.path(""), &[off, &["a.txt"]].concat());
        vim.type_text();
        desk.assert_passes("a.txt");
    }
}

#[test]
fn at_a_prompt_or_suspended() {
    let desk = Desk::new();
    let mut vim = Vim::start(&desk, &desk.path(""), &["a.txt"]);
    vim.type_text();
    vim.terminal.keys(":call writefile([], $HOME .. '/asked') | call confirm('sure?')\r");
    vim.terminal.await_file(&desk.below("home/asked"));
    desk.assert_denied("a.txt", "Vim", vim.pid());
    vim.terminal.editor.stop();
    desk.assert_denied("a.txt", "Vim", vim.pid());
}

#[test]
fn what_a_crashed_editor_leaves_behind_denies_nothing() {
    let desk = Desk::new();
    let mut vim = Vim::start(&desk, &desk.path(""), &["a.txt"]);
    vim.type_text();
    desk.assert_denied("a.txt", "Vim", vim.pid());
    vim.terminal.editor.crash();
    assert!(desk.path(".a.txt.swp").exists());
    desk.assert_passes("a.txt");
    vim.terminal.editor.bury();
    desk.assert_passes("a.txt");
    // Whoever opens the file next is seen again.
    let mut vim = Vim::start(&desk, &desk.path(""), &["a.txt"]);
    vim.type_text();
    desk.assert_denied("a.txt", "Vim", vim.pid());
    fs::remove_file(desk.path(".a.txt.swp")).unwrap();
    desk.assert_denied("a.txt", "Vim", vim.pid());
}

#[test]
fn two_editors_and_the_first_one_leaves() {
    let desk = Desk::new();
    let mut first = Vim::start(&desk, &desk.path(""), &["a.txt"]);
    let mut second = Vim::start(&desk, &desk.path(""), &["a.txt"]);
    second.type_text();
    desk.assert_denied("a.txt", "Vim", second.pid());
    first.terminal.keys("\x1b:q\r");
    super::desk::until("the first swap file to go", || {
        (!desk.path(".a.txt.swp").exists()).then_some(())
    });
    desk.assert_denied("a.txt", "Vim", second.pid());
    second.ex("undo");
    desk.assert_passes("a.txt");
}
