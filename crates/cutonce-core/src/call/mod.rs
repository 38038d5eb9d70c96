//! The call machine: the way of one tool call from its parsed input to its result (AG-3, PR-3, PM-16, HO-7).
//!
//! ```text
//! Parsed → PreHook → Deciding → Classifying → PermissionHook → Asking → Deciding → Running → PostHook → Done
//! ```
//!
//! A call skips what it does not need. Every denial goes to `Done`; only a decision of [`crate::permission`] goes to
//! `Running`. A yes that was given for another mode goes back to `Deciding`. Nothing here waits, reads or writes:
//! the session performs the effects and reports back.

use crate::classifier::ClassifierVerdict;
use crate::hooks::{HookAnswer, HookEvent, HookPermission};
use crate::mode::Mode;
use crate::permission::{Access, AllowedCall, AskCause, CallFacts, Decision, DeniedCall, PermissionAsk, Why};
use crate::protocol::event::EndReason;
use crate::protocol::submission::QuestionsAnswer;

/// Where a call is. A yes is bound to the mode in which it was asked for.
#[derive(Debug)]
pub enum CallState {
    /// The input was read; the call waits for its turn in the batch.
    Parsed,
    /// PreToolUse hooks run.
    PreHook { mode: Mode },
    /// The session decides under the current mode.
    Deciding { opinion: HookOpinion, approved: Option<String>, hook_asked: bool },
    /// The classifier of auto mode runs (PM-120).
    Classifying { mode: Mode, ask: Box<PermissionAsk>, hook_asked: bool },
    /// PermissionRequest hooks run.
    PermissionHook { mode: Mode, ask: Box<PermissionAsk> },
    /// A user or host is asked.
    Asking { mode: Mode, question: AskSubject },
    /// The tool runs, or the session carries out a plan tool.
    Running,
    /// PostToolUse hooks run; the outcome is known.
    PostHook,
    /// The result is recorded.
    Done,
}

/// What a user is asked about.
#[derive(Debug)]
pub enum AskSubject {
    /// Whether the call may run.
    Permission(Box<PermissionAsk>),
    /// The questions of AskUserQuestion; the call itself is allowed.
    Questions(AllowedCall),
}

/// The permission that PreToolUse hooks want for the next decision.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookOpinion {
    pub permission: Option<HookPermission>,
    pub reason: String,
}

/// How the session performs an allowed call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallRole {
    Tool,
    /// AskUserQuestion: the user's answers come first.
    Questions,
    /// EnterPlanMode and ExitPlanMode: the session performs them itself.
    SessionTool,
}

/// The mode and the call's access at this moment. `access` is an error if the call can't be made any more.
#[derive(Debug, Clone)]
pub struct CallNow {
    pub mode: Mode,
    pub access: Result<Access, String>,
}

/// The result of a [`CallEffect::Decide`].
#[derive(Debug)]
pub struct Decided {
    pub mode: Mode,
    pub facts: CallFacts,
    pub decision: Decision,
    pub role: CallRole,
    /// The classifier may answer an open ask.
    pub classifier_on: bool,
    /// The call would fail whatever is decided: no question is needed.
    pub precheck: Option<String>,
}

/// Who refused a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    User {
        message: String,
    },
    /// The message reaches the model word for word; empty for a plain no.
    Host {
        message: String,
    },
    /// No front end can ask anyone.
    NoApprover,
    /// The answer can't be used as one (PM-80).
    Unusable,
}

#[derive(Debug)]
pub enum CallEvent {
    Start {
        mode: Mode,
    },
    /// The turn ended before this call.
    Skipped,
    PreHooked {
        mode: Mode,
        reply: Box<HookAnswer>,
    },
    Decided(Box<Decided>),
    Classified {
        now: CallNow,
        /// Auto mode is still active.
        classifier_on: bool,
        verdict: ClassifierVerdict,
    },
    PermissionHooked {
        now: CallNow,
        reply: Box<HookAnswer>,
        /// The hook changed the input along with its yes.
        input_changed: bool,
    },
    /// A user or host said yes to the call as it was shown.
    Approved {
        now: CallNow,
        by: &'static str,
    },
    /// A host said yes to another input.
    ApprovedChanged {
        now: CallNow,
        by: &'static str,
    },
    Refused {
        by: Refusal,
        end_turn: bool,
    },
    QuestionsAnswered(QuestionsAnswer),
    /// The tool returned; the session keeps its outcome.
    Ran,
    PostHooked {
        /// A hook ends the turn, with its reason.
        stop: Option<String>,
        event: HookEvent,
    },
    /// The session carried out a plan tool, or answered the call itself.
    Completed,
    /// A plan tool was not approved.
    Denied(DeniedCall),
    /// The call can't be made: bad input, an unknown tool, a file that is gone.
    Failed(String),
    Interrupted,
    /// No approver is left to answer the open ask.
    Withdrawn {
        reason: String,
    },
}

#[derive(Debug)]
pub enum CallEffect {
    RunPreHook,
    /// Decide under the current mode; the one place that reaches `permission::decide`.
    Decide,
    Classify,
    RunPermissionHook,
    /// Open an ask for the [`AskSubject`].
    OpenAsk,
    Run {
        allowed: AllowedCall,
        answers: Option<QuestionsAnswer>,
    },
    /// Perform the call of a [`CallRole::SessionTool`].
    RunInSession {
        why: Why,
    },
    RunPostHook,
    /// End the turn with this batch; `notice` is for the user.
    EndTurn {
        reason: EndReason,
        notice: Option<String>,
    },
    /// Record the result. Comes exactly once for each call.
    Finish(CallResult),
}

#[derive(Debug)]
pub enum CallResult {
    /// The outcome that the session kept.
    Outcome,
    /// An error before anything was decided.
    Failed(String),
    Denied(DeniedCall),
}

impl CallState {
    /// True while the questions of AskUserQuestion are open.
    pub fn asks_questions(&self) -> bool {
        matches!(self, CallState::Asking { question: AskSubject::Questions(_), .. })
    }
}

impl CallEvent {
    /// An answer came that can't be used as one: no permission follows from it (PM-80).
    pub fn unusable_answer() -> CallEvent {
        let message = "Not run: the answer to the question could not be used.".into();
        CallEvent::Denied(DeniedCall { why: Why::from_reason("the answer could not be used"), message })
    }
}

type Step = (CallState, Vec<CallEffect>);

/// One step of a call. Events that do not belong to the state change nothing.
pub fn step(state: CallState, event: CallEvent) -> Step {
    if mode_changed(&state, &event) {
        return back_to_deciding(state, event);
    }
    match (state, event) {
        (CallState::Done, _) => (CallState::Done, vec![]),
        (_, CallEvent::Failed(text)) => done(CallResult::Failed(text)),
        (CallState::Parsed, CallEvent::Start { mode }) => (CallState::PreHook { mode }, vec![CallEffect::RunPreHook]),
        (CallState::PreHook { mode }, CallEvent::PreHooked { mode: now, reply }) => pre_hooked(mode == now, *reply),
        (CallState::Deciding { opinion, approved, hook_asked }, CallEvent::Decided(decided)) => {
            decide(*decided, &opinion, approved, hook_asked)
        }
        (CallState::Classifying { mode, ask, hook_asked }, CallEvent::Classified { now, verdict, .. }) => {
            classified(mode, *ask, hook_asked, now, verdict)
        }
        (CallState::PermissionHook { mode, ask }, CallEvent::PermissionHooked { now, reply, input_changed }) => {
            permission_hooked(mode, ask, now, *reply, input_changed)
        }
        (CallState::Asking { mode, question }, event) => answered(mode, question, event),
        (CallState::Running, CallEvent::Ran) => (CallState::PostHook, vec![CallEffect::RunPostHook]),
        (CallState::Parsed | CallState::Running, CallEvent::Completed) => done(CallResult::Outcome),
        (CallState::Running, CallEvent::Denied(denied)) => deny(denied),
        (CallState::PostHook, CallEvent::PostHooked { stop, event }) => post_hooked(stop, event),
        // The work is done: an interrupt ends the hook, not the result.
        (CallState::PostHook, CallEvent::Interrupted) => done(CallResult::Outcome),
        // A running tool stops by itself and reports what it did.
        (CallState::Running, CallEvent::Interrupted) => (CallState::Running, vec![]),
        (CallState::Parsed, CallEvent::Skipped) => deny(DeniedCall {
            why: Why::from_reason("the turn ended before it"),
            message: "Not run: the turn was ended before this call.".into(),
        }),
        (
            CallState::PreHook { .. }
            | CallState::Deciding { .. }
            | CallState::Classifying { .. }
            | CallState::PermissionHook { .. },
            CallEvent::Interrupted,
        ) => deny(DeniedCall {
            why: Why::from_reason("the user interrupted"),
            message: "Not run: the user interrupted before it was allowed.".into(),
        }),
        (state, _) => (state, vec![]),
    }
}

/// True if a classifier, hook, user or host answered a question of another mode.
fn mode_changed(state: &CallState, event: &CallEvent) -> bool {
    match (state, event) {
        (CallState::Classifying { mode, .. }, CallEvent::Classified { now, classifier_on, .. }) => {
            now.mode != *mode || !classifier_on
        }
        (CallState::PermissionHook { mode, .. }, CallEvent::PermissionHooked { now, reply, .. }) => {
            now.mode != *mode && refused_by_hook(HookEvent::PermissionRequest, reply).is_none()
        }
        (
            CallState::Asking { mode, question: AskSubject::Permission(_) },
            CallEvent::Approved { now, .. } | CallEvent::ApprovedChanged { now, .. },
        ) => now.mode != *mode,
        _ => false,
    }
}

/// PM-16, PM-61: an approval that was given for another mode leads back to the decision. A user or host that answers
/// after the change is not asked twice, except in plan mode.
fn back_to_deciding(state: CallState, event: CallEvent) -> Step {
    match (state, event) {
        (CallState::Classifying { hook_asked, .. }, _) => deciding(HookOpinion::default(), None, hook_asked),
        (CallState::PermissionHook { ask, .. }, _) => deciding(guard_opinion(&ask), None, true),
        (CallState::Asking { question: AskSubject::Permission(ask), .. }, CallEvent::Approved { now, by }) => {
            let same = now.access.is_ok_and(|access| access == ask.facts.access);
            let approved = (!now.mode.is_read_only() && same).then(|| ask.describe_answer(by));
            deciding(HookOpinion::default(), approved, true)
        }
        (CallState::Asking { .. }, CallEvent::ApprovedChanged { now, by }) => {
            deciding(HookOpinion::default(), (!now.mode.is_read_only()).then(|| by.into()), true)
        }
        (state, _) => (state, vec![]),
    }
}

fn deciding(opinion: HookOpinion, approved: Option<String>, hook_asked: bool) -> Step {
    (CallState::Deciding { opinion, approved, hook_asked }, vec![CallEffect::Decide])
}

fn done(result: CallResult) -> Step {
    (CallState::Done, vec![CallEffect::Finish(result)])
}

fn deny(denied: DeniedCall) -> Step {
    done(CallResult::Denied(denied))
}

fn run(allowed: AllowedCall, answers: Option<QuestionsAnswer>) -> Step {
    (CallState::Running, vec![CallEffect::Run { allowed, answers }])
}

fn pre_hooked(same_mode: bool, reply: HookAnswer) -> Step {
    if let Some(refused) = refused_by_hook(HookEvent::PreToolUse, &reply) {
        return refused;
    }
    let permission = reply.permission.filter(|wanted| same_mode || *wanted != HookPermission::Allow);
    deciding(HookOpinion { permission, reason: reply.reason }, None, false)
}

/// The end of a call that a hook refuses, alone or with the whole turn.
fn refused_by_hook(event: HookEvent, reply: &HookAnswer) -> Option<Step> {
    if let Some(reason) = &reply.stop {
        let denied = DeniedCall {
            why: Why::from_reason(format!("a hook ended the turn: {reason}")),
            message: format!("Not run: a hook ended the turn: {reason}"),
        };
        let effects = vec![hook_ends_turn(event, reason), CallEffect::Finish(CallResult::Denied(denied))];
        return Some((CallState::Done, effects));
    }
    if reply.permission != Some(HookPermission::Deny) {
        return None;
    }
    let reason = if reply.reason.is_empty() { "it gave no reason" } else { &reply.reason };
    Some(deny(DeniedCall {
        why: Why::from_reason(format!("a hook denied it: {reason}")),
        message: format!("The user's hook blocked this call: {reason}"),
    }))
}

fn hook_ends_turn(event: HookEvent, reason: &str) -> CallEffect {
    let notice = Some(format!("A {} hook ended the turn: {reason}", event.name()));
    CallEffect::EndTurn { reason: EndReason::Completed, notice }
}

/// A hook that wants a user to be asked keeps that wish when the call is decided again.
fn guard_opinion(ask: &PermissionAsk) -> HookOpinion {
    match ask.cause {
        AskCause::Hook => HookOpinion { permission: Some(HookPermission::Ask), reason: ask.why.reason.clone() },
        AskCause::Mode
        | AskCause::Rule
        | AskCause::ProtectedPath
        | AskCause::SecretRead
        | AskCause::UnknownWrites
        | AskCause::OutOfScope
        | AskCause::Classifier(_) => HookOpinion::default(),
    }
}

fn decide(decided: Decided, opinion: &HookOpinion, approved: Option<String>, hook_asked: bool) -> Step {
    let Decided { mode, facts, decision, role, classifier_on, precheck } = decided;
    match (with_opinion(decision, mode, opinion, facts, role), approved) {
        (Decision::Deny(denied), _) => deny(denied),
        (Decision::Allow(allowed), approved) => match role {
            CallRole::SessionTool => (CallState::Running, vec![CallEffect::RunInSession { why: allowed.why }]),
            CallRole::Questions => {
                let question = AskSubject::Questions(allowed);
                (CallState::Asking { mode, question }, vec![CallEffect::OpenAsk])
            }
            // The record names the yes, even if a rule that came with it would do.
            CallRole::Tool => run(AllowedCall { why: approved.map_or(allowed.why, Why::from_reason), ..allowed }, None),
        },
        (Decision::Ask(_), _) if precheck.is_some() => done(CallResult::Failed(precheck.unwrap_or_default())),
        (Decision::Ask(ask), Some(reason)) => run(ask.approve(reason), None),
        (Decision::Ask(ask), None) if classifier_on && ask.may_answer_automatically() => {
            (CallState::Classifying { mode, ask, hook_asked }, vec![CallEffect::Classify])
        }
        (Decision::Ask(ask), None) => ask_approver(mode, ask, hook_asked),
    }
}

/// Applies the wish of a PreToolUse hook: it can turn a permission into an ask, and answer an open ask, no more. Tools
/// of the session and questions ask a user anyway.
fn with_opinion(decision: Decision, mode: Mode, opinion: &HookOpinion, facts: CallFacts, role: CallRole) -> Decision {
    let asks_anyway = role != CallRole::Tool;
    match opinion.permission {
        Some(HookPermission::Allow) => decision.apply_hook_allow(mode, &opinion.reason),
        Some(HookPermission::Ask) if !asks_anyway => decision.require_user(facts, &opinion.reason),
        Some(HookPermission::Ask | HookPermission::Deny) | None => decision,
    }
}

/// PermissionRequest hooks come first, once for each call; then a user or host.
fn ask_approver(mode: Mode, ask: Box<PermissionAsk>, hook_asked: bool) -> Step {
    if hook_asked {
        let question = AskSubject::Permission(ask);
        return (CallState::Asking { mode, question }, vec![CallEffect::OpenAsk]);
    }
    (CallState::PermissionHook { mode, ask }, vec![CallEffect::RunPermissionHook])
}

fn classified(mode: Mode, ask: PermissionAsk, hook_asked: bool, now: CallNow, verdict: ClassifierVerdict) -> Step {
    match verdict {
        ClassifierVerdict::Allow(reason) => {
            match unchanged(ask, now.access).map(|ask| AllowedCall::from_classifier(ask, &reason)) {
                Ok(Ok(allowed)) => run(allowed, None),
                Ok(Err(ask)) => ask_approver(mode, ask, hook_asked),
                Err(text) => done(CallResult::Failed(text)),
            }
        }
        ClassifierVerdict::Ask(reason) => ask_approver(mode, Box::new(ask.escalate_to_user(&reason)), hook_asked),
        ClassifierVerdict::Deny(reason) => {
            let message = format!(
                "Auto mode denied this {} call: {reason}. Do not try to get there another way: continue without it, or tell the user what you need it for.",
                ask.facts.tool
            );
            deny(DeniedCall { why: Why { reason: format!("auto mode: denied: {reason}"), ..ask.why }, message })
        }
    }
}

/// A hook's yes answers what only the mode asks, and nothing in plan mode (PM-61).
fn permission_hooked(
    mode: Mode,
    ask: Box<PermissionAsk>,
    now: CallNow,
    reply: HookAnswer,
    input_changed: bool,
) -> Step {
    if let Some(refused) = refused_by_hook(HookEvent::PermissionRequest, &reply) {
        return refused;
    }
    if input_changed {
        let guard = guard_opinion(&ask);
        let wanted = HookOpinion { permission: reply.permission, reason: reply.reason };
        return deciding(if guard.permission.is_some() { guard } else { wanted }, None, true);
    }
    if reply.permission != Some(HookPermission::Allow) {
        return ask_approver(mode, ask, true);
    }
    match unchanged(*ask, now.access) {
        Err(text) => done(CallResult::Failed(text)),
        Ok(ask) => match Decision::Ask(Box::new(ask)).apply_hook_allow(mode, &reply.reason) {
            Decision::Allow(allowed) => run(allowed, None),
            Decision::Ask(ask) => ask_approver(mode, ask, true),
            Decision::Deny(denied) => deny(denied),
        },
    }
}

/// PR-6: what was approved is what runs. A path that resolves elsewhere now is not what the approver saw.
fn unchanged(ask: PermissionAsk, now: Result<Access, String>) -> Result<PermissionAsk, String> {
    if ask.facts.access == now? {
        return Ok(ask);
    }
    Err("Not run: what this call would touch changed while it waited for permission. Look again, then call it again."
        .into())
}

/// An event while an ask is open.
fn answered(mode: Mode, question: AskSubject, event: CallEvent) -> Step {
    match (question, event) {
        (AskSubject::Permission(ask), CallEvent::Approved { now, by }) => match unchanged(*ask, now.access) {
            Ok(ask) => deciding(HookOpinion::default(), Some(ask.describe_answer(by)), true),
            Err(text) => done(CallResult::Failed(text)),
        },
        (AskSubject::Permission(_), CallEvent::ApprovedChanged { by, .. }) => {
            deciding(HookOpinion::default(), Some(by.into()), true)
        }
        (AskSubject::Questions(allowed), CallEvent::QuestionsAnswered(answers)) => run(allowed, Some(answers)),
        (question, CallEvent::Refused { by, end_turn }) => {
            let mut effects = vec![CallEffect::Finish(refused(question, by))];
            if end_turn {
                let reason = EndReason::Interrupted { in_tools: true };
                effects.insert(0, CallEffect::EndTurn { reason, notice: None });
            }
            (CallState::Done, effects)
        }
        (question, CallEvent::Interrupted) => withdrawn(&question, "the user interrupted"),
        (question, CallEvent::Withdrawn { reason }) => withdrawn(&question, &reason),
        (question, _) => (CallState::Asking { mode, question }, vec![]),
    }
}

fn withdrawn(question: &AskSubject, reason: &str) -> Step {
    let message = match question {
        AskSubject::Permission(_) => format!("Not run: {reason} before it was allowed."),
        AskSubject::Questions(_) => format!("Not answered: {reason}."),
    };
    deny(DeniedCall { why: Why::from_reason(reason), message })
}

const NO_APPROVER: &str = "Not allowed: it needs the user's permission, and this session can't ask. Continue without it, or tell the user which rule (--allowedTools) would allow it.";
/// No rule lifts these.
const NO_APPROVER_FOR_PROTECTED: &str = "Not allowed: it writes to a protected place, which only the user can allow, and this session can't ask. Continue without it, or tell the user what you would have changed.";
const NO_APPROVER_OUT_OF_SCOPE: &str = "Not allowed: the file is outside the approved plan, which only the user can extend, and this session can't ask. Follow the plan, or tell the user what you would have changed.";
const NO_ONE_TO_ASK: &str = "This session can't ask the user. Decide yourself and say what you assumed.";

fn refused(question: AskSubject, by: Refusal) -> CallResult {
    let denied =
        |reason: &str, message: String| CallResult::Denied(DeniedCall { why: Why::from_reason(reason), message });
    match (question, by) {
        (AskSubject::Questions(_), Refusal::NoApprover) => CallResult::Failed(NO_ONE_TO_ASK.into()),
        (AskSubject::Permission(ask), Refusal::NoApprover) => {
            let message = match ask.cause {
                AskCause::ProtectedPath => NO_APPROVER_FOR_PROTECTED,
                AskCause::OutOfScope => NO_APPROVER_OUT_OF_SCOPE,
                _ => NO_APPROVER,
            };
            let why = Why { reason: format!("{}; this session can't ask", ask.why.reason), ..ask.why };
            CallResult::Denied(DeniedCall { why, message: message.into() })
        }
        (AskSubject::Permission(ask), Refusal::User { message }) => {
            let who = ask.describe_answer("the user refused it");
            CallResult::Denied(ask.deny(who, &message))
        }
        (_, Refusal::User { message } | Refusal::Host { message }) => {
            let message = Some(message).filter(|text| !text.trim().is_empty());
            denied("the host refused it", message.unwrap_or_else(|| "The user refused this call.".into()))
        }
        (_, Refusal::Unusable) => {
            denied("the answer could not be used", "Not run: the answer to the question could not be used.".into())
        }
    }
}

fn post_hooked(stop: Option<String>, event: HookEvent) -> Step {
    let ends = stop.map(|reason| hook_ends_turn(event, &reason));
    (CallState::Done, ends.into_iter().chain([CallEffect::Finish(CallResult::Outcome)]).collect())
}

#[cfg(test)]
mod tests;
