//! What only hosts can say (HO-1): yes to a call with another input, a no word for word, other rules for the session.
//! None of it is a way around the decision: a changed call is decided like a new one, under the mode as of now.

use super::Hall;
use super::asks::{Open, OpenAsk};
use cutonce_core::event::{EndReason, Level};
use cutonce_core::hook::Reply;
use cutonce_core::host::{FolderChange, HostAnswer, RuleChange, RuleHow};
use cutonce_core::mode::Mode;
use cutonce_core::permission::{Ask, Denied, Why};
use cutonce_core::plan;
use cutonce_core::rule::Source;
use cutonce_core::submission::{PermissionAnswer, QuestionsAnswer};
use cutonce_tools::tool::{Call, Outcome};
use serde_json::Value;
use std::time::Duration;

const NOT_ADDED: &str = "it is none of the added ones";

impl Hall {
    pub(super) fn host_answered(&mut self, ask: OpenAsk, answer: HostAnswer) {
        let OpenAsk { n, call, open, planning, .. } = ask;
        let Some(n) = n else { return };
        match (open, answer, call) {
            // PM-61: plan mode came meanwhile, and a host's yes to the call as it is does not lift it.
            (Open::Permission(_), HostAnswer::Allow { input: None }, Some(call))
                if !planning && self.mode_as_of_now() == Mode::Plan =>
            {
                self.decide_again(n, call);
            }
            (Open::Permission(ask), HostAnswer::Allow { input }, Some(call)) => self.host_allowed(n, call, ask, input),
            (Open::Questions(allowed), HostAnswer::Allow { .. }, Some(call)) => {
                self.run_call(n, call, allowed, Some(QuestionsAnswer::Skipped));
            }
            (Open::EnterPlan, HostAnswer::Allow { .. }, _) => self.enter_plan(n),
            (Open::EnterPlan, HostAnswer::Deny { message, interrupt }, _) => {
                let words = format!("{} {message}", plan::enter_declined());
                self.finish(n, Outcome::text(words.trim()), Duration::ZERO);
                self.end_if(interrupt);
            }
            (_, HostAnswer::Deny { message, interrupt }, _) => {
                let message = Some(message).filter(|words| !words.trim().is_empty());
                let message = message.unwrap_or_else(|| "The user refused this call.".into());
                let why = Why { reason: "the host refused it".into(), rule: None, source: None };
                self.deny_call(n, Denied { why, message });
                self.end_if(interrupt);
            }
            // `takes` lets no such pair through; a call that got lost must still get its result.
            (
                Open::Permission(_) | Open::Questions(_) | Open::Plan(_) | Open::TeamPlan(_) | Open::TeamCall,
                HostAnswer::Allow { .. },
                _,
            ) => {
                self.finish(
                    n,
                    Outcome::error("Not run: the answer to the question could not be used."),
                    Duration::ZERO,
                );
            }
        }
    }

    /// One agent with all below it, or one command in the background. What it leaves is told as its end always is.
    pub(super) fn stop_task(&self, id: &str) -> Result<(), String> {
        if self.agents.as_ref().is_some_and(|agents| agents.stop_one(id)) {
            return Ok(());
        }
        self.here.shells.stop(id)
    }

    fn end_if(&mut self, interrupt: bool) {
        if interrupt {
            self.end_asked(EndReason::Interrupted { in_tools: true });
        }
    }

    /// The host saw one call and may let another one run: whoever names the input has said yes to it, but neither
    /// a deny rule nor plan mode asks who said yes.
    fn host_allowed(&mut self, n: usize, call: Box<dyn Call>, ask: Ask, input: Option<Value>) {
        match input.and_then(|input| self.change_input(n, input)) {
            None => self.permission_answered(n, call, ask, PermissionAnswer::Allow { remember: vec![] }),
            Some(Ok(changed)) => match changed.fails(&self.here) {
                Some(text) => self.finish(n, Outcome::error(text), Duration::ZERO),
                None => self.judge_call(n, changed, &Reply::default(), Some("the host allowed it with another input")),
            },
            Some(Err(text)) => self.finish(n, Outcome::error(text), Duration::ZERO),
        }
    }

    /// Folders count from the next decision on, for this session and its agents.
    pub(super) fn change_folders(&mut self, change: FolderChange) {
        let FolderChange { add, folders } = change;
        for folder in folders {
            let done = match add {
                true => self.here.workspace.join(&folder),
                false => self.here.workspace.leave(&folder).and_then(|was| was.then_some(()).ok_or(NOT_ADDED.into())),
            };
            if let Err(why) = done {
                let what = if add { "not added to" } else { "not taken from" };
                self.notice(Level::Warning, &format!("The folder {folder:?} was {what} the workspace: {why}."));
            }
        }
        // Keys in them are hidden like those in the others (SB-2).
        self.hide_secrets();
    }

    /// Rules hold from the next decision on. What can't be stored in a file holds for this session, and is told.
    pub(super) fn change_rules(&mut self, change: RuleChange) {
        let RuleChange { how, behavior, rules, where_to } = change;
        if how == RuleHow::Replace {
            let ours = self.rules.rules().iter().filter(|rule| rule.source == Source::Session);
            let old: Vec<String> =
                ours.filter(|rule| rule.behavior == behavior).map(|rule| rule.text.clone()).collect();
            for text in old {
                self.unshare(behavior, &text);
            }
        }
        for rule in rules {
            if how == RuleHow::Remove {
                if !self.unshare(behavior, &rule) {
                    self.notice(Level::Warning, &format!("The rule {rule} is not one of this session's; it stays."));
                }
                continue;
            }
            if let Err(error) = self.places.remember(where_to, behavior, &rule) {
                self.notice(Level::Warning, &format!("The rule {rule} holds for this session only: {error}"));
            }
            if let Err(error) = self.share(behavior, &rule) {
                self.notice(Level::Warning, &format!("The rule {rule} was not stored: {error}"));
            }
        }
        // What Read and Grep hide follows the deny rules.
        self.hide_secrets();
    }
}
