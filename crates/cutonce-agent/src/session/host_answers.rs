//! What only hosts can answer (HO-1): yes to a call with another input, a refusal word for word, other rules for the
//! session. A changed call is decided like a new one, under the current mode.

use super::SessionState;
use cutonce_core::call::{CallEvent, Refusal};
use cutonce_core::permission::added_path;
use cutonce_core::permission::rules::{ConfigSource, RuleBehavior};
use cutonce_core::protocol::event::NoticeLevel;
use cutonce_core::protocol::host::{FolderChange, HostAnswer, RuleChange, RuleChangeKind};
use cutonce_core::protocol::submission::QuestionsAnswer;
use serde_json::Value;

const NOT_ADDED: &str = "it was not added";

impl SessionState {
    /// A host answered an ask about a call.
    pub(super) fn host_answered(&mut self, n: usize, answer: HostAnswer) {
        let questions = matches!(self.calls.state(n), Some(state) if state.asks_questions());
        match answer {
            HostAnswer::Allow { .. } if questions => {
                self.step_call(n, CallEvent::QuestionsAnswered(QuestionsAnswer::Skipped));
            }
            HostAnswer::Allow { input } => self.host_allowed(n, input),
            HostAnswer::Deny { message, interrupt } => {
                self.call_refused(n);
                self.step_call(n, CallEvent::Refused { by: Refusal::Host { message }, end_turn: interrupt });
            }
        }
    }

    /// The host may name another input than it saw: that is a yes to it, but no deny rule and no mode is lifted.
    fn host_allowed(&mut self, n: usize, input: Option<Value>) {
        let (_, shown, _) = self.calls.facts(n);
        let Some(input) = input.filter(|input| *input != shown) else {
            let now = self.call_now(n);
            return self.step_call(n, CallEvent::Approved { now, by: "the user allowed it" });
        };
        if let Err(text) = self.change_input(n, input) {
            return self.step_call(n, CallEvent::Failed(text));
        }
        let now = self.call_now(n);
        self.step_call(n, CallEvent::ApprovedChanged { now, by: "the host allowed it with another input" });
    }

    /// Stops one subagent with all below it, or one command in the background. Its end is reported as usual.
    pub(super) fn stop_task(&self, id: &str) -> Result<(), String> {
        if self.context.agents.as_ref().is_some_and(|agents| agents.stop_one(id)) {
            return Ok(());
        }
        self.context.env.shells.kill_task(id).map_err(String::from)
    }

    /// Changes the folders of the workspace, from the next decision on, for this session and its subagents.
    pub(super) fn change_folders(&mut self, change: FolderChange) {
        let FolderChange { add, folders } = change;
        for folder in folders {
            let done = match add {
                true => self.context.env.workspace.add_folder(&folder),
                false => self
                    .context
                    .env
                    .workspace
                    .remove_folder(&folder)
                    .and_then(|was| was.then_some(()).ok_or(NOT_ADDED.into())),
            };
            if let Err(why) = done {
                let what = if add { "not added to" } else { "not taken from" };
                self.notice(NoticeLevel::Warning, &format!("The folder {folder:?} was {what} the workspace: {why}."));
            }
        }
        // Secrets in them are hidden as everywhere (SB-2).
        self.hide_secrets();
    }

    /// Changes rules, from the next decision on. A rule that can't be stored applies to this session, with a notice.
    pub(super) fn change_rules(&mut self, change: RuleChange) {
        let RuleChange { kind: how, behavior, rules, destination: where_to } = change;
        if how == RuleChangeKind::Replace {
            let ours = self.permissions.rules.rules().iter().filter(|rule| rule.source == ConfigSource::Session);
            let old: Vec<String> =
                ours.filter(|rule| rule.behavior == behavior).map(|rule| rule.text.clone()).collect();
            for text in old {
                self.unshare(behavior, &text);
            }
        }
        for rule in rules {
            if let (Some(path), RuleBehavior::Allow, RuleChangeKind::Add) = (added_path(&rule), behavior, how) {
                self.extend_scope(path);
                continue;
            }
            if how == RuleChangeKind::Remove {
                if !self.unshare(behavior, &rule) {
                    self.notice(
                        NoticeLevel::Warning,
                        &format!("The rule {rule} is not one of this session's; it stays."),
                    );
                }
                continue;
            }
            self.store_rule(where_to, behavior, &rule);
            if let Err(error) = self.share(behavior, &rule) {
                self.notice(NoticeLevel::Warning, &format!("The rule {rule} was not stored: {error}"));
            }
        }
        // What Read and Grep hide follows the deny rules.
        self.hide_secrets();
    }
}
