//! Puts our hooks into an agent's settings, and takes them out again.
//!
//! Planning reads files and changes none; [`changes::Changes::make`] then makes
//! all changes or none. What was done is kept as a receipt in our state folder;
//! without it, what is ours is known by its shape.

mod canary;
pub(crate) mod changes;
mod commands;
pub(crate) mod doctor;
pub(crate) mod eval_mode;
mod jsonc;
mod plan;
mod receipt;
mod reverse;
pub(crate) mod site;
mod splice;
mod uninstall;
mod validate;

use std::io;
use std::path::{Path, PathBuf};

use crate::agents::settings::Scope;
use crate::install::changes::{Changes, FileChange, FoundRival, ReceiptChange, missing_folders};
use crate::install::eval_mode::{ConfigError, EvalMode};
use crate::install::jsonc::Edit;
use crate::install::plan::{PlanError, Take};
use crate::install::receipt::{Entry, Receipt, Role};
use crate::install::site::{Current, Site};
use crate::sys::lock::Lock;

pub(crate) use crate::install::commands::own_command;
pub(crate) use crate::install::uninstall::{plan as plan_uninstall, scopes_with_us};

/// What teaches the agent our commands.
const SKILL: &str = include_str!("../../../../plugin/skills/outrigger/SKILL.md");
/// The commented checks, none of them active.
const TEMPLATE: &str = include_str!("hooks.edn");

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstallError {
    #[error("failed to read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("`{}` is not a file", path.display())]
    NotAFile { path: PathBuf },
    #[error("`{}` is a link that points nowhere", path.display())]
    Dangling { path: PathBuf },
    #[error("`{}` leads to `{}`, outside of `{}`", path.display(), real.display(), bound.display())]
    LinkedAway { path: PathBuf, real: PathBuf, bound: PathBuf },
    #[error("`{}` is read-only", path.display())]
    ReadOnly { path: PathBuf },
    #[error("{}:{line}: not UTF-8 text", path.display())]
    NotText { path: PathBuf, line: usize },
    #[error("{}:{problem}", path.display())]
    Settings { path: PathBuf, problem: PlanError },
    #[error("{}: {problem}", path.display())]
    Config { path: PathBuf, problem: ConfigError },
    #[error("another `outrigger install` or `uninstall` is at work")]
    Locked,
    #[error("failed to keep a record of the installation: {source}")]
    State { source: io::Error },
    #[error("`{}` was changed in the meantime", path.display())]
    Meanwhile { path: PathBuf },
    #[error("failed to write `{}`: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl InstallError {
    /// Returns what the user can do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Read { .. } | Self::State { .. } | Self::Write { .. } => {
                "check the permissions; nothing was written"
            }
            Self::NotAFile { .. } => "move it away, then run this again; nothing was written",
            Self::Dangling { .. } => {
                "make the link's target or remove the link; nothing was written"
            }
            Self::LinkedAway { .. } => {
                "the file belongs to something else; install where it is kept, \
                 or choose another scope (`--user`, `--project`, `--local`); nothing was written"
            }
            Self::ReadOnly { .. } => "make it writable (`chmod u+w`); nothing was written",
            Self::NotText { .. } | Self::Settings { .. } | Self::Config { .. } => {
                "mend the file by hand, then run this again; nothing was written"
            }
            Self::Locked => "wait for it to end, then run this again; nothing was written",
            Self::Meanwhile { .. } => "run this again; nothing was written",
        }
    }
}

/// What is asked for beyond the hooks themselves.
#[derive(Debug, Clone)]
pub(crate) struct Wishes {
    /// The command line the agent shall run.
    pub(crate) command: String,
    pub(crate) eval: Option<EvalMode>,
    pub(crate) replace_rivals: bool,
}

/// Keeps other installers out until it is dropped.
pub(crate) fn lock(state: &Path) -> Result<Lock, InstallError> {
    let take = || {
        let folder = state.join("install");
        crate::sys::fs::private_dir(&folder)?;
        Lock::try_take(&folder.join("lock"))
    };
    take().map_err(|source| InstallError::State { source })?.ok_or(InstallError::Locked)
}

/// Plans an installation.
pub(crate) fn plan_install(site: &Site<'_>, wishes: &Wishes) -> Result<Changes, InstallError> {
    let settings = site.read(&site.settings_file())?;
    let known = Receipt::load(&site.dirs.state, &settings.real);
    let mut receipt = known.clone().unwrap_or_else(|| Receipt::new(&settings.real));
    let mut changes = Changes::default();
    plan_settings(site, wishes, &settings, &mut receipt, &mut changes)?;
    plan_rivals(site, wishes, &settings, &mut receipt, &mut changes);
    plan_skill(site, &mut receipt, &mut changes);
    plan_template(site, &mut receipt, &mut changes);
    if let Some(mode) = wishes.eval {
        plan_eval(site, mode, &mut receipt, &mut changes)?;
    }
    for file in &changes.files {
        receipt.made_folders.extend(missing_folders(&file.current.real));
    }
    if !changes.files.is_empty() {
        changes.receipts.push(ReceiptChange::Save(receipt));
    }
    Ok(changes)
}

fn plan_settings(
    site: &Site<'_>,
    wishes: &Wishes,
    settings: &Current,
    receipt: &mut Receipt,
    changes: &mut Changes,
) -> Result<(), InstallError> {
    let refused = |problem| InstallError::Settings { path: settings.path.clone(), problem };
    let take = if wishes.replace_rivals { Take::OwnAndRivals } else { Take::Own };
    let text = settings.text()?.unwrap_or_default();
    let install =
        |text: &str| plan::install(text, site.agent.settings.hooks, &wishes.command, take);
    let planned = install(text).map_err(refused)?;
    let value = plan::read(&planned.text).map_err(refused)?;
    if site.agent.settings.is_strict
        && let Some((line, column)) = validate::first_extension(&planned.text)
    {
        changes.warnings.push(format!(
            "{}:{line}:{column}: {} loads nothing from a file with comments or trailing commas, \
             so no hook in it will run; they are yours to take out",
            settings.path.display(),
            site.agent.title
        ));
    }
    for problem in validate::problems(&value, &site.agent.settings) {
        let consequence = if problem.drops_file {
            format!("; {} ignores the whole file because of it", site.agent.title)
        } else {
            String::new()
        };
        changes.warnings.push(format!(
            "{}: `{}` {}{consequence}",
            settings.path.display(),
            problem.path,
            problem.what
        ));
    }
    if settings.bytes.is_some() && planned.text == text {
        return Ok(());
    }
    // What uninstalling goes back to: the file before we first came, with what
    // the user changed since.
    let original = match receipt.entry(Role::Settings, &settings.real) {
        Some(entry) if Some(&entry.written) == settings.bytes.as_ref() => entry.original.clone(),
        Some(entry) if settings.bytes.is_some() => {
            uninstall::undo_settings(entry, text).map_err(refused)?
        }
        _ => settings.bytes.clone(),
    };
    let original_text = original.as_deref().and_then(|it| std::str::from_utf8(it).ok());
    let original_text = original_text.unwrap_or_default();
    let edits = if original_text == text {
        planned.edits
    } else {
        match install(original_text) {
            Ok(direct) if direct.text == planned.text => direct.edits,
            _ => vec![one_edit(original_text, &planned.text)],
        }
    };
    let written = planned.text.into_bytes();
    receipt.put(Entry {
        role: Role::Settings,
        path: settings.real.clone(),
        original,
        written: written.clone(),
        edits,
    });
    changes.files.push(FileChange {
        role: Role::Settings,
        current: settings.clone(),
        after: Some(written),
    });
    Ok(())
}

/// Returns the one edit that turns a text into another.
fn one_edit(before: &str, after: &str) -> Edit {
    let same = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(|(left, right)| left == right).map(|it| it.0.len_utf8()).sum()
    };
    let head = same(&mut before.chars().zip(after.chars()));
    let (before_rest, after_rest) = (&before[head..], &after[head..]);
    let tail = same(&mut before_rest.chars().rev().zip(after_rest.chars().rev()));
    let text = after_rest[..after_rest.len() - tail].to_owned();
    Edit { start: head, end: before.len() - tail, text }
}

/// Names the rivals of every scope, or takes them out of the other scopes' files.
/// Those in our own file have been seen to already.
fn plan_rivals(
    site: &Site<'_>,
    wishes: &Wishes,
    settings: &Current,
    receipt: &mut Receipt,
    changes: &mut Changes,
) {
    let mut seen = Vec::new();
    for scope in Scope::ALL {
        let other = site.in_scope(*scope);
        // A file of another scope that cannot be read is not ours to judge.
        let Ok(current) = other.read(&other.settings_file()) else { continue };
        let Ok(Some(text)) = current.text() else { continue };
        if seen.contains(&current.real) {
            continue;
        }
        seen.push(current.real.clone());
        let Ok(value) = plan::read(text) else { continue };
        let found: Vec<FoundRival> = plan::all_hooks(&value)
            .filter(|(_, hook)| commands::rival(hook).is_some())
            .map(|(event, hook)| FoundRival {
                path: current.path.clone(),
                event: event.to_owned(),
                command: hook["command"].as_str().unwrap_or_default().to_owned(),
            })
            .collect();
        if !wishes.replace_rivals {
            changes.rivals.extend(found);
            continue;
        }
        if found.is_empty() || current.real == settings.real {
            continue;
        }
        let Ok(planned) = plan::remove(text, Take::Rivals, None) else {
            changes.rivals.extend(found);
            continue;
        };
        let written = planned.text.into_bytes();
        receipt.put(Entry {
            role: Role::Rivals,
            path: current.real.clone(),
            original: current.bytes.clone(),
            written: written.clone(),
            edits: planned.edits,
        });
        changes.files.push(FileChange { role: Role::Rivals, current, after: Some(written) });
    }
}

fn plan_skill(site: &Site<'_>, receipt: &mut Receipt, changes: &mut Changes) {
    let path = site.skill_file();
    match site.read(&path) {
        Ok(current) => {
            let known = receipt.entry(Role::Skill, &current.real).map(|it| &it.written);
            let is_ours = current.bytes.is_none() || current.bytes.as_ref() == known;
            if current.bytes.as_deref() == Some(SKILL.as_bytes()) {
                return;
            }
            if !is_ours {
                changes
                    .notes
                    .push(format!("`{}` is not what we wrote and stays as it is", path.display()));
                return;
            }
            create(Role::Skill, current, SKILL, receipt, changes);
        }
        Err(error) => changes.warnings.push(format!("the skill is not installed: {error}")),
    }
}

fn plan_template(site: &Site<'_>, receipt: &mut Receipt, changes: &mut Changes) {
    let Some(path) = site.template_file() else { return };
    match site.read(&path) {
        Ok(current) if current.bytes.is_none() => {
            create(Role::Template, current, TEMPLATE, receipt, changes);
        }
        Ok(_) => {}
        Err(error) => changes.warnings.push(format!("the template is not written: {error}")),
    }
}

fn create(role: Role, current: Current, text: &str, receipt: &mut Receipt, changes: &mut Changes) {
    let written = text.as_bytes().to_vec();
    receipt.put(Entry {
        role,
        path: current.real.clone(),
        original: None,
        written: written.clone(),
        edits: Vec::new(),
    });
    changes.files.push(FileChange { role, current, after: Some(written) });
}

fn plan_eval(
    site: &Site<'_>,
    mode: EvalMode,
    receipt: &mut Receipt,
    changes: &mut Changes,
) -> Result<(), InstallError> {
    let current = site.read(&site.config_file())?;
    let text = current.text()?.unwrap_or_default();
    let refused = |problem| InstallError::Config { path: current.path.clone(), problem };
    let written = eval_mode::choose(text, mode).map_err(refused)?;
    if written == text {
        return Ok(());
    }
    let original = match receipt.entry(Role::Eval, &current.real) {
        Some(entry) if Some(&entry.written) == current.bytes.as_ref() => entry.original.clone(),
        Some(entry) if current.bytes.is_some() => {
            uninstall::undo_eval(entry, text).map_err(refused)?
        }
        _ => current.bytes.clone(),
    };
    let written = written.into_bytes();
    receipt.put(Entry {
        role: Role::Eval,
        path: current.real.clone(),
        original,
        written: written.clone(),
        edits: Vec::new(),
    });
    changes.files.push(FileChange { role: Role::Eval, current, after: Some(written) });
    Ok(())
}
