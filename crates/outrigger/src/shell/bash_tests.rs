//! The real bash, asked to run made-up command lines in an empty folder: what it
//! writes must be what we say it will write, no more and no less.
#![expect(clippy::disallowed_methods, reason = "starts the shell that is compared with")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proptest::prelude::{ProptestConfig, Strategy, prop, prop_oneof, proptest};

use super::*;

/// Names that need quotes, in every way of quoting.
fn names() -> impl Strategy<Value = String> {
    let letters = prop::sample::select(vec![
        "a", "b", "c", "-", ".clj", " ", "*", "?", "[x]", "{a,b}", "{", "}", "$x", "$(x)", "`",
        "'", "\"", "\\", ";", "&", "|", ">", "<", "(", ")", "#", "~", "!", "=", "é", "\t", "\n",
    ]);
    let name = prop::collection::vec(letters, 1..5).prop_map(|it| format!("n{}", it.concat()));
    (name, 0..4_usize).prop_map(|(name, style)| match style {
        0 => format!("'{}'", name.replace('\'', "'\\''")),
        1 => format!("\"{}\"", escaped(&name, |it| "\"$`\\".contains(it))),
        2 if !name.contains('\n') => escaped(&name, |it| !it.is_alphanumeric()),
        _ => format!("$'{}'", escaped(&name, |it| "'\\".contains(it))),
    })
}

fn escaped(text: &str, is_special: impl Fn(char) -> bool) -> String {
    text.chars().fold(String::new(), |out, it| match is_special(it) {
        true => format!("{out}\\{it}"),
        false => format!("{out}{it}"),
    })
}

fn commands() -> impl Strategy<Value = String> {
    let harmless = prop::sample::select(vec![
        "echo 'x > y'",
        "echo \"$(echo 'a > b')\" >/dev/null",
        "echo $((3 > 2))",
        "[[ b > a ]]",
        "(( 2 > 1 ))",
        "echo a \\> b",
        "echo x 2>&1",
        "echo x >&2 2>/dev/null",
        "echo a#b # > c\n:",
        "wc -c <<< 'x > y' > /dev/null",
    ]);
    let writing = (names(), 0..8_usize).prop_map(|(name, kind)| match kind {
        0 => format!("echo x > {name}"),
        1 => format!("echo x 2>> {name}"),
        2 => format!("> {name} echo x"),
        3 => format!("echo x | tee {name} > /dev/null"),
        4 => format!("v={name}; echo x > \"$v\""),
        5 => format!("set -- {name}; echo x &> \"$1\""),
        6 => format!("cat > {name} <<'EOF'\nx > y\n'\nEOF\n:"),
        _ => format!("f() {{ echo x > \"$1\"; }}; f {name}"),
    });
    let simple = prop_oneof![harmless.prop_map(str::to_owned), writing];
    simple.prop_recursive(3, 12, 2, |inner| {
        (inner.clone(), inner, 0..9_usize).prop_map(|(one, two, kind)| match kind {
            0 => format!("{one}; {two}"),
            1 => format!("{one} &&\n{{ {two}; }}"),
            2 => format!("( {one} )\n{two}"),
            3 => format!("{{ {one}; }}; {two}"),
            4 => format!("if true; then {one}; fi\n{two}"),
            5 => format!("for i in 1 2; do {one}; done; {two}"),
            6 => format!("mkdir -p d; (cd d && {one}); {two}"),
            7 => format!("case x in (x) {one} ;; esac; {two}"),
            _ => format!("bash -c '{}'; {two}", one.replace('\'', "'\\''")),
        })
    })
}

fn files_below(dir: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.insert(path);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn bash_writes_what_we_say(command in commands()) {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().canonicalize().unwrap();
        let status = Command::new("bash")
            .args(["--norc", "-c", &command])
            .current_dir(&dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(status.is_ok(), "bash must be there");
        let mut written = BTreeSet::new();
        files_below(&dir, &mut written);
        let said = writes(&command, &dir, Path::new("/home/user"));
        let said_files: BTreeSet<PathBuf> = said
            .targets
            .iter()
            .map(|it| match &it.place {
                Place::File(path) => path.clone(),
                other => panic!("{command}: {other:?}"),
            })
            .collect();
        assert_eq!(said_files, written, "{command}");
        assert!(said.is_complete, "{command}");
    }
}
