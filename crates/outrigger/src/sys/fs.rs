//! Files: how bytes reach the disk.
//!
//! A file is replaced, never written into: a reader sees the old bytes or the
//! new ones. Mode and owner stay, a symbolic link stays a link, and a file that
//! nobody may write is not written.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Metadata, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The mode of a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NewFile {
    /// As the user's umask says.
    Shared,
    /// Readable by the user alone.
    Private,
}

/// Replaces the content of `path`, or makes the file. Does nothing when the
/// content is the same already; tells whether it wrote.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8], new_file: NewFile) -> io::Result<bool> {
    replace(path, bytes, new_file, Safety::SurvivesPowerCut)
}

/// Replaces or makes a private file of ours whose loss at a power cut would not
/// matter. Waiting for the disk would cost a hook more than all it does.
pub(crate) fn write_passing(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    replace(path, bytes, NewFile::Private, Safety::SurvivesOurEnd)
}

/// What a write must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Safety {
    SurvivesPowerCut,
    SurvivesOurEnd,
}

fn replace(path: &Path, bytes: &[u8], new_file: NewFile, safety: Safety) -> io::Result<bool> {
    let target = match fs::canonicalize(path) {
        Ok(real) => real,
        Err(error) if error.kind() == ErrorKind::NotFound => dangling_target(path)?,
        Err(error) => return Err(error),
    };
    let present = match fs::metadata(&target) {
        Ok(meta) => Some(meta),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(meta) = &present {
        if !meta.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
        }
        // Replacing needs only the folder to be writable; a read-only file is
        // somebody's wish all the same.
        if meta.permissions().readonly() {
            return Err(io::Error::new(ErrorKind::PermissionDenied, "the file is read-only"));
        }
        if meta.len() == bytes.len() as u64 && fs::read(&target)? == bytes {
            return Ok(false);
        }
    }
    let temporary = TemporaryFile::beside(&target, new_file)?;
    temporary.fill(bytes, present.as_ref())?;
    if safety == Safety::SurvivesPowerCut {
        // Some file systems report a full disk only here.
        temporary.file.sync_all()?;
    }
    temporary.become_file(&target)?;
    Ok(true)
}

/// Returns the content of a regular file. Anything else (a pipe, a device) and
/// anything larger than `max_bytes` is an error: reading it might never end.
pub(crate) fn read_regular(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    // Opening a pipe that nobody writes would wait for somebody who does.
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len().min(max_bytes)).unwrap_or(0));
    file.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "the file is too large"));
    }
    Ok(bytes)
}

/// Appends one line in one write, so that lines of several processes do not mix.
pub(crate) fn append_line(path: &Path, line: &str) -> io::Result<()> {
    let mut file = File::options().append(true).create(true).mode(0o600).open(path)?;
    file.write_all(format!("{line}\n").as_bytes())
}

/// Makes a folder, and those above it, for the user alone.
pub(crate) fn private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Returns where a link that points nowhere points to, or the path itself.
fn dangling_target(path: &Path) -> io::Result<PathBuf> {
    match fs::read_link(path) {
        Ok(link) => Ok(path.parent().unwrap_or(Path::new("/")).join(link)),
        Err(_) => Ok(path.to_path_buf()),
    }
}

/// A file of ours beside its target; removed again unless it becomes the target.
struct TemporaryFile {
    path: PathBuf,
    file: File,
    is_done: bool,
}

impl TemporaryFile {
    fn beside(target: &Path, new_file: NewFile) -> io::Result<Self> {
        let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else {
            return Err(io::Error::new(ErrorKind::InvalidInput, "not a file name"));
        };
        let mode = match new_file {
            NewFile::Shared => 0o666,
            NewFile::Private => 0o600,
        };
        // Long names leave no room for a suffix; the end of a name tells more.
        let name = &name.as_bytes()[name.len().saturating_sub(180)..];
        for n_tries in 0_u32.. {
            let mut own: OsString = ".outrigger-".into();
            own.push(format!("{}-{n_tries}-", std::process::id()));
            own.push(String::from_utf8_lossy(name).as_ref());
            let path = folder.join(own);
            match File::options().write(true).create_new(true).mode(mode).open(&path) {
                Ok(file) => return Ok(Self { path, file, is_done: false }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists && n_tries < 100 => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(ErrorKind::AlreadyExists, "no free name for a temporary file"))
    }

    fn fill(&self, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
        (&self.file).write_all(bytes)?;
        if let Some(old) = old {
            let own = self.file.metadata()?;
            if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
                // Only the superuser may give files away; for anybody else the
                // new file is simply theirs.
                let _ = std::os::unix::fs::fchown(&self.file, Some(old.uid()), Some(old.gid()));
            }
            self.file.set_permissions(Permissions::from_mode(old.mode() & 0o7777))?;
        }
        Ok(())
    }

    fn become_file(mut self, target: &Path) -> io::Result<()> {
        #[expect(clippy::disallowed_methods, reason = "this is write_atomic")]
        fs::rename(&self.path, target)?;
        self.is_done = true;
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !self.is_done {
            let _ = fs::remove_file(&self.path);
        }
    }
}
