//! The explaining line of the demo (ON-2): says what is on the screen and which keys to try.

use super::App;
use crate::ChoiceKey;
use crate::render::text;
use ratatui::text::{Line, Span};

/// Start of the line.
const GUIDE_MARK: &str = " demo ";

/// What is on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuidePlace {
    /// The agent works, or the session opens.
    Working,
    Review,
    /// The review shows a rehearsal that runs.
    RehearsalRuns,
    /// The review shows the result of a rehearsal.
    RehearsalResult,
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
    /// The last answer to a plan.
    pub choice: Option<ChoiceKey>,
    /// The user refused a call.
    pub refused: bool,
    /// The answer applied a rehearsal.
    pub applied: bool,
}

/// What the guide says; `short` is for narrow terminals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuideText {
    pub long: &'static str,
    pub short: &'static str,
}

/// Returns the line for the bottom of the screen.
pub type Guide = fn(&GuideView) -> GuideText;

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
        let place = match (self.asks.guide_place(), self.asks.reviews.own_is_pending()) {
            (Some(place), _) => place,
            _ if self.asks.has_dialog() => GuidePlace::Question,
            (None, true) => GuidePlace::ReviewWaits,
            (None, false) if self.turn.is_some() || !self.guide.started => GuidePlace::Working,
            (None, false) => GuidePlace::Idle,
        };
        let GuideState { choice, refused, applied, .. } = self.guide;
        let view = GuideView { place, choice, refused, applied };
        let GuideText { long, short } = guide(&view);
        let width = self.content_width().saturating_sub(GUIDE_MARK.len() + 1);
        let words = text::fit(if text::width(long) <= width { long } else { short }, width).into_owned();
        Some(Line::from(vec![
            Span::styled(GUIDE_MARK, self.theme.armed),
            Span::styled(format!(" {words}"), self.theme.planning),
        ]))
    }
}
