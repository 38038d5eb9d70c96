//! What the three streams have in common: a decoder takes events and gives deltas, at the end a response.

use crate::fault::Trouble;
use cutonce_core::conversation::{Block, Response, Stop, ToolInput};
use cutonce_core::event::Delta;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// Where the deltas go.
pub(crate) type Tell<'a> = &'a mut dyn FnMut(Delta);

pub(crate) trait Decoder: Default + Send {
    /// One event. Unknown events are nothing; a known one that cannot be read is malformed.
    fn event(&mut self, name: &str, data: &[u8], tell: Tell<'_>) -> Result<Flow, Trouble>;
    /// The stream is over. What is missing then makes it a cut.
    fn finish(self) -> Result<Response, Trouble>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    More,
    /// The answer is whole; nothing that follows matters.
    Done,
}

/// The event's kind: its name, or where a proxy dropped that, the `type` field of its data.
pub(crate) fn kind_of<'a>(name: &'a str, data: &'a [u8]) -> Result<Cow<'a, str>, Trouble> {
    #[derive(Deserialize)]
    struct Kind<'a> {
        #[serde(borrow, default, rename = "type")]
        kind: Cow<'a, str>,
    }
    if !name.is_empty() && name != "message" {
        return Ok(Cow::Borrowed(name));
    }
    Ok(parse::<Kind<'_>>(data)?.kind)
}

pub(crate) fn parse<'a, T: Deserialize<'a>>(data: &'a [u8]) -> Result<T, Trouble> {
    serde_json::from_slice(data).map_err(|error| Trouble::Malformed(error.to_string()))
}

/// The input of a call as it came: no text at all is an empty object, broken JSON is kept as text (AG-6).
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

/// Servers disagree on the reason they give when calls are made; the calls decide.
pub(crate) fn settle_stop(stop: Stop, blocks: &[Block]) -> Stop {
    let calls = blocks.iter().any(|block| matches!(block, Block::ToolUse(_)));
    match stop {
        Stop::EndTurn if calls => Stop::ToolUse,
        Stop::ToolUse if !calls => Stop::EndTurn,
        other => other,
    }
}

/// Two calls of one answer with the same id could not be answered apart, and providers refuse such a conversation.
pub(crate) fn tell_apart(mut response: Response) -> Response {
    let mut seen = std::collections::HashSet::new();
    for block in &mut response.blocks {
        if let Block::ToolUse(call) = block
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
