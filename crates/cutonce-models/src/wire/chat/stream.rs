//! OpenAI-compatible Chat Completions: decodes the stream, with the quirks of the many servers that send it.

use crate::http::error::{AttemptError, parse_error_body};
use crate::wire::decode::{DecodeFlow, DeltaSink, StreamDecoder, correct_stop, parse_json, tool_input};
use cutonce_core::conversation::{
    ContentBlock, ModelResponse, OpaqueThinking, StopReason, TokenUsage, ToolUse, WireFormat,
};
use cutonce_core::protocol::event::AnswerDelta;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

#[derive(Default)]
pub(crate) struct ChatStream {
    model: String,
    /// Parts in order of arrival; text and reasoning grow at the end, calls by their index.
    parts: Vec<PartialPart>,
    /// OpenRouter's own form of the reasoning, which must be sent back unchanged.
    details: Vec<Map<String, Value>>,
    usage: TokenUsage,
    stop: Option<StopReason>,
    refused: bool,
    done: bool,
}

enum PartialPart {
    Text(String),
    Reasoning { text: String, field: &'static str },
    Call { index: Option<u32>, id: String, name: String, json: String },
}

/// Shorter ids are replaced: servers that restart their numbering in each answer would repeat them.
const MIN_ID_LENGTH: usize = 9;

impl StreamDecoder for ChatStream {
    fn handle_event(&mut self, name: &str, data: &[u8], tell: DeltaSink<'_>) -> Result<DecodeFlow, AttemptError> {
        if data == b"[DONE]" {
            self.done = true;
            return Ok(DecodeFlow::Done);
        }
        let chunk: ChatChunk<'_> = parse_json(data)?;
        if chunk.error.is_some_and(|error| error.get() != "null") || name == "error" {
            let (code, words) = parse_error_body(data);
            return Err(AttemptError::in_stream(&code, &words));
        }
        if self.model.is_empty() {
            self.model = chunk.model.unwrap_or_default();
        }
        self.usage = chunk.usage.map(TokenUsage::from).unwrap_or(self.usage);
        for choice in chunk.choices.unwrap_or_default() {
            if let Some(delta) = choice.delta {
                self.apply_delta(delta, tell)?;
            }
            if let Some(reason) = choice.finish_reason {
                self.stop = Some(parse_stop(reason)?);
            }
        }
        Ok(DecodeFlow::More)
    }

    fn usage(&self) -> TokenUsage {
        self.usage
    }

    fn finish(self) -> Result<ModelResponse, AttemptError> {
        let stop = match self.stop {
            Some(stop) => stop,
            None if self.done && !self.parts.is_empty() => StopReason::EndTurn,
            None => return Err(AttemptError::StreamEnded),
        };
        let mut details = Some(self.details).filter(|details| !details.is_empty());
        let mut ids: Vec<String> = Vec::new();
        let mut blocks = Vec::with_capacity(self.parts.len());
        if details.is_some() && !self.parts.iter().any(|part| matches!(part, PartialPart::Reasoning { .. })) {
            blocks.push(thinking_block(String::new(), "reasoning", details.take()));
        }
        for part in self.parts {
            blocks.push(match part {
                PartialPart::Text(text) => ContentBlock::Text { text },
                PartialPart::Reasoning { text, field } => thinking_block(text, field, details.take()),
                PartialPart::Call { mut id, name, json, .. } => {
                    if id.len() < MIN_ID_LENGTH || ids.contains(&id) {
                        id = format!("call_{:016x}", fastrand::u64(..));
                    }
                    ids.push(id.clone());
                    ContentBlock::ToolUse(ToolUse { id, name, input: tool_input(&json) })
                }
            });
        }
        let stop = if self.refused { StopReason::Refusal } else { correct_stop(stop, &blocks) };
        Ok(ModelResponse { model: self.model, blocks, usage: self.usage, stop })
    }
}

impl ChatStream {
    fn apply_delta(&mut self, delta: ChatDelta<'_>, tell: DeltaSink<'_>) -> Result<(), AttemptError> {
        if let Some(raw) = delta.reasoning_details {
            self.merge_details(serde_json::from_str(raw.get()).unwrap_or_default());
        }
        let reasoning = match (delta.reasoning_content, delta.reasoning) {
            (Some(text), _) => Some((text, "reasoning_content")),
            (None, Some(text)) => Some((text, "reasoning")),
            (None, None) => None,
        };
        if let Some((text, field)) = reasoning.filter(|(text, _)| !text.is_empty()) {
            match self.parts.last_mut() {
                Some(PartialPart::Reasoning { text: grown, field: known }) if *known == field => grown.push_str(&text),
                _ => self.parts.push(PartialPart::Reasoning { text: text.clone(), field }),
            }
            tell(AnswerDelta::Thinking(text));
        }
        self.refused |= delta.refusal.as_ref().is_some_and(|refusal| !refusal.is_empty());
        for text in [delta.content, delta.refusal].into_iter().flatten().filter(|text| !text.is_empty()) {
            match self.parts.last_mut() {
                Some(PartialPart::Text(grown)) => grown.push_str(&text),
                _ => self.parts.push(PartialPart::Text(text.clone())),
            }
            tell(AnswerDelta::Text(text));
        }
        for call in delta.tool_calls.unwrap_or_default() {
            self.apply_call_delta(call, tell);
        }
        Ok(())
    }

    fn apply_call_delta(&mut self, call: CallDelta, tell: DeltaSink<'_>) {
        let function = call.function.unwrap_or_default();
        let arguments = function.arguments.unwrap_or_default();
        let id = call.id.unwrap_or_default();
        let known = self.parts.iter_mut().rev().find_map(|part| match part {
            PartialPart::Call { index, id: known, name, json } => {
                // Some servers send each complete call with index 0 or none: then the id distinguishes them.
                let same_id = id.is_empty() || known.is_empty() || *known == id;
                (*index == call.index && same_id).then_some((known, name, json))
            }
            PartialPart::Text(_) | PartialPart::Reasoning { .. } => None,
        });
        match known {
            Some((known, name, json)) => {
                if known.is_empty() {
                    *known = id;
                }
                if name.is_empty() {
                    *name = function.name.unwrap_or_default();
                }
                json.push_str(&arguments);
            }
            None => {
                let name = function.name.unwrap_or_default();
                tell(AnswerDelta::Call { id: id.clone(), name: name.clone() });
                self.parts.push(PartialPart::Call { index: call.index, id, name, json: arguments.clone() });
            }
        }
        if !arguments.is_empty() {
            tell(AnswerDelta::CallInput { json: arguments });
        }
    }

    /// Merges pieces with equal type and index: their texts are joined, other fields are taken over.
    fn merge_details(&mut self, pieces: Vec<Map<String, Value>>) {
        for piece in pieces {
            let same = |last: &&mut Map<String, Value>| {
                last.get("type") == piece.get("type") && last.get("index") == piece.get("index")
            };
            let Some(last) = self.details.last_mut().filter(same) else {
                self.details.push(piece);
                continue;
            };
            for (key, value) in piece {
                match (last.get_mut(&key), &value) {
                    (Some(Value::String(grown)), Value::String(more))
                        if matches!(&*key, "text" | "summary" | "data") =>
                    {
                        grown.push_str(more);
                    }
                    (_, Value::Null) => {}
                    _ => {
                        last.insert(key, value);
                    }
                }
            }
        }
    }
}

fn thinking_block(text: String, field: &'static str, details: Option<Vec<Map<String, Value>>>) -> ContentBlock {
    let value = match details {
        Some(details) => json!({"field": field, "details": details}),
        None => json!({"field": field}),
    };
    ContentBlock::Thinking { text, opaque: Some(OpaqueThinking { wire: WireFormat::Chat, value }) }
}

fn parse_stop(reason: String) -> Result<StopReason, AttemptError> {
    Ok(match reason.as_str() {
        "stop" | "eos" => StopReason::EndTurn,
        "tool_calls" | "function_call" => StopReason::ToolUse,
        "length" => StopReason::MaxTokens,
        "content_filter" => StopReason::Refusal,
        // OpenRouter's reason for an upstream that failed midway.
        "error" => return Err(AttemptError::in_stream("server_error", "the upstream provider failed")),
        _ => StopReason::Other(reason),
    })
}

#[derive(Deserialize)]
struct ChatChunk<'a> {
    #[serde(default)]
    model: Option<String>,
    #[serde(borrow, default)]
    choices: Option<Vec<ChoiceDelta<'a>>>,
    #[serde(default)]
    usage: Option<ChatUsage>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ChoiceDelta<'a> {
    #[serde(borrow, default)]
    delta: Option<ChatDelta<'a>>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ChatDelta<'a> {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    reasoning_content: Option<String>,
    #[serde(default)]
    reasoning: Option<String>,
    #[serde(borrow, default)]
    reasoning_details: Option<&'a RawValue>,
    #[serde(default)]
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct CallDelta {
    #[serde(default)]
    index: Option<u32>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<FunctionDelta>,
}

#[derive(Deserialize, Default)]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct ChatUsage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    #[serde(default)]
    prompt_tokens_details: Option<PromptTokenDetails>,
    /// DeepSeek's field for the cached tokens.
    #[serde(default)]
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct PromptTokenDetails {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl From<ChatUsage> for TokenUsage {
    fn from(counted: ChatUsage) -> Self {
        let details = counted.prompt_tokens_details.and_then(|details| details.cached_tokens);
        let cached = details.or(counted.prompt_cache_hit_tokens).unwrap_or_default();
        TokenUsage {
            input_tokens: counted.prompt_tokens.saturating_sub(cached),
            output_tokens: counted.completion_tokens,
            cache_read_input_tokens: cached,
            ..TokenUsage::default()
        }
    }
}
