//! A session: one conversation with state, driven only by submissions, observed only through events (AG-1).
//!
//! [`Session`] is the handle. One task owns everything else: the `EventLoop` receives submissions and reports of tasks,
//! steps the turn machine of cutonce-core, and performs its effects on the `SessionState`:
//!
//! - `model_request`, `model_selection`, `compaction`, `mcp`: make a request ready, stream it, summarize
//! - `call_runner`, `asks`, `hooks`, `classifier`: perform the effects of the call machine
//! - `end_of_turn`, `pending_inputs`: what comes before a turn ends, and before it begins
//! - `plan`, `approval`, `subagents`, `team*`: plan mode, subagents, teams

mod approval;
mod approval_asks;
mod approvals_for_team;
mod asides;
mod asks;
mod call_runner;
mod changes_outside;
mod classifier;
mod compaction;
mod contract_work;
mod conversation;
mod elicitations;
mod end_of_turn;
mod event_loop;
mod events;
mod hooks;
mod host_answers;
mod mcp;
mod model_request;
mod model_selection;
mod parts;
mod pending_inputs;
mod plan;
mod plan_budget;
mod plan_for_team;
mod plan_freshness;
mod plan_question;
mod plan_rehearsal;
mod plan_switch;
mod plan_tools;
mod plan_with_lead;
mod review_answers;
mod review_quorum;
mod rewind;
mod state;
mod structured;
mod subagents;
mod tasks;
mod team;
mod turn_overrides;
mod usage;
mod user_context;

pub(crate) use classifier::{AutoSource, ClassifierContext};
pub(crate) use contract_work::ImplementationWork;
pub(crate) use events::SessionEvent;
pub use parts::{Approver, Connect, Connected};
pub(crate) use parts::{
    MainRole, SessionHistory, SessionParts, SessionRole, SharedContext, may_name_tool, offered_specs,
};
pub(crate) use plan::Planner;
pub(crate) use plan_tools::plan_tools;
use plan_tools::planning_tools;
pub(crate) use team::TeamStart;

use crate::event_hub::{EventHub, EventStream};
use crate::hooks::HookSet;
use cutonce_core::protocol::submission::Submission;
use cutonce_core::subagent::AgentCatalog;
use cutonce_models::ModelError;
use state::{SessionContext, SessionState};
use std::sync::Arc;
use tokio::sync::mpsc;

/// A handle to a running session. The session closes when all handles are dropped.
#[derive(Clone)]
pub struct Session {
    id: Arc<str>,
    inbox: mpsc::UnboundedSender<Submission>,
    hub: Arc<EventHub>,
    hooks: Arc<HookSet>,
    mcp: crate::mcp::McpServers,
    agents: Arc<AgentCatalog>,
    transcript: Arc<std::path::Path>,
    home: Arc<std::path::Path>,
    connect: Arc<dyn Connect>,
    /// The rules at the start.
    rules: Arc<cutonce_core::permission::rules::RuleSet>,
}

/// Sends submissions to a session without keeping it open.
#[derive(Clone)]
pub struct SessionInbox(mpsc::WeakUnboundedSender<Submission>);

impl SessionInbox {
    /// Sends a submission. A closed session ignores it.
    pub fn submit(&self, submission: Submission) {
        if let Some(inbox) = self.0.upgrade() {
            let _ = inbox.send(submission);
        }
    }
}

impl Session {
    /// Access for others than the front end; it does not keep the session open.
    pub fn inbox(&self) -> SessionInbox {
        SessionInbox(self.inbox.downgrade())
    }
    /// The id of the session and of its transcript.
    pub fn id(&self) -> &str {
        &self.id
    }
    /// The path of the transcript; the file exists from its first entry on.
    pub fn transcript(&self) -> &std::path::Path {
        &self.transcript
    }
    /// The cutonce home.
    pub fn home(&self) -> &std::path::Path {
        &self.home
    }
    /// Sends a submission. Never blocks; a closed session ignores it.
    pub fn submit(&self, submission: Submission) {
        let _ = self.inbox.send(submission);
    }
    /// Sends a message of the user.
    pub fn say(&self, text: impl Into<String>) {
        self.submit(Submission::User { text: text.into(), images: Vec::new() });
    }
    /// The session's hooks (HO-7); a host may add its own.
    pub fn hooks(&self) -> &HookSet {
        &self.hooks
    }
    /// The session's MCP servers: state, resources, prompts, and agreement to those of a project (HO-6).
    pub fn mcp(&self) -> &crate::mcp::McpServers {
        &self.mcp
    }
    /// The subagents that it can start, for `/agents`: see `agents::files::list`.
    pub fn agents(&self) -> &AgentCatalog {
        &self.agents
    }
    /// The rules that the session started with: a tool that they deny entirely is not offered (HO-1).
    pub fn first_rules(&self) -> Arc<cutonce_core::permission::rules::RuleSet> {
        self.rules.clone()
    }
    /// Checks that a model of this name could answer: its provider is known and there is a key. Returns the name that
    /// the provider knows. Sends no request.
    pub async fn can_use(&self, model: &str) -> Result<String, ModelError> {
        let mut choice = cutonce_core::settings::ModelSettings::default();
        choice.set_main_model(model);
        let connected = self.connect.connect(choice.main.as_deref().unwrap_or(model)).await;
        connected.map(|connected| connected.model.name().to_string())
    }
    /// Asks the provider of the model which models it serves (DU-5).
    pub async fn provider_models(&self, like: &str) -> Result<Vec<String>, ModelError> {
        self.connect.list_models(like).await
    }
    /// Subscribes to events: open asks first, then everything that follows.
    pub fn events(&self) -> EventStream {
        self.hub.subscribe()
    }
    /// Like [`Session::events`], without text that still streams: for listeners that may be slow.
    pub fn events_without_live_text(&self) -> EventStream {
        self.hub.subscribe_without_live_text()
    }
}
