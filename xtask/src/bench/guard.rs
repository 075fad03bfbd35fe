//! Times a hook beside real Neovims: none, one, five, and suspended ones, with
//! the peer in the same places.
//!
//! All settings take turns within each round, so that a busy machine is busy for
//! all of them alike; what counts is the difference to no editor in the same run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::subjects;
use crate::setup;

/// What may be between a human and the hook.
struct Setting {
    name: &'static str,
    n_editors: usize,
    n_suspended: usize,
    /// How much longer than without an editor half of all hooks may take.
    bar: Option<Duration>,
}

const SETTINGS: &[Setting] = &[
    Setting { name: "no editor", n_editors: 0, n_suspended: 0, bar: None },
    Setting {
        name: "1 Neovim",
        n_editors: 1,
        n_suspended: 0,
        bar: Some(Duration::from_micros(300)),
    },
    Setting {
        name: "5 Neovims",
        n_editors: 5,
        n_suspended: 0,
        bar: Some(Duration::from_micros(600)),
    },
    Setting {
        name: "1 of 5 suspended",
        n_editors: 5,
        n_suspended: 1,
        bar: Some(Duration::from_millis(220)),
    },
    Setting {
        name: "4 of 5 suspended",
        n_editors: 5,
        n_suspended: 4,
        bar: Some(Duration::from_millis(220)),
    },
];

/// The peer waits seconds for each suspended editor; it is asked this rarely.
const ROUNDS_PER_SLOW_ONE: usize = 50;

/// One program in one setting.
struct Subject<'a> {
    setting: &'a Setting,
    program: &'a Path,
    args: &'static [&'static str],
    is_peer: bool,
    place: PathBuf,
    editors: Vec<Editor>,
    millis: Vec<f64>,
}

/// Options: `--rounds N` (default 200), `--no-peers`, `--check`.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let n_rounds = match args.iter().position(|it| it == "--rounds").and_then(|at| args.get(at + 1))
    {
        Some(rounds) => rounds.parse()?,
        None => 200,
    };
    let outrigger = subjects::outrigger()?;
    let sidekick = match args.iter().any(|it| it == "--no-peers") {
        true => None,
        false => {
            subjects::sidekick().inspect_err(|it| eprintln!("sidekick is left out: {it:#}")).ok()
        }
    };
    let neovim = setup::neovim()?;
    let world = subjects::World::new()?;
    let mut subjects = Vec::new();
    let both = [(Some(&outrigger), subjects::HOOK_ARGS), (sidekick.as_ref(), &["hook"])];
    for setting in SETTINGS {
        for (program, args) in both {
            let Some(program) = program else { continue };
            let is_peer = program != &outrigger;
            // Whoever calls a suspended editor stays in its queue, so they do
            // not share one.
            let place = world.path().join(subjects.len().to_string());
            for folder in ["tmp", "project"] {
                fs::create_dir_all(place.join(folder))?;
            }
            fs::write(place.join("project/a.txt"), "one\ntwo\n")?;
            let editors = (0..setting.n_editors).map(|_| Editor::start(&neovim, &place));
            let editors = editors.collect::<anyhow::Result<Vec<Editor>>>()?;
            let millis = Vec::new();
            subjects.push(Subject { setting, program, args, is_peer, place, editors, millis });
        }
    }
    for n_round in 0..n_rounds + 5 {
        // Whoever comes after the suspended ones finds colder caches.
        subjects.rotate_left(1);
        for subject in &mut subjects {
            let is_slow = subject.is_peer && subject.setting.n_suspended > 0;
            if is_slow && n_round % ROUNDS_PER_SLOW_ONE != 0 {
                continue;
            }
            let millis = subject.time()?;
            // The first rounds fill caches.
            if n_round >= 5 || is_slow {
                subject.millis.push(millis);
            }
        }
    }
    subjects.sort_by_key(|it| it.place.clone());
    report(&mut subjects, n_rounds);
    match args.iter().any(|it| it == "--check") {
        true => check(&subjects),
        false => Ok(()),
    }
}

impl Subject<'_> {
    fn time(&self) -> anyhow::Result<f64> {
        let suspended = &self.editors[..self.setting.n_suspended];
        for editor in suspended {
            editor.suspend()?;
        }
        let project = self.place.join("project");
        let payload = &subjects::payloads(&project)[0].1;
        let mut command = Command::new(self.program);
        command.args(self.args).env_clear().current_dir(&project);
        command.env("HOME", &self.place).env("TMPDIR", self.place.join("tmp"));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = Instant::now();
        subjects::feed(&mut command, payload)?;
        let millis = started.elapsed().as_secs_f64() * 1e3;
        for editor in suspended {
            editor.go_on()?;
        }
        Ok(millis)
    }

    /// Returns the time below which this share of the hooks stayed. The times
    /// must have been sorted.
    fn at(&self, share: f64) -> f64 {
        let last = self.millis.len().saturating_sub(1);
        self.millis.get((last as f64 * share) as usize).copied().unwrap_or(f64::NAN)
    }
}

/// A Neovim with the file open, and the link by which the peer finds it. The
/// link means nothing to outrigger, which finds the socket itself.
struct Editor {
    child: Child,
    link: PathBuf,
}

impl Editor {
    fn start(program: &Path, place: &Path) -> anyhow::Result<Self> {
        let (project, tmp) = (place.join("project"), place.join("tmp"));
        let before = fs::read_dir(&tmp)?.count();
        let card = tmp.join(format!("card-{before}"));
        let hand_in = format!("au VimEnter * call writefile([v:servername], '{}')", card.display());
        let mut command = Command::new(program);
        command.args(["--clean", "-n", "--headless", "--cmd", &hand_in, "a.txt"]);
        command.env_clear().env("HOME", place).env("TMPDIR", &tmp).current_dir(&project);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().context("failed to start Neovim")?;
        let hash = blake3::hash(project.to_string_lossy().as_bytes()).to_hex();
        let link = PathBuf::from(format!("/tmp/{hash}-{}.sock", child.id()));
        let editor = Self { child, link };
        let socket = await_line(&card)?;
        std::os::unix::fs::symlink(socket, &editor.link)?;
        Ok(editor)
    }

    fn suspend(&self) -> anyhow::Result<()> {
        self.kill("-STOP")?;
        await_state(self.child.id(), |it| it == 'T')
    }

    /// Lets it go on, until it has nothing more to do: then nobody waits in its
    /// queue.
    fn go_on(&self) -> anyhow::Result<()> {
        self.kill("-CONT")?;
        await_state(self.child.id(), |it| it == 'S')
    }

    fn kill(&self, signal: &str) -> anyhow::Result<()> {
        setup::succeed(Command::new("kill").args([signal, &self.child.id().to_string()]))
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.link);
    }
}

fn await_state(pid: u32, is_wanted: fn(char) -> bool) -> anyhow::Result<()> {
    let stat = format!("/proc/{pid}/stat");
    let state = || fs::read_to_string(&stat).ok()?.rsplit_once(") ")?.1.chars().next();
    let started = Instant::now();
    while !state().is_some_and(is_wanted) {
        if started.elapsed() > Duration::from_secs(60) {
            bail!("Neovim does not change its state");
        }
        std::thread::park_timeout(Duration::from_micros(200));
    }
    Ok(())
}

fn await_line(path: &Path) -> anyhow::Result<String> {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(60) {
        let text = fs::read_to_string(path).unwrap_or_default();
        if let Some(line) = text.strip_suffix('\n') {
            return Ok(line.to_owned());
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
    bail!("Neovim did not start")
}

fn report(subjects: &mut [Subject<'_>], n_rounds: usize) {
    for subject in subjects.iter_mut() {
        subject.millis.sort_by(f64::total_cmp);
    }
    println!("{n_rounds} rounds, all settings in turn; milliseconds\n");
    println!(
        "| setting | hook | min | p50 | p95 | p50 over no editor |\n|---|---|---|---|---|---|"
    );
    for subject in &*subjects {
        let name = if subject.is_peer { "sidekick 0.8.2" } else { "outrigger" };
        let over = subject.at(0.5) - alone(subjects, subject.is_peer);
        println!(
            "| {} | {name} | {:.2} | {:.2} | {:.2} | {over:+.2} |",
            subject.setting.name,
            subject.at(0.0),
            subject.at(0.5),
            subject.at(0.95),
        );
    }
}

/// Returns what half of all hooks take without an editor.
fn alone(subjects: &[Subject<'_>], is_peer: bool) -> f64 {
    let alone = subjects.iter().find(|it| it.is_peer == is_peer && it.setting.n_editors == 0);
    alone.map_or(f64::NAN, |it| it.at(0.5))
}

fn check(subjects: &[Subject<'_>]) -> anyhow::Result<()> {
    for subject in subjects.iter().filter(|it| !it.is_peer) {
        let Some(bar) = subject.setting.bar else { continue };
        let over = subject.at(0.5) - alone(subjects, subject.is_peer);
        if over > bar.as_secs_f64() * 1e3 {
            bail!("{}: {over:.2} ms over no editor, the bar is {bar:?}", subject.setting.name);
        }
    }
    Ok(())
}
