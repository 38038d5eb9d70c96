//! `/plans`: the plans of this folder.

use crate::app::App;
use cutonce_core::protocol::event::NoticeLevel;
use std::fmt::Write;

impl App {
    pub(super) fn print_plans(&mut self) {
        let here = self.environment.cwd.display().to_string();
        let plans = cutonce_agent::plan::list_plans(&self.environment.home);
        let mut told = String::new();
        for plan in plans.iter().filter(|plan| plan.project.as_deref().is_none_or(|project| project == here)).take(20) {
            let _ = writeln!(told, "{}  rev {}  {}  {}", plan.slug, plan.revision, plan.status.name(), plan.title);
        }
        let told = if told.is_empty() {
            "No plans in this folder yet.".into()
        } else {
            told + "Use `cutonce plans` to show and compare them."
        };
        self.print_notice(NoticeLevel::Info, &told);
    }
}
