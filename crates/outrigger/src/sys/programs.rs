//! Where programs are: on `PATH`, and our own.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::sys::env;

/// Returns the program that a shell would run for `name`.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = env::PATH.get()?;
    std::env::split_paths(&path)
        .filter(|it| it.is_absolute())
        .map(|folder| folder.join(name))
        .find(|it| is_executable(it))
}

/// Returns the path under which this program should be called later.
///
/// That is its place on `PATH` if it has one, even if that is a link: package
/// managers move the file behind the link with every version.
pub(crate) fn own_path() -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let linked = find("outrigger").filter(|it| it.canonicalize().is_ok_and(|real| real == own));
    Ok(linked.unwrap_or(own))
}

/// Tells whether a program at this path is likely to be gone soon: it lies in a
/// folder for temporary files or for what a build makes.
pub(crate) fn is_short_lived(path: &Path) -> bool {
    let temporary = env::TMPDIR.absolute_path();
    let is_temporary = temporary.is_some_and(|it| path.starts_with(it))
        || path.starts_with("/tmp")
        || path.starts_with("/var/tmp");
    let parts: Vec<_> = path.iter().collect();
    let is_built = parts.iter().any(|it| *it == "target")
        && parts.iter().any(|it| *it == "debug" || *it == "release");
    is_temporary || is_built
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_and_temporary_copies_are_short_lived() {
        for (path, expected) in [
            ("/usr/local/bin/outrigger", false),
            ("/home/user/target/outrigger", false),
            ("/home/user/outrigger/target/release/outrigger", true),
            ("/home/user/outrigger/target/some-host/debug/outrigger", true),
            ("/tmp/outrigger", true),
        ] {
            assert_eq!(is_short_lived(Path::new(path)), expected, "{path}");
        }
    }
}
