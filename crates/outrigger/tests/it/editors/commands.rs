//! `outrigger nvim` and `outrigger editors`, with real editors.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use super::desk::{Desk, until};
use super::nvim::{Nvim, with_each};
use super::pty::{Running, Terminal};

fn outrigger() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_outrigger"))
}

fn run(desk: &Desk, args: &[&str]) -> Output {
    desk.command(outrigger(), &desk.path("")).args(args).output().unwrap()
}

/// Makes a folder in which `nvim` is this program, for the PATH.
fn path_with(desk: &Desk, program: &Path) -> String {
    let bin = desk.below("bin");
    fs::create_dir_all(&bin).unwrap();
    let _ = fs::remove_file(bin.join("nvim"));
    let script = format!("#!/bin/sh\nexec {} \"$@\"\n", program.display());
    fs::write(bin.join("nvim"), script).unwrap();
    fs::set_permissions(bin.join("nvim"), fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:/usr/bin:/bin", bin.display())
}

fn editors(desk: &Desk) -> Vec<Value> {
    let output = run(desk, &["editors", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    let root = desk.below("").to_str().unwrap().to_owned();
    let is_here = |it: &Value| {
        let below = |text: &Value| text.as_str().is_some_and(|it| it.starts_with(&root));
        below(&it["socket"])
            || it["unsaved"].as_array().unwrap().iter().any(|it| below(&it["path"]))
    };
    all["editors"].as_array().unwrap().iter().filter(|it| is_here(it)).cloned().collect()
}

#[test]
fn nvim_is_started_on_the_socket_that_others_expect() {
    with_each(|desk, program| {
        let mut command = desk.command(outrigger(), &desk.path("sub"));
        command.env("PATH", path_with(desk, program));
        command.args(["nvim", "--clean", "-n", "--headless", "+call append(0, 'x')", "../a.txt"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = Running::start(&mut command);
        let hash = blake3::hash(desk.path("sub").to_str().unwrap().as_bytes()).to_hex();
        let socket = PathBuf::from(format!("/tmp/{hash}-{}.sock", process.pid()));
        until("the socket", || socket.exists().then_some(()));
        until("the text", || {
            let input = json!({"file_path": "a.txt", "content": "x"});
            desk.before("Write", input).refused
        });
        let found = editors(desk);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0]["socket"], json!(socket));
        assert_eq!(found[0]["found"], "outrigger nvim");
        drop(process);
        let _ = fs::remove_file(&socket);
    });
}

#[test]
fn every_argument_and_the_exit_code_pass_through() {
    let desk = Desk::new();
    let script = desk.below("fake");
    fs::write(&script, "#!/bin/sh\nshift 2\nfor it; do echo \"<$it>\"; done\nexit 7\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = desk.command(outrigger(), &desk.path(""));
    command.env("PATH", path_with(&desk, &script));
    command.args(["nvim", "--help", "-u", "x y", "", "--", "--version", "ü"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(7));
    let expected = "<--help>\n<-u>\n<x y>\n<>\n<-->\n<--version>\n<ü>\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

#[test]
fn the_exit_code_of_a_real_neovim_passes_through() {
    with_each(|desk, program| {
        let mut command = desk.command(outrigger(), &desk.path(""));
        command.env("PATH", path_with(desk, program)).stdin(Stdio::null());
        let output = command.args(["nvim", "--clean", "--headless", "+cquit 3"]).output().unwrap();
        assert_eq!(output.status.code(), Some(3));
    });
}

#[test]
fn without_neovim_there_is_a_hint() {
    let desk = Desk::new();
    let mut command = desk.command(outrigger(), &desk.path(""));
    let output = command.env("PATH", desk.below("bin")).args(["nvim", "a.txt"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let expected = "error: failed to start `nvim`: it is not on the PATH\n\
                    hint: install Neovim, or add the folder it is in to PATH\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
}

#[test]
fn it_works_in_a_real_terminal() {
    with_each(|desk, program| {
        let path = format!("PATH={}", path_with(desk, program));
        let args = [&path, outrigger().to_str().unwrap(), "nvim", "--clean", "a.txt"];
        let mut terminal = Terminal::start(desk, Path::new("/usr/bin/env"), &desk.path(""), &args);
        terminal.sync(|mark| format!("itext\x1b:call writefile([], '{mark}')\r"));
        let input = json!({"file_path": "a.txt", "content": "x"});
        assert!(desk.before("Write", input).refused.is_some());
        terminal.sync(|mark| format!(":w | call writefile([], '{mark}')\r"));
        desk.assert_passes("a.txt");
    });
}

#[test]
fn editors_are_listed_with_what_they_hold() {
    with_each(|desk, program| {
        let mut unsaved = Nvim::start(desk, program, &["-n", "a.txt"]);
        unsaved.type_a_line();
        unsaved.ex("hide edit b.txt");
        let hung = Nvim::start(desk, program, &["-n", "b.txt"]);
        hung.stop();
        let mut found = editors(desk);
        found.sort_by_key(|it| it["pid"] != unsaved.pid);
        let held = json!([{"path": desk.path("a.txt"), "visible": false}]);
        let row = |nvim: &Nvim, state: &str, unsaved: Value| {
            json!({
                "editor": "Neovim", "pid": nvim.pid, "socket": nvim.socket,
                "found": "its own socket", "state": state, "unsaved": unsaved,
            })
        };
        let expected = [row(&unsaved, "answers", held), row(&hung, "does not answer", json!([]))];
        assert_eq!(found, expected);

        let output = run(desk, &["editors"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(&format!("Neovim (pid {})", unsaved.pid)), "{text}");
        assert!(text.contains("unsaved: a.txt"), "{text}");
        assert!(text.contains("does not answer"), "{text}");
    });
}

#[test]
fn without_editors_that_is_said() {
    let desk = Desk::new();
    assert_eq!(editors(&desk), Vec::<Value>::new());
}
