//! A model that plays a script: an HTTP server on the loopback that answers an
//! agent's requests with turns written beforehand and remembers every request.
//!
//! What a request and an answer look like belongs to a [`Protocol`], one file
//! each. This file knows none of them.

pub(crate) mod anthropic;
mod http;

use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::Value;

use self::http::{Request, Response};

/// What the model says when it is asked once more after its last turn.
const EXHAUSTED: &str = "script exhausted";

/// A way of talking to a model over HTTP.
#[derive(Debug)]
pub(crate) struct Protocol {
    /// Answers one request, taking a turn from the script if it is due.
    answer: fn(&Request, &mut Script) -> Response,
    /// Returns, for every request that was due a turn, the text in it which the
    /// same conversation had not held before and which the model has not said
    /// itself.
    told: fn(&[Exchange]) -> Vec<String>,
}

/// What the model says when its turn comes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn {
    text: Option<String>,
    tools: Vec<ToolUse>,
    /// Words of the first message of the only conversation that gets this turn.
    conversation: Option<String>,
}

/// One use of a tool.
#[derive(Debug, Clone)]
pub(crate) struct ToolUse {
    pub(crate) name: &'static str,
    pub(crate) input: Value,
}

/// One request, and whether a turn was due to it.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    pub(crate) path: String,
    pub(crate) body: Value,
    pub(crate) is_turn: bool,
}

/// The turns, and what has become of them.
#[derive(Debug, Default)]
pub(crate) struct Script {
    turns: Vec<Option<Turn>>,
    exchanges: Vec<Exchange>,
    n_tool_uses: usize,
}

/// The server. It stops when it is dropped.
#[derive(Debug)]
pub(crate) struct ScriptedModel {
    protocol: &'static Protocol,
    shared: Arc<Shared>,
    address: SocketAddr,
    listening: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    script: Mutex<Script>,
    connections: Mutex<Vec<TcpStream>>,
    is_over: AtomicBool,
}

impl Turn {
    /// Returns a turn of plain text, which ends the conversation's round.
    pub(crate) fn says(text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..Self::default() }
    }

    /// Returns a turn that uses tools, all in one message.
    pub(crate) fn uses(tools: impl IntoIterator<Item = ToolUse>) -> Self {
        Self { tools: tools.into_iter().collect(), ..Self::default() }
    }

    /// Keeps the turn for the conversation whose first message has these words:
    /// how a sub-agent's turns are told from the main agent's.
    pub(crate) fn only_for(mut self, words: &str) -> Self {
        self.conversation = Some(words.to_owned());
        self
    }
}

impl Script {
    /// Takes the next turn that may be played in the conversation that begins
    /// with `opening`.
    fn next_turn(&mut self, opening: &str) -> Turn {
        let fits = |turn: &Turn| turn.conversation.as_ref().is_none_or(|it| opening.contains(it));
        let next = self.turns.iter_mut().find(|it| it.as_ref().is_some_and(fits));
        next.and_then(Option::take).unwrap_or_else(|| Turn::says(EXHAUSTED))
    }

    fn next_tool_use(&mut self) -> usize {
        self.n_tool_uses += 1;
        self.n_tool_uses
    }
}

impl ScriptedModel {
    /// Starts to listen on a port of the system's choice.
    pub(crate) fn start(protocol: &'static Protocol, turns: Vec<Turn>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let script = Script { turns: turns.into_iter().map(Some).collect(), ..Script::default() };
        let shared = Arc::new(Shared {
            script: Mutex::new(script),
            connections: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let of_thread = Arc::clone(&shared);
        let listening = thread::spawn(move || listen(&listener, protocol, &of_thread));
        Self { protocol, shared, address, listening: Some(listening) }
    }

    /// Returns the address for the agent's base URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns every request so far.
    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        lock(&self.shared.script).exchanges.clone()
    }

    /// Returns what each request told the model that it had not known before.
    pub(crate) fn told(&self) -> Vec<String> {
        (self.protocol.told)(&lock(&self.shared.script).exchanges)
    }

    /// Returns how many turns nobody has asked for.
    pub(crate) fn n_unplayed(&self) -> usize {
        lock(&self.shared.script).turns.iter().flatten().count()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        for connection in lock(&self.shared.connections).drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
        // The listener waits for a connection; this is the one that ends it.
        let _ = TcpStream::connect(self.address);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}

fn listen(listener: &TcpListener, protocol: &'static Protocol, shared: &Arc<Shared>) {
    for connection in listener.incoming() {
        if shared.is_over.load(Ordering::SeqCst) {
            return;
        }
        let Ok(connection) = connection else { continue };
        if let Ok(handle) = connection.try_clone() {
            lock(&shared.connections).push(handle);
        }
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // A client may hang up whenever it likes.
            let _ = http::serve(&connection, |request| {
                (protocol.answer)(request, &mut lock(&shared.script))
            });
            // The handle above would keep it open.
            let _ = connection.shutdown(Shutdown::Both);
        });
    }
}

/// A test that has failed elsewhere must not hide why.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::time::Duration;

    use expect_test::expect;
    use serde_json::json;

    use super::*;

    /// Sends requests down one connection and returns all the answers.
    fn converse(turns: Vec<Turn>, requests: &[String]) -> (ScriptedModel, String) {
        let model = ScriptedModel::start(&anthropic::MESSAGES, turns);
        let mut connection = TcpStream::connect(model.address).unwrap();
        connection.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        connection.write_all(requests.concat().as_bytes()).unwrap();
        connection.shutdown(Shutdown::Write).unwrap();
        let mut answers = String::new();
        connection.read_to_string(&mut answers).unwrap();
        (model, answers.replace("\r\n", "\n"))
    }

    fn post(path: &str, body: &Value) -> String {
        let body = body.to_string();
        format!("POST {path} HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    }

    fn request(said: &str) -> Value {
        json!({"model": "m", "tools": [{"name": "Write"}], "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": [{"type": "text", "text": "thinking"}]},
            {"role": "user", "content": [{"type": "text", "text": said}]},
        ]})
    }

    #[test]
    fn a_turn_is_streamed_block_by_block() {
        let tool = |name| ToolUse { name, input: json!({"n": 1}) };
        let mut body = request("hello");
        body["stream"] = json!(true);
        let (_model, answer) = converse(
            vec![Turn::uses([tool("Write"), tool("Edit")])],
            &[post("/v1/messages?beta=true", &body)],
        );
        let events: Vec<&str> = answer.lines().filter(|it| it.starts_with("data: ")).collect();
        expect![[r#"
            data: {"message":{"id":"msg_000000000000000000000001","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":56,"output_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}},"type":"message_start"}
            data: {"index":0,"content_block":{"type":"tool_use","id":"toolu_000000000000000000000001","name":"Write","input":{}},"type":"content_block_start"}
            data: {"index":0,"delta":{"type":"input_json_delta","partial_json":"{\"n\":1}"},"type":"content_block_delta"}
            data: {"index":0,"type":"content_block_stop"}
            data: {"index":1,"content_block":{"type":"tool_use","id":"toolu_000000000000000000000002","name":"Edit","input":{}},"type":"content_block_start"}
            data: {"index":1,"delta":{"type":"input_json_delta","partial_json":"{\"n\":1}"},"type":"content_block_delta"}
            data: {"index":1,"type":"content_block_stop"}
            data: {"delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":10},"type":"message_delta"}
            data: {"type":"message_stop"}"#]].assert_eq(&events.join("\n"));
    }

    #[test]
    fn one_connection_serves_many_requests_and_only_those_with_tools_take_turns() {
        let title = json!({"model": "m", "messages": [{"role": "user", "content": "Name it."}]});
        let body = request("in pieces").to_string();
        let (head, tail) = body.split_at(10);
        let chunked = format!(
            "POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n\
             {:x}\r\n{head}\r\n{:x};x=y\r\n{tail}\r\n0\r\n\r\n",
            head.len(),
            tail.len()
        );
        let (model, answers) = converse(
            vec![Turn::says("for another").only_for("Come."), Turn::says("first")],
            &[
                post("/v1/messages", &title),
                chunked,
                post("/v1/messages", &request("again")),
                post("/v1/messages/count_tokens", &request("again")),
                "GET /v1/models HTTP/1.1\r\n\r\n".to_owned(),
            ],
        );
        let bodies: Vec<&str> = answers.lines().filter(|it| it.starts_with('{')).collect();
        expect![[r#"
            {"id":"msg_000000000000000000000001","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":15,"output_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}}HTTP/1.1 200 scripted
            {"id":"msg_000000000000000000000002","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"first"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":53,"output_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}}HTTP/1.1 200 scripted
            {"id":"msg_000000000000000000000003","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"script exhausted"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":52,"output_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}}HTTP/1.1 200 scripted
            {"input_tokens":52}HTTP/1.1 404 scripted
            {"type":"error","error":{"type":"not_found_error","message":"not scripted"}}"#]].assert_eq(&bodies.join("\n"));
        assert_eq!(model.told(), ["Go.\nin pieces", "again"]);
        assert_eq!(model.n_unplayed(), 1);
        let paths: Vec<String> = model.exchanges().into_iter().map(|it| it.path).collect();
        let messages = "/v1/messages";
        assert_eq!(
            paths,
            [messages, messages, messages, "/v1/messages/count_tokens", "/v1/models"]
        );
    }
}
