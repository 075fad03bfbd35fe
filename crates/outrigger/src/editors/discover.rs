//! Finds the sockets of running editors: where editors put them by themselves,
//! and where `outrigger nvim` and our extension do.
//!
//! Only sockets that belong to us, lie in folders that others cannot tamper
//! with, and are no links are looked at.

use std::fs::{self, DirEntry};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::editors::{EDITORS, EditorKind, neovim};
use crate::sys::env;
use crate::sys::paths::Dirs;

/// A running editor that may be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Instance {
    pub(crate) kind: &'static EditorKind,
    pub(crate) socket: PathBuf,
    /// How it was found.
    pub(crate) found: Found,
    /// The process behind it; known once it has been connected to.
    pub(crate) pid: Option<u32>,
}

/// How an editor was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// We run inside of it.
    Around,
    /// By the socket it makes by itself.
    OwnSocket,
    /// By the socket that `outrigger nvim` or our extension has made.
    OurSocket,
}

impl PartialEq for EditorKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for EditorKind {}

/// Returns every instance whose socket can be found.
pub(crate) fn instances(dirs: &Dirs) -> Vec<Instance> {
    let mut found = Finder { uid: rustix::process::getuid().as_raw(), instances: Vec::new() };
    if let Some(socket) = env::NVIM.absolute_path() {
        found.add(&neovim::NEOVIM, Found::Around, socket);
    }
    // These folders may be links; what lies in them may not.
    let real = |it: PathBuf| it.canonicalize().ok();
    if let Some(runtime) = env::XDG_RUNTIME_DIR.absolute_path().and_then(real) {
        found.search_runtime_dir(&runtime);
    }
    let user = env::USER.get().and_then(|it| it.into_string().ok());
    for temporary in dirs.temporary.iter().cloned().filter_map(real) {
        found.search_temporary_dir(&temporary, user.as_deref());
    }
    found.instances
}

/// Returns the kind of editor behind one of our own socket names:
/// `<64 hex>-<pid>.sock` or `<64 hex>-vscode-<pid>.sock`.
pub(crate) fn kind_of_own_socket(name: &str) -> Option<(&'static EditorKind, u32)> {
    let rest = name.strip_suffix(".sock")?;
    let (hash, rest) = rest.split_once('-')?;
    if hash.len() != 64 || !hash.bytes().all(|it| it.is_ascii_hexdigit()) {
        return None;
    }
    EDITORS.iter().find_map(|kind| Some((*kind, rest.strip_prefix(kind.mark)?.parse().ok()?)))
}

/// Tells whether a socket is named as Neovim 0.8 and later do it:
/// `<name>.<pid>.<number>`, where the name is `nvim`, that of the user's
/// configuration, or what follows `--listen`.
fn is_neovim_name(name: &str) -> bool {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let mut parts = name.rsplitn(3, '.');
    let numbers = [parts.next(), parts.next()];
    numbers.iter().all(|it| it.is_some_and(is_number)) && parts.next().is_some()
}

struct Finder {
    uid: u32,
    instances: Vec<Instance>,
}

impl Finder {
    /// `$XDG_RUNTIME_DIR/nvim.<pid>.0`, as Neovim 0.8 and later do.
    fn search_runtime_dir(&mut self, folder: &Path) {
        self.each(folder, |finder, entry, name| {
            if is_neovim_name(name) {
                finder.add(&neovim::NEOVIM, Found::OwnSocket, entry.path());
            }
        });
    }

    /// In a folder for temporary things: our own sockets; `nvim<random>/0` of
    /// Neovim 0.7; `nvim.<user>/<random>/nvim.<pid>.0` of later ones, where the
    /// first word may be the name of the user's configuration.
    fn search_temporary_dir(&mut self, folder: &Path, user: Option<&str>) {
        self.each(folder, |finder, entry, name| {
            let is_users = user.is_some_and(|it| {
                name.strip_suffix(it).is_some_and(|it| it.len() > 1 && it.ends_with('.'))
            });
            if let Some((kind, _)) = kind_of_own_socket(name) {
                finder.add(kind, Found::OurSocket, entry.path());
            } else if name.starts_with("nvim.") || is_users {
                finder.each(&entry.path(), |finder, entry, _| {
                    finder.search_runtime_dir(&entry.path());
                });
            } else if name.starts_with("nvim") {
                finder.add(&neovim::NEOVIM, Found::OwnSocket, entry.path().join("0"));
            }
        });
    }

    fn each(&mut self, folder: &Path, mut visit: impl FnMut(&mut Self, &DirEntry, &str)) {
        if !self.is_trusted_folder(folder) {
            return;
        }
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if let Some(name) = entry.file_name().to_str() {
                visit(self, &entry, name);
            }
        }
    }

    /// A folder that others may write is trusted only if they cannot exchange
    /// what is ours in it.
    fn is_trusted_folder(&self, folder: &Path) -> bool {
        let Ok(meta) = fs::symlink_metadata(folder) else { return false };
        let (mode, owner) = (meta.mode(), meta.uid());
        let is_shared = mode & 0o022 != 0;
        let is_sticky = mode & 0o1000 != 0;
        meta.is_dir() && (owner == self.uid || owner == 0) && (!is_shared || is_sticky)
    }

    fn add(&mut self, kind: &'static EditorKind, found: Found, socket: PathBuf) {
        let Ok(meta) = fs::symlink_metadata(&socket) else { return };
        let is_ours = meta.file_type().is_socket() && meta.uid() == self.uid;
        if is_ours && !self.instances.iter().any(|it| it.socket == socket) {
            self.instances.push(Instance { kind, socket, found, pid: None });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_sockets_are_known_by_their_names() {
        let hash = "0123456789abcdef".repeat(4);
        let kind = |name: &str| kind_of_own_socket(name).map(|(kind, pid)| (kind.name, pid));
        assert_eq!(kind(&format!("{hash}-77.sock")), Some(("Neovim", 77)));
        assert_eq!(kind(&format!("{hash}-vscode-77.sock")), Some(("VS Code", 77)));
        for name in ["x-77.sock", &format!("{hash}-x.sock"), &format!("{hash}-77"), "a.sock"] {
            assert_eq!(kind(name), None, "{name}");
        }
    }

    #[test]
    fn neovims_own_sockets_are_known_by_their_names() {
        for name in ["nvim.77.0", "lazyvim.77.1", "my.config.77.0"] {
            assert!(is_neovim_name(name), "{name}");
        }
        for name in ["nvim.77", "77.0", "nvim", "nvim.x.0", "nvim.77.", "bus.0"] {
            assert!(!is_neovim_name(name), "{name}");
        }
    }

    #[test]
    fn sockets_and_folders_of_another_user_are_not_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("nvim.77.0");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let uid = rustix::process::getuid().as_raw();
        for (uid, n_found) in [(uid, 1), (uid + 1, 0)] {
            let mut finder = Finder { uid, instances: Vec::new() };
            finder.search_runtime_dir(folder.path());
            finder.add(&neovim::NEOVIM, Found::OwnSocket, socket.clone());
            assert_eq!(finder.instances.len(), n_found);
        }
    }
}
