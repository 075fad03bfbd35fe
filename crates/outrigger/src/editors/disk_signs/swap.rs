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

const HEADER: usize = 1008;
const PROGRAMS: &[&str] = &["vim", "vi", "view", "neovide", "ex"];

/// Returns the swap files that say `file` is modified.
pub(super) fn signs(file: &Path, real: &Path, dirs: &Dirs) -> Vec<Unsaved> {
    let mut found = Vec::new();
    for candidate in candidates(file, dirs) {
        // The first is `.swp`; while one is there, the next may be as well.
        for letter in (b'a'..=b'p').rev() {
            let Some(header) = read_header(&candidate.with_extension(ending(letter))) else {
                break;
            };
            found.extend(header.sign(file, real, dirs));
        }
    }
    found
}

fn ending(letter: u8) -> String {
    format!("sw{}", char::from(letter))
}

/// Returns where the first swap file may be, in all folders editors use.
fn candidates(file: &Path, dirs: &Dirs) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return Vec::new() };
    let mut found = vec![folder.join(joined(&[b".", name.as_bytes(), b".swp"]))];
    let flat = joined(&[name.as_bytes(), b".swp"]);
    let whole: Vec<u8> =
        file.as_os_str().as_bytes().iter().map(|it| if *it == b'/' { b'%' } else { *it }).collect();
    let whole = joined(&[&whole, b".swp"]);
    let data = env::XDG_DATA_HOME.absolute_path().unwrap_or_else(|| dirs.home.join(".local/share"));
    let state = dirs.state.parent().map(Path::to_path_buf).unwrap_or_default();
    let by_whole_name = [
        state.join("nvim/swap"),
        data.join("nvim/swap"),
        dirs.home.join(".vim/swap"),
        dirs.home.join(".vim/swapfiles"),
        dirs.home.join(".vim/tmp"),
        dirs.home.join(".vim/.swp"),
        dirs.home.join(".cache/vim/swap"),
        state.join("vim/swap"),
    ];
    for folder in &by_whole_name {
        found.push(folder.join(&whole));
        found.push(folder.join(&flat));
    }
    for folder in [dirs.home.join("tmp"), "/var/tmp".into(), "/tmp".into()] {
        found.push(folder.join(&flat));
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
    fn sign(&self, file: &Path, real: &Path, dirs: &Dirs) -> Option<Unsaved> {
        let name = OsString::from_vec(self.name.clone());
        let folder = file.parent().unwrap_or(Path::new("/"));
        let named = paths::absolute(&name.to_string_lossy(), folder, &dirs.home);
        let is_this_file = paths::canonical(&named) == real;
        let is_sign =
            self.is_modified && self.is_ours && is_this_file && is_alive(self.pid, PROGRAMS);
        is_sign.then(|| Unsaved {
            path: real.to_path_buf(),
            editor: editor_name(self.pid),
            pid: Some(self.pid),
            is_visible: None,
            instance: None,
        })
    }
}

fn editor_name(pid: u32) -> &'static str {
    match std::fs::read_to_string(format!("/proc/{pid}/comm")) {
        Ok(name) if name.contains("nvim") => "Neovim",
        _ => "Vim",
    }
}
