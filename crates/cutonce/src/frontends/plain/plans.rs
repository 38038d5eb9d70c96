//! `/plans` in plain lines (PC-41): a numbered list, and what can be done with each plan.

use super::PlainFrontend;
use cutonce_agent::plan::{PlanRevisions, delete_plan, list_plans_for, nth_or_named};
use cutonce_core::plan::command::{ModeCommand, PLANS_USAGE, PlanCommand, PlanListCommand};
use cutonce_core::protocol::submission::Submission;
use cutonce_core::text::sanitize::one_line;

/// Rows of the list.
const MAX_ROWS: usize = 30;

impl PlainFrontend {
    pub(super) fn run_plans_command(&self, words: &str) {
        let plans = list_plans_for(&self.report.home, &self.report.cwd);
        let here = self.report.cwd.display().to_string();
        let named = |name: &str| nth_or_named(&plans, name);
        let command = match PlanListCommand::parse(words) {
            None => return self.print_notice(&format!("Usage: {PLANS_USAGE}")),
            Some(PlanListCommand::List) if plans.is_empty() => return self.print_notice("No plans yet."),
            Some(PlanListCommand::List) => {
                let rows = plans.iter().take(MAX_ROWS).enumerate().map(|(at, plan)| {
                    let project = plan.project.as_deref().filter(|project| *project != here);
                    let project = project.map(|project| format!("  [{project}]")).unwrap_or_default();
                    let state = plan.describe_state();
                    one_line(&format!("{:>2} {}  {state}  {}{project}", at + 1, plan.slug, plan.title))
                });
                let rows: Vec<String> = rows.collect();
                return self.print_notice(&format!("{}\n{PLANS_USAGE}", rows.join("\n")));
            }
            Some(PlanListCommand::Report(name)) => {
                let slug = named(&name);
                let told = match PlanRevisions::for_plan(&self.report.home, &slug).report() {
                    Ok(Some(report)) => report.text(),
                    Ok(None) => format!("{} was not implemented yet.", one_line(&slug)),
                    Err(error) => error.to_string(),
                };
                return self.print_notice(told.trim_end());
            }
            Some(PlanListCommand::Delete(name)) => {
                let slug = named(&name);
                let told = match delete_plan(&self.report.home, &slug, Some(self.session.id())) {
                    Ok(()) => format!("Deleted {}.", one_line(&slug)),
                    Err(error) => error.to_string(),
                };
                return self.print_notice(&told);
            }
            Some(PlanListCommand::Review(name)) => PlanCommand::Submit(Some(named(&name))),
            Some(PlanListCommand::Switch(name)) => PlanCommand::Switch(named(&name)),
            Some(PlanListCommand::Park(name)) => PlanCommand::Park(Some(named(&name))),
        };
        self.session.submit(Submission::mode_command(ModeCommand::Plan(command)));
    }
}
