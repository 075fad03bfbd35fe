//! The Clojure files that cases are made of: built once from package archives by
//! name, then read from the cache directory. Nothing of a package is executed,
//! and nothing is known here of what the files are used for.
#![expect(
    clippy::disallowed_methods,
    reason = "a developer's chore writes to its own cache and has no hook to protect"
)]

mod fetch;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::rng::hash;

/// Which archive the files come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Archive {
    /// Debian packages whose name ends in `-clojure`, and a few more.
    Debian,
    /// Contrib libraries from Maven Central, without what Debian has too.
    Maven,
}

/// Which packages a run looks at. The tools may be tuned on one half only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    Tuned,
    HeldOut,
}

/// A file of a corpus.
#[derive(Debug)]
pub(crate) struct SourceFile {
    pub(crate) package: String,
    /// The path inside the package.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) n_lines: usize,
}

/// All files of an archive.
#[derive(Debug)]
pub(crate) struct Corpus {
    pub(crate) files: Vec<SourceFile>,
}

impl Archive {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Archive::Debian => "debian",
            Archive::Maven => "maven",
        }
    }
}

impl Half {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Half::Tuned => "tuned",
            Half::HeldOut => "held-out",
        }
    }

    /// Returns the half a package belongs to: by its name, so that a new version
    /// of it or a new package beside it moves nothing.
    pub(crate) fn of(package: &str) -> Half {
        if hash(package.as_bytes()) & 1 == 0 { Half::Tuned } else { Half::HeldOut }
    }
}

impl SourceFile {
    pub(crate) fn new(
        package: impl Into<String>,
        path: impl Into<String>,
        text: impl Into<String>,
    ) -> SourceFile {
        let text = text.into();
        SourceFile {
            package: package.into(),
            path: path.into(),
            n_lines: text.matches('\n').count(),
            text,
        }
    }

    /// Returns what names the same file in another package or version of it: the
    /// last three parts of the path. Shorter paths (`project.clj`) name nothing.
    fn likeness(&self) -> Option<String> {
        let parts: Vec<&str> = self.path.rsplit('/').take(3).collect();
        (parts.len() == 3).then(|| parts.join("/"))
    }
}

impl Corpus {
    /// Reads the corpus from the cache, and builds it there first when it is missing.
    pub(crate) fn open(archive: Archive) -> Result<Corpus> {
        let folder = crate::cache_dir()?.join("corpus").join(archive.name());
        let files = folder.join("files");
        if !files.is_dir() {
            let found = match archive {
                Archive::Debian => fetch::debian(&folder.join("work"))?,
                Archive::Maven => fetch::maven(&folder.join("work"))?,
            };
            let known = match archive {
                Archive::Debian => Vec::new(),
                Archive::Maven => {
                    Corpus::open(Archive::Debian).map_or_else(|_| Vec::new(), |it| it.files)
                }
            };
            store(&folder, &distinct(found, &known))?;
        }
        let mut corpus = Corpus { files: Vec::new() };
        for package in sorted_entries(&files)? {
            let name = file_name(&package);
            read_sources(&package, &package, &name, &mut corpus.files)?;
        }
        anyhow::ensure!(!corpus.files.is_empty(), "the corpus in `{}` is empty", folder.display());
        Ok(corpus)
    }

    /// Returns the files of one half.
    pub(crate) fn half(&self, half: Half) -> Vec<&SourceFile> {
        self.files.iter().filter(|it| Half::of(&it.package) == half).collect()
    }

    /// Returns a line that tells one corpus from another: packages, files, lines,
    /// and a fingerprint of the contents.
    pub(crate) fn describe(&self) -> String {
        let packages: BTreeSet<&str> = self.files.iter().map(|it| it.package.as_str()).collect();
        let n_lines: usize = self.files.iter().map(|it| it.n_lines).sum();
        let fingerprint =
            self.files.iter().fold(0, |sum: u64, it| sum.wrapping_add(hash(it.text.as_bytes())));
        format!(
            "{} packages, {} files, {n_lines} lines, fingerprint {fingerprint:016x}",
            packages.len(),
            self.files.len()
        )
    }
}

/// Leaves out contents that were there before, and files that look like another
/// version of one that was: the halves and the archives must not share code.
fn distinct(files: Vec<SourceFile>, known: &[SourceFile]) -> Vec<SourceFile> {
    let mut contents: HashSet<u64> = known.iter().map(|it| hash(it.text.as_bytes())).collect();
    let mut likes: BTreeMap<String, String> =
        known.iter().filter_map(|it| Some((it.likeness()?, it.package.clone()))).collect();
    let mut is_new = |file: &SourceFile| {
        let owner = file
            .likeness()
            .map(|like| likes.entry(like).or_insert_with(|| file.package.clone()).clone());
        let is_likeness = owner.is_some_and(|it| it != file.package);
        contents.insert(hash(file.text.as_bytes())) && !is_likeness
    };
    files.into_iter().filter(|it| is_new(it)).collect()
}

/// Writes the files, and renames the folder into place when all are written, so
/// that an interrupted run leaves no half of a corpus behind.
fn store(folder: &Path, files: &[SourceFile]) -> Result<()> {
    let partial = folder.join("files.partial");
    if partial.exists() {
        fs::remove_dir_all(&partial)?;
    }
    for file in files {
        let path = partial.join(&file.package).join(&file.path);
        let parent = path.parent().context("a file has a folder")?;
        fs::create_dir_all(parent)
            .with_context(|| format!("failed to make `{}`", parent.display()))?;
        fs::write(&path, &file.text)
            .with_context(|| format!("failed to write `{}`", path.display()))?;
    }
    fs::rename(&partial, folder.join("files")).context("failed to put the corpus in place")
}

/// Reads the Clojure sources under `folder`; symbolic links are not followed.
fn read_sources(
    root: &Path,
    folder: &Path,
    package: &str,
    files: &mut Vec<SourceFile>,
) -> Result<()> {
    for entry in sorted_entries(folder)? {
        let kind = fs::symlink_metadata(&entry)?.file_type();
        if kind.is_dir() {
            read_sources(root, &entry, package, files)?;
        } else if kind.is_file() && is_source(&entry) {
            // A file that is not UTF-8 is no Clojure file anyone can edit.
            let Ok(text) = fs::read_to_string(&entry) else { continue };
            let path = entry.strip_prefix(root).unwrap_or(&entry).to_string_lossy().into_owned();
            if !text.trim().is_empty() {
                files.push(SourceFile::new(package, path, text));
            }
        }
    }
    Ok(())
}

fn is_source(path: &Path) -> bool {
    const EXTENSIONS: &[&str] = &["clj", "cljs", "cljc", "edn", "bb"];
    path.extension().is_some_and(|it| EXTENSIONS.iter().any(|known| it == *known))
}

fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("failed to list `{}`", folder.display()))?;
    let mut paths = entries.map(|it| Ok(it?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_and_likenesses_are_kept_once() {
        let files = vec![
            SourceFile::new("a", "x/y/core.clj", "1"),
            SourceFile::new("a", "z.clj", "1"),
            SourceFile::new("b", "src/x/y/core.clj", "2"),
            SourceFile::new("b", "project.clj", "3"),
            SourceFile::new("c", "project.clj", "4"),
        ];
        let kept: Vec<String> =
            distinct(files, &[]).iter().map(|it| format!("{} {}", it.package, it.path)).collect();
        assert_eq!(kept, ["a x/y/core.clj", "b project.clj", "c project.clj"]);
    }

    #[test]
    fn known_files_are_left_out() {
        let known = [SourceFile::new("k", "p/q/r.clj", "1")];
        let files =
            vec![SourceFile::new("a", "p/q/r.clj", "2"), SourceFile::new("a", "s.clj", "1")];
        assert_eq!(distinct(files, &known).len(), 0);
    }

    #[test]
    fn a_package_has_one_half_and_both_halves_are_used() {
        let names: Vec<String> = (0..100).map(|it| format!("lib{it}-clojure")).collect();
        let n_tuned = names.iter().filter(|it| Half::of(it) == Half::Tuned).count();
        assert!((30..70).contains(&n_tuned), "{n_tuned}");
        // Changing the split would make an earlier "held-out" figure a lie.
        let known = ["leiningen", "libring-core-clojure", "core.logic"];
        assert_eq!(known.map(Half::of), [Half::HeldOut, Half::HeldOut, Half::Tuned]);
    }
}
