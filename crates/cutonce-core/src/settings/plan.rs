//! Settings of plan mode, each with its clause.

use super::network::AllowedHosts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PlanSettings {
    /// What happens when the model wants to enter plan mode.
    pub entry: PlanEntry,
    /// How readily the model plans.
    pub eagerness: PlanEagerness,
    /// Commands in plan mode. By default `sandbox` where the kernel offers one, else `readonly`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell: Option<PlanShell>,
    /// Let builds and tests run in plan mode on a throwaway layer over the project, where the kernel allows it.
    pub scratch: bool,
    /// Hosts that commands in plan mode may reach through cutonce's proxy, to read: `"off"`, or a list such as
    /// `["crates.io", "localhost:8080"]`. A command can also send data to a host that you list. Needs user namespaces.
    pub network: AllowedHosts,
    /// MCP tools in plan mode.
    pub mcp: PlanMcp,
    /// MCP tools that you declare read-only, no matter what their server says: `mcp__server`, `mcp__server__tool`,
    /// `mcp__server__*`.
    pub mcp_readers: Vec<String>,
    /// MCP tools that you declare writing, although their server calls them read-only; stronger than `mcpReaders`.
    pub mcp_writers: Vec<String>,
    /// How plan files are named.
    pub names: PlanNaming,
    /// Planning workflow for the model.
    pub workflow: PlanWorkflow,
    /// How long the written plan should be.
    pub length: PlanLength,
    /// How many Explore agents the model may use, 1 to 10.
    pub explore_agents: AgentLimit<3>,
    /// How many Plan agents the model may use, 1 to 10.
    pub plan_agents: AgentLimit<1>,
    /// What happens with defects that the program finds in a submitted plan.
    pub lint: PlanLint,
    /// Writes outside the files of the approved plan, while it is implemented.
    pub scope: ScopeMode,
    /// Checks of the plan that have not passed when the implementation ends.
    pub verify: PlanVerify,
    /// Remind the model of open steps of the plan every so many requests; 0: never.
    pub remind_every: u32,
    /// Different approvers that a plan needs, you among them. More than 1 needs a remote.
    pub quorum: u32,
    /// Rehearsals of plans.
    pub rehearsal: RehearsalSettings,
    /// Use auto mode's classifier in plan mode too, if auto mode is on; it can't allow what plan mode denies.
    pub use_auto: bool,
}

impl Default for PlanSettings {
    fn default() -> Self {
        Self {
            entry: PlanEntry::default(),
            eagerness: PlanEagerness::default(),
            shell: None,
            scratch: true,
            network: AllowedHosts::default(),
            mcp: PlanMcp::default(),
            mcp_readers: Vec::new(),
            mcp_writers: Vec::new(),
            names: PlanNaming::default(),
            workflow: PlanWorkflow::default(),
            length: PlanLength::default(),
            explore_agents: AgentLimit::default(),
            plan_agents: AgentLimit::default(),
            lint: PlanLint::default(),
            scope: ScopeMode::default(),
            verify: PlanVerify::default(),
            remind_every: 5,
            quorum: 1,
            rehearsal: RehearsalSettings::default(),
            use_auto: true,
        }
    }
}

/// Limits of rehearsals (RH-5), and what they work on (RH-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RehearsalSettings {
    /// Megabytes that the changes of one rehearsal may take.
    pub max_megabytes: u32,
    /// Minutes that a rehearsal may take.
    pub max_minutes: u32,
    /// How many rehearsals can run or wait for your answer at the same time, in all sessions.
    pub max_running: u32,
    /// How many rehearsals can be kept by name.
    pub max_kept: u32,
    /// Days after which a kept rehearsal is deleted.
    pub keep_days: u32,
    /// What a rehearsal works on.
    pub layer: RehearsalLayer,
}

/// What a rehearsal works on (RH-8).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RehearsalLayer {
    /// An overlay on the project where the kernel has them, else a private copy of it.
    #[default]
    Auto,
    /// A private copy of tracked and unignored files.
    Copy,
}

impl Default for RehearsalSettings {
    fn default() -> Self {
        Self {
            max_megabytes: 4096,
            max_minutes: 60,
            max_running: 8,
            max_kept: 8,
            keep_days: 14,
            layer: RehearsalLayer::Auto,
        }
    }
}

/// Findings in a submitted plan (PC-6).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanLint {
    /// They go back to the model once; you see what remains.
    #[default]
    Fix,
    /// You see them in the review.
    Show,
    /// The plan is not checked.
    Off,
}

/// Checks at the end of an implementation (PC-31).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanVerify {
    /// The program runs them under the rules of any command.
    #[default]
    Run,
    /// Each of them asks you first.
    Ask,
    /// They are not run.
    Off,
}

/// Writes outside the scope of an approved plan (PC-20).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScopeMode {
    /// They are treated like other writes.
    Off,
    /// They ask; without a user they are denied.
    #[default]
    Ask,
    /// They are denied until the plan is amended.
    Enforce,
}

/// How EnterPlanMode is handled (PM-4).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanEntry {
    /// Allow it: entering only removes rights.
    #[default]
    Allow,
    /// Ask you first.
    Ask,
    /// Do not offer it to the model.
    Never,
}

/// How readily the model plans (PM-34).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanEagerness {
    /// Plan unless the task is simple.
    #[default]
    Eager,
    /// Plan only if the task is really ambiguous.
    Reserved,
}

/// Shell commands in plan mode (PM-62).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanShell {
    /// Any command, inside the read-only sandbox.
    Sandbox,
    /// Only commands that parsing proves read-only.
    Readonly,
    /// No commands.
    Off,
}

/// MCP tools in plan mode (PM-65).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PlanMcp {
    /// Tools that their server marks read-only get what default mode gives them, others are denied. The mark is
    /// the server's own claim.
    #[default]
    ReadOnlyHint,
    Ask,
    Deny,
}

/// Naming of plan files (PM-51).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanNaming {
    /// Three words, like `peaceful-dancing-firefly`.
    #[default]
    Words,
    /// The date and the first words of the request.
    Task,
}

/// Planning workflow (PM-96, PM-97).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanWorkflow {
    /// Understand, design, review, write, exit.
    #[default]
    Phases,
    /// A skeleton first, then questions until nothing is open.
    Interview,
}

/// Length of the written plan (PM-98).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanLength {
    #[default]
    Full,
    Trim,
    Cut,
    /// At most 40 lines.
    Cap,
}

/// A number of agents from 1 to 10, with the default `N` (PM-99).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct AgentLimit<const N: u8>(u8);

impl<const N: u8> AgentLimit<N> {
    pub fn get(self) -> u8 {
        self.0
    }
}

impl<const N: u8> Default for AgentLimit<N> {
    fn default() -> Self {
        Self(N)
    }
}

impl<const N: u8> TryFrom<u8> for AgentLimit<N> {
    type Error = super::OutOfRange;
    fn try_from(value: u8) -> Result<Self, super::OutOfRange> {
        if (1..=10).contains(&value) { Ok(Self(value)) } else { Err(super::OutOfRange::new("1 to 10", value)) }
    }
}

impl<const N: u8> JsonSchema for AgentLimit<N> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Agents{N}").into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "minimum": 1, "maximum": 10 })
    }
}
