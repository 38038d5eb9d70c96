//! Tool calls: each is parsed, states what it touches, is decided under the mode as of now, runs with its rights,
//! and gets exactly one result (AG-3, AG-6, PR-3). The one call site of the permission decision is here.

use super::auto::Judged;
use super::hooks::{Hooked, as_hooks_say};
use super::options::Approver;
use super::{Driver, Hall};
use crate::agents::Ending;
use cutonce_core::approval;
use cutonce_core::conversation::{ResultPart, ToolInput, ToolResult, ToolUse};
use cutonce_core::event::{AgentRef, DecisionRecord, EventKind, Finished};
use cutonce_core::hook::{Permission, Reply};
use cutonce_core::permission::{self, Access, Allowed, Ask, AskedBy, Decision, Denied, Facts, Why};
use cutonce_core::plan;
use cutonce_core::rule::Behavior;
use cutonce_core::settings::plan::Entry;
use cutonce_core::submission::QuestionsAnswer;
use cutonce_core::transcript::Body;
use cutonce_core::turn::{CallKind, Happened};
use cutonce_tools::tool::{Call, CallContext, Outcome};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// The calls of one answer.
#[derive(Default)]
pub(super) struct Batch {
    slots: Vec<Slot>,
    cancel: CancellationToken,
    /// A compaction the turn machine asked for: focus, automatic.
    pub compaction: Option<(Option<String>, bool)>,
    /// Who waits for it to be over.
    pub compaction_told: Option<cutonce_core::submission::Told>,
    /// The entry of the answer that made the calls.
    pub answer: String,
}

struct Slot {
    id: String,
    name: String,
    input: Value,
    parsed: Option<Result<Box<dyn Call>, String>>,
    decision: DecisionRecord,
    result: Option<ToolResult>,
    touched: Vec<PathBuf>,
    /// Hooks were told that somebody is to be asked about it.
    announced: bool,
}

/// What work beside the session reports.
pub(crate) enum Report {
    /// A call is over.
    Done {
        n: usize,
        outcome: Outcome,
        took: Duration,
    },
    /// A plan between teammate and lead.
    Team(super::team_plan::TeamReport),
    /// An agent runs now; one has ended (SA-1).
    AgentStarted(Arc<AgentRef>),
    AgentEnded(Box<Ending>),
    /// The workspace was looked at for a submission (PM-87).
    PlanChecked {
        n: Option<usize>,
        changed: Vec<String>,
        draft: Option<Box<approval::Answer>>,
    },
    /// Hooks were asked (HO-7).
    Hooked(Box<Hooked>),
    /// The classifier was asked (PM-120).
    Judged(Box<Judged>),
}

/// How long a call that was told to stop may take to say what it had done.
const STOP_GRACE: Duration = Duration::from_secs(2);

impl Batch {
    /// The results, in the order of the calls; the batch is empty afterwards.
    pub(crate) fn take_results(&mut self) -> Vec<ToolResult> {
        std::mem::take(&mut self.slots).into_iter().filter_map(|slot| slot.result).collect()
    }
}

impl Driver {
    /// Lay out the calls of an answer; nothing runs yet.
    pub(super) fn lay_out(&mut self, calls: Vec<ToolUse>) -> Vec<CallKind> {
        self.note_moment(&calls);
        let hall = &mut self.hall;
        hall.batch.cancel = CancellationToken::new();
        hall.batch.slots = calls.into_iter().map(|call| hall.slot(call)).collect();
        hall.batch.slots.iter().map(kind_of).collect()
    }
}

fn kind_of(slot: &Slot) -> CallKind {
    let parallel = matches!(&slot.parsed, Some(Ok(call)) if call.parallel());
    CallKind { parallel, barrier: plan::is_barrier(&slot.name) }
}

impl Hall {
    fn slot(&self, call: ToolUse) -> Slot {
        let parsed = match (&call.input, self.tools.get(&call.name)) {
            (ToolInput::Invalid { error, .. }, _) => {
                Err(format!("Invalid input: expected one JSON object, got text that is no JSON ({error})."))
            }
            (ToolInput::Json(_), None) => Err(self.no_such_tool(&call.name)),
            (ToolInput::Json(input), Some(tool)) => tool.clone().parse(input.clone()),
        };
        // Nothing was decided yet, and nobody refused it: a call with bad input is no denial.
        let why = Why { reason: "not decided: the call could not be made".into(), rule: None, source: None };
        Slot {
            id: call.id,
            name: call.name,
            input: call.input.to_json(),
            parsed: Some(parsed),
            decision: DecisionRecord { behavior: Behavior::Allow, why },
            result: None,
            touched: Vec::new(),
            announced: false,
        }
    }

    fn no_such_tool(&self, name: &str) -> String {
        let known: Vec<&str> = self.tools.keys().map(String::as_str).collect();
        format!("There is no tool `{name}`. Tools: {}.", known.join(", "))
    }

    pub(super) fn start_call(&mut self, n: usize) {
        if let Some(outcome) = self.plan_tool_of_agent(&self.batch.slots[n].name) {
            return self.finish(n, outcome, Duration::ZERO);
        }
        let slot = &mut self.batch.slots[n];
        let call = match slot.parsed.take() {
            Some(Ok(call)) => call,
            Some(Err(text)) => return self.finish(n, Outcome::error(text), Duration::ZERO),
            None => return,
        };
        self.before_call(n, call);
    }

    /// Decide the call under the mode as of now, with what hooks said about it.
    pub(super) fn decide_call(&mut self, n: usize, call: Box<dyn Call>, reply: &Reply) {
        self.judge_call(n, call, reply, None);
    }

    /// The same; `yes` is why exactly this call was approved already: then nobody is asked again, but what the mode or a
    /// rule denies now stays denied.
    pub(super) fn judge_call(&mut self, n: usize, call: Box<dyn Call>, reply: &Reply, yes: Option<&str>) {
        let mode = self.mode_as_of_now();
        self.agents.iter().for_each(|agents| agents.decided(mode));
        let access = match call.touches(&self.here) {
            Ok(access) => self.refine(access),
            Err(text) => return self.finish(n, Outcome::error(text), Duration::ZERO),
        };
        let slot = &mut self.batch.slots[n];
        slot.touched = paths_of(&access);
        let questions = matches!(access, Access::Question);
        let facts = Facts { tool: slot.name.clone(), access };
        let asked = (reply.permission == Some(Permission::Ask)).then(|| facts.clone());
        let decision = permission::decide(mode, &self.rules, facts);
        match as_hooks_say(decision, mode, reply, asked) {
            Decision::Allow(allowed) if plan::is_barrier(&self.batch.slots[n].name) => self.plan_call(n, allowed),
            Decision::Allow(allowed) if questions => self.ask_questions(n, call, allowed),
            Decision::Allow(allowed) => self.run_call(n, call, approved(allowed, yes), None),
            Decision::Deny(denied) => self.deny_call(n, denied),
            Decision::Ask(ask) => match yes {
                Some(reason) => self.run_call(n, call, ask.approve(reason), None),
                None => self.ask_permission(n, call, *ask),
            },
        }
    }

    /// The mode is another one than when it was asked for.
    pub(super) fn decide_again(&mut self, n: usize, call: Box<dyn Call>) {
        self.decide_call(n, call, &Reply::default());
    }

    /// EnterPlanMode and ExitPlanMode: the session does them itself.
    fn plan_call(&mut self, n: usize, allowed: Allowed) {
        let slot = &mut self.batch.slots[n];
        slot.decision = record(Behavior::Allow, &allowed.why);
        let enter = slot.name == plan::ENTER;
        match (enter, self.planner.entry) {
            (true, Entry::Ask) if !self.mode.in_plan() => self.ask_to_enter(n),
            (true, Entry::Ask | Entry::Allow | Entry::Never) => self.enter_plan(n),
            (false, _) => self.submit_plan(Some(n), None),
        }
    }

    pub(super) fn has_result(&self, n: usize) -> bool {
        self.batch.slots.get(n).is_none_or(|slot| slot.result.is_some())
    }
    pub(super) fn call_id(&self, n: usize) -> String {
        self.batch.slots.get(n).map(|slot| slot.id.clone()).unwrap_or_default()
    }
    /// Its name, input and id.
    pub(super) fn call_facts(&self, n: usize) -> (String, Value, String) {
        let facts = |slot: &Slot| (slot.name.clone(), slot.input.clone(), slot.id.clone());
        self.batch.slots.get(n).map(facts).unwrap_or_default()
    }
    /// Cancelled when the person interrupts the calls that run.
    pub(super) fn batch_cancel(&self) -> CancellationToken {
        self.batch.cancel.clone()
    }
    /// Another input for a call that waits (HO-1): None if it is the one it has.
    pub(super) fn change_input(&mut self, n: usize, input: Value) -> Option<Result<Box<dyn Call>, String>> {
        let slot = self.batch.slots.get_mut(n).filter(|slot| slot.input != input)?;
        slot.input = input.clone();
        let tool = self.tools.get(&slot.name).cloned();
        Some(tool.ok_or_else(|| "There is no such tool any more.".to_string()).and_then(|tool| tool.parse(input)))
    }
    /// What approvers, hosts and the transcript see of a call may hold more than the model sent (PM-70).
    pub(super) fn fill_input(&mut self, n: usize, input: Value) {
        if let Some(slot) = self.batch.slots.get_mut(n) {
            slot.input = input;
        }
    }

    /// Somebody has to say yes; where nobody can, the answer is no.
    fn ask_permission(&mut self, n: usize, call: Box<dyn Call>, ask: Ask) {
        if let Some(text) = call.fails(&self.here) {
            return self.finish(n, Outcome::error(text), Duration::ZERO);
        }
        if self.is_judged(&ask) {
            return self.judge(n, call, ask);
        }
        self.ask_person(n, call, ask);
    }

    pub(super) fn ask_person(&mut self, n: usize, call: Box<dyn Call>, ask: Ask) {
        self.before_ask(n, call, ask);
    }

    /// False: hooks have heard of it already, and are not told again.
    pub(super) fn first_ask(&mut self, n: usize) -> bool {
        self.batch.slots.get_mut(n).is_some_and(|slot| !std::mem::replace(&mut slot.announced, true))
    }

    pub(super) fn put_to_person(&mut self, n: usize, call: Box<dyn Call>, ask: Ask) {
        if !matches!(self.approver, Approver::Present | Approver::Lead) {
            let message = match &ask.by {
                // No rule lifts these.
                AskedBy::Protected => {
                    "Not allowed: it writes to a protected place, which only a person can allow, and nobody is here. Go on without it, or tell the user what you would have changed."
                }
                AskedBy::Mode
                | AskedBy::Rule
                | AskedBy::Secret
                | AskedBy::Unknown
                | AskedBy::Hook
                | AskedBy::Classifier(_) => {
                    "Not allowed: it needs a permission and nobody is here to give it. Go on without it, or tell the user which rule (--allowedTools) would allow it."
                }
            };
            let why = Why { reason: format!("{}; nobody can answer here", ask.why.reason), ..ask.why };
            return self.deny_call(n, Denied { why, message: message.into() });
        }
        let slot = &self.batch.slots[n];
        let preview = call.preview(&self.here);
        let view = super::asks::permission_view(&slot.id, &slot.name, &slot.input, &ask, preview);
        self.open_ask(n, Some(call), super::asks::Open::Permission(ask), view);
    }

    fn ask_questions(&mut self, n: usize, call: Box<dyn Call>, allowed: Allowed) {
        if self.approver != Approver::Present {
            let text =
                "Nobody can answer here: this session runs without a person. Decide yourself and say what you assumed.";
            self.batch.slots[n].decision = record(Behavior::Allow, &allowed.why);
            return self.finish(n, Outcome::error(text), Duration::ZERO);
        }
        let slot = &self.batch.slots[n];
        let view = super::asks::questions_view(&slot.id, &slot.name, &slot.input);
        self.open_ask(n, Some(call), super::asks::Open::Questions(allowed), view);
    }

    pub(super) fn deny_call(&mut self, n: usize, denied: Denied) {
        self.batch.slots[n].decision = record(Behavior::Deny, &denied.why);
        self.finish(n, Outcome::error(denied.message), Duration::ZERO);
    }

    pub(super) fn run_call(
        &mut self,
        n: usize,
        call: Box<dyn Call>,
        allowed: Allowed,
        answer: Option<QuestionsAnswer>,
    ) {
        self.batch.slots[n].decision = record(Behavior::Allow, &allowed.why);
        // SE-1: what led here is on disk before anything changes.
        if !call.read_only() && (self.unwritten.is_some() || !self.sync()) {
            let text = "Not run: the transcript can't be written to disk, and nothing may change without a record.";
            return self.finish(n, Outcome::error(text), Duration::ZERO);
        }
        let slot = &self.batch.slots[n];
        let (call_id, name) = (slot.id.clone(), slot.name.clone());
        self.hub.emit(EventKind::ToolStarted { call_id: call_id.clone(), name, summary: call.summary() });
        let (here, done, cancel) = (self.here.clone(), self.done.0.clone(), self.batch.cancel.clone());
        let (hub, output_id) = (self.hub.clone(), call_id.clone());
        let output: Arc<dyn Fn(&str) + Send + Sync> = Arc::new(move |text| {
            hub.emit(EventKind::ToolOutput { call_id: output_id.clone(), text: text.to_string() });
        });
        let context = CallContext { call_id, cancel: cancel.clone(), output, answer };
        tokio::spawn(async move {
            let started = Instant::now();
            let outcome = tokio::select! {
                outcome = call.run(allowed.rights, &here, &context) => outcome,
                () = stopped(&cancel) => Outcome::error("Interrupted by the user. It did not stop by itself and was abandoned."),
            };
            let _ = done.send(Report::Done { n, outcome, took: started.elapsed() });
        });
    }

    /// While calls run: their ends and what the person sends.
    pub(super) async fn running_calls(&mut self) -> Happened {
        loop {
            if let Some(happened) = self.pending.pop_front() {
                return happened;
            }
            tokio::select! {
                Some(report) = self.done.1.recv() => self.report(report),
                submission = self.inbox.recv(), if self.inbox_open => match submission {
                    Some(submission) => if let Some(happened) = self.submission(submission) {
                        return happened;
                    },
                    // Nobody is left who could answer: open asks fail closed, running calls end by themselves.
                    None => { self.inbox_open = false; self.withdraw_asks("nobody is left to answer"); }
                },
            }
        }
    }

    pub(super) fn report(&mut self, report: Report) {
        match report {
            Report::Done { n, outcome, took } => self.after_call(n, outcome, took),
            Report::AgentStarted(agent) => self.agent_started(&agent),
            Report::AgentEnded(ending) => self.agent_ended(*ending),
            Report::PlanChecked { n, changed, draft } => self.plan_checked(n, changed, draft.map(|draft| *draft)),
            Report::Hooked(hooked) => self.hooked(*hooked),
            Report::Judged(judged) => self.judged(*judged),
            Report::Team(report) => self.team_report(report),
        }
    }

    /// The call will not run (AG-4): it still gets a result.
    pub(super) fn skip_call(&mut self, n: usize) {
        let why = Why { reason: "the turn ended before it".into(), rule: None, source: None };
        self.batch.slots[n].decision = record(Behavior::Deny, &why);
        self.finish(n, Outcome::error("Not run: the turn was ended before this call."), Duration::ZERO);
    }

    pub(super) fn stop_calls(&mut self) {
        self.batch.cancel.cancel();
        self.withdraw_asks("the user interrupted");
    }

    /// The result goes to disk, then to the faces (SE-1).
    pub(super) fn finish(&mut self, n: usize, outcome: Outcome, took: Duration) {
        let content = self.redacted(outcome.content);
        let slot = &mut self.batch.slots[n];
        if slot.result.is_some() {
            return;
        }
        slot.result =
            Some(ToolResult { call_id: slot.id.clone(), content: content.clone(), is_error: outcome.is_error });
        let (call_id, name) = (slot.id.clone(), slot.name.clone());
        let (input, decision) = (slot.input.clone(), slot.decision.clone());
        let touched = std::mem::take(&mut slot.touched);
        self.append(Body::Tool {
            call_id: call_id.clone(),
            name: name.clone(),
            input: input.clone(),
            output: content.clone(),
            is_error: outcome.is_error,
            decision: decision.clone(),
        });
        self.tally.tool_result();
        self.structured_call(&name, outcome.is_error);
        if name == "TodoWrite" && !outcome.is_error {
            self.hub.emit(EventKind::Todos(self.todos()));
        }
        if !outcome.is_error {
            self.plan_touched(&touched);
            self.remember_touched(touched);
        }
        let finished = Finished {
            call_id,
            name,
            input,
            content,
            is_error: outcome.is_error,
            decision,
            duration_ms: took.as_millis() as u64,
            display: outcome.display,
        };
        self.hub.emit(EventKind::ToolFinished(Arc::new(finished)));
        self.pending.push_back(Happened::CallDone(n));
    }

    /// No secret of the environment reaches the model or the transcript (MO-4).
    pub(super) fn redacted(&self, content: Vec<ResultPart>) -> Vec<ResultPart> {
        let clean = |part| match part {
            ResultPart::Text { text } => ResultPart::Text { text: self.redactor.redact(&text).into_owned() },
            image @ ResultPart::Image(_) => image,
        };
        content.into_iter().map(clean).collect()
    }

    pub(super) fn todos(&self) -> Vec<cutonce_core::event::Todo> {
        self.here.todos.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Files in work (AG-8), and the instructions of the folders they are in (CL-5).
    fn remember_touched(&mut self, touched: Vec<PathBuf>) {
        for path in touched {
            for nested in self.instructions.nested_for(&path) {
                let text = format!("Instructions for this folder, from {}:\n{}", nested.path.display(), nested.text);
                self.reminders.push(("instructions".into(), text));
            }
            self.files.retain(|known| *known != path);
            self.files.push(path);
        }
    }
}

async fn stopped(cancel: &CancellationToken) {
    cancel.cancelled().await;
    tokio::time::sleep(STOP_GRACE).await;
}

/// The record names the yes, also where a rule that came with it would do.
fn approved(allowed: Allowed, yes: Option<&str>) -> Allowed {
    match yes {
        Some(reason) => Allowed { why: Why { reason: reason.into(), rule: None, source: None }, ..allowed },
        None => allowed,
    }
}

fn record(behavior: Behavior, why: &Why) -> DecisionRecord {
    DecisionRecord { behavior, why: why.clone() }
}

fn paths_of(access: &Access) -> Vec<PathBuf> {
    match access {
        Access::Read(targets) => targets.iter().map(|target| target.path.clone()).collect(),
        Access::Write(target) => vec![target.path.clone()],
        Access::Internal
        | Access::Kill { .. }
        | Access::Shell(_)
        | Access::Fetch { .. }
        | Access::Agent { .. }
        | Access::Skill { .. }
        | Access::Mcp { .. }
        | Access::Question => Vec::new(),
    }
}
