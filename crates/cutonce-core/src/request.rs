//! The request with a stable prefix (AG-7): system prompt and tools are fixed for the session, messages only grow.

use crate::conversation::Shared;
use serde_json::Value;
use std::sync::Arc;

/// What is the same bytes in every request of a session. Encoders cache by its identity (`Arc::as_ptr`).
#[derive(Debug, Clone, PartialEq)]
pub struct Prefix {
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

/// One request. Cheap to make: the prefix and the messages are shared, not copied.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub prefix: &'a Arc<Prefix>,
    pub messages: &'a [Shared],
    pub max_tokens: u32,
    pub thinking: Thinking,
    /// A stable name for provider-side caches (the session id).
    pub cache_key: &'a str,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Thinking {
    #[default]
    Off,
    /// Tokens the model may think (Anthropic's budget).
    Budget(u32),
    /// The model decides, with an effort.
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
    /// By its name here or in other programs, some of which know one more.
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
