//! Fetches packages and unpacks the Clojure sources in them, with the tools every
//! Debian machine (`apt-get`, `dpkg-deb`, `unzip`) or Java developer (`mvn`) has.
//! Which of the files are kept is decided elsewhere.
#![expect(
    clippy::disallowed_methods,
    reason = "a developer's chore may start programs and write to its own cache"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::{SourceFile, file_name, read_sources, sorted_entries};

/// Packages with much Clojure in them whose names do not end in `-clojure`.
const MORE_DEBIAN: &[&str] = &["clojure", "leiningen", "libclojure-java"];

/// Contrib libraries, pinned, so that the same cases come out tomorrow.
const MAVEN: &[(&str, &str)] = &[
    ("algo.generic", "1.0.1"),
    ("algo.monads", "0.2.1"),
    ("clojurescript", "1.12.42"),
    ("core.contracts", "0.0.6"),
    ("core.incubator", "0.1.4"),
    ("core.logic", "1.1.0"),
    ("core.match", "1.1.1"),
    ("core.rrb-vector", "0.2.1"),
    ("core.typed", "0.6.0"),
    ("core.unify", "0.7.1"),
    ("data.avl", "0.2.0"),
    ("data.codec", "0.2.1"),
    ("data.finger-tree", "0.1.1"),
    ("data.fressian", "1.1.1"),
    ("data.int-map", "1.3.1"),
    ("data.json", "2.5.2"),
    ("data.xml", "0.2.0-alpha11"),
    ("data.zip", "1.1.0"),
    ("java.data", "1.4.120"),
    ("java.jdbc", "0.7.12"),
    ("jvm.tools.analyzer", "0.6.1"),
    ("math.combinatorics", "0.3.2"),
    ("math.numeric-tower", "0.1.0"),
    ("test.check", "1.1.3"),
    ("test.generative", "1.1.0"),
    ("tools.analyzer", "1.2.2"),
    ("tools.build", "0.9.2"),
    ("tools.deps", "0.31.1646"),
    ("tools.emitter.jvm", "0.1.0-beta5"),
    ("tools.gitlibs", "2.6.217"),
    ("tools.trace", "0.8.0"),
];

/// Fetches the Debian packages into `work` and returns their sources.
pub(super) fn debian(work: &Path) -> Result<Vec<SourceFile>> {
    let archives = work.join("deb");
    fs::create_dir_all(&archives)?;
    let listing = output(
        Command::new("apt-cache").args(["search", "--names-only", "--", "-clojure$"]),
        work,
    )?;
    let mut names: Vec<&str> =
        listing.lines().filter_map(|it| it.split_whitespace().next()).collect();
    names.extend(MORE_DEBIAN);
    names.sort_unstable();
    names.dedup();
    let had: Vec<String> = sorted_entries(&archives)?.iter().map(|it| package_of(it)).collect();
    names.retain(|it| !had.iter().any(|package| package == it));
    if !names.is_empty() {
        output(Command::new("apt-get").arg("download").args(names), &archives)?;
    }
    let mut files = Vec::new();
    for archive in sorted_entries(&archives)? {
        let package = package_of(&archive);
        let unpacked = work.join("unpacked").join(&package);
        if !unpacked.is_dir() {
            fs::create_dir_all(&unpacked)?;
            output(Command::new("dpkg-deb").arg("-x").args([&archive, &unpacked]), work)?;
            unpack_jars(&unpacked, &unpacked.join("jars"))?;
        }
        read_sources(&unpacked, &unpacked, &package, &mut files)?;
    }
    Ok(files)
}

/// Fetches the contrib libraries into `work` and returns their sources.
pub(super) fn maven(work: &Path) -> Result<Vec<SourceFile>> {
    let jars = work.join("jar");
    fs::create_dir_all(&jars)?;
    // Only the libraries themselves: what they depend on may be in no archive we use.
    let dependencies: String = MAVEN
        .iter()
        .map(|(name, version)| {
            format!(
                "<dependency><groupId>org.clojure</groupId><artifactId>{name}</artifactId>\
                 <version>{version}</version><exclusions><exclusion><groupId>*</groupId>\
                 <artifactId>*</artifactId></exclusion></exclusions></dependency>"
            )
        })
        .collect();
    let project = format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>outrigger-dev</groupId>\
         <artifactId>corpus</artifactId><version>1</version><dependencies>{dependencies}</dependencies></project>"
    );
    fs::write(work.join("pom.xml"), project)?;
    let mut copy = Command::new("mvn");
    copy.args([
        "--quiet",
        "--batch-mode",
        "dependency:copy-dependencies",
        "-DexcludeTransitive=true",
    ]);
    copy.arg(format!("-DoutputDirectory={}", jars.display()));
    output(&mut copy, work)?;
    let mut files = Vec::new();
    for (name, _) in MAVEN {
        let unpacked = work.join("unpacked").join(name);
        for jar in sorted_entries(&jars)? {
            let is_of_package = file_name(&jar).strip_prefix(name).is_some_and(|it| {
                it.strip_prefix('-')
                    .is_some_and(|version| version.starts_with(|it: char| it.is_ascii_digit()))
            });
            if is_of_package {
                unpack_jar(&jar, &unpacked)?;
            }
        }
        if unpacked.is_dir() {
            read_sources(&unpacked, &unpacked, name, &mut files)?;
        }
    }
    Ok(files)
}

/// Unpacks the sources of every jar under `folder`, each into a folder of its own.
fn unpack_jars(folder: &Path, target: &Path) -> Result<()> {
    for entry in sorted_entries(folder)? {
        let kind = fs::symlink_metadata(&entry)?.file_type();
        if kind.is_dir() && entry != target {
            unpack_jars(&entry, target)?;
        } else if kind.is_file() && entry.extension().is_some_and(|it| it == "jar") {
            unpack_jar(&entry, &target.join(file_name(&entry)))?;
        }
    }
    Ok(())
}

fn unpack_jar(jar: &Path, target: &Path) -> Result<()> {
    fs::create_dir_all(target)?;
    let mut unzip = Command::new("unzip");
    unzip
        .args(["-qq", "-o"])
        .arg(jar)
        .args(["*.clj", "*.cljs", "*.cljc", "*.edn", "*.bb", "-d"])
        .arg(target);
    let status = unzip.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let status = status.context("failed to start `unzip`\nhint: install it")?;
    // 1 is a warning, 11 means that no file matched: a jar of Java classes only.
    let harmless = matches!(status.code(), Some(0 | 1 | 11));
    anyhow::ensure!(harmless, "`unzip` failed on `{}`: {status}", jar.display());
    Ok(())
}

/// Returns the package name of `name_version_architecture.deb`.
fn package_of(archive: &Path) -> String {
    let name = file_name(archive);
    name.split('_').next().unwrap_or(&name).to_owned()
}

fn output(command: &mut Command, folder: &Path) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command.current_dir(folder).stdin(Stdio::null()).output().with_context(|| {
        format!("failed to start `{program}`\nhint: install it, or choose another `--corpus`")
    })?;
    // Maven complains on stdout, everybody else on stderr.
    let complaint = [done.stderr, done.stdout.clone()].concat();
    let complaint = String::from_utf8_lossy(&complaint);
    anyhow::ensure!(done.status.success(), "`{program}` failed: {}", complaint.trim());
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}
