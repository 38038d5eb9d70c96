//! OpenAI Responses: decodes the stream. Deltas are only displayed; the finished items form the answer.

use crate::http::error::AttemptError;
use crate::wire::decode::{DecodeFlow, DeltaSink, StreamDecoder, correct_stop, event_kind, parse_json, tool_input};
use cutonce_core::conversation::{
    ContentBlock, ModelResponse, OpaqueThinking, StopReason, TokenUsage, ToolUse, WireFormat,
};
use cutonce_core::protocol::event::AnswerDelta;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Default)]
pub(crate) struct ResponsesStream {
    /// Finished items with their position in the output.
    items: Vec<(u32, Vec<ContentBlock>)>,
    refused: bool,
    usage: TokenUsage,
    end: Option<ResponseEnd>,
}

struct ResponseEnd {
    model: String,
    stop: StopReason,
}

impl StreamDecoder for ResponsesStream {
    fn handle_event(&mut self, name: &str, data: &[u8], tell: DeltaSink<'_>) -> Result<DecodeFlow, AttemptError> {
        match &*event_kind(name, data)? {
            "response.output_text.delta" | "response.refusal.delta" => {
                tell(AnswerDelta::Text(parse_json::<TextDelta>(data)?.delta))
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                tell(AnswerDelta::Thinking(parse_json::<TextDelta>(data)?.delta));
            }
            "response.reasoning_summary_part.added" => {
                let breaks = (parse_json::<SummaryPart>(data)?.summary_index > 0).then(|| "\n\n".to_owned());
                breaks.into_iter().for_each(|text| tell(AnswerDelta::Thinking(text)));
            }
            "response.function_call_arguments.delta" => {
                tell(AnswerDelta::CallInput { json: parse_json::<TextDelta>(data)?.delta });
            }
            "response.output_item.added" => {
                let added: ItemEvent<'_> = parse_json(data)?;
                let item: OutputItem<'_> = parse_json(added.item.get().as_bytes())?;
                if item.kind == "function_call" {
                    tell(AnswerDelta::Call { id: item.call_id, name: item.name });
                }
            }
            "response.output_item.done" => {
                let done: ItemEvent<'_> = parse_json(data)?;
                let blocks = self.item_blocks(done.item)?;
                self.items.push((done.output_index, blocks));
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.finish_response(parse_json::<FinishedEvent>(data)?.response)?;
                return Ok(DecodeFlow::Done);
            }
            "error" => return Err(parse_error(data)?),
            _ => {}
        }
        Ok(DecodeFlow::More)
    }

    fn usage(&self) -> TokenUsage {
        self.usage
    }

    fn finish(mut self) -> Result<ModelResponse, AttemptError> {
        let end = self.end.ok_or(AttemptError::StreamEnded)?;
        self.items.sort_by_key(|(index, _)| *index);
        let blocks: Vec<ContentBlock> = self.items.into_iter().flat_map(|(_, blocks)| blocks).collect();
        let stop = if self.refused { StopReason::Refusal } else { correct_stop(end.stop, &blocks) };
        Ok(ModelResponse { model: end.model, blocks, usage: self.usage, stop })
    }
}

impl ResponsesStream {
    fn item_blocks(&mut self, raw: &RawValue) -> Result<Vec<ContentBlock>, AttemptError> {
        let item: OutputItem<'_> = parse_json(raw.get().as_bytes())?;
        Ok(match &*item.kind {
            "message" => {
                self.refused |= item.content.iter().any(|part| part.kind == "refusal");
                let texts = item.content.into_iter().map(|part| part.text + &part.refusal);
                texts.filter(|text| !text.is_empty()).map(|text| ContentBlock::Text { text }).collect()
            }
            "function_call" => {
                let input = tool_input(&item.arguments);
                vec![ContentBlock::ToolUse(ToolUse { id: item.call_id, name: item.name, input })]
            }
            "reasoning" => {
                let texts: Vec<String> = item.summary.into_iter().chain(item.content).map(|part| part.text).collect();
                let value =
                    serde_json::from_str(raw.get()).map_err(|error| AttemptError::Malformed(error.to_string()))?;
                vec![ContentBlock::Thinking {
                    text: texts.join("\n\n"),
                    opaque: Some(OpaqueThinking { wire: WireFormat::Responses, value }),
                }]
            }
            _ => Vec::new(),
        })
    }

    fn finish_response(&mut self, response: FullResponse) -> Result<(), AttemptError> {
        // A failed response counts too (DU-3).
        self.usage = response.usage.map(TokenUsage::from).unwrap_or_default();
        if let Some(error) = response.error {
            return Err(AttemptError::in_stream(&error.code.unwrap_or_default(), &error.message.unwrap_or_default()));
        }
        let stop = match (response.status.as_str(), response.incomplete_details.and_then(|details| details.reason)) {
            ("failed", _) => return Err(AttemptError::in_stream("server_error", "the response failed")),
            (_, Some(reason)) if reason == "max_output_tokens" => StopReason::MaxTokens,
            (_, Some(reason)) if reason == "content_filter" => StopReason::Refusal,
            (_, Some(reason)) => StopReason::Other(reason),
            ("completed" | "", None) => StopReason::EndTurn,
            (other, None) => StopReason::Other(other.to_owned()),
        };
        self.end = Some(ResponseEnd { model: response.model, stop });
        Ok(())
    }
}

/// Parses an error event; its fields are at the top level, or below `error` with some servers.
fn parse_error(data: &[u8]) -> Result<AttemptError, AttemptError> {
    #[derive(Deserialize)]
    struct ErrorEventData {
        #[serde(default)]
        error: Option<ErrorDetails>,
        #[serde(flatten)]
        here: ErrorDetails,
    }
    let event: ErrorEventData = parse_json(data)?;
    let failure = event.error.unwrap_or(event.here);
    Ok(AttemptError::in_stream(
        &failure.code.or(failure.kind).unwrap_or_default(),
        &failure.message.unwrap_or_default(),
    ))
}

#[derive(Deserialize)]
struct TextDelta {
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
struct OutputItem<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(default)]
    name: String,
    #[serde(default)]
    call_id: String,
    #[serde(default)]
    arguments: String,
    #[serde(borrow, default, deserialize_with = "list_or_null")]
    content: Vec<OutputPart<'a>>,
    #[serde(borrow, default, deserialize_with = "list_or_null")]
    summary: Vec<OutputPart<'a>>,
}

/// Deserializes a list; null is an empty one.
fn list_or_null<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<OutputPart<'de>>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[derive(Deserialize)]
struct OutputPart<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    refusal: String,
}

#[derive(Deserialize)]
struct FinishedEvent {
    response: FullResponse,
}

#[derive(Deserialize)]
struct FullResponse {
    #[serde(default)]
    model: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    incomplete_details: Option<IncompleteDetails>,
    #[serde(default)]
    error: Option<ErrorDetails>,
    #[serde(default)]
    usage: Option<ResponsesUsage>,
}

#[derive(Deserialize)]
struct IncompleteDetails {
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Deserialize)]
struct ErrorDetails {
    #[serde(default)]
    code: Option<String>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: Option<String>,
}

#[derive(Deserialize)]
struct ResponsesUsage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    input_tokens_details: Option<InputTokenDetails>,
}

#[derive(Deserialize)]
struct InputTokenDetails {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl From<ResponsesUsage> for TokenUsage {
    fn from(counted: ResponsesUsage) -> Self {
        let cached = counted.input_tokens_details.and_then(|details| details.cached_tokens).unwrap_or_default();
        TokenUsage {
            input_tokens: counted.input_tokens.saturating_sub(cached),
            output_tokens: counted.output_tokens,
            cache_read_input_tokens: cached,
            ..TokenUsage::default()
        }
    }
}
