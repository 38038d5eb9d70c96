//! What is pasted or dropped: words, paths of images, and with Ctrl+V the image on the clipboard (UI-3).

use super::{App, Note, tell};
use crate::composer::Attached;
use cutonce_agent::clipboard::{self, Clip};
use cutonce_core::conversation::Image;
use cutonce_core::event::Level;

impl App {
    /// Into the composer: images for what is nothing but their paths, otherwise the words.
    pub(super) fn paste_words(&mut self, text: &str) {
        let images = Attached::all(text, &self.around.cwd);
        if images.is_empty() {
            self.composer.paste(text);
        }
        for image in images {
            match image {
                Attached::Image(image) => self.composer.attach(image),
                Attached::Refused(why) => self.notice(Level::Warning, &why),
                Attached::NoImage => {}
            }
        }
        self.changed();
    }

    /// Ctrl+V: the programs that read clipboards may take their time; keys do not wait for them.
    pub(super) fn paste_clipboard(&mut self) {
        let (env, cwd, notes) = (self.around.env.clone(), self.around.cwd.clone(), self.notes.clone());
        tokio::spawn(async move {
            let found = clipboard::read(&env, &cwd).await;
            tell(&notes, Note::Clipboard(found));
        });
    }

    pub(super) fn clipboard(&mut self, found: Result<Clip, String>) {
        match found {
            Ok(Clip::Image(image)) => {
                self.composer.attach(image);
                self.changed();
            }
            Ok(Clip::Text(text)) => self.paste_words(&text),
            Err(why) => self.notice(Level::Warning, &why),
        }
        self.now();
    }

    /// Images that a message names by their path.
    pub(super) fn images_named(&mut self, text: &str) -> Vec<Image> {
        let (images, refused) = crate::composer::images_named(text, &self.around.cwd);
        for why in refused {
            self.notice(Level::Warning, &format!("{why}; it was not sent along"));
        }
        images
    }
}
