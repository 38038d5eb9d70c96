//! The scripted model (MO-5): a JSON file defines the model's answers, request by request, and the faults between
//! them. A loopback server plays it in each provider's wire format, so the rest of the path is real.
//!
//! ```json
//! {"turns": [
//!   {"thinking": "Look first.", "text": "Let me see.", "calls": [{"name": "Read", "input": {"file_path": "a"}}]},
//!   {"fault": {"status": 529}},
//!   {"text": "Done.", "usage": {"input_tokens": 9, "output_tokens": 3}}
//! ]}
//! ```
//!
//! Each request takes the first remaining turn whose `when` occurs in its body and whose `unless` does not. A turn with
//! `repeat` is used that often; `{n}` in its strings is the count from 1. `{plan}` is the path of the plan file in the
//! request, `{request}` the id of the plan approval it asks for, `{agent}` the id of the agent it names last.

mod as_anthropic;
mod as_chat;
mod as_responses;
mod model;
mod playback;
mod player;
mod server;

pub use model::ScriptedModel;
pub use server::{LoopbackServer, RecordedRequest, RequestRecording, RequestTiming};

use cutonce_core::conversation::TokenUsage;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_json::Value;
use std::path::Path;

/// A whole scenario. Fields other than `turns` belong to other readers of the file.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ScenarioScript {
    pub turns: Vec<ScriptedTurn>,
    /// Milliseconds of silence after which the scripted provider's client gives up a stream.
    #[serde(default)]
    pub idle_ms: Option<u64>,
    /// The only key that the server accepts; any key if not given.
    #[serde(default)]
    pub accepted_key: Option<String>,
}

/// The answer to one request.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScriptedTurn {
    /// A comment for readers of the file.
    pub about: String,
    pub thinking: Option<String>,
    pub text: Option<String>,
    pub calls: Vec<ScriptedCall>,
    /// Blocks in explicit order; thinking, text and calls above come before these.
    pub blocks: Vec<ScriptedBlock>,
    pub usage: Option<TokenUsage>,
    /// Stop reason in Anthropic's terms (`end_turn`, `tool_use`, `max_tokens`, `refusal`, …); derived from the blocks
    /// by default.
    pub stop: Option<String>,
    pub fault: Option<ScriptedFault>,
    /// Bytes per write.
    pub chunk: Option<usize>,
    /// Characters per delta.
    pub delta: Option<usize>,
    /// Pause before each event, for demos.
    pub delay_ms: Option<u64>,
    /// Text that the request must contain for this turn to be used.
    pub when: Option<String>,
    /// Text that the request must not contain for this turn to be used.
    pub unless: Option<String>,
    pub repeat: Option<u32>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptedBlock {
    Thinking(String),
    /// Thinking that the provider does not show.
    Redacted(String),
    Text(String),
    Refusal(String),
    Call(ScriptedCall),
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScriptedCall {
    pub name: String,
    /// An object; a string is sent unchanged, even if broken.
    pub input: Value,
    /// Like `input`, for inputs that are easier to read as an unescaped field.
    pub raw: Option<String>,
    pub id: Option<String>,
}

/// A fault instead of the answer or in the middle of it.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptedFault {
    Status(StatusFault),
    /// The connection breaks after this many events; `None`: in the middle.
    Cut(Option<usize>),
    /// No more data after this many events.
    Idle(usize),
    HalfEvent,
    MalformedEvent,
    /// The inputs of the calls lack their last character.
    InvalidJsonCall,
    /// The connection is closed without an answer.
    Refuse,
    Error(ErrorEvent),
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusFault {
    pub status: u16,
    #[serde(default)]
    pub retry_after: Option<String>,
    #[serde(default)]
    pub retry_after_ms: Option<String>,
    /// The whole body; by default an error in the provider's form.
    #[serde(default)]
    pub body: Option<String>,
    #[serde(default)]
    pub message: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorEvent {
    #[serde(rename = "type")]
    pub kind: String,
    pub message: String,
    /// Number of events before it; by default in the middle.
    #[serde(default)]
    pub after: Option<usize>,
}

impl ScenarioScript {
    pub fn parse(text: &str) -> Result<Self, String> {
        let script: ScenarioScript = serde_json::from_str(text).map_err(|error| error.to_string())?;
        for (index, turn) in script.turns.iter().enumerate() {
            turn.check().map_err(|error| format!("turns[{index}]: {error}"))?;
        }
        Ok(script)
    }

    pub fn read(path: &Path) -> Result<Self, String> {
        let told = |error: &dyn std::fmt::Display| format!("Cannot play the scenario {}: {error}.", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| told(&error))?;
        Self::parse(&text).map_err(|error| told(&error))
    }
}

impl ScriptedTurn {
    /// True if any of its strings contains this text.
    fn contains_text(&self, words: &str) -> bool {
        let call = |call: &ScriptedCall| {
            call.input.to_string().contains(words) || call.raw.as_ref().is_some_and(|raw| raw.contains(words))
        };
        let piece = |piece: &ScriptedBlock| match piece {
            ScriptedBlock::Thinking(text)
            | ScriptedBlock::Redacted(text)
            | ScriptedBlock::Text(text)
            | ScriptedBlock::Refusal(text) => text.contains(words),
            ScriptedBlock::Call(inner) => call(inner),
        };
        let said = [&self.thinking, &self.text].into_iter().flatten().any(|text| text.contains(words));
        said || self.calls.iter().any(call) || self.blocks.iter().any(piece)
    }

    fn check(&self) -> Result<(), String> {
        let nested = self.blocks.iter().filter_map(|piece| match piece {
            ScriptedBlock::Call(call) => Some(call),
            ScriptedBlock::Thinking(_)
            | ScriptedBlock::Redacted(_)
            | ScriptedBlock::Text(_)
            | ScriptedBlock::Refusal(_) => None,
        });
        if self.calls.iter().chain(nested).any(|call| call.name.is_empty()) {
            return Err("a call has no name".to_owned());
        }
        match (self.chunk, self.delta, self.repeat) {
            (Some(0), _, _) => Err("chunk: expected at least 1, got 0".to_owned()),
            (_, Some(0), _) => Err("delta: expected at least 1, got 0".to_owned()),
            (_, _, Some(0)) => Err("repeat: expected at least 1, got 0".to_owned()),
            _ => Ok(()),
        }
    }
}

impl<'de> Deserialize<'de> for ScriptedFault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        parse_fault(value).map_err(D::Error::custom)
    }
}

fn parse_fault(value: Value) -> Result<ScriptedFault, String> {
    const FORMS: &str = "expected \"cut\", \"idle\", \"half_event\", \"malformed_event\", \"invalid_json_call\", \
        \"refuse\", {\"cut\": N}, {\"idle\": N}, {\"status\": N, \"retry_after\": …} or {\"error\": {\"type\", \"message\"}}";
    let unknown = || format!("fault: {FORMS}, got {value}");
    if let Some(word) = value.as_str() {
        return match word {
            "cut" => Ok(ScriptedFault::Cut(None)),
            "idle" => Ok(ScriptedFault::Idle(0)),
            "half_event" => Ok(ScriptedFault::HalfEvent),
            "malformed_event" => Ok(ScriptedFault::MalformedEvent),
            "invalid_json_call" => Ok(ScriptedFault::InvalidJsonCall),
            "refuse" => Ok(ScriptedFault::Refuse),
            _ => Err(unknown()),
        };
    }
    let events =
        |field: &str| value[field].as_u64().and_then(|events| usize::try_from(events).ok()).ok_or_else(unknown);
    let object = value.as_object().ok_or_else(unknown)?;
    match object.keys().next().map(String::as_str) {
        Some("cut") if object.len() == 1 => Ok(ScriptedFault::Cut(Some(events("cut")?))),
        Some("idle") if object.len() == 1 => Ok(ScriptedFault::Idle(events("idle")?)),
        Some("error") if object.len() == 1 => {
            let event = ErrorEvent::deserialize(&value["error"]).map_err(|error| format!("fault.error: {error}"))?;
            Ok(ScriptedFault::Error(event))
        }
        _ if object.contains_key("status") => {
            let status = StatusFault::deserialize(&value).map_err(|error| format!("fault: {error}"))?;
            match status.status {
                400..=599 => Ok(ScriptedFault::Status(status)),
                other => Err(format!("fault.status: expected 400 to 599, got {other}")),
            }
        }
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mo_5_every_fault_form_is_parsed() {
        let read = |text: &str| {
            ScenarioScript::parse(&format!("{{\"turns\":[{{\"fault\":{text}}}]}}")).map(|s| s.turns[0].fault.clone())
        };
        assert_eq!(read("\"cut\""), Ok(Some(ScriptedFault::Cut(None))));
        assert_eq!(read("{\"cut\":3}"), Ok(Some(ScriptedFault::Cut(Some(3)))));
        assert_eq!(read("\"idle\""), Ok(Some(ScriptedFault::Idle(0))));
        assert_eq!(read("\"refuse\""), Ok(Some(ScriptedFault::Refuse)));
        let status = read("{\"status\":429,\"retry_after\":\"0\"}").unwrap().unwrap();
        assert!(matches!(status, ScriptedFault::Status(StatusFault { status: 429, retry_after: Some(_), .. })));
        assert!(matches!(read("{\"error\":{\"type\":\"x\",\"message\":\"y\"}}"), Ok(Some(ScriptedFault::Error(_)))));
        for bad in ["\"explode\"", "{\"cut\":\"x\"}", "{\"status\":200}", "{\"status\":429,\"typo\":1}", "7"] {
            assert!(read(bad).unwrap_err().contains("fault"), "{bad}");
        }
    }

    #[test]
    fn mo_5_scenario_errors_say_where() {
        let error = ScenarioScript::parse("{\"turns\":[{\"text\":\"a\"},{\"calls\":[{\"input\":{}}]}]}").unwrap_err();
        assert_eq!(error, "turns[1]: a call has no name");
        let error = ScenarioScript::parse("{\"turns\":[\n{\"txt\":\"a\"}]}").unwrap_err();
        assert!(error.contains("unknown field `txt`") && error.contains("line 2"), "{error}");
        assert!(ScenarioScript::read(Path::new("/no/such/file")).unwrap_err().contains("/no/such/file"));
    }
}
