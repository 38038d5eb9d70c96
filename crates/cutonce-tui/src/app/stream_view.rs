//! Streams the model's answer into the scrollback. Finished rows are printed once and never changed. After a
//! retry (MO-3), rows that were already printed are not printed again.

use super::App;
use super::dialog_screen::narrow_width;
use super::entry_context::HIGHLIGHT_TIMEOUT;
use crate::entries::ConversationEntryKind;
use crate::entries::conversation_log::LogRecord;
use crate::entries::streaming_text::StreamingText;
use crate::render::text;
use cutonce_core::conversation::ContentBlock;
use cutonce_core::protocol::event::{AnswerDelta, NoticeLevel};
use ratatui::text::Line;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Rows of the current answer that are in the scrollback.
#[derive(Debug, Default)]
pub struct PrintedRows {
    /// Rows printed for the current attempt.
    rows: Vec<String>,
    /// Rows printed by failed attempts that the new attempt has not reached yet.
    void_rows: VecDeque<String>,
}

impl PrintedRows {
    /// Marks all printed rows as void after a failed request. They stay valid if the new attempt repeats
    /// them.
    pub fn mark_failed(&mut self) {
        let mut void: VecDeque<String> = std::mem::take(&mut self.rows).into();
        // The retry failed before it reached the end of the void rows.
        void.append(&mut self.void_rows);
        self.void_rows = void;
    }

    /// True while the new attempt repeats rows that are already printed.
    pub fn is_repeating(&self) -> bool {
        !self.void_rows.is_empty()
    }

    /// Returns the rows to print, and whether they differ from void rows.
    pub fn new_rows(&mut self, rows: Vec<Line<'static>>) -> (Vec<Line<'static>>, bool) {
        let (mut news, mut differs) = (Vec::new(), false);
        for row in rows {
            let words = text::plain_text(&row);
            match self.void_rows.pop_front() {
                Some(printed) if printed == words => {}
                Some(_) => {
                    (differs, self.void_rows) = (true, VecDeque::new());
                    news.push(row);
                }
                None => news.push(row),
            }
            self.rows.push(words);
        }
        (news, differs)
    }

    /// Resets at the end of an answer. Returns true if the answer is shorter than what was printed.
    pub fn finish(&mut self) -> bool {
        !std::mem::take(self).void_rows.is_empty()
    }
}

impl App {
    pub(super) fn on_delta(&mut self, delta: AnswerDelta) {
        self.end_silence();
        match delta {
            AnswerDelta::Text(text) => {
                self.count_streamed(text.len());
                self.set_activity("Writing");
                self.answer.received_live = true;
                let (width, theme) = (self.content_width(), self.theme);
                let highlighter = &self.highlighter;
                self.answer.text.get_or_insert_with(|| StreamingText::new(width, theme, highlighter)).push(&text);
            }
            AnswerDelta::Thinking(text) => {
                self.count_streamed(text.len());
                self.set_activity("Thinking");
            }
            AnswerDelta::Call { name, .. } => {
                self.finish_text();
                self.set_activity(&format!("Calling {}", text::one_line(&name)));
            }
            AnswerDelta::CallInput { json } => self.count_streamed(json.len()),
            AnswerDelta::Signature(_) => {}
        }
    }

    fn count_streamed(&mut self, bytes: usize) {
        if let Some(turn) = &mut self.turn {
            turn.streamed_bytes += bytes;
        }
    }

    /// Starts a new request. Rows of the previous answer stay as they are.
    pub(super) fn on_request(&mut self, model: String) {
        self.answer.received_live = false;
        self.answer.printed_rows.finish();
        self.end_silence();
        self.model_changed(&model);
        self.set_activity("Working");
    }

    /// The request failed and is sent again: the progress line counts down (DU-8). If a part of the answer was printed
    /// already, a line says why it stops there, and the end that was not printed is dropped.
    pub(super) fn on_retry(&mut self, reason: &str, delay: Duration) {
        self.print_finished_rows();
        let was_printed = self.answer.received_live;
        (self.answer.text, self.answer.received_live) = (None, false);
        self.answer.printed_rows.mark_failed();
        match was_printed {
            true => self.print_notice(NoticeLevel::Warning, reason),
            false => self.log.push(LogRecord::Notice(reason.to_string())),
        }
        self.end_silence();
        if let Some(turn) = &mut self.turn {
            turn.streamed_bytes = 0;
            turn.retry = Some((reason.to_string(), Instant::now() + delay));
        }
    }

    fn end_silence(&mut self) {
        if let Some(turn) = &mut self.turn {
            (turn.silent, turn.retry) = (None, None);
        }
    }

    /// Prints finished rows of the answer to the scrollback.
    pub(super) fn print_finished_rows(&mut self) {
        if let Some(speech) = &mut self.answer.text {
            let rows = speech.take_finished();
            self.print_answer_rows(rows);
        }
    }

    /// The unfinished end of the answer, unless it repeats printed rows.
    pub(super) fn unfinished_rows(&self, most: usize) -> Vec<Line<'static>> {
        let speech = self.answer.text.as_ref().filter(|_| !self.answer.printed_rows.is_repeating());
        speech.map(|speech| speech.tail(most, narrow_width(self.content_width()))).unwrap_or_default()
    }

    fn print_answer_rows(&mut self, rows: Vec<Line<'static>>) {
        let (mut news, differs) = self.answer.printed_rows.new_rows(rows);
        if differs {
            self.print_notice(NoticeLevel::Info, "The provider restarted and gave a different answer:");
        }
        if self.screen.last_kind == ConversationEntryKind::Notice {
            // A blank row is already there.
            let blank = news.iter().take_while(|row| text::plain_text(row).trim().is_empty()).count();
            news.drain(..blank);
        }
        self.print_entry(ConversationEntryKind::Text, news);
    }

    /// Finishes the current text block and prints its remaining rows.
    pub(super) fn finish_text(&mut self) {
        if let Some(speech) = self.answer.text.take() {
            let rows = speech.finish(Instant::now() + HIGHLIGHT_TIMEOUT);
            self.print_answer_rows(rows);
            self.screen.last_kind = ConversationEntryKind::Block;
        }
    }

    pub(super) fn on_answer(&mut self, blocks: &[ContentBlock]) {
        let streamed = std::mem::take(&mut self.answer.received_live);
        for block in blocks {
            match block {
                ContentBlock::Text { text } if !text.trim().is_empty() => {
                    if !streamed {
                        let mut speech = StreamingText::new(self.content_width(), self.theme, &self.highlighter);
                        speech.push(text);
                        self.answer.text = Some(speech);
                        self.finish_text();
                    }
                    self.log.push(LogRecord::Text(text.clone()));
                }
                ContentBlock::Thinking { text, .. } if !text.trim().is_empty() => {
                    self.log.push(LogRecord::Thinking(text.clone()))
                }
                ContentBlock::Text { .. }
                | ContentBlock::Thinking { .. }
                | ContentBlock::ToolUse(_)
                | ContentBlock::Image(_) => {}
            }
        }
        self.finish_text();
        if self.answer.printed_rows.finish() {
            self.print_notice(NoticeLevel::Info, "The new answer is shorter: ignore the last lines above.");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(said: &mut PrintedRows, rows: &[&str]) -> (Vec<String>, bool) {
        let (rows, differs) = said.new_rows(rows.iter().map(|row| Line::raw((*row).to_string())).collect());
        (rows.iter().map(text::plain_text).collect(), differs)
    }

    #[test]
    fn mo_3_printed_rows_are_not_repeated_after_a_retry() {
        let mut said = PrintedRows::default();
        assert_eq!(news(&mut said, &["a", "b", "c"]).0, ["a", "b", "c"]);
        said.mark_failed();
        assert!(said.is_repeating());
        assert_eq!(news(&mut said, &["a", "b"]), (vec![], false));
        // The second attempt fails earlier than the first one.
        said.mark_failed();
        assert_eq!(news(&mut said, &["a", "b", "c", "d"]), (vec!["d".into()], false));
        assert!(!said.is_repeating() && !said.finish());
    }

    #[test]
    fn mo_3_a_different_answer_is_reported_once() {
        let mut said = PrintedRows::default();
        news(&mut said, &["a", "b", "c"]);
        said.mark_failed();
        assert_eq!(news(&mut said, &["a", "x", "c"]), (vec!["x".into(), "c".into()], true));
        assert_eq!(news(&mut said, &["d"]), (vec!["d".into()], false));
        said.mark_failed();
        news(&mut said, &["a"]);
        assert!(said.finish(), "shorter than the printed answer");
        assert!(!said.finish());
    }
}
