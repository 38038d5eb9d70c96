//! The explaining line of the demo (ON-2): says what is on the screen and which keys to try.

use super::App;
use crate::ChoiceKey;
use crate::render::text;
use cutonce_core::mode::Mode;
use ratatui::text::{Line, Span};

/// What is on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuidePlace {
    /// The agent works, or the session opens.
    Working,
    Review,
    /// A plan waits, but its review is closed.
    ReviewWaits,
    /// A question is open.
    Question,
    /// The turn has ended.
    Idle,
}

/// What the guide knows about the screen and the user's answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuideView {
    pub place: GuidePlace,
    pub mode: Mode,
    /// The last answer to a plan.
    pub choice: Option<ChoiceKey>,
    /// The user refused a call.
    pub refused: bool,
    /// The answer applied a rehearsal.
    pub applied: bool,
}

/// Returns the line for the bottom of the screen.
pub type Guide = fn(&GuideView) -> String;

/// The guide, if the program runs with one, and what the user answered so far.
#[derive(Default)]
pub(super) struct GuideState {
    pub(super) guide: Option<Guide>,
    pub(super) choice: Option<ChoiceKey>,
    pub(super) refused: bool,
    pub(super) applied: bool,
    /// A turn has begun.
    pub(super) started: bool,
}

impl App {
    pub(super) fn guide_line(&self) -> Option<Line<'static>> {
        let guide = self.guide.guide?;
        let place = match (self.asks.reviews.own_is_pending(), self.asks.has_overlay(), self.asks.has_dialog()) {
            (true, true, _) => GuidePlace::Review,
            (_, _, true) => GuidePlace::Question,
            (true, false, false) => GuidePlace::ReviewWaits,
            (false, ..) if self.turn.is_some() || !self.guide.started => GuidePlace::Working,
            (false, ..) => GuidePlace::Idle,
        };
        let GuideState { choice, refused, applied, .. } = self.guide;
        let view = GuideView { place, mode: self.status.view.mode, choice, refused, applied };
        let words = text::fit(&guide(&view), self.content_width().saturating_sub(6)).into_owned();
        Some(Line::from(vec![
            Span::styled(" demo ", self.theme.armed),
            Span::styled(format!(" {words}"), self.theme.planning),
        ]))
    }
}
