//! Opens a session from the command line flags.

use crate::cli::args::{InputFormat, RunFlags, split_rules};
use crate::cli::usage::UsageError;
use crate::frontends::plain::reports::SessionReport;
use anyhow::Context;
use cutonce_agent::builder::{
    McpOverrides, NamedCommands, OfferedNames, PermissionOverrides, PromptOverrides, ResumeOptions, SessionBuilder,
    SessionLimits, SessionSelector, SettingsFlags, TeamOptions,
};
use cutonce_agent::storage::{ProjectSessions, StoreError};
use cutonce_agent::team::TeamJoin;
use cutonce_agent::tools::tool::AnyTool;
use cutonce_agent::{Approver, EventStream, Hook, Session};
use cutonce_core::mode::Mode;
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::settings::NotificationMethod;
use cutonce_core::subagent::{AgentDefinition, parse_host_agents};
use cutonce_core::text::sanitize::sanitize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Capabilities of the front end.
pub struct FrontendOptions {
    pub approver: Approver,
}

/// Hooks and subagents that a front end adds to the session.
#[derive(Default)]
pub struct HostExtensions {
    pub hooks: Vec<Arc<dyn Hook>>,
    pub agents: Vec<AgentDefinition>,
}

/// Folders of a session.
pub struct SessionDirs {
    pub home: PathBuf,
    pub cwd: PathBuf,
}

pub struct StartedSession {
    pub session: Session,
    pub events: EventStream,
    pub cwd: String,
    /// Name that selects this model again.
    pub model: String,
    /// Variable that supplied the API key, reported to hosts.
    pub key_source: &'static str,
    /// How to signal that something waits for the user (PM-88).
    pub notifications: NotificationMethod,
    /// Data for status lines and `/status`.
    pub report: SessionReport,
    /// Commands and skills that can be called by name.
    pub offered: NamedCommands,
    /// Notices about how the session was opened, for the user or the host.
    pub notices: Vec<String>,
}

/// Returns `$CUTONCE_HOME` or `~/.cutonce` (CL-4).
pub fn home_dir() -> anyhow::Result<PathBuf> {
    cutonce_agent::storage::paths::cutonce_home(&|name| std::env::var_os(name))
        .context("neither CUTONCE_HOME nor HOME is set; set one of them, sessions and settings are kept there")
}

/// The folder that the program was started in.
pub fn current_dir() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("the current folder no longer exists; change to one that does")
}

pub async fn open_session(run: &RunFlags, options: FrontendOptions) -> anyhow::Result<StartedSession> {
    open_session_in(run, options, SessionDirs { home: home_dir()?, cwd: current_dir()? }).await
}

/// Builds the session options from the flags.
pub fn session_start(run: &RunFlags, approver: Approver, place: &SessionDirs) -> anyhow::Result<SessionBuilder> {
    // If the two flags contradict each other, plan mode wins; bypass is what it returns to (PM-26).
    let read_only = run.permissions.permission_mode.is_some_and(Mode::is_read_only);
    let skips = run.permissions.dangerously_skip_permissions.then_some(Mode::BypassPermissions);
    let mode = if read_only { run.permissions.permission_mode } else { skips.or(run.permissions.permission_mode) };
    // `dontAsk` wins as well: default mode in which no question can be asked.
    let mode = if run.host.dont_ask { Some(Mode::Default) } else { mode };
    let mut builder = SessionBuilder::new(&place.home, &place.cwd);
    builder.dirs.user_home = cutonce_agent::storage::paths::user_home(&|name| std::env::var_os(name));
    builder.dirs.add_dirs = run.add_dir.clone();
    builder.env = std::env::vars_os().collect();
    builder.settings = SettingsFlags {
        flag: run.settings.clone(),
        managed: run.host.managed_settings.clone(),
        sources: run.host.parsed_sources(),
    };
    builder.model.main = run.model.clone();
    builder.model.fallback = run.host.fallback_model.clone().filter(|model| !model.is_empty());
    builder.model.thinking = run.host.thinking();
    builder.permissions = PermissionOverrides {
        allow: split_rules(&run.permissions.allowed_tools),
        deny: split_rules(&run.permissions.disallowed_tools),
        mode,
        base_mode: skips.filter(|_| read_only),
        bypass_available: run.permissions.allow_dangerously_skip_permissions,
        approver,
        answerer: if run.input_format == InputFormat::StreamJson { Answerer::HOST } else { Answerer::TERMINAL },
        user_away: run.host.channels,
        hide_disallowed_tools: run.permissions.hide_disallowed_tools,
    };
    builder.prompt = PromptOverrides {
        system: run.host.system_prompt(run.system_prompt.as_deref())?,
        append: run.append_system_prompt.clone(),
        custom_workflow: run.host.custom_workflow.clone(),
        first_request: run.prompt.clone(),
    };
    builder.resume =
        ResumeOptions { selector: select_session(run)?, fork: run.session.fork_session, at: run.host.resume_at() };
    builder.ephemeral = run.host.no_session_persistence;
    builder.mcp =
        McpOverrides { config: run.mcp_config.clone(), strict: run.strict_mcp_config, first_wait: mcp_wait(run) };
    builder.host.agents = parse_agents(run)?;
    builder.host.tools = structured_output_tools(run)?;
    builder.agent.name = run.host.agent.clone().filter(|name| !name.is_empty());
    builder.offered = OfferedNames { tools: run.host.only_tools(), skills: run.host.skills.clone() };
    builder.limits = SessionLimits { max_turns: run.max_turns, max_budget: run.max_budget_usd };
    let join = run.team.clone().zip(run.name.clone()).map(|(team, name)| TeamJoin { team, name });
    builder.team = TeamOptions { join, program: std::env::current_exe().ok() };
    Ok(builder)
}

/// Builds the StructuredOutput tool if `--json-schema` was given (HO-1).
fn structured_output_tools(run: &RunFlags) -> anyhow::Result<Vec<Arc<dyn AnyTool>>> {
    let form = run.host.structured_output_tool()?;
    Ok(form.into_iter().map(|form| Arc::new(form) as Arc<dyn AnyTool>).collect())
}

/// Parses `--agents` (SA-2).
fn parse_agents(run: &RunFlags) -> anyhow::Result<Vec<AgentDefinition>> {
    let Some(given) = &run.host.agents else { return Ok(Vec::new()) };
    let given =
        serde_json::from_str(given).map_err(|error| UsageError(format!("--agents is not valid JSON: {error}")))?;
    Ok(parse_host_agents(&given).map_err(|error| UsageError(format!("--agents: {error}")))?)
}

pub async fn open_session_in(
    run: &RunFlags,
    options: FrontendOptions,
    place: SessionDirs,
) -> anyhow::Result<StartedSession> {
    open_session_with(run, options, place, HostExtensions::default()).await
}

pub async fn open_session_with(
    run: &RunFlags,
    options: FrontendOptions,
    place: SessionDirs,
    brought: HostExtensions,
) -> anyhow::Result<StartedSession> {
    let mut start = session_start(run, options.approver, &place)?;
    start.host.hooks = brought.hooks;
    // The host's list already includes the agents of `--agents`.
    if !brought.agents.is_empty() {
        start.host.agents = brought.agents;
    }
    let opened = start.open().await?;
    for notice in &opened.notices {
        eprintln!("cutonce: {}", sanitize(notice));
    }
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let key_source = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"].into_iter().find(is_set).unwrap_or("none");
    #[cfg(feature = "nats")]
    publish_session(run, &place, &opened.session);
    let about = SessionReport::new(&opened, &place.home, &place.cwd);
    Ok(StartedSession {
        report: about,
        session: opened.session,
        events: opened.events,
        cwd: place.cwd.display().to_string(),
        model: opened.model,
        key_source,
        notifications: opened.notifications,
        offered: opened.named,
        notices: opened.notices,
    })
}

/// Publishes the session, if it has a remote (FL-1).
#[cfg(feature = "nats")]
pub fn publish_session(run: &RunFlags, place: &SessionDirs, session: &Session) {
    if let Some(remote) = crate::session_uplink::remote_of(run, &place.home)
        && !run.host.no_session_persistence
    {
        crate::session_uplink::start(remote, run, place, session);
    }
}

/// Prepends the agent's initial prompt to the first message (HO-1).
pub fn with_initial_prompt(words: Option<String>, text: String) -> String {
    words.map_or(text.clone(), |words| format!("{words}\n\n{text}"))
}

/// How long to wait for MCP servers. A host that passes servers expects their tools in the first turn.
fn mcp_wait(run: &RunFlags) -> Option<Duration> {
    let host = run.input_format == InputFormat::StreamJson && !run.mcp_config.is_empty();
    host.then_some(Duration::from_secs(3))
}

pub fn select_session(run: &RunFlags) -> anyhow::Result<SessionSelector> {
    let usage = |text: &str| Err(UsageError(text.into()).into());
    if run.host.resume_at().is_some() && run.session.resume.is_none() && !run.session.r#continue {
        return usage("--resume-session-at needs --continue or --resume");
    }
    match (run.session.r#continue, &run.session.resume, &run.session.session_id) {
        (true, Some(_), _) => usage("--continue and --resume can't be used together"),
        (true, None, Some(_)) | (false, Some(_), Some(_)) => {
            usage("--session-id names a new session and can't be used with --continue or --resume")
        }
        (true, None, None) => Ok(SessionSelector::Latest),
        (false, Some(words), None) if words.is_empty() => {
            usage("--resume needs a session id or a search text here; `cutonce sessions` lists sessions")
        }
        (false, Some(words), None) => Ok(SessionSelector::Find(words.clone())),
        (false, None, Some(id)) => Ok(SessionSelector::NewWithId(id.clone())),
        (false, None, None) if run.session.fork_session => usage("--fork-session needs --continue or --resume"),
        (false, None, None) => Ok(SessionSelector::New),
    }
}

/// Shown by interactive front ends when `--continue` finds no session; `-p` fails instead.
pub const NOTHING_TO_CONTINUE: &str = "No earlier session here; started a new one.";

/// True if `--continue` was given and this folder has no session.
pub fn nothing_to_continue(run: &RunFlags) -> anyhow::Result<bool> {
    let nothing = || -> anyhow::Result<bool> {
        let latest = cutonce_agent::storage::find_latest(&ProjectSessions::new(&home_dir()?, &current_dir()?));
        Ok(matches!(latest, Err(StoreError::NotFound { .. })))
    };
    Ok(run.session.r#continue
        && run.session.resume.is_none()
        && run.session.session_id.is_none()
        && !run.session.fork_session
        && nothing()?)
}

/// Search text for the session picker, if the user has to choose (UI-15): `--resume` without an id, or with a
/// text that matches several.
pub fn session_to_pick(run: &RunFlags) -> anyhow::Result<Option<String>> {
    let Some(words) =
        run.session.resume.as_deref().filter(|_| !run.session.r#continue && run.session.session_id.is_none())
    else {
        return Ok(None);
    };
    let several = || -> anyhow::Result<bool> {
        let found = cutonce_agent::storage::find_session(&ProjectSessions::new(&home_dir()?, &current_dir()?), words);
        Ok(matches!(found, Err(StoreError::Several { .. })))
    };
    Ok((words.is_empty() || several()?).then(|| words.to_string()))
}
