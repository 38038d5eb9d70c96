//! Settings of teams (TM-1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TeamSettings {
    /// Where messages between teammates go: `files` (the default, in the cutonce home), or a NATS server with
    /// JetStream, like
    /// `nats://host:4222`, for teammates on other machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mailbox: Option<String>,
}
