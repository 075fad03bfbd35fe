//! Emacs' lock links: `.#name` beside the file points to `user@host.pid`, or
//! `user@host.pid:boot`, exactly while the buffer is modified.

use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::editors::Unsaved;
use crate::editors::disk_signs::is_alive;

/// Returns the lock link that says `file` is modified.
pub(super) fn signs(file: &Path, real: &Path) -> Option<Unsaved> {
    let (folder, name) = (file.parent()?, file.file_name()?);
    let link = [b".#", name.as_bytes()].concat();
    let link = folder.join(std::ffi::OsString::from_vec(link));
    let meta = fs::symlink_metadata(&link).ok()?;
    if !meta.is_symlink() || meta.uid() != rustix::process::getuid().as_raw() {
        return None;
    }
    let target = fs::read_link(&link).ok()?;
    let (host, pid) = host_and_pid(target.to_str()?)?;
    let is_here = host == rustix::system::uname().nodename().to_string_lossy();
    // A lock from another machine, over a shared file system, cannot be
    // checked; it is believed.
    (!is_here || is_alive(pid, &["emacs"])).then(|| Unsaved {
        path: real.to_path_buf(),
        editor: "Emacs",
        pid: is_here.then_some(pid),
        is_visible: None,
        instance: None,
    })
}

fn host_and_pid(target: &str) -> Option<(&str, u32)> {
    let rest = target.split_once('@')?.1;
    let (host, rest) = rest.rsplit_once('.')?;
    let pid = rest.split(':').next()?;
    Some((host, pid.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_host_and_process() {
        assert_eq!(host_and_pid("ann@box.77"), Some(("box", 77)));
        assert_eq!(
            host_and_pid("ann@box.example.org.77:1700000000"),
            Some(("box.example.org", 77))
        );
        for target in ["ann@box", "box.77", "ann@box.x", ""] {
            assert_eq!(host_and_pid(target), None, "{target}");
        }
    }
}
