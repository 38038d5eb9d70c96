//! Decides which reminders are due and builds them (PM-90 to PM-100). The texts are in plan/texts/*.md.
//!
//! A reminder is a message for the model inside `<system-reminder>` tags, which the transcript's replay adds,
//! and a
//! `reminder` entry. After writing that entry, the session sends `ReminderSent` to the mode machine.

mod workflow;

pub use crate::mode::ReminderKind;
pub use workflow::{PlanAgentLimits, PlanInstructions, effective_workflow, plan_agent_limits};

use crate::mode::ModeState;
use crate::plan::PlanContent;
use crate::text::template::fill_template;
use crate::transcript::EntryBody;

/// Every fifth human turn carries a plan_mode reminder (PM-91), and every fifth of them is full (PM-92).
const REMINDER_INTERVAL: u32 = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reminder {
    pub kind: ReminderKind,
    /// Only for plan_mode reminders.
    pub form: Option<ReminderForm>,
    pub path: Option<String>,
    pub exists: Option<bool>,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReminderForm {
    Full,
    Sparse,
    Subagent,
    /// Built-in fallback if no other reminder could be built (PM-100).
    Short,
}

impl ReminderForm {
    pub fn name(self) -> &'static str {
        match self {
            ReminderForm::Full => "full",
            ReminderForm::Sparse => "sparse",
            ReminderForm::Subagent => "subagent",
            ReminderForm::Short => "short",
        }
    }
}

impl Reminder {
    /// The transcript entry of this reminder.
    pub fn to_entry(&self) -> EntryBody {
        EntryBody::Reminder {
            kind: self.kind.name().into(),
            form: self.form.map(|form| form.name().into()),
            path: self.path.clone(),
            exists: self.exists,
            text: self.text.clone(),
        }
    }
}

/// Input for building the reminders of the next request.
#[derive(Debug, Clone)]
pub struct ReminderContext<'a> {
    pub path: &'a str,
    pub content: &'a PlanContent,
    pub instructions: &'a PlanInstructions,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DueReminders {
    /// Reminders in the order in which the model reads them.
    pub reminders: Vec<Reminder>,
    /// Problems with building reminders, for the user and the log (PM-100).
    pub problems: Vec<String>,
}

pub fn due_reminders(state: &ModeState, context: &ReminderContext) -> DueReminders {
    let mut due = DueReminders::default();
    if state.needs_auto_exit_reminder() {
        due.reminders.push(auto_mode_exit_reminder());
    }
    if let Some(text) = context.content.text().filter(|_| state.needs_plan_reference()) {
        due.reminders.push(plan_file_reference_reminder(context.path, text));
    }
    if !state.is_planning() {
        if state.needs_exit_reminder() {
            due.reminders.push(exit_reminder(context.path, context.content.text().is_some()));
        }
        return due;
    }
    if state.reminder_count() > 0 && state.turns_since_reminder() < REMINDER_INTERVAL {
        return due;
    }
    // The first reminder of the stay clears the flag: a plan written after that is not an old one (PM-93).
    if state.has_exited_plan() && context.content.text().is_some() {
        due.reminders.push(reentry_reminder(context.path));
    }
    let form = if state.reminder_count().is_multiple_of(REMINDER_INTERVAL) {
        ReminderForm::Full
    } else {
        ReminderForm::Sparse
    };
    match plan_mode_reminder(form, context) {
        Ok(reminder) => due.reminders.push(reminder),
        Err(why) => {
            due.reminders.push(short_reminder(context.path, context.instructions.ending_tools()));
            due.problems.push(why);
        }
    }
    due
}

fn plan_mode_reminder(form: ReminderForm, context: &ReminderContext) -> Result<Reminder, String> {
    let exists = match context.content {
        PlanContent::Missing => false,
        PlanContent::Text(_) => true,
        PlanContent::Unreadable(why) => {
            return Err(format!(
                "The plan file {} can't be read ({why}). Plan mode stays on; the model got a short reminder.",
                context.path
            ));
        }
    };
    let text = match form {
        ReminderForm::Full => context.instructions.full_text(context.path, exists)?,
        ReminderForm::Sparse | ReminderForm::Subagent | ReminderForm::Short => {
            context.instructions.sparse_text(context.path)
        }
    };
    Ok(Reminder {
        kind: ReminderKind::PlanMode,
        form: Some(form),
        path: Some(context.path.into()),
        exists: Some(exists),
        text,
    })
}

fn short_reminder(path: &str, end: &str) -> Reminder {
    let text = fill_template(include_str!("../texts/short.md").trim_end(), &[("path", path), ("end", end)]);
    let form = Some(ReminderForm::Short);
    Reminder { kind: ReminderKind::PlanMode, form, path: Some(path.into()), exists: None, text }
}

/// Reminder for a subagent's first request in plan mode; `path` is its own file (PM-42).
pub fn subagent_reminder(path: &str, exists: bool) -> Reminder {
    let there = if exists { "already exists" } else { "does not exist yet" };
    let text = fill_template(include_str!("../texts/subagent.md").trim_end(), &[("path", path), ("exists", there)]);
    let form = Some(ReminderForm::Subagent);
    Reminder { kind: ReminderKind::PlanMode, form, path: Some(path.into()), exists: Some(exists), text }
}

fn reentry_reminder(path: &str) -> Reminder {
    let text = fill_template(include_str!("../texts/reentry.md").trim_end(), &[("path", path)]);
    Reminder { kind: ReminderKind::PlanModeReentry, form: None, path: Some(path.into()), exists: Some(true), text }
}

fn exit_reminder(path: &str, exists: bool) -> Reminder {
    let plan = if exists { include_str!("../texts/exit_plan.md").trim_end() } else { "" };
    let plan = fill_template(plan, &[("path", path)]);
    let text = fill_template(include_str!("../texts/exit.md").trim_end(), &[("plan", &plan)]);
    Reminder { kind: ReminderKind::PlanModeExit, form: None, path: Some(path.into()), exists: Some(exists), text }
}

fn plan_file_reference_reminder(path: &str, plan: &str) -> Reminder {
    let text =
        fill_template(include_str!("../texts/plan_file_reference.md").trim_end(), &[("path", path), ("plan", plan)]);
    Reminder { kind: ReminderKind::PlanFileReference, form: None, path: Some(path.into()), exists: Some(true), text }
}

/// The plan inside the text of a plan_file_reference reminder (PM-48).
pub(crate) fn plan_in_reference(text: &str) -> Option<&str> {
    text.split_once("\n\n").map(|(_, plan)| plan)
}

fn auto_mode_exit_reminder() -> Reminder {
    let text = include_str!("../texts/auto_mode_exit.md").trim_end().into();
    Reminder { kind: ReminderKind::AutoModeExit, form: None, path: None, exists: None, text }
}

#[cfg(test)]
mod tests;
