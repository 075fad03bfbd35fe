//! Neovim, over its msgpack-RPC socket.
//!
//! One piece of Lua is sent. When its answer is late, `nvim_get_mode` is asked,
//! which is answered even while Neovim waits for a key. So a Neovim at a prompt
//! is recognised soon instead of being waited for.

use std::path::PathBuf;

use rmpv::Value;
use rmpv::decode::read_value;
use rmpv::encode::write_value;

use crate::editors::{
    Answer, Buffer, Decoded, EditorKind, Question, Selection, Unknown, is_file_name,
};
use crate::sys::paths;

pub(super) const NEOVIM: EditorKind =
    EditorKind { name: "Neovim", mark: "", encode, probe, decode };

const COMMON: &str = include_str!("common.lua");
const UNSAVED: &str = include_str!("unsaved.lua");
const RELOAD: &str = include_str!("reload.lua");
const NOTIFY: &str = include_str!("notify.lua");
const WATCH: &str = include_str!("watch.lua");
const SELECTION: &str = include_str!("selection.lua");

/// The ids of our two calls.
const MODE: u64 = 1;
const WORK: u64 = 2;

fn encode(question: &Question) -> Vec<u8> {
    let (parts, arguments): (&[&str], Vec<Value>) = match question {
        Question::Unsaved => (&[UNSAVED], Vec::new()),
        Question::Reload { files } => {
            let files = files.iter().map(|it| it.to_string_lossy().into_owned().into());
            (&[COMMON, RELOAD, UNSAVED], vec![Value::Array(files.collect())])
        }
        Question::Notify { message, .. } => (&[COMMON, NOTIFY], vec![message.as_str().into()]),
        Question::Watch => (&[COMMON, WATCH, "return {}"], Vec::new()),
        Question::Selection => (&[COMMON, WATCH, SELECTION], Vec::new()),
    };
    call(WORK, "nvim_exec_lua", vec![parts.concat().into(), Value::Array(arguments)])
}

fn probe() -> Vec<u8> {
    call(MODE, "nvim_get_mode", Vec::new())
}

fn call(id: u64, method: &str, arguments: Vec<Value>) -> Vec<u8> {
    let parts = vec![0.into(), id.into(), method.into(), Value::Array(arguments)];
    let mut bytes = Vec::new();
    // Writing into memory does not fail.
    let _ = write_value(&mut bytes, &Value::Array(parts));
    bytes
}

fn decode(question: &Question, received: &[u8]) -> Decoded {
    let mut rest = received;
    while !rest.is_empty() {
        // A message is a short list that begins with its kind. Whoever sends
        // anything else need not be read to the end.
        if !matches!(rest, [0x93 | 0x94] | [0x93 | 0x94, 0..=2, ..]) {
            return Decoded::Unknown(Unknown::Strange);
        }
        let message = match read_value(&mut rest) {
            Ok(message) => message,
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => break,
            Err(_) => return Decoded::Unknown(Unknown::Strange),
        };
        let Value::Array(parts) = &message else { return Decoded::Unknown(Unknown::Strange) };
        match parts.as_slice() {
            [kind, id, Value::Nil, result] if kind.as_u64() == Some(1) => match id.as_u64() {
                Some(MODE) if is_blocking(result) => return Decoded::Unknown(Unknown::AtAPrompt),
                Some(WORK) => {
                    return match understood(question, result) {
                        Some(answer) => Decoded::Answer(answer),
                        None => Decoded::Unknown(Unknown::Strange),
                    };
                }
                _ => {}
            },
            [kind, _, _, _] if kind.as_u64() == Some(1) => {
                return Decoded::Unknown(Unknown::Strange);
            }
            // Notifications are none of our business.
            _ => {}
        }
    }
    Decoded::Incomplete
}

fn is_blocking(mode: &Value) -> bool {
    let entries = mode.as_map().map(Vec::as_slice).unwrap_or_default();
    entries
        .iter()
        .any(|(key, value)| key.as_str() == Some("blocking") && *value == Value::Boolean(true))
}

fn understood(question: &Question, result: &Value) -> Option<Answer> {
    let rows = match result {
        Value::Array(rows) => rows.as_slice(),
        // An empty table.
        Value::Map(entries) if entries.is_empty() => &[],
        _ => return None,
    };
    match question {
        Question::Unsaved | Question::Reload { .. } => {
            let buffers: Option<Vec<Option<Buffer>>> = rows.iter().map(buffer).collect();
            Some(Answer::Unsaved(buffers?.into_iter().flatten().collect()))
        }
        Question::Selection => {
            let selections: Option<Vec<Selection>> = rows.iter().map(selection).collect();
            Some(Answer::Selections(selections?))
        }
        Question::Notify { .. } | Question::Watch => Some(Answer::Done),
    }
}

/// Reads `[name, visible]`; a buffer without a file is `Some(None)`.
fn buffer(row: &Value) -> Option<Option<Buffer>> {
    let [name, visible] = row.as_array()?.as_slice() else { return None };
    // A name that is not text cannot be one that an agent sends as JSON.
    let Some(name) = name.as_str().filter(|it| is_file_name(it)) else { return Some(None) };
    let path = paths::canonical(&PathBuf::from(name));
    Some(Some(Buffer { path, is_visible: visible.as_bool()? }))
}

/// Reads `[name, first line, last line, text]`.
fn selection(row: &Value) -> Option<Selection> {
    let [name, first, last, text] = row.as_array()?.as_slice() else { return None };
    let bytes = match text {
        Value::String(text) => text.as_bytes(),
        Value::Binary(bytes) => bytes,
        _ => return None,
    };
    Some(Selection {
        path: PathBuf::from(name.as_str()?),
        first_line: usize::try_from(first.as_u64()?).ok()?,
        last_line: usize::try_from(last.as_u64()?).ok()?,
        text: String::from_utf8_lossy(bytes).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(id: u64, error: Value, result: Value) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_value(&mut bytes, &Value::Array(vec![1.into(), id.into(), error, result])).unwrap();
        bytes
    }

    fn mode(blocking: bool) -> Vec<u8> {
        let mode = vec![("mode".into(), "n".into()), ("blocking".into(), blocking.into())];
        reply(MODE, Value::Nil, Value::Map(mode))
    }

    #[test]
    fn an_answer_may_come_in_any_pieces() {
        let row = Value::Array(vec!["/no/such.clj".into(), false.into()]);
        let term = Value::Array(vec!["term://x".into(), false.into()]);
        let whole = [mode(false), reply(WORK, Value::Nil, Value::Array(vec![row, term]))].concat();
        for end in 0..whole.len() {
            assert_eq!(decode(&Question::Unsaved, &whole[..end]), Decoded::Incomplete, "{end}");
        }
        let path = PathBuf::from("/no/such.clj");
        let expected = vec![Buffer { path, is_visible: false }];
        assert_eq!(decode(&Question::Unsaved, &whole), Decoded::Answer(Answer::Unsaved(expected)));
    }

    #[test]
    fn a_prompt_is_seen_without_waiting_for_the_rest() {
        assert_eq!(decode(&Question::Unsaved, &mode(true)), Decoded::Unknown(Unknown::AtAPrompt));
    }

    #[test]
    fn errors_and_noise_are_strange() {
        for bytes in [reply(WORK, "no".into(), Value::Nil), vec![0xc1], vec![0x01]] {
            assert_eq!(decode(&Question::Unsaved, &bytes), Decoded::Unknown(Unknown::Strange));
        }
    }
}
