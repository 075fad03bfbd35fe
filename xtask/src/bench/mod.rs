//! The benchmarks of the project, one module each: `cargo xtask bench <name>`.
//!
//! This file only finds the benchmark by its name; it knows nothing of what one measures.

mod guard;
mod hook;
mod instructions;
mod parinfer_cases;
pub(crate) mod repair;
mod subjects;

const NAMES: &str =
    "hint: `cargo xtask bench guard`, `hook`, `instructions`, `parinfer-cases` or `repair`";

/// Runs the benchmark named by the first argument with the rest of them.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let Some((name, rest)) = args.split_first() else {
        anyhow::bail!("a benchmark is missing\n{NAMES}");
    };
    match name.as_str() {
        "guard" => guard::run(rest),
        "hook" => hook::run(rest),
        "instructions" => instructions::run(rest),
        "parinfer-cases" => parinfer_cases::run(rest),
        "repair" => repair::run(rest),
        _ => anyhow::bail!("no benchmark `{name}`\n{NAMES}"),
    }
}
