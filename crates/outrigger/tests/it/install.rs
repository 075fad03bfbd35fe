//! `install` and `uninstall` with the real binary: scopes, flags, rivals, and the
//! ways in which a file must be left alone.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::Value;

use crate::install_corpus::{EVENTS, LOCAL, assert_text, fixture, ours, value};
use crate::support::{Machine, Output, tree};

#[test]
fn a_project_without_anything_gets_everything_and_loses_it_again() {
    let machine = Machine::new();
    let before = tree(&machine.project);
    machine.run_ok(&["install", "claude", "--strict-eval", "--yes"]);
    let names: Vec<String> = tree(&machine.project)
        .into_iter()
        .filter(|it| it.1.is_some())
        .map(|it| it.0.display().to_string())
        .collect();
    assert_eq!(
        names,
        [
            ".claude/settings.local.json",
            ".claude/skills/outrigger/SKILL.md",
            ".outrigger/config.toml",
            ".outrigger/hooks.edn",
        ]
    );
    assert_text(&machine.read(".outrigger/config.toml"), b"[eval]\nmode = \"strict\"\n", "");
    assert!(machine.read(".outrigger/hooks.edn").starts_with(b";; "));
    machine.run_ok(&["uninstall", "claude"]);
    assert_eq!(tree(&machine.project), before);
    assert!(machine.run_ok(&["uninstall", "claude"]).stderr.contains("nothing to change"));
}

#[test]
fn backups_are_ours_alone() {
    let machine = Machine::new();
    machine.write(LOCAL, "{\"secret\": 1}");
    machine.run_ok(&["install", "claude", "--yes"]);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&machine.state()), 0o700);
    for (name, content) in tree(&machine.state()) {
        let expected = if content.is_some() { 0o600 } else { 0o700 };
        assert_eq!(mode(&machine.state().join(&name)), expected, "{}", name.display());
    }
    let beside: Vec<_> = fs::read_dir(machine.project.join(".claude")).unwrap().collect();
    assert_eq!(beside.len(), 2, "settings and skill, no backup: {beside:?}");
}

#[test]
fn a_changed_skill_template_or_choice_stays() {
    let machine = Machine::new();
    machine.run_ok(&["install", "claude", "--skip-eval", "--yes"]);
    machine.write(".claude/skills/outrigger/SKILL.md", "mine");
    machine.write(".outrigger/hooks.edn", "{:stop []}");
    machine.write(".outrigger/config.toml", "[eval]\nmode = \"warn\"\n");
    let again = machine.run_ok(&["install", "claude", "--yes"]);
    assert!(again.stderr.contains("SKILL.md` is not what we wrote"), "{}", again.stderr);
    let output = machine.run_ok(&["uninstall", "claude"]);
    assert!(output.stderr.contains("SKILL.md` was changed and stays"), "{}", output.stderr);
    assert_text(&machine.read(".claude/skills/outrigger/SKILL.md"), b"mine", "");
    assert_text(&machine.read(".outrigger/hooks.edn"), b"{:stop []}", "");
    assert_text(&machine.read(".outrigger/config.toml"), b"[eval]\nmode = \"warn\"\n", "");
    assert!(!machine.project.join(LOCAL).exists());
}

#[test]
fn checks_of_an_older_tool_are_not_hidden_by_a_template() {
    let machine = Machine::new();
    machine.write(".brepl/hooks.edn", "{:stop []}");
    machine.run_ok(&["install", "claude", "--yes"]);
    assert!(!machine.project.join(".outrigger/hooks.edn").exists());
}

#[test]
fn each_scope_has_its_file() {
    let mut machine = Machine::new();
    machine.run_ok(&["install", "claude", "--project", "--yes"]);
    assert!(machine.project.join(".claude/settings.json").exists());
    assert!(!machine.project.join(LOCAL).exists());
    let home = tree(&machine.home);
    machine.run_ok(&["install", "claude", "--user", "--strict-eval", "--yes"]);
    assert!(machine.home.join(".claude/settings.json").exists());
    assert!(machine.home.join(".claude/skills/outrigger/SKILL.md").exists());
    assert!(machine.home.join(".config/outrigger/config.toml").exists());
    machine.run_ok(&["uninstall", "claude", "--user"]);
    assert_eq!(tree(&machine.home), home);
    let moved = machine.home.join("else where");
    machine.set("CLAUDE_CONFIG_DIR", moved.to_str().unwrap());
    machine.run_ok(&["install", "claude", "--user", "--yes"]);
    assert!(moved.join("settings.json").exists());
    assert!(!machine.home.join(".claude").exists());
}

#[test]
fn two_scopes_of_a_project_share_the_skill() {
    let machine = Machine::new();
    let before = tree(&machine.project);
    let skill = machine.project.join(".claude/skills/outrigger/SKILL.md");
    machine.run_ok(&["install", "claude", "--local", "--yes"]);
    machine.run_ok(&["install", "claude", "--project", "--yes"]);
    machine.run_ok(&["uninstall", "claude", "--local"]);
    assert!(skill.exists(), "the project's scope still needs it");
    let hint = machine.run_ok(&["uninstall", "claude", "--local"]).stderr;
    assert!(hint.contains("hint: Claude Code calls outrigger from `--project`"), "{hint}");
    machine.run_ok(&["uninstall", "claude", "--project"]);
    assert_eq!(tree(&machine.project), before);
}

#[test]
fn a_dry_run_writes_nothing_at_all() {
    let machine = Machine::new();
    machine.write(LOCAL, "{\n  \"model\": \"opus\"\n}\n");
    let before = (tree(&machine.project), tree(&machine.home));
    let output = machine.run_ok(&["install", "claude", "--dry-run"]);
    assert!(
        output.stdout.contains("-  \"model\": \"opus\"\n+  \"model\": \"opus\",\n+  \"hooks\": {")
    );
    assert!(output.stdout.contains("--- /dev/null\n"), "{}", output.stdout);
    assert_eq!((tree(&machine.project), tree(&machine.home)), before);
}

#[test]
fn without_a_terminal_it_wants_to_be_told() {
    let machine = Machine::new();
    let before = tree(&machine.project);
    let output = machine.run(&["install", "claude"]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("hint: look at the diff, then run this again with `--yes`"));
    assert!(output.stdout.contains("settings.local.json"));
    assert_eq!(tree(&machine.project), before);
}

#[test]
fn agents_are_found_or_named() {
    let mut machine = Machine::new();
    machine.set("PATH", "/nonexistent");
    let none = machine.run(&["install", "--yes"]);
    assert_eq!(none.code, 1);
    assert!(none.stderr.contains("hint: name one of them: claude"), "{}", none.stderr);
    let unknown = machine.run(&["install", "nobody", "--yes"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("[possible values: claude"), "{}", unknown.stderr);
    fs::create_dir(machine.home.join(".claude")).unwrap();
    machine.run_ok(&["install", "--yes"]);
    assert!(machine.project.join(LOCAL).exists());
}

#[test]
fn rivals_are_named_and_replaced_on_demand() {
    let machine = Machine::new();
    let rivals = &fixture("rivals");
    machine.write(".claude/settings.json", rivals);
    let local = machine.write(LOCAL, rivals);
    let before = tree(&machine.project);
    let output = machine.run_ok(&["install", "claude", "--yes"]);
    for command in
        ["brepl hooks validate", "clj-paren-repair-claude-hook --cljfmt", "sidekick hook"]
    {
        let named = format!("warning: {}: `{command}` runs on ", local.display());
        assert!(output.stderr.contains(&named), "{command}: {}", output.stderr);
    }
    assert!(output.stderr.contains("/.claude/settings.json: `brepl hooks validate`"));
    assert!(String::from_utf8_lossy(&machine.read(LOCAL)).contains("brepl"));
    assert_text(&machine.read(".claude/settings.json"), rivals, "named, not touched");

    let output = machine.run_ok(&["install", "claude", "--yes", "--replace-rivals"]);
    assert!(!output.stderr.contains("brepl"), "{}", output.stderr);
    for file in [LOCAL, ".claude/settings.json"] {
        let text = String::from_utf8(machine.read(file)).unwrap();
        let settings = value(text.as_bytes());
        for rival in ["brepl", "clj-paren-repair", "sidekick"] {
            assert!(!text.contains(rival), "{file}: {text}");
        }
        assert_eq!(settings["hooks"]["Notification"], Value::Null, "{file}");
        assert!(text.contains("\"hooks\": [{ \"type\": \"command\", \"command\": \"audit\" }]"));
    }
    assert!(machine.run_ok(&["install", "claude", "--yes"]).stderr.contains("nothing to change"));
    machine.run_ok(&["uninstall", "claude"]);
    assert_eq!(tree(&machine.project), before);
}

#[test]
fn bad_entries_of_others_are_reported() {
    let machine = Machine::new();
    let bad = &fixture("bad-foreign-entry");
    machine.write(LOCAL, bad);
    let stderr = machine.run_ok(&["install", "claude", "--yes"]).stderr;
    assert!(
        stderr.contains(
            "`hooks.PreToolUse[0].hooks[0].type` is `shell`, which is no kind of hook; \
             Claude Code ignores the whole file because of it"
        ),
        "{stderr}"
    );
}

#[test]
fn a_file_the_agent_will_not_load_is_reported() {
    for (name, is_loaded) in
        [("two-spaces", true), ("bom-crlf", true), ("comments", false), ("trailing-commas", false)]
    {
        let machine = Machine::new();
        machine.write(LOCAL, fixture(name));
        let stderr = machine.run_ok(&["install", "claude", "--yes"]).stderr;
        assert_eq!(stderr.contains("Claude Code loads nothing from"), !is_loaded, "{stderr}");
    }
}

#[track_caller]
fn check_refused(machine: &Machine, args: &[&str], expected: &str) -> Output {
    let before = (tree(&machine.project), tree(&machine.home.join(".claude")));
    let output = machine.run(args);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains(expected), "{}", output.stderr);
    assert!(output.stderr.contains("\nhint: "), "{}", output.stderr);
    assert_eq!((tree(&machine.project), tree(&machine.home.join(".claude"))), before);
    output
}

#[test]
fn files_that_are_not_ours_to_write_are_left_alone() {
    let install = ["install", "claude", "--yes"];
    let machine = Machine::new();
    fs::create_dir(machine.home.join(".claude")).unwrap();
    let dotfiles = machine.home.join("dotfiles.json");
    fs::write(&dotfiles, "{}").unwrap();
    fs::create_dir(machine.project.join(".claude")).unwrap();
    let settings = machine.project.join(LOCAL);

    symlink(&dotfiles, &settings).unwrap();
    check_refused(&machine, &install, "outside of");
    assert_eq!(fs::read(&dotfiles).unwrap(), b"{}");
    fs::remove_file(&settings).unwrap();

    symlink("nowhere.json", &settings).unwrap();
    check_refused(&machine, &install, "is a link that points nowhere");
    fs::remove_file(&settings).unwrap();

    fs::create_dir(&settings).unwrap();
    check_refused(&machine, &install, "is not a file");
    fs::remove_dir(&settings).unwrap();

    machine.write(LOCAL, "{}");
    fs::set_permissions(&settings, Permissions::from_mode(0o444)).unwrap();
    check_refused(&machine, &install, "is read-only");
    fs::set_permissions(&settings, Permissions::from_mode(0o644)).unwrap();

    fs::create_dir_all(machine.state().join("install")).unwrap();
    let lock = File::create(machine.state().join("install/lock")).unwrap();
    lock.lock().unwrap();
    check_refused(&machine, &install, "another `outrigger install` or `uninstall` is at work");
    drop(lock);

    let outside = Machine::new();
    let link = machine.home.join(".claude/settings.json");
    symlink(outside.write("settings.json", "{}"), link).unwrap();
    check_refused(&machine, &["install", "claude", "--user", "--yes"], "outside of");
    machine.run_ok(&install);
}

#[test]
fn a_link_within_the_project_stays_a_link() {
    let machine = Machine::new();
    machine.write("shared/settings.json", "{}\n");
    fs::create_dir(machine.project.join(".claude")).unwrap();
    symlink("../shared/settings.json", machine.project.join(LOCAL)).unwrap();
    machine.run_ok(&["install", "claude", "--yes"]);
    assert!(machine.project.join(LOCAL).is_symlink());
    assert!(value(&machine.read("shared/settings.json"))["hooks"].is_object());
    machine.run_ok(&["uninstall", "claude"]);
    assert_eq!(machine.read("shared/settings.json"), b"{}\n");
}

#[test]
fn odd_names_of_folders_do_no_harm() {
    let machine = Machine::named("my home", "it's a \"project\" $HOME é");
    let before = tree(&machine.project);
    machine.run_ok(&["install", "claude", "--yes"]);
    machine.run_ok(&["install", "claude", "--user", "--yes"]);
    machine.run_ok(&["uninstall", "claude", "--user"]);
    machine.run_ok(&["uninstall", "claude"]);
    assert_eq!(tree(&machine.project), before);

    let link = machine.home.join("linked project");
    symlink(&machine.project, &link).unwrap();
    assert_eq!(machine.run_in(&link, &["install", "claude", "--yes"], b"").code, 0);
    let again = machine.run_ok(&["install", "claude", "--yes"]);
    assert!(again.stderr.contains("nothing to change"), "{}", again.stderr);
    let dir = link.to_str().unwrap();
    let output = machine.run_in(&machine.home, &["uninstall", "claude", "--dir", dir], b"");
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(tree(&machine.project), before);
}

#[test]
fn the_installed_command_runs_from_any_path() {
    let machine = Machine::new();
    let bin = machine.write("it's my \"bin\" $x/outrigger", "");
    fs::copy(env!("CARGO_BIN_EXE_outrigger"), &bin).unwrap();
    let install = std::process::Command::new(&bin)
        .args(["install", "claude", "--yes"])
        .current_dir(&machine.project)
        .env_clear()
        .env("HOME", &machine.home)
        .output()
        .unwrap();
    assert!(install.status.success(), "{install:?}");
    let settings = value(&machine.read(LOCAL));
    let command = settings["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap();
    let output = std::process::Command::new("/bin/sh")
        .args(["-c", command])
        .env_clear()
        .env("HOME", &machine.home)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("outrigger: the payload could not be read"), "{stderr}");

    // The next version lies elsewhere; its entries take the place of these.
    let old = machine.read(LOCAL);
    machine.run_ok(&["install", "claude", "--yes"]);
    let moved = value(&machine.read(LOCAL));
    assert_ne!(machine.read(LOCAL), old);
    assert!(EVENTS.iter().all(|it| ours(&moved, it).len() == 1));
    machine.run_ok(&["uninstall", "claude"]);
    assert!(!machine.project.join(LOCAL).exists());
}
