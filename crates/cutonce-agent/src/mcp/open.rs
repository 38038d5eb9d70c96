//! Opens the servers of a session from settings, files and flags.

use super::approved_servers::ApprovedServers;
use super::elicitation::ElicitationPort;
use super::remote::RemoteConnector;
use super::servers::{McpServers, ServersSetup, VariableResolver};
use super::sources::{DeclaredServer, ServerScope, effective_servers};
use super::status::McpServerState;
use super::tool::McpPolicy;
use crate::config::LoadedSettings;
use crate::storage::redact::Redactor;
use cutonce_core::settings::Settings;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Inputs for opening the servers of a session.
pub struct McpOptions<'a> {
    /// The cutonce home.
    pub home: &'a Path,
    /// The project folder.
    pub project: &'a Path,
    /// The loaded settings files.
    pub loaded: &'a LoadedSettings,
    /// The merged settings.
    pub settings: &'a Settings,
    /// The full environment: definitions may use its variables.
    pub env: Vec<(OsString, OsString)>,
    /// The environment of server processes, without secrets (MO-4).
    pub tool_env: Vec<(OsString, OsString)>,
    /// The workspace folders, for servers that request them.
    pub roots: Vec<PathBuf>,
    /// A folder for results that are too large to show.
    pub own: PathBuf,
    /// `--mcp-config`.
    pub given: &'a [String],
    /// Use only the servers of `given`.
    pub strict: bool,
}

/// Starts all approved servers in the background without waiting.
pub(crate) fn open_servers(opening: McpOptions<'_>, redactor: Arc<Redactor>, notices: &mut Vec<String>) -> McpServers {
    let (all, wrong) = declared_servers(&opening);
    notices.extend(wrong);
    let servers = new_servers(&opening, Some(redactor));
    // A host adds its in-process servers later (`Servers::add_remote`).
    for one in all.into_iter().filter(|one| one.definition["type"] != "sdk") {
        servers.add(one);
    }
    let waiting: Vec<String> = servers
        .status()
        .iter()
        .filter(|one| one.state == McpServerState::NeedsApproval)
        .map(describe_waiting)
        .collect();
    if !waiting.is_empty() {
        notices.push(format!(
            "This project defines MCP servers that need your approval to start: {}. To approve one, run: cutonce mcp approve NAME",
            waiting.join("; ")
        ));
    }
    servers
}

/// Opens the servers that `wanted` selects, for `cutonce mcp`; starts them only if `start`.
pub fn open_selected(opening: McpOptions<'_>, wanted: impl Fn(&str) -> bool, start: bool) -> (McpServers, Vec<String>) {
    let (all, wrong) = declared_servers(&opening);
    let servers = new_servers(&opening, None);
    for one in all.into_iter().filter(|one| wanted(&one.name)) {
        match start {
            true => servers.add(one),
            false => drop(servers.add_stopped(one)),
        }
    }
    (servers, wrong)
}

fn declared_servers(opening: &McpOptions<'_>) -> (Vec<DeclaredServer>, Vec<String>) {
    let agreed = ApprovedServers::new(opening.home, opening.project);
    effective_servers(opening.loaded, opening.project, (opening.given, opening.strict), &agreed)
}

fn describe_waiting(status: &super::McpServerStatus) -> String {
    format!("{} ({})", status.name, status.target)
}

fn new_servers(opening: &McpOptions<'_>, redactor: Option<Arc<Redactor>>) -> McpServers {
    let elicitations: Arc<ElicitationPort> = Arc::default();
    McpServers::new(ServersSetup {
        home: opening.home.to_path_buf(),
        policy: McpPolicy::from_settings(opening.settings),
        connector: connector(opening, redactor, &elicitations),
        elicitations,
        approved: Some(ApprovedServers::new(opening.home, opening.project)),
        variable: variable_lookup(opening),
        own: opening.own.clone(),
    })
}

#[cfg(feature = "mcp")]
fn connector(
    opening: &McpOptions<'_>,
    redactor: Option<Arc<Redactor>>,
    elicitations: &Arc<ElicitationPort>,
) -> Option<Arc<dyn RemoteConnector>> {
    Some(Arc::new(super::client::McpClient {
        env: opening.tool_env.clone(),
        cwd: opening.project.to_path_buf(),
        roots: opening.roots.clone(),
        connect_timeout: McpPolicy::from_settings(opening.settings).connect_timeout,
        home: opening.home.to_path_buf(),
        redactor,
        elicitations: elicitations.clone(),
    }))
}

#[cfg(not(feature = "mcp"))]
fn connector(
    _opening: &McpOptions<'_>,
    _redactor: Option<Arc<Redactor>>,
    _elicitations: &Arc<ElicitationPort>,
) -> Option<Arc<dyn RemoteConnector>> {
    None
}

/// Returns variables for definitions. A project's definition may not use the model's keys (MO-4).
fn variable_lookup(opening: &McpOptions<'_>) -> VariableResolver {
    let env = opening.env.clone();
    let mut keys: Vec<String> = cutonce_models::providers::PROVIDERS
        .iter()
        .filter_map(|provider| provider.key_env.map(str::to_string))
        .collect();
    keys.extend(opening.settings.providers.values().filter_map(|provider| provider.key_env.clone()));
    Arc::new(move |scope: ServerScope, name: &str| {
        if scope.needs_approval() && (keys.iter().any(|key| key == name) || name.starts_with("ANTHROPIC_")) {
            return Err(format!(
                "a project's server may not use {name}; define the server in your own settings instead"
            )
            .into());
        }
        let found = env.iter().find(|(key, _)| key == name);
        Ok(found.map(|(_, value)| value.to_string_lossy().into_owned()))
    })
}
