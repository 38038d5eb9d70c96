//! What is said to the agent, of one line or of several (UI-3): `\` before Enter goes on, a paste is one message whatever is in it,
//! `/edit` opens the editor. A message that was begun is never an answer to what is asked meanwhile (UI-5).

use super::lines::Typed;
use super::{Plain, out};
use cutonce_agent::editor;
use cutonce_core::submission::Submission;

/// What goes on with the next line.
#[derive(Debug)]
pub struct Begun {
    text: String,
    /// The ask that it answers; None: it is a message.
    ask: Option<String>,
}

impl Plain {
    /// A line, or a paste, that somebody entered.
    pub(super) fn typed(&mut self, typed: &Typed) {
        let open = self.asks.first().filter(|_| typed.at >= self.asked_at).map(|ask| ask.ask_id.clone());
        let begun = self.begun.take();
        let goes_on = typed.text.trim_end().strip_suffix('\\').filter(|_| !typed.pasted);
        let pasted = typed.pasted;
        match (begun, goes_on) {
            (begun, Some(words)) => {
                let mut begun = begun.unwrap_or(Begun { text: String::new(), ask: open });
                begun.text.push_str(&format!("{}\n", words.trim_end()));
                self.begun = Some(begun);
                out::show("… ");
            }
            (Some(begun), None) => self.whole(&format!("{}{}", begun.text, typed.text), begun.ask, pasted),
            (None, None) => self.whole(&typed.text, open, pasted),
        }
    }

    /// Nothing was begun, or what was is forgotten: true if it was.
    pub(super) fn forget_begun(&mut self) -> bool {
        let begun = self.begun.take().is_some();
        if begun {
            out::say("\n(not sent)");
            self.again();
        }
        begun
    }

    /// To whom it belongs: the ask that was open when it began, if it still is, and otherwise the agent.
    fn whole(&mut self, text: &str, ask: Option<String>, pasted: bool) {
        let text = text.trim();
        match (ask, self.asks.first().map(|ask| ask.ask_id.clone())) {
            (Some(meant), Some(open)) if meant == open => self.entered(text, pasted),
            (Some(_), _) => self.tell("What you were answering is not asked any more; nothing was sent."),
            (None, None) => self.entered(text, pasted),
            (None, Some(_)) => {
                let asks = std::mem::take(&mut self.asks);
                self.entered(text, pasted);
                self.asks = asks;
            }
        }
    }

    fn entered(&mut self, text: &str, pasted: bool) {
        match (pasted, self.asks.first().cloned()) {
            (false, _) => self.line(text),
            (true, Some(ask)) => self.answer(&ask, text),
            (true, None) if self.picking.is_some() => self.tell("This list takes one line."),
            (true, None) => self.say(text),
        }
    }

    /// Words for the agent, with the images that they name.
    pub(super) fn say(&mut self, text: &str) {
        let (images, refused) = cutonce_tui::images_named(text, &self.about.cwd);
        refused.iter().for_each(|why| out::say(&format!("{why}; it was not sent along")));
        self.session.submit(Submission::User { text: text.to_string(), images });
    }

    /// `/edit WORDS`: the message is written in the editor.
    pub(super) fn edit_message(&mut self, words: &str) {
        if !self.asks.is_empty() {
            return self.answer_first();
        }
        match self.gate.lend(|| written(words)) {
            Ok(text) if text.trim().is_empty() => self.tell("Nothing was written; nothing is sent."),
            Ok(text) => {
                out::say(&format!("Sent:\n{}", out::margined(text.trim_end())));
                self.say(text.trim_end());
            }
            Err(why) => self.tell(&format!("Nothing is sent: {why}")),
        }
    }
}

fn written(words: &str) -> Result<String, String> {
    let told = |error: std::io::Error| error.to_string();
    let folder = tempfile::Builder::new().prefix("cutonce-").tempdir().map_err(told)?;
    let path = folder.path().join("message.md");
    std::fs::write(&path, words).map_err(told)?;
    editor::open_file(&path, std::env::vars_os().collect())?;
    std::fs::read_to_string(&path).map_err(|error| format!("what was written can't be read: {error}"))
}
