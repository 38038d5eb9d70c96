//! Which reminder is due, and its text (PM-90 to PM-100). The words are in reminders/*.md.
//!
//! A reminder is a message for the model inside `<system-reminder>` tags, which the transcript's replay puts around it,
//! and a `reminder` entry. After that entry is written the mode machine is told ([`crate::mode::Event::ReminderSent`]).

mod workflow;

pub use crate::mode::ReminderKind;
pub use workflow::{Counts, Instructions, counts, workflow};

use crate::mode::State;
use crate::plan::Found;
use crate::template::fill;
use crate::transcript::Body;

/// A plan_mode reminder goes with every fifth human turn (PM-91), and every fifth of them is full (PM-92).
const EVERY: u32 = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reminder {
    pub kind: ReminderKind,
    /// Of a plan_mode reminder.
    pub form: Option<Form>,
    pub path: Option<String>,
    pub exists: Option<bool>,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Full,
    Sparse,
    Subagent,
    /// The built-in one that goes out where no other could be made (PM-100).
    Short,
}

impl Form {
    pub fn name(self) -> &'static str {
        match self {
            Form::Full => "full",
            Form::Sparse => "sparse",
            Form::Subagent => "subagent",
            Form::Short => "short",
        }
    }
}

impl Reminder {
    /// The entry of the transcript.
    pub fn entry(&self) -> Body {
        Body::Reminder {
            kind: self.kind.name().into(),
            form: self.form.map(|form| form.name().into()),
            path: self.path.clone(),
            exists: self.exists,
            text: self.text.clone(),
        }
    }
}

/// What a reminder is made from. A request is about to be sent.
#[derive(Debug, Clone)]
pub struct Context<'a> {
    pub path: &'a str,
    pub found: &'a Found,
    pub instructions: &'a Instructions,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Due {
    /// In the order in which the model reads them.
    pub reminders: Vec<Reminder>,
    /// What could not be made, for the user and the log (PM-100).
    pub trouble: Vec<String>,
}

pub fn due(state: &State, context: &Context) -> Due {
    let mut due = Due::default();
    if state.needs_auto_exit_reminder() {
        due.reminders.push(auto_mode_exit());
    }
    if let Some(text) = context.found.text().filter(|_| state.needs_plan_reference()) {
        due.reminders.push(plan_file_reference(context.path, text));
    }
    if !state.in_plan() {
        if state.needs_exit_reminder() {
            due.reminders.push(exit(context.path, context.found.text().is_some()));
        }
        return due;
    }
    if state.reminders() > 0 && state.turns_since_reminder() < EVERY {
        return due;
    }
    // The flag falls with the first reminder of the stay: a plan written after that is not an old one (PM-93).
    if state.has_exited_plan() && context.found.text().is_some() {
        due.reminders.push(reentry(context.path));
    }
    let form = if state.reminders().is_multiple_of(EVERY) { Form::Full } else { Form::Sparse };
    match plan_mode(form, context) {
        Ok(reminder) => due.reminders.push(reminder),
        Err(why) => {
            due.reminders.push(short(context.path));
            due.trouble.push(why);
        }
    }
    due
}

fn plan_mode(form: Form, context: &Context) -> Result<Reminder, String> {
    let exists = match context.found {
        Found::Nothing => false,
        Found::Plan(_) => true,
        Found::Unreadable(why) => {
            return Err(format!(
                "The plan file {} can't be read ({why}). Plan mode holds; the model got a short reminder.",
                context.path
            ));
        }
    };
    let text = match form {
        Form::Full => context.instructions.full(context.path, exists)?,
        Form::Sparse | Form::Subagent | Form::Short => context.instructions.sparse(context.path),
    };
    Ok(Reminder {
        kind: ReminderKind::PlanMode,
        form: Some(form),
        path: Some(context.path.into()),
        exists: Some(exists),
        text,
    })
}

fn short(path: &str) -> Reminder {
    let text = fill(include_str!("reminders/short.md").trim_end(), &[("path", path)]);
    let form = Some(Form::Short);
    Reminder { kind: ReminderKind::PlanMode, form, path: Some(path.into()), exists: None, text }
}

/// For a subagent's first request in plan mode; `path` is its own file (PM-42).
pub fn subagent(path: &str, exists: bool) -> Reminder {
    let there = if exists { "exists already" } else { "does not exist yet" };
    let text = fill(include_str!("reminders/subagent.md").trim_end(), &[("path", path), ("exists", there)]);
    let form = Some(Form::Subagent);
    Reminder { kind: ReminderKind::PlanMode, form, path: Some(path.into()), exists: Some(exists), text }
}

fn reentry(path: &str) -> Reminder {
    let text = fill(include_str!("reminders/reentry.md").trim_end(), &[("path", path)]);
    Reminder { kind: ReminderKind::PlanModeReentry, form: None, path: Some(path.into()), exists: Some(true), text }
}

fn exit(path: &str, exists: bool) -> Reminder {
    let plan = if exists { include_str!("reminders/exit_plan.md").trim_end() } else { "" };
    let plan = fill(plan, &[("path", path)]);
    let text = fill(include_str!("reminders/exit.md").trim_end(), &[("plan", &plan)]);
    Reminder { kind: ReminderKind::PlanModeExit, form: None, path: Some(path.into()), exists: Some(exists), text }
}

fn plan_file_reference(path: &str, plan: &str) -> Reminder {
    let text = fill(include_str!("reminders/plan_file_reference.md").trim_end(), &[("path", path), ("plan", plan)]);
    Reminder { kind: ReminderKind::PlanFileReference, form: None, path: Some(path.into()), exists: Some(true), text }
}

/// The plan inside the text of a plan_file_reference (PM-48).
pub(crate) fn referenced_plan(text: &str) -> Option<&str> {
    text.split_once("\n\n").map(|(_, plan)| plan)
}

fn auto_mode_exit() -> Reminder {
    let text = include_str!("reminders/auto_mode_exit.md").trim_end().into();
    Reminder { kind: ReminderKind::AutoModeExit, form: None, path: None, exists: None, text }
}

#[cfg(test)]
mod tests;
