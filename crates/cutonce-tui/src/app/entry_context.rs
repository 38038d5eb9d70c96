//! Drawing parameters for conversation entries, and the report of a plan that was left, which has no event of
//! its own.

use super::App;
use crate::entries::{self, ConversationEntryKind, EntryContext};
use crate::render::markdown::CodeHighlighting;
use cutonce_core::plan::approval::ChoiceKey;
use cutonce_core::protocol::event::{AskKind, FinishedCall};
use std::time::{Duration, Instant};

/// How long to wait for syntax highlighting before code is printed plain.
pub(super) const HIGHLIGHT_TIMEOUT: Duration = Duration::from_millis(200);

impl App {
    pub(super) fn entry_context(&self) -> EntryContext<'_> {
        let colours = CodeHighlighting { highlighter: &self.highlighter, deadline: Instant::now() + HIGHLIGHT_TIMEOUT };
        EntryContext { width: self.content_width(), theme: &self.theme, highlighting: Some(colours) }
    }

    /// Reports a plan that the user left with the sixth choice (PM-74), as it looks after a resume. Returns
    /// false if the plan was not left.
    pub(super) fn report_left_plan(&mut self, done: &FinishedCall) -> bool {
        let left = self.asks.decided_plan.take_if(|(_, answer)| answer.choice == ChoiceKey::Leave);
        let Some((ask, answer)) = left else { return false };
        let AskKind::Plan { request, .. } = &ask.kind else { return false };
        let Some(plan) = request.plan.as_deref().filter(|_| !done.is_error) else { return false };
        let lines = entries::plan::decided_lines(plan, &answer, true, &self.entry_context());
        self.print_entry(ConversationEntryKind::Plan, lines);
        true
    }
}
