//! The conversation: messages and their blocks, in order and verbatim.
//!
//! Blocks are kept verbatim, thinking included, because each provider wants its own thinking back
//! unchanged (MO-2). A conversation only grows; only compaction replaces its beginning (AG-8).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// One message of the conversation, as the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// Text of the user, or a meta message for the model (a reminder, a summary).
    User { content: Vec<ContentBlock> },
    /// The model's answer.
    Assistant { model: String, blocks: Vec<ContentBlock> },
    /// The result of one tool call. Consecutive results belong to the assistant message before them.
    Tool(ToolResult),
}

/// A shared message: a turn extends the list without copying messages.
pub type SharedMessage = Arc<Message>;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentBlock {
    Text {
        text: String,
    },
    /// The model's thinking. `opaque` is the provider's own form of it (signature, encrypted
    /// content); it is sent back to that wire format only.
    Thinking {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<OpaqueThinking>,
    },
    ToolUse(ToolUse),
    Image(Image),
}

/// Verbatim data of a provider, meaningful only to the wire format that made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpaqueThinking {
    pub wire: WireFormat,
    pub value: Value,
}

/// Supported wire formats (MO-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WireFormat {
    Anthropic,
    Responses,
    Chat,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    pub id: String,
    pub name: String,
    /// The parsed input, or `Invalid` with the text if the model sent invalid JSON: the call then gets an
    /// error as its result instead of running (AG-6).
    pub input: ToolInput,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ToolInput {
    Invalid { invalid_json: String, error: String },
    Json(Value),
}

impl ToolInput {
    /// The input as JSON for a request; an invalid one becomes an object with its text.
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
    pub fn user_text(text: impl Into<String>) -> Self {
        Message::User { content: vec![ContentBlock::Text { text: text.into() }] }
    }
    /// The calls of an assistant message, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolUse> {
        let blocks: &[ContentBlock] = match self {
            Message::Assistant { blocks, .. } => blocks,
            Message::User { .. } | Message::Tool(_) => &[],
        };
        blocks.iter().filter_map(|block| match block {
            ContentBlock::ToolUse(call) => Some(call),
            ContentBlock::Text { .. } | ContentBlock::Thinking { .. } | ContentBlock::Image(_) => None,
        })
    }
}

/// Tokens and searches of one response, as counted by the provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TokenUsage {
    /// Input tokens that were neither read from nor written to the cache.
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_creation_input_tokens: u64,
    pub cache_read_input_tokens: u64,
    /// Searches that the provider made for it (DU-12).
    #[serde(skip_serializing_if = "is_zero")]
    pub web_searches: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl TokenUsage {
    /// Tokens in the context when this response was complete.
    pub fn context_tokens(&self) -> u64 {
        self.sent_tokens().saturating_add(self.output_tokens)
    }
    /// Tokens of the request.
    pub fn sent_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.cache_creation_input_tokens).saturating_add(self.cache_read_input_tokens)
    }
    /// What is left without `other`.
    pub fn saturating_sub(self, other: TokenUsage) -> TokenUsage {
        TokenUsage {
            input_tokens: self.input_tokens.saturating_sub(other.input_tokens),
            output_tokens: self.output_tokens.saturating_sub(other.output_tokens),
            cache_creation_input_tokens: self
                .cache_creation_input_tokens
                .saturating_sub(other.cache_creation_input_tokens),
            cache_read_input_tokens: self.cache_read_input_tokens.saturating_sub(other.cache_read_input_tokens),
            web_searches: self.web_searches.saturating_sub(other.web_searches),
        }
    }
}

impl std::ops::AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        // A provider may report any number.
        let add = |count: &mut u64, more: u64| *count = count.saturating_add(more);
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(&mut self.cache_creation_input_tokens, other.cache_creation_input_tokens);
        add(&mut self.cache_read_input_tokens, other.cache_read_input_tokens);
        add(&mut self.web_searches, other.web_searches);
    }
}

/// Why the model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    EndTurn,
    ToolUse,
    MaxTokens,
    /// The model declined to answer.
    Refusal,
    /// The user interrupted the stream; the blocks are what had arrived.
    Interrupted,
    Other(String),
}

/// A complete answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelResponse {
    pub model: String,
    pub blocks: Vec<ContentBlock>,
    pub usage: TokenUsage,
    pub stop: StopReason,
}

/// Estimates tokens of text that no provider has counted yet (AG-8). Three bytes per token is a safe estimate
/// for code.
pub fn estimate_tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(3)
}
