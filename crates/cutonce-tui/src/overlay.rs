//! What takes the whole screen for a while (UI-1): the plan review, the pager, the pickers. Pure state: keys, pastes and the
//! time come in, an outcome comes out; the app runs it on the alternate screen and carries the outcome out.

pub mod coloured;
mod list;
pub mod menu;
pub mod pager;
pub mod rewind;
pub mod sessions;

use cutonce_core::approval;
use ratatui::crossterm::event::KeyEvent;
use std::time::Instant;

pub trait Overlay {
    /// A key was pressed. `now` is when it was read.
    fn key(&mut self, key: KeyEvent, now: Instant) -> Outcome;

    /// Text was pasted. It may fill a field; it never answers.
    fn paste(&mut self, text: &str, now: Instant) -> Outcome;

    /// `deadline` has passed.
    fn tick(&mut self, _now: Instant) -> Outcome {
        Outcome::Nothing
    }

    /// The editor that `Outcome::Editor` asked for is done; Err says why there is no text.
    fn edited(&mut self, _text: Result<String, String>, _now: Instant) -> Outcome {
        Outcome::Redraw
    }

    fn draw(&mut self, frame: &mut ratatui::Frame<'_>, now: Instant);

    /// When `tick` wants to be called, if nothing comes before.
    fn deadline(&self) -> Option<Instant> {
        None
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Nothing,
    Redraw,
    /// Give the screen back. What was open stays open (for a plan: planning goes on, PM-80).
    Close,
    /// The plan's answer; the overlay is done.
    Answer(Box<approval::Answer>),
    /// Esc on a plan: back to planning, the turn ends (PM-80); the overlay is done.
    Escape,
    /// Edit this in $EDITOR and call `edited`. `suffix` ends the file's name.
    Editor {
        text: String,
        suffix: &'static str,
    },
    /// To the clipboard, by OSC 52.
    Copy(String),
    /// Go on with this session; the overlay is done.
    Resume {
        id: String,
        fork: bool,
    },
    /// A key was pressed on a row of a menu; the overlay is done. `words`: what was asked for first.
    Picked {
        which: menu::Which,
        id: String,
        key: char,
        words: String,
    },
    /// Put back to this point; the overlay is done.
    Rewind {
        point: String,
        files: bool,
        conversation: bool,
    },
}
