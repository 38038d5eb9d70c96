//! The `/plan` and `/mode` commands (PM-20 to PM-26). The caller performs the [`CommandOutcome`] in order:
//! mode event, reply, plan, editor, message.

mod plans;

pub use plans::{PLANS_USAGE, PlanListCommand};

use crate::commands::SlashCommand;
use crate::mode::{Mode, ModeEvent, ModeState};
use crate::plan::PlanContent;
use crate::protocol::submission::ChangedBy;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModeCommand {
    Plan(PlanCommand),
    /// `/mode X`, with X as typed; empty asks for the current mode.
    Mode(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanCommand {
    Bare,
    /// Exactly `/plan open`.
    Open,
    /// Exactly `/plan off`.
    Off,
    /// Exactly `/plan amend`: change the plan that is being implemented (PC-40).
    Amend,
    /// `/plan submit`, or with the name of a plan: review it again without the model (PC-41).
    Submit(Option<String>),
    /// `/plan switch NAME`: another plan becomes the session's own (PC-41).
    Switch(String),
    /// `/plan park`, or with the name of a plan (PC-41).
    Park(Option<String>),
    Describe(String),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandOutcome {
    pub event: Option<ModeEvent>,
    /// Reply for the user only.
    pub reply: Option<String>,
    /// Show the plan under [`CURRENT_PLAN`], with its path and this hint (PM-24).
    pub show_plan: Option<PlanDisplay>,
    /// Open the plan in the editor (PM-25), then reply with [`editor_opened`] or [`editor_failed`].
    pub open_editor: bool,
    /// The next user message.
    pub send_message: Option<String>,
    /// Something to do with a plan as a whole (PC-41).
    pub act: Option<PlanAct>,
}

/// What the user wants with a plan; the session's own without a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanAct {
    /// Review it again, without the model.
    Submit(Option<String>),
    Switch(String),
    Park(Option<String>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanDisplay {
    pub plan: String,
    /// Hint about `/plan open`, if an editor is known.
    pub hint: Option<String>,
}

pub const PLAN_MODE_ENABLED: &str = "Enabled plan mode";
pub const NO_PLAN_YET: &str = "Already in plan mode. No plan written yet.";
/// Start of the reply if the plan file can't be read (PM-43).
const UNREADABLE_PLAN: &str = "Already in plan mode. The plan file can't be read";
pub const CURRENT_PLAN: &str = "Current Plan";

impl ModeCommand {
    /// The meaning of `/plan` and `/mode` with these arguments; `None` for other commands.
    pub fn from_slash(command: SlashCommand, words: &str) -> Option<ModeCommand> {
        match command {
            SlashCommand::Plan => Some(ModeCommand::Plan(PlanCommand::parse(words))),
            SlashCommand::Mode => Some(ModeCommand::Mode(words.trim().into())),
            _ => None,
        }
    }
}

impl PlanCommand {
    /// Parses the arguments of `/plan`.
    pub fn parse(words: &str) -> PlanCommand {
        match words.trim() {
            "" => PlanCommand::Bare,
            "open" => PlanCommand::Open,
            "off" => PlanCommand::Off,
            "amend" => PlanCommand::Amend,
            "submit" => PlanCommand::Submit(None),
            "park" => PlanCommand::Park(None),
            words => named_plan(words).unwrap_or_else(|| PlanCommand::Describe(words.into())),
        }
    }
}

/// `submit NAME`, `switch NAME` or `park NAME`. Plan names have hyphens, so a task such as `submit the form` is none.
fn named_plan(words: &str) -> Option<PlanCommand> {
    let (word, name) = words.split_once(' ')?;
    let name = Some(name.trim().to_string()).filter(|name| super::is_plan_name(name) && name.contains('-'));
    match word {
        "submit" => name.map(|name| PlanCommand::Submit(Some(name))),
        "park" => name.map(|name| PlanCommand::Park(Some(name))),
        "switch" => name.map(PlanCommand::Switch),
        _ => None,
    }
}

/// Evaluates a command. `editor` is the editor that `/plan open` would use, if known.
pub fn evaluate_command(
    command: ModeCommand,
    state: &ModeState,
    found: &PlanContent,
    editor: Option<&str>,
) -> CommandOutcome {
    match command {
        ModeCommand::Mode(name) => change_mode(&name, state),
        ModeCommand::Plan(PlanCommand::Off) => leave_plan_mode(state),
        ModeCommand::Plan(PlanCommand::Submit(slug)) => act_on_plan(PlanAct::Submit(slug)),
        ModeCommand::Plan(PlanCommand::Switch(slug)) => act_on_plan(PlanAct::Switch(slug)),
        ModeCommand::Plan(PlanCommand::Park(slug)) => act_on_plan(PlanAct::Park(slug)),
        ModeCommand::Plan(command) if state.is_planning() => in_plan_mode(command, found, editor),
        ModeCommand::Plan(command) => CommandOutcome {
            event: Some(ModeEvent::Set { to: Mode::Plan, by: ChangedBy::User }),
            reply: Some(PLAN_MODE_ENABLED.into()),
            send_message: description(command),
            ..CommandOutcome::default()
        },
    }
}

fn act_on_plan(act: PlanAct) -> CommandOutcome {
    CommandOutcome { act: Some(act), ..CommandOutcome::default() }
}

fn in_plan_mode(command: PlanCommand, found: &PlanContent, editor: Option<&str>) -> CommandOutcome {
    let plan = match found {
        PlanContent::Text(plan) => plan,
        PlanContent::Missing | PlanContent::Unreadable(_) => {
            let reply = match found {
                PlanContent::Unreadable(why) => {
                    format!("{UNREADABLE_PLAN}: {why}. Ask for a new plan, or repair the file.")
                }
                _ => NO_PLAN_YET.into(),
            };
            return CommandOutcome {
                reply: Some(reply),
                send_message: description(command),
                ..CommandOutcome::default()
            };
        }
    };
    if command == PlanCommand::Open {
        return CommandOutcome { open_editor: true, ..CommandOutcome::default() };
    }
    let hint = editor.map(|editor| format!("\"/plan open\" edits this plan in {editor}"));
    let show = Some(PlanDisplay { plan: plan.clone(), hint });
    CommandOutcome { show_plan: show, send_message: description(command), ..CommandOutcome::default() }
}

fn description(command: PlanCommand) -> Option<String> {
    match command {
        PlanCommand::Describe(words) => Some(words),
        PlanCommand::Bare
        | PlanCommand::Open
        | PlanCommand::Off
        | PlanCommand::Amend
        | PlanCommand::Submit(_)
        | PlanCommand::Switch(_)
        | PlanCommand::Park(_) => None,
    }
}

fn leave_plan_mode(state: &ModeState) -> CommandOutcome {
    if !state.is_planning() {
        return reply_only(format!("Not in plan mode; the mode is {}.", state.mode()));
    }
    let words = format!("Left plan mode; the mode is now {}.", state.mode_after_leaving().0);
    CommandOutcome { event: Some(ModeEvent::Leave { to: None, by: ChangedBy::User }), ..reply_only(words) }
}

fn change_mode(name: &str, state: &ModeState) -> CommandOutcome {
    let names = || Mode::ALL.into_iter().filter(|mode| state.check_available(*mode).is_ok()).map(Mode::name);
    let all = || names().collect::<Vec<_>>().join(", ");
    if name.is_empty() {
        let others: Vec<_> = names().filter(|name| *name != state.mode().name()).collect();
        return reply_only(format!("The mode is {}. Others: {}.", state.mode(), others.join(", ")));
    }
    let Some(to) = Mode::parse(name) else {
        return reply_only(format!("Unknown mode `{name}`; expected one of: {}.", all()));
    };
    if let Err(why) = state.check_available(to) {
        return reply_only(format!("The mode is still {}: {why}.", state.mode()));
    }
    if to == state.mode() {
        return reply_only(format!("Already in {to} mode."));
    }
    let words = if to == Mode::Plan { PLAN_MODE_ENABLED.into() } else { format!("The mode is now {to}.") };
    CommandOutcome { event: Some(ModeEvent::Set { to, by: ChangedBy::User }), ..reply_only(words) }
}

fn reply_only(words: String) -> CommandOutcome {
    CommandOutcome { reply: Some(words), ..CommandOutcome::default() }
}

/// Reply after the editor was opened (PM-25).
pub fn editor_opened(path: &str) -> String {
    format!("Opened plan in editor: {path}")
}

pub fn editor_failed(reason: &str) -> String {
    format!("Failed to open plan in editor: {reason}")
}

#[cfg(test)]
mod tests;
