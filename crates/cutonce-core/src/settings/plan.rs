//! The settings of plan mode, each with the clause it serves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Plan {
    /// What happens when the model wants to enter plan mode.
    pub entry: Entry,
    /// How readily the model plans.
    pub eagerness: Eagerness,
    /// Commands in plan mode. By default `sandbox` where the kernel offers one, else `readonly`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell: Option<PlanShell>,
    /// Where the kernel allows it, let builds and tests run in plan mode on a throwaway layer over the project.
    pub scratch: bool,
    /// MCP tools in plan mode.
    pub mcp: PlanMcp,
    /// MCP tools that only read, by your word, whatever their server says: `mcp__server`, `mcp__server__tool`, `mcp__server__*`.
    pub mcp_readers: Vec<String>,
    /// MCP tools that count as writing although their server calls them read-only; stronger than `mcpReaders`.
    pub mcp_writers: Vec<String>,
    /// How plan files are named.
    pub names: Names,
    /// How the model is told to plan.
    pub workflow: Workflow,
    /// How long the written plan should be.
    pub length: Length,
    /// How many Explore agents the model may use, 1 to 10.
    pub explore_agents: Agents<3>,
    /// How many Plan agents the model may use, 1 to 10.
    pub plan_agents: Agents<1>,
    /// Where auto mode is on, let it judge in plan mode too; it can allow nothing that plan mode denies.
    pub use_auto: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            entry: Entry::default(),
            eagerness: Eagerness::default(),
            shell: None,
            scratch: true,
            mcp: PlanMcp::default(),
            mcp_readers: Vec::new(),
            mcp_writers: Vec::new(),
            names: Names::default(),
            workflow: Workflow::default(),
            length: Length::default(),
            explore_agents: Agents::default(),
            plan_agents: Agents::default(),
            use_auto: true,
        }
    }
}

/// PM-4.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Entry {
    /// It enters: that only takes rights away.
    #[default]
    Allow,
    /// You are asked.
    Ask,
    /// It can't.
    Never,
}

/// PM-34.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Eagerness {
    /// Unless the task is simple.
    #[default]
    Eager,
    /// Only where the task is really ambiguous.
    Reserved,
}

/// PM-62.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanShell {
    /// Any command, inside the read-only sandbox.
    Sandbox,
    /// Only commands that are read-only as far as parsing can tell.
    Readonly,
    /// No commands.
    Off,
}

/// PM-65.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PlanMcp {
    /// Tools that their server calls read-only run, others are denied. That is the server's word.
    #[default]
    ReadOnlyHint,
    Ask,
    Deny,
}

/// PM-51.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Names {
    /// Three words, like `peaceful-dancing-firefly`.
    #[default]
    Words,
    /// The date and the first words of the request.
    Task,
}

/// PM-96, PM-97.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Workflow {
    /// Understand, design, review, write, exit.
    #[default]
    Phases,
    /// A skeleton first, then questions until nothing is open.
    Interview,
}

/// PM-98.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Length {
    #[default]
    Full,
    Trim,
    Cut,
    /// At most 40 lines.
    Cap,
}

/// 1 to 10, with the default `N` (PM-99).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct Agents<const N: u8>(u8);

impl<const N: u8> Agents<N> {
    pub fn get(self) -> u8 {
        self.0
    }
}

impl<const N: u8> Default for Agents<N> {
    fn default() -> Self {
        Self(N)
    }
}

impl<const N: u8> TryFrom<u8> for Agents<N> {
    type Error = String;
    fn try_from(value: u8) -> Result<Self, String> {
        if (1..=10).contains(&value) { Ok(Self(value)) } else { Err(format!("expected 1 to 10, got {value}")) }
    }
}

impl<const N: u8> JsonSchema for Agents<N> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Agents{N}").into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "minimum": 1, "maximum": 10 })
    }
}
