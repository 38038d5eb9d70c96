//! Full-screen views (UI-1): the plan review, the pager and the pickers. An overlay is pure state: keys,
//! pastes and time go in, an outcome comes out. The app runs it on the alternate screen and performs the
//! outcome.

pub mod highlighted_item;
pub mod menu;
pub mod pager;
pub(crate) mod picker_list;
pub mod rewind_picker;
pub mod session_picker;

use crate::app::GuidePlace;
use cutonce_core::plan::approval;
use cutonce_core::plan::rehearsal::RehearsalOrder;
use ratatui::crossterm::event::KeyEvent;
use std::time::Instant;

/// Why the external editor returned no text.
#[derive(Debug, thiserror::Error)]
pub enum ExternalEditError {
    #[error("{0}")]
    CopyText(std::io::Error),
    #[error("the terminal was closed")]
    TerminalClosed,
    /// The editor could not be started or failed.
    #[error("{0}")]
    Editor(String),
    #[error("can't read the edited text: {0}")]
    ReadBack(std::io::Error),
}

pub trait Overlay {
    /// Handles a key press. `now` is the time it was read.
    fn on_key(&mut self, key: KeyEvent, now: Instant) -> OverlayOutcome;

    /// Handles a paste. It may fill a text field; it never answers.
    fn on_paste(&mut self, text: &str, now: Instant) -> OverlayOutcome;

    /// Called at the time that `next_tick` returned.
    fn on_tick(&mut self, _now: Instant) -> OverlayOutcome {
        OverlayOutcome::Nothing
    }

    /// Called when the editor requested by `OverlayOutcome::Editor` has closed.
    fn on_editor_closed(&mut self, _text: Result<String, ExternalEditError>, _now: Instant) -> OverlayOutcome {
        OverlayOutcome::Redraw
    }

    /// Draws into `area` of the frame.
    fn draw(&mut self, frame: &mut ratatui::Frame<'_>, area: ratatui::layout::Rect, now: Instant);

    /// The keys of this view and what they do, for `?` (DU-7). Empty if the view lists them itself.
    fn keys(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The place that the demo's line explains (ON-2), if this view is one.
    fn guide_place(&self) -> Option<GuidePlace> {
        None
    }

    /// Time of the next `on_tick`, if nothing happens before.
    fn next_tick(&self) -> Option<Instant> {
        None
    }
}

/// Keys and their help, as [`Overlay::keys`] returns them.
fn owned_keys(keys: &[(&str, &str)]) -> Vec<(String, String)> {
    keys.iter().map(|(key, help)| (key.to_string(), help.to_string())).collect()
}

#[derive(Debug, Clone, PartialEq)]
pub enum OverlayOutcome {
    Nothing,
    Redraw,
    /// Close the overlay. A plan stays pending and planning continues (PM-80).
    Close,
    /// Answer to the plan; closes the overlay.
    Answer(Box<approval::PlanAnswer>),
    /// Esc on a plan: back to planning, the turn ends (PM-80); closes the overlay.
    Dismiss,
    /// Edit the text in $EDITOR and call `on_editor_closed`. `suffix` is the end of the file name.
    Editor {
        text: String,
        suffix: &'static str,
    },
    /// Open the plan that is shown in the browser (RV-1).
    OpenBrowser,
    /// Start or end a rehearsal of the plan that is shown (RH-1).
    Rehearse(RehearsalOrder),
    /// Copy to the clipboard with OSC 52.
    Copy(String),
    /// Resume this session; closes the overlay.
    Resume {
        id: String,
        fork: bool,
    },
    /// A key was pressed on a menu row; closes the overlay. `words` is the text that the menu asked for.
    MenuKeyPressed {
        which: menu::MenuKind,
        id: String,
        key: char,
        words: String,
    },
    /// Rewind to this point; closes the overlay.
    Rewind {
        point: String,
        files: bool,
        conversation: bool,
    },
}
