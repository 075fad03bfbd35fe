//! Any bytes as the payloads of hook calls in a throw-away world.
#![no_main]

#[path = "../../crates/outrigger/tests/it/hook_script.rs"]
mod hook_script;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hook_script::play(bytes));
