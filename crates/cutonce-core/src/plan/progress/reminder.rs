//! Reminders of open steps (PC-33, PC-34): at most 300 bytes and the titles.

use super::{PlanProgress, StepState};

/// Titles in the reminder at the end of a turn.
const MAX_TITLES: usize = 20;
/// Titles in the reminder during the work: it stays in the conversation, so each request pays for it again.
const NEXT_TITLES: usize = 3;

impl PlanProgress {
    /// Short reminder during the implementation; `None` if nothing is open.
    pub fn reminder(&self) -> Option<String> {
        let list = self.open_list(NEXT_TITLES)?;
        Some(format!("Open plan steps:\n{list}\nIf the plan must change, say so."))
    }

    /// Reminder for a model that ends its turn while steps are open.
    pub fn end_of_turn_reminder(&self) -> Option<String> {
        let list = self.open_list(MAX_TITLES)?;
        Some(format!(
            "The turn is about to end, but steps of the approved plan are not done:\n{list}\nFinish them and run their checks, or say which step can't be done and why."
        ))
    }

    fn open_list(&self, most: usize) -> Option<String> {
        let open = self.open_work();
        let mut lines: Vec<String> = open
            .iter()
            .take(most)
            .map(|(step, state)| {
                let mark = if *state == StepState::Failed { " (check failed)" } else { "" };
                format!("{}. {}{mark}", step.id, step.title)
            })
            .collect();
        if open.len() > most {
            lines.push(format!("and {} more", open.len() - most));
        }
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}
