//! VS Code and its kin, through our extension's socket: JSON-RPC, a line each way.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::editors::{Answer, Buffer, Decoded, EditorKind, Question, Selection, Unknown};
use crate::sys::paths;

pub(super) const VSCODE: EditorKind =
    EditorKind { name: "VS Code", mark: "vscode-", encode, probe: Vec::new, decode };

fn encode(question: &Question) -> Vec<u8> {
    let calls: Vec<(&str, Value)> = match question {
        Question::Unsaved => vec![("list_unsaved", json!({}))],
        Question::Reload { files } => {
            let reload = files.iter().map(|it| ("refresh_buffer", json!({"file_path": it})));
            std::iter::once(("list_unsaved", json!({}))).chain(reload).collect()
        }
        Question::Notify { file, message } => {
            vec![("send_message", json!({"file_path": file, "message": message}))]
        }
        // It watches by itself; its answer to the latter is not looked at.
        Question::Selection | Question::Watch => vec![("get_visual_selection", json!({}))],
    };
    let lines = calls.into_iter().enumerate().map(|(id, (method, params))| {
        format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    });
    lines.collect::<String>().into_bytes()
}

fn decode(question: &Question, received: &[u8]) -> Decoded {
    let n_expected = match question {
        Question::Reload { files } => files.len() + 1,
        Question::Unsaved | Question::Notify { .. } | Question::Selection | Question::Watch => 1,
    };
    let lines: Vec<&[u8]> = received.split_inclusive(|it| *it == b'\n').collect();
    let n_complete = lines.iter().filter(|it| it.ends_with(b"\n")).count();
    if n_complete < n_expected {
        return Decoded::Incomplete;
    }
    match question {
        Question::Notify { .. } | Question::Watch => Decoded::Answer(Answer::Done),
        // A file that is being edited is not read again; that is no failure.
        Question::Unsaved | Question::Reload { .. } => answer(lines[0], buffer, Answer::Unsaved),
        Question::Selection => answer(lines[0], selection, Answer::Selections),
    }
}

fn answer<T>(line: &[u8], row: fn(&Value) -> Option<T>, wrap: fn(Vec<T>) -> Answer) -> Decoded {
    let reply: Option<Value> = serde_json::from_slice(line).ok();
    let rows = reply.as_ref().and_then(|it| it.get("result")?.as_array());
    let rows: Option<Vec<T>> = rows.and_then(|it| it.iter().map(row).collect());
    rows.map_or(Decoded::Unknown(Unknown::Strange), |it| Decoded::Answer(wrap(it)))
}

fn buffer(row: &Value) -> Option<Buffer> {
    let path = paths::canonical(&PathBuf::from(row.get("file_path")?.as_str()?));
    let is_visible = row.get("is_visible").and_then(Value::as_bool).unwrap_or(false);
    Some(Buffer { path, is_visible })
}

fn selection(row: &Value) -> Option<Selection> {
    let line = |key: &str| usize::try_from(row.get(key)?.as_u64()?).ok();
    Some(Selection {
        path: PathBuf::from(row.get("file_path")?.as_str()?),
        first_line: line("start_line")?,
        last_line: line("end_line")?,
        text: row.get("text")?.as_str()?.to_owned(),
    })
}
