//! Connects a real client to a real scenario server over a real socket.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use cutonce_core::conversation::{ContentBlock, Message, ModelResponse, SharedMessage, ToolUse, WireFormat};
use cutonce_core::model_request::{ModelRequest, PromptPrefix, Thinking, ToolSpec};
use cutonce_core::protocol::event::AnswerDelta;
use cutonce_models::scripted::{LoopbackServer, ScenarioScript};
use cutonce_models::{Endpoint, Model, ModelError, ModelSignal, RetryPolicy, connect};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

pub const WIRES: [WireFormat; 3] = [WireFormat::Anthropic, WireFormat::Responses, WireFormat::Chat];
pub const KEY: &str = "sk-test-0123456789abcdef";

pub struct Rig {
    pub server: LoopbackServer,
    pub model: Arc<dyn Model>,
    pub prefix: Arc<PromptPrefix>,
    pub messages: Vec<SharedMessage>,
    pub heard: Vec<ModelSignal>,
    pub thinking: Thinking,
}

pub fn script(value: Value) -> ScenarioScript {
    ScenarioScript::parse(&value.to_string()).unwrap()
}

/// Returns an endpoint with a model that thinks when asked, for each wire format.
pub fn endpoint(wire: WireFormat, base_url: &str) -> Endpoint {
    let model = match wire {
        WireFormat::Anthropic => "claude-sonnet-4-5",
        WireFormat::Responses => "gpt-5",
        WireFormat::Chat => "deepseek-reasoner",
    };
    let mut endpoint = Endpoint::new("acme", wire, base_url, model);
    endpoint.key = Some(KEY.to_owned().into());
    endpoint.key_env = Some("ACME_KEY".to_owned());
    endpoint.retry = RetryPolicy::instant(3);
    endpoint.idle_timeout = Duration::from_secs(20);
    endpoint
}

pub fn prefix() -> Arc<PromptPrefix> {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let tool = ToolSpec { name: "Read".into(), description: "Reads a file.".into(), schema };
    Arc::new(PromptPrefix { system: "Be brief.".into(), tools: vec![tool] })
}

impl Rig {
    pub fn new(wire: WireFormat, turns: Value) -> Self {
        Self::with(wire, turns, |_| {})
    }

    pub fn with(wire: WireFormat, turns: Value, change: impl FnOnce(&mut Endpoint)) -> Self {
        let server = LoopbackServer::start(script(json!({ "turns": turns }))).unwrap();
        let mut endpoint = endpoint(wire, &server.base_url(wire));
        change(&mut endpoint);
        let model = connect(endpoint).unwrap();
        let messages = vec![Arc::new(Message::user_text("go"))];
        Self { server, model, prefix: prefix(), messages, heard: Vec::new(), thinking: Thinking::Budget(2048) }
    }

    pub async fn ask(&mut self) -> Result<ModelResponse, ModelError> {
        let Self { model, prefix, messages, heard, thinking, .. } = self;
        let request = ModelRequest { prefix, messages, max_tokens: 8192, thinking: *thinking, cache_key: "session-1" };
        model.answer(&request, &mut |signal| heard.push(signal)).await
    }

    pub fn push(&mut self, message: Message) {
        self.messages.push(Arc::new(message));
    }

    /// Adds the answer to the conversation.
    pub fn keep(&mut self, response: &ModelResponse) {
        self.push(Message::Assistant { model: response.model.clone(), blocks: response.blocks.clone() });
    }

    pub fn body(&self, index: usize) -> Value {
        self.server.requests()[index].json()
    }

    pub fn retries(&self) -> Vec<(Option<u16>, String)> {
        self.heard
            .iter()
            .filter_map(|signal| match signal {
                ModelSignal::Retry { status, reason, .. } => Some((*status, reason.clone())),
                ModelSignal::Delta(_) | ModelSignal::Usage(_) | ModelSignal::Waiting { .. } => None,
            })
            .collect()
    }

    /// Joins the deltas since the last retry by kind.
    pub fn shown(&self) -> (String, String, String) {
        let (mut thought, mut text, mut calls) = (String::new(), String::new(), String::new());
        for signal in &self.heard {
            match signal {
                ModelSignal::Delta(AnswerDelta::Thinking(piece)) => thought += piece,
                ModelSignal::Delta(AnswerDelta::Signature(_)) => {}
                ModelSignal::Delta(AnswerDelta::Text(piece)) => text += piece,
                ModelSignal::Delta(AnswerDelta::Call { name, .. }) => calls += &format!("[{name}]"),
                ModelSignal::Delta(AnswerDelta::CallInput { json }) => calls += json,
                ModelSignal::Usage(_) | ModelSignal::Waiting { .. } => {}
                ModelSignal::Retry { .. } => (thought, text, calls) = Default::default(),
            }
        }
        (thought, text, calls)
    }
}

pub fn text_of(response: &ModelResponse) -> String {
    let texts = response.blocks.iter().filter_map(|block| match block {
        ContentBlock::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

pub fn calls_of(response: &ModelResponse) -> Vec<&ToolUse> {
    let calls = response.blocks.iter().filter_map(|block| match block {
        ContentBlock::ToolUse(call) => Some(call),
        _ => None,
    });
    calls.collect()
}

/// A server that reads one request per connection and sends these answers in turn.
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

/// Builds a complete HTTP answer with this body, ended by closing the connection.
pub fn http(status: &str, kind: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{body}").into_bytes()
}
