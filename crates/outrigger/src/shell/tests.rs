//! The table of command lines (`tests/fixtures/shell/`), and what holds for any
//! text at all.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::{Strategy, any, prop, proptest};

use super::*;

/// Each block is a command line after `$`, its further lines after `>`, and then
/// what it writes, one line each; `?` says that something was not read.
const TABLE: &[(&str, &str)] = &[
    ("redirections", include_str!("../../tests/fixtures/shell/redirections.txt")),
    ("harmless", include_str!("../../tests/fixtures/shell/harmless.txt")),
    ("programs", include_str!("../../tests/fixtures/shell/programs.txt")),
    ("git", include_str!("../../tests/fixtures/shell/git.txt")),
    ("nested", include_str!("../../tests/fixtures/shell/nested.txt")),
    ("scripts", include_str!("../../tests/fixtures/shell/scripts.txt")),
];

fn of(command: &str) -> Writes {
    writes(command, Path::new("/project"), Path::new("/home/user"))
}

/// Returns the path as it would be written in the project.
fn short(path: &Path) -> String {
    match path.strip_prefix("/project") {
        Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
        Ok(below) => below.display().to_string(),
        Err(_) => path.display().to_string(),
    }
}

fn render(writes: &Writes) -> String {
    let mut out = String::new();
    for target in &writes.targets {
        let place = match &target.place {
            Place::File(path) => short(path),
            Place::FileOrEntry { path, entry } => format!("{} or {}", short(path), short(entry)),
            Place::Tree(path) => format!("tree {}", short(path)),
            Place::Glob(glob) => format!("names {}", short(Path::new(&glob.source()))),
            Place::WorkTree(dir) => format!("work tree of {}", short(dir)),
            Place::FileOrWorkTree { path, dir } => {
                format!("{} or work tree of {}", short(path), short(dir))
            }
        };
        let how = format!("{:?}", target.how).to_lowercase();
        writeln!(out, "{how} {place}").unwrap();
    }
    for patch in &writes.patches {
        let dir = patch.dir.as_deref().map_or_else(String::new, short);
        writeln!(out, "patch {} lines in {dir}", patch.text.lines().count()).unwrap();
    }
    if !writes.is_complete {
        out.push_str("?\n");
    }
    if out.is_empty() {
        out.push_str("nothing\n");
    }
    out
}

/// Returns the command lines of a table, and what they should write.
fn blocks(table: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    for line in table.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            blocks.push((command.to_owned(), String::new()));
            continue;
        }
        let Some((command, expected)) = blocks.last_mut() else { continue };
        match line.strip_prefix('>') {
            Some(more) if expected.is_empty() => {
                command.push('\n');
                command.push_str(more.strip_prefix(' ').unwrap_or(more));
            }
            _ if line.is_empty() => {}
            _ => {
                expected.push_str(line);
                expected.push('\n');
            }
        }
    }
    blocks
}

#[test]
fn command_lines_write_what_the_table_says() {
    let mut wrong = String::new();
    let mut n_lines = 0;
    for (name, table) in TABLE {
        for (command, expected) in blocks(table) {
            n_lines += 1;
            let found = render(&of(&command));
            if found != expected {
                writeln!(wrong, "{name}: $ {command}\nexpected:\n{expected}found:\n{found}")
                    .unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(n_lines >= 120, "{n_lines}");
}

#[test]
fn places_cover_files() {
    for (command, file, expected) in [
        ("rm -r src", "/project/src/a/b.clj", true),
        ("rm -r src", "/project/srcs/b.clj", false),
        ("rm src", "/project/src/b.clj", false),
        ("cp a dir", "/project/dir", true),
        ("cp a dir", "/project/dir/a", true),
        ("cp a dir", "/project/dir/b", false),
        ("mv src/a dir", "/project/src/a", true),
        ("mv src/a dir", "/project/dir/a", true),
        ("sed -i s/a/b/ src/*.clj", "/project/src/a.clj", true),
        ("sed -i s/a/b/ src/*.clj", "/project/src/x/a.clj", false),
        ("git stash", "/project/src/a.clj", true),
        ("git checkout x", "/elsewhere/a.clj", false),
        ("find . -name '*.clj' -delete", "/project/.hidden/a.clj", true),
        ("rm -r *", "/project/.hidden/a.clj", false),
    ] {
        let is_covered = of(command).targets.iter().any(|it| it.place.covers(Path::new(file)));
        assert_eq!(is_covered, expected, "{command}: {file}");
    }
}

/// Far above what is needed, far below what anyone would notice as a hang.
const LONG: Duration = Duration::from_secs(20);

#[test]
fn a_megabyte_of_anything_is_read_in_bounded_time() {
    let n_bytes = 1 << 20;
    let unit = [
        "(",
        "{ ",
        "((",
        "$(",
        "${x:-",
        "\"$(",
        "`",
        "\\`",
        "<<A ",
        "<<A\n",
        "[[ ",
        "case x in ",
        "if ",
        "for x in ",
        "f() ",
        "!",
        "a=(",
        "{a,",
        "{1..99}",
        "a ",
        ";",
        "&",
        "|",
        ">",
        "> a ",
        "'",
        "\"",
        "$'",
        "#",
        "\\\n",
        "x=$x$x;",
        "*?",
        "@(",
        "eval ",
        "bash -c '",
        "echo a | xargs ",
        "cat <<A\n$(cat <<A\n",
        "find -exec ",
        "sudo ",
        "é",
        "\u{0}",
        "${",
        "$((",
        "<(",
        "rm a;",
        "python -c 'open(",
        "for i in {1..99}; do ",
    ];
    for unit in unit {
        let text = unit.repeat(n_bytes / unit.len());
        let started = Instant::now();
        of(&text);
        assert!(started.elapsed() < LONG, "{unit}: {:?}", started.elapsed());
    }
}

#[test]
fn loops_in_loops_end() {
    let values = "1 2 3 4 5 6 7 8 9 10";
    let mut command = "echo > $a".to_owned();
    for name in ["a", "b", "c", "d", "e", "f"] {
        command = format!("for {name} in {values}; do {command}; done");
    }
    let started = Instant::now();
    let writes = of(&command);
    assert!(!writes.is_complete);
    assert!(started.elapsed() < LONG);
}

#[test]
fn nesting_of_every_sort_at_once_stays_on_the_stack() {
    let inner = ["( ", "\"$(", "{ ", "${x:-", "if a; then ", "<(", "`echo "].concat().repeat(50);
    let inner = inner.replace('"', "\\\"").replace('$', "\\$").replace('`', "\\`");
    let command = format!("f() {{ eval \"$1\"; f \"$1\"; }}; f \"{inner}\"; echo > a");
    let writes = of(&command);
    assert_eq!(render(&writes), "write a\n?\n");
    let command = format!("{} '{}'; echo > a", "eval ".repeat(55), "( { ".repeat(500));
    assert_eq!(render(&of(&command)), "write a\n?\n");
}

#[test]
fn values_that_double_end() {
    let command = format!("x=aaaaaaaaaaaaaaaa; {} echo > $x", "x=$x$x; ".repeat(64));
    let started = Instant::now();
    of(&command);
    assert!(started.elapsed() < LONG);
}

/// Texts that look like command lines.
fn lines() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "rm",
        "cp",
        "sed",
        "-i",
        "echo",
        "a",
        "b.clj",
        ">",
        ">>",
        "<",
        "<<E",
        "\nE\n",
        "&&",
        "||",
        ";",
        "|",
        "&",
        "(",
        ")",
        "{",
        "}",
        "$(",
        "`",
        "'",
        "\"",
        "$x",
        "${x",
        "${x%",
        "x=",
        "if",
        "then",
        "fi",
        "for",
        "in",
        "do",
        "done",
        "case",
        "esac",
        ";;",
        "while",
        "[[",
        "]]",
        "((",
        "))",
        "\n",
        "#",
        "\\",
        "*",
        "?",
        "[",
        "{a,b}",
        "git",
        "checkout",
        "find",
        "-exec",
        "{}",
        "\\;",
        "xargs",
        "bash",
        "-c",
        "eval",
        "python",
        "tar",
        "xf",
        "~",
        "é",
        "function",
        "f()",
        "cd",
        "..",
        "set",
        "--",
        "\"$@\"",
        "apply_patch",
        "*** Update File: a",
        "2>&1",
        "<(",
        ">(",
    ]);
    prop::collection::vec((words, any::<bool>()), 0..40).prop_map(|words| {
        words
            .into_iter()
            .map(|(word, has_blank)| word.to_owned() + if has_blank { " " } else { "" })
            .collect()
    })
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in any::<String>()) {
        of(&text);
    }

    #[test]
    fn any_line_is_read_without_a_panic(text in lines()) {
        of(&text);
    }

    #[test]
    fn quoted_text_writes_nothing(text in "[^'\u{0}]*") {
        let found = of(&format!("echo '{text}'"));
        assert_eq!(render(&found), "nothing\n");
    }

    #[test]
    fn a_here_document_writes_nothing(body in lines()) {
        proptest::prop_assume!(!body.lines().any(|it| it.trim() == "END"));
        let found = of(&format!("cat > a <<'END'\n{body}\nEND\nrm b"));
        assert_eq!(render(&found), "write a\ndelete b\n");
    }

    #[test]
    fn a_quoted_name_is_written_as_it_is(name in "[^'\u{0}/\u{fffd}\u{f8f1}]{1,20}") {
        proptest::prop_assume!(!matches!(name.as_str(), "." | ".."));
        let found = of(&format!("echo > '{name}'; rm -- '{name}'"));
        let path = Path::new("/project").join(&name);
        let expected = [How::Write, How::Delete].map(|how| {
            Target { place: Place::File(path.clone()), how }
        });
        assert_eq!(found.targets, expected);
    }
}
