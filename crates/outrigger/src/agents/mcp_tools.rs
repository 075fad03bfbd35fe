//! Which files an MCP tool writes, as far as its name and input tell.
//!
//! MCP tools are the same for every agent, so this is shared. Tools that are
//! known by name come first; of the others, those whose name speaks of writing
//! and whose input names a file are taken to write it.

use std::path::Path;

use serde_json::Value;

use crate::event::{FileOp, Replacement};
use crate::sys::paths;

/// Keys under which tools name the file they work on.
const PATH_KEYS: &[&str] = &[
    "file_path",
    "filePath",
    "path",
    "relative_path",
    "pathInProject",
    "filename",
    "file",
    "destination",
    "source",
    "new_path",
    "old_path",
    "notebook_path",
];

/// Words in a tool's name that say it writes.
const WRITING: &[&str] = &[
    "write", "edit", "replace", "insert", "append", "create", "patch", "update", "delete",
    "remove", "move", "rename", "save", "format", "modify", "put",
];

/// Returns the files that the MCP tool `name` (without its server) writes.
pub(super) fn files(name: &str, input: &Value, cwd: &Path, home: &Path) -> Vec<FileOp> {
    if !is_writing(name) {
        return Vec::new();
    }
    let named = |key: &str| {
        let written = input.get(key).and_then(Value::as_str)?;
        let usable = !written.is_empty() && !written.contains('\0') && !written.contains("://");
        usable.then(|| paths::absolute(written, cwd, home))
    };
    let mut ops: Vec<FileOp> =
        PATH_KEYS.iter().filter_map(|key| named(key)).map(|path| FileOp::Opaque { path }).collect();
    // The reference file system server: whole texts and exact replacements can
    // be judged like the agent's own.
    if let (Some(path), Some(content)) =
        (named("path"), input.get("content").and_then(Value::as_str))
        && name == "write_file"
    {
        ops = vec![FileOp::Write { path, content: content.to_owned() }];
    } else if let (Some(path), Some(edits)) =
        (named("path"), input.get("edits").and_then(Value::as_array))
        && name == "edit_file"
    {
        let edits: Option<Vec<Replacement>> = edits.iter().map(replacement).collect();
        if let Some(edits) = edits {
            ops = vec![FileOp::Replace { path, edits }];
        }
    }
    ops
}

fn replacement(edit: &Value) -> Option<Replacement> {
    Some(Replacement {
        old: edit.get("oldText")?.as_str()?.to_owned(),
        new: edit.get("newText")?.as_str()?.to_owned(),
        all: false,
    })
}

fn is_writing(name: &str) -> bool {
    name.split(|it: char| !it.is_ascii_alphanumeric())
        .flat_map(camel_words)
        .any(|word| WRITING.contains(&word.to_ascii_lowercase().as_str()))
}

/// Splits `replaceTextInFile` into its words.
fn camel_words(name: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    for (idx, letter) in name.char_indices() {
        if letter.is_ascii_uppercase() && idx > start {
            words.push(&name[start..idx]);
            start = idx;
        }
    }
    words.push(&name[start..]);
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn targets(name: &str, input: &Value) -> Vec<String> {
        let ops = files(name, input, Path::new("/project"), Path::new("/home/user"));
        ops.iter().map(|it| it.path().display().to_string()).collect()
    }

    #[test]
    fn writing_tools_name_their_files() {
        for (name, input, expected) in [
            ("write_file", json!({"path": "a.clj", "content": "x"}), vec!["/project/a.clj"]),
            ("edit_file", json!({"path": "/a", "edits": []}), vec!["/a"]),
            (
                "move_file",
                json!({"source": "a", "destination": "b"}),
                vec!["/project/b", "/project/a"],
            ),
            ("replaceTextInFile", json!({"pathInProject": "src/a"}), vec!["/project/src/a"]),
            ("replace_symbol_body", json!({"relative_path": "b.py"}), vec!["/project/b.py"]),
            ("read_file", json!({"path": "a"}), vec![]),
            ("create_issue", json!({"title": "x"}), vec![]),
            ("update_page", json!({"path": "https://example.org/x"}), vec![]),
            ("editorial", json!({"path": "a"}), vec![]),
            ("write_file", json!(null), vec![]),
        ] {
            assert_eq!(targets(name, &input), expected, "{name} {input}");
        }
    }
}
