//! Messages of a host that call a command by name (HO-1, UI-9): `/compact`, `/clear` and `/plan`, which have a result of their own, and the
//! commands of the user's own. What gives rights or chooses a model is a control request: words that a host passes on must not do it.

use super::Host;
use crate::headless::{DONE, FAILED};
use cutonce_agent::commands::Custom;
use cutonce_core::command::{self, Command, PlanCommand};
use cutonce_core::conversation::Image;
use cutonce_core::event::EventKind;
use cutonce_core::mode::Mode;
use cutonce_core::submission::{By, Submission, Told};
use std::sync::Arc;

/// What a message says, or why it can't be taken.
pub(super) type Said = Result<Called, String>;

#[derive(Debug)]
pub(super) enum Called {
    /// It begins a turn, or joins the conversation.
    Words(Submission),
    Compact {
        focus: Option<String>,
    },
    Clear,
    /// Into plan mode; there is nothing else to do, or these words begin a turn there.
    Plan(Option<Submission>),
}

/// What a message calls: ours first, then the user's own.
pub(super) fn called(submission: Submission, customs: &[Custom]) -> Said {
    let Submission::User { text, images } = submission else { return Ok(Called::Words(submission)) };
    let (word, words) = text.split_once(char::is_whitespace).unwrap_or((&text, ""));
    let words = words.trim();
    let Some(name) = word.strip_prefix('/') else { return Ok(Called::Words(Submission::User { text, images })) };
    match name {
        "compact" if images.is_empty() => {
            Ok(Called::Compact { focus: Some(words.to_string()).filter(|words| !words.is_empty()) })
        }
        "clear" if images.is_empty() && words.is_empty() => Ok(Called::Clear),
        "plan" => plan(text.trim(), images),
        "mode" => Err(by_request("/mode", "set_permission_mode")),
        "model" => Err(by_request("/model", "set_model")),
        name => Ok(Called::Words(match customs.iter().find(|custom| custom.name == name) {
            Some(custom) => custom.prompt(words, images),
            None => Submission::User { text, images },
        })),
    }
}

fn by_request(command: &str, request: &str) -> String {
    format!("{command} does nothing in a message of a program: send the control request `{request}`.")
}

fn plan(text: &str, images: Vec<Image>) -> Said {
    match command::parse(text) {
        Some(Command::Plan(PlanCommand::Describe(text))) => Ok(Called::Plan(Some(Submission::User { text, images }))),
        Some(Command::Plan(PlanCommand::Plain)) if images.is_empty() => Ok(Called::Plan(None)),
        Some(Command::Plan(PlanCommand::Plain)) => {
            Ok(Called::Plan(Some(Submission::User { text: String::new(), images })))
        }
        Some(Command::Plan(PlanCommand::Off)) => Err(by_request("/plan off", "set_permission_mode")),
        Some(Command::Plan(PlanCommand::Open)) => Err("/plan open needs an editor, and there is none here.".into()),
        Some(Command::Mode(_)) | None => Err(by_request("/plan", "set_permission_mode")),
    }
}

/// A command that is being carried out.
pub(super) struct Carried {
    mark: u64,
    what: What,
    /// It was done, as far as was seen.
    done: bool,
    /// What was told meanwhile: the words of its result.
    told: Vec<String>,
    /// Words that begin a turn then, with the host's id of the message.
    then: Option<(Submission, Option<String>)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Compact,
    Clear,
    Plan,
}

impl Carried {
    pub fn sees(&mut self, event: &EventKind) {
        match event {
            EventKind::Notice { text, .. } => self.told.push(text.clone()),
            EventKind::CurrentPlan { plan, .. } => self.told.push(plan.clone()),
            EventKind::Compacted { automatic: false, .. } => self.done |= self.what == What::Compact,
            EventKind::Cleared => self.done |= self.what == What::Clear,
            _ => {}
        }
    }
    pub fn is_marked(&self, mark: u64) -> bool {
        self.mark == mark
    }
}

impl Host {
    /// Nothing else begins before its result.
    pub(super) fn carry_out_command(&mut self, called: Called, uuid: Option<String>) {
        self.busy = true;
        let (what, then) = match called {
            Called::Words(words) => return self.say(words, uuid),
            Called::Compact { focus } => {
                self.command_begins();
                self.peer.write(&self.frames.compacting());
                let (mark, tell) = self.control.later();
                let told = Some(Told(Arc::new(move |_| tell())));
                self.session.submit(Submission::Compact { focus, told });
                let what = What::Compact;
                self.command = Some(Carried { mark, what, done: false, told: Vec::new(), then: None });
                return;
            }
            Called::Clear => {
                self.command_begins();
                self.session.submit(Submission::Clear);
                (What::Clear, None)
            }
            Called::Plan(None) => {
                self.command_begins();
                let command = Command::Plan(PlanCommand::Plain);
                self.session.submit(Submission::Command { command, editor: None });
                (What::Plan, None)
            }
            Called::Plan(Some(words)) => {
                self.session.submit(Submission::SetMode { mode: Mode::Plan, by: By::User });
                (What::Plan, Some((words, uuid)))
            }
        };
        let mark = self.mark();
        self.command = Some(Carried { mark, what, done: false, told: Vec::new(), then });
    }

    fn command_begins(&mut self) {
        self.state("running");
        self.peer.write(&self.frames.init());
    }

    /// It was taken up: what came of it is seen by now.
    pub(super) fn command_marked(&mut self, carried: Carried) {
        let Carried { what, done, told, then, .. } = carried;
        let done = done || (what == What::Plan && self.frames.mode() == Mode::Plan.name());
        let began = match then {
            Some((words, uuid)) if done => return self.say(words, uuid),
            then => then.is_none(),
        };
        if !began {
            self.command_begins();
        }
        let told = told.join("\n");
        let end = match (done, told.is_empty()) {
            (true, _) => Ok(told),
            (false, false) => Err(told),
            (false, true) => Err("The command could not be carried out.".to_string()),
        };
        self.busy = false;
        // What a signal or a missing host made of the exit code stays.
        if !self.missing {
            self.code = if end.is_ok() { DONE } else { FAILED };
        }
        self.peer.write(&self.frames.command_ended(end));
        self.rest();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_1_a_message_calls_only_what_gives_no_rights() {
        let kind = |text: &str| match called(Submission::User { text: text.into(), images: vec![] }, &[]) {
            Ok(Called::Words(_)) => "words".to_string(),
            Ok(Called::Compact { focus }) => format!("compact {focus:?}"),
            Ok(Called::Clear) => "clear".into(),
            Ok(Called::Plan(words)) => format!("plan {}", words.is_some()),
            Err(why) => why.split_whitespace().last().unwrap_or_default().to_string(),
        };
        for (text, expected) in [
            ("hello /compact", "words"),
            ("/compact", "compact None"),
            ("/compact  the tests ", "compact Some(\"the tests\")"),
            ("/compactly said", "words"),
            ("/clear", "clear"),
            ("/clear the table", "words"),
            ("/plan", "plan false"),
            ("/plan fix it", "plan true"),
            ("/plan off", "`set_permission_mode`."),
            ("/mode bypassPermissions", "`set_permission_mode`."),
            ("/model x", "`set_model`."),
            ("/usr/bin is broken", "words"),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
        // What a program put together calls nothing.
        let composed = Submission::Composed { text: "/clear".into(), images: vec![], verbatim: true, silent: false };
        assert!(matches!(called(composed, &[]), Ok(Called::Words(Submission::Composed { .. }))));
    }
}
