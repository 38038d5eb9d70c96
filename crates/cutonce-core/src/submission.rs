//! All that a face may send to a session (AG-1).

use crate::conversation::Image;
use crate::host::{FolderChange, HostAnswer, RuleChange};
use crate::mail::{Given, LeadMode, Message, PlanApprovalRequest, TeammateState};
use crate::mode::Mode;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone)]
pub enum Submission {
    /// The person's words. Sent while the agent works they are queued and join at the next request (AG-5).
    User {
        text: String,
        images: Vec<Image>,
    },
    /// A message with a program's conditions (HO-1). `verbatim`: nothing in it is looked up; `silent`: it joins the
    /// conversation and begins no turn.
    Composed {
        text: String,
        images: Vec<Image>,
        verbatim: bool,
        silent: bool,
    },
    /// The answer to an open ask; one that is not open any more changes nothing.
    Answer {
        ask_id: String,
        answer: Answer,
    },
    /// `/mode`, `/plan`, a host's set_permission_mode.
    SetMode {
        mode: Mode,
        by: By,
    },
    /// Shift+Tab (PM-11).
    CycleMode,
    /// `/plan …` or `/mode …` (PM-20 to PM-26). `editor`: what `/plan open` would use, if anything.
    Command {
        command: crate::command::Command,
        editor: Option<String>,
    },
    /// Implement this plan in a fresh conversation: whoever sends it has approved exactly this text.
    Implement {
        plan: String,
        path: String,
    },
    SetModel {
        model: String,
    },
    /// Stop the stream and the running tools at once (AG-4).
    Interrupt,
    /// Replace the conversation's beginning by a summary (AG-8). `told` hears when that is over; why it failed is a notice.
    Compact {
        focus: Option<String>,
        told: Option<Told>,
    },
    /// A command of the user's own (UI-9): words, with rules and a model that hold for their turn.
    Prompt {
        text: String,
        images: Vec<Image>,
        allow: Vec<String>,
        model: Option<String>,
        /// What of it the person said, where text of others came with it: in that nothing is looked up (HO-6). None: all of it.
        typed: Option<String>,
    },
    /// Start over with an empty conversation in the same session.
    Clear,
    /// A host changed the rules of the session (HO-1).
    ChangeRules(RuleChange),
    /// A host adds folders to the workspace, or takes added ones back (HO-1); for this session.
    ChangeFolders(FolderChange),
    /// Tokens the model may think from the next turn on, 0 for none; None: as the session was started (HO-1).
    SetThinking {
        budget: Option<u32>,
    },
    /// End one agent, or one command in the background, by its id (HO-1); `told` hears whether there was one.
    StopTask {
        id: String,
        told: Told,
    },
    /// Nothing by itself: tells its sender that all submitted before it was taken up.
    Mark(Mark),
    /// As a mark, told later: when all submitted before it is over. No message waits any more and no turn is on.
    Over(Mark),
    /// Something from the team (TM-1). A message in it is believed only as far as its seal goes.
    Team(TeamNews),
    /// Put files, conversation or both back to a point of `cutonce_agent::rewind` (SE-5); between turns only.
    Rewind {
        to: String,
        files: bool,
        conversation: bool,
    },
    /// No more submissions: finish what is queued, then end.
    Close,
    /// The person is gone, or sent away: what runs is stopped, what was queued begins nothing, and the session ends.
    Leave,
}

/// Called by the session when it comes to a [`Submission::Mark`]. What the submissions before it brought about at once is
/// told by then; a turn that they began still runs, and a message may still wait for hooks: [`Submission::Over`] waits for both.
#[derive(Clone)]
pub struct Mark(pub std::sync::Arc<dyn Fn() + Send + Sync>);

impl std::fmt::Debug for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mark")
    }
}

/// Called once with how a [`Submission`] that wants an answer went.
#[derive(Clone)]
pub struct Told(pub std::sync::Arc<dyn Fn(Result<(), String>) + Send + Sync>);

impl std::fmt::Debug for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Told")
    }
}

/// What comes to a session from its team.
#[derive(Debug, Clone)]
pub enum TeamNews {
    /// A message from the mailbox. `lead`: what the lead's modes allow now, for a teammate that can know it.
    Mail { message: Box<Message>, position: String, lead: Option<LeadMode> },
    /// An answer to a teammate's plan is in its mailbox: the request is settled (PM-132).
    Answered { request_id: String, from: String, by: Given, answer: Answer, approved: bool },
    /// It could not be sent: the request is open again.
    NotAnswered { request: Box<PlanApprovalRequest>, why: String },
    /// An answer to a teammate's call is in its mailbox, or could not be put there.
    PermissionAnswered { request_id: String, answer: Answer, sent: Result<(), String> },
    /// A teammate that this process started.
    State { name: String, state: TeammateState },
    /// There is a team now, or it has changed.
    Changed,
    /// Something that the person should know.
    Trouble { text: String },
}

/// Who changed something: it stands in the transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum By {
    User,
    Host,
    Model,
    /// Settings or flags at the start.
    Start,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Answer {
    /// To a permission ask.
    Permission(PermissionAnswer),
    /// To AskUserQuestion.
    Questions(QuestionsAnswer),
    /// To ExitPlanMode (PM-143). The ask's id in it must be the one that is answered.
    Plan(crate::approval::Answer),
    /// A host's, with what only hosts can say (HO-1).
    Host(HostAnswer),
    /// Something came back that is no answer: never counted as a yes (PM-80).
    Unusable { why: String },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "behavior", rename_all = "camelCase")]
pub enum PermissionAnswer {
    Allow {
        /// Rules to store, in the words of the ask's suggestion, and where.
        #[serde(default)]
        remember: Vec<Remember>,
    },
    Deny {
        /// What the model should do instead; empty for a plain no.
        #[serde(default)]
        message: String,
        /// End the turn as well.
        #[serde(default)]
        interrupt: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Remember {
    pub rule: String,
    pub where_to: RememberIn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RememberIn {
    Session,
    Local,
    Project,
    User,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum QuestionsAnswer {
    /// One answer per question, in order: chosen labels or the person's own words.
    Answered { answers: Vec<Vec<String>> },
    /// The person chose not to answer: a result of its own.
    Skipped,
}
