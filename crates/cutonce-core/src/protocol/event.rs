//! Everything a front end may see of a session (AG-1). Whatever an event reports as done is already on disk
//! (SE-1).

use crate::conversation::{ContentBlock, Image, ResultPart, StopReason, TokenUsage};
use crate::mode::Mode;
use crate::permission::rules::RuleBehavior;
use crate::permission::{AskCause, RuleSuggestion, Why};
use crate::plan::approval;
use crate::plan::contract::PlanContract;
use crate::plan::report::PlanReport;
use crate::plan::{LiveStep, PlanEvent};
use crate::protocol::answerer::Answerer;
use crate::protocol::submission::{AskAnswer, ChangedBy};
use crate::protocol::usage_totals::UsageTotals;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct Event {
    pub session: Arc<str>,
    /// Milliseconds since 1970.
    pub at: u64,
    pub kind: EventKind,
}

#[derive(Debug, Clone)]
pub enum EventKind {
    /// The session is open; `resumed` is the number of restored messages.
    Opened {
        model: String,
        mode: Mode,
        tools: Vec<String>,
        resumed: usize,
        /// What earlier processes of this session used (DU-3), and the tokens of the restored conversation.
        totals: UsageTotals,
        context: u64,
    },
    /// A user message was written to the transcript (immediately, or when a queued one is sent).
    User {
        id: String,
        text: String,
        /// Made by the program, not by the user.
        meta: bool,
    },
    /// The message is queued for the next request (AG-5).
    Queued {
        text: String,
    },
    /// The user took a queued message back; it is not sent (DU-4).
    Unqueued {
        text: String,
        images: Vec<Image>,
    },
    TurnStarted,
    /// A request was sent to the model.
    Requesting {
        model: String,
    },
    /// A piece of the answer that is still streaming.
    Delta(AnswerDelta),
    /// What the provider has counted of the request that runs (DU-3).
    RequestUsage(TokenUsage),
    /// The provider has said nothing for so long (MO-3).
    Waiting {
        host: String,
        seconds: u64,
    },
    /// The request failed and will be retried; discard its deltas (MO-3).
    Retry {
        attempt: u32,
        max: u32,
        delay_ms: u64,
        status: Option<u16>,
        reason: String,
    },
    /// The complete answer.
    Assistant {
        id: String,
        model: String,
        blocks: Arc<[ContentBlock]>,
        usage: TokenUsage,
        stop: StopReason,
    },
    ToolStarted {
        call_id: String,
        name: String,
        summary: String,
    },
    /// Output of a running tool, for display only.
    ToolOutput {
        call_id: String,
        text: String,
    },
    ToolFinished(Arc<FinishedCall>),
    /// The turn waits for an answer of the user or host.
    Ask(Arc<AskView>),
    /// The ask is closed: answered, or withdrawn (`None`).
    AskClosed {
        ask_id: String,
        answer: Option<AskAnswer>,
        /// Who answered; `None` if the ask was withdrawn.
        by: Option<Answerer>,
    },
    ModeChanged {
        from: Mode,
        to: Mode,
        by: ChangedBy,
    },
    ModelChanged {
        model: String,
    },
    Todos(Vec<TodoItem>),
    /// The steps that are being implemented, whenever one changes; empty when the implementation ends (PC-32).
    Steps(Vec<LiveStep>),
    /// The life of a plan (PM-143).
    Plan(PlanEvent),
    /// `/plan`: show the plan under the heading «Current Plan» (PM-24).
    CurrentPlan {
        path: String,
        plan: String,
        hint: Option<String>,
    },
    /// Markdown for the user that is not part of the conversation: the answer of `/btw`, `/review` or `/context`
    /// (DU-5).
    Aside {
        heading: String,
        text: String,
    },
    /// Last output line of a background command, for display only (UI-14).
    TaskOutput {
        id: String,
        line: String,
    },
    /// A background command has ended, for whatever reason (UI-8).
    TaskEnded {
        id: String,
    },
    /// `/plan open`: the front end opens an editor and reports the result (PM-25).
    OpenPlan {
        path: String,
    },
    Compacted {
        before: u64,
        after: u64,
        automatic: bool,
        /// Cost of the session so far in dollars, including the summary.
        cost: f64,
    },
    Cleared,
    /// A subagent started, made progress, sent an event or ended (SA-1).
    Agent(AgentEvent),
    /// The team and what its members do (TM-1).
    Team(TeamEvent),
    /// Notice for the user that is not a failure of the turn.
    Notice {
        level: NoticeLevel,
        text: String,
    },
    TurnEnded(TurnSummary),
    /// The session is over; this is the last event.
    Closed,
}

impl EventKind {
    /// A piece of text that still streams, for display only: an answer, or the output of a command.
    pub fn is_live_text(&self) -> bool {
        matches!(self, EventKind::Delta(_) | EventKind::ToolOutput { .. } | EventKind::TaskOutput { .. })
    }
}

/// Team events for front ends. Requests of teammates come as asks with `request.from` set (PM-134).
#[derive(Debug, Clone, PartialEq)]
pub enum TeamEvent {
    /// All current teammates; empty if there is no team any more.
    Roster { team: String, members: Vec<Teammate> },
    /// A message was sent between members.
    Message { from: String, to: String, text: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Teammate {
    pub name: String,
    pub state: crate::team::TeammateState,
    /// True if it runs in its own process.
    pub own_process: bool,
    #[serde(rename = "planModeRequired")]
    pub planning_required: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AnswerDelta {
    Text(String),
    Thinking(String),
    /// Signature of the thinking, if the provider sends one, for hosts.
    Signature(String),
    /// Start of a tool call.
    Call {
        /// The provider's id; empty if it sends none or sends it later.
        id: String,
        name: String,
    },
    /// A piece of the call's input.
    CallInput {
        json: String,
    },
}

#[derive(Debug, Clone)]
pub struct FinishedCall {
    pub call_id: String,
    pub name: String,
    pub input: Value,
    pub content: Vec<ResultPart>,
    pub is_error: bool,
    pub decision: DecisionRecord,
    pub duration_ms: u64,
    /// Data for display (a diff, counts); never sent to the model.
    pub display: Option<Value>,
}

/// The permission decision as stored in the transcript (SE-6).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionRecord {
    pub behavior: RuleBehavior,
    #[serde(flatten)]
    pub why: Why,
}

/// Identifies a subagent in events, asks and the transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentRef {
    pub id: String,
    /// The agent's kind, for example `Explore`.
    pub name: String,
    /// The call that started it: a host's parent_tool_use_id.
    pub call_id: String,
    /// The subagent that started it; `None` for the session itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<crate::subagent::AgentColor>,
}

/// Activity of a subagent. Its asks come as asks of the session, with `agent` set.
#[derive(Debug, Clone)]
pub struct AgentEvent {
    pub agent: Arc<AgentRef>,
    pub activity: AgentActivity,
}

#[derive(Debug, Clone)]
pub enum AgentActivity {
    /// The agent is running.
    Started(AgentStart),
    /// Current activity, sent at each call and each answer.
    Progress(AgentProgress),
    /// An event of its own session: task, answers, calls, results, notices, mode and plan events; no deltas.
    Emitted(Arc<EventKind>),
    Ended(AgentEnd),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentStart {
    /// The model's description of the task, three to five words.
    pub description: String,
    pub model: String,
    pub background: bool,
    /// True if it resumes an earlier conversation.
    pub resumed: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentProgress {
    /// Current call, for example `Read src/lib.rs`; empty while the model answers.
    pub current_call: String,
    /// Number of calls so far.
    pub tools: u32,
    /// Tokens so far, in and out.
    pub tokens: u64,
    pub elapsed_ms: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AgentEnd {
    pub outcome: AgentOutcome,
    /// The last message: the result.
    pub text: String,
    pub tools: u32,
    pub usage: TokenUsage,
    /// Added to those of the session that started it.
    pub totals: UsageTotals,
    pub elapsed_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentOutcome {
    Done,
    /// Stopped by the user or the end of the session; it can be resumed.
    Stopped,
    /// The error and its cause.
    Failed(String),
}

#[derive(Debug, Clone)]
pub struct AskView {
    /// The subagent that asks; `None` for the session itself.
    pub agent: Option<Arc<AgentRef>>,
    pub ask_id: String,
    pub call_id: String,
    pub tool: String,
    pub input: Value,
    pub kind: AskKind,
}

impl AskView {
    /// Describes the asking agent or teammate; `None` for the session itself.
    pub fn describe_asker(&self) -> Option<String> {
        let teammate = match &self.kind {
            AskKind::Permission { from, .. } => from.as_ref(),
            AskKind::Plan { request, .. } => request.from.as_ref(),
            AskKind::Questions(_) | AskKind::EnterPlan => None,
        };
        match (&self.agent, teammate) {
            (None, None) => None,
            (Some(agent), None) => Some(format!("the {} agent", agent.name)),
            (None, Some(name)) => Some(format!("the teammate {name}")),
            (Some(agent), Some(name)) => Some(format!("the {} agent of the teammate {name}", agent.name)),
        }
    }

    /// What would run or change: the tool's preview, else the fields of its input, one per line.
    pub fn request_text(&self) -> String {
        match (&self.kind, &self.input) {
            (AskKind::Permission { preview: Some(preview), .. }, _) => preview.clone(),
            (_, serde_json::Value::Object(fields)) => fields.iter().map(field_line).collect::<Vec<_>>().join("\n"),
            (_, other) => other.to_string(),
        }
    }

    /// What the tool wants to do, after "wants to": run, change, create, read, fetch.
    pub fn verb(&self) -> &'static str {
        match self.tool.as_str() {
            "Edit" | "Write" if self.creates_file() => "create",
            "Edit" | "Write" | "NotebookEdit" => "change",
            "Read" | "Glob" | "Grep" => "read",
            "WebFetch" => "fetch",
            "WebSearch" => "search",
            _ => "run",
        }
    }

    /// True if the preview is the diff of a new file (DU-6).
    fn creates_file(&self) -> bool {
        matches!(&self.kind, AskKind::Permission { preview: Some(diff), .. } if diff.starts_with("--- /dev/null\n"))
    }
}

fn field_line((name, value): (&String, &serde_json::Value)) -> String {
    match value {
        serde_json::Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other}"),
    }
}

#[derive(Debug, Clone)]
pub enum AskKind {
    Permission {
        /// The rule, mode or hook that requires the ask.
        by: AskCause,
        why: Why,
        suggestions: Vec<RuleSuggestion>,
        preview: Option<String>,
        /// The teammate that asks; the answer is sent through the mailbox (TM-1).
        from: Option<String>,
    },
    Questions(Vec<Question>),
    /// EnterPlanMode, if the settings require an ask (PM-4).
    EnterPlan,
    /// ExitPlanMode. `previous`: the text of the last submission, for the diff; `draft`: the user's
    /// unfinished answer if the plan changed meanwhile (PM-84).
    Plan {
        request: Box<approval::PlanExitRequest>,
        previous: Option<String>,
        draft: Option<approval::PlanAnswer>,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The whole question, ending with a question mark.
    pub question: String,
    /// A label of at most 12 characters.
    pub header: String,
    /// Two to four.
    pub options: Vec<QuestionOption>,
    #[serde(default, rename = "multiSelect")]
    pub multi_select: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionOption {
    /// One to five words.
    pub label: String,
    /// Meaning of this choice.
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TodoItem {
    /// The task in imperative form: "Run the tests".
    pub content: String,
    pub status: TodoStatus,
    /// Form to show while it is being done: "Running the tests".
    #[serde(rename = "activeForm")]
    pub active_form: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    Pending,
    InProgress,
    Completed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoticeLevel {
    Info,
    Warning,
    Error,
}

/// The plan file when a turn ended in plan mode.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanAtEnd {
    pub path: String,
    pub slug: String,
    pub content: crate::plan::PlanContent,
    /// What the program understood of it (PC-4).
    pub contract: Option<PlanContract>,
}

impl TurnSummary {
    /// A turn that ended for this reason, without any request.
    pub fn new(reason: EndReason) -> TurnSummary {
        TurnSummary {
            reason,
            stop: None,
            text: String::new(),
            usage: TokenUsage::default(),
            requests: 0,
            tool_results: 0,
            duration_ms: 0,
            api_ms: 0,
            totals: UsageTotals::default(),
            plan: None,
            report: None,
        }
    }
}

/// Summary of a finished turn.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnSummary {
    pub reason: EndReason,
    /// Stop reason of the model's last answer in this turn, if any.
    pub stop: Option<StopReason>,
    /// Last text of the model in this turn.
    pub text: String,
    pub usage: TokenUsage,
    /// Number of answered requests in this turn.
    pub requests: u32,
    pub tool_results: u32,
    pub duration_ms: u64,
    pub api_ms: u64,
    /// What the session used so far, with earlier processes and subagents (DU-3).
    pub totals: UsageTotals,
    /// The plan, if the turn ended in plan mode (PM-76).
    pub plan: Option<PlanAtEnd>,
    /// The state of the plan that the turn implemented (PC-35).
    pub report: Option<Box<PlanReport>>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum EndReason {
    Completed,
    Interrupted {
        in_tools: bool,
    },
    MaxTurns(u32),
    MaxBudget,
    /// The provider failed permanently; `message` has its error and what to do.
    Failed {
        message: String,
        status: Option<u16>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_5_asks_show_fields_instead_of_json() {
        let mut ask = AskView {
            agent: None,
            ask_id: "a".into(),
            call_id: "c".into(),
            tool: "WebFetch".into(),
            input: serde_json::json!({"prompt": "What is \"new\"?", "url": "https://example.com/a", "n": [1, 2]}),
            kind: AskKind::EnterPlan,
        };
        let wanted = ["n: [1,2]", "prompt: What is \"new\"?", "url: https://example.com/a"].join("\n");
        let mut lines: Vec<String> = ask.request_text().lines().map(str::to_string).collect();
        lines.sort();
        assert_eq!((lines.join("\n"), ask.verb()), (wanted, "fetch"));
        (ask.tool, ask.input) = ("Bash".into(), serde_json::json!(7));
        assert_eq!((ask.request_text().as_str(), ask.verb()), ("7", "run"));
    }
}
