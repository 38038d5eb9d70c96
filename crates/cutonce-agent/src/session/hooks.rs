//! Hooks in the session (HO-7): runs them as tasks and carries out what their replies mean. Nothing here decides about
//! a call: a changed input is parsed and decided again, an `allow` goes through cutonce-core's `call` and `permission`,
//! and only users approve a plan. Input that hooks may hold back is in `pending_inputs`.

use super::SessionState;
use super::call_runner::CallReport;
use super::events::SessionEvent;
use super::pending_inputs::PendingInputs;
use crate::hooks::HookSet;
use cutonce_core::call::{CallEvent, CallRole, CallState};
use cutonce_core::conversation::ResultPart;
use cutonce_core::hooks::{HookAnswer, HookEvent, HookInput, HookPayload, HookPermission};
use cutonce_core::protocol::event::NoticeLevel;
use cutonce_core::turn::UserInput;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::task::TaskTracker;

/// The hooks of a session and what runs of them.
pub(super) struct HookState {
    hooks: Arc<HookSet>,
    transcript: PathBuf,
    pub inputs: PendingInputs,
    /// How often hooks kept the current turn from ending.
    refused_ends: u32,
    /// Hooks that nothing waits for.
    notified: TaskTracker,
}

impl HookState {
    pub fn new(hooks: Arc<HookSet>, transcript: PathBuf) -> Self {
        Self { hooks, transcript, inputs: PendingInputs::default(), refused_ends: 0, notified: TaskTracker::new() }
    }
    /// True if there are no hooks at all, so nothing must be made ready for them.
    pub fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }
    pub fn wants(&self, moment: &HookPayload) -> bool {
        self.hooks.wants(moment)
    }
    /// True while user input is queued for hooks or its hooks are running.
    pub fn input_pending(&self) -> bool {
        self.inputs.any()
    }
    /// True if a message is among it.
    pub fn message_pending(&self) -> bool {
        self.inputs.any_message()
    }
    pub fn turn_began(&mut self) {
        self.refused_ends = 0;
    }
    pub fn has_refused_end(&self) -> bool {
        self.refused_ends > 0
    }
    /// Counts one more refusal; false if there were too many.
    pub fn refuse_end(&mut self, most: u32) -> bool {
        let allowed = self.refused_ends < most;
        self.refused_ends += u32::from(allowed);
        allowed
    }
    /// Waits until notified hooks have ended and reported.
    pub async fn wait_for_notified(&self) {
        self.notified.close();
        self.notified.wait().await;
    }
}

impl SessionState {
    fn hook_input(&self, moment: HookPayload) -> HookInput {
        HookInput {
            session_id: self.context.id.to_string(),
            transcript_path: self.hooks.transcript.display().to_string(),
            cwd: self.context.env.workspace.root.display().to_string(),
            permission_mode: self.mode.mode(),
            payload: moment,
        }
    }

    /// Runs the hooks for this moment; dropping the future ends them.
    pub(super) fn fire_hooks(&self, moment: HookPayload) -> impl Future<Output = HookAnswer> + Send + 'static {
        let (hooks, input) = (self.hooks.hooks.clone(), self.hook_input(moment));
        async move { hooks.run_all(&input).await }
    }

    /// Runs the hooks of a call; an interrupt of the batch ends them without a report.
    fn fire_call_hooks(
        &self,
        n: usize,
        moment: HookPayload,
        report: impl FnOnce(HookAnswer) -> CallReport + Send + 'static,
    ) {
        let (fire, cancel, send) = (self.fire_hooks(moment), self.calls.cancel.clone(), self.call_reporter(n));
        tokio::spawn(async move {
            if let Some(reply) = cancel.run_until_cancelled(fire).await {
                send(report(reply));
            }
        });
    }

    /// Runs hooks that nothing waits for.
    pub(super) fn notify_hooks(&mut self, moment: HookPayload) {
        if !self.hooks.wants(&moment) {
            return;
        }
        let (event, fire, events) = (moment.event(), self.fire_hooks(moment), self.events.clone());
        self.hooks.notified.spawn(async move {
            let _ = events.send(SessionEvent::HooksNotified { event, reply: fire.await });
        });
    }

    pub(super) fn hooks_notified(&mut self, event: HookEvent, mut reply: HookAnswer) {
        let blocked = reply.block.take().or(reply.stop.take());
        reply.user_messages.extend(blocked.map(|why| format!("A {} hook said: {why}", event.name())));
        self.report_hook_reply(event, &reply);
    }

    /// Something waits for the user.
    pub(super) fn notify_waiting(&mut self, notification_type: &'static str, message: String) {
        self.notify_hooks(HookPayload::Notification { message, notification_type });
    }

    /// The session ends, or starts over.
    pub(super) fn session_ends(&mut self, reason: &'static str) {
        if self.subagent.is_none() {
            self.notify_hooks(HookPayload::SessionEnd { reason });
        }
    }

    /// Shows a reply's messages to the user and adds its context for the model.
    pub(super) fn report_hook_reply(&mut self, event: HookEvent, reply: &HookAnswer) {
        for text in &reply.user_messages {
            self.notice(NoticeLevel::Warning, text);
        }
        self.memory.reminders.extend(reply.context.iter().map(|text| context(event, text)));
    }

    /// Adds the context that hooks gave to a message.
    pub(super) fn prompt_context(&mut self, input: &UserInput) {
        let added = input.context.iter().map(|text| context(HookEvent::UserPromptSubmit, text));
        self.memory.reminders.extend(added);
    }

    /// PreToolUse: before anything is decided about the call.
    pub(super) fn run_pre_hook(&mut self, n: usize) {
        if self.hooks.is_empty() {
            return self.pre_hooked(n, HookAnswer::default());
        }
        let (tool_name, tool_input, tool_use_id) = self.calls.facts(n);
        let moment = HookPayload::PreToolUse { tool_name, tool_input, tool_use_id };
        if !self.hooks.wants(&moment) {
            return self.pre_hooked(n, HookAnswer::default());
        }
        self.fire_call_hooks(n, moment, CallReport::PreHooked);
    }

    pub(super) fn pre_hooked(&mut self, n: usize, reply: HookAnswer) {
        self.report_hook_reply(HookEvent::PreToolUse, &reply);
        if !refuses(&reply)
            && let Err(text) = self.change_input_by_hook(n, reply.updated_input.as_ref())
        {
            return self.step_call(n, CallEvent::Failed(text));
        }
        let mode = self.mode_as_of_now();
        self.step_call(n, CallEvent::PreHooked { mode, reply: Box::new(reply) });
    }

    /// PermissionRequest: a user is about to be asked about the call.
    pub(super) fn run_permission_hook(&mut self, n: usize) {
        let Some(CallState::PermissionHook { ask, .. }) = self.calls.state(n) else { return };
        // The suggestions of the narrowest choice alone: they belong together.
        let permission_suggestions = ask.suggestions.first().map(|one| one.rules.clone()).unwrap_or_default();
        let (tool_name, tool_input, tool_use_id) = self.calls.facts(n);
        let moment = HookPayload::PermissionRequest { tool_name, tool_input, tool_use_id, permission_suggestions };
        if !self.hooks.wants(&moment) {
            return self.permission_hooked(n, HookAnswer::default());
        }
        self.fire_call_hooks(n, moment, CallReport::PermissionHooked);
    }

    pub(super) fn permission_hooked(&mut self, n: usize, reply: HookAnswer) {
        self.report_hook_reply(HookEvent::PermissionRequest, &reply);
        let yes = reply.permission == Some(HookPermission::Allow) && !refuses(&reply);
        let input_changed = match self.change_input_by_hook(n, reply.updated_input.as_ref().filter(|_| yes)) {
            Ok(changed) => changed,
            Err(text) => return self.step_call(n, CallEvent::Failed(text)),
        };
        let now = self.call_now(n);
        self.step_call(n, CallEvent::PermissionHooked { now, reply: Box::new(reply), input_changed });
    }

    /// Replaces the input of a call by that of a hook; true if there was one. Plan tools take no input (PM-70).
    fn change_input_by_hook(&mut self, n: usize, input: Option<&Value>) -> Result<bool, String> {
        let (name, ..) = self.calls.facts(n);
        let Some(input) = input.filter(|_| !CallRole::is_session_tool(&name)) else { return Ok(false) };
        let changed = self.change_input(n, input.clone());
        changed.map(|()| true).map_err(|why| format!("A hook changed the input of this call. {why}"))
    }

    /// PostToolUse, PostToolUseFailure: the call ran; its result is recorded when the hooks have answered.
    pub(super) fn run_post_hook(&mut self, n: usize) {
        let nothing = |event| CallEvent::PostHooked { stop: None, event };
        let Some((outcome, took)) = self.outcome(n).filter(|_| !self.hooks.is_empty()) else {
            return self.step_call(n, nothing(HookEvent::PostToolUse));
        };
        let (tool_name, tool_input, tool_use_id) = self.calls.facts(n);
        let (content, duration_ms) = (self.redacted(outcome.content.clone()), took.as_millis() as u64);
        let moment = if outcome.is_error {
            let error = content.iter().filter_map(text_of).collect::<Vec<_>>().join("\n");
            HookPayload::PostToolUseFailure { tool_name, tool_input, tool_use_id, error, duration_ms }
        } else {
            let tool_response = serde_json::json!({"content": content, "display": outcome.display});
            HookPayload::PostToolUse { tool_name, tool_input, tool_response, tool_use_id, duration_ms }
        };
        let event = moment.event();
        if !self.hooks.wants(&moment) {
            return self.step_call(n, nothing(event));
        }
        self.fire_call_hooks(n, moment, move |reply| CallReport::PostHooked { event, reply });
    }

    pub(super) fn post_hooked(&mut self, n: usize, event: HookEvent, reply: &HookAnswer) {
        self.report_hook_reply(event, reply);
        if let Some(text) = &reply.updated_output {
            self.replace_output(n, text.clone());
        }
        if let Some(reason) = &reply.block {
            let (name, ..) = self.calls.facts(n);
            let text = format!("The user's {} hook objected to {name} and said: {reason}", event.name());
            self.memory.reminders.push(("hook".into(), text));
        }
        self.step_call(n, CallEvent::PostHooked { stop: reply.stop.clone(), event });
    }
}

fn refuses(reply: &HookAnswer) -> bool {
    reply.stop.is_some() || reply.permission == Some(HookPermission::Deny)
}

/// A hook's text as the model reads it: data of a program, not a message of the user.
fn context(event: HookEvent, text: &str) -> (String, String) {
    ("hook".into(), format!("From the user's {} hook:\n{text}", event.name()))
}

fn text_of(part: &ResultPart) -> Option<&str> {
    match part {
        ResultPart::Text { text } => Some(text),
        ResultPart::Image(_) => None,
    }
}
