//! All that a face may see of a session (AG-1). What an event reports as done is on disk already (SE-1).

use crate::approval;
use crate::conversation::{Block, ResultPart, Stop, Usage};
use crate::mode::Mode;
use crate::permission::{AskedBy, Suggestion, Why};
use crate::plan::PlanEvent;
use crate::rule::Behavior;
use crate::submission::{Answer, By};
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
    /// The session is open; `resumed` counts the messages it came back with.
    Opened {
        model: String,
        mode: Mode,
        tools: Vec<String>,
        resumed: usize,
    },
    /// A message of the person is in the transcript (at once, or when a queued one joins).
    User {
        id: String,
        text: String,
        /// Made by the program: not the person's words.
        meta: bool,
    },
    /// The message waits for the next request (AG-5).
    Queued {
        text: String,
    },
    TurnStarted,
    /// A request left for the model.
    Requesting {
        model: String,
    },
    /// A piece of the answer that still grows.
    Delta(Delta),
    /// The request failed and will be sent again; what its deltas showed is void (MO-3).
    Retry {
        attempt: u32,
        max: u32,
        delay_ms: u64,
        status: Option<u16>,
        reason: String,
    },
    /// The whole answer.
    Assistant {
        id: String,
        model: String,
        blocks: Arc<[Block]>,
        usage: Usage,
        stop: Stop,
    },
    ToolStarted {
        call_id: String,
        name: String,
        summary: String,
    },
    /// Output of a running tool, for the eye only.
    ToolOutput {
        call_id: String,
        text: String,
    },
    ToolFinished(Arc<Finished>),
    /// Somebody has to answer; the turn waits.
    Ask(Arc<AskView>),
    /// The ask is closed: answered, or withdrawn (None).
    AskClosed {
        ask_id: String,
        answer: Option<Answer>,
    },
    ModeChanged {
        from: Mode,
        to: Mode,
        by: By,
    },
    ModelChanged {
        model: String,
    },
    Todos(Vec<Todo>),
    /// The life of a plan (PM-143).
    Plan(PlanEvent),
    /// `/plan`: show the plan under the heading «Current Plan» (PM-24).
    CurrentPlan {
        path: String,
        plan: String,
        hint: Option<String>,
    },
    /// What a command in the background printed last, for the eye only (UI-14).
    TaskOutput {
        id: String,
        line: String,
    },
    /// A command in the background has ended, whoever ended it (UI-8).
    TaskEnded {
        id: String,
    },
    /// `/plan open`: the face opens an editor and says how it went (PM-25).
    OpenPlan {
        path: String,
    },
    Compacted {
        before: u64,
        after: u64,
        automatic: bool,
        /// Dollars the session has spent so far, the summary included.
        cost: f64,
    },
    Cleared,
    /// A subagent started, works, speaks or has ended (SA-1).
    Agent(AgentEvent),
    /// The team and what its members do (TM-1).
    Team(TeamEvent),
    /// For the person: something to know that is no failure of the turn.
    Notice {
        level: Level,
        text: String,
    },
    TurnEnded(Ended),
    /// The session is over; nothing comes after this.
    Closed,
}

/// What a face shows of a team. Requests of teammates come as asks with `request.from` set (PM-134).
#[derive(Debug, Clone, PartialEq)]
pub enum TeamEvent {
    /// All teammates as of now; empty: there is no team any more.
    Roster { team: String, members: Vec<Teammate> },
    /// A message went from one to another.
    Message { from: String, to: String, text: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Teammate {
    pub name: String,
    pub state: crate::mail::TeammateState,
    /// It runs in a process of its own.
    pub own_process: bool,
    pub plan_mode_required: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    Text(String),
    Thinking(String),
    /// The seal of what was thought, where a provider gives one: for hosts.
    Signature(String),
    /// A tool call begins to arrive.
    Call {
        /// As the provider named it; empty where it does not, or does later.
        id: String,
        name: String,
    },
    /// Bytes of its input arrived.
    CallInput {
        json: String,
    },
}

#[derive(Debug, Clone)]
pub struct Finished {
    pub call_id: String,
    pub name: String,
    pub input: Value,
    pub content: Vec<ResultPart>,
    pub is_error: bool,
    pub decision: DecisionRecord,
    pub duration_ms: u64,
    /// What a face needs to show it well (a diff, counts); never sent to the model.
    pub display: Option<Value>,
}

/// The decision as the transcript keeps it (SE-6).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionRecord {
    pub behavior: Behavior,
    #[serde(flatten)]
    pub why: Why,
}

/// Which subagent: in events, asks and the transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentRef {
    pub id: String,
    /// Its kind: `Explore`.
    pub name: String,
    /// The call that started it: a host's parent_tool_use_id.
    pub call_id: String,
    /// The subagent that started it; None: the session itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<crate::agent::Color>,
}

/// Something a subagent does. Its asks come as asks of the session, with `agent` set.
#[derive(Debug, Clone)]
pub struct AgentEvent {
    pub agent: Arc<AgentRef>,
    pub what: AgentDoes,
}

#[derive(Debug, Clone)]
pub enum AgentDoes {
    /// It runs from now on.
    Started(AgentStart),
    /// What it does now: at each call and each answer.
    Progress(AgentProgress),
    /// An event of its own session: its task, answers, calls, results, notices, mode and plan events; no deltas.
    Says(Arc<EventKind>),
    Ended(AgentEnd),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentStart {
    /// Three to five words of the model about the task.
    pub description: String,
    pub model: String,
    pub background: bool,
    /// It goes on with an earlier conversation of its own.
    pub resumed: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentProgress {
    /// `Read src/lib.rs`; empty while the model answers.
    pub doing: String,
    /// Calls so far.
    pub tools: u32,
    /// Tokens so far, in and out.
    pub tokens: u64,
    pub elapsed_ms: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AgentEnd {
    pub how: AgentHow,
    /// Its last words: the result.
    pub text: String,
    pub tools: u32,
    pub usage: Usage,
    /// Dollars, where prices are known; counted into the session that started it.
    pub cost: f64,
    pub elapsed_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentHow {
    Done,
    /// The person or the end of the session stopped it; it can be resumed.
    Stopped,
    /// What failed, and why.
    Failed(String),
}

#[derive(Debug, Clone)]
pub struct AskView {
    /// The subagent that asks; None: the session itself.
    pub agent: Option<Arc<AgentRef>>,
    pub ask_id: String,
    pub call_id: String,
    pub tool: String,
    pub input: Value,
    pub kind: AskKind,
}

impl AskView {
    /// Who asks, in words, where it is not the session itself.
    pub fn asker(&self) -> Option<String> {
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
}

#[derive(Debug, Clone)]
pub enum AskKind {
    Permission {
        /// Who wants it asked.
        by: AskedBy,
        why: Why,
        suggestions: Vec<Suggestion>,
        preview: Option<String>,
        /// The teammate that asks; its answer goes back through the mailbox (TM-1).
        from: Option<String>,
    },
    Questions(Vec<Question>),
    /// EnterPlanMode, where the settings say that it asks (PM-4).
    EnterPlan,
    /// ExitPlanMode. `previous`: the text of the last submission, for the diff; `draft`: what the person had written when
    /// the plan changed under them (PM-84).
    Plan {
        request: Box<approval::Request>,
        previous: Option<String>,
        draft: Option<approval::Answer>,
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
    pub options: Vec<Choice>,
    #[serde(default, rename = "multiSelect")]
    pub multi_select: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// One to five words.
    pub label: String,
    /// What choosing it means.
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Todo {
    /// What to do, as an order: "Run the tests".
    pub content: String,
    pub status: TodoStatus,
    /// The same while it is being done: "Running the tests".
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
pub enum Level {
    Info,
    Warning,
    Error,
}

/// The plan file when a turn ended in plan mode.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanAtEnd {
    pub path: String,
    pub slug: String,
    pub found: crate::plan::Found,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    pub reason: EndReason,
    /// How the model's last answer in this turn ended, if there was one.
    pub stop: Option<Stop>,
    /// The last text of the model in this turn.
    pub text: String,
    pub usage: Usage,
    /// Requests that were answered in this turn.
    pub requests: u32,
    pub tool_results: u32,
    pub duration_ms: u64,
    pub api_ms: u64,
    /// Dollars the session has spent so far, where prices are known.
    pub cost: f64,
    /// The plan, if the turn ended in plan mode (PM-76).
    pub plan: Option<PlanAtEnd>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum EndReason {
    Completed,
    Interrupted {
        in_tools: bool,
    },
    MaxTurns(u32),
    MaxBudget,
    /// The provider failed for good; its own words, and what to do.
    Failed {
        message: String,
        status: Option<u16>,
    },
}
