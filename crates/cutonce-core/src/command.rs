//! `/plan` and `/mode`: what was typed, and what comes of it (PM-20 to PM-26). Whoever reads the line does what the
//! [`Outcome`] says, in its order: the mode event, the words, the plan, the editor, the message.

use crate::mode::{Event, Mode, State};
use crate::plan::Found;
use crate::submission::By;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Plan(PlanCommand),
    /// `/mode X`, with X as typed; empty: which one is it?
    Mode(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanCommand {
    Plain,
    /// Exactly `/plan open`.
    Open,
    /// Exactly `/plan off`.
    Off,
    Describe(String),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    pub event: Option<Event>,
    /// For the user only.
    pub say: Option<String>,
    /// Show the plan under [`CURRENT_PLAN`], with its path and this hint (PM-24).
    pub show: Option<Show>,
    /// Open the plan in the editor (PM-25), then say [`opened`] or [`not_opened`].
    pub open: bool,
    /// The next user message.
    pub send: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Show {
    pub plan: String,
    /// Where an editor is known.
    pub hint: Option<String>,
}

pub const ENABLED: &str = "Enabled plan mode";
pub const NO_PLAN_YET: &str = "Already in plan mode. No plan written yet.";
pub const CURRENT_PLAN: &str = "Current Plan";

/// A line of the composer; None if it is neither of these commands.
pub fn parse(line: &str) -> Option<Command> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word {
        "/plan" => Some(Command::Plan(match rest {
            "" => PlanCommand::Plain,
            "open" => PlanCommand::Open,
            "off" => PlanCommand::Off,
            words => PlanCommand::Describe(words.into()),
        })),
        "/mode" => Some(Command::Mode(rest.into())),
        _ => None,
    }
}

/// `editor` is the name of the editor that `/plan open` would use, if one is known.
pub fn outcome(command: Command, state: &State, found: &Found, editor: Option<&str>) -> Outcome {
    match command {
        Command::Mode(name) => mode(&name, state),
        Command::Plan(PlanCommand::Off) => off(state),
        Command::Plan(command) if state.in_plan() => in_plan_mode(command, found, editor),
        Command::Plan(command) => Outcome {
            event: Some(Event::Set { to: Mode::Plan, by: By::User }),
            say: Some(ENABLED.into()),
            send: description(command),
            ..Outcome::default()
        },
    }
}

fn in_plan_mode(command: PlanCommand, found: &Found, editor: Option<&str>) -> Outcome {
    let Some(plan) = found.text() else {
        return Outcome { say: Some(NO_PLAN_YET.into()), send: description(command), ..Outcome::default() };
    };
    if command == PlanCommand::Open {
        return Outcome { open: true, ..Outcome::default() };
    }
    let hint = editor.map(|editor| format!("\"/plan open\" edits this plan in {editor}"));
    let show = Some(Show { plan: plan.into(), hint });
    Outcome { show, send: description(command), ..Outcome::default() }
}

fn description(command: PlanCommand) -> Option<String> {
    match command {
        PlanCommand::Describe(words) => Some(words),
        PlanCommand::Plain | PlanCommand::Open | PlanCommand::Off => None,
    }
}

fn off(state: &State) -> Outcome {
    if !state.in_plan() {
        return say(format!("Not in plan mode; the mode is {}.", state.mode()));
    }
    let words = format!("Left plan mode; the mode is now {}.", state.way_back().0);
    Outcome { event: Some(Event::Leave { by: By::User }), ..say(words) }
}

fn mode(name: &str, state: &State) -> Outcome {
    let names = || Mode::ALL.into_iter().filter(|mode| state.available(*mode).is_ok()).map(Mode::name);
    let all = || names().collect::<Vec<_>>().join(", ");
    if name.is_empty() {
        let others: Vec<_> = names().filter(|name| *name != state.mode().name()).collect();
        return say(format!("The mode is {}. Others: {}.", state.mode(), others.join(", ")));
    }
    let Some(to) = Mode::parse(name) else {
        return say(format!("There is no mode `{name}`; expected one of: {}.", all()));
    };
    if let Err(why) = state.available(to) {
        return say(format!("The mode is still {}: {why}.", state.mode()));
    }
    if to == state.mode() {
        return say(format!("Already in {to} mode."));
    }
    let words = if to == Mode::Plan { ENABLED.into() } else { format!("The mode is now {to}.") };
    Outcome { event: Some(Event::Set { to, by: By::User }), ..say(words) }
}

fn say(words: String) -> Outcome {
    Outcome { say: Some(words), ..Outcome::default() }
}

/// PM-25.
pub fn opened(path: &str) -> String {
    format!("Opened plan in editor: {path}")
}

pub fn not_opened(reason: &str) -> String {
    format!("Failed to open plan in editor: {reason}")
}

#[cfg(test)]
mod tests;
