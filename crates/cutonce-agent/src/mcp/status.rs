//! How the servers are, for `/mcp`, `cutonce mcp list` and hosts.

use super::sources::Scope;
use serde_json::{Value, json};

/// One server and how it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// As its definition names it.
    pub name: String,
    /// As rules and models name it.
    pub called: String,
    /// Who names it.
    pub scope: Scope,
    /// `stdio`, `http` or `sdk`, and what is started or asked, as it is written.
    pub transport: &'static str,
    /// What is started or called, without secrets.
    pub target: String,
    /// How it is.
    pub state: State,
    /// Who the server says it is.
    pub server: Option<(String, String)>,
    /// What it offers; empty until it is connected.
    pub tools: Vec<ToolStatus>,
    /// What of it was left out, and why.
    pub notes: Vec<String>,
}

/// How a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It is being started.
    Pending,
    /// It answers.
    Connected,
    /// Why, and what to do.
    Failed(String),
    /// It wants to know who asks: why, in its words.
    NeedsAuth(String),
    /// A project's server that the user has not agreed to.
    NeedsAgreement,
    /// Switched off in its definition.
    Disabled,
}

impl State {
    /// The word that hosts know.
    pub fn name(&self) -> &'static str {
        match self {
            State::Pending => "pending",
            State::Connected => "connected",
            State::Failed(_) => "failed",
            State::NeedsAuth(_) => "needs-auth",
            State::NeedsAgreement | State::Disabled => "disabled",
        }
    }
}

/// One tool of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolStatus {
    /// `mcp__server__tool`
    pub name: String,
    /// As the server names it, made harmless.
    pub given: String,
    /// In the server's words.
    pub description: String,
    /// What the server claims of it.
    pub hints: Hints,
    /// In plan mode it counts as one that only reads: by the hint, or by the user's word (PM-65).
    pub reads: bool,
}

/// The server's claims; what it does not claim is false.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may remove things.
    pub destructive: bool,
    /// It reaches beyond the server.
    pub open_world: bool,
}

impl Hints {
    pub(super) fn of(tool: &Value) -> Hints {
        let claims = |hint: &str| tool["annotations"][hint] == true;
        Hints {
            read_only: claims("readOnlyHint"),
            destructive: claims("destructiveHint"),
            open_world: claims("openWorldHint"),
        }
    }
    /// As hosts are told: only what is true.
    pub fn to_json(self) -> Value {
        let all = [("readOnly", self.read_only), ("destructive", self.destructive), ("openWorld", self.open_world)];
        all.into_iter().filter(|(_, claimed)| *claimed).map(|(name, _)| (name.to_string(), json!(true))).collect()
    }
}
