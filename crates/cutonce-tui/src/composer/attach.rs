//! What was pasted: long text folds to a tag that unfolds when it is sent, images go along beside the words (UI-3).

use base64::Engine;
use cutonce_core::conversation::Image;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A paste of more lines or bytes than this is folded.
const LINES: usize = 4;
const BYTES: usize = 800;
/// The largest image that is sent.
const IMAGE: u64 = 5 << 20;

/// What goes to the session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Message {
    pub text: String,
    pub images: Vec<Image>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Attachments {
    #[serde(default)]
    pasted: Vec<(String, String)>,
    #[serde(default)]
    images: Vec<(String, Image)>,
}

/// What became of a path that may be an image.
#[derive(Debug)]
pub enum Attached {
    Image(Image),
    /// It is one, but can't be sent: why.
    Refused(String),
    NoImage,
}

impl Attachments {
    /// The text to insert: the paste itself, or a tag for it.
    pub fn paste(&mut self, pasted: &str) -> String {
        if pasted.lines().count() <= LINES && pasted.len() <= BYTES {
            return pasted.to_string();
        }
        let lines = pasted.lines().count();
        let size = if lines > 1 { format!("{lines} lines") } else { format!("{} characters", pasted.chars().count()) };
        let tag = format!("[Pasted text #{}: {size}]", self.pasted.len() + 1);
        self.pasted.push((tag.clone(), pasted.to_string()));
        tag
    }

    pub fn image(&mut self, image: Image) -> String {
        let tag = format!("[Image #{}]", self.images.len() + 1);
        self.images.push((tag.clone(), image));
        tag
    }

    pub fn unfold(&self, text: &str) -> String {
        let mut text = text.to_string();
        for (tag, pasted) in &self.pasted {
            text = text.replace(tag.as_str(), pasted);
        }
        text
    }

    /// Only what the text still names goes along.
    pub fn message(&self, text: &str) -> Message {
        let named = self.images.iter().filter(|(tag, _)| text.contains(tag.as_str()));
        Message { images: named.map(|(_, image)| image.clone()).collect(), text: self.unfold(text) }
    }

    /// A tag goes as a whole: where the one that ends at the cursor begins.
    pub fn tag_before(&self, text: &str, cursor: usize) -> Option<usize> {
        let before = text.get(..cursor)?;
        let tags = self.pasted.iter().map(|(tag, _)| tag).chain(self.images.iter().map(|(tag, _)| tag));
        tags.into_iter().find(|tag| before.ends_with(tag.as_str())).map(|tag| cursor - tag.len())
    }
}

impl Attached {
    /// Looks whether a pasted or typed text is the path of an image, and reads it.
    pub fn of(text: &str, cwd: &Path) -> Attached {
        let text = text.trim().trim_matches(['\'', '"']).replace("\\ ", " ");
        let text = text.strip_prefix("file://").unwrap_or(&text);
        let kind = match Path::new(text).extension().and_then(|end| end.to_str()).map(str::to_lowercase).as_deref() {
            Some("png") => "image/png",
            Some("jpg" | "jpeg") => "image/jpeg",
            Some("gif") => "image/gif",
            Some("webp") => "image/webp",
            _ => return Attached::NoImage,
        };
        if text.contains('\n') {
            return Attached::NoImage;
        }
        let path = cwd.join(text);
        match std::fs::metadata(&path) {
            Ok(about) if about.is_file() && about.len() <= IMAGE => match std::fs::read(&path) {
                Ok(bytes) => Attached::Image(encoded(kind, &bytes)),
                Err(error) => Attached::Refused(format!("{} can't be read: {error}", path.display())),
            },
            Ok(about) if about.is_file() => {
                Attached::Refused(format!("{} has {} MB; at most 5 MB can be sent", path.display(), about.len() >> 20))
            }
            Ok(_) | Err(_) => Attached::NoImage,
        }
    }
}

fn encoded(kind: &str, bytes: &[u8]) -> Image {
    Image { media_type: kind.into(), data: base64::engine::general_purpose::STANDARD.encode(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_3_long_pastes_fold_and_unfold_when_sent() {
        let mut attachments = Attachments::default();
        assert_eq!(attachments.paste("short\nlines"), "short\nlines");
        let long = "line\n".repeat(40);
        let tag = attachments.paste(&long);
        assert_eq!(tag, "[Pasted text #1: 40 lines]");
        let text = format!("look: {tag} please");
        assert_eq!(attachments.message(&text).text, format!("look: {long} please"));
        assert_eq!(attachments.tag_before(&text, 6 + tag.len()), Some(6));
        assert_eq!(attachments.tag_before(&text, 6), None);
    }

    #[test]
    fn ui_3_images_by_path_and_only_those_still_named() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a b.png"), b"png").unwrap();
        let mut attachments = Attachments::default();
        for given in ["a b.png", "'a b.png'", "a\\ b.png", &format!("file://{}/a b.png", dir.path().display())] {
            let Attached::Image(image) = Attached::of(given, dir.path()) else { panic!("{given}") };
            assert_eq!((image.media_type.as_str(), image.data.as_str()), ("image/png", "cG5n"));
            attachments.image(image);
        }
        assert_eq!(attachments.message("see [Image #2]").images.len(), 1);
        assert!(matches!(Attached::of("none.png", dir.path()), Attached::NoImage));
        assert!(matches!(Attached::of("words.txt", dir.path()), Attached::NoImage));
    }
}
