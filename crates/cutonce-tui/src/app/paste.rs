//! Pasted and dropped input: text, image paths, and with Ctrl+V the image on the clipboard (UI-3).

use super::{App, AppMessage, send_to_app};
use crate::composer::ImageAttachment;
use cutonce_agent::clipboard::{self, ClipboardContent};
use cutonce_core::conversation::Image;
use cutonce_core::protocol::event::NoticeLevel;

impl App {
    /// Inserts pasted text. Text that consists only of image paths attaches these images instead.
    pub(super) fn insert_paste(&mut self, text: &str) {
        let images = ImageAttachment::load_all(text, &self.environment.cwd);
        if images.is_empty() {
            self.prompt.composer.paste(text);
        }
        for image in images {
            match image {
                ImageAttachment::Image(image) => self.prompt.composer.attach_image(image),
                ImageAttachment::Refused(why) => self.print_notice(NoticeLevel::Warning, &why),
                ImageAttachment::NotAnImage => {}
            }
        }
        self.draft_changed();
    }

    /// Reads the clipboard in the background: helper programs may be slow, and keys must not wait.
    pub(super) fn paste_clipboard(&mut self) {
        let (env, cwd, notes) = (self.environment.env.clone(), self.environment.cwd.clone(), self.messages.clone());
        tokio::spawn(async move {
            let message = match clipboard::read_clipboard(&env, &cwd).await {
                Ok(content) => AppMessage::ClipboardRead(content),
                Err(why) => AppMessage::Notice(NoticeLevel::Warning, why.to_string()),
            };
            send_to_app(&notes, message);
        });
    }

    pub(super) fn on_clipboard(&mut self, content: ClipboardContent) {
        match content {
            ClipboardContent::Image(image) => {
                self.prompt.composer.attach_image(image);
                self.draft_changed();
            }
            ClipboardContent::Text(text) => self.insert_paste(&text),
        }
        self.redraw_now();
    }

    /// Loads the images that a message mentions by path.
    pub(super) fn mentioned_images(&mut self, text: &str) -> Vec<Image> {
        let (images, refused) = crate::composer::mentioned_images(text, &self.environment.cwd);
        for why in refused {
            self.print_notice(NoticeLevel::Warning, &format!("{why}; image not attached"));
        }
        images
    }
}
