//! Replays the corpus that is kept for the fuzz targets, so that what a fuzzer
//! found once is checked in every test run.

mod sound;

use std::fs;
use std::path::Path;

fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut n_replayed = 0;
    for entry in fs::read_dir(&folder).expect("the corpus is part of the checkout") {
        let path = entry.expect("the folder can be listed").path();
        let bytes = fs::read(&path).expect("a file of the corpus can be read");
        let name = path.display().to_string();
        if std::panic::catch_unwind(|| check(&bytes)).is_err() {
            panic!("`{name}` does not hold; the reason is above");
        }
        n_replayed += 1;
    }
    assert!(n_replayed >= 8, "only {n_replayed} files for `{target}`");
}

#[test]
fn the_corpus_of_read_holds() {
    replay("read", sound::read);
}

#[test]
fn the_corpus_of_edn_holds() {
    replay("edn", sound::edn);
}

#[test]
fn the_corpus_of_mend_holds() {
    replay("mend", sound::mend);
}

#[test]
fn a_script_is_taken_apart() {
    let script = sound::Script::parse("#lang hy\n(a)\n%%\n(«b»)«".as_bytes());
    assert_eq!(script.dialect.name, "hy");
    assert_eq!(script.before.as_deref(), Some("(a)"));
    assert_eq!(script.broken, "(b)");
    assert_eq!(script.spans.as_slice(), std::slice::from_ref(&(1..2)));
}
