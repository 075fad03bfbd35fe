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
    // The list of unsaved files is asked for first; reading files again may take
    // VS Code a second, and nobody needs to wait for that.
    let Some(end) = received.iter().position(|it| *it == b'\n') else { return Decoded::Incomplete };
    let line = &received[..end];
    match question {
        Question::Notify { .. } | Question::Watch => Decoded::Answer(Answer::Done),
        // A file that is being edited is not read again; that is no failure.
        Question::Unsaved | Question::Reload { .. } => {
            answer(line, "/result/files", buffer, Answer::Unsaved)
        }
        Question::Selection => answer(line, "/result", selection, Answer::Selections),
    }
}

fn answer<T>(
    line: &[u8],
    place: &str,
    row: fn(&Value) -> Option<T>,
    wrap: fn(Vec<T>) -> Answer,
) -> Decoded {
    let reply: Option<Value> = serde_json::from_slice(line).ok();
    let rows = reply.as_ref().and_then(|it| it.pointer(place)?.as_array());
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

#[cfg(test)]
mod tests {
    use super::*;

    fn unsaved(reply: &str) -> Decoded {
        decode(&Question::Unsaved, reply.as_bytes())
    }

    #[test]
    fn the_list_of_unsaved_files_is_read() {
        let file =
            r#"{"file_path":"/no/such.clj","kind":"text","is_current":true,"is_visible":true}"#;
        let reply = format!(
            r#"{{"jsonrpc":"2.0","id":0,"result":{{"files":[{file}],"n_without_path":1}}}}"#
        );
        assert_eq!(unsaved(&reply), Decoded::Incomplete);
        let expected = vec![Buffer { path: PathBuf::from("/no/such.clj"), is_visible: true }];
        assert_eq!(unsaved(&format!("{reply}\n")), Decoded::Answer(Answer::Unsaved(expected)));
    }

    #[test]
    fn an_error_is_strange() {
        let reply = "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32601}}\n";
        assert_eq!(unsaved(reply), Decoded::Unknown(Unknown::Strange));
    }
}
