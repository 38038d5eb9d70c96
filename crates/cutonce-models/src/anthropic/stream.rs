//! Anthropic Messages: how the stream is read, block by block.

use crate::decode::{Decoder, Flow, Tell, kind_of, parse, settle_stop, tool_input};
use crate::fault::Trouble;
use cutonce_core::conversation::{Block, Opaque, Response, Stop, ToolUse, Usage, Wire};
use cutonce_core::event::Delta;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Default)]
pub(crate) struct AnthropicStream {
    model: String,
    parts: Vec<(u32, Part)>,
    usage: Usage,
    stop: Option<Stop>,
}

/// A block as it grows.
enum Part {
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
    /// A kind of block that we do not know, such as those of server-side tools.
    Unknown,
}

impl Decoder for AnthropicStream {
    fn event(&mut self, name: &str, data: &[u8], tell: Tell<'_>) -> Result<Flow, Trouble> {
        match &*kind_of(name, data)? {
            "content_block_delta" => self.delta(parse(data)?, tell),
            "content_block_start" => self.start(parse(data)?, tell),
            "message_start" => {
                let start: MessageStart = parse(data)?;
                self.model = start.message.model;
                start.message.usage.into_iter().for_each(|usage| usage.add_to(&mut self.usage));
            }
            "message_delta" => {
                let delta: MessageDelta = parse(data)?;
                delta.usage.into_iter().for_each(|usage| usage.add_to(&mut self.usage));
                self.stop = delta.delta.stop_reason.map(stop).or(self.stop.take());
            }
            "message_stop" => return Ok(Flow::Done),
            "error" => {
                let failed: Failed = parse(data)?;
                return Err(Trouble::in_stream(&failed.error.kind, &failed.error.message));
            }
            _ => {}
        }
        Ok(Flow::More)
    }

    fn finish(self) -> Result<Response, Trouble> {
        let stop = self.stop.ok_or(Trouble::Cut)?;
        let blocks: Vec<Block> = self.parts.into_iter().filter_map(|(_, part)| part.block()).collect();
        let stop = settle_stop(stop, &blocks);
        Ok(Response { model: self.model, blocks, usage: self.usage, stop })
    }
}

impl AnthropicStream {
    fn start(&mut self, start: BlockStart<'_>, tell: Tell<'_>) {
        let block = start.content_block;
        let part = match &*block.kind {
            "text" => Part::Text(block.text),
            "thinking" => Part::Thinking { text: block.thinking, signature: block.signature },
            "redacted_thinking" => Part::Redacted(block.data),
            "tool_use" => {
                tell(Delta::Call { id: block.id.clone(), name: block.name.clone() });
                // The input of a call comes in deltas; some servers give it whole at once.
                let whole = block.input.map(RawValue::get).filter(|input| *input != "{}").unwrap_or_default();
                Part::Call { id: block.id, name: block.name, json: whole.to_owned() }
            }
            _ => Part::Unknown,
        };
        match &part {
            Part::Text(text) if !text.is_empty() => tell(Delta::Text(text.clone())),
            Part::Thinking { text, .. } if !text.is_empty() => tell(Delta::Thinking(text.clone())),
            Part::Call { json, .. } if !json.is_empty() => tell(Delta::CallInput { json: json.clone() }),
            Part::Text(_) | Part::Thinking { .. } | Part::Call { .. } | Part::Redacted(_) | Part::Unknown => {}
        }
        self.parts.push((start.index, part));
    }

    fn delta(&mut self, event: BlockDelta<'_>, tell: Tell<'_>) {
        let Some((_, part)) = self.parts.iter_mut().rev().find(|(index, _)| *index == event.index) else { return };
        let delta = event.delta;
        match (part, &*delta.kind) {
            (Part::Text(text), "text_delta") => {
                text.push_str(&delta.text);
                tell(Delta::Text(delta.text));
            }
            (Part::Thinking { text, .. }, "thinking_delta") => {
                text.push_str(&delta.thinking);
                tell(Delta::Thinking(delta.thinking));
            }
            (Part::Thinking { signature, .. }, "signature_delta") => {
                signature.push_str(&delta.signature);
                tell(Delta::Signature(delta.signature));
            }
            (Part::Call { json, .. }, "input_json_delta") => {
                json.push_str(&delta.partial_json);
                tell(Delta::CallInput { json: delta.partial_json });
            }
            _ => {}
        }
    }
}

impl Part {
    fn block(self) -> Option<Block> {
        let opaque = |value| Some(Opaque { wire: Wire::Anthropic, value });
        match self {
            Part::Text(text) => Some(Block::Text { text }),
            Part::Thinking { text, signature } if signature.is_empty() => Some(Block::Thinking { text, opaque: None }),
            Part::Thinking { text, signature } => {
                Some(Block::Thinking { text, opaque: opaque(json!({"type": "thinking", "signature": signature})) })
            }
            Part::Redacted(data) => {
                let opaque = opaque(json!({"type": "redacted_thinking", "data": data}));
                Some(Block::Thinking { text: String::new(), opaque })
            }
            Part::Call { id, name, json } => Some(Block::ToolUse(ToolUse { id, name, input: tool_input(&json) })),
            Part::Unknown => None,
        }
    }
}

fn stop(reason: String) -> Stop {
    match reason.as_str() {
        "end_turn" | "stop_sequence" => Stop::EndTurn,
        "tool_use" => Stop::ToolUse,
        "max_tokens" => Stop::MaxTokens,
        "refusal" => Stop::Refusal,
        _ => Stop::Other(reason),
    }
}

#[derive(Deserialize)]
struct MessageStart {
    message: Begun,
}

#[derive(Deserialize)]
struct Begun {
    #[serde(default)]
    model: String,
    #[serde(default)]
    usage: Option<Counted>,
}

/// Later counts replace earlier ones; what is missing stays.
#[derive(Deserialize)]
struct Counted {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
}

impl Counted {
    fn add_to(self, usage: &mut Usage) {
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
    delta: GrownBlock<'a>,
}

#[derive(Deserialize)]
struct GrownBlock<'a> {
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
    delta: Stopped,
    #[serde(default)]
    usage: Option<Counted>,
}

#[derive(Deserialize)]
struct Stopped {
    #[serde(default)]
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Failed {
    error: FailedWith,
}

#[derive(Deserialize)]
struct FailedWith {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    message: String,
}
