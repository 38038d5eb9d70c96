//! What entries of the conversation are drawn on, and a plan that was left: no event of its own tells of it.

use super::App;
use crate::entry::{self, Kind, Page};
use crate::markdown::Colours;
use cutonce_core::approval::ChoiceKey;
use cutonce_core::event::{AskKind, Finished};
use std::time::{Duration, Instant};

/// How long the end of an answer, a plan that was decided on, or an earlier conversation waits for the colours of its code; then it is plain.
pub(super) const PATIENCE: Duration = Duration::from_millis(200);

impl App {
    pub(super) fn page(&self) -> Page<'_> {
        let colours = Colours { highlighter: &self.highlighter, until: Instant::now() + PATIENCE };
        Page { width: self.width(), theme: &self.theme, colours: Some(colours) }
    }

    /// The plan was left with its sixth choice (PM-74): it reads as it does when the session comes back. False if it was not.
    pub(super) fn plan_left(&mut self, done: &Finished) -> bool {
        let left = self.asks.decided.take_if(|(_, answer)| answer.choice == ChoiceKey::Leave);
        let Some((ask, answer)) = left else { return false };
        let AskKind::Plan { request, .. } = &ask.kind else { return false };
        let Some(plan) = request.plan.as_deref().filter(|_| !done.is_error) else { return false };
        let lines = entry::plan::decided(plan, &answer, true, &self.page());
        self.commit(Kind::Plan, lines);
        true
    }
}
