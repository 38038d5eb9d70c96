//! A team message, with its limits for names and sizes.

use serde::{Deserialize, Serialize};

/// Name of the lead in every team.
pub const LEAD_NAME: &str = "team-lead";
/// Maximum length of a name; names become file names and parts of NATS subjects.
pub const MAX_MEMBER_NAME_LEN: usize = 40;
/// Maximum number of bytes of a text; enough for a large plan.
pub const MAX_MESSAGE_BYTES: usize = 256 << 10;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TeamMessage {
    /// Same for every delivery, so that a reader can detect duplicates.
    pub id: String,
    pub team: String,
    pub from: String,
    pub to: String,
    /// Plain text, or for [`MessageKind::Control`] a JSON object with a `type`.
    pub text: String,
    /// Time in RFC 3339.
    pub timestamp: String,
    #[serde(default, skip_serializing_if = "MessageKind::is_words")]
    pub kind: MessageKind,
    /// Proof of the author between lead and teammate (see `seal`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub seal: String,
}

/// Kind of a message. Only the program sends control messages; model text that looks like one stays text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MessageKind {
    #[default]
    Words,
    /// Text of a lead in plan mode: the receiver is put in plan mode too (PM-2).
    PlanningWords,
    Control,
}

impl MessageKind {
    fn is_words(&self) -> bool {
        *self == MessageKind::Words
    }
    pub(super) fn name(self) -> &'static str {
        match self {
            MessageKind::Words => "words",
            MessageKind::PlanningWords => "planningWords",
            MessageKind::Control => "control",
        }
    }
}

impl TeamMessage {
    /// Checks names and sizes before the message is put in a mailbox.
    pub fn check_limits(&self) -> Result<(), String> {
        let named = |field: &str, value: &str| match is_valid_name(value) {
            true => Ok(()),
            false => Err(format!("`{field}` is not a valid name: {value:?}")),
        };
        named("team", &self.team)?;
        named("from", &self.from)?;
        named("to", &self.to)?;
        if !is_valid_id(&self.id) {
            return Err(format!("`id` is not a valid id: {:?}", self.id.chars().take(60).collect::<String>()));
        }
        if self.text.len() > MAX_MESSAGE_BYTES {
            return Err(format!("the text has {} bytes; the limit is {MAX_MESSAGE_BYTES}", self.text.len()));
        }
        if self.timestamp.len() > 40 || self.seal.len() > 64 {
            return Err("`timestamp` or `seal` is too long".into());
        }
        Ok(())
    }
}

/// A message on its way into a conversation; the mailbox is notified once it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedMessage {
    pub id: String,
    /// End position in the mailbox, opaque to others.
    pub position: String,
    /// The request that this message answers and closes.
    pub closes_request: Option<String>,
}

/// True for lower-case letters, digits, `-` and `_`, starting with a letter or digit.
pub fn is_valid_name(name: &str) -> bool {
    let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    name.len() <= MAX_MEMBER_NAME_LEN && name.chars().all(fine) && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}

pub(super) fn is_valid_id(id: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '-';
    !id.is_empty() && id.len() <= 64 && id.chars().all(fine)
}
