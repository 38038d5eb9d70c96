//! Slash commands in a host's message (HO-1, UI-9): `/compact`, `/clear`, `/usage` and `/plan`, which have their own
//! result, and custom commands. Changing rights or the model needs a control request: text that a host
//! forwards must not do it.

use super::SdkHost;
use super::wire::InvalidMessage;
use cutonce_agent::config::commands::CustomCommand;
use cutonce_core::commands::{self, Frontend, SlashCommand, SlashLine};
use cutonce_core::conversation::Image;
use cutonce_core::exit_code::{FAILED, SUCCESS};
use cutonce_core::mode::Mode;
use cutonce_core::plan::command::{ModeCommand, PlanCommand};
use cutonce_core::protocol::event::EventKind;
use cutonce_core::protocol::submission::{ChangedBy, OnDone, Submission};
use std::sync::Arc;

/// A parsed message, or why it is invalid.
pub(super) type ParsedMessage = Result<HostCommand, InvalidMessage>;

#[derive(Debug)]
pub(super) enum HostCommand {
    /// Starts a turn or joins the conversation.
    Message(Submission),
    Compact {
        focus: Option<String>,
    },
    Clear,
    /// Shows what was used by day and project.
    Usage,
    /// Enters plan mode; with a message, a turn follows there.
    Plan(Option<Submission>),
}

/// Parses a message: built-in commands first, then custom ones.
pub(super) fn parse_message(submission: Submission, customs: &[CustomCommand]) -> ParsedMessage {
    let Submission::User { text, images } = submission else { return Ok(HostCommand::Message(submission)) };
    // Text with a space before the slash is no command: a host may quote one.
    let line = text.starts_with('/').then(|| commands::parse_line(Frontend::StreamJson, &text)).flatten();
    match line {
        Some(SlashLine::BuiltIn(SlashCommand::Plan, words)) => return parse_plan(words, images),
        Some(SlashLine::BuiltIn(SlashCommand::Compact, words)) if images.is_empty() => {
            return Ok(HostCommand::Compact { focus: Some(words.to_string()).filter(|words| !words.is_empty()) });
        }
        Some(SlashLine::BuiltIn(SlashCommand::Clear, "")) if images.is_empty() => return Ok(HostCommand::Clear),
        Some(SlashLine::BuiltIn(SlashCommand::Usage, "")) if images.is_empty() => return Ok(HostCommand::Usage),
        Some(SlashLine::Custom("/mode", _)) => return Err(needs_request_error("/mode", "set_permission_mode")),
        Some(SlashLine::Custom("/model", _)) => return Err(needs_request_error("/model", "set_model")),
        Some(SlashLine::Custom(word, words)) => {
            if let Some(custom) = customs.iter().find(|custom| word[1..] == custom.name) {
                return Ok(HostCommand::Message(custom.to_submission(words, images)));
            }
        }
        Some(SlashLine::BuiltIn(..) | SlashLine::Text) | None => {}
    }
    Ok(HostCommand::Message(Submission::User { text, images }))
}

fn needs_request_error(command: &'static str, request: &'static str) -> InvalidMessage {
    InvalidMessage::NeedsControlRequest { command, request }
}

fn parse_plan(words: &str, images: Vec<Image>) -> ParsedMessage {
    match PlanCommand::parse(words) {
        PlanCommand::Describe(text) => Ok(HostCommand::Plan(Some(Submission::User { text, images }))),
        PlanCommand::Bare if images.is_empty() => Ok(HostCommand::Plan(None)),
        PlanCommand::Bare => Ok(HostCommand::Plan(Some(Submission::User { text: String::new(), images }))),
        PlanCommand::Off => Err(needs_request_error("/plan off", "set_permission_mode")),
        PlanCommand::Open => Err(InvalidMessage::NeedsEditor),
        // Entering plan mode during an implementation amends the plan (PC-40).
        PlanCommand::Amend => Err(needs_request_error("/plan amend", "set_permission_mode")),
        PlanCommand::Submit(_) | PlanCommand::Switch(_) | PlanCommand::Park(_) => {
            Err(needs_request_error("/plan submit", "set_permission_mode"))
        }
    }
}

/// A running command.
pub(super) struct RunningCommand {
    mark: u64,
    what: HostCommandKind,
    /// The expected event was seen.
    done: bool,
    /// Notices since its start: the text of its result.
    notices: Vec<String>,
    /// The message that starts a turn afterwards, with the host's id.
    follow_up: Option<(Submission, Option<String>)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HostCommandKind {
    Compact,
    Clear,
    Usage,
    Plan,
}

impl RunningCommand {
    pub fn observe_event(&mut self, event: &EventKind) {
        match event {
            EventKind::Notice { text, .. } => self.notices.push(text.clone()),
            EventKind::CurrentPlan { plan, .. } => self.notices.push(plan.clone()),
            EventKind::Compacted { automatic: false, .. } => self.done |= self.what == HostCommandKind::Compact,
            EventKind::Cleared => self.done |= self.what == HostCommandKind::Clear,
            _ => {}
        }
    }
    pub fn has_mark(&self, mark: u64) -> bool {
        self.mark == mark
    }
}

impl SdkHost {
    /// Runs a command; nothing else starts before its result.
    pub(super) fn run_command(&mut self, called: HostCommand, uuid: Option<String>) {
        self.busy = true;
        let (what, then) = match called {
            HostCommand::Message(words) => return self.submit_message(words, uuid),
            HostCommand::Compact { focus } => {
                self.announce_command();
                self.peer.write(&self.frames.compacting_frame());
                let (mark, tell) = self.control.new_mark();
                let told = Some(OnDone(Arc::new(move |_| tell())));
                self.session.submit(Submission::Compact { focus, on_done: told });
                let what = HostCommandKind::Compact;
                self.command = Some(RunningCommand { mark, what, done: false, notices: Vec::new(), follow_up: None });
                return;
            }
            HostCommand::Clear => {
                self.announce_command();
                self.session.submit(Submission::Clear);
                (HostCommandKind::Clear, None)
            }
            HostCommand::Usage => {
                self.announce_command();
                let text = cutonce_agent::storage::usage_report(self.session.home());
                let mark = self.submit_mark();
                let (what, done, notices) = (HostCommandKind::Usage, true, vec![text]);
                self.command = Some(RunningCommand { mark, what, done, notices, follow_up: None });
                return;
            }
            HostCommand::Plan(None) => {
                self.announce_command();
                self.session.submit(Submission::mode_command(ModeCommand::Plan(PlanCommand::Bare)));
                (HostCommandKind::Plan, None)
            }
            HostCommand::Plan(Some(words)) => {
                self.session.submit(Submission::SetMode { mode: Mode::Plan, by: ChangedBy::User });
                (HostCommandKind::Plan, Some((words, uuid)))
            }
        };
        let mark = self.submit_mark();
        self.command = Some(RunningCommand { mark, what, done: false, notices: Vec::new(), follow_up: then });
    }

    fn announce_command(&mut self) {
        self.send_state("running");
        self.peer.write(&self.frames.init_frame());
    }

    /// The session has processed the command; its effects have been seen.
    pub(super) fn finish_command(&mut self, carried: RunningCommand) {
        let RunningCommand { what, done, notices: told, follow_up: then, .. } = carried;
        let done = done || (what == HostCommandKind::Plan && self.frames.mode() == Mode::Plan.name());
        let began = match then {
            Some((words, uuid)) if done => return self.submit_message(words, uuid),
            then => then.is_none(),
        };
        if !began {
            self.announce_command();
        }
        let told = told.join("\n");
        let end = match (done, told.is_empty()) {
            (true, _) => Ok(told),
            (false, false) => Err(told),
            (false, true) => Err("The command failed.".to_string()),
        };
        self.busy = false;
        // An exit code set by a signal or a missing host stays.
        if !self.host_missing {
            self.code = if end.is_ok() { SUCCESS } else { FAILED };
        }
        self.peer.write(&self.frames.command_result_frame(end));
        self.start_next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_1_messages_can_not_change_rights() {
        let kind = |text: &str| match parse_message(Submission::User { text: text.into(), images: vec![] }, &[]) {
            Ok(HostCommand::Message(_)) => "words".to_string(),
            Ok(HostCommand::Compact { focus }) => format!("compact {focus:?}"),
            Ok(HostCommand::Clear) => "clear".into(),
            Ok(HostCommand::Usage) => "usage".into(),
            Ok(HostCommand::Plan(words)) => format!("plan {}", words.is_some()),
            Err(why) => why.to_string().split_whitespace().last().unwrap_or_default().to_string(),
        };
        for (text, expected) in [
            ("hello /compact", "words"),
            ("/compact", "compact None"),
            ("/compact  the tests ", "compact Some(\"the tests\")"),
            ("/compactly said", "words"),
            ("/clear", "clear"),
            ("/clear the table", "words"),
            ("/usage", "usage"),
            ("/plan", "plan false"),
            ("/plan fix it", "plan true"),
            ("/plan off", "`set_permission_mode`."),
            ("/mode bypassPermissions", "`set_permission_mode`."),
            ("/model x", "`set_model`."),
            ("/usr/bin is broken", "words"),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
        // A message composed by a program never calls a command.
        let composed = Submission::HostMessage { text: "/clear".into(), images: vec![], verbatim: true, silent: false };
        assert!(matches!(parse_message(composed, &[]), Ok(HostCommand::Message(Submission::HostMessage { .. }))));
    }
}
