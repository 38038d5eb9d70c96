//! The one Settings type (CL-4). Everything is optional and has its default here; docs/reference/settings.md and the
//! published schema are generated from these comments. Sources are merged as JSON before they become this type, so no
//! second type has to track what was set.

pub mod check;
pub mod docs;
pub mod fleet;
pub mod hooks;
pub mod language_servers;
pub mod merge;
pub mod models;
pub mod network;
pub mod plan;
pub mod team;

pub use check::{SettingProblem, check_settings};
pub use fleet::FleetSettings;
pub use hooks::HookSettings;
pub use language_servers::LanguageServerSettings;
pub use merge::{SettingsLayer, merge_layers};
pub use models::{ModelClass, ModelEntry, ModelInfo, ModelPrice, ThinkingKind};
pub use plan::PlanSettings;
pub use team::TeamSettings;

use crate::conversation::WireFormat;
use crate::mode::Mode;
use crate::model_request::{Effort, Thinking};
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
    /// Permission rules: which calls run without asking, ask, or never run.
    pub permissions: PermissionSettings,
    /// Models for the session and for special purposes.
    pub model: ModelSettings,
    /// Models by alias, id, or id prefix ending in `*`; added to the built-in table, key by key.
    pub models: BTreeMap<String, ModelEntry>,
    /// Your own providers by name; use them as `--model name/model`.
    pub providers: BTreeMap<String, ProviderSettings>,
    /// A command whose output is the API key. It runs if no environment variable contains one.
    pub api_key_helper: Option<String>,
    /// Environment variables for the commands that tools run.
    pub env: BTreeMap<String, String>,
    /// The Bash tool.
    pub shell: ShellSettings,
    /// The sandbox around commands.
    pub sandbox: SandboxSettings,
    /// The WebFetch tool.
    pub web_fetch: WebFetchSettings,
    /// Summarizing a conversation before the context is full.
    pub compact: CompactSettings,
    /// How much the model thinks before it answers.
    pub thinking: ThinkingSettings,
    /// How often a failed request is retried.
    pub max_retries: RetryLimit,
    /// Milliseconds before the first retry; the delay doubles with each retry, with jitter, unless the provider names
    /// one.
    pub retry_delay_ms: RetryDelay,
    /// Cleanup of old sessions. Nothing is deleted by default.
    pub cleanup: CleanupSettings,
    /// Folders whose own settings may grant permissions and run commands, including subfolders but not packages in
    /// `node_modules`. Only in your user settings.
    pub trust: Vec<String>,
    /// Folder for plans, relative to the project and inside it. By default `plans` in the cutonce home.
    pub plans_directory: Option<String>,
    /// Plan mode.
    pub plan: PlanSettings,
    /// Name of the agent whose prompt, tools and model the main thread uses, as with `--agent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Subagents.
    pub agents: AgentSettings,
    /// Teams of agents.
    pub team: TeamSettings,
    /// Name of the remote that sessions publish to, as with `--remote`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// Workers and jobs.
    pub fleet: FleetSettings,
    /// Auto mode: a classifier model decides the calls that default mode would ask about.
    pub auto: AutoSettings,
    /// Colours of the terminal interface.
    pub theme: ThemeSetting,
    /// How you are notified that a plan or a question is waiting, or that a turn ended while you were away.
    pub notifications: NotificationMethod,
    /// How the composer and the fields of the review edit text.
    pub editor_mode: EditorMode,
    /// Keys of the terminal with another action: `{"ctrl+s": "send", "ctrl+x": "none"}`. docs/reference/terminal.md
    /// lists the actions.
    pub keys: BTreeMap<String, String>,
    /// A command of yours whose output is shown below the composer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_line: Option<StatusLineSettings>,
    /// Commands that run at certain events.
    pub hooks: HookSettings,
    /// Run no hooks at all.
    pub disable_all_hooks: bool,
    /// MCP servers by name: `command`, `args`, `env`, or `type: "http"`, `url`, `headers`; see docs/reference/mcp.md.
    pub mcp_servers: serde_json::Map<String, Value>,
    /// Timeouts of MCP servers.
    pub mcp: McpSettings,
    /// Language servers by name, in addition to the known ones; `false` starts none. See
    /// docs/reference/language-servers.md.
    pub lsp: BTreeMap<String, LanguageServerSettings>,
}

/// A number from 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u32")]
#[schemars(extend("maximum" = 100))]
pub struct RetryLimit(u32);

impl RetryLimit {
    pub fn get(self) -> u32 {
        self.0
    }
}

impl Default for RetryLimit {
    fn default() -> Self {
        Self(10)
    }
}

/// A number in the settings that is outside its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, got {got}")]
pub struct OutOfRange {
    pub expected: String,
    pub got: String,
}

impl OutOfRange {
    fn new(expected: impl Into<String>, got: impl std::fmt::Display) -> OutOfRange {
        OutOfRange { expected: expected.into(), got: got.to_string() }
    }
}

impl TryFrom<u32> for RetryLimit {
    type Error = OutOfRange;
    fn try_from(value: u32) -> Result<Self, OutOfRange> {
        if value <= 100 { Ok(Self(value)) } else { Err(OutOfRange::new("0 to 100", value)) }
    }
}

/// A delay of at most one minute.
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
    type Error = OutOfRange;
    fn try_from(value: u32) -> Result<Self, OutOfRange> {
        if value <= 60_000 { Ok(Self(value)) } else { Err(OutOfRange::new("0 to 60000", value)) }
    }
}

/// A number of seconds from 1 to 3600.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u32")]
#[schemars(extend("minimum" = 1, "maximum" = 3600))]
pub struct IdleTimeout(u32);

impl IdleTimeout {
    pub fn get(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for IdleTimeout {
    type Error = OutOfRange;
    fn try_from(value: u32) -> Result<Self, OutOfRange> {
        if (1..=3_600).contains(&value) { Ok(Self(value)) } else { Err(OutOfRange::new("1 to 3600", value)) }
    }
}

/// Rules are `Tool` or `Tool(specifier)`. Deny wins over ask, ask over allow, in any file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PermissionSettings {
    /// Calls that run without asking, like `Bash(git log:*)`.
    pub allow: Vec<String>,
    /// Calls that always ask.
    pub ask: Vec<String>,
    /// Calls that never run, like `Read(~/.ssh/**)`.
    pub deny: Vec<String>,
    /// The mode a session starts in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_mode: Option<Mode>,
    /// Additional folders that belong to the workspace.
    pub additional_directories: Vec<String>,
    /// `disable`: bypassPermissions can't be entered, even with flags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_bypass_permissions_mode: Option<DisableFlag>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DisableFlag {
    Disable,
}

/// Aliases or ids from `models`, or `provider/model`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ModelSettings {
    /// The model of the session. By default: the first provider whose key is present.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main: Option<String>,
    /// The model while plan mode is on. By default `main`; a haiku-class `main` is raised to the sonnet class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Model for the rest of a turn if the current model fails permanently, after retries. Several names, separated by
    /// commas, are tried in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// A small, fast model for searches and summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub small: Option<String>,
    /// The large-context variant of `plan`, used when the context does not fit into the window of `plan`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub large: Option<String>,
    /// Seconds that a provider may stay silent before the request is given up and retried, at most twice. By default
    /// 120, for a local server 600.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_timeout_seconds: Option<IdleTimeout>,
}

impl ModelSettings {
    /// Sets the main model; `opusplan` means sonnet, with opus for plan mode (PM-110).
    pub fn set_main_model(&mut self, name: &str) {
        if name == "opusplan" {
            self.main = Some("sonnet".into());
            self.plan = Some("opus".into());
        } else {
            self.main = Some(name.into());
        }
    }
}

/// A server that supports one of the wire formats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProviderSettings {
    /// `anthropic`, `responses` or `chat`.
    #[schemars(with = "WireName")]
    pub wire: WireFormat,
    /// The server's URL, like `http://localhost:11434/v1`.
    pub base_url: String,
    /// Environment variable with the API key; a local server needs none.
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
pub struct ShellSettings {
    /// Environment variables that commands get in addition to the built-in list; `*` at either end matches any
    /// characters. The list has what builds and tests need, and no keys.
    pub keep_env: Vec<String>,
    /// Timeout of a command in milliseconds, if the call names none.
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
    type Error = OutOfRange;
    fn try_from(value: u64) -> Result<Self, OutOfRange> {
        if (1..=600_000).contains(&value) { Ok(Self(value)) } else { Err(OutOfRange::new("1 to 600000", value)) }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SandboxSettings {
    /// Run commands inside the workspace-write sandbox in default, acceptEdits and auto mode too: they can change only
    /// the workspace and a private temp folder, and read no keys.
    pub shell: bool,
    /// Let commands in the workspace-write sandbox use the network. Plan mode has its own setting, `plan.network`.
    pub network: bool,
    /// Files and folders that sandboxed commands, Read and Grep may not read in plan mode, in addition to the built-in
    /// list of keys and credential stores.
    pub deny_read: Vec<String>,
    /// Limits of commands that run in a sandbox.
    pub limits: SandboxLimitSettings,
}

/// Limits of sandboxed commands (SB-7). 0 means no limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SandboxLimitSettings {
    /// Processes and threads of a command. One that comes near ends.
    pub processes: u64,
    /// Megabytes of memory that one process may allocate.
    pub memory_mb: u64,
    /// Megabytes of memory that all processes of a command may use together.
    pub total_memory_mb: u64,
    /// Megabytes of one file that a command writes.
    pub file_mb: u64,
    /// Megabytes that commands may keep in the private temp folder and on the throwaway layer together.
    pub disk_mb: u64,
}

impl Default for SandboxLimitSettings {
    fn default() -> Self {
        Self { processes: 4_096, memory_mb: 16_384, total_memory_mb: 32_768, file_mb: 8_192, disk_mb: 16_384 }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct WebFetchSettings {
    /// Hosts with a private address that may be fetched, like `localhost:8080`.
    pub allow_hosts: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CompactSettings {
    /// Summarize automatically.
    pub auto: bool,
    /// Fill level of the context at which that happens.
    pub at: Fraction,
}

impl CompactSettings {
    /// The fill level at which the conversation is summarized automatically (AG-8); `None` if it is not.
    pub fn automatic_at(&self) -> Option<f64> {
        self.auto.then(|| self.at.get())
    }
}

impl Default for CompactSettings {
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
    type Error = OutOfRange;
    fn try_from(value: f64) -> Result<Self, OutOfRange> {
        if value > 0.0 && value <= 1.0 {
            Ok(Self(value))
        } else {
            Err(OutOfRange::new("a number above 0 and at most 1", value))
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ThinkingSettings {
    /// Effort, for models that support it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// Thinking budget in tokens, for models that support it; 0 turns thinking off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u32>,
}

impl ThinkingSettings {
    /// Thinking for a model of this kind. A budget of 0 turns thinking off for every kind.
    pub fn for_kind(&self, kind: ThinkingKind) -> Thinking {
        match (kind, self.budget) {
            (ThinkingKind::None, _) | (_, Some(0)) | (ThinkingKind::Budget, None) => Thinking::Off,
            (ThinkingKind::Budget, Some(budget)) => Thinking::Budget(budget),
            (ThinkingKind::Effort, _) => Thinking::Effort(self.effort.unwrap_or(Effort::Medium)),
        }
    }
}

/// MCP timeouts in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct McpSettings {
    /// Time after which a server that has not answered is treated as failed.
    #[schemars(range(min = 1, max = 600_000))]
    pub connect_timeout_ms: u64,
    /// Time after which an unanswered call is cancelled; a server's own `timeout` wins.
    #[schemars(range(min = 1, max = 86_400_000))]
    pub call_timeout_ms: u64,
    /// How long the first request waits for starting servers. 0: it does not wait, their tools are added later.
    #[schemars(range(max = 60_000))]
    pub first_wait_ms: u64,
}

impl Default for McpSettings {
    fn default() -> Self {
        Self { connect_timeout_ms: 30_000, call_timeout_ms: 600_000, first_wait_ms: 0 }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CleanupSettings {
    /// Delete sessions that have not been used for this many days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<std::num::NonZeroU32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AutoSettings {
    /// Offer auto mode.
    pub enabled: bool,
    /// False turns auto mode off without changing `enabled`.
    pub gate: bool,
    /// The classifier's model. By default `model.small`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl Default for AutoSettings {
    fn default() -> Self {
        Self { enabled: false, gate: true, model: None }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AgentSettings {
    /// How deep agents may start agents, 0 to 4. 0: no agents; 1: only the session starts agents.
    pub depth: BoundedNumber<0, 4, 1>,
    /// Maximum number of agents that run at the same time, 1 to 64; more are queued.
    pub parallel: BoundedNumber<1, 64, 20>,
}

/// A number from `LOW` to `HIGH`, by default `N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct BoundedNumber<const LOW: u8, const HIGH: u8, const N: u8>(u8);

impl<const LOW: u8, const HIGH: u8, const N: u8> BoundedNumber<LOW, HIGH, N> {
    pub fn get(self) -> u8 {
        self.0
    }
}

impl<const LOW: u8, const HIGH: u8, const N: u8> Default for BoundedNumber<LOW, HIGH, N> {
    fn default() -> Self {
        Self(N)
    }
}

impl<const LOW: u8, const HIGH: u8, const N: u8> TryFrom<u8> for BoundedNumber<LOW, HIGH, N> {
    type Error = OutOfRange;
    fn try_from(value: u8) -> Result<Self, OutOfRange> {
        if (LOW..=HIGH).contains(&value) {
            Ok(Self(value))
        } else {
            Err(OutOfRange::new(format!("{LOW} to {HIGH}"), value))
        }
    }
}

impl<const LOW: u8, const HIGH: u8, const N: u8> JsonSchema for BoundedNumber<LOW, HIGH, N> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Within{LOW}To{HIGH}").into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "minimum": LOW, "maximum": HIGH })
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ThemeSetting {
    /// The terminal's own colours; `ansi` is an alias.
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
pub enum NotificationMethod {
    /// The terminal bell.
    #[default]
    Bell,
    /// A desktop notification through the terminal (OSC 9).
    Osc9,
    Off,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EditorMode {
    #[default]
    #[serde(alias = "emacs")]
    Normal,
    /// Vim's keys: Esc leaves the insert mode.
    Vim,
}

/// The user's own status line (DU-7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatusLineSettings {
    /// Always `command`.
    #[serde(rename = "type", default)]
    pub kind: StatusLineKind,
    /// Gets JSON about the session on stdin and prints the line.
    pub command: String,
    /// Accepted from Claude Code's settings; has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub padding: Option<u8>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StatusLineKind {
    #[default]
    Command,
}

/// JSON schema of the settings, for editors and docs/reference/.
pub fn settings_schema() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<Settings>().to_value()
}

#[cfg(test)]
mod tests;
