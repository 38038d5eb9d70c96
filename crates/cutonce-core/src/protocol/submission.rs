//! Everything a front end may send to a session (AG-1).

use crate::conversation::Image;
use crate::mode::Mode;
use crate::plan::command::ModeCommand;
use crate::protocol::answerer::Answerer;
use crate::protocol::host::{FolderChange, HostAnswer, RuleChange};
use crate::protocol::review_request::ReviewerAnswer;
use crate::team::{AnsweredBy, LeadMode, TeamMessage, TeamRequest, TeamResponse, TeammateState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

#[derive(Debug, Clone)]
pub enum Submission {
    /// A user message. While the agent works, it is queued until the next request (AG-5).
    User {
        text: String,
        images: Vec<Image>,
    },
    /// A message from a host (HO-1). `verbatim`: do not expand anything in it; `silent`: add it to the
    /// conversation without starting a turn.
    HostMessage {
        text: String,
        images: Vec<Image>,
        verbatim: bool,
        silent: bool,
    },
    /// The answer to an open ask; no effect if the ask is closed.
    Answer {
        ask_id: String,
        answer: AskAnswer,
    },
    /// An answer from outside of the process (RV-3); `on_done` gets whether it was taken, or why not.
    AnswerFrom {
        answer: Box<ReviewerAnswer>,
        by: Answerer,
        on_done: OnDone,
    },
    /// The members of the remote that approve the plan that waits; `plan.quorum` says how many must (FL-2). It
    /// replaces an earlier list: a member that was locked out approves nothing.
    PlanVotes {
        ask_id: String,
        members: BTreeSet<String>,
    },
    /// The user closed the review of this session's plan and decides later (PM-80): the turn ends, the plan waits.
    PostponePlan {
        ask_id: String,
    },
    /// Rehearse the plan that waits for an answer, or end a rehearsal (RH-1). `on_done` gets the order's result; a
    /// rehearsal itself reports events.
    Rehearse {
        order: crate::plan::rehearsal::RehearsalOrder,
        on_done: Option<OnDone>,
    },
    /// `/mode`, `/plan`, a host's set_permission_mode.
    SetMode {
        mode: Mode,
        by: ChangedBy,
    },
    /// A host's answer to an ask names a mode (HO-1). No effect in plan mode: only [`Submission::SetMode`] and the
    /// answer to ExitPlanMode end it (PM-61, PM-80).
    SetModeByAnswer {
        mode: Mode,
    },
    /// Shift+Tab (PM-11).
    CycleMode,
    /// `/plan …` or `/mode …` (PM-20 to PM-26).
    Command {
        command: ModeCommand,
        /// The editor for `/plan open`, if any.
        editor: Option<String>,
        attached: TaskAttachments,
    },
    /// Implement this plan in a new conversation; the sender has approved exactly this text.
    Implement(ImplementRequest),
    SetModel {
        model: String,
    },
    /// `/effort`: how much the model thinks, from the next turn on; `None` restores the start value (DU-5).
    SetEffort {
        effort: Option<crate::model_request::Effort>,
    },
    /// `/btw`: asks the model outside of the conversation; the answer is an aside (DU-5).
    SideQuestion {
        question: String,
    },
    /// `/review`: a fresh agent reviews the working tree; its report is an aside (DU-5).
    ReviewChanges {
        focus: String,
    },
    /// `/context`: reports what fills the context window, as an aside (DU-5).
    DescribeContext,
    /// What a `!` line printed in the user's own shell; the model sees it with the next request (DU-8).
    ShellOutput {
        line: String,
        output: String,
    },
    /// Ctrl+B: commands that run in the foreground continue in the background (DU-7).
    Background,
    /// Take the last queued message back (DU-4); nothing happens if none waits.
    Unqueue,
    /// Stop the stream and the running tools at once (AG-4).
    Interrupt,
    /// Replace the beginning of the conversation with a summary (AG-8). `on_done` is called when it is done;
    /// the reason of a failure is a notice.
    Compact {
        focus: Option<String>,
        on_done: Option<OnDone>,
    },
    /// A custom command of the user (UI-9): text, with rules and a model for its turn.
    CustomCommand {
        text: String,
        images: Vec<Image>,
        allow: Vec<String>,
        model: Option<String>,
        /// The part that the user typed, if other text came with it; only this part is expanded (HO-6).
        /// `None`: all of it.
        typed: Option<String>,
    },
    /// Restart with an empty conversation in the same session.
    Clear,
    /// A host changed the rules of the session (HO-1).
    ChangeRules(RuleChange),
    /// A host adds or removes workspace folders for this session (HO-1).
    ChangeFolders(FolderChange),
    /// Thinking budget in tokens from the next turn on; 0 turns it off, `None` restores the start value
    /// (HO-1).
    SetThinking {
        budget: Option<u32>,
    },
    /// Stop an agent or a background command by id (HO-1); `on_done` is called with whether it existed.
    StopTask {
        id: String,
        on_done: OnDone,
    },
    /// Calls back when all earlier submissions have been received.
    WhenFlushed(Flushed),
    /// Calls back when all earlier submissions are done: no message is queued and no turn is running.
    WhenIdle(Flushed),
    /// An update from the team (TM-1). A message in it is trusted only as far as its seal allows.
    Team(TeamUpdate),
    /// Rewind files, conversation or both to a point of `cutonce_agent::storage::rewind` (SE-5); only between turns.
    Rewind {
        to: String,
        files: bool,
        conversation: bool,
    },
    /// No more submissions: finish queued work, then end.
    Close,
    /// Shut down: stop running work, drop queued messages, and end the session.
    Shutdown,
}

impl Submission {
    /// `/plan` or `/mode` with nothing attached.
    pub fn mode_command(command: ModeCommand) -> Submission {
        Submission::Command { command, editor: None, attached: TaskAttachments::default() }
    }
}

/// What came with the task of `/plan TASK`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskAttachments {
    pub images: Vec<Image>,
    /// The part that the user typed, if other text came with it; only this part is expanded (HO-6).
    pub typed: Option<String>,
}

/// A plan that is approved outside of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImplementRequest {
    pub text: String,
    pub path: String,
    /// Name and number of the revision, unless the plan is a file of the user.
    pub revision: Option<(String, u32)>,
    /// Hashes of the files that the plan names, from when it was read; no hash if there was no file (PC-13).
    pub stamp: std::collections::BTreeMap<String, Option<String>>,
}

/// Callback of [`Submission::WhenFlushed`]. Direct effects of earlier submissions have been reported by then;
/// a turn may still run and a message may still wait for hooks. [`Submission::WhenIdle`] waits for both.
#[derive(Clone)]
pub struct Flushed(pub std::sync::Arc<dyn Fn() + Send + Sync>);

impl std::fmt::Debug for Flushed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mark")
    }
}

/// Callback with the result of a [`Submission`], called at most once.
#[derive(Clone)]
pub struct OnDone(pub std::sync::Arc<dyn Fn(Result<(), String>) + Send + Sync>);

impl std::fmt::Debug for OnDone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Told")
    }
}

/// An update from the team to a session.
#[derive(Debug, Clone)]
pub enum TeamUpdate {
    /// A message from the mailbox. `lead`: what the lead can grant now, if the teammate knows it.
    Mail { message: Box<TeamMessage>, position: String, lead: Option<LeadMode> },
    /// The answer to a teammate's request is in its mailbox, so the request is closed (PM-132); or why it is not, and
    /// the request is open again.
    Answered {
        request: Box<TeamRequest>,
        by: AnsweredBy,
        response: Box<TeamResponse>,
        answer: Box<AskAnswer>,
        sent: Result<(), String>,
    },
    /// New state of a teammate that this process started.
    State { name: String, state: TeammateState },
    /// The team was created or has changed.
    Changed,
    /// A problem to report to the user.
    Problem { text: String },
}

/// The author of a change, recorded in the transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangedBy {
    User,
    Host,
    Model,
    /// Settings or flags at start.
    Start,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum AskAnswer {
    /// Answer to a permission ask.
    Permission(PermissionAnswer),
    /// Answer to AskUserQuestion.
    Questions(QuestionsAnswer),
    /// Answer to ExitPlanMode (PM-143). The ask id in it must match the answered ask.
    Plan(crate::plan::approval::PlanAnswer),
    /// A host's answer, with host-only options (HO-1).
    Host(HostAnswer),
    /// An unusable answer; never treated as an approval (PM-80).
    Unusable { why: String },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "behavior", rename_all = "camelCase")]
pub enum PermissionAnswer {
    Allow {
        /// Suggested rules to store, and where.
        #[serde(default)]
        remember: Vec<RememberedRule>,
    },
    Deny {
        /// Message for the model; empty for a plain denial.
        #[serde(default)]
        message: String,
        /// Also end the turn.
        #[serde(default)]
        interrupt: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RememberedRule {
    pub rule: String,
    pub where_to: RuleDestination,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RuleDestination {
    Session,
    Local,
    Project,
    User,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum QuestionsAnswer {
    /// One answer per question, in order: chosen labels or the user's own text.
    Answered { answers: Vec<Vec<String>> },
    /// The user chose not to answer.
    Skipped,
}
