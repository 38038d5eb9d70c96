//! Anthropic Messages: decodes the stream, block by block.

use crate::http::error::AttemptError;
use crate::wire::decode::{DecodeFlow, DeltaSink, StreamDecoder, correct_stop, event_kind, parse_json, tool_input};
use cutonce_core::conversation::{
    ContentBlock, ModelResponse, OpaqueThinking, StopReason, TokenUsage, ToolUse, WireFormat,
};
use cutonce_core::protocol::event::AnswerDelta;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Default)]
pub(crate) struct AnthropicStream {
    model: String,
    parts: Vec<(u32, PartialBlock)>,
    usage: TokenUsage,
    stop: Option<StopReason>,
}

/// A block while it is streamed.
enum PartialBlock {
    Text(String),
    Thinking {
        text: String,
        signature: String,
    },
    Redacted(String),
    Call {
        id: String,
        name: String,
        json: String,
    },
    /// An unknown kind of block, such as those of server-side tools.
    Unknown,
}

impl StreamDecoder for AnthropicStream {
    fn usage(&self) -> TokenUsage {
        self.usage
    }
    fn handle_event(&mut self, name: &str, data: &[u8], tell: DeltaSink<'_>) -> Result<DecodeFlow, AttemptError> {
        match &*event_kind(name, data)? {
            "content_block_delta" => self.extend_block(parse_json(data)?, tell),
            "content_block_start" => self.start_block(parse_json(data)?, tell),
            "message_start" => {
                let start: MessageStart = parse_json(data)?;
                self.model = start.message.model;
                start.message.usage.into_iter().for_each(|usage| usage.add_to(&mut self.usage));
            }
            "message_delta" => {
                let delta: MessageDelta = parse_json(data)?;
                delta.usage.into_iter().for_each(|usage| usage.add_to(&mut self.usage));
                self.stop = delta.delta.stop_reason.map(parse_stop).or(self.stop.take());
            }
            "message_stop" => return Ok(DecodeFlow::Done),
            "error" => {
                let failed: ErrorMessage = parse_json(data)?;
                return Err(AttemptError::in_stream(&failed.error.kind, &failed.error.message));
            }
            _ => {}
        }
        Ok(DecodeFlow::More)
    }

    fn finish(self) -> Result<ModelResponse, AttemptError> {
        let stop = self.stop.ok_or(AttemptError::StreamEnded)?;
        let blocks: Vec<ContentBlock> = self.parts.into_iter().filter_map(|(_, part)| part.into_block()).collect();
        let stop = correct_stop(stop, &blocks);
        Ok(ModelResponse { model: self.model, blocks, usage: self.usage, stop })
    }
}

impl AnthropicStream {
    fn start_block(&mut self, start: BlockStart<'_>, tell: DeltaSink<'_>) {
        let block = start.content_block;
        let part = match &*block.kind {
            "text" => PartialBlock::Text(block.text),
            "thinking" => PartialBlock::Thinking { text: block.thinking, signature: block.signature },
            "redacted_thinking" => PartialBlock::Redacted(block.data),
            "tool_use" => {
                tell(AnswerDelta::Call { id: block.id.clone(), name: block.name.clone() });
                // The input of a call comes in deltas; some servers send it complete here.
                let whole = block.input.map(RawValue::get).filter(|input| *input != "{}").unwrap_or_default();
                PartialBlock::Call { id: block.id, name: block.name, json: whole.to_owned() }
            }
            _ => PartialBlock::Unknown,
        };
        match &part {
            PartialBlock::Text(text) if !text.is_empty() => tell(AnswerDelta::Text(text.clone())),
            PartialBlock::Thinking { text, .. } if !text.is_empty() => tell(AnswerDelta::Thinking(text.clone())),
            PartialBlock::Call { json, .. } if !json.is_empty() => tell(AnswerDelta::CallInput { json: json.clone() }),
            PartialBlock::Text(_)
            | PartialBlock::Thinking { .. }
            | PartialBlock::Call { .. }
            | PartialBlock::Redacted(_)
            | PartialBlock::Unknown => {}
        }
        self.parts.push((start.index, part));
    }

    fn extend_block(&mut self, event: BlockDelta<'_>, tell: DeltaSink<'_>) {
        let Some((_, part)) = self.parts.iter_mut().rev().find(|(index, _)| *index == event.index) else { return };
        let delta = event.delta;
        match (part, &*delta.kind) {
            (PartialBlock::Text(text), "text_delta") => {
                text.push_str(&delta.text);
                tell(AnswerDelta::Text(delta.text));
            }
            (PartialBlock::Thinking { text, .. }, "thinking_delta") => {
                text.push_str(&delta.thinking);
                tell(AnswerDelta::Thinking(delta.thinking));
            }
            (PartialBlock::Thinking { signature, .. }, "signature_delta") => {
                signature.push_str(&delta.signature);
                tell(AnswerDelta::Signature(delta.signature));
            }
            (PartialBlock::Call { json, .. }, "input_json_delta") => {
                json.push_str(&delta.partial_json);
                tell(AnswerDelta::CallInput { json: delta.partial_json });
            }
            _ => {}
        }
    }
}

impl PartialBlock {
    fn into_block(self) -> Option<ContentBlock> {
        let opaque = |value| Some(OpaqueThinking { wire: WireFormat::Anthropic, value });
        match self {
            PartialBlock::Text(text) => Some(ContentBlock::Text { text }),
            PartialBlock::Thinking { text, signature } if signature.is_empty() => {
                Some(ContentBlock::Thinking { text, opaque: None })
            }
            PartialBlock::Thinking { text, signature } => Some(ContentBlock::Thinking {
                text,
                opaque: opaque(json!({"type": "thinking", "signature": signature})),
            }),
            PartialBlock::Redacted(data) => {
                let opaque = opaque(json!({"type": "redacted_thinking", "data": data}));
                Some(ContentBlock::Thinking { text: String::new(), opaque })
            }
            PartialBlock::Call { id, name, json } => {
                Some(ContentBlock::ToolUse(ToolUse { id, name, input: tool_input(&json) }))
            }
            PartialBlock::Unknown => None,
        }
    }
}

fn parse_stop(reason: String) -> StopReason {
    match reason.as_str() {
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" => StopReason::MaxTokens,
        "refusal" => StopReason::Refusal,
        _ => StopReason::Other(reason),
    }
}

#[derive(Deserialize)]
struct MessageStart {
    message: StartedMessage,
}

#[derive(Deserialize)]
struct StartedMessage {
    #[serde(default)]
    model: String,
    #[serde(default)]
    usage: Option<AnthropicUsage>,
}

/// Token counts; later ones replace earlier ones, and missing ones keep their value.
#[derive(Deserialize)]
struct AnthropicUsage {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
}

impl AnthropicUsage {
    fn add_to(self, usage: &mut TokenUsage) {
        usage.input_tokens = self.input_tokens.unwrap_or(usage.input_tokens);
        usage.output_tokens = self.output_tokens.unwrap_or(usage.output_tokens);
        let created = self.cache_creation_input_tokens;
        usage.cache_creation_input_tokens = created.unwrap_or(usage.cache_creation_input_tokens);
        usage.cache_read_input_tokens = self.cache_read_input_tokens.unwrap_or(usage.cache_read_input_tokens);
    }
}

#[derive(Deserialize)]
struct BlockStart<'a> {
    index: u32,
    #[serde(borrow)]
    content_block: StartedBlock<'a>,
}

#[derive(Deserialize)]
struct StartedBlock<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    thinking: String,
    #[serde(default)]
    signature: String,
    #[serde(default)]
    data: String,
    #[serde(default)]
    id: String,
    #[serde(default)]
    name: String,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct BlockDelta<'a> {
    index: u32,
    #[serde(borrow)]
    delta: DeltaFields<'a>,
}

#[derive(Deserialize)]
struct DeltaFields<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    thinking: String,
    #[serde(default)]
    signature: String,
    #[serde(default)]
    partial_json: String,
}

#[derive(Deserialize)]
struct MessageDelta {
    delta: StopFields,
    #[serde(default)]
    usage: Option<AnthropicUsage>,
}

#[derive(Deserialize)]
struct StopFields {
    #[serde(default)]
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct ErrorMessage {
    error: ErrorFields,
}

#[derive(Deserialize)]
struct ErrorFields {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    message: String,
}
