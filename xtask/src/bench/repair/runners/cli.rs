//! Runs `outrigger repair -`, one process a case, the way a user or a script does.
#![expect(
    clippy::disallowed_methods,
    reason = "a developer's chore may start programs and keep scratch files"
)]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::super::cases::Case;
use super::super::score::Answer;
use super::Mode;

/// A case that takes longer than this is counted as refused.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn answer(program: &Path, mode: Mode, case: &Case) -> Result<Answer> {
    let mut command = Command::new(program);
    command.args(["repair", "-"]);
    if mode == Mode::Edit {
        let extension = case.path.rsplit('.').next().unwrap_or("clj");
        let scratch = crate::cache_dir()?.join("scratch");
        std::fs::create_dir_all(&scratch)?;
        let before = scratch.join(format!("before-{}.{extension}", std::process::id()));
        std::fs::write(&before, &case.before)?;
        command.arg("--before").arg(&before);
        let answer = run(command, &case.broken);
        std::fs::remove_file(&before)?;
        return answer;
    }
    run(command, &case.broken)
}

fn run(mut command: Command, input: &str) -> Result<Answer> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| {
            format!("failed to start `{}`", command.get_program().to_string_lossy())
        })?;
    let mut stdin = child.stdin.take().context("stdin is a pipe")?;
    let mut stdout = child.stdout.take().context("stdout is a pipe")?;
    let (sender, receiver) = mpsc::channel();
    let input = input.to_owned();
    thread::spawn(move || {
        // A program that refuses without reading closes the pipe: no fault of ours.
        let _ = stdin.write_all(input.as_bytes());
    });
    thread::spawn(move || {
        let mut output = Vec::new();
        let read = stdout.read_to_end(&mut output);
        let _ = sender.send(read.map(|_| output));
    });
    let output = receiver.recv_timeout(PATIENCE);
    if output.is_err() {
        child.kill()?;
    }
    let status = child.wait()?;
    let ms = start.elapsed().as_secs_f64() * 1000.0;
    let text = match output {
        Ok(Ok(bytes)) if status.success() => String::from_utf8(bytes).ok(),
        _ => None,
    };
    Ok(Answer { text, ms })
}
