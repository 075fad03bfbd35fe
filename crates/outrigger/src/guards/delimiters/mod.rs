//! Keeps unbalanced Lisp off the disk.
//!
//! Before a write, the file as it will be is computed; a sure repair goes into
//! the tool's own input, anything else is refused with the place. After the
//! write the bytes on disk are looked at again, because another hook's rewrite
//! may have won. Files in other languages are not read at all.

mod future;
mod kept;
pub(crate) mod steps;
mod words;

use std::path::Path;

use lisp::dialect::{self, Dialect};
use lisp::repair::{Outcome, Repaired, Request, Unsure, repair};
use lisp::tree;

use crate::ctx::Ctx;
use crate::event::{Event, EventKind, FileOp, ToolCall, ToolOutcome};
use crate::guards::Guard;
use crate::sys::fs::{NewFile, read_regular, write_atomic};
use crate::verdict::Verdict;

use future::{Future, future};
use kept::Kept;
use steps::Steps;

pub(super) const GUARD: Guard = Guard { name: "delimiters", wants, judge };

/// A stop is held this often for a file that does not balance; then the human
/// is told and the agent may go.
const MAX_HELD: u32 = 2;

/// Larger than any source file; reading one is still quick.
const MAX_BYTES: u64 = 32 << 20;

fn wants(kind: &EventKind) -> bool {
    match kind {
        EventKind::BeforeTool(call) | EventKind::AfterTool(call, _) => !call.files.is_empty(),
        EventKind::Stopping { subagent, .. } => !subagent,
        EventKind::Prompt { .. }
        | EventKind::SessionStarted
        | EventKind::SessionEnded
        | EventKind::Other => false,
    }
}

fn judge(event: &Event, ctx: &Ctx) -> Verdict {
    match &event.kind {
        EventKind::BeforeTool(call) => before_write(event, call, ctx),
        EventKind::AfterTool(call, outcome) => after_write(event, call, *outcome, ctx),
        EventKind::Stopping { .. } => at_stop(event, ctx),
        EventKind::Prompt { .. }
        | EventKind::SessionStarted
        | EventKind::SessionEnded
        | EventKind::Other => Verdict::pass(),
    }
}

fn before_write(event: &Event, call: &ToolCall, ctx: &Ctx) -> Verdict {
    let mut verdict = Verdict::pass();
    let mut files = call.files.clone();
    for op in &mut files {
        let Some(dialect) = dialect_of(op) else { continue };
        let said = judge_op(event, call, op, dialect, ctx);
        if let Some([repaired]) = said.rewrite.as_deref() {
            *op = repaired.clone();
        }
        verdict.absorb(Verdict { rewrite: None, ..said });
        if verdict.is_stopped() {
            return verdict;
        }
    }
    if files != call.files {
        verdict.rewrite = Some(files);
    }
    verdict
}

/// Judges one file of a call; a rewrite in the answer is of this file alone.
fn judge_op(event: &Event, call: &ToolCall, op: &FileOp, dialect: &Dialect, ctx: &Ctx) -> Verdict {
    let path = op.path();
    let on_disk = read_regular(path, MAX_BYTES).ok();
    let on_disk_text = match on_disk.as_deref().map(std::str::from_utf8).transpose() {
        Ok(text) => text,
        // Not text: whatever it is, it is not ours to judge.
        Err(_) => return Verdict::pass(),
    };
    let Some(future) = future(op, on_disk_text) else { return Verdict::pass() };
    let steps = Steps::of(&event.session, ctx);
    let keep = |is_tolerated: bool| {
        let kept = Kept { before: on_disk.clone(), is_tolerated };
        kept::keep(event, call, path, &kept, ctx);
    };
    let Some(problem) = tree::problems(&future.after, dialect).into_iter().next() else {
        keep(false);
        return Verdict::pass();
    };
    if steps.is_open(path) {
        keep(true);
        return Verdict::pass().tell_model(words::still_open(path, &future.after, &problem));
    }
    if let FileOp::Replace { .. } = op
        && is_no_worse(&future, dialect)
    {
        keep(true);
        return Verdict::pass().tell_model(words::unbalanced_before(path, &future.after, &problem));
    }
    let unsure = match attempt(&future, dialect) {
        Outcome::Balanced => return Verdict::pass(),
        Outcome::Repaired(Repaired { text, edits, .. }) => {
            match future.repaired_op(op, &text, &edits) {
                Some(repaired) if future::changes_nothing(&repaired) => {
                    return Verdict::refuse(words::nothing_left(path, &edits));
                }
                Some(repaired) => {
                    keep(false);
                    return Verdict { rewrite: Some(vec![repaired]), ..Verdict::pass() }
                        .tell_model(words::mended(path, &edits))
                        .tell_human(words::mended_in_short(path, &edits));
                }
                None => Unsure {
                    problem,
                    why: "the repair does not fit into the text of this edit".to_owned(),
                    candidates: Vec::new(),
                },
            }
        }
        Outcome::Unsure(unsure) => unsure,
    };
    let fingerprint = fingerprint(op);
    if steps.was_refused(path, &fingerprint) && steps.open(path, on_disk.as_deref()).is_ok() {
        keep(true);
        return Verdict::pass().tell_model(words::still_open(path, &future.after, &unsure.problem));
    }
    // Without the memory of a refusal, the same edit is simply refused again.
    let _ = steps.refuse(path, &fingerprint);
    Verdict::refuse(words::refused(path, &future.after, &unsure))
}

fn attempt(future: &Future, dialect: &Dialect) -> Outcome {
    let spans = future.spans();
    let before = future.before.as_deref().filter(|it| tree::is_balanced(it, dialect));
    repair(&Request { broken: &future.after, before, spans: spans.as_deref(), dialect })
}

/// Tells whether the file was unbalanced already and the edit does not add to it.
fn is_no_worse(future: &Future, dialect: &Dialect) -> bool {
    let n_problems = |text: &str| tree::problems(text, dialect).len();
    let n_before = future.before.as_deref().map_or(0, n_problems);
    n_before > 0 && n_problems(&future.after) <= n_before
}

fn after_write(event: &Event, call: &ToolCall, outcome: ToolOutcome, ctx: &Ctx) -> Verdict {
    let mut verdict = Verdict::pass();
    for op in &call.files {
        let path = op.path();
        let Some(dialect) = dialect_of(op) else { continue };
        let kept = kept::take(event, call, path, ctx);
        if outcome == ToolOutcome::Failed {
            continue;
        }
        let Some(text) =
            read_regular(path, MAX_BYTES).ok().and_then(|it| String::from_utf8(it).ok())
        else {
            continue;
        };
        let steps = Steps::of(&event.session, ctx);
        if tree::is_balanced(&text, dialect) {
            steps.settle(path);
            continue;
        }
        if steps.is_open(path) || kept.as_ref().is_some_and(|it| it.is_tolerated) {
            continue;
        }
        verdict.absorb(mend_on_disk(path, &text, kept.as_ref(), dialect));
    }
    verdict
}

/// Somebody else's rewrite won, or we were not asked before: mends the file on
/// disk, or puts back what was there.
fn mend_on_disk(path: &Path, text: &str, kept: Option<&Kept>, dialect: &Dialect) -> Verdict {
    let before = kept.and_then(|it| it.before.as_deref());
    let before_text = before.and_then(|it| std::str::from_utf8(it).ok());
    let before_text = before_text.filter(|it| tree::is_balanced(it, dialect));
    let unsure = match repair(&Request { broken: text, before: before_text, spans: None, dialect })
    {
        Outcome::Balanced => return Verdict::pass(),
        Outcome::Repaired(mended) => {
            return match write_atomic(path, mended.text.as_bytes(), NewFile::Shared) {
                Ok(_) => Verdict::pass()
                    .tell_model(words::mended_on_disk(path, &mended.edits))
                    .tell_human(words::mended_in_short(path, &mended.edits)),
                Err(error) => Verdict::refuse(format!(
                    "the brackets of `{}` do not balance, and mending it failed: {error}",
                    path.display()
                )),
            };
        }
        Outcome::Unsure(unsure) => unsure,
    };
    let diagnosis = words::diagnosis(path, text, &unsure);
    let put_back = before.map(|it| write_atomic(path, it, NewFile::Shared));
    let outcome = match put_back {
        Some(Ok(_)) => "outrigger put the file back as it was before the edit.",
        Some(Err(_)) => "Putting it back as it was before the edit failed.",
        None => "The file is left as it is.",
    };
    Verdict::refuse(format!(
        "the brackets of `{}` do not balance as written.\n{diagnosis}\n{outcome}",
        path.display()
    ))
}

/// Settles what is still between two steps: mends it for sure, or keeps the
/// agent from stopping, a bounded number of times.
fn at_stop(event: &Event, ctx: &Ctx) -> Verdict {
    let steps = Steps::of(&event.session, ctx);
    let mut verdict = Verdict::pass();
    for file in steps.open_files() {
        let path = &file.path;
        let text = read_regular(path, MAX_BYTES).ok().and_then(|it| String::from_utf8(it).ok());
        let first_line = text.as_deref().and_then(|it| it.lines().next()).unwrap_or_default();
        let name = path.to_string_lossy();
        let (Some(text), Some(dialect)) = (&text, dialect::for_path(&name, first_line)) else {
            steps.settle(path);
            continue;
        };
        let before = file.before.as_deref().and_then(|it| std::str::from_utf8(it).ok());
        let before = before.filter(|it| tree::is_balanced(it, dialect));
        match repair(&Request { broken: text, before, spans: None, dialect }) {
            Outcome::Balanced => steps.settle(path),
            Outcome::Repaired(mended) => {
                if write_atomic(path, mended.text.as_bytes(), NewFile::Shared).is_ok() {
                    steps.settle(path);
                    verdict.absorb(
                        Verdict::pass().tell_human(words::mended_in_short(path, &mended.edits)),
                    );
                }
            }
            Outcome::Unsure(unsure) => {
                let diagnosis = words::diagnosis(path, text, &unsure);
                if file.n_held < MAX_HELD && steps.hold(&file).is_ok() {
                    verdict.absorb(Verdict::go_on(format!(
                        "`{}` still does not balance.\n{diagnosis}\nMend it before you stop.",
                        path.display()
                    )));
                } else {
                    steps.settle(path);
                    verdict.absorb(Verdict::pass().tell_human(format!(
                        "outrigger: `{}` was left unbalanced: {}",
                        path.display(),
                        unsure.problem
                    )));
                }
            }
        }
    }
    verdict
}

/// Returns the Lisp that the file is written in, if it is one.
fn dialect_of(op: &FileOp) -> Option<&'static Dialect> {
    let first_line = match op {
        FileOp::Write { content, .. } => content.lines().next().unwrap_or_default().to_owned(),
        FileOp::Replace { path, .. } | FileOp::Opaque { path } => first_line_on_disk(path),
    };
    dialect::for_path(&op.path().file_name()?.to_string_lossy(), &first_line)
}

/// Returns the first line of a file without an extension, where a shebang may
/// be; other files are known by their names.
fn first_line_on_disk(path: &Path) -> String {
    let head = match path.extension() {
        None => read_regular(path, MAX_BYTES).unwrap_or_default(),
        Some(_) => Vec::new(),
    };
    let line = head.split(|it| *it == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(line).into_owned()
}

fn fingerprint(op: &FileOp) -> String {
    blake3::hash(format!("{op:?}").as_bytes()).to_hex().to_string()
}
