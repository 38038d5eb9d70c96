//! A model request with a stable prefix (AG-7): system prompt and tools are fixed for the session, messages only grow.

use crate::conversation::SharedMessage;
use serde_json::Value;
use std::sync::Arc;

/// The part with the same bytes in every request of a session. Encoders cache by its identity (`Arc::as_ptr`).
#[derive(Debug, Clone, PartialEq)]
pub struct PromptPrefix {
    pub system: String,
    pub tools: Vec<ToolSpec>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON schema of the input.
    pub schema: Value,
}

/// One request to a model. Cheap to create: prefix and messages are shared, not copied.
#[derive(Debug, Clone)]
pub struct ModelRequest<'a> {
    pub prefix: &'a Arc<PromptPrefix>,
    pub messages: &'a [SharedMessage],
    pub max_tokens: u32,
    pub thinking: Thinking,
    /// Stable key for provider-side caches (the session id).
    pub cache_key: &'a str,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Thinking {
    #[default]
    Off,
    /// Thinking budget in tokens (Anthropic).
    Budget(u32),
    /// The model decides, guided by an effort.
    Effort(Effort),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    Low,
    Medium,
    High,
    Max,
}

impl Effort {
    pub fn name(self) -> &'static str {
        match self {
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
            Effort::Max => "max",
        }
    }
    /// Parses a name used here or in other programs, some of which have one more level.
    pub fn parse(name: &str) -> Option<Effort> {
        match name {
            "low" => Some(Effort::Low),
            "medium" => Some(Effort::Medium),
            "high" | "xhigh" => Some(Effort::High),
            "max" => Some(Effort::Max),
            _ => None,
        }
    }
}
