//! A real client against a real scenario server, over a real socket.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use cutonce_core::conversation::{Block, Message, Response, Shared, ToolUse, Wire};
use cutonce_core::event::Delta;
use cutonce_core::request::{Prefix, Request, Thinking, ToolSpec};
use cutonce_models::scenario::{Script, Server};
use cutonce_models::{Endpoint, Model, ModelError, RetryPolicy, Signal, connect};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

pub const WIRES: [Wire; 3] = [Wire::Anthropic, Wire::Responses, Wire::Chat];
pub const KEY: &str = "sk-test-0123456789abcdef";

pub struct Rig {
    pub server: Server,
    pub model: Arc<dyn Model>,
    pub prefix: Arc<Prefix>,
    pub messages: Vec<Shared>,
    pub heard: Vec<Signal>,
    pub thinking: Thinking,
}

pub fn script(value: Value) -> Script {
    Script::parse(&value.to_string()).unwrap()
}

/// A model that thinks when asked, for each wire.
pub fn endpoint(wire: Wire, base_url: &str) -> Endpoint {
    let model = match wire {
        Wire::Anthropic => "claude-sonnet-4-5",
        Wire::Responses => "gpt-5",
        Wire::Chat => "deepseek-reasoner",
    };
    let mut endpoint = Endpoint::new("acme", wire, base_url, model);
    endpoint.key = Some(KEY.to_owned().into());
    endpoint.key_env = Some("ACME_KEY".to_owned());
    endpoint.retry = RetryPolicy::instant(3);
    endpoint.idle = Duration::from_secs(20);
    endpoint
}

pub fn prefix() -> Arc<Prefix> {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let tool = ToolSpec { name: "Read".into(), description: "Reads a file.".into(), schema };
    Arc::new(Prefix { system: "Be brief.".into(), tools: vec![tool] })
}

impl Rig {
    pub fn new(wire: Wire, turns: Value) -> Self {
        Self::with(wire, turns, |_| {})
    }

    pub fn with(wire: Wire, turns: Value, change: impl FnOnce(&mut Endpoint)) -> Self {
        let server = Server::start(script(json!({ "turns": turns }))).unwrap();
        let mut endpoint = endpoint(wire, &server.base_url(wire));
        change(&mut endpoint);
        let model = connect(endpoint).unwrap();
        let messages = vec![Arc::new(Message::user("go"))];
        Self { server, model, prefix: prefix(), messages, heard: Vec::new(), thinking: Thinking::Budget(2048) }
    }

    pub async fn ask(&mut self) -> Result<Response, ModelError> {
        let Self { model, prefix, messages, heard, thinking, .. } = self;
        let request = Request { prefix, messages, max_tokens: 8192, thinking: *thinking, cache_key: "session-1" };
        model.answer(&request, &mut |signal| heard.push(signal)).await
    }

    pub fn push(&mut self, message: Message) {
        self.messages.push(Arc::new(message));
    }

    /// Takes the answer into the conversation.
    pub fn keep(&mut self, response: &Response) {
        self.push(Message::Assistant { model: response.model.clone(), blocks: response.blocks.clone() });
    }

    pub fn body(&self, index: usize) -> Value {
        self.server.requests()[index].json()
    }

    pub fn retries(&self) -> Vec<(Option<u16>, String)> {
        self.heard
            .iter()
            .filter_map(|signal| match signal {
                Signal::Retry { status, reason, .. } => Some((*status, reason.clone())),
                Signal::Delta(_) => None,
            })
            .collect()
    }

    /// The deltas since the last retry, joined by kind.
    pub fn shown(&self) -> (String, String, String) {
        let (mut thought, mut text, mut calls) = (String::new(), String::new(), String::new());
        for signal in &self.heard {
            match signal {
                Signal::Delta(Delta::Thinking(piece)) => thought += piece,
                Signal::Delta(Delta::Signature(_)) => {}
                Signal::Delta(Delta::Text(piece)) => text += piece,
                Signal::Delta(Delta::Call { name, .. }) => calls += &format!("[{name}]"),
                Signal::Delta(Delta::CallInput { json }) => calls += json,
                Signal::Retry { .. } => (thought, text, calls) = Default::default(),
            }
        }
        (thought, text, calls)
    }
}

pub fn text_of(response: &Response) -> String {
    let texts = response.blocks.iter().filter_map(|block| match block {
        Block::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

pub fn calls_of(response: &Response) -> Vec<&ToolUse> {
    let calls = response.blocks.iter().filter_map(|block| match block {
        Block::ToolUse(call) => Some(call),
        _ => None,
    });
    calls.collect()
}

/// A server that reads one request per connection and answers with these bytes, one answer after the other.
pub fn canned(answers: Vec<Vec<u8>>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut socket, _) = listener.accept().unwrap();
            let mut seen = Vec::new();
            let mut chunk = [0; 65536];
            loop {
                let count = socket.read(&mut chunk).unwrap();
                seen.extend_from_slice(&chunk[..count]);
                let text = String::from_utf8_lossy(&seen).into_owned();
                let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
                if count == 0 || body.len() >= length.parse().unwrap() {
                    break;
                }
            }
            let _ = socket.write_all(&answer);
        }
    });
    addr
}

/// A whole HTTP answer with this body, ended by closing the connection.
pub fn http(status: &str, kind: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{body}").into_bytes()
}
