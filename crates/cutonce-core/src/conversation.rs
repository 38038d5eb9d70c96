//! What was said: the blocks of a conversation in the order and the words in which they came.
//!
//! Blocks are kept verbatim, thinking included, because each provider wants its own thinking back
//! unchanged (MO-2). A conversation only grows; what replaces its beginning is a compaction (AG-8).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// One message of the conversation, as the model will see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// The person's words, or a meta message made for the model (a reminder, a summary).
    User { content: Vec<Block> },
    /// The model's answer.
    Assistant { model: String, blocks: Vec<Block> },
    /// The result of one tool call. Consecutive results belong to the assistant message before them.
    Tool(ToolResult),
}

/// A conversation shares its messages: a turn adds to the list and copies nothing.
pub type Shared = Arc<Message>;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    Text {
        text: String,
    },
    /// What the model thought. `opaque` is the provider's own form of it (signature, encrypted
    /// content); it goes back to that wire only, and never to another one.
    Thinking {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    ToolUse(ToolUse),
    Image(Image),
}

/// A provider's verbatim piece: meaningful only to the wire format that made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opaque {
    pub wire: Wire,
    pub value: Value,
}

/// The wire formats we speak (MO-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    Anthropic,
    Responses,
    Chat,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    pub id: String,
    pub name: String,
    /// The parsed input, or, where the model sent something that is no JSON, `Invalid` with its text:
    /// the call then gets an error as its result instead of running (AG-6).
    pub input: ToolInput,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ToolInput {
    Invalid { invalid_json: String, error: String },
    Json(Value),
}

impl ToolInput {
    /// The input as JSON for a request: an invalid one goes back as an object that holds its text.
    pub fn to_json(&self) -> Value {
        match self {
            ToolInput::Json(value) => value.clone(),
            ToolInput::Invalid { invalid_json, .. } => serde_json::json!({ "invalid_json": invalid_json }),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Image {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub media_type: String,
    /// Base64.
    pub data: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    pub call_id: String,
    pub content: Vec<ResultPart>,
    #[serde(default)]
    pub is_error: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ResultPart {
    Text { text: String },
    Image(Image),
}

impl ToolResult {
    pub fn text(call_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { call_id: call_id.into(), content: vec![ResultPart::Text { text: text.into() }], is_error: false }
    }
    pub fn error(call_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(call_id, text) }
    }
    /// All text parts, joined by newlines.
    pub fn as_text(&self) -> String {
        let texts = self.content.iter().filter_map(|part| match part {
            ResultPart::Text { text } => Some(text.as_str()),
            ResultPart::Image(_) => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

impl Message {
    pub fn user(text: impl Into<String>) -> Self {
        Message::User { content: vec![Block::Text { text: text.into() }] }
    }
    /// The calls of an assistant message, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolUse> {
        let blocks: &[Block] = match self {
            Message::Assistant { blocks, .. } => blocks,
            Message::User { .. } | Message::Tool(_) => &[],
        };
        blocks.iter().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call),
            Block::Text { .. } | Block::Thinking { .. } | Block::Image(_) => None,
        })
    }
}

/// Tokens as the provider counted them. All counts are of one response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Input tokens that were neither read from nor written to the cache.
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_creation_input_tokens: u64,
    pub cache_read_input_tokens: u64,
}

impl Usage {
    /// What the context held when this response was complete.
    pub fn context(&self) -> u64 {
        self.input_tokens + self.cache_creation_input_tokens + self.cache_read_input_tokens + self.output_tokens
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cache_creation_input_tokens += other.cache_creation_input_tokens;
        self.cache_read_input_tokens += other.cache_read_input_tokens;
    }
}

/// Why the model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    EndTurn,
    ToolUse,
    MaxTokens,
    /// The model declined; the provider's own word is kept.
    Refusal,
    /// The person interrupted the stream; the blocks are what had arrived.
    Interrupted,
    Other(String),
}

/// A whole answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    pub model: String,
    pub blocks: Vec<Block>,
    pub usage: Usage,
    pub stop: Stop,
}

/// A guess for text that no provider has counted yet (AG-8): three bytes a token errs on the safe side for code.
pub fn estimate_tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(3)
}
