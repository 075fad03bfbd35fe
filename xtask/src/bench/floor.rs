//! The floor of every hook: reads stdin to its end, does nothing, exits.
//! Compiled on its own by `cargo xtask bench hook`, with the same flags as outrigger.

fn main() {
    let mut payload = Vec::new();
    let _ = std::io::Read::read_to_end(&mut std::io::stdin(), &mut payload);
}
