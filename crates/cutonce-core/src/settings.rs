//! The one Settings type (CL-4). Everything is optional and has its default here; docs/settings.md and the published
//! schema are made from these comments. Sources are merged as JSON before they become this type, so there is no
//! second type that knows what was set and what was not.

pub mod check;
pub mod docs;
pub mod hooks;
pub mod merge;
pub mod models;
pub mod plan;
pub mod team;

pub use check::{Problem, check};
pub use hooks::Hooks;
pub use merge::{Layer, merge};
pub use models::{Class, ModelEntry, ModelInfo, Price, ThinkingKind};
pub use plan::Plan;
pub use team::Team;

use crate::conversation::Wire;
use crate::mode::Mode;
use crate::request::{Effort, Thinking};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Settings of cutonce.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Settings {
    /// The address of this schema, for editors.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// What runs without asking, what asks, what never runs.
    pub permissions: Permissions,
    /// Which model does what.
    pub model: ModelChoice,
    /// Models by alias, id, or id prefix ending in `*`; added to the built-in table, key by key.
    pub models: BTreeMap<String, ModelEntry>,
    /// Providers of your own, by name: use them as `--model name/model`.
    pub providers: BTreeMap<String, Provider>,
    /// A command whose output is the API key. It runs when no environment variable holds one.
    pub api_key_helper: Option<String>,
    /// Environment variables for the commands that tools run.
    pub env: BTreeMap<String, String>,
    /// The Bash tool.
    pub shell: Shell,
    /// The sandbox around commands.
    pub sandbox: Sandbox,
    /// The WebFetch tool.
    pub web_fetch: WebFetch,
    /// Summarizing a conversation before the context is full.
    pub compact: Compact,
    /// How much the model thinks before it answers.
    pub thinking: ThinkingChoice,
    /// How often a failed request is sent again.
    pub max_retries: Retries,
    /// Milliseconds before the first retry; the wait doubles from there, with jitter, unless the provider names one.
    pub retry_delay_ms: RetryDelay,
    /// Old sessions. Nothing is deleted unless this says so.
    pub cleanup: Cleanup,
    /// Folders whose own settings may loosen permissions and run commands, with all below them. Only in your user settings.
    pub trust: Vec<String>,
    /// Where plans are kept, relative to the project and inside it. By default `plans` in the cutonce home.
    pub plans_directory: Option<String>,
    /// Plan mode.
    pub plan: Plan,
    /// The agent whose prompt, tools and model the main thread has; by its name, as with `--agent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Subagents.
    pub agents: Agents,
    /// Teams of agents.
    pub team: Team,
    /// Auto mode: a model judges the calls that default mode would ask for.
    pub auto: Auto,
    /// Colours of the terminal interface.
    pub theme: Theme,
    /// How you are told that a plan or a question waits.
    pub notifications: Notifications,
    /// Commands that run at certain moments.
    pub hooks: Hooks,
    /// Run no hooks at all.
    pub disable_all_hooks: bool,
    /// MCP servers by name: `command`, `args`, `env`, or `type: "http"`, `url`, `headers`; see docs/mcp.md.
    pub mcp_servers: serde_json::Map<String, Value>,
    /// How long MCP servers may take.
    pub mcp: Mcp,
}

/// 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u32")]
#[schemars(extend("maximum" = 100))]
pub struct Retries(u32);

impl Retries {
    pub fn get(self) -> u32 {
        self.0
    }
}

impl Default for Retries {
    fn default() -> Self {
        Self(10)
    }
}

impl TryFrom<u32> for Retries {
    type Error = String;
    fn try_from(value: u32) -> Result<Self, String> {
        if value <= 100 { Ok(Self(value)) } else { Err(format!("expected 0 to 100, got {value}")) }
    }
}

/// At most a minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u32")]
#[schemars(extend("maximum" = 60_000))]
pub struct RetryDelay(u32);

impl RetryDelay {
    pub fn get(self) -> u32 {
        self.0
    }
}

impl Default for RetryDelay {
    fn default() -> Self {
        Self(500)
    }
}

impl TryFrom<u32> for RetryDelay {
    type Error = String;
    fn try_from(value: u32) -> Result<Self, String> {
        if value <= 60_000 { Ok(Self(value)) } else { Err(format!("expected 0 to 60000, got {value}")) }
    }
}

/// Rules are `Tool` or `Tool(specifier)`; deny beats ask beats allow, whatever file they are in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Permissions {
    /// Calls that run without asking, like `Bash(git log:*)`.
    pub allow: Vec<String>,
    /// Calls that always ask.
    pub ask: Vec<String>,
    /// Calls that never run, like `Read(~/.ssh/**)`.
    pub deny: Vec<String>,
    /// The mode a session starts in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_mode: Option<Mode>,
    /// Folders beside the project that belong to the workspace.
    pub additional_directories: Vec<String>,
    /// `disable`: bypassPermissions can't be entered, whatever flags say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_bypass_permissions_mode: Option<Disable>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Disable {
    Disable,
}

/// Aliases or ids from `models`, or `provider/model`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ModelChoice {
    /// The model of the session. By default: the first provider whose key is present.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main: Option<String>,
    /// The model while plan mode is on. By default `main`; a haiku-class `main` is raised to the sonnet class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Answers the rest of a turn in which the model in use fails for good, retries included. Several, with commas between, are
    /// tried in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// A small, fast model for searches and summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub small: Option<String>,
    /// The large-context variant of `plan`, used when the context has passed 200,000 tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub large: Option<String>,
}

impl ModelChoice {
    /// Choose the main model; `opusplan` is the pair sonnet with opus for plan mode (PM-110).
    pub fn choose(&mut self, name: &str) {
        if name == "opusplan" {
            self.main = Some("sonnet".into());
            self.plan = Some("opus".into());
        } else {
            self.main = Some(name.into());
        }
    }
}

/// A server that speaks one of the wire formats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Provider {
    /// `anthropic`, `responses` or `chat`.
    #[schemars(with = "WireName")]
    pub wire: Wire,
    /// Where it is, like `http://localhost:11434/v1`.
    pub base_url: String,
    /// The environment variable that holds its key; a local server needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
}

/// The wire formats, for the schema.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(dead_code)]
enum WireName {
    Anthropic,
    Responses,
    Chat,
}

#[derive(Default, Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Shell {
    /// Names of environment variables that commands keep although they look like secrets.
    pub keep_env: Vec<String>,
    /// Milliseconds after which a command is stopped, where the call names no time of its own.
    pub timeout_ms: ShellTimeout,
}

/// 1 millisecond to 10 minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u64")]
#[schemars(extend("minimum" = 1, "maximum" = 600_000))]
pub struct ShellTimeout(u64);

impl ShellTimeout {
    pub fn get(self) -> u64 {
        self.0
    }
}

impl Default for ShellTimeout {
    fn default() -> Self {
        Self(120_000)
    }
}

impl TryFrom<u64> for ShellTimeout {
    type Error = String;
    fn try_from(value: u64) -> Result<Self, String> {
        if (1..=600_000).contains(&value) { Ok(Self(value)) } else { Err(format!("expected 1 to 600000, got {value}")) }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Sandbox {
    /// Run commands inside the workspace-write sandbox in default, acceptEdits and auto mode too: they can change only
    /// the workspace and a private temp folder, and read no keys.
    pub shell: bool,
    /// Let commands in the workspace-write sandbox use the internet. In plan mode there is none, whatever this says.
    pub network: bool,
    /// Files and folders that sandboxed commands, Read and Grep may not read in plan mode, beside the built-in list of
    /// keys and credential stores.
    pub deny_read: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct WebFetch {
    /// Hosts that may be fetched although their address is private, like `localhost:8080`.
    pub allow_hosts: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Compact {
    /// Summarize without being asked.
    pub auto: bool,
    /// The part of the context that may be full before that happens.
    pub at: Fraction,
}

impl Default for Compact {
    fn default() -> Self {
        Self { auto: true, at: Fraction(0.8) }
    }
}

/// More than 0, at most 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64")]
#[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
pub struct Fraction(f64);

impl Fraction {
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Fraction {
    type Error = String;
    fn try_from(value: f64) -> Result<Self, String> {
        if value > 0.0 && value <= 1.0 {
            Ok(Self(value))
        } else {
            Err(format!("expected a number above 0 and at most 1, got {value}"))
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ThinkingChoice {
    /// For models that take an effort.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// For models that take a budget: tokens they may think; 0 turns it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u32>,
}

impl ThinkingChoice {
    /// What it means for a model of this kind. A budget of 0 turns thinking off for every kind.
    pub fn of(&self, kind: ThinkingKind) -> Thinking {
        match (kind, self.budget) {
            (ThinkingKind::None, _) | (_, Some(0)) | (ThinkingKind::Budget, None) => Thinking::Off,
            (ThinkingKind::Budget, Some(budget)) => Thinking::Budget(budget),
            (ThinkingKind::Effort, _) => Thinking::Effort(self.effort.unwrap_or(Effort::Medium)),
        }
    }
}

/// All in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Mcp {
    /// A server that has not answered after this time has failed.
    #[schemars(range(min = 1, max = 600_000))]
    pub connect_timeout_ms: u64,
    /// A call that is not answered after this time is cancelled; a server's own `timeout` wins.
    #[schemars(range(min = 1, max = 86_400_000))]
    pub call_timeout_ms: u64,
    /// How long the first request waits for servers that are being started. 0: not at all, their tools join later.
    #[schemars(range(max = 60_000))]
    pub first_wait_ms: u64,
}

impl Default for Mcp {
    fn default() -> Self {
        Self { connect_timeout_ms: 30_000, call_timeout_ms: 600_000, first_wait_ms: 0 }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Cleanup {
    /// Delete sessions that were not used for this many days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<std::num::NonZeroU32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Auto {
    /// Offer auto mode.
    pub enabled: bool,
    /// Close it again without taking back the opt-in.
    pub gate: bool,
    /// The model that judges. By default `model.small`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Default for Auto {
    fn default() -> Self {
        Self { enabled: false, gate: true, model: None }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Agents {
    /// How deep agents may start agents, 0 to 4: 1 means that the session may and its agents may not; 0 means none.
    pub depth: Within<0, 4, 1>,
    /// How many run at the same time, 1 to 64; more wait for their turn.
    pub parallel: Within<1, 64, 20>,
}

/// A number from `LOW` to `HIGH`, by default `N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct Within<const LOW: u8, const HIGH: u8, const N: u8>(u8);

impl<const LOW: u8, const HIGH: u8, const N: u8> Within<LOW, HIGH, N> {
    pub fn get(self) -> u8 {
        self.0
    }
}

impl<const LOW: u8, const HIGH: u8, const N: u8> Default for Within<LOW, HIGH, N> {
    fn default() -> Self {
        Self(N)
    }
}

impl<const LOW: u8, const HIGH: u8, const N: u8> TryFrom<u8> for Within<LOW, HIGH, N> {
    type Error = String;
    fn try_from(value: u8) -> Result<Self, String> {
        if (LOW..=HIGH).contains(&value) {
            Ok(Self(value))
        } else {
            Err(format!("expected {LOW} to {HIGH}, got {value}"))
        }
    }
}

impl<const LOW: u8, const HIGH: u8, const N: u8> JsonSchema for Within<LOW, HIGH, N> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Within{LOW}To{HIGH}").into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "minimum": LOW, "maximum": HIGH })
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// The terminal's own colours; `ansi` says the same.
    #[default]
    #[serde(alias = "ansi")]
    Auto,
    Dark,
    Light,
    /// No colours.
    Plain,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Notifications {
    /// The terminal bell.
    #[default]
    Bell,
    /// A desktop notification through the terminal (OSC 9).
    Osc9,
    Off,
}

/// The schema that editors and docs/ use.
pub fn schema() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<Settings>().to_value()
}

#[cfg(test)]
mod tests;
