//! What an installation did, kept in our state folder so that it can be undone:
//! for each file its bytes before, the bytes we wrote, and the edits between.
//!
//! The bytes lie beside the receipt under the hash of their content, so that a
//! receipt never points to something half written.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::install::jsonc::Edit;
use crate::sys::fs::{NewFile, private_dir, write_atomic};

/// What an installation into one settings file did.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Receipt {
    /// The settings file, with links resolved.
    pub(crate) settings: PathBuf,
    /// Folders that were not there before.
    pub(crate) made_folders: BTreeSet<PathBuf>,
    pub(crate) entries: Vec<Entry>,
}

/// What was done to one file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) role: Role,
    pub(crate) path: PathBuf,
    /// `None` when there was no file.
    pub(crate) original: Option<Vec<u8>>,
    pub(crate) written: Vec<u8>,
    /// The edits from `original` to `written`, where the file is edited.
    pub(crate) edits: Vec<Edit>,
}

/// Why a file is part of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The settings file that calls us.
    Settings,
    /// A settings file of another scope that called a rival.
    Rivals,
    /// What teaches the agent our commands.
    Skill,
    /// The commented `hooks.edn`.
    Template,
    /// The configuration with the choice of how edits are evaluated.
    Eval,
}

const ROLES: &[(Role, &str)] = &[
    (Role::Settings, "settings"),
    (Role::Rivals, "rivals"),
    (Role::Skill, "skill"),
    (Role::Template, "template"),
    (Role::Eval, "eval"),
];

const FILE: &str = "receipt.json";

impl Receipt {
    pub(crate) fn new(settings: &Path) -> Self {
        let settings = settings.to_path_buf();
        Self { settings, made_folders: BTreeSet::new(), entries: Vec::new() }
    }

    /// Returns the receipt of the installation into that file, if it is whole.
    pub(crate) fn load(state: &Path, settings: &Path) -> Option<Self> {
        let folder = folder(state, settings);
        let value = serde_json::from_slice(&fs::read(folder.join(FILE)).ok()?).ok()?;
        let receipt = from_json(&value, &folder)?;
        (receipt.settings == settings).then_some(receipt)
    }

    /// Writes the receipt, and the bytes it speaks of.
    pub(crate) fn save(&self, state: &Path) -> io::Result<()> {
        let folder = folder(state, &self.settings);
        private_dir(&folder)?;
        let texts = self.entries.iter().flat_map(|it| it.original.iter().chain([&it.written]));
        let mut names: BTreeSet<String> = BTreeSet::from([FILE.to_owned()]);
        for bytes in texts {
            write_atomic(&folder.join(name(bytes)), bytes, NewFile::Private)?;
            names.insert(name(bytes));
        }
        let text = format!("{:#}\n", self.to_json());
        write_atomic(&folder.join(FILE), text.as_bytes(), NewFile::Private)?;
        for entry in fs::read_dir(&folder)?.flatten() {
            if !entry.file_name().to_str().is_some_and(|it| names.contains(it)) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Forgets the installation into that file.
    pub(crate) fn forget(state: &Path, settings: &Path) -> io::Result<()> {
        match fs::remove_dir_all(folder(state, settings)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns the entry for a file in a role.
    pub(crate) fn entry(&self, role: Role, path: &Path) -> Option<&Entry> {
        self.entries.iter().find(|it| it.role == role && it.path == path)
    }

    /// Puts an entry in, in place of an older one for the same file.
    pub(crate) fn put(&mut self, entry: Entry) {
        self.entries.retain(|it| it.role != entry.role || it.path != entry.path);
        self.entries.push(entry);
    }

    fn to_json(&self) -> Value {
        let entry = |it: &Entry| {
            let role = ROLES.iter().find(|row| row.0 == it.role).map(|row| row.1);
            let edit = |it: &Edit| json!({ "start": it.start, "end": it.end, "text": it.text });
            json!({
                "role": role,
                "path": path_to_json(&it.path),
                "original": it.original.as_deref().map(name),
                "written": name(&it.written),
                "edits": it.edits.iter().map(edit).collect::<Vec<_>>(),
            })
        };
        json!({
            "version": 1,
            "settings": path_to_json(&self.settings),
            "made_folders": self.made_folders.iter().map(|it| path_to_json(it)).collect::<Vec<_>>(),
            "entries": self.entries.iter().map(entry).collect::<Vec<_>>(),
        })
    }
}

/// Returns the folder of the installation into that file.
pub(crate) fn folder(state: &Path, settings: &Path) -> PathBuf {
    let key = &blake3::hash(settings.as_os_str().as_bytes()).to_hex()[..32];
    state.join("install").join(key)
}

fn name(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}

fn from_json(value: &Value, folder: &Path) -> Option<Receipt> {
    let bytes = |name: &Value| {
        let bytes = fs::read(folder.join(name.as_str()?)).ok()?;
        (self::name(&bytes) == name.as_str()?).then_some(bytes)
    };
    let edit = |it: &Value| {
        let place = |key| usize::try_from(it.get(key)?.as_u64()?).ok();
        let text = it.get("text")?.as_str()?.to_owned();
        Some(Edit { start: place("start")?, end: place("end")?, text })
    };
    let entry = |it: &Value| {
        let role = it.get("role")?.as_str()?;
        let original = match it.get("original")? {
            Value::Null => None,
            name => Some(bytes(name)?),
        };
        Some(Entry {
            role: ROLES.iter().find(|row| row.1 == role)?.0,
            path: path_from_json(it.get("path")?)?,
            original,
            written: bytes(it.get("written")?)?,
            edits: it.get("edits")?.as_array()?.iter().map(edit).collect::<Option<_>>()?,
        })
    };
    if value.get("version")?.as_u64()? != 1 {
        return None;
    }
    let made_folders = value.get("made_folders")?.as_array()?.iter().map(path_from_json);
    Some(Receipt {
        settings: path_from_json(value.get("settings")?)?,
        made_folders: made_folders.collect::<Option<_>>()?,
        entries: value.get("entries")?.as_array()?.iter().map(entry).collect::<Option<_>>()?,
    })
}

/// A path need not be Unicode; JSON text must.
fn path_to_json(path: &Path) -> Value {
    match path.to_str() {
        Some(text) => json!(text),
        None => json!(path.as_os_str().as_bytes()),
    }
}

fn path_from_json(value: &Value) -> Option<PathBuf> {
    if let Some(text) = value.as_str() {
        return Some(PathBuf::from(text));
    }
    let byte = |it: &Value| u8::try_from(it.as_u64()?).ok();
    let bytes = value.as_array()?.iter().map(byte).collect::<Option<Vec<u8>>>()?;
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_receipt_reads_back_and_is_private() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let odd =
            PathBuf::from(OsString::from_vec(b"/home/\xff \"'/.claude/settings.json".to_vec()));
        let mut receipt = Receipt::new(&odd);
        receipt.made_folders.insert("/home/x/.claude".into());
        let edits = vec![Edit { start: 1, end: 2, text: "é\r\n".to_owned() }];
        let entry = Entry {
            role: Role::Settings,
            path: odd.clone(),
            original: Some(b"\xff".to_vec()),
            written: Vec::new(),
            edits,
        };
        receipt.put(entry.clone());
        receipt.put(Entry { original: None, ..entry });
        receipt.save(&state).unwrap();
        assert_eq!(Receipt::load(&state, &odd), Some(receipt));
        assert_eq!(Receipt::load(&state, Path::new("/elsewhere")), None);
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let folder = folder(&state, &odd);
        assert_eq!(mode(&folder), 0o700);
        let files: Vec<_> = fs::read_dir(&folder).unwrap().flatten().collect();
        assert_eq!(files.len(), 2, "what no entry needs is gone");
        assert!(files.iter().all(|it| mode(&it.path()) == 0o600));
        fs::remove_file(folder.join(name(b""))).unwrap();
        assert_eq!(Receipt::load(&state, &odd), None, "a torn receipt is none");
        Receipt::forget(&state, &odd).unwrap();
        Receipt::forget(&state, &odd).unwrap();
    }
}
