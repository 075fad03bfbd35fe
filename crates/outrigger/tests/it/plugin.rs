//! The Claude Code plugin: the same hooks as `outrigger install` writes, and
//! harmless where the binary is missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::Machine;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn json(path: &str) -> Value {
    serde_json::from_slice(&fs::read(root().join(path)).unwrap()).unwrap()
}

/// Returns the hooks with every command replaced by the same word.
fn shape(hooks: &Value) -> Value {
    let mut hooks = hooks.clone();
    for groups in hooks.as_object_mut().unwrap().values_mut() {
        for group in groups.as_array_mut().unwrap() {
            for hook in group["hooks"].as_array_mut().unwrap() {
                hook["command"] = "outrigger".into();
            }
        }
    }
    hooks
}

fn plugin_command() -> String {
    let hooks = json("plugin/hooks/hooks.json");
    hooks["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
}

#[test]
fn the_plugin_has_the_hooks_that_install_writes() {
    let machine = Machine::new();
    machine.run_ok(&["install", "claude", "--yes"]);
    let settings: Value =
        serde_json::from_slice(&machine.read(".claude/settings.local.json")).unwrap();
    let plugin = json("plugin/hooks/hooks.json");
    assert_eq!(shape(&plugin["hooks"]), shape(&settings["hooks"]));
    let command = plugin_command();
    let all = plugin["hooks"].to_string();
    assert_eq!(all.matches("\"command\":\"").count(), all.matches(&command).count());
    assert!(command.ends_with("outrigger hook --agent claude"), "{command}");
}

#[test]
fn the_plugin_is_silent_where_the_binary_is_missing() {
    let machine = Machine::new();
    let output = Command::new("/bin/sh")
        .args(["-c", &plugin_command()])
        .env_clear()
        .env("PATH", "/nonexistent")
        .current_dir(&machine.project)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!((output.status.code(), output.stdout, output.stderr), (Some(0), vec![], vec![]));
}

#[test]
fn the_plugin_calls_the_binary_that_is_on_the_path() {
    let machine = Machine::new();
    let folder = Path::new(env!("CARGO_BIN_EXE_outrigger")).parent().unwrap();
    let output = Command::new("/bin/sh")
        .args(["-c", &plugin_command()])
        .env_clear()
        .env("PATH", folder)
        .env("HOME", &machine.home)
        .current_dir(&machine.project)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with("outrigger: the payload could not be read"), "{stderr}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn the_marketplace_points_to_the_plugin() {
    let marketplace = json(".claude-plugin/marketplace.json");
    let plugin = json("plugin/.claude-plugin/plugin.json");
    assert_eq!(marketplace["plugins"][0]["name"], plugin["name"]);
    assert_eq!(marketplace["plugins"][0]["source"], "./plugin");
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
}
