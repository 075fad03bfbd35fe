//! What a human has selected in Neovim rides along with the prompt, exactly and
//! once.

use std::fs;
use std::path::Path;

use super::desk::Desk;
use super::nvim::{Nvim, with_each};

const TEXT: &str = "äöü one ß\n\ttabbed 漢字 two\nshort\n\nfive e\u{301}nd 👍\nsix six six ü\n";

/// Ways to select, and the lines that are in the selection.
const SELECTIONS: &[(&str, &str)] = &[
    ("gg0v2l", "1"),
    ("gg0v$", "1"),
    ("ggfev", "1"),
    ("gg0vj", "1-2"),
    ("5G$v", "5"),
    ("5G0v5l", "5"),
    ("G$vgg0", "1-6"),
    ("2G03lv3G0", "2-3"),
    ("ggVj", "1-2"),
    ("3GVgg", "1-3"),
    ("4GVj", "4-5"),
    ("gg0<C-v>5l", "1"),
    ("gg0l<C-v>2jl", "1-3"),
    ("3G$<C-v>gg0", "1-3"),
    ("6G03l<C-v>2k4l", "4-6"),
    ("2G$<C-v>3k0", "1-2"),
    ("5G0<C-v>j$", "5-6"),
    ("gg0<C-v>G$", "1-6"),
];

fn start(desk: &Desk, program: &Path) -> Nvim {
    fs::write(desk.path("a.txt"), TEXT).unwrap();
    let mut nvim = Nvim::start(desk, program, &["-n", "a.txt"]);
    nvim.attach_screen();
    nvim
}

/// Returns what Vim itself yanks for these keys: the truth.
fn yanked(nvim: &mut Nvim, keys: &str) -> String {
    nvim.keys_to_mode(&format!("{keys}y"), "n");
    super::desk::until("the yank", || {
        let text = nvim.eval_text("getreg('\"')");
        (text != "nothing yet").then_some(text)
    })
}

fn mode_of(keys: &str) -> &'static str {
    match keys {
        _ if keys.contains("<C-v>") => "\u{16}",
        _ if keys.contains('V') => "V",
        _ => "v",
    }
}

fn expected(lines: &str, text: &str) -> String {
    format!("[Selected from a.txt:{lines}]\n```\n{}\n```", text.trim_end_matches('\n'))
}

#[test]
fn the_text_is_what_the_editor_itself_would_copy() {
    for (keys, lines) in SELECTIONS {
        with_each(|desk, program| {
            let mut truth = start(desk, program);
            truth.ex("call setreg('\"', 'nothing yet')");
            let text = yanked(&mut truth, keys);
            drop(truth);
            let mut nvim = start(desk, program);
            nvim.keys_to_mode(keys, mode_of(keys));
            let said = desk.prompt().context;
            let said = said.map(|it| it.replace("\n\n```", "\n```"));
            let wanted = expected(lines, &text).replace("\n\n```", "\n```");
            assert_eq!(said, Some(wanted), "{keys}");
            assert_eq!(nvim.mode().0, mode_of(keys), "{keys}: it stays selected");
        });
    }
}

#[test]
fn an_exclusive_selection_ends_before_the_cursor() {
    with_each(|desk, program| {
        let mut nvim = start(desk, program);
        nvim.ex("set selection=exclusive");
        nvim.keys_to_mode("gg0v3l", "v");
        assert_eq!(desk.prompt().context, Some(expected("1", "äöü")));
    });
}

#[test]
fn it_is_told_once() {
    with_each(|desk, program| {
        let mut nvim = start(desk, program);
        nvim.keys_to_mode("ggVj", "V");
        assert!(desk.prompt().context.is_some());
        assert_eq!(desk.prompt().context, None, "still selected");
        nvim.keys_to_mode("<Esc>", "n");
        assert_eq!(desk.prompt().context, None, "the same, just left");
        nvim.keys_to_mode("5GV", "V");
        assert!(desk.prompt().context.unwrap().starts_with("[Selected from a.txt:5]"));
    });
}

#[test]
fn nothing_selected_is_nothing_said() {
    with_each(|desk, program| {
        let mut nvim = start(desk, program);
        for keys in ["gg", "i", "<Esc>"] {
            nvim.keys(keys);
            assert_eq!(desk.prompt().context, None, "{keys}");
        }
    });
}

#[test]
fn what_was_just_left_rides_along_once() {
    for (keys, leave, lines, text) in [
        ("gg0v2l", "<Esc>", "1", "äöü"),
        ("ggVj", "y", "1-2", "äöü one ß\n\ttabbed 漢字 two"),
        ("5G0<C-v>jl", "<Esc>", "5-6", "fi\nsi"),
        ("5G0<C-v>j$", "<Esc>", "5-6", "five e\u{301}nd 👍\nsix six six ü"),
        ("gg0v2l", "<Esc>:hide edit b.txt<CR>", "1", "äöü"),
    ] {
        with_each(|desk, program| {
            let mut nvim = start(desk, program);
            // From the session's start on it is known what is selected.
            desk.claude("SessionStart", serde_json::json!({"source": "startup"}));
            nvim.keys_to_mode(keys, mode_of(keys));
            nvim.keys_to_mode(leave, "n");
            assert_eq!(desk.prompt().context, Some(expected(lines, text)), "{keys}{leave}");
            assert_eq!(desk.prompt().context, None);
        });
    }
}

#[test]
fn what_is_gone_does_not_ride_along() {
    for leave in ["d", "x", "cother<Esc>", "<Esc>ggdd", "<Esc>:bwipeout!<CR>"] {
        with_each(|desk, program| {
            let mut nvim = start(desk, program);
            desk.claude("SessionStart", serde_json::json!({"source": "startup"}));
            nvim.keys_to_mode("gg0v2l", "v");
            nvim.keys_to_mode(leave, "n");
            assert_eq!(desk.prompt().context, None, "{leave}");
        });
    }
}

#[test]
fn what_is_selected_in_another_project_stays_there() {
    with_each(|desk, program| {
        let mut nvim = start(desk, program);
        fs::create_dir(desk.path(".git")).unwrap();
        nvim.ex("edit ../other/notes.txt | call setline(1, 'private')");
        nvim.keys_to_mode("V", "V");
        assert_eq!(desk.prompt().context, None);
        nvim.keys_to_mode("<Esc>", "n");
        nvim.ex("hide edit a.txt");
        nvim.keys_to_mode("ggV", "V");
        let prompt = serde_json::json!({"prompt": "what does this do?"});
        let from_below = desk.claude_from(&desk.path("sub"), "UserPromptSubmit", prompt);
        assert!(from_below.context.is_some(), "the agent is in a folder of the project");
    });
}

#[test]
fn a_whole_file_is_cut() {
    with_each(|desk, program| {
        let mut nvim = start(desk, program);
        let long: String = (0..20_000).map(|it| format!("zeile {it} ü\n")).collect();
        fs::write(desk.path("long.txt"), &long).unwrap();
        nvim.ex("edit long.txt");
        nvim.keys_to_mode("ggVG", "V");
        let said = desk.prompt().context.unwrap();
        let head: String = long.chars().take(6000).collect();
        assert!(said.starts_with(&format!("[Selected from long.txt:1-20000]\n```\n{head}\n…")));
        assert!(said.chars().count() < 6200, "{}", said.chars().count());
    });
}

#[test]
fn a_text_with_fences_gets_a_longer_one() {
    with_each(|desk, program| {
        let mut nvim = start(desk, program);
        fs::write(desk.path("a.md"), "```sh\nls\n```\n").unwrap();
        nvim.ex("edit a.md");
        nvim.keys_to_mode("ggVG", "V");
        let expected = "[Selected from a.md:1-3]\n````\n```sh\nls\n```\n````";
        assert_eq!(desk.prompt().context.as_deref(), Some(expected));
    });
}

#[test]
fn two_editors_both_have_their_say() {
    with_each(|desk, program| {
        let (mut first, mut second) = (start(desk, program), start(desk, program));
        first.keys_to_mode("ggV", "V");
        second.keys_to_mode("5GV", "V");
        let said = desk.prompt().context.unwrap();
        assert!(said.contains("a.txt:1]") && said.contains("a.txt:5]"), "{said}");
    });
}
