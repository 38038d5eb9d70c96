//! The session's MCP servers. Each starts in the background, so that a dead or slow one delays nothing (HO-6); new
//! tools and notices wait here until the session takes them.

mod content;
mod saved_toggle;
mod server_login;
mod server_toggle;
mod startup_wait;

pub use content::{McpPrompt, McpResource};
#[cfg(feature = "mcp")]
pub use server_login::LoginTarget;

use super::approved_servers::ApprovedServers;
use super::definition::{DefinitionError, ServerDefinition, ServerTransport};
use super::elicitation::ElicitationPort;
use super::error::McpError;
use super::names;
use super::remote::{ChangeSignal, RemoteConnector, RemoteError, RemoteServer};
use super::sources::{DeclaredServer, ServerScope};
use super::status::{McpServerState, McpServerStatus};
use super::tool::{McpPolicy, McpTool, sanitize_and_truncate, tools_of};
use cutonce_core::sync::LockUnpoisoned;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;

/// Minimum delay between two listings of a server that keeps signalling changes.
const LIST_DELAY: Duration = Duration::from_millis(250);
const MAX_INSTRUCTIONS: usize = 2_048;

/// Configuration shared by the servers of a session.
pub(crate) struct ServersSetup {
    /// The cutonce home, which has the logins.
    pub home: PathBuf,
    pub(crate) policy: McpPolicy,
    /// The connector has the same one.
    pub elicitations: Arc<ElicitationPort>,
    /// `None` if this build only supports servers of the host.
    pub(crate) connector: Option<Arc<dyn RemoteConnector>>,
    /// `None` if project servers may not start.
    pub approved: Option<ApprovedServers>,
    /// Resolves a variable for a server of that scope, or says why it may not use it.
    pub variable: VariableResolver,
    /// The session's folder for long content.
    pub own: PathBuf,
}

pub(crate) type VariableResolver =
    Arc<dyn Fn(ServerScope, &str) -> Result<Option<String>, DefinitionError> + Send + Sync>;

impl Default for ServersSetup {
    fn default() -> Self {
        let variable: VariableResolver = Arc::new(|_, _| Ok(None));
        ServersSetup {
            home: std::env::temp_dir(),
            policy: McpPolicy::default(),
            elicitations: Arc::default(),
            connector: None,
            approved: None,
            variable,
            own: std::env::temp_dir(),
        }
    }
}

/// A handle to the servers; clones share the same servers.
#[derive(Clone)]
pub struct McpServers(Arc<ServersState>);

struct ServersState {
    home: PathBuf,
    policy: Arc<McpPolicy>,
    elicitations: Arc<ElicitationPort>,
    connector: Option<Arc<dyn RemoteConnector>>,
    approved: Option<ApprovedServers>,
    variable: VariableResolver,
    own: PathBuf,
    entries: Mutex<Vec<ServerEntry>>,
    notices: Mutex<Vec<String>>,
    /// Notified when the session has something to take.
    news: Notify,
    /// Incremented whenever a state changes.
    changed: watch::Sender<u64>,
    /// A server was removed and the session has not updated its tools yet.
    removed: AtomicBool,
}

struct ServerEntry {
    declared: DeclaredServer,
    name: String,
    transport: &'static str,
    target: String,
    state: McpServerState,
    remote: Option<Arc<dyn RemoteServer>>,
    tools: Vec<Arc<McpTool>>,
    /// The tools the session currently uses.
    session_tools: Vec<Arc<McpTool>>,
    policy: Arc<McpPolicy>,
    notes: Vec<String>,
    task: Option<AbortHandle>,
    pending_tools: PendingTools,
}

/// What the session has not taken yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PendingTools {
    Nothing,
    /// The server's tools, for the first time.
    First,
    /// A changed list of tools.
    Changed,
}

/// Updates the session takes with its next request.
#[derive(Default)]
pub(crate) struct ServerUpdates {
    /// All tools of all servers, or `None` if they are unchanged.
    pub tools: Option<Vec<Arc<McpTool>>>,
    /// The servers whose tools were added or changed.
    pub joined: Vec<JoinedServer>,
    /// Notices for the user.
    pub notices: Vec<String>,
}

pub(crate) struct JoinedServer {
    /// The name used in rules.
    pub server: String,
    /// The server's instructions, sent once.
    pub instructions: Option<String>,
}

impl McpServers {
    pub(crate) fn new(setup: ServersSetup) -> McpServers {
        McpServers(Arc::new(ServersState {
            home: setup.home,
            policy: Arc::new(setup.policy),
            elicitations: setup.elicitations,
            connector: setup.connector,
            approved: setup.approved,
            variable: setup.variable,
            own: setup.own,
            entries: Mutex::default(),
            notices: Mutex::default(),
            news: Notify::new(),
            changed: watch::Sender::new(0),
            removed: AtomicBool::new(false),
        }))
    }

    /// An empty list for a subagent, whose own servers connect the same way.
    pub(crate) fn for_subagent(&self, own: PathBuf) -> McpServers {
        let inner = &self.0;
        McpServers(Arc::new(ServersState {
            home: inner.home.clone(),
            policy: inner.policy.clone(),
            elicitations: inner.elicitations.clone(),
            connector: inner.connector.clone(),
            approved: None,
            variable: inner.variable.clone(),
            own,
            entries: Mutex::default(),
            notices: Mutex::default(),
            news: Notify::new(),
            changed: watch::Sender::new(0),
            removed: AtomicBool::new(false),
        }))
    }

    /// Adds a server and starts it in the background, unless it needs approval.
    pub fn add(&self, declared: DeclaredServer) {
        if let Some(called) = self.add_stopped(declared) {
            self.connect_and_run(&called);
        }
    }

    /// Adds a server without starting it. Returns its name if it may start.
    pub(super) fn add_stopped(&self, declared: DeclaredServer) -> Option<String> {
        let definition = ServerDefinition::parse(&declared.definition);
        let state = match &definition {
            Ok(definition) if definition.disabled => McpServerState::Disabled,
            Ok(_) if !self.may_start(&declared) => McpServerState::NeedsApproval,
            Ok(_) => McpServerState::Pending,
            Err(why) => McpServerState::Failed(format!("{}: {why}", declared.file)),
        };
        let (transport, target) = match &definition {
            Ok(definition) => (definition.transport_name(), definition.describe_target()),
            Err(_) => ("stdio", String::new()),
        };
        let start = state == McpServerState::Pending;
        match self.add_entry(declared, transport, &target, state) {
            Ok(called) => Some(called).filter(|_| start),
            Err(why) => {
                self.0.push_notice(why.to_string());
                None
            }
        }
    }

    /// Adds a server in the host's process and lists its tools in the background.
    pub fn add_remote(&self, name: &str, remote: Arc<dyn RemoteServer>) -> Result<(), McpError> {
        let definition = serde_json::json!({"type": "sdk", "name": name});
        let declared =
            DeclaredServer { name: name.into(), scope: ServerScope::Host, file: "the host".into(), definition };
        let called = self.add_entry(declared, "sdk", name, McpServerState::Pending)?;
        self.spawn_listing(&called, remote);
        Ok(())
    }

    /// Stops and removes a server; its tools leave with the next turn.
    pub async fn remove(&self, name: &str) -> bool {
        let found = {
            let mut entries = self.0.lock_entries();
            let at = entries.iter().position(|entry| entry.declared.name == name || entry.name == name);
            at.map(|at| entries.remove(at))
        };
        let Some(mut entry) = found else { return false };
        entry.stop();
        if let Some(remote) = entry.remote.take() {
            remote.close().await;
        }
        self.0.removed.store(true, Ordering::Relaxed);
        true
    }

    /// Approves a project's server and starts it.
    pub fn approve(&self, name: &str) -> Result<(), McpError> {
        let entry = self.find(name)?;
        let agreed = self.0.approved.as_ref().ok_or("approvals can't be saved here")?;
        agreed.approve(&entry.0.name, &entry.0.definition).map_err(|error| error.to_string())?;
        self.reconnect(name)
    }

    /// Where servers' questions come out.
    pub(crate) fn elicitations(&self) -> &ElicitationPort {
        &self.0.elicitations
    }

    /// The status of every server.
    pub fn status(&self) -> Vec<McpServerStatus> {
        self.0.lock_entries().iter().map(ServerEntry::status).collect()
    }

    /// Waits until none of these servers is starting; `None` means all servers.
    pub async fn wait_until_started(&self, called: Option<&[String]>) {
        let mut changed = self.0.changed.subscribe();
        while self.is_pending(called) {
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    pub(crate) fn is_pending(&self, called: Option<&[String]>) -> bool {
        let asked = |entry: &ServerEntry| called.is_none_or(|called| called.contains(&entry.name));
        self.0.lock_entries().iter().any(|entry| entry.state == McpServerState::Pending && asked(entry))
    }

    /// Waits until `Servers::take_news` has something to return.
    pub(crate) async fn wait_for_updates(&self) {
        self.0.news.notified().await;
    }

    /// Takes the updates. New tools are returned at any request, changed lists only at the start of a turn, because
    /// each change invalidates the provider's prompt cache (AG-7).
    pub(crate) fn take_updates(&self, turn_begins: bool) -> ServerUpdates {
        let mut news = ServerUpdates { notices: self.take_notices(), ..ServerUpdates::default() };
        let removed = turn_begins && self.0.removed.swap(false, Ordering::Relaxed);
        let mut entries = self.0.lock_entries();
        for entry in entries.iter_mut() {
            let first = entry.pending_tools == PendingTools::First;
            if first || (entry.pending_tools == PendingTools::Changed && turn_begins) {
                entry.pending_tools = PendingTools::Nothing;
                let instructions =
                    entry.remote.as_ref().filter(|_| first).and_then(|remote| remote.server_info().instructions);
                let instructions = instructions.map(|text| sanitize_and_truncate(text.trim(), MAX_INSTRUCTIONS));
                let instructions = instructions.filter(|text| !text.is_empty());
                news.joined.push(JoinedServer { server: entry.name.clone(), instructions });
                entry.session_tools = entry.tools.clone();
            }
        }
        if removed || !news.joined.is_empty() {
            news.tools = Some(entries.iter().flat_map(|entry| entry.session_tools.iter().cloned()).collect());
        }
        news
    }

    /// Takes the notices for the user, between turns.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock_notices())
    }

    /// The names of all servers, as used in rules.
    pub fn names(&self) -> Vec<String> {
        self.0.lock_entries().iter().map(|entry| entry.name.clone()).collect()
    }

    /// Ends all servers; nothing of them is left afterwards.
    pub async fn close(&self) {
        let mut entries = std::mem::take(&mut *self.0.lock_entries());
        entries.iter_mut().for_each(ServerEntry::stop);
        let remotes: Vec<_> = entries.iter_mut().filter_map(|entry| entry.remote.take()).collect();
        futures_util::future::join_all(remotes.iter().map(|remote| remote.close())).await;
        self.0.notify_changed();
    }

    fn may_start(&self, declared: &DeclaredServer) -> bool {
        !declared.scope.needs_approval()
            || self.0.approved.as_ref().is_some_and(|agreed| agreed.is_approved(&declared.name, &declared.definition))
    }

    fn find(&self, name: &str) -> Result<(DeclaredServer, String), McpError> {
        let entries = self.0.lock_entries();
        let found = entries.iter().find(|entry| entry.declared.name == name || entry.name == name);
        found
            .map(|entry| (entry.declared.clone(), entry.name.clone()))
            .ok_or_else(|| McpError::UnknownServer(sanitize_and_truncate(name, 100)))
    }

    /// Adds an entry and returns the name used for its tools.
    fn add_entry(
        &self,
        declared: DeclaredServer,
        transport: &'static str,
        target: &str,
        state: McpServerState,
    ) -> Result<String, McpError> {
        let shown = sanitize_and_truncate(&declared.name, 100);
        let called = names::server_name(&declared.name)
            .ok_or_else(|| format!("{}: invalid MCP server name {shown:?}", declared.file))?;
        let mut entries = self.0.lock_entries();
        if let Some(other) = entries.iter().find(|entry| entry.name == called) {
            let other = sanitize_and_truncate(&other.declared.name, 100);
            return Err(format!(
                "{}: the MCP server {shown:?} was left out: its name is too similar to {other:?}",
                declared.file
            )
            .into());
        }
        let target = sanitize_and_truncate(target, 1_000);
        let own_timeout = ServerDefinition::parse(&declared.definition).ok().and_then(|definition| definition.timeout);
        let policy = match own_timeout {
            Some(call_timeout) => Arc::new(McpPolicy { call_timeout, ..(*self.0.policy).clone() }),
            None => self.0.policy.clone(),
        };
        entries.push(ServerEntry {
            declared,
            name: called.clone(),
            transport,
            target,
            state,
            remote: None,
            tools: Vec::new(),
            session_tools: Vec::new(),
            policy,
            notes: Vec::new(),
            task: None,
            pending_tools: PendingTools::Nothing,
        });
        Ok(called)
    }

    /// Connects a server and runs it.
    fn connect_and_run(&self, called: &str) {
        let Ok((declared, _)) = self.find(called) else { return };
        let made = self.expanded_definition(&declared).map_err(|why| format!("{}: {why}", declared.file)).and_then(
            |definition| match (&definition.transport, &self.0.connector) {
                (ServerTransport::Sdk { .. }, _) => Err("it runs inside a host, but no host provided it".into()),
                (_, None) => Err("this build has no MCP client".into()),
                (_, Some(connector)) => Ok(connector.connect(called, definition)),
            },
        );
        match made {
            Ok(remote) => self.spawn_listing(called, remote),
            Err(why) => self.0.set_state(called, McpServerState::Failed(why)),
        }
    }

    /// Parses a definition and fills in its variables.
    fn expanded_definition(&self, declared: &DeclaredServer) -> Result<ServerDefinition, DefinitionError> {
        let variable = |name: &str| (self.0.variable)(declared.scope, name);
        // A host or editor may pass values that must not be expanded.
        let literal = declared.definition["literal"] == true;
        ServerDefinition::parse(&declared.definition)
            .and_then(|definition| if literal { Ok(definition) } else { definition.expand_variables(&variable) })
    }

    fn spawn_listing(&self, called: &str, remote: Arc<dyn RemoteServer>) {
        let bell = Arc::new(ChangeSignal::default());
        remote.set_change_signal(bell.clone());
        let task = tokio::spawn(list_on_change(Arc::downgrade(&self.0), called.to_string(), remote.clone(), bell));
        self.0.update_entry(called, |entry| {
            entry.task = Some(task.abort_handle());
            entry.remote = Some(remote);
        });
    }
}

/// Lists a server's tools immediately and after every change.
async fn list_on_change(
    inner: Weak<ServersState>,
    called: String,
    remote: Arc<dyn RemoteServer>,
    bell: Arc<ChangeSignal>,
) {
    loop {
        let Some(limit) = inner.upgrade().map(|inner| inner.policy.connect_timeout) else { return };
        let listed = tokio::time::timeout(limit, remote.list_tools()).await;
        let gone =
            || Err(RemoteError::Unavailable(format!("it did not answer within {} seconds", limit.as_secs_f32())));
        let Some(servers) = inner.upgrade() else { return };
        servers.store_tools(&called, &remote, listed.unwrap_or_else(|_| gone()));
        drop(servers);
        loop {
            bell.wait().await;
            let Some(why) = bell.take_down_reason() else { break };
            let Some(servers) = inner.upgrade() else { return };
            servers.set_state(&called, McpServerState::Failed(why));
        }
        tokio::time::sleep(LIST_DELAY).await;
        bell.discard_changes();
    }
}

impl ServersState {
    fn lock_entries(&self) -> MutexGuard<'_, Vec<ServerEntry>> {
        self.entries.lock_unpoisoned()
    }
    fn lock_notices(&self) -> MutexGuard<'_, Vec<String>> {
        self.notices.lock_unpoisoned()
    }
    fn push_notice(&self, text: String) {
        self.lock_notices().push(text);
        self.news.notify_one();
    }
    fn notify_changed(&self) {
        self.changed.send_modify(|version| *version += 1);
    }

    fn update_entry(&self, called: &str, work: impl FnOnce(&mut ServerEntry)) {
        if let Some(entry) = self.lock_entries().iter_mut().find(|entry| entry.name == called) {
            work(entry);
        }
        self.notify_changed();
    }

    /// Sets a server's state; a failure is reported as a notice once.
    fn set_state(&self, called: &str, state: McpServerState) {
        let why = match &state {
            McpServerState::Failed(why) | McpServerState::NeedsAuth(why) => Some(sanitize_and_truncate(why, 1_000)),
            McpServerState::Pending
            | McpServerState::Connected
            | McpServerState::NeedsApproval
            | McpServerState::Disabled => None,
        };
        self.update_entry(called, |entry| entry.state = state);
        if let Some(why) = why {
            self.push_notice(format!("MCP server {called}: {why}"));
        }
    }

    fn store_tools(&self, called: &str, remote: &Arc<dyn RemoteServer>, listed: Result<Vec<Value>, RemoteError>) {
        let listed = match listed {
            Ok(listed) => listed,
            Err(error @ RemoteError::NeedsAuth(_)) => {
                return self.set_state(called, McpServerState::NeedsAuth(error.to_string()));
            }
            Err(error) => return self.set_state(called, McpServerState::Failed(error.to_string())),
        };
        self.update_entry(called, |entry| {
            let (tools, notes) = tools_of(called, &listed, remote, &entry.policy);
            let first = entry.tools.is_empty()
                && entry.pending_tools == PendingTools::Nothing
                && entry.state == McpServerState::Pending;
            let same = tool_specs(&entry.tools) == tool_specs(&tools);
            entry.pending_tools = match (entry.pending_tools, first, same) {
                (PendingTools::First, ..) | (_, true, _) => PendingTools::First,
                (joining, false, true) => joining,
                (_, false, false) => PendingTools::Changed,
            };
            (entry.tools, entry.notes, entry.state) = (tools, notes, McpServerState::Connected);
        });
        self.news.notify_one();
    }
}

fn tool_specs(tools: &[Arc<McpTool>]) -> Vec<(cutonce_core::model_request::ToolSpec, bool)> {
    tools.iter().map(|tool| (cutonce_tools::tool::AnyTool::spec(&**tool), tool.is_read_only())).collect()
}

impl Drop for ServersState {
    fn drop(&mut self) {
        self.lock_entries().iter_mut().for_each(ServerEntry::stop);
    }
}

impl ServerEntry {
    fn stop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }

    fn status(&self) -> McpServerStatus {
        let about = self.remote.as_ref().map(|remote| remote.server_info()).unwrap_or_default();
        let words = |text: Option<String>| sanitize_and_truncate(&text.unwrap_or_default(), 100);
        McpServerStatus {
            name: sanitize_and_truncate(&self.declared.name, 100),
            short_name: self.name.clone(),
            scope: self.declared.scope,
            transport: self.transport,
            target: self.target.clone(),
            state: self.state.clone(),
            server: about.name.map(|name| (words(Some(name)), words(about.version))),
            tools: self.tools.iter().map(|tool| tool.status()).collect(),
            notes: self.notes.iter().map(|note| sanitize_and_truncate(note, 300)).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
