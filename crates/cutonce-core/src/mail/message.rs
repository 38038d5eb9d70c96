//! One message of a team, and which names and sizes there may be.

use serde::{Deserialize, Serialize};

/// The name of the lead in every team.
pub const LEAD: &str = "team-lead";
/// Names become file names and parts of NATS subjects.
pub const LONGEST_NAME: usize = 40;
/// Bytes of a text: a large plan fits, a flood does not.
pub const LONGEST_TEXT: usize = 256 << 10;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The same for every delivery: a reader knows by it what it has had.
    pub id: String,
    pub team: String,
    pub from: String,
    pub to: String,
    /// Words, or for [`MessageKind::Control`] a JSON object with a `type`.
    pub text: String,
    /// RFC 3339.
    pub timestamp: String,
    #[serde(default, skip_serializing_if = "MessageKind::is_words")]
    pub kind: MessageKind,
    /// Between the lead and a teammate: proof of who wrote it (see `seal`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub seal: String,
}

/// What the program itself says is never said by a model: words that look like a control message are words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MessageKind {
    #[default]
    Words,
    /// Words of a lead that is in plan mode: who hears them is in plan mode, too (PM-2).
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

impl Message {
    /// Is this something that may lie in a mailbox at all? If not: what is wrong.
    pub fn check(&self) -> Result<(), String> {
        let named = |field: &str, value: &str| match valid_name(value) {
            true => Ok(()),
            false => Err(format!("`{field}` is no name: {value:?}")),
        };
        named("team", &self.team)?;
        named("from", &self.from)?;
        named("to", &self.to)?;
        if !valid_id(&self.id) {
            return Err(format!("`id` is no id: {:?}", self.id.chars().take(60).collect::<String>()));
        }
        if self.text.len() > LONGEST_TEXT {
            return Err(format!("the text has {} bytes, at most {LONGEST_TEXT} are sent", self.text.len()));
        }
        if self.timestamp.len() > 40 || self.seal.len() > 64 {
            return Err("`timestamp` or `seal` is too long".into());
        }
        Ok(())
    }
}

/// A message on its way into a conversation: once it is recorded, its mailbox is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    pub id: String,
    /// Where in the mailbox it ends; only the mailbox knows what that means.
    pub position: String,
    /// The request that it answered: closed with it.
    pub settles: Option<String>,
}

/// Lower-case letters, digits, `-` and `_`; a letter or digit first.
pub fn valid_name(name: &str) -> bool {
    let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    name.len() <= LONGEST_NAME && name.chars().all(fine) && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}

pub(super) fn valid_id(id: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '-';
    !id.is_empty() && id.len() <= 64 && id.chars().all(fine)
}
