//! Runs the tool calls of an answer: performs the effects of the call machine (AG-3, AG-6, PR-3).
//!
//! `SessionState::step_call` is the only caller of the call machine, and `decide_call` the only one of the permission
//! decision outside cutonce-core.

use super::SessionState;
use super::events::SessionEvent;
use crate::subagent;
use cutonce_core::call::{self, CallEffect, CallEvent, CallNow, CallResult, CallRole, CallState, Decided};
use cutonce_core::conversation::{ResultPart, ToolInput, ToolResult, ToolUse};
use cutonce_core::hooks::{HookAnswer, HookEvent, HookPermission};
use cutonce_core::permission::rules::RuleBehavior;
use cutonce_core::permission::{self, Access, AllowedCall, CallFacts, CallRights, DeniedCall, Why};
use cutonce_core::protocol::event::{DecisionRecord, EventKind, FinishedCall, NoticeLevel};
use cutonce_core::protocol::submission::QuestionsAnswer;
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::text::sanitize::one_line;
use cutonce_core::transcript::EntryBody;
use cutonce_core::turn::{CallKind, TurnEvent};
use cutonce_tools::env::CallContext;
use cutonce_tools::tool::{ToolCall, ToolOutcome};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long a call may take to report what it did after it was cancelled.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// The calls of one answer.
#[derive(Default)]
pub(super) struct CallBatch {
    /// Counts batches, so that a late report is never taken for one of a later batch.
    number: u64,
    slots: Vec<CallSlot>,
    /// Cancelled when the user interrupts.
    pub cancel: CancellationToken,
    /// The transcript entry of the answer that made the calls.
    pub answer: String,
    /// Checks of a plan, which the program runs itself (PC-31): the model sees neither calls nor results.
    pub by_program: bool,
}

/// A call as the session keeps it; where it is on its way is in `state`.
struct CallSlot {
    id: String,
    name: String,
    input: Value,
    state: CallState,
    /// The parsed call, until it runs; or why it could not be parsed.
    call: Option<Result<Box<dyn ToolCall>, String>>,
    decision: DecisionRecord,
    outcome: Option<(ToolOutcome, Duration)>,
    result: Option<ToolResult>,
    touched: Vec<PathBuf>,
    /// The file that the call would write outside the approved plan (PC-20).
    out_of_scope: Option<String>,
}

/// A call of a certain batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallRef {
    batch: u64,
    pub n: usize,
}

/// What a task reports about a call.
pub(crate) enum CallReport {
    PreHooked(HookAnswer),
    PermissionHooked(HookAnswer),
    PostHooked { event: HookEvent, reply: HookAnswer },
    Classified(Result<cutonce_core::classifier::ClassifierVerdict, String>),
    Ran { outcome: ToolOutcome, took: Duration },
}

impl CallBatch {
    /// The results in call order; the batch is empty afterwards.
    pub fn take_results(&mut self) -> Vec<ToolResult> {
        std::mem::take(&mut self.slots).into_iter().filter_map(|slot| slot.result).collect()
    }
    pub fn reference(&self, n: usize) -> CallRef {
        CallRef { batch: self.number, n }
    }
    /// True if the call belongs to this batch and has no result yet.
    pub fn is_open(&self, call: CallRef) -> bool {
        call.batch == self.number && self.slots.get(call.n).is_some_and(|slot| !matches!(slot.state, CallState::Done))
    }
    /// Name, input and id.
    pub fn facts(&self, n: usize) -> (String, Value, String) {
        let facts = |slot: &CallSlot| (slot.name.clone(), slot.input.clone(), slot.id.clone());
        self.slots.get(n).map(facts).unwrap_or_default()
    }
    /// True if the call would write a file outside the approved plan.
    pub fn is_out_of_scope(&self, n: usize) -> bool {
        self.slots.get(n).is_some_and(|slot| slot.out_of_scope.is_some())
    }
    pub fn id(&self, n: usize) -> String {
        self.slots.get(n).map(|slot| slot.id.clone()).unwrap_or_default()
    }
    pub fn state(&self, n: usize) -> Option<&CallState> {
        self.slots.get(n).map(|slot| &slot.state)
    }
    /// The parsed call, until it runs.
    pub fn parsed(&self, n: usize) -> Option<&dyn ToolCall> {
        match self.slots.get(n)?.call.as_ref()? {
            Ok(call) => Some(&**call),
            Err(_) => None,
        }
    }
    /// What approvers, hosts and the transcript see of a call may be more than the model sent (PM-70).
    pub fn set_input(&mut self, n: usize, input: Value) {
        if let Some(slot) = self.slots.get_mut(n) {
            slot.input = input;
        }
    }
    fn kinds(&self) -> Vec<CallKind> {
        let kind = |slot: &CallSlot| {
            let parallel = matches!(&slot.call, Some(Ok(call)) if call.parallel());
            CallKind { parallel, barrier: CallRole::is_session_tool(&slot.name) }
        };
        self.slots.iter().map(kind).collect()
    }
}

impl SessionState {
    /// Parses the calls of an answer; nothing runs yet.
    pub(super) fn lay_out_calls(&mut self, calls: Vec<ToolUse>) -> Vec<CallKind> {
        self.note_spawn_context(&calls);
        self.lay_out_batch(calls, false)
    }

    /// Parses the checks of a plan.
    pub(super) fn lay_out_checks(&mut self, checks: Vec<ToolUse>) -> Vec<CallKind> {
        self.lay_out_batch(checks, true)
    }

    fn lay_out_batch(&mut self, calls: Vec<ToolUse>, by_program: bool) -> Vec<CallKind> {
        self.calls.number += 1;
        self.calls.cancel = CancellationToken::new();
        self.calls.by_program = by_program;
        self.calls.slots = calls.into_iter().map(|call| self.slot(call)).collect();
        self.calls.kinds()
    }

    fn slot(&self, call: ToolUse) -> CallSlot {
        let parsed = match &call.input {
            ToolInput::Invalid { error, .. } => {
                Err(format!("Invalid input: expected one JSON object, got text that is not JSON ({error})."))
            }
            ToolInput::Json(input) => self.parse_call(&call.name, input.clone()),
        };
        // A call with bad input is no denial: nothing was decided about it.
        let why = Why::from_reason("not decided: the call could not be made");
        CallSlot {
            id: call.id,
            name: call.name,
            input: call.input.to_json(),
            state: CallState::Parsed,
            call: Some(parsed),
            decision: DecisionRecord { behavior: RuleBehavior::Allow, why },
            outcome: None,
            result: None,
            touched: Vec::new(),
            out_of_scope: None,
        }
    }

    fn parse_call(&self, name: &str, input: Value) -> Result<Box<dyn ToolCall>, String> {
        self.check_exit_input(name, &input)?;
        match self.tools.by_name.get(name) {
            Some(tool) => tool.clone().parse(input).map_err(String::from),
            None => {
                let known: Vec<&str> = self.tools.by_name.keys().map(String::as_str).collect();
                Err(format!("There is no tool `{name}`. Tools: {}.", known.join(", ")))
            }
        }
    }

    /// Replaces the input of a call that waits.
    pub(super) fn change_input(&mut self, n: usize, input: Value) -> Result<(), String> {
        let (name, ..) = self.calls.facts(n);
        let parsed = self.parse_call(&name, input.clone())?;
        if let Some(slot) = self.calls.slots.get_mut(n) {
            (slot.input, slot.call) = (input, Some(Ok(parsed)));
        }
        Ok(())
    }

    pub(super) fn start_call(&mut self, n: usize) {
        let Some(slot) = self.calls.slots.get(n) else { return };
        if let Some(outcome) = self.answer_in_agent(&slot.name) {
            return self.complete_call(n, outcome);
        }
        if let Some(Err(text)) = &slot.call {
            let text = text.clone();
            return self.step_call(n, CallEvent::Failed(text));
        }
        let mode = self.mode_as_of_now();
        self.step_call(n, CallEvent::Start { mode });
    }

    /// The call will not run (AG-4): it still gets a result.
    pub(super) fn skip_call(&mut self, n: usize) {
        self.step_call(n, CallEvent::Skipped);
    }

    /// Stops every call of the batch: tools by their token, asks by being closed.
    pub(super) fn stop_calls(&mut self) {
        self.calls.cancel.cancel();
        self.withdraw_call_asks("the user interrupted");
        for n in 0..self.calls.slots.len() {
            if !matches!(self.calls.state(n), Some(CallState::Parsed)) {
                self.step_call(n, CallEvent::Interrupted);
            }
        }
    }

    /// A plan tool, or the session itself, has the result of a call.
    pub(super) fn complete_call(&mut self, n: usize, outcome: ToolOutcome) {
        if let Some(slot) = self.calls.slots.get_mut(n) {
            slot.outcome = Some((outcome, Duration::ZERO));
        }
        self.step_call(n, CallEvent::Completed);
    }

    /// A plan tool was not approved.
    pub(super) fn deny_call(&mut self, n: usize, denied: DeniedCall) {
        self.step_call(n, CallEvent::Denied(denied));
    }

    /// Steps the call machine and performs its effects.
    pub(super) fn step_call(&mut self, n: usize, event: CallEvent) {
        let Some(slot) = self.calls.slots.get_mut(n) else { return };
        let state = std::mem::replace(&mut slot.state, CallState::Done);
        let (state, effects) = call::step(state, event);
        slot.state = state;
        for effect in effects {
            self.perform_call(n, effect);
        }
    }

    fn perform_call(&mut self, n: usize, effect: CallEffect) {
        match effect {
            CallEffect::RunPreHook => self.run_pre_hook(n),
            CallEffect::Decide => self.decide_call(n),
            CallEffect::Classify => self.classify(n),
            CallEffect::RunPermissionHook => self.run_permission_hook(n),
            CallEffect::OpenAsk => self.open_call_ask(n),
            CallEffect::Run { allowed, answers } => self.run_call(n, allowed, answers),
            CallEffect::RunInSession { why } => self.run_in_session(n, &why),
            CallEffect::RunPostHook => self.run_post_hook(n),
            CallEffect::EndTurn { reason, notice } => {
                notice.iter().for_each(|text| self.notice(NoticeLevel::Warning, text));
                self.end_with_batch(reason);
            }
            CallEffect::Finish(result) => self.finish_call(n, result),
        }
    }

    /// A task reports about a call; of a call that is over or of an earlier batch the report is ignored.
    pub(super) fn call_reported(&mut self, call: CallRef, report: CallReport) {
        if !self.calls.is_open(call) {
            return;
        }
        let n = call.n;
        match report {
            CallReport::PreHooked(reply) => self.pre_hooked(n, reply),
            CallReport::PermissionHooked(reply) => self.permission_hooked(n, reply),
            CallReport::PostHooked { event, reply } => self.post_hooked(n, event, &reply),
            CallReport::Classified(verdict) => self.classified(n, verdict),
            CallReport::Ran { outcome, took } => {
                outcome.used.iter().for_each(|used| self.count_tool_requests(used));
                self.calls.slots[n].outcome = Some((outcome, took));
                self.step_call(n, CallEvent::Ran);
            }
        }
    }

    /// Sends the report of a task that works for call `n`.
    pub(super) fn call_reporter(&self, n: usize) -> impl FnOnce(CallReport) + Send + 'static {
        let (events, call) = (self.events.clone(), self.calls.reference(n));
        move |report| {
            let _ = events.send(SessionEvent::Call { call, report: Box::new(report) });
        }
    }

    /// The mode and the access of the call at this moment.
    pub(super) fn call_now(&mut self, n: usize) -> CallNow {
        let mode = self.mode_as_of_now();
        let access = match self.calls.parsed(n) {
            Some(call) => call.access(&self.context.env).map_err(String::from),
            None => Err("Not run: the call has already ended.".into()),
        };
        CallNow { mode, access: access.map(|access| self.refine(access)) }
    }

    /// Decides the call under the current mode.
    fn decide_call(&mut self, n: usize) {
        let CallNow { mode, access } = self.call_now(n);
        self.context.agents.iter().for_each(|agents| agents.record_mode(mode));
        let access = match access {
            Ok(access) => access,
            Err(text) => return self.step_call(n, CallEvent::Failed(text)),
        };
        let classifier_on = self.classifier_on();
        let slot = &mut self.calls.slots[n];
        slot.touched = paths_of(&access);
        let role = CallRole::for_call(&slot.name, &access);
        let facts = CallFacts { tool: slot.name.clone(), access };
        let decision = permission::decide(mode, &self.permissions.rules, facts.clone());
        let (decision, outside) = self.within_scope(mode, &facts, decision);
        let decision = self.starts_fresh(&facts, decision);
        let decision = self.check_decision(&facts, decision);
        self.calls.slots[n].out_of_scope = outside;
        let precheck = self.calls.parsed(n).filter(|_| self.may_ask(n, &decision));
        let precheck = precheck.and_then(|call| call.precheck(&self.context.env));
        let decided = Decided { mode, facts, decision, role, classifier_on, precheck };
        self.step_call(n, CallEvent::Decided(Box::new(decided)));
    }

    /// True if the decision or a hook may ask the user about the call.
    fn may_ask(&self, n: usize, decision: &permission::Decision) -> bool {
        let wished = matches!(self.calls.state(n),
            Some(CallState::Deciding { opinion, .. }) if opinion.permission == Some(HookPermission::Ask));
        wished || matches!(decision, permission::Decision::Ask(_))
    }

    fn run_call(&mut self, n: usize, allowed: AllowedCall, answer: Option<QuestionsAnswer>) {
        self.record_decision(n, &allowed.why);
        let slot = &mut self.calls.slots[n];
        let Some(Ok(call)) = slot.call.take() else {
            return self.step_call(n, CallEvent::Failed("Not run: the call has already ended.".into()));
        };
        let (call_id, name) = (slot.id.clone(), slot.name.clone());
        // SE-1: what led here is on disk before anything changes.
        if !call.read_only() && (self.transcript.unwritten.is_some() || !self.sync()) {
            let text = "Not run: the transcript can't be written to disk, and nothing may change without a record.";
            return self.step_call(n, CallEvent::Failed(text.into()));
        }
        match self.calls.by_program {
            true => self.notice(NoticeLevel::Info, &format!("Checking the plan: {}", call.summary())),
            false => self.emit(EventKind::ToolStarted { call_id: call_id.clone(), name, summary: call.summary() }),
        }
        let (env, cancel, report) = (self.context.env.clone(), self.calls.cancel.clone(), self.call_reporter(n));
        let (hub, output_id) = (self.context.hub.clone(), call_id.clone());
        let output: Arc<dyn Fn(&str) + Send + Sync> = Arc::new(move |text| {
            hub.emit(EventKind::ToolOutput { call_id: output_id.clone(), text: text.to_string() });
        });
        let scope = self.call_scope(n);
        let context = CallContext { call_id, cancel: cancel.clone(), output, answer, scope };
        let servers = self.context.shared.language_servers.clone();
        let standing = self.context.standing.clone();
        let is_command = matches!(allowed.rights, CallRights::Shell(_));
        tokio::spawn(async move {
            let root = env.workspace.root.clone();
            let before = is_command.then(|| standing.watch_command(root));
            let edit = match (&allowed.rights, servers) {
                (CallRights::Write(grant), Some(servers)) => servers.watch_edit(grant.path()).await,
                _ => None,
            };
            let started = Instant::now();
            let mut outcome = tokio::select! {
                outcome = call.run(allowed.rights, &env, &context) => outcome,
                () = grace_over(&cancel) => ToolOutcome::error("Interrupted by the user. It did not stop by itself and was abandoned."),
            };
            let took = started.elapsed();
            before.into_iter().for_each(|before| standing.command_ended(before));
            if let Some(edit) = edit.filter(|_| !outcome.is_error) {
                let found = cancel.run_until_cancelled(edit.diagnostics()).await.flatten();
                found.iter().for_each(|found| outcome.add_diagnostics(found));
            }
            report(CallReport::Ran { outcome, took });
        });
    }

    /// Notes in the record of call `n` that it is allowed.
    pub(super) fn record_decision(&mut self, n: usize, why: &Why) {
        if let Some(slot) = self.calls.slots.get_mut(n) {
            slot.decision = record(RuleBehavior::Allow, why);
        }
    }

    /// The outcome of a call that ran, for its hooks.
    pub(super) fn outcome(&self, n: usize) -> Option<&(ToolOutcome, Duration)> {
        self.calls.slots.get(n)?.outcome.as_ref()
    }

    /// A hook replaces what the model reads of an outcome.
    pub(super) fn replace_output(&mut self, n: usize, text: String) {
        if let Some((outcome, _)) = self.calls.slots.get_mut(n).and_then(|slot| slot.outcome.as_mut()) {
            outcome.content = vec![ResultPart::Text { text }];
        }
    }

    /// Records the result: on disk, then for front ends (SE-1). The call machine comes here once for each call.
    fn finish_call(&mut self, n: usize, result: CallResult) {
        let slot = &mut self.calls.slots[n];
        let (outcome, took) = match result {
            CallResult::Outcome => {
                slot.outcome.take().unwrap_or_else(|| (ToolOutcome::error("There is no result."), Duration::ZERO))
            }
            CallResult::Failed(text) => (ToolOutcome::error(text), Duration::ZERO),
            CallResult::Denied(denied) => {
                slot.decision = record(RuleBehavior::Deny, &denied.why);
                (ToolOutcome::error(denied.message), Duration::ZERO)
            }
        };
        if self.calls.by_program {
            self.check_finished(n, &outcome);
            return self.pending.push_back(TurnEvent::CallDone(n));
        }
        self.evidence_of(n, &outcome);
        let content = self.redacted(outcome.content);
        let slot = &mut self.calls.slots[n];
        let is_error = outcome.is_error;
        let (call_id, name) = (slot.id.clone(), slot.name.clone());
        slot.result = Some(ToolResult { call_id: call_id.clone(), content: content.clone(), is_error });
        let (input, decision) = (slot.input.clone(), slot.decision.clone());
        let touched = std::mem::take(&mut slot.touched);
        self.append(EntryBody::Tool {
            call_id: call_id.clone(),
            name: name.clone(),
            input: input.clone(),
            output: content.clone(),
            is_error,
            decision: decision.clone(),
            seen: self.context.env.disk.take_marks(),
        });
        self.after_result(&name, is_error, touched);
        let (duration_ms, display) = (took.as_millis() as u64, outcome.display);
        let finished = FinishedCall { call_id, name, input, content, is_error, decision, duration_ms, display };
        self.emit(EventKind::ToolFinished(Arc::new(finished)));
        self.pending.push_back(TurnEvent::CallDone(n));
    }

    /// What the outcome of a call says about the approved plan (PC-30).
    fn evidence_of(&mut self, n: usize, outcome: &ToolOutcome) {
        let slot = &mut self.calls.slots[n];
        let denied = slot.decision.behavior == RuleBehavior::Deny;
        if let Some(path) = slot.out_of_scope.take().filter(|_| denied) {
            return self.outside_denied(path);
        }
        let command = slot.input.get("command").and_then(Value::as_str).filter(|_| slot.name == "Bash");
        if let Some(command) = command.map(str::to_string) {
            self.command_ended(&command, outcome);
        }
    }

    /// A check that the program ran, or that was not allowed.
    fn check_finished(&mut self, n: usize, outcome: &ToolOutcome) {
        let slot = &self.calls.slots[n];
        let command = slot.input.get("command").and_then(Value::as_str).unwrap_or_default().to_string();
        if outcome.display.is_none() {
            let (shown, why) = (one_line(&command), one_line(&slot.decision.why.reason));
            self.notice(NoticeLevel::Warning, &format!("The check `{shown}` did not run: {why}."));
        }
        self.command_ended(&command, outcome);
        self.report_check(command, outcome);
    }

    fn after_result(&mut self, tool: &str, is_error: bool, touched: Vec<PathBuf>) {
        self.model.usage.tool_result();
        self.structured_call(tool, is_error);
        if is_error {
            return;
        }
        if tool == "TodoWrite" {
            self.emit(EventKind::Todos(self.todos()));
        }
        self.note_written(&touched);
        self.note_touched(&touched);
        self.file_read(tool, &touched);
        self.remember_touched(touched);
    }

    /// No secret of the environment reaches the model or the transcript (MO-4).
    pub(super) fn redacted(&self, content: Vec<ResultPart>) -> Vec<ResultPart> {
        let clean = |part| match part {
            ResultPart::Text { text } => {
                ResultPart::Text { text: self.context.shared.redactor.redact(&text).into_owned() }
            }
            image @ ResultPart::Image(_) => image,
        };
        content.into_iter().map(clean).collect()
    }

    pub(super) fn todos(&self) -> Vec<cutonce_core::protocol::event::TodoItem> {
        self.context.env.todos.lock_unpoisoned().clone()
    }

    /// Notes the files in work (AG-8), and the instructions of their folders (CL-5).
    fn remember_touched(&mut self, touched: Vec<PathBuf>) {
        for path in touched {
            for nested in self.tools.instructions.nested_for(&path) {
                let text = format!("Instructions for this folder, from {}:\n{}", nested.path.display(), nested.text);
                self.memory.reminders.push(("instructions".into(), text));
            }
            self.memory.files.retain(|known| *known != path);
            self.memory.files.push(path);
        }
    }

    /// Remembers what subagents that these calls start begin with.
    fn note_spawn_context(&self, calls: &[ToolUse]) {
        if calls.iter().any(|call| subagent::is_agent_call(&call.name)) {
            self.set_spawn_context();
        }
    }
}

async fn grace_over(cancel: &CancellationToken) {
    cancel.cancelled().await;
    tokio::time::sleep(STOP_GRACE).await;
}

fn record(behavior: RuleBehavior, why: &Why) -> DecisionRecord {
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
