//! The scripted model (MO-5): a JSON file says what the model answers, request by request, and which faults come
//! between. A server on loopback plays it in each provider's wire format, so that all the rest of the path is real.
//!
//! ```json
//! {"turns": [
//!   {"thinking": "Look first.", "text": "Let me see.", "calls": [{"name": "Read", "input": {"file_path": "a"}}]},
//!   {"fault": {"status": 529}},
//!   {"text": "Done.", "usage": {"input_tokens": 9, "output_tokens": 3}}
//! ]}
//! ```
//!
//! Each request takes the first turn that is left and whose `when` is in its body. A turn with `repeat` is taken that
//! often, `{n}` in its strings being the count from 1. `{plan}` is the path of the plan file that the request names,
//! `{request}` the id of the plan approval that it asks for, `{agent}` the id of the agent that it names last.

mod as_anthropic;
mod as_chat;
mod as_responses;
mod play;
mod render;
mod scripted;
mod server;

pub use scripted::Scripted;
pub use server::{Recorded, Recording, Server, Timed};

use cutonce_core::conversation::Usage;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_json::Value;
use std::path::Path;

/// A whole scenario. Fields beside `turns` belong to whoever else reads the file.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Script {
    pub turns: Vec<Turn>,
    /// After how many silent milliseconds the scripted provider gives a stream up.
    #[serde(default)]
    pub idle_ms: Option<u64>,
}

/// What one request is answered with.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Turn {
    /// For the reader of the file.
    pub about: String,
    pub thinking: Option<String>,
    pub text: Option<String>,
    pub calls: Vec<Call>,
    /// The blocks in an order of their own; thinking, text and calls above come before these.
    pub blocks: Vec<Piece>,
    pub usage: Option<Usage>,
    /// In Anthropic's words (`end_turn`, `tool_use`, `max_tokens`, `refusal`, …); by default what the blocks say.
    pub stop: Option<String>,
    pub fault: Option<Fault>,
    /// Bytes per write.
    pub chunk: Option<usize>,
    /// Characters per delta.
    pub delta: Option<usize>,
    /// A pause before each event, for demos.
    pub delay_ms: Option<u64>,
    /// Text that the request must hold for this turn to be taken.
    pub when: Option<String>,
    pub repeat: Option<u32>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    Thinking(String),
    /// Thinking that the provider shows to nobody.
    Redacted(String),
    Text(String),
    Refusal(String),
    Call(Call),
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Call {
    pub name: String,
    /// An object; a string is sent as it is, however broken.
    pub input: Value,
    /// The same, for inputs that are better read unescaped as a field of their own.
    pub raw: Option<String>,
    pub id: Option<String>,
}

/// What goes wrong in place of, or in the middle of, the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    Status(StatusFault),
    /// The connection breaks after so many events; None: in the middle.
    Cut(Option<usize>),
    /// Nothing more comes after so many events.
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
    /// The whole body; by default an error in the provider's own form.
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
    /// After how many events; by default in the middle.
    #[serde(default)]
    pub after: Option<usize>,
}

impl Script {
    pub fn parse(text: &str) -> Result<Self, String> {
        let script: Script = serde_json::from_str(text).map_err(|error| error.to_string())?;
        for (index, turn) in script.turns.iter().enumerate() {
            turn.check().map_err(|error| format!("turns[{index}]: {error}"))?;
        }
        Ok(script)
    }

    pub fn read(path: &Path) -> Result<Self, String> {
        let told =
            |error: &dyn std::fmt::Display| format!("The scenario {} cannot be played: {error}.", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| told(&error))?;
        Self::parse(&text).map_err(|error| told(&error))
    }
}

impl Turn {
    /// Does anything that it says hold these words?
    fn holds(&self, words: &str) -> bool {
        let call = |call: &Call| {
            call.input.to_string().contains(words) || call.raw.as_ref().is_some_and(|raw| raw.contains(words))
        };
        let piece = |piece: &Piece| match piece {
            Piece::Thinking(text) | Piece::Redacted(text) | Piece::Text(text) | Piece::Refusal(text) => {
                text.contains(words)
            }
            Piece::Call(inner) => call(inner),
        };
        let said = [&self.thinking, &self.text].into_iter().flatten().any(|text| text.contains(words));
        said || self.calls.iter().any(call) || self.blocks.iter().any(piece)
    }

    fn check(&self) -> Result<(), String> {
        let nested = self.blocks.iter().filter_map(|piece| match piece {
            Piece::Call(call) => Some(call),
            Piece::Thinking(_) | Piece::Redacted(_) | Piece::Text(_) | Piece::Refusal(_) => None,
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

impl<'de> Deserialize<'de> for Fault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        fault(value).map_err(D::Error::custom)
    }
}

fn fault(value: Value) -> Result<Fault, String> {
    const FORMS: &str = "expected \"cut\", \"idle\", \"half_event\", \"malformed_event\", \"invalid_json_call\", \
        \"refuse\", {\"cut\": N}, {\"idle\": N}, {\"status\": N, \"retry_after\": …} or {\"error\": {\"type\", \"message\"}}";
    let unknown = || format!("fault: {FORMS}, got {value}");
    if let Some(word) = value.as_str() {
        return match word {
            "cut" => Ok(Fault::Cut(None)),
            "idle" => Ok(Fault::Idle(0)),
            "half_event" => Ok(Fault::HalfEvent),
            "malformed_event" => Ok(Fault::MalformedEvent),
            "invalid_json_call" => Ok(Fault::InvalidJsonCall),
            "refuse" => Ok(Fault::Refuse),
            _ => Err(unknown()),
        };
    }
    let events =
        |field: &str| value[field].as_u64().and_then(|events| usize::try_from(events).ok()).ok_or_else(unknown);
    let object = value.as_object().ok_or_else(unknown)?;
    match object.keys().next().map(String::as_str) {
        Some("cut") if object.len() == 1 => Ok(Fault::Cut(Some(events("cut")?))),
        Some("idle") if object.len() == 1 => Ok(Fault::Idle(events("idle")?)),
        Some("error") if object.len() == 1 => {
            let event = ErrorEvent::deserialize(&value["error"]).map_err(|error| format!("fault.error: {error}"))?;
            Ok(Fault::Error(event))
        }
        _ if object.contains_key("status") => {
            let status = StatusFault::deserialize(&value).map_err(|error| format!("fault: {error}"))?;
            match status.status {
                400..=599 => Ok(Fault::Status(status)),
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
    fn mo_5_every_form_of_fault_is_read() {
        let read = |text: &str| {
            Script::parse(&format!("{{\"turns\":[{{\"fault\":{text}}}]}}")).map(|s| s.turns[0].fault.clone())
        };
        assert_eq!(read("\"cut\""), Ok(Some(Fault::Cut(None))));
        assert_eq!(read("{\"cut\":3}"), Ok(Some(Fault::Cut(Some(3)))));
        assert_eq!(read("\"idle\""), Ok(Some(Fault::Idle(0))));
        assert_eq!(read("\"refuse\""), Ok(Some(Fault::Refuse)));
        let status = read("{\"status\":429,\"retry_after\":\"0\"}").unwrap().unwrap();
        assert!(matches!(status, Fault::Status(StatusFault { status: 429, retry_after: Some(_), .. })));
        assert!(matches!(read("{\"error\":{\"type\":\"x\",\"message\":\"y\"}}"), Ok(Some(Fault::Error(_)))));
        for bad in ["\"explode\"", "{\"cut\":\"x\"}", "{\"status\":200}", "{\"status\":429,\"typo\":1}", "7"] {
            assert!(read(bad).unwrap_err().contains("fault"), "{bad}");
        }
    }

    #[test]
    fn mo_5_a_wrong_scenario_says_where() {
        let error = Script::parse("{\"turns\":[{\"text\":\"a\"},{\"calls\":[{\"input\":{}}]}]}").unwrap_err();
        assert_eq!(error, "turns[1]: a call has no name");
        let error = Script::parse("{\"turns\":[\n{\"txt\":\"a\"}]}").unwrap_err();
        assert!(error.contains("unknown field `txt`") && error.contains("line 2"), "{error}");
        assert!(Script::read(Path::new("/no/such/file")).unwrap_err().contains("/no/such/file"));
    }
}
