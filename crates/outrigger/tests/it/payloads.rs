//! Recorded payloads: every one is answered as the file beside it says, and no
//! mutation of any of them can make the hook fall over or grant anything.

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use outrigger::agents::{self, Agent};
use outrigger::hook;
use serde_json::Value;

use crate::world::World;

fn fixtures(agent: &Agent) -> Vec<PathBuf> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents").join(agent.name);
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect();
    files.sort();
    files
}

#[test]
fn recorded_payloads_are_answered_as_the_file_beside_them_says() {
    let mut n_replayed = 0;
    for agent in agents::AGENTS {
        for path in fixtures(agent) {
            let world = World::new();
            let reply = hook::respond(agent, None, &fs::read(&path).unwrap(), &world.ctx);
            assert_eq!(reply.stderr, "", "{}", path.display());
            let expected = path.with_extension("reply");
            assert!(expected.exists(), "{} has no reply beside it", path.display());
            expect_file![expected].assert_eq(&reply.stdout);
            n_replayed += 1;
        }
    }
    assert!(n_replayed >= 44, "{n_replayed}");
}

#[test]
fn every_event_and_tool_of_today_is_accepted() {
    let world = World::new();
    let claude = agents::by_name("claude").unwrap();
    let events = "PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification \
        UserPromptSubmit UserPromptExpansion SessionStart SessionEnd Stop StopFailure \
        SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch PostModelSwitch \
        PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted \
        Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove \
        InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay SomethingNew";
    for event in events.split_whitespace() {
        for tool in ["Task", "WebFetch", "SomeToolOfNextYear", "mcp__a__b", "mcp__broken"] {
            let payload = serde_json::json!({
                "session_id": "s", "cwd": "/project", "hook_event_name": event,
                "tool_name": tool, "tool_input": {"anything": [1, 2, {"at": "all"}]},
            });
            let reply = hook::respond(claude, None, payload.to_string().as_bytes(), &world.ctx);
            assert_eq!(reply, hook::Reply::default(), "{event} {tool}");
        }
    }
}

#[test]
fn a_hundred_thousand_mutated_payloads_crash_nothing_and_grant_nothing() {
    let world = World::new();
    let mut random = Random(0x5eed);
    for agent in agents::AGENTS {
        let seeds: Vec<Vec<u8>> = fixtures(agent).iter().map(|it| fs::read(it).unwrap()).collect();
        for _ in 0..100_000 {
            let seed = &seeds[random.below(seeds.len())];
            let payload = mutated(seed, &mut random);
            let reply = hook::respond(agent, None, &payload, &world.ctx);
            assert!(!reply.stderr.contains("guard `"), "{}", reply.stderr);
            assert_grants_nothing(&reply.stdout);
        }
    }
}

#[track_caller]
fn assert_grants_nothing(stdout: &str) {
    if stdout.is_empty() {
        return;
    }
    let answer: Value = serde_json::from_str(stdout).expect("stdout is JSON or nothing");
    let decision = answer.pointer("/hookSpecificOutput/permissionDecision");
    assert!(decision.is_none_or(|it| it == "deny"), "{stdout}");
    assert!(answer.get("decision").is_none_or(|it| it == "block"), "{stdout}");
}

/// Changes a payload: in its bytes, or in one of its values.
fn mutated(seed: &[u8], random: &mut Random) -> Vec<u8> {
    if random.below(2) == 0 {
        let mut value: Value = serde_json::from_slice(seed).unwrap();
        for _ in 0..=random.below(3) {
            change_a_value(&mut value, random);
        }
        return value.to_string().into_bytes();
    }
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len().max(1));
        match random.below(5) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            2 => bytes.insert(at, random.below(256) as u8),
            3 if at < bytes.len() => drop(bytes.remove(at)),
            _ => {
                let piece = bytes[at..(at + 20).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

fn change_a_value(value: &mut Value, random: &mut Random) {
    const TEXTS: &[&str] = &[
        "",
        "~",
        "~root",
        "\0",
        "/",
        "../../..",
        "(",
        "\"",
        "a.clj",
        "/project/b.cljs",
        "Write",
        "Edit",
        "MultiEdit",
        "NotebookEdit",
        "Bash",
        "PreToolUse",
        "Stop",
        "mcp__x__write_file",
        "(defn f [x]\n  (let [y 1]\n    (+ x y)\n",
        "\u{feff}(a]",
        "é𝄞",
        "cat > a.clj <<'E'\n(\nE",
    ];
    match value {
        Value::Object(object) if !object.is_empty() && random.below(8) != 0 => {
            let key = object.keys().nth(random.below(object.len())).unwrap().clone();
            match random.below(6) {
                0 => drop(object.remove(&key)),
                _ => change_a_value(&mut object[&key], random),
            }
        }
        Value::Array(list) if !list.is_empty() && random.below(4) != 0 => {
            let at = random.below(list.len());
            change_a_value(&mut list[at], random);
        }
        _ => {
            *value = match random.below(7) {
                0 => Value::Null,
                1 => Value::Bool(true),
                2 => serde_json::json!(-1.5e300),
                3 => serde_json::json!([]),
                4 => serde_json::json!({"a": 1}),
                _ => TEXTS[random.below(TEXTS.len())].into(),
            }
        }
    }
}

/// Small, repeatable pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}
