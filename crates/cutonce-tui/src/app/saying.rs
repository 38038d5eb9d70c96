//! What the model says, from its deltas to the scrollback. Rows that are done are printed and never touched again; where a
//! provider fails in the middle and the request is sent anew (MO-3), what stands there already is not printed a second time.

use super::App;
use super::page::PATIENCE;
use super::stage::narrow;
use crate::entry::Kind;
use crate::entry::log::Record;
use crate::entry::speech::Speech;
use crate::text;
use cutonce_core::conversation::Block;
use cutonce_core::event::{Delta, Level};
use ratatui::text::Line;
use std::collections::VecDeque;
use std::time::Instant;

/// What of an answer is in the scrollback.
#[derive(Debug, Default)]
pub struct Said {
    /// Its rows.
    rows: Vec<String>,
    /// Rows of an attempt that failed, which the new one has not come by yet.
    void: VecDeque<String>,
}

impl Said {
    /// The request failed: what was printed of its answer is void, unless it comes again.
    pub fn failed(&mut self) {
        let mut void: VecDeque<String> = std::mem::take(&mut self.rows).into();
        // It failed again before it came that far.
        void.append(&mut self.void);
        self.void = void;
    }

    /// Is the new answer still on its way through what was printed?
    pub fn repeats(&self) -> bool {
        !self.void.is_empty()
    }

    /// Rows that are new, and whether they contradict what was printed.
    pub fn news(&mut self, rows: Vec<Line<'static>>) -> (Vec<Line<'static>>, bool) {
        let (mut news, mut differs) = (Vec::new(), false);
        for row in rows {
            let words = text::plain(&row);
            match self.void.pop_front() {
                Some(printed) if printed == words => {}
                Some(_) => {
                    (differs, self.void) = (true, VecDeque::new());
                    news.push(row);
                }
                None => news.push(row),
            }
            self.rows.push(words);
        }
        (news, differs)
    }

    /// The answer is whole; true if it is shorter than what was printed.
    pub fn ended(&mut self) -> bool {
        !std::mem::take(self).void.is_empty()
    }
}

impl App {
    pub(super) fn delta(&mut self, delta: Delta) {
        match delta {
            Delta::Text(text) => {
                self.grown(text.len());
                self.doing("Writing");
                self.streamed = true;
                let (width, theme) = (self.width(), self.theme);
                let highlighter = &self.highlighter;
                self.speech.get_or_insert_with(|| Speech::new(width, theme, highlighter)).push(&text);
            }
            Delta::Thinking(text) => {
                self.grown(text.len());
                self.doing("Thinking");
            }
            Delta::Call { name, .. } => {
                self.end_speech();
                self.doing(&format!("Calling {}", text::one_line(&name)));
            }
            Delta::CallInput { json } => self.grown(json.len()),
            Delta::Signature(_) => {}
        }
    }

    fn grown(&mut self, bytes: usize) {
        if let Some(turn) = &mut self.turn {
            turn.coming += bytes;
        }
    }

    /// A new request: what was said before stands.
    pub(super) fn requesting(&mut self, model: String) {
        self.streamed = false;
        self.said.ended();
        self.model_changed(model);
        self.doing("Working");
    }

    /// The request failed and will be sent again. The tail of its answer was never printed: it goes.
    pub(super) fn retried(&mut self, words: &str) {
        self.flow();
        (self.speech, self.streamed) = (None, false);
        self.said.failed();
        self.notice(Level::Warning, words);
        if let Some(turn) = &mut self.turn {
            turn.coming = 0;
        }
    }

    /// Rows of the answer that are done go to the scrollback.
    pub(super) fn flow(&mut self) {
        if let Some(speech) = &mut self.speech {
            let rows = speech.finished();
            self.print_said(rows);
        }
    }

    /// What is in motion, as far as it is not printed already.
    pub(super) fn tail(&self, most: usize) -> Vec<Line<'static>> {
        let speech = self.speech.as_ref().filter(|_| !self.said.repeats());
        speech.map(|speech| speech.tail(most, narrow(self.width()))).unwrap_or_default()
    }

    fn print_said(&mut self, rows: Vec<Line<'static>>) {
        let (mut news, differs) = self.said.news(rows);
        if differs {
            self.notice(Level::Info, "The answer came out differently this time; it goes on so:");
        }
        if self.last == Kind::Notice {
            // The space between the two is there already.
            let blank = news.iter().take_while(|row| text::plain(row).trim().is_empty()).count();
            news.drain(..blank);
        }
        self.commit(Kind::Text, news);
    }

    /// The text so far is whole.
    pub(super) fn end_speech(&mut self) {
        if let Some(speech) = self.speech.take() {
            let rows = speech.finish(Instant::now() + PATIENCE);
            self.print_said(rows);
            self.last = Kind::Plan;
        }
    }

    pub(super) fn answered(&mut self, blocks: &[Block]) {
        let streamed = std::mem::take(&mut self.streamed);
        for block in blocks {
            match block {
                Block::Text { text } if !text.trim().is_empty() => {
                    if !streamed {
                        let mut speech = Speech::new(self.width(), self.theme, &self.highlighter);
                        speech.push(text);
                        self.speech = Some(speech);
                        self.end_speech();
                    }
                    self.log.push(Record::Text(text.clone()));
                }
                Block::Thinking { text, .. } if !text.trim().is_empty() => {
                    self.log.push(Record::Thinking(text.clone()))
                }
                Block::Text { .. } | Block::Thinking { .. } | Block::ToolUse(_) | Block::Image(_) => {}
            }
        }
        self.end_speech();
        if self.said.ended() {
            self.notice(Level::Info, "The answer was shorter this time: its last lines above do not count.");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(said: &mut Said, rows: &[&str]) -> (Vec<String>, bool) {
        let (rows, differs) = said.news(rows.iter().map(|row| Line::raw((*row).to_string())).collect());
        (rows.iter().map(text::plain).collect(), differs)
    }

    #[test]
    fn mo_3_what_was_printed_is_not_printed_again_after_a_retry() {
        let mut said = Said::default();
        assert_eq!(news(&mut said, &["a", "b", "c"]).0, ["a", "b", "c"]);
        said.failed();
        assert!(said.repeats());
        assert_eq!(news(&mut said, &["a", "b"]), (vec![], false));
        // It fails once more, before it came as far as the first time.
        said.failed();
        assert_eq!(news(&mut said, &["a", "b", "c", "d"]), (vec!["d".into()], false));
        assert!(!said.repeats() && !said.ended());
    }

    #[test]
    fn mo_3_an_answer_that_comes_out_differently_says_so_once() {
        let mut said = Said::default();
        news(&mut said, &["a", "b", "c"]);
        said.failed();
        assert_eq!(news(&mut said, &["a", "x", "c"]), (vec!["x".into(), "c".into()], true));
        assert_eq!(news(&mut said, &["d"]), (vec!["d".into()], false));
        said.failed();
        news(&mut said, &["a"]);
        assert!(said.ended(), "shorter than what stands there");
        assert!(!said.ended());
    }
}
