//! OpenAI Responses: how the stream is read. Deltas are for the eye; the finished items are the answer.

use crate::decode::{Decoder, Flow, Tell, kind_of, parse, settle_stop, tool_input};
use crate::fault::Trouble;
use cutonce_core::conversation::{Block, Opaque, Response, Stop, ToolUse, Usage, Wire};
use cutonce_core::event::Delta;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Default)]
pub(crate) struct ResponsesStream {
    /// Finished items by their place in the output.
    items: Vec<(u32, Vec<Block>)>,
    refused: bool,
    end: Option<Ended>,
}

struct Ended {
    model: String,
    usage: Usage,
    stop: Stop,
}

impl Decoder for ResponsesStream {
    fn event(&mut self, name: &str, data: &[u8], tell: Tell<'_>) -> Result<Flow, Trouble> {
        match &*kind_of(name, data)? {
            "response.output_text.delta" | "response.refusal.delta" => tell(Delta::Text(parse::<Grown>(data)?.delta)),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                tell(Delta::Thinking(parse::<Grown>(data)?.delta));
            }
            "response.reasoning_summary_part.added" => {
                let breaks = (parse::<SummaryPart>(data)?.summary_index > 0).then(|| "\n\n".to_owned());
                breaks.into_iter().for_each(|text| tell(Delta::Thinking(text)));
            }
            "response.function_call_arguments.delta" => {
                tell(Delta::CallInput { json: parse::<Grown>(data)?.delta });
            }
            "response.output_item.added" => {
                let added: ItemEvent<'_> = parse(data)?;
                let item: Item<'_> = parse(added.item.get().as_bytes())?;
                if item.kind == "function_call" {
                    tell(Delta::Call { id: item.call_id, name: item.name });
                }
            }
            "response.output_item.done" => {
                let done: ItemEvent<'_> = parse(data)?;
                let blocks = self.blocks(done.item)?;
                self.items.push((done.output_index, blocks));
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.ended(parse::<Finished>(data)?.response)?;
                return Ok(Flow::Done);
            }
            "error" => return Err(failed(data)?),
            _ => {}
        }
        Ok(Flow::More)
    }

    fn finish(mut self) -> Result<Response, Trouble> {
        let end = self.end.ok_or(Trouble::Cut)?;
        self.items.sort_by_key(|(index, _)| *index);
        let blocks: Vec<Block> = self.items.into_iter().flat_map(|(_, blocks)| blocks).collect();
        let stop = if self.refused { Stop::Refusal } else { settle_stop(end.stop, &blocks) };
        Ok(Response { model: end.model, blocks, usage: end.usage, stop })
    }
}

impl ResponsesStream {
    fn blocks(&mut self, raw: &RawValue) -> Result<Vec<Block>, Trouble> {
        let item: Item<'_> = parse(raw.get().as_bytes())?;
        Ok(match &*item.kind {
            "message" => {
                self.refused |= item.content.iter().any(|part| part.kind == "refusal");
                let texts = item.content.into_iter().map(|part| part.text + &part.refusal);
                texts.filter(|text| !text.is_empty()).map(|text| Block::Text { text }).collect()
            }
            "function_call" => {
                let input = tool_input(&item.arguments);
                vec![Block::ToolUse(ToolUse { id: item.call_id, name: item.name, input })]
            }
            "reasoning" => {
                let texts: Vec<String> = item.summary.into_iter().chain(item.content).map(|part| part.text).collect();
                let value = serde_json::from_str(raw.get()).map_err(|error| Trouble::Malformed(error.to_string()))?;
                vec![Block::Thinking {
                    text: texts.join("\n\n"),
                    opaque: Some(Opaque { wire: Wire::Responses, value }),
                }]
            }
            _ => Vec::new(),
        })
    }

    fn ended(&mut self, response: Whole) -> Result<(), Trouble> {
        if let Some(error) = response.error {
            return Err(Trouble::in_stream(&error.code.unwrap_or_default(), &error.message.unwrap_or_default()));
        }
        let stop = match (response.status.as_str(), response.incomplete_details.and_then(|details| details.reason)) {
            ("failed", _) => return Err(Trouble::in_stream("server_error", "the response failed")),
            (_, Some(reason)) if reason == "max_output_tokens" => Stop::MaxTokens,
            (_, Some(reason)) if reason == "content_filter" => Stop::Refusal,
            (_, Some(reason)) => Stop::Other(reason),
            ("completed" | "", None) => Stop::EndTurn,
            (other, None) => Stop::Other(other.to_owned()),
        };
        let usage = response.usage.map(Usage::from).unwrap_or_default();
        self.end = Some(Ended { model: response.model, usage, stop });
        Ok(())
    }
}

/// An error event; its fields stand at the top, or below `error` with some servers.
fn failed(data: &[u8]) -> Result<Trouble, Trouble> {
    #[derive(Deserialize)]
    struct Event {
        #[serde(default)]
        error: Option<Failure>,
        #[serde(flatten)]
        here: Failure,
    }
    let event: Event = parse(data)?;
    let failure = event.error.unwrap_or(event.here);
    Ok(Trouble::in_stream(&failure.code.or(failure.kind).unwrap_or_default(), &failure.message.unwrap_or_default()))
}

#[derive(Deserialize)]
struct Grown {
    delta: String,
}

#[derive(Deserialize)]
struct SummaryPart {
    #[serde(default)]
    summary_index: u32,
}

#[derive(Deserialize)]
struct ItemEvent<'a> {
    #[serde(default)]
    output_index: u32,
    #[serde(borrow)]
    item: &'a RawValue,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(default)]
    name: String,
    #[serde(default)]
    call_id: String,
    #[serde(default)]
    arguments: String,
    #[serde(borrow, default, deserialize_with = "maybe")]
    content: Vec<Part<'a>>,
    #[serde(borrow, default, deserialize_with = "maybe")]
    summary: Vec<Part<'a>>,
}

/// A list, or null for an empty one.
fn maybe<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Part<'de>>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    refusal: String,
}

#[derive(Deserialize)]
struct Finished {
    response: Whole,
}

#[derive(Deserialize)]
struct Whole {
    #[serde(default)]
    model: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    incomplete_details: Option<Incomplete>,
    #[serde(default)]
    error: Option<Failure>,
    #[serde(default)]
    usage: Option<Counted>,
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Failure {
    #[serde(default)]
    code: Option<String>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: Option<String>,
}

#[derive(Deserialize)]
struct Counted {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    input_tokens_details: Option<CountedInput>,
}

#[derive(Deserialize)]
struct CountedInput {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl From<Counted> for Usage {
    fn from(counted: Counted) -> Self {
        let cached = counted.input_tokens_details.and_then(|details| details.cached_tokens).unwrap_or_default();
        Usage {
            input_tokens: counted.input_tokens.saturating_sub(cached),
            output_tokens: counted.output_tokens,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: cached,
        }
    }
}
