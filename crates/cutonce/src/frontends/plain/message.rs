//! Messages to the agent, of one line or several (UI-3): `\` before Enter continues on the next line, a paste
//! is one message, `/edit` opens the editor. An unfinished message never answers a question that appears
//! meanwhile (UI-5).

use super::input_lines::InputLine;
use super::{PlainFrontend, editor, output};
use cutonce_core::conversation::Image;
use cutonce_core::protocol::submission::Submission;

/// An unfinished message or answer.
#[derive(Debug)]
pub struct UnfinishedInput {
    text: String,
    /// The question that it answers; `None` for a message.
    ask: Option<String>,
}

impl PlainFrontend {
    /// Handles a line or a paste from stdin.
    pub(super) fn handle_input(&mut self, typed: &InputLine) {
        let open = self.asks.first().filter(|_| typed.at >= self.asked_at).map(|ask| ask.ask_id.clone());
        let begun = self.unfinished.take();
        let goes_on = typed.text.trim_end().strip_suffix('\\').filter(|_| !typed.pasted);
        let pasted = typed.pasted;
        match (begun, goes_on) {
            (begun, Some(words)) => {
                let mut begun = begun.unwrap_or(UnfinishedInput { text: String::new(), ask: open });
                begun.text.push_str(&format!("{}\n", words.trim_end()));
                self.unfinished = Some(begun);
                output::print_text("… ");
            }
            (Some(begun), None) => self.route_input(&format!("{}{}", begun.text, typed.text), begun.ask, pasted),
            (None, None) => self.route_input(&typed.text, open, pasted),
        }
    }

    /// Discards the unfinished message; returns true if there was one.
    pub(super) fn discard_unfinished(&mut self) -> bool {
        let begun = self.unfinished.take().is_some();
        if begun {
            output::print_lines("\n(not sent)");
            self.show_again();
        }
        begun
    }

    /// Sends the text to the question that was open when the user started it, if it is still open; otherwise
    /// to the agent.
    fn route_input(&mut self, text: &str, ask: Option<String>, pasted: bool) {
        let text = text.trim();
        match (ask, self.asks.first().map(|ask| ask.ask_id.clone())) {
            (Some(meant), Some(open)) if meant == open => self.handle_entered(text, pasted),
            (Some(_), _) => self.print_notice("The question is no longer open; nothing was sent."),
            (None, None) => self.handle_entered(text, pasted),
            (None, Some(_)) => {
                let asks = std::mem::take(&mut self.asks);
                self.handle_entered(text, pasted);
                self.asks = asks;
            }
        }
    }

    fn handle_entered(&mut self, text: &str, pasted: bool) {
        match (pasted, self.asks.first().cloned()) {
            (false, _) => self.handle_line(text),
            (true, Some(ask)) => self.answer_ask(&ask, text),
            (true, None) if self.picking.is_some() => self.print_notice("Enter one line to choose from this list."),
            (true, None) => self.send_message(text),
        }
    }

    /// Sends the prompt of the command line; one that begins with a slash is a command, as in a typed line.
    pub(super) fn send_first_message(&mut self, text: &str) {
        if !self.run_command(text) {
            self.send_message(text);
        }
    }

    /// Sends a message to the agent, with the images that it names.
    pub(super) fn send_message(&mut self, text: &str) {
        let images = self.mentioned_images(text);
        self.session.submit(Submission::User { text: text.to_string(), images });
    }

    pub(super) fn mentioned_images(&self, text: &str) -> Vec<Image> {
        let (images, refused) = cutonce_tui::mentioned_images(text, &self.report.cwd);
        refused.iter().for_each(|why| output::print_lines(&format!("{why}; the image was not sent")));
        images
    }

    /// `/edit TEXT`: opens the message in the editor.
    pub(super) fn edit_message(&mut self, words: &str) {
        if !self.asks.is_empty() {
            return self.say_answer_first();
        }
        match self.gate.lend_terminal(|| editor::edit_message(words)) {
            Ok(text) if text.trim().is_empty() => self.print_notice("The message is empty; nothing was sent."),
            Ok(text) => {
                output::print_lines(&format!("Sent:\n{}", output::with_margin(text.trim_end())));
                self.send_message(text.trim_end());
            }
            Err(why) => self.print_notice(&format!("Nothing was sent: {why}")),
        }
    }
}
