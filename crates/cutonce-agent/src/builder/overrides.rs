//! The parts of a [`SessionBuilder`](super::SessionBuilder). Every field that is left unset comes from the settings.

use super::ResumeAt;
use crate::hooks::Hook;
use crate::session::{Approver, Connect};
use crate::team::TeamJoin;
use cutonce_core::mode::Mode;
use cutonce_core::permission::rules::ConfigSource;
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::settings::ThinkingSettings;
use cutonce_core::subagent::AgentDefinition;
use cutonce_tools::disk::FileEditor;
use cutonce_tools::tool::AnyTool;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The folders of a session.
#[derive(Debug, Clone, Default)]
pub struct WorkingDirs {
    /// `~/.cutonce` or $CUTONCE_HOME.
    pub home: PathBuf,
    /// $HOME: contains the instructions of the user and of other tools.
    pub user_home: Option<PathBuf>,
    /// The folder that the session works in.
    pub cwd: PathBuf,
    /// Folders that tools may use in addition to `cwd`.
    pub add_dirs: Vec<PathBuf>,
}

/// Settings given as flags, and the settings files to load.
#[derive(Debug, Clone, Default)]
pub struct SettingsFlags {
    /// `--settings`: a path or JSON text.
    pub flag: Option<String>,
    /// `--managed-settings`: JSON settings imposed by a host; they can only restrict (HO-1).
    pub managed: Option<String>,
    /// Load only these settings sources and instructions; `None` loads all.
    pub sources: Option<Vec<ConfigSource>>,
}

/// The models to use instead of those of the settings.
#[derive(Clone, Default)]
pub struct ModelOverrides {
    /// Overrides the model of the settings.
    pub main: Option<String>,
    /// Overrides `model.fallback`.
    pub fallback: Option<String>,
    /// Overrides the thinking settings.
    pub thinking: Option<ThinkingSettings>,
    /// Source of models; defaults to the providers of the settings.
    pub connect: Option<Arc<dyn Connect>>,
}

/// Rules and modes in addition to those of the settings.
#[derive(Debug, Clone, Default)]
pub struct PermissionOverrides {
    /// Extra allow rules, as in `permissions.allow`.
    pub allow: Vec<String>,
    /// Extra deny rules, as in `permissions.deny`.
    pub deny: Vec<String>,
    /// Overrides `permissions.defaultMode`.
    pub mode: Option<Mode>,
    /// The mode to return to when `mode` is left; defaults to the mode of the settings (PM-26).
    pub base_mode: Option<Mode>,
    /// Whether bypassPermissions may be entered.
    pub bypass_available: bool,
    /// Who answers asks.
    pub approver: Approver,
    /// The front end, as other approvers see it (RV-3); a host by default.
    pub answerer: Answerer,
    /// The host's user is not at an approval UI, so the model can't enter plan mode by itself (PM-32).
    pub user_away: bool,
    /// Hides tools that plan mode disallows; chosen by a host (PM-66).
    pub hide_disallowed_tools: bool,
}

/// The texts that the model gets besides the conversation.
#[derive(Debug, Clone, Default)]
pub struct PromptOverrides {
    /// Replaces the built-in system prompt.
    pub system: Option<String>,
    /// Appended to the system prompt.
    pub append: Option<String>,
    /// A host's plan mode workflow, replacing the built-in one.
    pub custom_workflow: Option<String>,
    /// The first prompt, if known: a plan may be named after it (PM-51).
    pub first_request: Option<String>,
}

/// Selects an earlier session and the point to continue from.
#[derive(Debug, Clone, Default)]
pub struct ResumeOptions {
    /// Whether to create a session or resume one.
    pub selector: SessionSelector,
    /// Resume in a copy.
    pub fork: bool,
    /// Resume from an earlier message than the last (HO-1).
    pub at: Option<ResumeAt>,
}

/// Selects the session to open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SessionSelector {
    /// A new session.
    #[default]
    New,
    /// A new session with this id.
    NewWithId(String),
    /// The latest session of this folder.
    Latest,
    /// An earlier session, found by id or by text of its first message.
    Find(String),
}

/// MCP servers in addition to those of the settings (HO-6).
#[derive(Debug, Clone, Default)]
pub struct McpOverrides {
    /// `--mcp-config`: files or JSON text.
    pub config: Vec<String>,
    /// Use only the servers of `config`.
    pub strict: bool,
    /// How long the first request waits for MCP servers to start; defaults to the settings.
    pub first_wait: Option<Duration>,
}

/// Agents, tools, hooks and files that the embedding program provides.
#[derive(Clone, Default)]
pub struct HostParts {
    /// Agents from a host or `--agents`; see `cutonce_core::subagent::parse_host_agents`.
    pub agents: Vec<AgentDefinition>,
    /// Tools of the embedding program.
    pub tools: Vec<Arc<dyn AnyTool>>,
    /// Hooks of the embedding program, in addition to those of the settings (HO-7).
    pub hooks: Vec<Arc<dyn Hook>>,
    /// An editor host that serves the contents of open files (HO-5).
    pub editor: Option<Arc<dyn FileEditor>>,
}

/// The agent to run as the main thread, with its prompt, tools and model (HO-1).
#[derive(Debug, Clone, Default)]
pub struct MainAgentChoice {
    /// The agent's name; defaults to the setting `agent`.
    pub name: Option<String>,
    /// The agent's definition, if it needs no lookup by `name`.
    pub definition: Option<Arc<AgentDefinition>>,
}

/// Restricts what the model is offered.
#[derive(Debug, Clone, Default)]
pub struct OfferedNames {
    /// Offer only these built-in tools; `None` offers all.
    pub tools: Option<Vec<String>>,
    /// Offer only these skills; `None` offers all (HO-8).
    pub skills: Option<Vec<String>>,
}

/// When a turn or the session stops by itself.
#[derive(Debug, Clone, Default)]
pub struct SessionLimits {
    /// Maximum number of model requests per turn.
    pub max_turns: Option<u32>,
    /// Maximum cost in US dollars for the session and its subagents.
    pub max_budget: Option<f64>,
}

/// The session's part in a team (TM-1).
#[derive(Debug, Clone, Default)]
pub struct TeamOptions {
    /// Join a team as a teammate.
    pub join: Option<TeamJoin>,
    /// The program to run for teammates in their own process; `None` disables such teammates.
    pub program: Option<PathBuf>,
}
