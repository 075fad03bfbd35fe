//! Times a hook as an agent feels it: from starting the process to its end.
//!
//! All subjects take turns within each round, so that a busy machine is busy for
//! all of them alike; what counts is the ratio to the floor in the same run.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::subjects;

struct Subject {
    name: String,
    program: PathBuf,
    args: &'static [&'static str],
    payload: String,
    micros: Vec<f64>,
}

/// Options: `--rounds N` (default 300), `--no-peers`.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let n_rounds = match args.iter().position(|it| it == "--rounds").and_then(|at| args.get(at + 1))
    {
        Some(rounds) => rounds.parse()?,
        None => 300,
    };
    let world = subjects::World::new()?;
    let mut subjects = subjects_of(&world, !args.iter().any(|it| it == "--no-peers"))?;
    for n_round in 0..n_rounds + 5 {
        for subject in &mut subjects {
            let mut command = Command::new(&subject.program);
            command.args(subject.args).env_clear().env("HOME", world.path());
            command.current_dir(world.path());
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            let started = Instant::now();
            subjects::feed(&mut command, &subject.payload)?;
            // The first rounds fill caches.
            if n_round >= 5 {
                subject.micros.push(started.elapsed().as_secs_f64() * 1e6);
            }
        }
    }
    report(&mut subjects, n_rounds);
    Ok(())
}

fn subjects_of(world: &subjects::World, with_peers: bool) -> anyhow::Result<Vec<Subject>> {
    let payloads = subjects::payloads(world.path());
    let quiet = payloads[0].1.clone();
    let subject = |name: &str, program: PathBuf, args, payload: &str| Subject {
        name: name.to_owned(),
        program,
        args,
        payload: payload.to_owned(),
        micros: Vec::new(),
    };
    let outrigger = subjects::outrigger()?;
    let mut all = vec![
        subject("floor (static, reads stdin)", subjects::floor()?, &[], &quiet),
        subject("/bin/true", "/bin/true".into(), &[], &quiet),
    ];
    for (name, payload) in &payloads {
        let name = format!("outrigger hook, {name}");
        all.push(subject(&name, outrigger.clone(), subjects::HOOK_ARGS, payload));
    }
    if with_peers {
        match subjects::sidekick() {
            Ok(program) => {
                all.push(subject("sidekick 0.8.2 hook, nothing to do", program, &["hook"], &quiet));
            }
            Err(error) => eprintln!("sidekick is left out: {error:#}"),
        }
    }
    Ok(all)
}

fn report(subjects: &mut [Subject], n_rounds: usize) {
    println!("{n_rounds} rounds, all subjects in turn; milliseconds\n");
    println!("| subject | min | p50 | p95 | p50 / floor |\n|---|---|---|---|---|");
    let mut floor = None;
    for subject in subjects {
        subject.micros.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let last = subject.micros.len().saturating_sub(1);
            subject.micros.get((last as f64 * share) as usize).copied().unwrap_or(f64::NAN) / 1e3
        };
        let p50 = at(0.5);
        let floor = *floor.get_or_insert(p50);
        println!(
            "| {} | {:.2} | {p50:.2} | {:.2} | {:.2} |",
            subject.name,
            at(0.0),
            at(0.95),
            p50 / floor
        );
    }
}
