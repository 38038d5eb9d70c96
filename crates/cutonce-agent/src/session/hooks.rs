//! Hooks in the session (HO-7): tells them the moments, and carries out what their answers mean. Nothing here decides about a call: a
//! changed input is parsed and decided anew, an `allow` goes through cutonce-core's `permission`, and a plan is approved by people only.

use super::calls::Report;
use super::{Driver, Hall};
use crate::hooks::Hooks;
use cutonce_core::approval;
use cutonce_core::conversation::ResultPart;
use cutonce_core::event::{EndReason, EventKind, Level};
use cutonce_core::hook::{HookEvent, HookInput, Moment, Permission, Reply};
use cutonce_core::mode::Mode;
use cutonce_core::permission::{Access, Ask, AskedBy, Decision, Denied, Facts, Why};
use cutonce_core::plan;
use cutonce_core::submission::Submission;
use cutonce_core::turn::{Happened, Said};
use cutonce_tools::tool::{Call, Outcome};
use serde_json::Value;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often hooks may keep one turn from ending.
const MOST_STOPS: u32 = 10;

/// How long hooks that were told something may go on when the session is over.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// What the session knows of its hooks.
pub(super) struct Watch {
    hooks: Arc<Hooks>,
    transcript: PathBuf,
    /// What waits to come in, one at a time and in its order: the start of the session, then what the person said.
    door: VecDeque<Entrant>,
    /// The hooks of the one at the door are being asked.
    asking: Option<CancellationToken>,
    /// They are asked about a message.
    about_message: bool,
    /// How often the present turn was kept from ending.
    stops: u32,
    /// Hooks that were told something and have not ended yet.
    telling: usize,
}

pub(crate) enum Entrant {
    /// SessionStart, with its source.
    Start(&'static str),
    /// SubagentStart: this session is an agent's.
    Agent,
    Said(Said),
}

/// What hooks answered, and what waits for it.
pub(crate) enum Hooked {
    /// None: the person interrupted.
    Call {
        n: usize,
        call: Box<dyn Call>,
        reply: Option<Reply>,
    },
    /// A call that somebody would be asked about in this mode.
    Asked {
        n: usize,
        call: Box<dyn Call>,
        ask: Box<Ask>,
        mode: Mode,
        reply: Option<Reply>,
    },
    /// A call that ran, with its outcome.
    Done {
        n: usize,
        event: HookEvent,
        outcome: Outcome,
        took: Duration,
        reply: Reply,
    },
    Entrant {
        entrant: Entrant,
        reply: Option<Reply>,
    },
    Plan {
        n: Option<usize>,
        shown: Box<Shown>,
        reply: Option<Reply>,
    },
    /// Nothing waits: only its words count.
    After {
        event: HookEvent,
        reply: Reply,
    },
}

/// A plan that is about to be shown.
pub(crate) struct Shown {
    pub request: approval::Request,
    pub previous: Option<String>,
    pub draft: Option<approval::Answer>,
}

impl Watch {
    pub fn new(hooks: Arc<Hooks>, transcript: PathBuf) -> Self {
        Self { hooks, transcript, door: VecDeque::new(), asking: None, about_message: false, stops: 0, telling: 0 }
    }
    /// Somebody still waits to come in.
    pub(crate) fn door_is_busy(&self) -> bool {
        self.asking.is_some() || !self.door.is_empty()
    }
    /// A message is among them.
    pub(crate) fn message_waits(&self) -> bool {
        let message = |one: &Entrant| matches!(one, Entrant::Said(_));
        (self.asking.is_some() && self.about_message) || self.door.iter().any(message)
    }
    pub(crate) fn turn_began(&mut self) {
        self.stops = 0;
    }
}

impl Hall {
    fn hook_input(&self, moment: Moment) -> HookInput {
        HookInput {
            session_id: self.id.to_string(),
            transcript_path: self.watch.transcript.display().to_string(),
            cwd: self.here.workspace.root.display().to_string(),
            permission_mode: self.mode.mode(),
            moment,
        }
    }

    /// Ask the hooks beside everything else; `report` makes of their answer what the session hears. None of the moment if nobody wants it.
    fn ask_hooks(
        &self,
        moment: Moment,
        cancel: CancellationToken,
        report: impl FnOnce(Option<Reply>) -> Hooked + Send + 'static,
    ) {
        let (hooks, done, input) = (self.watch.hooks.clone(), self.done.0.clone(), self.hook_input(moment));
        tokio::spawn(async move {
            let reply = tokio::select! {
                biased;
                () = cancel.cancelled() => None,
                reply = hooks.fire(&input) => Some(reply),
            };
            let _ = done.send(Report::Hooked(Box::new(report(reply))));
        });
    }

    /// Tell hooks of something that waits for none of them.
    pub(super) fn tell_hooks(&mut self, moment: Moment) {
        if self.watch.hooks.wants(&moment) {
            self.watch.telling += 1;
            let event = moment.event();
            let words = move |reply: Option<Reply>| Hooked::After { event, reply: reply.unwrap_or_default() };
            self.ask_hooks(moment, CancellationToken::new(), words);
        }
    }

    /// The session is over: who was told something may still finish, for a moment.
    pub(super) async fn hear_out(&mut self) {
        let all = async {
            while self.watch.telling > 0 {
                match self.done.1.recv().await {
                    Some(Report::Hooked(hooked)) => self.hooked(*hooked),
                    Some(_) => {}
                    None => break,
                }
            }
        };
        let _ = tokio::time::timeout(LAST_WORDS, all).await;
    }

    /// Something waits for the person.
    pub(super) fn notify_hooks(&mut self, notification_type: &'static str, message: String) {
        self.tell_hooks(Moment::Notification { message, notification_type });
    }

    /// What every answer may hold: words for the person and for the model.
    fn take_words(&mut self, event: HookEvent, reply: &Reply) {
        for told in &reply.told {
            self.notice(Level::Warning, told);
        }
        self.reminders.extend(reply.context.iter().map(|text| context(event, text)));
    }

    pub(super) fn hooked(&mut self, hooked: Hooked) {
        match hooked {
            Hooked::Call { n, call, reply } => self.call_hooked(n, call, reply),
            Hooked::Asked { n, call, ask, mode, reply } => self.asked_hooked(n, call, *ask, mode, reply),
            Hooked::Done { n, event, outcome, took, reply } => self.done_hooked(n, event, outcome, took, reply),
            Hooked::Entrant { entrant, reply } => self.entrant_hooked(entrant, reply),
            Hooked::Plan { n, shown, reply } => self.plan_hooked(n, *shown, reply),
            Hooked::After { event, mut reply } => {
                self.watch.telling = self.watch.telling.saturating_sub(1);
                let blocked = reply.block.take().or(reply.stop.take());
                reply.told.extend(blocked.map(|why| format!("A {} hook said: {why}", event.name())));
                self.take_words(event, &reply);
            }
        }
    }

    /// PreToolUse: before anything is decided about the call.
    pub(super) fn before_call(&mut self, n: usize, call: Box<dyn Call>) {
        if self.watch.hooks.is_empty() {
            return self.decide_call(n, call, &Reply::default());
        }
        let (tool_name, tool_input, tool_use_id) = self.call_facts(n);
        let moment = Moment::PreToolUse { tool_name, tool_input, tool_use_id };
        if !self.watch.hooks.wants(&moment) {
            return self.decide_call(n, call, &Reply::default());
        }
        let cancel = self.batch_cancel();
        self.ask_hooks(moment, cancel, move |reply| Hooked::Call { n, call, reply });
    }

    fn call_hooked(&mut self, n: usize, call: Box<dyn Call>, reply: Option<Reply>) {
        let Some(reply) = self.not_refused(n, HookEvent::PreToolUse, reply) else { return };
        let call = match self.with_input(n, call, reply.updated_input.as_ref()) {
            Ok(call) => call,
            Err(text) => return self.finish(n, Outcome::error(text), Duration::ZERO),
        };
        self.decide_call(n, call, &reply);
    }

    /// What hooks answered about a call, where none of them refused it and nobody interrupted; else it has its result.
    fn not_refused(&mut self, n: usize, event: HookEvent, reply: Option<Reply>) -> Option<Reply> {
        let Some(reply) = reply else {
            let message = "Not run: the user interrupted before it was allowed.".into();
            self.deny_call(n, Denied { why: why("the user interrupted"), message });
            return None;
        };
        self.take_words(event, &reply);
        if let Some(reason) = &reply.stop {
            self.notice(Level::Warning, &format!("A {} hook ended the turn: {reason}", event.name()));
            self.end_asked(EndReason::Completed);
            let message = format!("Not run: a hook ended the turn: {reason}");
            self.deny_call(n, Denied { why: why(&format!("a hook ended the turn: {reason}")), message });
            return None;
        }
        if reply.permission == Some(Permission::Deny) {
            let reason = if reply.reason.is_empty() { "it gave no reason" } else { &reply.reason };
            let message = format!("A hook of the user blocked this call: {reason}");
            self.deny_call(n, Denied { why: why(&format!("a hook denied it: {reason}")), message });
            return None;
        }
        Some(reply)
    }

    /// PermissionRequest: somebody would be asked now. Once for each call; a plan never comes here.
    pub(super) fn before_ask(&mut self, n: usize, call: Box<dyn Call>, ask: Ask) {
        let (tool_name, tool_input, tool_use_id) = self.call_facts(n);
        // What belongs together: the narrowest choice alone.
        let permission_suggestions = ask.suggestions.first().map(|one| one.rules.clone()).unwrap_or_default();
        let moment = Moment::PermissionRequest { tool_name, tool_input, tool_use_id, permission_suggestions };
        if !self.watch.hooks.wants(&moment) || !self.first_ask(n) {
            return self.put_to_person(n, call, ask);
        }
        let (mode, cancel, ask) = (self.mode_as_of_now(), self.batch_cancel(), Box::new(ask));
        self.ask_hooks(moment, cancel, move |reply| Hooked::Asked { n, call, ask, mode, reply });
    }

    /// A hook's yes answers what nothing but the mode asks, and nothing in plan mode (PM-61).
    fn asked_hooked(&mut self, n: usize, call: Box<dyn Call>, ask: Ask, mode: Mode, reply: Option<Reply>) {
        let Some(reply) = self.not_refused(n, HookEvent::PermissionRequest, reply) else { return };
        let yes = reply.permission == Some(Permission::Allow);
        let input = reply.updated_input.as_ref().filter(|_| yes);
        let changed = input.is_some();
        let call = match self.with_input(n, call, input) {
            Ok(call) => call,
            Err(text) => return self.finish(n, Outcome::error(text), Duration::ZERO),
        };
        // PM-16: what was answered for another mode or another input is decided anew.
        if changed || self.mode_as_of_now() != mode {
            // What a guard wants a person to see, another hook's yes does not answer.
            let asked = ask.by == AskedBy::Hook;
            let permission = if asked { Some(Permission::Ask) } else { reply.permission };
            let reason = if asked { ask.why.reason } else { reply.reason };
            return self.decide_call(n, call, &Reply { permission, reason, ..reply });
        }
        if !yes {
            return self.put_to_person(n, call, ask);
        }
        match self.still_true(&*call, ask) {
            Err(text) => self.finish(n, Outcome::error(text), Duration::ZERO),
            Ok(ask) => match Decision::Ask(Box::new(ask)).allowed_by_hook(mode, &reply.reason) {
                Decision::Allow(allowed) => self.run_call(n, call, allowed, None),
                Decision::Ask(ask) => self.put_to_person(n, call, *ask),
                Decision::Deny(denied) => self.deny_call(n, denied),
            },
        }
    }

    /// The call as a hook changed it. The plan tools take no input, from nobody (PM-70).
    fn with_input(&mut self, n: usize, call: Box<dyn Call>, input: Option<&Value>) -> Result<Box<dyn Call>, String> {
        let (name, ..) = self.call_facts(n);
        let Some(input) = input.filter(|_| !plan::is_barrier(&name)) else { return Ok(call) };
        let tool = self.tools.get(&name).cloned().ok_or_else(|| format!("There is no tool `{name}`."))?;
        let changed =
            tool.parse(input.clone()).map_err(|why| format!("A hook changed the input of this call. {why}"))?;
        self.fill_input(n, input.clone());
        Ok(changed)
    }

    /// PostToolUse, PostToolUseFailure: a call ran; its result is recorded when the hooks have spoken.
    pub(super) fn after_call(&mut self, n: usize, outcome: Outcome, took: Duration) {
        if self.watch.hooks.is_empty() || self.has_result(n) {
            return self.finish(n, outcome, took);
        }
        let (tool_name, tool_input, tool_use_id) = self.call_facts(n);
        let (content, duration_ms) = (self.redacted(outcome.content.clone()), took.as_millis() as u64);
        let moment = if outcome.is_error {
            let error = content.iter().filter_map(text_of).collect::<Vec<_>>().join("\n");
            Moment::PostToolUseFailure { tool_name, tool_input, tool_use_id, error, duration_ms }
        } else {
            let tool_response = serde_json::json!({"content": content, "display": outcome.display});
            Moment::PostToolUse { tool_name, tool_input, tool_response, tool_use_id, duration_ms }
        };
        if !self.watch.hooks.wants(&moment) {
            return self.finish(n, outcome, took);
        }
        let (event, cancel) = (moment.event(), self.batch_cancel());
        // What was done was done: an interrupt ends the hook, not the result.
        let report =
            move |reply: Option<Reply>| Hooked::Done { n, event, outcome, took, reply: reply.unwrap_or_default() };
        self.ask_hooks(moment, cancel, report);
    }

    fn done_hooked(&mut self, n: usize, event: HookEvent, mut outcome: Outcome, took: Duration, reply: Reply) {
        self.take_words(event, &reply);
        if let Some(text) = &reply.updated_output {
            outcome.content = vec![ResultPart::Text { text: text.clone() }];
        }
        if let Some(reason) = &reply.block {
            let (name, ..) = self.call_facts(n);
            let text = format!("A hook of the user objects to what {name} did: {reason}");
            self.reminders.push(("hook".into(), text));
        }
        if let Some(reason) = &reply.stop {
            self.notice(Level::Warning, &format!("A {} hook ended the turn: {reason}", event.name()));
            self.end_asked(EndReason::Completed);
        }
        self.finish(n, outcome, took);
    }

    /// A subagent begins, or goes on: what hooks say is for it.
    pub(super) fn agent_begins(&mut self) {
        if self.agent_moment().is_some_and(|moment| self.watch.hooks.wants(&moment)) {
            self.watch.door.push_back(Entrant::Agent);
            self.next_at_the_door();
        }
    }

    fn agent_moment(&self) -> Option<Moment> {
        let me = &self.seat.as_ref()?.me;
        Some(Moment::SubagentStart { agent_id: me.id.clone(), agent_type: me.name.clone() })
    }

    /// The session is over, or starts over. Nobody waits for these hooks but [`Hall::hear_out`].
    pub(super) fn session_ends(&mut self, reason: &'static str) {
        if self.seat.is_none() {
            self.tell_hooks(Moment::SessionEnd { reason });
        }
    }

    /// The session starts, or starts over.
    /// A subagent is no session of the user's: neither its start nor its task is told as one.
    pub(super) fn session_started(&mut self, source: &'static str) {
        if self.seat.is_none() && self.watch.hooks.wants(&Moment::SessionStart { source }) {
            self.watch.door.push_back(Entrant::Start(source));
            self.next_at_the_door();
        }
    }

    /// What the person said comes in: at once, or when the hooks have let it.
    pub(super) fn comes_in(&mut self, said: Said) -> Option<Happened> {
        let wanted = || self.watch.hooks.wants(&Moment::UserPromptSubmit { prompt: said.text.clone() });
        if !self.watch.door_is_busy() && (self.seat.is_some() || self.watch.hooks.is_empty() || !wanted()) {
            return Some(Happened::Said(said));
        }
        self.watch.door.push_back(Entrant::Said(said));
        self.next_at_the_door();
        None
    }

    /// What hooks added to a message follows it.
    pub(super) fn prompt_context(&mut self, said: &Said) {
        self.reminders.extend(said.context.iter().map(|text| context(HookEvent::UserPromptSubmit, text)));
    }

    /// The person interrupted: who waits at the door is sent away.
    pub(super) fn clear_the_door(&mut self) {
        let door = std::mem::take(&mut self.watch.door);
        let (said, others): (Vec<_>, Vec<_>) = door.into_iter().partition(|one| matches!(one, Entrant::Said(_)));
        self.watch.door = others.into();
        for one in said {
            self.sent_away(matches!(one, Entrant::Said(said) if said.silent));
        }
        if let Some(asking) = &self.watch.asking {
            asking.cancel();
        }
    }

    fn next_at_the_door(&mut self) {
        while self.watch.asking.is_none() {
            let Some(entrant) = self.watch.door.pop_front() else { return };
            let moment = match &entrant {
                Entrant::Start(source) => Some(Moment::SessionStart { source }),
                Entrant::Agent => self.agent_moment(),
                // An agent's task is not the user's prompt.
                Entrant::Said(_) if self.seat.is_some() => None,
                Entrant::Said(said) => Some(Moment::UserPromptSubmit { prompt: said.text.clone() }),
            };
            if let Some(moment) = moment.filter(|moment| self.watch.hooks.wants(moment)) {
                let cancel = CancellationToken::new();
                self.watch.asking = Some(cancel.clone());
                self.watch.about_message = matches!(entrant, Entrant::Said(_));
                self.ask_hooks(moment, cancel, move |reply| Hooked::Entrant { entrant, reply });
            } else if let Entrant::Said(said) = entrant {
                self.pending.push_back(Happened::Said(said));
            }
        }
    }

    fn entrant_hooked(&mut self, entrant: Entrant, reply: Option<Reply>) {
        self.watch.asking = None;
        match (entrant, reply) {
            (Entrant::Start(_) | Entrant::Agent, None) => {}
            (Entrant::Start(_), Some(reply)) => self.start_hooked(HookEvent::SessionStart, &reply),
            (Entrant::Agent, Some(reply)) => self.start_hooked(HookEvent::SubagentStart, &reply),
            (Entrant::Said(said), None) => self.sent_away(said.silent),
            (Entrant::Said(mut said), Some(reply)) => {
                reply.told.iter().for_each(|told| self.notice(Level::Warning, told));
                match reply.block.or(reply.stop) {
                    Some(why) => self.held_back(&why, said.silent),
                    None => {
                        said.context = reply.context;
                        self.pending.push_back(Happened::Said(said));
                    }
                }
            }
        }
        self.next_at_the_door();
    }

    /// There is nothing to block: the words count.
    fn start_hooked(&mut self, event: HookEvent, reply: &Reply) {
        let blocked = reply.block.as_ref().or(reply.stop.as_ref());
        blocked.iter().for_each(|why| self.notice(Level::Warning, &format!("A {} hook said: {why}", event.name())));
        self.take_words(event, reply);
    }

    /// A message that a hook held back is not recorded and not sent. Whoever waits for a turn gets one that ended at once.
    fn held_back(&mut self, why: &str, silent: bool) {
        let text = format!("Not sent: a hook held your message back: {why}");
        self.notice(Level::Warning, &text);
        if !silent {
            self.turn_of_nothing(EndReason::Completed, text);
        }
    }

    /// The person interrupted while hooks were asked about a message, or while it waited for that (AG-4).
    fn sent_away(&mut self, silent: bool) {
        self.notice(Level::Info, "Not sent: interrupted.");
        if !silent {
            self.turn_of_nothing(EndReason::Interrupted { in_tools: false }, String::new());
        }
    }

    fn turn_of_nothing(&mut self, reason: EndReason, text: String) {
        if self.turn.idle() {
            self.tally.begin();
            self.hub.emit(EventKind::TurnStarted);
            let ended = self.tally.end(reason, 0, self.plan_at_end());
            self.hub.emit(EventKind::TurnEnded(cutonce_core::event::Ended { text, ..ended }));
        }
    }

    /// PlanSubmitted: a hook may send a plan back before anybody is asked; none can approve it.
    pub(super) fn before_plan(&mut self, n: Option<usize>, shown: Shown) {
        let request = &shown.request;
        let moment = Moment::PlanSubmitted {
            plan: request.plan.clone(),
            plan_file_path: request.plan_file_path.clone(),
            sha256: request.sha256.clone(),
            revision: request.revision,
        };
        if !self.watch.hooks.wants(&moment) {
            return self.show_plan(n, shown.request, shown.previous, shown.draft);
        }
        let (cancel, shown) = (self.batch_cancel(), Box::new(shown));
        self.ask_hooks(moment, cancel, move |reply| Hooked::Plan { n, shown, reply });
    }

    fn plan_hooked(&mut self, n: Option<usize>, shown: Shown, reply: Option<Reply>) {
        let path = shown.request.plan_file_path.clone();
        let Some(reply) = reply else {
            self.planner.approval.withdraw();
            return self.not_approved(n, &approval::NoAnswer::Interrupted, &path);
        };
        self.take_words(HookEvent::PlanSubmitted, &reply);
        // The user changed the mode meanwhile: that withdrew it, and their mode stands (PM-80).
        if self.planner.approval.open().is_none() {
            let message = approval::withdrawn(self.mode.mode());
            return self.plan_sent_back(n, "the mode was changed meanwhile", message);
        }
        match reply.block.or(reply.stop) {
            Some(reason) => {
                self.planner.approval.send_back();
                let message = format!(
                    "A hook of the user sent the plan back before it was shown: {reason}\n\nRevise the plan at {path} and submit it again."
                );
                self.plan_sent_back(n, "a hook sent the plan back", message);
            }
            None => self.show_plan(n, shown.request, shown.previous, shown.draft),
        }
    }

    fn plan_sent_back(&mut self, n: Option<usize>, reason: &str, message: String) {
        match n {
            Some(n) => self.deny_call(n, Denied { why: why(reason), message }),
            None => self.notice(Level::Warning, &message),
        }
    }
}

impl Driver {
    /// Ask hooks while still listening to the person; None: they interrupted.
    async fn hear_hooks(&mut self, moment: Moment) -> Option<Reply> {
        let (hooks, input) = (self.hall.watch.hooks.clone(), self.hall.hook_input(moment));
        let mut fire = pin!(hooks.fire(&input));
        loop {
            tokio::select! {
                reply = &mut fire => return Some(reply),
                submission = self.hall.inbox.recv(), if self.hall.inbox_open => match submission {
                    None => self.hall.inbox_open = false,
                    Some(Submission::Interrupt) => {
                        self.hall.stop_agents();
                        return None;
                    }
                    Some(submission) => self.hall.while_requesting(submission),
                },
            }
        }
    }

    /// Stop: the model wants to end its turn. A hook that blocks this gives the model something to go on with, a bounded number of times.
    pub(super) async fn before_stop(&mut self, happened: Happened) -> Happened {
        if !matches!(&happened, Happened::Answered { calls, over_budget: false } if calls.is_empty()) {
            return happened;
        }
        let stop_hook_active = self.hall.watch.stops > 0;
        let last_assistant_message = self.hall.tally.text().to_string();
        let moment = match &self.hall.seat {
            Some(seat) => Moment::SubagentStop {
                agent_id: seat.me.id.clone(),
                agent_type: seat.me.name.clone(),
                stop_hook_active,
                last_assistant_message,
            },
            None => Moment::Stop { stop_hook_active, last_assistant_message },
        };
        let event = moment.event();
        // A turn that may make no further request ends, whoever objects.
        if self.hall.turn.at_limit() || !self.hall.watch.hooks.wants(&moment) {
            return happened;
        }
        let Some(reply) = self.hear_hooks(moment).await else { return Happened::Interrupted };
        self.hall.take_words(event, &reply);
        match reply.block.filter(|_| reply.stop.is_none()) {
            Some(_) if self.hall.watch.stops >= MOST_STOPS => {
                let text = format!("Stop hooks kept this turn going {MOST_STOPS} times; it ends now.");
                self.hall.notice(Level::Warning, &text);
            }
            Some(reason) => {
                self.hall.watch.stops += 1;
                let text = format!("A hook of the user does not let this turn end yet: {reason}");
                // Queued while the request is open, it goes on in the same turn.
                self.hall.turn.step(Happened::Said(Said::meta(text)));
            }
            None => {}
        }
        happened
    }

    /// PreCompact: the focus of the summary, with what hooks add; or what happens instead of a summary.
    pub(super) async fn before_compaction(
        &mut self,
        focus: Option<String>,
        automatic: bool,
    ) -> Result<Option<String>, Happened> {
        let trigger = if automatic { "auto" } else { "manual" };
        let moment = Moment::PreCompact { trigger, custom_instructions: focus.clone().unwrap_or_default() };
        if !self.hall.watch.hooks.wants(&moment) {
            return Ok(focus);
        }
        let Some(mut reply) = self.hear_hooks(moment).await else { return Err(Happened::Interrupted) };
        let added = std::mem::take(&mut reply.context);
        self.hall.take_words(HookEvent::PreCompact, &reply);
        if let Some(why) = reply.block.or(reply.stop) {
            self.hall.notice(Level::Warning, &format!("Not compacted: a hook held it off: {why}"));
            // To the turn it is as if it had been done: the request goes out as it is.
            return Err(Happened::Compacted);
        }
        let all: Vec<String> = focus.into_iter().chain(added).collect();
        Ok((!all.is_empty()).then(|| all.join("\n")))
    }
}

/// What a PreToolUse hook said, applied to a decision: it can make an ask of what would run, and answer an open ask; no more. The plan
/// tools and questions ask a person anyway.
pub(super) fn as_hooks_say(decision: Decision, mode: Mode, reply: &Reply, asked: Option<Facts>) -> Decision {
    let asks_anyway = |facts: &Facts| plan::is_barrier(&facts.tool) || matches!(facts.access, Access::Question);
    match (reply.permission, asked.filter(|facts| !asks_anyway(facts))) {
        (Some(Permission::Allow), _) => decision.allowed_by_hook(mode, &reply.reason),
        (Some(Permission::Ask), Some(facts)) => decision.asking(facts, &reply.reason),
        (Some(Permission::Ask | Permission::Deny) | None, _) => decision,
    }
}

/// A hook's words as the model reads them: data of a program, not the user's words.
pub(super) fn context(event: HookEvent, text: &str) -> (String, String) {
    ("hook".into(), format!("From the user's {} hook:\n{text}", event.name()))
}

fn text_of(part: &ResultPart) -> Option<&str> {
    match part {
        ResultPart::Text { text } => Some(text),
        ResultPart::Image(_) => None,
    }
}

fn why(reason: &str) -> Why {
    Why { reason: reason.into(), rule: None, source: None }
}
