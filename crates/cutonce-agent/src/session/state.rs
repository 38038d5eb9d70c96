//! The state of a session, grouped by purpose. Only the event loop's task touches it.

use super::Planner;
use super::asks::Asks;
use super::call_runner::CallBatch;
use super::classifier::Classifier;
use super::conversation::Conversation;
use super::events::SessionEvent;
use super::hooks::HookState;
use super::mcp::McpState;
use super::model_selection::SessionModels;
use super::parts::{Approver, Connected, SharedContext};
use super::structured::Corrections;
use super::tasks::Tasks;
use super::team::SessionTeam;
use super::turn_overrides::ActiveOverrides;
use super::usage::SessionUsage;
use crate::config::instructions::InstructionLoader;
use crate::event_hub::EventHub;
use crate::storage::{EphemeralStore, TranscriptStore};
use crate::subagent::{LiveMode, SubagentIdentity, SubagentSpawner};
use cutonce_core::mode;
use cutonce_core::permission::rules::RuleSet;
use cutonce_core::protocol::event::{EndReason, EventKind, NoticeLevel};
use cutonce_core::protocol::submission::Flushed;
use cutonce_core::transcript::EntryBody;
use cutonce_core::turn::{Turn, TurnEvent};
use cutonce_tools::env::ToolEnv;
use cutonce_tools::tool::AnyTool;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

/// What stays the same for the whole session.
pub(super) struct SessionContext {
    pub id: Arc<str>,
    pub hub: Arc<EventHub>,
    /// Settings and services that the session shares with its subagents.
    pub shared: Arc<SharedContext>,
    /// Workspace, disk, shells: what tools work with.
    pub env: Arc<ToolEnv>,
    pub approver: Approver,
    pub max_budget: Option<f64>,
    /// Starts subagents, if this session may.
    pub agents: Option<Arc<SubagentSpawner>>,
    /// Mode and rules that the session shares with its subagents (PM-64).
    pub standing: Arc<LiveMode>,
}

/// All mutable state of a session.
pub(super) struct SessionState {
    pub context: Arc<SessionContext>,
    pub conversation: Conversation,
    pub turn: Turn,
    /// Turn events that the turn machine has not seen yet.
    pub pending: VecDeque<TurnEvent>,
    pub mode: mode::ModeState,
    pub permissions: Permissions,
    pub planner: Planner,
    pub transcript: TranscriptWriter,
    pub model: ModelState,
    pub tools: ToolState,
    pub calls: CallBatch,
    pub asks: Asks,
    pub tasks: Tasks,
    pub hooks: HookState,
    pub classifier: Classifier,
    pub team: Option<SessionTeam>,
    /// Set if this session is a subagent's.
    pub subagent: Option<SubagentIdentity>,
    pub memory: Memory,
    pub closing: Closing,
    /// Where tasks report to.
    pub events: mpsc::UnboundedSender<SessionEvent>,
}

/// Rules, and what a custom command adds to them for one turn.
pub(super) struct Permissions {
    pub rules: RuleSet,
    /// How many of the shared rules are in `rules` already.
    pub shared_known: usize,
    pub overrides: ActiveOverrides,
}

/// The transcript file.
pub(super) struct TranscriptWriter {
    pub store: TranscriptStore,
    /// Why the last entry is not on disk. While it is set, no tool may change anything.
    pub unwritten: Option<String>,
    /// Why an entry of this turn is not on disk: the turn must not end as a success.
    pub lost: Option<String>,
}

/// Which model answers, and what it used.
pub(super) struct ModelState {
    pub connected: Connected,
    pub selection: SessionModels,
    pub usage: SessionUsage,
    pub corrections: Corrections,
}

/// The tools that are offered.
pub(super) struct ToolState {
    pub by_name: BTreeMap<String, Arc<dyn AnyTool>>,
    pub mcp: McpState,
    pub instructions: InstructionLoader,
}

/// What joins later requests and survives a compaction (AG-8).
#[derive(Default)]
pub(super) struct Memory {
    /// Reminders that join the next request: kind and text.
    pub reminders: Vec<(String, String)>,
    pub user_messages: Vec<String>,
    /// Files in work, latest last.
    pub files: Vec<PathBuf>,
}

/// How and when the session ends.
pub(super) struct Closing {
    /// No more submissions will come: end when idle.
    pub requested: bool,
    /// End without waiting for teammates that work (DU-1).
    pub now: bool,
    pub inbox_open: bool,
    /// Callbacks that wait until everything submitted before them is finished.
    pub when_idle: Vec<Flushed>,
    /// The folder of a session that leaves nothing on disk (HO-1).
    pub ephemeral: Option<EphemeralStore>,
}

impl Closing {
    pub fn new(ephemeral: Option<EphemeralStore>) -> Self {
        Self { requested: false, now: false, inbox_open: true, when_idle: Vec::new(), ephemeral }
    }
}

impl SessionState {
    /// Writes an entry before anything is shown as done (SE-1). If that fails, the turn ends: what is not on disk must
    /// not be claimed.
    pub fn append(&mut self, body: EntryBody) -> String {
        match self.transcript.store.append(body) {
            Ok(entry) => {
                self.transcript.unwritten = None;
                entry.id
            }
            Err(error) => {
                let message = format!("The transcript can't be written: {error}");
                self.notice(NoticeLevel::Error, &message);
                self.transcript.unwritten = Some(message.clone());
                self.transcript.lost = Some(message.clone());
                self.pending.push_back(TurnEvent::EndRequested(EndReason::Failed { message, status: None }));
                String::new()
            }
        }
    }

    /// Ends the turn with the current batch. The machine sees this before the result of the call that asked for it, so
    /// later calls are skipped and no further request is made.
    pub fn end_with_batch(&mut self, reason: EndReason) {
        self.pending.push_front(TurnEvent::EndRequested(reason));
    }

    pub fn sync(&mut self) -> bool {
        match self.transcript.store.sync() {
            Ok(()) => true,
            Err(error) => {
                let message = format!("The transcript can't be written to disk: {error}");
                self.notice(NoticeLevel::Error, &message);
                self.transcript.lost = Some(message);
                false
            }
        }
    }

    pub fn emit(&self, event: EventKind) {
        self.context.hub.emit(event);
    }

    /// Shows a notice. Warnings and errors are in the log, too (DU-9).
    pub fn notice(&self, level: NoticeLevel, text: &str) {
        let redacted = || self.context.shared.redactor.redact(text);
        match level {
            NoticeLevel::Error => tracing::error!("{}", redacted()),
            NoticeLevel::Warning => tracing::warn!("{}", redacted()),
            NoticeLevel::Info => {}
        }
        self.emit(EventKind::Notice { level, text: text.to_string() });
    }
}
