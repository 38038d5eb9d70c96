//! OpenAI-compatible Chat Completions: how the stream is read, with the habits of the many servers that send it.

use crate::decode::{Decoder, Flow, Tell, parse, settle_stop, tool_input};
use crate::fault::{Trouble, words_of};
use cutonce_core::conversation::{Block, Opaque, Response, Stop, ToolUse, Usage, Wire};
use cutonce_core::event::Delta;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

#[derive(Default)]
pub(crate) struct ChatStream {
    model: String,
    /// In the order of arrival; text and reasoning grow at the end, calls by their index.
    parts: Vec<Part>,
    /// OpenRouter's own form of the reasoning, which it wants back unchanged.
    details: Vec<Map<String, Value>>,
    usage: Usage,
    stop: Option<Stop>,
    refused: bool,
    done: bool,
}

enum Part {
    Text(String),
    Reasoning { text: String, field: &'static str },
    Call { index: Option<u32>, id: String, name: String, json: String },
}

/// Servers that count their calls anew in each answer give ids that a conversation has twice.
const SHORTEST_ID: usize = 9;

impl Decoder for ChatStream {
    fn event(&mut self, name: &str, data: &[u8], tell: Tell<'_>) -> Result<Flow, Trouble> {
        if data == b"[DONE]" {
            self.done = true;
            return Ok(Flow::Done);
        }
        let chunk: Chunk<'_> = parse(data)?;
        if chunk.error.is_some_and(|error| error.get() != "null") || name == "error" {
            let (code, words) = words_of(data);
            return Err(Trouble::in_stream(&code, &words));
        }
        if self.model.is_empty() {
            self.model = chunk.model.unwrap_or_default();
        }
        self.usage = chunk.usage.map(Usage::from).unwrap_or(self.usage);
        for choice in chunk.choices.unwrap_or_default() {
            if let Some(delta) = choice.delta {
                self.delta(delta, tell)?;
            }
            if let Some(reason) = choice.finish_reason {
                self.stop = Some(stop(reason)?);
            }
        }
        Ok(Flow::More)
    }

    fn finish(self) -> Result<Response, Trouble> {
        let stop = match self.stop {
            Some(stop) => stop,
            None if self.done && !self.parts.is_empty() => Stop::EndTurn,
            None => return Err(Trouble::Cut),
        };
        let mut details = Some(self.details).filter(|details| !details.is_empty());
        let mut ids: Vec<String> = Vec::new();
        let mut blocks = Vec::with_capacity(self.parts.len());
        if details.is_some() && !self.parts.iter().any(|part| matches!(part, Part::Reasoning { .. })) {
            blocks.push(reasoning(String::new(), "reasoning", details.take()));
        }
        for part in self.parts {
            blocks.push(match part {
                Part::Text(text) => Block::Text { text },
                Part::Reasoning { text, field } => reasoning(text, field, details.take()),
                Part::Call { mut id, name, json, .. } => {
                    if id.len() < SHORTEST_ID || ids.contains(&id) {
                        id = format!("call_{:016x}", fastrand::u64(..));
                    }
                    ids.push(id.clone());
                    Block::ToolUse(ToolUse { id, name, input: tool_input(&json) })
                }
            });
        }
        let stop = if self.refused { Stop::Refusal } else { settle_stop(stop, &blocks) };
        Ok(Response { model: self.model, blocks, usage: self.usage, stop })
    }
}

impl ChatStream {
    fn delta(&mut self, delta: Grown<'_>, tell: Tell<'_>) -> Result<(), Trouble> {
        if let Some(raw) = delta.reasoning_details {
            self.merge(serde_json::from_str(raw.get()).unwrap_or_default());
        }
        let reasoning = match (delta.reasoning_content, delta.reasoning) {
            (Some(text), _) => Some((text, "reasoning_content")),
            (None, Some(text)) => Some((text, "reasoning")),
            (None, None) => None,
        };
        if let Some((text, field)) = reasoning.filter(|(text, _)| !text.is_empty()) {
            match self.parts.last_mut() {
                Some(Part::Reasoning { text: grown, field: known }) if *known == field => grown.push_str(&text),
                _ => self.parts.push(Part::Reasoning { text: text.clone(), field }),
            }
            tell(Delta::Thinking(text));
        }
        self.refused |= delta.refusal.as_ref().is_some_and(|refusal| !refusal.is_empty());
        for text in [delta.content, delta.refusal].into_iter().flatten().filter(|text| !text.is_empty()) {
            match self.parts.last_mut() {
                Some(Part::Text(grown)) => grown.push_str(&text),
                _ => self.parts.push(Part::Text(text.clone())),
            }
            tell(Delta::Text(text));
        }
        for call in delta.tool_calls.unwrap_or_default() {
            self.call(call, tell);
        }
        Ok(())
    }

    fn call(&mut self, call: GrownCall, tell: Tell<'_>) {
        let function = call.function.unwrap_or_default();
        let arguments = function.arguments.unwrap_or_default();
        let id = call.id.unwrap_or_default();
        let known = self.parts.iter_mut().rev().find_map(|part| match part {
            Part::Call { index, id: known, name, json } => {
                // Some servers give each whole call the index 0, or none at all: then the id tells them apart.
                let same_id = id.is_empty() || known.is_empty() || *known == id;
                (*index == call.index && same_id).then_some((known, name, json))
            }
            Part::Text(_) | Part::Reasoning { .. } => None,
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
                tell(Delta::Call { id: id.clone(), name: name.clone() });
                self.parts.push(Part::Call { index: call.index, id, name, json: arguments.clone() });
            }
        }
        if !arguments.is_empty() {
            tell(Delta::CallInput { json: arguments });
        }
    }

    /// Pieces of one detail share type and index: their texts are joined, other fields are taken over.
    fn merge(&mut self, pieces: Vec<Map<String, Value>>) {
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

fn reasoning(text: String, field: &'static str, details: Option<Vec<Map<String, Value>>>) -> Block {
    let value = match details {
        Some(details) => json!({"field": field, "details": details}),
        None => json!({"field": field}),
    };
    Block::Thinking { text, opaque: Some(Opaque { wire: Wire::Chat, value }) }
}

fn stop(reason: String) -> Result<Stop, Trouble> {
    Ok(match reason.as_str() {
        "stop" | "eos" => Stop::EndTurn,
        "tool_calls" | "function_call" => Stop::ToolUse,
        "length" => Stop::MaxTokens,
        "content_filter" => Stop::Refusal,
        // OpenRouter's word for an upstream that failed in the middle.
        "error" => return Err(Trouble::in_stream("server_error", "the upstream provider failed")),
        _ => Stop::Other(reason),
    })
}

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(default)]
    model: Option<String>,
    #[serde(borrow, default)]
    choices: Option<Vec<ChoiceDelta<'a>>>,
    #[serde(default)]
    usage: Option<Counted>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ChoiceDelta<'a> {
    #[serde(borrow, default)]
    delta: Option<Grown<'a>>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Grown<'a> {
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
    tool_calls: Option<Vec<GrownCall>>,
}

#[derive(Deserialize)]
struct GrownCall {
    #[serde(default)]
    index: Option<u32>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<GrownFunction>,
}

#[derive(Deserialize, Default)]
struct GrownFunction {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct Counted {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    #[serde(default)]
    prompt_tokens_details: Option<CountedPrompt>,
    /// DeepSeek's name for the cached part.
    #[serde(default)]
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CountedPrompt {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl From<Counted> for Usage {
    fn from(counted: Counted) -> Self {
        let details = counted.prompt_tokens_details.and_then(|details| details.cached_tokens);
        let cached = details.or(counted.prompt_cache_hit_tokens).unwrap_or_default();
        Usage {
            input_tokens: counted.prompt_tokens.saturating_sub(cached),
            output_tokens: counted.completion_tokens,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: cached,
        }
    }
}
