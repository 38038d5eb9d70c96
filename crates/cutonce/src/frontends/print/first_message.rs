//! The prompt of `-p`: text for the model, or a slash command by the same rules as a typed line (UI-9).

use super::FirstInput;
use crate::cli::usage::UsageError;
use crate::start::with_initial_prompt;
use cutonce_agent::builder::NamedCommands;
use cutonce_core::commands::{self, Frontend, SlashCommand, SlashLine};
use cutonce_core::plan::command::{ModeCommand, PlanCommand};
use cutonce_core::protocol::submission::{Submission, TaskAttachments};

/// Returns what a run submits first.
pub(super) fn to_submission(first: FirstInput, offered: &NamedCommands) -> Result<Submission, UsageError> {
    let (prompt, piped) = match first {
        FirstInput::Implement(chosen) => return Ok(Submission::Implement(chosen)),
        FirstInput::FromStdin(text) => return Ok(message(text, None, offered)),
        FirstInput::Message(prompt) => (prompt, None),
        FirstInput::Piped { prompt, piped } => (prompt, Some(piped)),
    };
    match commands::parse_line(Frontend::Print, &prompt) {
        Some(SlashLine::BuiltIn(command, words)) => plan_task(command, words, piped, offered),
        Some(SlashLine::Custom(word, words)) => custom_command(word, words, piped, offered),
        Some(SlashLine::Text) | None => Ok(message(prompt, piped, offered)),
    }
}

fn message(prompt: String, piped: Option<String>, offered: &NamedCommands) -> Submission {
    let (text, typed) = with_piped(prompt, piped);
    let text = with_initial_prompt(offered.initial_prompt.clone(), text);
    match typed {
        None => Submission::User { text, images: Vec::new() },
        typed => Submission::CustomCommand { text, images: Vec::new(), allow: Vec::new(), model: None, typed },
    }
}

/// Adds piped text, and returns the part that the user typed if there is another one.
fn with_piped(prompt: String, piped: Option<String>) -> (String, Option<String>) {
    match piped {
        None => (prompt, None),
        Some(piped) => (format!("{prompt}\n\n{piped}"), Some(prompt)),
    }
}

fn plan_task(
    command: SlashCommand,
    words: &str,
    piped: Option<String>,
    offered: &NamedCommands,
) -> Result<Submission, UsageError> {
    let Some(ModeCommand::Plan(PlanCommand::Describe(task))) = ModeCommand::from_slash(command, words) else {
        let why = "with -p, `/plan` takes a task: cutonce -p \"/plan TASK\". Its other forms need a conversation";
        return Err(UsageError(why.into()));
    };
    let (text, typed) = with_piped(task, piped);
    let text = with_initial_prompt(offered.initial_prompt.clone(), text);
    let attached = TaskAttachments { images: Vec::new(), typed };
    Ok(Submission::Command { command: ModeCommand::Plan(PlanCommand::Describe(text)), editor: None, attached })
}

fn custom_command(
    word: &str,
    words: &str,
    piped: Option<String>,
    offered: &NamedCommands,
) -> Result<Submission, UsageError> {
    let Some(custom) = offered.commands.iter().find(|custom| word[1..] == custom.name) else {
        let own = offered.commands.iter().map(|custom| custom.name.as_str());
        return Err(UsageError(commands::unknown_command_message(Frontend::Print, word, own)));
    };
    let mut called = custom.to_submission(words, Vec::new());
    if let Submission::CustomCommand { text, typed, .. } = &mut called {
        (*text, *typed) = with_piped(std::mem::take(text), piped);
        *text = with_initial_prompt(offered.initial_prompt.clone(), std::mem::take(text));
    }
    Ok(called)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_agent::config::commands::CustomCommand;

    #[test]
    fn ui_9_prompt_of_a_run_calls_commands() {
        let ship = CustomCommand { name: "ship".into(), body: "Ship $ARGUMENTS".into(), ..CustomCommand::default() };
        let mut offered = NamedCommands::default();
        offered.commands.push(ship);
        let meaning = |first: FirstInput| match to_submission(first, &offered) {
            Ok(Submission::Command { command: ModeCommand::Plan(PlanCommand::Describe(task)), attached, .. }) => {
                format!("plan {task:?} {:?}", attached.typed)
            }
            Ok(Submission::User { text, .. }) => format!("{text:?} None"),
            Ok(Submission::CustomCommand { text, typed, .. }) => format!("{text:?} {typed:?}"),
            Ok(other) => panic!("{other:?}"),
            Err(UsageError(why)) => why,
        };
        let typed = |prompt: &str| meaning(FirstInput::Message(prompt.into()));
        let piped = |prompt: &str| meaning(FirstInput::Piped { prompt: prompt.into(), piped: "@x".into() });
        assert_eq!(typed("fix it"), "\"fix it\" None");
        assert_eq!(typed("/plan fix it"), "plan \"fix it\" None");
        assert_eq!(piped("/plan fix it"), "plan \"fix it\\n\\n@x\" Some(\"fix it\")");
        assert_eq!(piped("/ship now"), "\"Ship now\\n\\n@x\" Some(\"Ship now\")");
        assert_eq!(typed("/usr/bin is broken"), "\"/usr/bin is broken\" None");
        assert_eq!(typed("/shipp"), "Unknown command /shipp; nothing was sent. Did you mean /ship?");
        assert_eq!(typed("/clear"), "/clear is not available here; nothing was sent.");
        assert!(typed("/plan").contains("takes a task") && typed("/plan off").contains("takes a task"));
        // Others can write what is piped: it calls nothing.
        assert_eq!(meaning(FirstInput::FromStdin("/ship now".into())), "\"/ship now\" None");
    }
}
