//! The result of a headless run in plan mode (PM-76): the plan is what it prints, and without one it failed.

use super::PrintRun;
use cutonce_core::plan::approval;
use cutonce_core::protocol::event::{EndReason, TurnSummary};
use cutonce_core::text::sanitize::sanitize;

/// Text and path of the plan that the turn left, if there is one.
pub(super) fn written_text(ended: &TurnSummary) -> Option<(&str, &str)> {
    let plan = ended.plan.as_ref()?;
    Some((plan.content.text()?, plan.path.as_str()))
}

impl PrintRun {
    /// Returns an error text if a run that wanted a plan ended without one, or with an unreadable one (PM-76).
    pub(super) fn missing_text_error(&self, ended: &TurnSummary) -> Option<String> {
        // An interrupted or failed run has its own reason.
        if ended.reason != EndReason::Completed {
            return None;
        }
        let Some(plan) = &ended.plan else {
            return self.options.wants_planning.then(|| "No plan was written.".to_string());
        };
        let said = approval::headless_result(&plan.content, &plan.path, &ended.text, self.options.wants_planning);
        (said.exit_code != 0).then_some(said.text)
    }

    /// Says on stderr where the plan is and how to implement it (PM-76).
    pub(super) fn report_written(&self, ended: &TurnSummary) {
        if let (true, Some(plan)) = (self.options.wants_planning, &ended.plan)
            && let Some(sha256) = plan.content.sha256()
        {
            eprintln!("{}", sanitize(&approval::describe_plan(&plan.slug, &plan.path, &sha256)));
        }
    }
}
