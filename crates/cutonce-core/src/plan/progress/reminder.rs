//! Reminders of open steps (PC-33, PC-34): at most 300 bytes and the titles.

use super::{PlanProgress, StepState};

/// Maximum number of titles in a reminder.
const MAX_TITLES: usize = 20;

impl PlanProgress {
    /// Short reminder during the implementation; `None` if nothing is open.
    pub fn reminder(&self) -> Option<String> {
        let list = self.open_list()?;
        Some(format!(
            "Steps of the approved plan that are not done:\n{list}\nFollow the plan. If it must change, say so."
        ))
    }

    /// Reminder for a model that ends its turn while steps are open.
    pub fn end_of_turn_reminder(&self) -> Option<String> {
        let list = self.open_list()?;
        Some(format!(
            "The turn is about to end, but steps of the approved plan are not done:\n{list}\nFinish them and run their checks, or say which step can't be done and why."
        ))
    }

    fn open_list(&self) -> Option<String> {
        let open = self.open_work();
        let mut lines: Vec<String> = open
            .iter()
            .take(MAX_TITLES)
            .map(|(step, state)| {
                let mark = if *state == StepState::Failed { " (check failed)" } else { "" };
                format!("{}. {}{mark}", step.id, step.title)
            })
            .collect();
        if open.len() > MAX_TITLES {
            lines.push(format!("and {} more", open.len() - MAX_TITLES));
        }
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}
