//! What must hold for the hook's answers to any bytes at all. The fuzz target
//! `hook` feeds this, and the replay of the kept corpus does so in every test run.

use std::fs;

use outrigger::agents::AGENTS;
use outrigger::ctx::Ctx;
use outrigger::{Dirs, hook};
use serde_json::Value;

/// Plays a script in a throw-away world: steps with a line `%%` between them.
///
/// A step `@NAME` and a newline puts the rest into that file of the project;
/// every other step is the payload of a hook call, with `$PROJECT` for the
/// project's folder. Panics when an answer is not sound.
pub(crate) fn play(script: &[u8]) {
    let root = tempfile::tempdir().expect("a temporary folder can be made");
    let below = |name: &str| root.path().join(name);
    let dirs = Dirs {
        home: below("home"),
        state: below("state"),
        config: below("config"),
        temporary: Vec::new(),
    };
    let project = below("project");
    fs::create_dir(&project).expect("the temporary folder is ours");
    let mut ctx = Ctx::new(dirs);
    ctx.log = Some(below("log"));
    for step in split(script, b"\n%%\n") {
        if let Some((name, content)) = file_step(step) {
            fs::write(project.join(name), content).expect("the project's folder is ours");
            continue;
        }
        let payload = replaced(step, b"$PROJECT", project.to_string_lossy().as_bytes());
        for agent in AGENTS {
            sound(&hook::respond(agent, None, &payload, &ctx));
        }
    }
}

fn sound(reply: &hook::Reply) {
    assert!(!reply.stderr.contains("the guard `"), "{}", reply.stderr);
    let n_lines = reply.stderr.lines().count();
    assert!(n_lines <= 2 && (n_lines == 0 || reply.stderr.ends_with('\n')), "{}", reply.stderr);
    if reply.stdout.is_empty() {
        return;
    }
    let answer: Value = serde_json::from_str(&reply.stdout).expect("stdout is JSON or nothing");
    assert!(answer.is_object(), "{answer}");
    let decision = answer.pointer("/hookSpecificOutput/permissionDecision");
    assert!(decision.is_none_or(|it| it == "deny"), "{answer}");
    assert!(answer.get("decision").is_none_or(|it| it == "block"), "{answer}");
    let request = answer.pointer("/hookSpecificOutput/decision/behavior");
    assert!(request.is_none_or(|it| it == "deny"), "{answer}");
    // A rewrite never comes with a decision: the user is asked as ever.
    let rewrite = answer.pointer("/hookSpecificOutput/updatedInput");
    assert!(rewrite.is_none() || decision.is_none(), "{answer}");
}

/// Returns the name and the content of a step that puts a file. Only plain
/// names: a script stays in its world.
fn file_step(step: &[u8]) -> Option<(&str, &[u8])> {
    let rest = step.strip_prefix(b"@")?;
    let end = rest.iter().position(|it| *it == b'\n')?;
    let name = std::str::from_utf8(&rest[..end]).ok()?;
    let is_plain = (1..=40).contains(&name.len())
        && !name.starts_with('.')
        && name.bytes().all(|it| it.is_ascii_alphanumeric() || b".-_".contains(&it));
    is_plain.then_some((name, &rest[end + 1..]))
}

fn split<'a>(bytes: &'a [u8], mark: &[u8]) -> Vec<&'a [u8]> {
    let (mut parts, mut rest) = (Vec::new(), bytes);
    while let Some(at) = find(rest, mark) {
        parts.push(&rest[..at]);
        rest = &rest[at + mark.len()..];
    }
    parts.push(rest);
    parts
}

fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    split(bytes, old).join(new)
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|it| it == what)
}
