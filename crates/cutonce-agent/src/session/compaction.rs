//! Compaction: replaces the conversation by a summary and what is kept with it (AG-8).

use super::SessionState;
use super::events::TaskResult;
use super::model_request::{RequestTask, text_of};
use super::tasks::Compaction;
use cutonce_core::conversation::{Message, ModelResponse, ResultPart, SharedMessage, ToolResult};
use cutonce_core::hooks::{HookAnswer, HookEvent, HookPayload};
use cutonce_core::protocol::event::{EventKind, NoticeLevel};
use cutonce_core::protocol::submission::OnDone;
use cutonce_core::transcript::{EntryBody, compacted_message};
use cutonce_core::turn::TurnEvent;
use cutonce_core::{mode, prompts};
use cutonce_models::{FaultKind, ModelError};
use std::sync::Arc;

impl SessionState {
    /// A summary is requested; between turns only.
    pub(super) fn request_compaction(&mut self, focus: Option<String>, told: Option<OnDone>) {
        match told {
            Some(told) if !self.turn.idle() => {
                (told.0)(Err("The conversation can be compacted between turns only.".into()));
            }
            told => self.tasks.compaction_done = told,
        }
        self.pending.push_back(TurnEvent::CompactRequested { focus });
    }

    /// Asks PreCompact hooks first, then the model.
    pub(super) fn start_compaction(&mut self, focus: Option<String>, automatic: bool) {
        if self.conversation.messages.is_empty() {
            self.notice(NoticeLevel::Info, "There is nothing to compact yet.");
            return self.compaction_over(TurnEvent::Compacted);
        }
        let trigger = if automatic { "auto" } else { "manual" };
        let moment = HookPayload::PreCompact { trigger, custom_instructions: focus.clone().unwrap_or_default() };
        let before = self.conversation.context();
        self.tasks.compaction = Some(Compaction { focus, automatic, before });
        if !self.hooks.wants(&moment) {
            return self.start_summary();
        }
        let fire = self.fire_hooks(moment);
        self.start_task(async move { TaskResult::CompactHooked(fire.await) });
    }

    pub(super) fn compact_hooked(&mut self, mut reply: HookAnswer) {
        let added = std::mem::take(&mut reply.context);
        self.report_hook_reply(HookEvent::PreCompact, &reply);
        if let Some(why) = reply.block.or(reply.stop) {
            self.notice(NoticeLevel::Warning, &format!("Not compacted: a hook blocked it: {why}"));
            // For the turn it counts as done: the request is sent as it is.
            return self.compaction_over(TurnEvent::Compacted);
        }
        if let Some(compaction) = &mut self.tasks.compaction {
            let all: Vec<String> = compaction.focus.take().into_iter().chain(added).collect();
            compaction.focus = (!all.is_empty()).then(|| all.join("\n"));
        }
        self.start_summary();
    }

    pub(super) fn start_summary(&mut self) {
        let automatic = self.tasks.compaction.as_ref().is_some_and(|compaction| compaction.automatic);
        // The turn ends before its next request (PC-12).
        if automatic && self.budget_used_up() {
            return self.compaction_over(TurnEvent::Compacted);
        }
        if self.await_budget() {
            return;
        }
        let focus = self.tasks.compaction.as_ref().and_then(|compaction| compaction.focus.clone());
        let request = self.model_request(Vec::new(), false);
        let whole = self.conversation.messages.clone();
        self.start_task(async move { TaskResult::Summarized(summarize(request, whole, focus.as_deref()).await) });
    }

    pub(super) fn summarized(&mut self, response: Result<ModelResponse, ModelError>) {
        let _until_counted = self.tasks.reservation.take();
        self.count_attempts(response.is_ok());
        if let Ok(response) = &response {
            let cost = self.model.connected.info.cost(&response.usage);
            self.context.standing.budget.spend(cost);
            self.model.usage.summary(&response.model, response.usage, cost);
        }
        self.report_totals();
        let event = match response {
            Ok(response) if !text_of(&response.blocks).trim().is_empty() => {
                self.replace_by_summary(&text_of(&response.blocks));
                TurnEvent::Compacted
            }
            Ok(_) => self.no_summary("The model gave no summary."),
            Err(error) => self.no_summary(&error.message),
        };
        self.compaction_over(event);
    }

    /// Aborts the compaction; the conversation stays as it is.
    pub(super) fn stop_compaction(&mut self) {
        let _until_counted = self.tasks.reservation.take();
        self.tasks.stop();
        self.count_attempts(false);
        self.report_totals();
        self.notice(NoticeLevel::Info, "The conversation was not compacted: it was interrupted.");
        self.tasks.compaction = None;
        self.report_compaction(Err("The conversation was not compacted.".into()));
    }

    /// Reports a failure to the caller that waits for the compaction. Notices gave the reason.
    fn compaction_over(&mut self, event: TurnEvent) {
        self.tasks.compaction = None;
        self.report_compaction(Err("The conversation was not compacted.".into()));
        self.pending.push_back(event);
    }

    /// Calls the callback at most once.
    fn report_compaction(&mut self, how: Result<(), String>) {
        if let Some(told) = self.tasks.compaction_done.take() {
            (told.0)(how);
        }
    }

    /// Between turns there is no `TurnEnded` event, so the error is reported here.
    pub(super) fn no_summary(&mut self, why: &str) -> TurnEvent {
        let automatic = self.tasks.compaction.take().is_some_and(|compaction| compaction.automatic);
        let message = format!(
            "The conversation could not be compacted: {why} Start over with /clear, or resume an earlier point."
        );
        if !automatic {
            self.notice(NoticeLevel::Error, &message);
        }
        TurnEvent::CompactionFailed { message }
    }

    fn replace_by_summary(&mut self, summary: &str) {
        let (before, automatic) =
            self.tasks.compaction.as_ref().map_or((0, false), |compaction| (compaction.before, compaction.automatic));
        let todos = self.todos();
        let root = self.context.env.workspace.root.clone();
        let shown = |path: &std::path::PathBuf| path.strip_prefix(&root).unwrap_or(path).display().to_string();
        let files = self.memory.files.iter().rev().map(shown).collect();
        let said: Vec<&str> = self.memory.user_messages.iter().map(String::as_str).collect();
        let kept = prompts::render_kept_context(&prompts::KeptContext { user_messages: said, todos: &todos, files });
        self.append(EntryBody::Compaction { summary: summary.into(), kept: kept.clone() });
        self.record_open_review();
        self.mode_event(mode::ModeEvent::Compacted);
        self.remind_steps_soon();
        self.conversation.clear();
        self.conversation.push(compacted_message(summary, &kept));
        self.record_usage();
        self.sync();
        let (after, cost) = (self.conversation.context(), self.model.usage.cost());
        self.emit(EventKind::Compacted { before, after, automatic, cost });
        self.report_compaction(Ok(()));
        self.session_started("compact");
    }
}

/// Asks for the summary. If the conversation does not fit even for that, long results are cut, then the older half is
/// left out.
async fn summarize(
    mut request: RequestTask,
    whole: Vec<SharedMessage>,
    focus: Option<&str>,
) -> Result<ModelResponse, ModelError> {
    let half = whole.len() / 2;
    let mut attempts = vec![whole.clone(), shortened(&whole)];
    attempts.extend(Some(shortened(&whole[half..])).filter(|rest| !rest.is_empty()));
    let last = attempts.len() - 1;
    for (n, mut messages) in attempts.into_iter().enumerate() {
        messages.push(Arc::new(Message::user_text(prompts::compaction_prompt(focus))));
        request.messages = messages;
        match request.run().await {
            Err(error) if error.kind == FaultKind::TooLong && n < last => {}
            result => return result,
        }
    }
    let message = "There is nothing to summarize.".into();
    Err(ModelError { message, status: None, kind: FaultKind::TooLong })
}

/// The same conversation with long tool results cut, starting at a message of the user.
fn shortened(messages: &[SharedMessage]) -> Vec<SharedMessage> {
    const KEEP: usize = 600;
    let from = messages.iter().position(|message| matches!(**message, Message::User { .. })).unwrap_or(messages.len());
    let cut = |message: &SharedMessage| match &**message {
        Message::Tool(result) if result.as_text().len() > KEEP => {
            let text: String = result.as_text().chars().take(KEEP).collect();
            let content = vec![ResultPart::Text { text: format!("{text}\n[cut]") }];
            Arc::new(Message::Tool(ToolResult { content, ..result.clone() }))
        }
        Message::Tool(_) | Message::User { .. } | Message::Assistant { .. } => message.clone(),
    };
    messages[from..].iter().map(cut).collect()
}
