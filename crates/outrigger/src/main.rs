//! The binary: hands the arguments to the library and returns its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    outrigger::cli::run(std::env::args_os().skip(1).collect())
}
