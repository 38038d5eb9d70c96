//! The session's servers: each is started in the background, so that a dead or slow one delays nothing (HO-6); what
//! arrives waits here until the session takes it.

mod content;
mod kept;
mod ready;
mod switch;

pub use content::{Prompt, Resource};

use super::agreed::Agreed;
use super::definition::{Definition, Reach};
use super::names;
use super::offered::{McpTool, Policy, bounded, tools_of};
use super::remote::{Bell, Connector, Remote, RemoteError};
use super::sources::{Declared, Scope};
use super::status::{State, Status};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;

/// A server that rings without end is asked no more often than this.
const PAUSE: Duration = Duration::from_millis(250);
const LONGEST_INSTRUCTIONS: usize = 2_048;

/// What the servers of a session share.
pub(crate) struct Setup {
    pub(crate) policy: Policy,
    /// None: this build reaches no servers but those of the host.
    pub(crate) connector: Option<Arc<dyn Connector>>,
    /// None: nothing of a project starts.
    pub agreed: Option<Agreed>,
    /// The value of a variable for a server of that scope, or why it may not have it.
    pub variable: Variable,
    /// The session's own folder: long content is kept there.
    pub own: PathBuf,
}

pub(crate) type Variable = Arc<dyn Fn(Scope, &str) -> Result<Option<String>, String> + Send + Sync>;

impl Default for Setup {
    fn default() -> Self {
        let variable: Variable = Arc::new(|_, _| Ok(None));
        Setup { policy: Policy::default(), connector: None, agreed: None, variable, own: std::env::temp_dir() }
    }
}

/// The handle; clones are the same servers.
#[derive(Clone)]
pub struct Servers(Arc<Inner>);

struct Inner {
    policy: Arc<Policy>,
    connector: Option<Arc<dyn Connector>>,
    agreed: Option<Agreed>,
    variable: Variable,
    own: PathBuf,
    entries: Mutex<Vec<Entry>>,
    notices: Mutex<Vec<String>>,
    /// Something waits for the session.
    news: Notify,
    /// A state changed.
    changed: watch::Sender<u64>,
    /// A server was removed, and the session does not know yet.
    removed: AtomicBool,
}

struct Entry {
    declared: Declared,
    called: String,
    transport: &'static str,
    target: String,
    state: State,
    remote: Option<Arc<dyn Remote>>,
    tools: Vec<Arc<McpTool>>,
    /// Those that the session has.
    taken: Vec<Arc<McpTool>>,
    policy: Arc<Policy>,
    notes: Vec<String>,
    task: Option<AbortHandle>,
    joining: Joining,
}

/// What the session has not taken yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joining {
    Nothing,
    /// Its tools, for the first time.
    First,
    /// They are others now.
    Changed,
}

/// What the session takes at a request.
#[derive(Default)]
pub(crate) struct News {
    /// All tools of all servers from now on; None if they are the same as before.
    pub tools: Option<Vec<Arc<McpTool>>>,
    /// The servers whose tools came or changed.
    pub joined: Vec<Joined>,
    /// For the person.
    pub notices: Vec<String>,
}

pub(crate) struct Joined {
    /// As rules name it.
    pub server: String,
    /// The server's own words, once.
    pub instructions: Option<String>,
}

impl Servers {
    pub(crate) fn new(setup: Setup) -> Servers {
        Servers(Arc::new(Inner {
            policy: Arc::new(setup.policy),
            connector: setup.connector,
            agreed: setup.agreed,
            variable: setup.variable,
            own: setup.own,
            entries: Mutex::default(),
            notices: Mutex::default(),
            news: Notify::new(),
            changed: watch::Sender::new(0),
            removed: AtomicBool::new(false),
        }))
    }

    /// None yet, for an agent of this session: servers of its own are reached as these are.
    pub(crate) fn beside(&self, own: PathBuf) -> Servers {
        let inner = &self.0;
        Servers(Arc::new(Inner {
            policy: inner.policy.clone(),
            connector: inner.connector.clone(),
            agreed: None,
            variable: inner.variable.clone(),
            own,
            entries: Mutex::default(),
            notices: Mutex::default(),
            news: Notify::new(),
            changed: watch::Sender::new(0),
            removed: AtomicBool::new(false),
        }))
    }

    /// Add a server and start it in the background, unless it waits for the user.
    pub fn add(&self, declared: Declared) {
        if let Some(called) = self.note(declared) {
            self.begin(&called);
        }
    }

    /// Add a server without starting it; its name if it may start.
    pub(super) fn note(&self, declared: Declared) -> Option<String> {
        let definition = Definition::parse(&declared.definition);
        let state = match &definition {
            Ok(definition) if definition.disabled => State::Disabled,
            Ok(_) if !self.may_start(&declared) => State::NeedsAgreement,
            Ok(_) => State::Pending,
            Err(why) => State::Failed(format!("{}: {why}", declared.file)),
        };
        let (transport, target) = match &definition {
            Ok(definition) => (definition.transport(), definition.target()),
            Err(_) => ("stdio", String::new()),
        };
        let start = state == State::Pending;
        match self.place(declared, transport, &target, state) {
            Ok(called) => Some(called).filter(|_| start),
            Err(why) => {
                self.0.notice(why);
                None
            }
        }
    }

    /// Add a server that lives in the host's process; its tools are listed in the background.
    pub fn add_remote(&self, name: &str, remote: Arc<dyn Remote>) -> Result<(), String> {
        let definition = serde_json::json!({"type": "sdk", "name": name});
        let declared = Declared { name: name.into(), scope: Scope::Host, file: "the host".into(), definition };
        let called = self.place(declared, "sdk", name, State::Pending)?;
        self.run(&called, remote);
        Ok(())
    }

    /// Stop a server and forget it; its tools leave at the next turn.
    pub async fn remove(&self, name: &str) -> bool {
        let found = {
            let mut entries = self.0.entries();
            let at = entries.iter().position(|entry| entry.declared.name == name || entry.called == name);
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

    /// The user agrees to a project's server: it starts, now and from now on.
    pub fn agree(&self, name: &str) -> Result<(), String> {
        let entry = self.named(name)?;
        let agreed = self.0.agreed.as_ref().ok_or("agreements can't be kept here")?;
        agreed.add(&entry.0.name, &entry.0.definition).map_err(|error| error.to_string())?;
        self.reconnect(name)
    }

    /// Every server and how it is.
    pub fn status(&self) -> Vec<Status> {
        self.0.entries().iter().map(Entry::status).collect()
    }

    /// Wait until none of these is being started any more; with `None`, none at all.
    pub async fn settled(&self, called: Option<&[String]>) {
        let mut changed = self.0.changed.subscribe();
        while self.is_pending(called) {
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    pub(crate) fn is_pending(&self, called: Option<&[String]>) -> bool {
        let asked = |entry: &Entry| called.is_none_or(|called| called.contains(&entry.called));
        self.0.entries().iter().any(|entry| entry.state == State::Pending && asked(entry))
    }

    /// Something waits for `Servers::take_news`.
    pub async fn news(&self) {
        self.0.news.notified().await;
    }

    /// What is new. Tools that come for the first time are given at any request, changed lists only where a turn begins:
    /// each costs the provider's cache of the prompt (AG-7).
    pub(crate) fn take_news(&self, turn_begins: bool) -> News {
        let mut news = News { notices: self.take_notices(), ..News::default() };
        let removed = turn_begins && self.0.removed.swap(false, Ordering::Relaxed);
        let mut entries = self.0.entries();
        for entry in entries.iter_mut() {
            let first = entry.joining == Joining::First;
            if first || (entry.joining == Joining::Changed && turn_begins) {
                entry.joining = Joining::Nothing;
                let instructions =
                    entry.remote.as_ref().filter(|_| first).and_then(|remote| remote.about().instructions);
                let instructions = instructions.map(|text| bounded(text.trim(), LONGEST_INSTRUCTIONS));
                let instructions = instructions.filter(|text| !text.is_empty());
                news.joined.push(Joined { server: entry.called.clone(), instructions });
                entry.taken = entry.tools.clone();
            }
        }
        if removed || !news.joined.is_empty() {
            news.tools = Some(entries.iter().flat_map(|entry| entry.taken.iter().cloned()).collect());
        }
        news
    }

    /// For the person, between turns.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.notices())
    }

    /// The servers there are, as rules name them.
    pub fn called(&self) -> Vec<String> {
        self.0.entries().iter().map(|entry| entry.called.clone()).collect()
    }

    /// End them all; nothing of them is left afterwards.
    pub async fn close(&self) {
        let mut entries = std::mem::take(&mut *self.0.entries());
        entries.iter_mut().for_each(Entry::stop);
        let remotes: Vec<_> = entries.iter_mut().filter_map(|entry| entry.remote.take()).collect();
        futures_util::future::join_all(remotes.iter().map(|remote| remote.close())).await;
        self.0.change();
    }

    fn may_start(&self, declared: &Declared) -> bool {
        !declared.scope.needs_agreement()
            || self.0.agreed.as_ref().is_some_and(|agreed| agreed.has(&declared.name, &declared.definition))
    }

    fn named(&self, name: &str) -> Result<(Declared, String), String> {
        let entries = self.0.entries();
        let found = entries.iter().find(|entry| entry.declared.name == name || entry.called == name);
        found
            .map(|entry| (entry.declared.clone(), entry.called.clone()))
            .ok_or_else(|| format!("there is no MCP server {:?}", bounded(name, 100)))
    }

    /// A place in the list; the name under which its tools will be known.
    fn place(&self, declared: Declared, transport: &'static str, target: &str, state: State) -> Result<String, String> {
        let shown = bounded(&declared.name, 100);
        let called = names::server(&declared.name)
            .ok_or_else(|| format!("{}: {shown:?} can't be the name of an MCP server", declared.file))?;
        let mut entries = self.0.entries();
        if let Some(other) = entries.iter().find(|entry| entry.called == called) {
            let other = bounded(&other.declared.name, 100);
            return Err(format!(
                "{}: the MCP server {shown:?} was left out: its name reads like {other:?}",
                declared.file
            ));
        }
        let target = bounded(target, 1_000);
        let own_timeout = Definition::parse(&declared.definition).ok().and_then(|definition| definition.timeout);
        let policy = match own_timeout {
            Some(call_timeout) => Arc::new(Policy { call_timeout, ..(*self.0.policy).clone() }),
            None => self.0.policy.clone(),
        };
        entries.push(Entry {
            declared,
            called: called.clone(),
            transport,
            target,
            state,
            remote: None,
            tools: Vec::new(),
            taken: Vec::new(),
            policy,
            notes: Vec::new(),
            task: None,
            joining: Joining::Nothing,
        });
        Ok(called)
    }

    /// Make its connection and run it.
    fn begin(&self, called: &str) {
        let Ok((declared, _)) = self.named(called) else { return };
        let variable = |name: &str| (self.0.variable)(declared.scope, name);
        // What a host or an editor passes may be meant as it is.
        let literal = declared.definition["literal"] == true;
        let made = Definition::parse(&declared.definition)
            .and_then(|definition| if literal { Ok(definition) } else { definition.expanded(&variable) });
        let made = made.map_err(|why| format!("{}: {why}", declared.file)).and_then(|definition| {
            match (&definition.reach, &self.0.connector) {
                (Reach::Sdk { .. }, _) => Err("it lives in a host, and no host brought it".into()),
                (_, None) => Err("this build has no MCP client".into()),
                (_, Some(connector)) => Ok(connector.connect(called, definition)),
            }
        });
        match made {
            Ok(remote) => self.run(called, remote),
            Err(why) => self.0.set(called, State::Failed(why)),
        }
    }

    fn run(&self, called: &str, remote: Arc<dyn Remote>) {
        let bell = Arc::new(Bell::default());
        remote.watch(bell.clone());
        let task = tokio::spawn(keep(Arc::downgrade(&self.0), called.to_string(), remote.clone(), bell));
        self.0.with(called, |entry| {
            entry.task = Some(task.abort_handle());
            entry.remote = Some(remote);
        });
    }
}

/// Lists a server's tools: at once, and whenever it says that they changed.
async fn keep(inner: Weak<Inner>, called: String, remote: Arc<dyn Remote>, bell: Arc<Bell>) {
    loop {
        let Some(limit) = inner.upgrade().map(|inner| inner.policy.connect_timeout) else { return };
        let listed = tokio::time::timeout(limit, remote.list_tools()).await;
        let gone = || Err(RemoteError::Gone(format!("it did not answer within {} seconds", limit.as_secs_f32())));
        let Some(servers) = inner.upgrade() else { return };
        servers.listed(&called, &remote, listed.unwrap_or_else(|_| gone()));
        drop(servers);
        loop {
            bell.wait().await;
            let Some(why) = bell.take_down() else { break };
            let Some(servers) = inner.upgrade() else { return };
            servers.set(&called, State::Failed(why));
        }
        tokio::time::sleep(PAUSE).await;
        bell.quiet();
    }
}

impl Inner {
    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn notices(&self) -> MutexGuard<'_, Vec<String>> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn notice(&self, text: String) {
        self.notices().push(text);
        self.news.notify_one();
    }
    fn change(&self) {
        self.changed.send_modify(|version| *version += 1);
    }

    fn with(&self, called: &str, work: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.entries().iter_mut().find(|entry| entry.called == called) {
            work(entry);
        }
        self.change();
    }

    /// A server that fails is told once, when it fails.
    fn set(&self, called: &str, state: State) {
        let why = match &state {
            State::Failed(why) | State::NeedsAuth(why) => Some(bounded(why, 1_000)),
            State::Pending | State::Connected | State::NeedsAgreement | State::Disabled => None,
        };
        self.with(called, |entry| entry.state = state);
        if let Some(why) = why {
            self.notice(format!("MCP server {called}: {why}"));
        }
    }

    fn listed(&self, called: &str, remote: &Arc<dyn Remote>, listed: Result<Vec<Value>, RemoteError>) {
        let listed = match listed {
            Ok(listed) => listed,
            Err(error @ RemoteError::NeedsAuth(_)) => return self.set(called, State::NeedsAuth(error.to_string())),
            Err(error) => return self.set(called, State::Failed(error.to_string())),
        };
        self.with(called, |entry| {
            let (tools, notes) = tools_of(called, &listed, remote, &entry.policy);
            let first = entry.tools.is_empty() && entry.joining == Joining::Nothing && entry.state == State::Pending;
            let same = specs(&entry.tools) == specs(&tools);
            entry.joining = match (entry.joining, first, same) {
                (Joining::First, ..) | (_, true, _) => Joining::First,
                (joining, false, true) => joining,
                (_, false, false) => Joining::Changed,
            };
            (entry.tools, entry.notes, entry.state) = (tools, notes, State::Connected);
        });
        self.news.notify_one();
    }
}

fn specs(tools: &[Arc<McpTool>]) -> Vec<(cutonce_core::request::ToolSpec, bool)> {
    tools.iter().map(|tool| (cutonce_tools::tool::AnyTool::spec(&**tool), tool.reads())).collect()
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.entries().iter_mut().for_each(Entry::stop);
    }
}

impl Entry {
    fn stop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }

    fn status(&self) -> Status {
        let about = self.remote.as_ref().map(|remote| remote.about()).unwrap_or_default();
        let words = |text: Option<String>| bounded(&text.unwrap_or_default(), 100);
        Status {
            name: bounded(&self.declared.name, 100),
            called: self.called.clone(),
            scope: self.declared.scope,
            transport: self.transport,
            target: self.target.clone(),
            state: self.state.clone(),
            server: about.name.map(|name| (words(Some(name)), words(about.version))),
            tools: self.tools.iter().map(|tool| tool.status()).collect(),
            notes: self.notes.iter().map(|note| bounded(note, 300)).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
