//! Replays the corpus that is kept for the fuzz target `hook`.

use std::fs;
use std::path::Path;

use crate::hook_script;

#[test]
fn the_corpus_of_hook_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/hook");
    let mut n_replayed = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let script = fs::read(&path).unwrap();
        let played = std::panic::catch_unwind(|| hook_script::play(&script));
        assert!(played.is_ok(), "`{}` does not hold; the reason is above", path.display());
        n_replayed += 1;
    }
    assert!(n_replayed >= 8, "{n_replayed}");
}
