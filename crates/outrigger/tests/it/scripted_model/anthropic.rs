//! Anthropic's Messages API, streaming and plain, as far as Claude Code uses it.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::http::{Request, Response, ServerEvent};
use super::{Exchange, Protocol, Script, Turn};

pub(crate) const MESSAGES: Protocol = Protocol { answer, told };

fn answer(request: &Request, script: &mut Script) -> Response {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let is_message = request.method == "POST" && request.path == "/v1/messages";
    // Requests without tools ask for titles, summaries and the like.
    let has_tools = body["tools"].as_array().is_some_and(|it| !it.is_empty());
    let is_turn = is_message && has_tools;
    let exchange = Exchange { path: request.path.clone(), body: body.clone(), is_turn };
    script.exchanges.push(exchange);
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/v1/messages") => {
            let turn = if is_turn { script.next_turn(&opening(&body)) } else { Turn::says("ok") };
            let message = message(&turn, &body, script);
            match body["stream"].as_bool() {
                Some(true) => Response::Events(events(&message)),
                _ => Response::Json { status: 200, body: message },
            }
        }
        ("POST", "/v1/messages/count_tokens") => {
            Response::Json { status: 200, body: json!({"input_tokens": n_tokens(&body)}) }
        }
        _ => {
            let error = json!({"type": "not_found_error", "message": "not scripted"});
            Response::Json { status: 404, body: json!({"type": "error", "error": error}) }
        }
    }
}

/// Returns a turn as the API's message.
fn message(turn: &Turn, request: &Value, script: &mut Script) -> Value {
    let mut content = Vec::new();
    if let Some(text) = &turn.text {
        content.push(json!({"type": "text", "text": text}));
    }
    for tool in &turn.tools {
        let id = format!("toolu_{:024}", script.next_tool_use());
        content.push(json!({"type": "tool_use", "id": id, "name": tool.name, "input": tool.input}));
    }
    json!({
        "id": format!("msg_{:024}", script.exchanges.len()),
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": content,
        "stop_reason": if turn.tools.is_empty() { "end_turn" } else { "tool_use" },
        "stop_sequence": null,
        "usage": {
            "input_tokens": n_tokens(request), "output_tokens": 10,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        },
    })
}

/// Returns a message as the API streams it: every block whole, in one delta.
fn events(message: &Value) -> Vec<ServerEvent> {
    let mut events = Vec::new();
    let mut push = |kind: &str, mut data: Value| {
        data["type"] = json!(kind);
        events.push(ServerEvent { name: Some(kind.to_owned()), data });
    };
    let mut start = message.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    push("message_start", json!({"message": start}));
    for (block_idx, block) in message["content"].as_array().into_iter().flatten().enumerate() {
        let mut empty = block.clone();
        let delta = if block["type"] == "text" {
            empty["text"] = json!("");
            json!({"type": "text_delta", "text": block["text"]})
        } else {
            empty["input"] = json!({});
            json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
        };
        push("content_block_start", json!({"index": block_idx, "content_block": empty}));
        push("content_block_delta", json!({"index": block_idx, "delta": delta}));
        push("content_block_stop", json!({"index": block_idx}));
    }
    let delta = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    push("message_delta", json!({"delta": delta, "usage": {"output_tokens": 10}}));
    push("message_stop", json!({}));
    events
}

fn told(exchanges: &[Exchange]) -> Vec<String> {
    let mut known: HashMap<String, HashSet<String>> = HashMap::new();
    let mut told = Vec::new();
    for exchange in exchanges.iter().filter(|it| it.is_turn) {
        let known = known.entry(opening(&exchange.body)).or_default();
        let mut fresh = Vec::new();
        for message in messages(&exchange.body) {
            for text in blocks(&message["content"]).iter().map(block_text) {
                let is_fresh = known.insert(format!("{}: {text}", message["role"]));
                if is_fresh && message["role"] != "assistant" {
                    fresh.push(text);
                }
            }
        }
        told.push(fresh.join("\n"));
    }
    told
}

/// Returns the text of a conversation's first message.
fn opening(request: &Value) -> String {
    let first = messages(request).iter().find(|it| it["role"] == "user");
    let texts = first.map(|it| blocks(&it["content"])).unwrap_or_default();
    texts.iter().map(block_text).collect::<Vec<_>>().join("\n")
}

fn messages(request: &Value) -> &[Value] {
    request["messages"].as_array().map_or(&[], Vec::as_slice)
}

/// Returns content as a list of blocks; the API also takes a plain string.
fn blocks(content: &Value) -> Vec<Value> {
    match content {
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        Value::Array(blocks) => blocks.clone(),
        _ => Vec::new(),
    }
}

/// Returns what a block says. A result is marked with its call, so that two
/// equal ones are two.
fn block_text(block: &Value) -> String {
    match block["type"].as_str() {
        Some("text") => block["text"].as_str().unwrap_or_default().to_owned(),
        Some("tool_result") => {
            let texts: Vec<String> = blocks(&block["content"]).iter().map(block_text).collect();
            let outcome = if block["is_error"] == true { "error" } else { "result" };
            let id = block["tool_use_id"].as_str().unwrap_or_default();
            format!("{outcome} of {id}: {}", texts.join("\n"))
        }
        _ => block.to_string(),
    }
}

/// A guess that grows with the request, as the real number does.
fn n_tokens(request: &Value) -> usize {
    request.to_string().len() / 4
}
