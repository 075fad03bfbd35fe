//! VS Code's hot-exit backups: about a second after the first keystroke the
//! unsaved text lies in the editor's data folder; the first line of the backup
//! is the file's URI, a blank and a JSON object.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::editors::Unsaved;
use crate::sys::env;
use crate::sys::paths::{self, Dirs};

/// The data folders of VS Code and its kin below the folder for configuration.
const CONFIGURED: &[(&str, &str)] = &[
    ("Code", "VS Code"),
    ("Code - Insiders", "VS Code"),
    ("VSCodium", "VSCodium"),
    ("Cursor", "Cursor"),
    ("Windsurf", "Windsurf"),
];

/// A first line holds a path and a few numbers.
const MAX_LINE: u64 = 16 << 10;

/// Returns the backups that hold unsaved text of `real`.
pub(super) fn signs(real: &Path, dirs: &Dirs) -> Vec<Unsaved> {
    let mut found = Vec::new();
    for (folder, editor) in folders(dirs) {
        let files = entries(&folder)
            .flat_map(|workspace| entries(&workspace))
            .filter(|it| it.ends_with("file") || it.ends_with("vscode-remote"))
            .flat_map(|scheme| entries(&scheme));
        let is_ours = |it: &PathBuf| named_file(it).is_some_and(|it| paths::canonical(&it) == real);
        found.extend(files.filter(is_ours).map(|_| Unsaved {
            path: real.to_path_buf(),
            editor,
            pid: None,
            is_visible: None,
            instance: None,
        }));
    }
    found
}

fn folders(dirs: &Dirs) -> Vec<(PathBuf, &'static str)> {
    let config = dirs.config.parent().map(Path::to_path_buf).unwrap_or_default();
    let data = env::XDG_DATA_HOME.absolute_path().unwrap_or_else(|| dirs.home.join(".local/share"));
    let mut all: Vec<(PathBuf, &'static str)> = CONFIGURED
        .iter()
        .map(|(name, editor)| (config.join(name).join("Backups"), *editor))
        .collect();
    all.push((data.join("code-server/User/Backups"), "VS Code"));
    all.push((dirs.home.join(".vscode-server/data/User/Backups"), "VS Code"));
    all
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path())
}

/// Returns the file that a backup is of.
fn named_file(backup: &Path) -> Option<PathBuf> {
    let mut line = String::new();
    BufReader::new(File::open(backup).ok()?.take(MAX_LINE)).read_line(&mut line).ok()?;
    let uri = line.split_once(" {")?.0;
    let path = match uri.strip_prefix("file://") {
        Some(path) => path,
        None => {
            let rest = uri.strip_prefix("vscode-remote://")?;
            &rest[rest.find('/')?..]
        }
    };
    percent_decoded(path).map(PathBuf::from)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        match first {
            b'%' => {
                let digits = std::str::from_utf8(more.get(..2)?).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = &more[2..];
            }
            _ => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_names_its_file() {
        let folder = tempfile::tempdir().unwrap();
        for (line, expected) in [
            ("file:///a/b%20c.clj {\"mtime\":1}\n(ns", Some("/a/b c.clj")),
            ("vscode-remote://127.0.0.1:80/project/a.clj {\"mtime\":1}\n", Some("/project/a.clj")),
            ("untitled:Untitled-1 {\"typeId\":\"\"}\nx", None),
            ("", None),
        ] {
            let path = folder.path().join("backup");
            #[expect(clippy::disallowed_methods, reason = "a test's own file")]
            fs::write(&path, line).unwrap();
            assert_eq!(named_file(&path), expected.map(PathBuf::from), "{line}");
        }
    }
}
