//! Permission modes as the protocol describes them, and the commands `/plan` and `/mode`.

use super::prompt::{ParsedPrompt, PromptBlocks};
use agent_client_protocol::v1::schema as acp;
use cutonce_core::commands::SlashCommand;
use cutonce_core::mode::Mode;
use cutonce_core::plan::command::{ModeCommand, PlanCommand};
use cutonce_core::protocol::submission::{Submission, TaskAttachments};

pub(super) fn mode_state(current: Mode, available: &[Mode]) -> acp::SessionModeState {
    let one = |mode: &Mode| {
        let (name, about) = match mode {
            Mode::Default => ("Default", "Reads run; edits and commands need approval"),
            Mode::AcceptEdits => ("Accept edits", "Edits inside the workspace run without asking"),
            Mode::Plan => ("Plan", "Only the plan file changes until you approve the plan"),
            Mode::Auto => ("Auto", "A classifier decides what would need approval"),
            Mode::BypassPermissions => ("Bypass permissions", "Everything runs except what deny rules forbid"),
        };
        acp::SessionMode::new(mode.name(), name).description(about.to_string())
    };
    acp::SessionModeState::new(current.name(), available.iter().map(one).collect())
}

/// The meaning of `/plan` or `/mode` in a prompt; `None` for other commands.
pub(super) fn parse_command(command: SlashCommand, words: &str, said: &PromptBlocks) -> Option<ParsedPrompt> {
    Some(match ModeCommand::from_slash(command, words)? {
        ModeCommand::Plan(PlanCommand::Describe(_)) => describe_task(said),
        command => ParsedPrompt::Command(Box::new(Submission::mode_command(command))),
    })
}

/// `/plan TASK`, with everything that came with the task.
fn describe_task(said: &PromptBlocks) -> ParsedPrompt {
    let words = said.command_text.trim();
    let words = words.split_once(char::is_whitespace).map_or("", |(_, words)| words.trim());
    let command = ModeCommand::Plan(PlanCommand::Describe(said.with_attachments(words)));
    let attached = TaskAttachments { images: said.images.clone(), typed: said.typed_text() };
    ParsedPrompt::Command(Box::new(Submission::Command { command, editor: None, attached }))
}
