//! From settings, files and flags to the servers of a session.

use super::agreed::Agreed;
use super::offered::Policy;
use super::remote::Connector;
use super::servers::{Servers, Setup, Variable};
use super::sources::{Declared, Scope, declared};
use super::status::State;
use crate::settings::Loaded;
use cutonce_core::settings::Settings;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the servers of a session are opened with.
pub struct Opening<'a> {
    /// The cutonce home.
    pub home: &'a Path,
    /// The folder whose servers these are.
    pub project: &'a Path,
    /// What the settings files say.
    pub loaded: &'a Loaded,
    /// The same, merged.
    pub settings: &'a Settings,
    /// The environment as it is: definitions may name variables of it.
    pub env: Vec<(OsString, OsString)>,
    /// The environment without secrets: what a server's process gets (MO-4).
    pub tool_env: Vec<(OsString, OsString)>,
    /// The folders of the workspace, for servers that ask for them.
    pub roots: Vec<PathBuf>,
    /// A folder for what servers send that is too large to be shown.
    pub own: PathBuf,
    /// `--mcp-config`, and whether only that counts.
    pub given: &'a [String],
    /// Only the servers of `config` count.
    pub strict: bool,
}

/// Start what may start, in the background; nothing is waited for.
pub(crate) fn open(opening: Opening<'_>, notices: &mut Vec<String>) -> Servers {
    let (all, wrong) = named(&opening);
    notices.extend(wrong);
    let servers = make(&opening);
    // A host adds those that live in it, when it has them (`Servers::add_remote`).
    for one in all.into_iter().filter(|one| one.definition["type"] != "sdk") {
        servers.add(one);
    }
    let waiting: Vec<String> =
        servers.status().iter().filter(|one| one.state == State::NeedsAgreement).map(waits).collect();
    if !waiting.is_empty() {
        notices.push(format!(
            "This project names MCP servers that start only after you agreed: {}. To agree: cutonce mcp agree NAME",
            waiting.join("; ")
        ));
    }
    servers
}

/// The same for `cutonce mcp`: only the servers that `wanted` takes, and started only if `start`.
pub fn only(opening: Opening<'_>, wanted: impl Fn(&str) -> bool, start: bool) -> (Servers, Vec<String>) {
    let (all, wrong) = named(&opening);
    let servers = make(&opening);
    for one in all.into_iter().filter(|one| wanted(&one.name)) {
        match start {
            true => servers.add(one),
            false => drop(servers.note(one)),
        }
    }
    (servers, wrong)
}

fn named(opening: &Opening<'_>) -> (Vec<Declared>, Vec<String>) {
    let agreed = Agreed::new(opening.home, opening.project);
    declared(opening.loaded, opening.project, (opening.given, opening.strict), &agreed)
}

fn waits(status: &super::Status) -> String {
    format!("{} ({})", status.name, status.target)
}

fn make(opening: &Opening<'_>) -> Servers {
    Servers::new(Setup {
        policy: Policy::of(opening.settings),
        connector: connector(opening),
        agreed: Some(Agreed::new(opening.home, opening.project)),
        variable: variable(opening),
        own: opening.own.clone(),
    })
}

#[cfg(feature = "mcp")]
fn connector(opening: &Opening<'_>) -> Option<Arc<dyn Connector>> {
    Some(Arc::new(super::client::Client {
        env: opening.tool_env.clone(),
        cwd: opening.project.to_path_buf(),
        roots: opening.roots.clone(),
        connect_timeout: Policy::of(opening.settings).connect_timeout,
    }))
}

#[cfg(not(feature = "mcp"))]
fn connector(_opening: &Opening<'_>) -> Option<Arc<dyn Connector>> {
    None
}

/// A definition of the user may name any variable. One that a project brings may not name the model's keys (MO-4).
fn variable(opening: &Opening<'_>) -> Variable {
    let env = opening.env.clone();
    let mut keys: Vec<String> = cutonce_models::provider::PROVIDERS
        .iter()
        .filter_map(|provider| provider.key_env.map(str::to_string))
        .collect();
    keys.extend(opening.settings.providers.values().filter_map(|provider| provider.key_env.clone()));
    Arc::new(move |scope: Scope, name: &str| {
        if scope.needs_agreement() && (keys.iter().any(|key| key == name) || name.starts_with("ANTHROPIC_")) {
            return Err(format!("a project's server may not have {name}; name the server in your own settings"));
        }
        let found = env.iter().find(|(key, _)| key == name);
        Ok(found.map(|(_, value)| value.to_string_lossy().into_owned()))
    })
}
