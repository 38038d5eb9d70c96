//! Commands under the scope of an approved plan (PC-21): what they changed outside is applied if the user says so.

use super::SessionState;
use super::asks::{OpenSubject, view};
use super::call_runner::CallRef;
use super::events::SessionEvent;
use super::parts::Approver;
use async_trait::async_trait;
use cutonce_core::mode::Mode;
use cutonce_core::permission::{AskCause, OUTSIDE_PLAN, Why, suggest_additions};
use cutonce_core::plan::progress::Evidence;
use cutonce_core::plan::scope_git::GitUse;
use cutonce_core::protocol::event::AskKind;
use cutonce_core::protocol::host::HostAnswer;
use cutonce_core::protocol::submission::{AskAnswer, PermissionAnswer};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_tools::shell::changes::{CallScope, OnDiscard, OutsideChanges, OutsideReview};
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, oneshot};

/// Asks through the session's loop.
struct SessionReview {
    events: mpsc::UnboundedSender<SessionEvent>,
    call: CallRef,
}

#[async_trait]
impl OutsideReview for SessionReview {
    async fn review(&self, changes: &OutsideChanges) -> bool {
        let (reply, answer) = oneshot::channel();
        let asked = SessionEvent::ChangedOutside { call: self.call, changes: changes.clone(), reply };
        // An ask that is withdrawn is a no.
        self.events.send(asked).is_ok() && answer.await.unwrap_or(false)
    }
}

impl SessionState {
    /// The scope that the call runs under.
    pub(super) fn call_scope(&mut self, n: usize) -> Option<CallScope> {
        let mode = self.mode_as_of_now();
        let scope = self.context.standing.scope()?;
        // A teammate's lead is asked for it.
        let someone = matches!(self.context.approver, Approver::Present | Approver::Lead);
        let asks = someone && self.closing.inbox_open;
        let review = SessionReview { events: self.events.clone(), call: self.calls.reference(n) };
        let review = asks.then(|| Arc::new(review) as Arc<dyn OutsideReview>);
        let standing = self.context.standing.clone();
        let on_discard: OnDiscard = Arc::new(move |path| standing.observed(Evidence::Denied { path }));
        let applies_all = mode == Mode::BypassPermissions;
        let (git, order) = (GitUse::default(), self.user_order());
        Some(CallScope { scope, git, order, applies_all, review, on_discard: Some(on_discard) })
    }

    /// Asks about changes outside the plan. Without an approver, the answer is no.
    pub(super) fn ask_about_outside(&mut self, call: CallRef, changes: &OutsideChanges, reply: oneshot::Sender<bool>) {
        if !self.calls.is_open(call) || self.calls.cancel.is_cancelled() || !self.closing.inbox_open {
            return;
        }
        let (tool, input, call_id) = self.calls.facts(call.n);
        let done = if changes.is_done { "Already in the workspace; a no restores it:\n" } else { "" };
        let preview = format!("{done}{}\n\n{}", changes.paths.join("\n"), changes.diff);
        let why = Why::from_reason(OUTSIDE_PLAN);
        // Git's own folder is no file of a plan.
        let can_add = changes.paths.iter().all(|path| !path.ends_with("(.git)"));
        let suggestions = can_add.then(|| suggest_additions(&changes.paths)).into_iter().collect();
        let preview = Some(preview.trim_end().to_string());
        let kind = AskKind::Permission { by: AskCause::OutOfScope, why, suggestions, preview, from: None };
        self.open_ask(
            call.n,
            OpenSubject::OutsidePlan(OutsideAnswer(Mutex::new(Some(reply)))),
            view(&call_id, &tool, &input, kind),
        );
    }
}

/// The command that waits for the answer; without one, the answer is no.
pub(super) struct OutsideAnswer(Mutex<Option<oneshot::Sender<bool>>>);

impl OutsideAnswer {
    pub fn send(&self, answer: &AskAnswer) {
        let yes = matches!(
            answer,
            AskAnswer::Permission(PermissionAnswer::Allow { .. }) | AskAnswer::Host(HostAnswer::Allow { .. })
        );
        // The command may have been abandoned meanwhile.
        let _ = self.0.lock_unpoisoned().take().map(|reply| reply.send(yes));
    }
}
