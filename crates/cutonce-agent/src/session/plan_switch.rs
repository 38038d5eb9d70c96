//! Switching between plans (PC-41): another plan becomes the session's own, or a plan is parked.

use super::SessionState;
use crate::plan::{PlanError, park_plan};
use cutonce_core::mode::{self, Mode};
use cutonce_core::plan::command::PlanAct;
use cutonce_core::protocol::event::NoticeLevel;
use cutonce_core::protocol::submission::ChangedBy;

impl SessionState {
    /// Carries out what the user wants with a plan as a whole. Nothing happens while the agent works.
    pub(super) fn act_on_plan(&mut self, act: PlanAct) {
        if let PlanAct::Submit(slug) = act {
            return self.submit_again(slug);
        }
        if !self.turn.idle() || self.is_teammate() {
            let text = "Plans can't be switched or parked now: the agent is working, or its lead must approve plans.";
            return self.notice(NoticeLevel::Warning, text);
        }
        let done = match act {
            PlanAct::Submit(_) => return,
            PlanAct::Switch(slug) => self.work_on(&slug),
            PlanAct::Park(slug) => self.park(slug),
        };
        match done {
            Ok(text) => self.notice(NoticeLevel::Info, &text),
            Err(error) => self.notice(NoticeLevel::Warning, &format!("Nothing changed: {error}")),
        }
    }

    /// Another plan becomes the session's own. One that is being implemented is parked.
    fn work_on(&mut self, slug: &str) -> Result<String, PlanError> {
        let before = self.implemented_plan();
        self.switch_plan(slug)?;
        if let Some(before) = before.filter(|before| before != slug) {
            self.end_implementation();
            park_plan(self.planner.files.home(), &before)?;
        }
        if !self.mode.is_planning() {
            self.mode_event(mode::ModeEvent::Set { to: Mode::Plan, by: ChangedBy::User });
        }
        let own = self.planner.file.as_ref().map(|file| file.slug().to_string()).unwrap_or_default();
        Ok(format!("The plan is now {own}. A message changes it; `/plan submit` reviews it."))
    }

    /// Parks a plan, the session's own without a name: its review is closed and its implementation ends.
    fn park(&mut self, slug: Option<String>) -> Result<String, PlanError> {
        let own = self.planner.file.as_ref().map(|file| file.slug().to_string());
        let Some(slug) = slug.or_else(|| self.implemented_plan()).or_else(|| own.clone()) else {
            return Ok("There is no plan to park yet.".into());
        };
        park_plan(self.planner.files.home(), &slug)?;
        if self.implemented_plan().as_ref() == Some(&slug) {
            self.end_implementation();
        }
        if own.as_ref() == Some(&slug) {
            self.close_reviews("the plan was parked");
            if self.mode.is_planning() {
                self.mode_event(mode::ModeEvent::Leave { to: None, by: ChangedBy::User });
            }
        }
        Ok(format!("Parked {slug}. `/plan submit {slug}` reviews it again."))
    }
}
