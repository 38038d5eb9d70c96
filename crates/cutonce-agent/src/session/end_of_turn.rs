//! Whether a turn may end: subagents in the background, Stop hooks and structured output may continue it (HO-1, HO-7).

use super::SessionState;
use super::events::TaskResult;
use super::parts::Approver;
use cutonce_core::hooks::{HookAnswer, HookEvent, HookPayload};
use cutonce_core::protocol::event::NoticeLevel;
use cutonce_core::turn::TurnEvent;

/// How often hooks may keep one turn from ending.
const MAX_REFUSED_ENDS: u32 = 10;

impl SessionState {
    /// The model made no calls. Ends with `EndConfirmed`, `EndRefused` or `Failed`.
    pub(super) fn confirm_end(&mut self) {
        // A message that arrived meanwhile continues the turn anyway.
        if self.turn.has_queued() {
            return self.pending.push_back(TurnEvent::EndConfirmed);
        }
        if self.waits_for_agents() {
            self.tasks.awaiting_agents = true;
            return;
        }
        if self.steps_hold_end() {
            return;
        }
        let moment = self.stop_moment();
        // A turn that may make no further request ends, even if a hook objects.
        if self.turn.at_limit() || !self.hooks.wants(&moment) {
            return self.end_unless_output_missing();
        }
        let (event, fire) = (moment.event(), self.fire_hooks(moment));
        self.start_task(async move { TaskResult::StopHooked { event, reply: fire.await } });
    }

    /// Without a user who starts the next turn, this one continues until the subagents in the background have ended.
    fn waits_for_agents(&self) -> bool {
        let alone = matches!(self.context.approver, Approver::Absent | Approver::Lead);
        alone && self.context.agents.as_ref().is_some_and(|agents| agents.any_in_background())
    }

    /// Continues the end of the turn once no subagent is left to wait for, or one has sent its answer.
    pub(super) fn recheck_agents(&mut self) {
        if self.tasks.awaiting_agents && (self.turn.has_queued() || !self.waits_for_agents()) {
            self.tasks.awaiting_agents = false;
            self.confirm_end();
        }
    }

    fn stop_moment(&self) -> HookPayload {
        let stop_hook_active = self.hooks.has_refused_end();
        let last_assistant_message = self.model.usage.text().to_string();
        match &self.subagent {
            Some(handle) => HookPayload::SubagentStop {
                agent_id: handle.me.id.clone(),
                agent_type: handle.me.name.clone(),
                stop_hook_active,
                last_assistant_message,
            },
            None => HookPayload::Stop { stop_hook_active, last_assistant_message },
        }
    }

    /// A hook that blocks the end gives the model something to continue with, a limited number of times.
    pub(super) fn stop_hooked(&mut self, event: HookEvent, reply: HookAnswer) {
        self.report_hook_reply(event, &reply);
        let Some(reason) = reply.block.filter(|_| reply.stop.is_none()) else {
            return self.end_unless_output_missing();
        };
        if !self.hooks.refuse_end(MAX_REFUSED_ENDS) {
            let text = format!("Stop hooks kept this turn going {MAX_REFUSED_ENDS} times; it ends now.");
            self.notice(NoticeLevel::Warning, &text);
            return self.end_unless_output_missing();
        }
        let message = format!("The user's hook wants more before this turn ends: {reason}");
        self.pending.push_back(TurnEvent::EndRefused { message });
    }

    fn end_unless_output_missing(&mut self) {
        let event = self.demand_structured_output().unwrap_or(TurnEvent::EndConfirmed);
        self.pending.push_back(event);
    }
}
