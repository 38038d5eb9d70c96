//! End of a run without an approver (PM-76): `-p` and `cutonce plan`.

use crate::plan::PlanContent;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadlessResult {
    pub text: String,
    pub exit_code: i32,
}

/// Result of a turn that ended in plan mode, with or without a submission; the session stays in plan mode. `answer`
/// is the model's last text. `plan_wanted`: the run was started to get a plan (`cutonce plan`).
pub fn headless_result(found: &PlanContent, path: &str, answer: &str, plan_wanted: bool) -> HeadlessResult {
    match found {
        PlanContent::Text(text) => HeadlessResult { text: text.clone(), exit_code: 0 },
        PlanContent::Missing if plan_wanted => {
            HeadlessResult { text: format!("No plan was written ({path})."), exit_code: 1 }
        }
        PlanContent::Missing => HeadlessResult { text: answer.to_string(), exit_code: 0 },
        PlanContent::Unreadable(why) => {
            HeadlessResult { text: format!("The plan file {path} can't be read: {why}"), exit_code: 1 }
        }
    }
}

/// The text of `cutonce plan` on stderr about the plan that it printed: where it is and how to implement it.
pub fn describe_plan(slug: &str, path: &str, sha256: &str) -> String {
    format!("plan: {slug}\npath: {path}\nsha256: {sha256}\nnext: cutonce implement {slug}")
}
