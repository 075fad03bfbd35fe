//! Vim's and Neovim's swap files.
//!
//! The header of a swap file holds the process id (bytes 24 to 27, little
//! endian), the file's name (from byte 108, `~user/…` possible) and, at byte
//! 1007, 0x55 exactly while the buffer is modified. It is written at once, so
//! it tells the truth even of an editor that is suspended.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::editors::Unsaved;
use crate::editors::disk_signs::is_alive;
use crate::sys::env;
use crate::sys::paths::{self, Dirs};
use crate::sys::process::Process;

const HEADER: usize = 1008;
const PROGRAMS: &[&str] = &["vim", "vi", "view", "neovide", "ex"];

/// While the first editors of a file come and go, those that came later keep
/// the names they got; so many are looked for in any case.
const N_LOOKED_FOR: usize = 3;

/// Returns the swap files that say `file` is modified.
pub(super) fn signs(file: &Path, real: &Path, dirs: &Dirs) -> Vec<Unsaved> {
    let mut found = Vec::new();
    for (folder, stems) in places(file, dirs) {
        // Nearly all of them are not there.
        if !folder.is_dir() {
            continue;
        }
        for stem in stems {
            for (idx, letter) in (b'a'..=b'p').rev().enumerate() {
                let name = joined(&[stem.as_bytes(), b".sw", &[letter]]);
                match read_header(&folder.join(name)) {
                    Some(header) => found.extend(header.sign(real, dirs)),
                    None if idx + 1 < N_LOOKED_FOR => {}
                    None => break,
                }
            }
        }
    }
    found
}

/// Returns which of these files a process holds unsaved, by its open swap files.
pub(super) fn held_by(pid: u32, wanted: &[PathBuf], dirs: &Dirs) -> Vec<Unsaved> {
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let swaps = open.filter_map(|it| std::fs::read_link(it.path()).ok()).filter(|it| {
        let ending = it.extension().and_then(|it| it.to_str());
        ending.is_some_and(|it| it.len() == 3 && it.starts_with("sw"))
    });
    let headers: Vec<Header> = swaps.filter_map(|it| read_header(&it)).collect();
    let mut found = Vec::new();
    for real in wanted {
        found.extend(headers.iter().filter_map(|it| it.sign(real, dirs)));
    }
    found
}

/// Returns the folders that editors use for swap files, each with the names that
/// one of this file would have there, without the ending.
fn places(file: &Path, dirs: &Dirs) -> Vec<(PathBuf, Vec<OsString>)> {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return Vec::new() };
    // Beside the file a dot is put before the name, unless there is one.
    let dot: &[u8] = if name.as_bytes().starts_with(b".") { b"" } else { b"." };
    let whole = file.as_os_str().as_bytes().iter();
    let whole: Vec<u8> = whole.map(|it| if *it == b'/' { b'%' } else { *it }).collect();
    let both = || vec![joined(&[&whole]), name.to_owned()];
    let data = env::XDG_DATA_HOME.absolute_path().unwrap_or_else(|| dirs.home.join(".local/share"));
    let state = dirs.state.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut found = vec![(folder.to_path_buf(), vec![joined(&[dot, name.as_bytes()])])];
    for folder in [state.join("nvim/swap"), data.join("nvim/swap"), state.join("vim/swap")] {
        found.push((folder, both()));
    }
    for below_home in [".vim/swap", ".vim/swapfiles", ".vim/tmp", ".vim/.swp", ".cache/vim/swap"] {
        found.push((dirs.home.join(below_home), both()));
    }
    for folder in [dirs.home.join("tmp"), "/var/tmp".into(), "/tmp".into()] {
        found.push((folder, both()));
    }
    found
}

fn joined(parts: &[&[u8]]) -> OsString {
    OsString::from_vec(parts.concat())
}

struct Header {
    pid: u32,
    name: Vec<u8>,
    is_modified: bool,
    is_ours: bool,
}

fn read_header(path: &Path) -> Option<Header> {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW;
    let flags = i32::try_from(flags.bits()).ok()?;
    let mut file = File::options().read(true).custom_flags(flags).open(path).ok()?;
    let meta = file.metadata().ok()?;
    let mut bytes = [0; HEADER];
    if !meta.is_file() {
        return None;
    }
    file.read_exact(&mut bytes).ok()?;
    if !bytes.starts_with(b"b0") {
        return None;
    }
    let name = bytes[108..].split(|it| *it == 0).next().unwrap_or_default().to_vec();
    Some(Header {
        pid: u32::from_le_bytes([bytes[24], bytes[25], bytes[26], bytes[27]]),
        name,
        is_modified: bytes[1007] == 0x55,
        is_ours: meta.uid() == rustix::process::getuid().as_raw(),
    })
}

impl Header {
    fn sign(&self, real: &Path, dirs: &Dirs) -> Option<Unsaved> {
        if !self.is_modified || !self.is_ours {
            return None;
        }
        let is_this_file = self.names(&dirs.home).iter().any(|it| paths::canonical(it) == real);
        (is_this_file && is_alive(self.pid, PROGRAMS)).then(|| Unsaved {
            path: real.to_path_buf(),
            editor: editor_name(self.pid),
            pid: Some(self.pid),
            is_visible: None,
            instance: None,
        })
    }
}

impl Header {
    /// Returns what the name may mean. `~user/x` is how Vim shortens what lies
    /// below `$HOME`, which need not be the folder that the system has for them.
    fn names(&self, home: &Path) -> Vec<PathBuf> {
        let name = String::from_utf8_lossy(&self.name).into_owned();
        let mut names = vec![paths::absolute(&name, Path::new("/"), home)];
        if let Some((_, below)) = name.strip_prefix('~').and_then(|it| it.split_once('/')) {
            names.push(home.join(below));
        }
        names
    }
}

fn editor_name(pid: u32) -> &'static str {
    let is_neovim = Process::of(pid).is_some_and(|it| it.name.contains("nvim"));
    if is_neovim { "Neovim" } else { "Vim" }
}
