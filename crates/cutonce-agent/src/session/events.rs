//! Everything that tasks of a session report. One channel carries it to the event loop.

use super::approval::{CheckedPlan, PlanPresentation};
use super::call_runner::{CallRef, CallReport};
use super::parts::Connected;
use super::plan_rehearsal::RehearsalReport;
use super::plan_with_lead::TeamReport;
use crate::subagent::SubagentReport;
use cutonce_core::conversation::ModelResponse;
use cutonce_core::hooks::{HookAnswer, HookEvent};
use cutonce_core::plan::approval;
use cutonce_core::plan::progress::Evidence;
use cutonce_core::protocol::event::AgentRef;
use cutonce_core::protocol::usage_totals::UsageTotals;
use cutonce_models::ModelError;
use cutonce_tools::shell::changes::OutsideChanges;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// A report of a task.
pub(crate) enum SessionEvent {
    /// The task of the current request, compaction or end of turn. An id that is not the current one is ignored.
    Task { id: u64, result: TaskResult },
    /// A call made progress. A reference to an earlier batch is ignored.
    Call { call: CallRef, report: Box<CallReport> },
    /// A command changed files outside the approved plan; the user decides whether they are applied (PC-21).
    ChangedOutside { call: CallRef, changes: OutsideChanges, reply: oneshot::Sender<bool> },
    /// An MCP server asks the user (DU-10).
    Elicitation(crate::mcp::elicitation::ElicitationNews),
    /// News of a rehearsal (RH-1).
    Rehearsal { id: String, report: Box<RehearsalReport> },
    /// The workspace was compared and the plan was read for a submission (PM-87, PC-6).
    PlanChecked { call: Option<CallRef>, checked: CheckedPlan, draft: Option<Box<approval::PlanAnswer>> },
    /// PlanSubmitted hooks answered; `None` after an interrupt.
    PlanHooked { call: Option<CallRef>, plan: Box<PlanPresentation>, reply: Option<HookAnswer> },
    /// The hooks of the pending input with this id answered.
    InputHooked { id: u64, reply: HookAnswer },
    /// Hooks ran that nothing waits for.
    HooksNotified { event: HookEvent, reply: HookAnswer },
    /// Plan approval between teammate and lead.
    Team(TeamReport),
    /// A file changed or a check ran while an approved plan is implemented (PC-30).
    Evidence(Evidence),
    /// The user added a file to the approved plan, in the ask of a subagent (PC-24).
    ScopeExtended(String),
    /// The model answered a side question (DU-5).
    AsideAnswered { question: String, response: Result<ModelResponse, ModelError> },
    /// A request outside the turn, or a call, used this (DU-3).
    Used(UsageTotals),
    /// A subagent started.
    AgentStarted(Arc<AgentRef>),
    /// A subagent ended (SA-1).
    AgentEnded(Box<SubagentReport>),
}

/// What the session's current task did.
pub(crate) enum TaskResult {
    /// A model for the next request was connected.
    ModelConnected { name: String, connected: Result<Connected, ModelError> },
    /// Another request of the session or its subagents is done, or the plan's budget changed.
    BudgetChanged,
    /// The first request need not wait for MCP servers any longer.
    ServersReady,
    /// A mention in a message was resolved.
    MentionRead { mention: String, text: Result<String, crate::mcp::McpError> },
    /// The model answered, or failed for good.
    Answered { response: Result<ModelResponse, ModelError>, took: Duration },
    /// A fallback model was connected.
    FallbackConnected { name: String, connected: Result<Connected, ModelError>, failed: ModelError },
    /// Stop or SubagentStop hooks answered.
    StopHooked { event: HookEvent, reply: HookAnswer },
    /// PreCompact hooks answered.
    CompactHooked(HookAnswer),
    /// The model wrote the summary.
    Summarized(Result<ModelResponse, ModelError>),
    /// The task panicked.
    Panicked,
}
