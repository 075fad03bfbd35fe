//! Any bytes as a question to the repair.
#![no_main]

#[path = "../../crates/lisp/tests/sound/mod.rs"]
#[expect(dead_code, reason = "one check a target")]
mod sound;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sound::mend(bytes));
