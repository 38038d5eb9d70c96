//! Shared by the three stream decoders: a decoder takes events, emits deltas and returns a response at the end.

use crate::http::error::AttemptError;
use cutonce_core::conversation::{ContentBlock, ModelResponse, StopReason, TokenUsage, ToolInput};
use cutonce_core::protocol::event::AnswerDelta;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// Receives the deltas.
pub(crate) type DeltaSink<'a> = &'a mut dyn FnMut(AnswerDelta);

pub(crate) trait StreamDecoder: Default + Send {
    /// Handles one event. Unknown events are ignored; a known one that can't be parsed is malformed.
    fn handle_event(&mut self, name: &str, data: &[u8], tell: DeltaSink<'_>) -> Result<DecodeFlow, AttemptError>;
    /// Returns the usage that the provider reported so far.
    fn usage(&self) -> TokenUsage;
    /// Handles the end of the stream, which is an interruption if the answer is incomplete.
    fn finish(self) -> Result<ModelResponse, AttemptError>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecodeFlow {
    More,
    /// The answer is complete; the rest is ignored.
    Done,
}

/// Returns the event's kind: its name, or the `type` field of its data if a proxy dropped the name.
pub(crate) fn event_kind<'a>(name: &'a str, data: &'a [u8]) -> Result<Cow<'a, str>, AttemptError> {
    #[derive(Deserialize)]
    struct EventType<'a> {
        #[serde(borrow, default, rename = "type")]
        kind: Cow<'a, str>,
    }
    if !name.is_empty() && name != "message" {
        return Ok(Cow::Borrowed(name));
    }
    Ok(parse_json::<EventType<'_>>(data)?.kind)
}

pub(crate) fn parse_json<'a, T: Deserialize<'a>>(data: &'a [u8]) -> Result<T, AttemptError> {
    serde_json::from_slice(data).map_err(|error| AttemptError::Malformed(error.to_string()))
}

/// Parses a call's input: no text is an empty object, and broken JSON is kept as text (AG-6).
pub(crate) fn tool_input(raw: &str) -> ToolInput {
    if raw.trim().is_empty() {
        return ToolInput::Json(Value::Object(serde_json::Map::new()));
    }
    match serde_json::from_str(raw) {
        Ok(Value::Null) => ToolInput::Json(Value::Object(serde_json::Map::new())),
        Ok(value) => ToolInput::Json(value),
        Err(error) => ToolInput::Invalid { invalid_json: raw.to_owned(), error: error.to_string() },
    }
}

/// Corrects the stop reason by the calls: servers disagree on the reason they send with calls.
pub(crate) fn correct_stop(stop: StopReason, blocks: &[ContentBlock]) -> StopReason {
    let calls = blocks.iter().any(|block| matches!(block, ContentBlock::ToolUse(_)));
    match stop {
        StopReason::EndTurn if calls => StopReason::ToolUse,
        StopReason::ToolUse if !calls => StopReason::EndTurn,
        other => other,
    }
}

/// Makes call ids unique: results for equal ids are ambiguous, and providers reject such a conversation.
pub(crate) fn make_call_ids_unique(mut response: ModelResponse) -> ModelResponse {
    let mut seen = std::collections::HashSet::new();
    for block in &mut response.blocks {
        if let ContentBlock::ToolUse(call) = block
            && (call.id.is_empty() || !seen.insert(call.id.clone()))
        {
            call.id = format!("call_{:016x}", fastrand::u64(..));
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ag_6_broken_input_is_kept_as_text() {
        assert_eq!(tool_input(" "), ToolInput::Json(serde_json::json!({})));
        assert_eq!(tool_input("null"), ToolInput::Json(serde_json::json!({})));
        assert_eq!(tool_input("{\"a\":1}"), ToolInput::Json(serde_json::json!({"a":1})));
        let deep = "[".repeat(5000);
        for raw in ["{\"a\":", "{} x", "nonsense", deep.as_str()] {
            let ToolInput::Invalid { invalid_json, error } = tool_input(raw) else { panic!("{raw}") };
            assert!(invalid_json == raw && !error.is_empty());
        }
    }
}
