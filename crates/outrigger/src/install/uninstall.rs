//! Takes an installation out again: back to the bytes before it where nothing
//! else changed, and out of what the user has changed since otherwise.

use std::path::Path;

use crate::agents::settings::Scope;
use crate::install::changes::{Changes, FileChange, ReceiptChange};
use crate::install::eval_mode::{self, ConfigError};
use crate::install::plan::{self, PlanError, Take};
use crate::install::receipt::{Entry, Receipt, Role};
use crate::install::reverse::reverse;
use crate::install::site::{Current, Site};
use crate::install::{InstallError, SKILL, TEMPLATE};

/// Plans the removal of an installation.
pub(crate) fn plan(site: &Site<'_>) -> Result<Changes, InstallError> {
    let settings = site.read(&site.settings_file())?;
    let mut changes = Changes::default();
    let known = Receipt::load(&site.dirs.state, &settings.real);
    let receipt = known.clone().unwrap_or_else(|| Receipt::new(&settings.real));
    plan_settings(&settings, &receipt, &mut changes)?;
    plan_rivals(site, &receipt, &mut changes);
    plan_eval(site, &receipt, &mut changes)?;
    plan_texts(site, &receipt, &mut changes);
    if known.is_none() && changes.files.is_empty() {
        return Ok(changes);
    }
    let mut receipt = receipt;
    if known.is_none() {
        // Nobody remembers who made these two; empty, they are of no use.
        for file in &changes.files {
            if matches!(file.role, Role::Skill | Role::Template) {
                receipt.made_folders.extend(file.current.real.parent().map(Path::to_path_buf));
            }
        }
    }
    if let Some(kept) = hand_over(site, &receipt, &changes) {
        changes.receipts.push(ReceiptChange::Save(kept));
    }
    changes.receipts.push(ReceiptChange::Forget(receipt));
    Ok(changes)
}

/// Returns a settings text without what an installation did to it, or `None`
/// when nothing is left of a file that we made.
pub(super) fn undo_settings(entry: &Entry, current: &str) -> Result<Option<Vec<u8>>, PlanError> {
    let original = entry.original.as_deref().and_then(|it| std::str::from_utf8(it).ok());
    let before = match original {
        Some(text) => Some(plan::read(text)?),
        None => None,
    };
    let by_shape = plan::remove(current, Take::Own, before.as_ref())?.text;
    let is_sound = |text: &String| {
        let (Ok(reversed), Ok(by_shape)) = (plan::read(text), plan::read(&by_shape)) else {
            return false;
        };
        let n_older = before.as_ref().map_or(0, plan::own_hooks);
        plan::own_hooks(&reversed) <= n_older
            && plan::rest(&reversed, Take::OwnAndRivals)
                == plan::rest(&by_shape, Take::OwnAndRivals)
    };
    let reversed = reverse(original.unwrap_or_default(), &entry.edits, current).filter(is_sound);
    let text = reversed.unwrap_or(by_shape);
    let is_nothing = matches!(text.trim(), "" | "{}");
    Ok((original.is_some() || !is_nothing).then(|| text.into_bytes()))
}

/// Returns a configuration without the choice that was made in it.
pub(super) fn undo_eval(entry: &Entry, current: &str) -> Result<Option<Vec<u8>>, ConfigError> {
    let text = |it: &[u8]| String::from_utf8_lossy(it).into_owned();
    let original = entry.original.as_deref().map(text);
    let undone = eval_mode::unchoose(
        original.as_deref().unwrap_or_default(),
        &text(&entry.written),
        current,
    )?;
    let is_nothing = undone.trim().is_empty();
    Ok((original.is_some() || !is_nothing).then(|| undone.into_bytes()))
}

fn plan_settings(
    settings: &Current,
    receipt: &Receipt,
    changes: &mut Changes,
) -> Result<(), InstallError> {
    let refused = |problem| InstallError::Settings { path: settings.path.clone(), problem };
    let Some(text) = settings.text()? else { return Ok(()) };
    let after = match receipt.entry(Role::Settings, &settings.real) {
        Some(entry) if Some(&entry.written) == settings.bytes.as_ref() => entry.original.clone(),
        Some(entry) => undo_settings(entry, text).map_err(refused)?,
        None => {
            let planned = plan::remove(text, Take::Own, None).map_err(refused)?;
            Some(planned.text.into_bytes())
        }
    };
    let left = after.as_deref().and_then(|it| std::str::from_utf8(it).ok());
    if left.and_then(|it| plan::read(it).ok()).is_some_and(|it| plan::own_hooks(&it) > 0) {
        changes.notes.push(format!(
            "`{}` had an older entry of ours before the installation and has it again; \
             run `outrigger uninstall` once more to take that out too",
            settings.path.display()
        ));
    }
    push(Role::Settings, settings.clone(), after, changes);
    Ok(())
}

/// Puts rivals back where they were.
fn plan_rivals(site: &Site<'_>, receipt: &Receipt, changes: &mut Changes) {
    for entry in receipt.entries.iter().filter(|it| it.role == Role::Rivals) {
        let mut files = Scope::ALL.iter().map(|it| site.in_scope(*it));
        let current = files.find_map(|other| {
            let current = other.read(&other.settings_file()).ok()?;
            (current.real == entry.path).then_some(current)
        });
        let Some(current) = current else { continue };
        let after = match current.text() {
            _ if current.bytes.as_ref() == Some(&entry.written) => entry.original.clone(),
            Ok(Some(text)) => {
                let original =
                    entry.original.as_deref().and_then(|it| std::str::from_utf8(it).ok());
                let reversed = reverse(original.unwrap_or_default(), &entry.edits, text);
                reversed.filter(|it| plan::read(it).is_ok()).map(String::into_bytes)
            }
            _ => None,
        };
        match after {
            Some(after) => push(Role::Rivals, current, Some(after), changes),
            None => changes.warnings.push(format!(
                "the hooks that were replaced in `{}` could not be put back, because the file \
                 was changed since",
                current.path.display()
            )),
        }
    }
}

fn plan_eval(
    site: &Site<'_>,
    receipt: &Receipt,
    changes: &mut Changes,
) -> Result<(), InstallError> {
    let path = site.config_file();
    let Some(entry) = receipt.entries.iter().find(|it| it.role == Role::Eval) else {
        return Ok(());
    };
    let current = site.read(&path)?;
    let Some(text) = current.text()? else { return Ok(()) };
    if current.real != entry.path {
        return Ok(());
    }
    let after = if current.bytes.as_ref() == Some(&entry.written) {
        entry.original.clone()
    } else {
        let refused = |problem| InstallError::Config { path: current.path.clone(), problem };
        undo_eval(entry, text).map_err(refused)?
    };
    push(Role::Eval, current, after, changes);
    Ok(())
}

/// Removes the skill and the template, if they are what we wrote and nothing
/// else uses them.
fn plan_texts(site: &Site<'_>, receipt: &Receipt, changes: &mut Changes) {
    let skill = (Role::Skill, Some(site.skill_file()), SKILL);
    let template = (Role::Template, site.template_file(), TEMPLATE);
    for (role, path, text) in [skill, template] {
        let Some(path) = path else { continue };
        let Ok(current) = site.read(&path) else { continue };
        let Some(bytes) = &current.bytes else { continue };
        let written = receipt.entry(role, &current.real).map(|it| &it.written);
        if bytes != text.as_bytes() && Some(bytes) != written {
            if written.is_some() {
                changes.notes.push(format!("`{}` was changed and stays", path.display()));
            }
            continue;
        }
        if neighbour(site).is_none() {
            push(role, current, None, changes);
        }
    }
}

/// Returns the other scope of the same project, if we are installed there too:
/// skill and template are then still needed.
fn neighbour<'a>(site: &Site<'a>) -> Option<(Site<'a>, Current)> {
    Scope::ALL.iter().filter(|it| **it != site.scope).find_map(|scope| {
        let other = site.in_scope(*scope);
        let current = other.read(&other.settings_file()).ok()?;
        let value = plan::read(current.text().ok()??).ok()?;
        let is_near = other.skill_file() == site.skill_file();
        (is_near && plan::own_hooks(&value) > 0).then_some((other, current))
    })
}

/// Returns the neighbour's receipt, with what we leave to it to remove later.
fn hand_over(site: &Site<'_>, receipt: &Receipt, changes: &Changes) -> Option<Receipt> {
    let (other, current) = neighbour(site)?;
    let mut kept = Receipt::load(&other.dirs.state, &current.real)?;
    let is_removed = |entry: &&Entry| changes.files.iter().any(|it| it.current.real == entry.path);
    let is_text = |it: &&Entry| matches!(it.role, Role::Skill | Role::Template);
    for entry in receipt.entries.iter().filter(is_text).filter(|it| !is_removed(it)) {
        kept.put(entry.clone());
    }
    kept.made_folders.extend(receipt.made_folders.iter().cloned());
    Some(kept)
}

fn push(role: Role, current: Current, after: Option<Vec<u8>>, changes: &mut Changes) {
    if current.bytes != after {
        changes.files.push(FileChange { role, current, after });
    }
}

/// Returns the scopes in which the agent's settings call us.
pub(crate) fn scopes_with_us(site: &Site<'_>) -> Vec<Scope> {
    let calls_us = |scope: &&Scope| {
        let other = site.in_scope(**scope);
        let Ok(current) = other.read(&other.settings_file()) else { return false };
        let value = current.text().ok().flatten().and_then(|it| plan::read(it).ok());
        value.is_some_and(|it| plan::own_hooks(&it) > 0)
    };
    Scope::ALL.iter().filter(calls_us).copied().collect()
}
