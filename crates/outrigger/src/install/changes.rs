//! A set of changes to files: shown as a diff, then made all or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use similar::TextDiff;

use crate::install::InstallError;
use crate::install::receipt::{Receipt, Role};
use crate::install::site::Current;
use crate::sys::fs::{NewFile, write_atomic};

/// Everything that one installation, or its removal, will do.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) files: Vec<FileChange>,
    /// What else the user should know.
    pub(crate) notes: Vec<String>,
    /// What the user should look at.
    pub(crate) warnings: Vec<String>,
    /// Rivals that stay.
    pub(crate) rivals: Vec<FoundRival>,
    pub(crate) receipts: Vec<ReceiptChange>,
}

/// One file that changes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FileChange {
    pub(crate) role: Role,
    pub(crate) current: Current,
    /// Its new content, or `None` when it is removed.
    pub(crate) after: Option<Vec<u8>>,
}

/// A rival's hook in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundRival {
    pub(crate) path: PathBuf,
    pub(crate) event: String,
    pub(crate) command: String,
}

/// What becomes of a receipt.
#[derive(Debug, PartialEq)]
pub(crate) enum ReceiptChange {
    Save(Receipt),
    /// Forgotten, and the folders that it made are removed if they are empty.
    Forget(Receipt),
}

impl FileChange {
    /// Returns the change as a unified diff.
    pub(crate) fn diff(&self) -> String {
        let text = |it: &Option<Vec<u8>>| {
            String::from_utf8_lossy(it.as_deref().unwrap_or_default()).into_owned()
        };
        let (before, after) = (text(&self.current.bytes), text(&self.after));
        let path = self.current.path.display().to_string();
        let name = |it: &Option<Vec<u8>>| match it {
            Some(_) => path.clone(),
            None => "/dev/null".to_owned(),
        };
        let (old, new) = (name(&self.current.bytes), name(&self.after));
        TextDiff::from_lines(&before, &after).unified_diff().header(&old, &new).to_string()
    }
}

impl Changes {
    /// Makes the changes, or none of them.
    pub(crate) fn make(&self, state: &Path) -> Result<(), InstallError> {
        for file in &self.files {
            if content(&file.current.real) != file.current.bytes {
                return Err(InstallError::Meanwhile { path: file.current.path.clone() });
            }
        }
        // The receipt first: an interrupted installation can still be undone.
        let mut replaced = Vec::new();
        for receipt in &self.receipts {
            if let ReceiptChange::Save(receipt) = receipt {
                replaced.push((receipt, Receipt::load(state, &receipt.settings)));
                receipt.save(state).map_err(|source| InstallError::State { source })?;
            }
        }
        for (file_idx, file) in self.files.iter().enumerate() {
            if let Err(source) = put(&file.current.real, file.after.as_deref()) {
                for done in &self.files[..file_idx] {
                    let _ = put(&done.current.real, done.current.bytes.as_deref());
                }
                self.remove_folders(|_| true);
                for (receipt, before) in replaced {
                    let _ = match before {
                        Some(before) => before.save(state),
                        None => Receipt::forget(state, &receipt.settings),
                    };
                }
                return Err(InstallError::Write { path: file.current.path.clone(), source });
            }
        }
        self.remove_folders(|it| matches!(it, ReceiptChange::Forget(_)));
        for receipt in &self.receipts {
            if let ReceiptChange::Forget(receipt) = receipt {
                Receipt::forget(state, &receipt.settings)
                    .map_err(|source| InstallError::State { source })?;
            }
        }
        Ok(())
    }

    /// Removes folders that we made, where nothing is left in them.
    fn remove_folders(&self, wanted: impl Fn(&ReceiptChange) -> bool) {
        for receipt in self.receipts.iter().filter(|it| wanted(it)) {
            let (ReceiptChange::Save(receipt) | ReceiptChange::Forget(receipt)) = receipt;
            // In the order of their names a folder comes before those in it.
            for folder in receipt.made_folders.iter().rev() {
                let _ = fs::remove_dir(folder);
            }
        }
    }
}

/// Returns the folders above a path that are missing.
pub(crate) fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1).take_while(|it| !it.exists());
    above.map(Path::to_path_buf).collect()
}

fn content(path: &Path) -> Option<Vec<u8>> {
    fs::read(path).ok()
}

fn put(path: &Path, bytes: Option<&[u8]>) -> std::io::Result<()> {
    match bytes {
        Some(bytes) => {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            write_atomic(path, bytes, NewFile::Shared).map(|_| ())
        }
        None => match fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_one_file_cannot_be_written_none_is() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        write_atomic(&at("first"), b"before", NewFile::Shared).unwrap();
        let change = |path: PathBuf, bytes: Option<&[u8]>| FileChange {
            role: Role::Settings,
            current: Current { real: path.clone(), path, bytes: bytes.map(<[u8]>::to_vec) },
            after: Some(b"after".to_vec()),
        };
        let mut receipt = Receipt::new(&at("first"));
        receipt.made_folders.insert(at("made"));
        let changes = Changes {
            files: vec![
                change(at("first"), Some(b"before")),
                change(at("made/second"), None),
                // A file where a folder must be.
                change(at("first/third"), None),
            ],
            receipts: vec![ReceiptChange::Save(receipt)],
            ..Changes::default()
        };
        let failed = changes.make(&at("state"));
        assert!(matches!(failed, Err(InstallError::Write { .. })), "{failed:?}");
        assert_eq!(content(&at("first")).as_deref(), Some(&b"before"[..]));
        assert!(!at("made").exists());
        assert_eq!(Receipt::load(&at("state"), &at("first")), None);
    }

    #[test]
    fn a_file_that_changed_since_it_was_read_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        write_atomic(&path, b"newer", NewFile::Shared).unwrap();
        let current =
            Current { path: path.clone(), real: path.clone(), bytes: Some(b"older".to_vec()) };
        let file = FileChange { role: Role::Settings, current, after: None };
        let changes = Changes { files: vec![file], ..Changes::default() };
        let failed = changes.make(dir.path());
        assert!(matches!(failed, Err(InstallError::Meanwhile { .. })), "{failed:?}");
        assert_eq!(content(&path).as_deref(), Some(&b"newer"[..]));
    }
}
