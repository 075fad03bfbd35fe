//! Neovim: whatever state it is in – without a swap file or a socket, at a
//! prompt, suspended, crashed – unsaved text is kept and clean files pass.

use std::fs;
use std::time::{Duration, Instant};

use super::desk::{Desk, until};
use super::nvim::{Nvim, Start, with_each};

/// A hung editor may cost a hook 200 ms; starting the unoptimised binary on a
/// busy machine costs the rest.
const HUNG: Duration = Duration::from_millis(1000);

/// Returns how long the quickest of three hooks took.
fn quickest_hook(desk: &Desk) -> Duration {
    let time = |_| {
        let started = Instant::now();
        desk.before("Write", serde_json::json!({"file_path": "a.txt", "content": "x"}));
        started.elapsed()
    };
    (0..3).map(time).min().unwrap()
}

#[test]
fn without_a_swap_file_it_is_asked() {
    with_each(|desk, program| {
        let mut nvim = Nvim::start(desk, program, &["-n", "a.txt"]);
        desk.assert_passes("a.txt");
        nvim.type_a_line();
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
    });
}

#[test]
fn without_a_socket_the_swap_file_tells() {
    with_each(|desk, program| {
        let odd = desk.below("odd.sock");
        let odd = odd.to_str().unwrap();
        let mut nvim = Nvim::start(desk, program, &["--listen", odd, "a.txt"]);
        desk.assert_passes("a.txt");
        nvim.type_a_line();
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
        nvim.ex("silent write");
        desk.assert_passes("a.txt");
        nvim.ex("1delete");
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
        nvim.ex("undo");
        desk.assert_passes("a.txt");
    });
}

#[test]
fn when_its_socket_was_removed_the_swap_file_tells() {
    with_each(|desk, program| {
        let mut nvim = Nvim::start(desk, program, &["a.txt"]);
        fs::remove_file(&nvim.socket).unwrap();
        desk.assert_passes("a.txt");
        nvim.type_a_line();
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
    });
}

#[test]
fn outside_the_home_folder_the_swap_file_tells_too() {
    with_each(|desk, program| {
        let path = desk.below("elsewhere.txt");
        let odd = desk.below("odd.sock");
        let args = ["--listen", odd.to_str().unwrap(), path.to_str().unwrap()];
        let mut nvim = Nvim::start(desk, program, &args);
        desk.assert_passes(&path);
        nvim.type_a_line();
        desk.assert_denied(&path, "Neovim", nvim.pid);
    });
}

#[test]
fn with_neither_nothing_can_be_known() {
    with_each(|desk, program| {
        let odd = desk.below("odd.sock");
        let args = ["-n", "--listen", odd.to_str().unwrap(), "a.txt"];
        let mut nvim = Nvim::start(desk, program, &args);
        nvim.type_a_line();
        desk.assert_passes("a.txt");
    });
}

#[test]
fn at_a_prompt_the_swap_file_tells_at_once() {
    for (keys, mode) in [
        (":echo \"one\\ntwo\\nthree\"<CR>", "r"),
        (":call confirm('sure?', \"&Yes\\n&No\")<CR>", "r?"),
        (":", "c"),
        ("i", "i"),
        ("d", "no"),
        ("R", "R"),
        ("v", "v"),
    ] {
        with_each(|desk, program| {
            let mut nvim = Nvim::start(desk, program, &["a.txt"]);
            nvim.attach_screen();
            nvim.keys_to_mode(keys, mode);
            desk.assert_passes("a.txt");
            assert!(quickest_hook(desk) < HUNG, "{keys}");
            drop(nvim);

            let mut nvim = Nvim::start(desk, program, &["a.txt"]);
            nvim.attach_screen();
            nvim.type_a_line();
            nvim.keys_to_mode(keys, mode);
            desk.assert_denied("a.txt", "Neovim", nvim.pid);
        });
    }
}

#[test]
fn while_a_script_waits_for_a_key() {
    with_each(|desk, program| {
        let mut nvim = Nvim::start(desk, program, &["a.txt"]);
        nvim.attach_screen();
        nvim.type_a_line();
        nvim.keys(":let g:asked = 1 | call getchar()<CR>");
        until("the script", || nvim.eval("exists('g:asked')").as_u64().filter(|it| *it == 1));
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
    });
}

#[test]
fn while_a_command_runs_the_swap_file_tells() {
    with_each(|desk, program| {
        let mut nvim = Nvim::start(desk, program, &["a.txt"]);
        nvim.ex("set shell=/bin/sh");
        nvim.type_a_line();
        let started = desk.below("started");
        nvim.keys(&format!(":!touch {}; sleep 600<CR>", started.display()));
        until("the command", || started.exists().then_some(()));
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
    });
}

#[test]
fn suspended_with_unsaved_text() {
    with_each(|desk, program| {
        let mut nvim = Nvim::start(desk, program, &["a.txt"]);
        nvim.type_a_line();
        nvim.stop();
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
        assert!(quickest_hook(desk) < HUNG);
    });
}

#[test]
fn suspended_with_a_swap_folder_of_its_own() {
    with_each(|desk, program| {
        fs::create_dir(desk.below("swaps")).unwrap();
        let directory = format!("set directory={}//", desk.below("swaps").display());
        let mut nvim = Nvim::start(desk, program, &["--cmd", &directory, "a.txt"]);
        nvim.type_a_line();
        nvim.stop();
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
    });
}

#[test]
fn suspended_and_clean_the_human_hears_once_that_it_was_not_asked() {
    with_each(|desk, program| {
        let nvim = Nvim::start(desk, program, &["a.txt"]);
        nvim.stop();
        let call =
            || desk.before("Write", serde_json::json!({"file_path": "a.txt", "content": ""}));
        let first = call();
        assert_eq!(first.refused, None);
        let about = format!("Neovim (pid {}) does not answer", nvim.pid);
        assert!(first.message.unwrap().contains(&about));
        assert!(!call().message.unwrap_or_default().contains(&about));
        desk.assert_passes("a.txt");
    });
}

#[test]
fn one_hung_editor_does_not_hide_another() {
    with_each(|desk, program| {
        let elsewhere = || Start::new(desk, program, &["-n"]).in_folder(desk.below("home/other"));
        let hung: Vec<Nvim> = (0..3).map(|_| elsewhere().go(desk)).collect();
        let mut unsaved = Nvim::start(desk, program, &["-n", "a.txt"]);
        unsaved.type_a_line();
        hung.iter().for_each(Nvim::stop);
        desk.assert_denied("a.txt", "Neovim", unsaved.pid);
        assert!(quickest_hook(desk) < HUNG);
        unsaved.ex("undo");
        desk.assert_passes("a.txt");
        assert!(quickest_hook(desk) < HUNG);
    });
}

#[test]
fn what_a_crashed_editor_leaves_behind_denies_nothing() {
    with_each(|desk, program| {
        let mut nvim = Nvim::start(desk, program, &["a.txt"]);
        nvim.type_a_line();
        nvim.ex("preserve");
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
        nvim.crash();
        assert!(nvim.socket.exists(), "the socket is stale");
        desk.assert_passes("a.txt");
        nvim.bury();
        desk.assert_passes("a.txt");
    });
}

#[test]
fn a_second_editor_after_a_crash_is_seen() {
    with_each(|desk, program| {
        let mut crashed = Nvim::start(desk, program, &["a.txt"]);
        crashed.type_a_line();
        crashed.ex("preserve");
        crashed.crash();
        crashed.bury();
        // It opens the file although there is a swap file of the crashed one.
        let odd = desk.below("odd.sock");
        let args = ["--cmd", "set shortmess+=A", "--listen", odd.to_str().unwrap(), "a.txt"];
        let mut nvim = Nvim::start(desk, program, &args);
        desk.assert_passes("a.txt");
        nvim.type_a_line();
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
        // The human throws the old swap file away; the new one has another name.
        let swap = nvim.eval_text("swapname('%')");
        assert!(swap.ends_with(".swo"), "{swap}");
        fs::remove_file(swap.replace(".swo", ".swp")).unwrap();
        desk.assert_denied("a.txt", "Neovim", nvim.pid);
    });
}
