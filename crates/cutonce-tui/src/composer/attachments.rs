//! Attachments of a draft (UI-3): a long paste is folded to a tag and expanded on send; images are sent along
//! with the text.

use cutonce_core::conversation::Image;
use cutonce_core::image::{self, MAX_IMAGE_BYTES};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A paste with more lines or bytes than this is folded.
const MAX_INLINE_LINES: usize = 4;
const MAX_INLINE_BYTES: usize = 800;
/// Maximum number of image paths in one paste.
const MAX_PATHS: usize = 20;
/// Maximum number of images in one message.
const MAX_IMAGES: usize = 100;
/// Maximum number of words of a message that are checked for image paths.
const MAX_WORDS: usize = 200;

/// A message as it is sent to the session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutgoingMessage {
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

/// Result of loading a path that may be an image.
#[derive(Debug)]
pub enum ImageAttachment {
    Image(Image),
    /// The image can't be sent; contains the reason.
    Refused(String),
    NotAnImage,
}

impl Attachments {
    /// Returns the text to insert: the paste itself, or a tag for it.
    pub fn fold_paste(&mut self, pasted: &str) -> String {
        if pasted.lines().count() <= MAX_INLINE_LINES && pasted.len() <= MAX_INLINE_BYTES {
            return pasted.to_string();
        }
        let lines = pasted.lines().count();
        let size = if lines > 1 { format!("{lines} lines") } else { format!("{} characters", pasted.chars().count()) };
        let tag = format!("[Pasted text #{}: {size}]", self.pasted.len() + 1);
        self.pasted.push((tag.clone(), pasted.to_string()));
        tag
    }

    pub fn add_image(&mut self, image: Image) -> String {
        let tag = format!("[Image #{}]", self.images.len() + 1);
        self.images.push((tag.clone(), image));
        tag
    }

    pub fn expand_pastes(&self, text: &str) -> String {
        let mut text = text.to_string();
        for (tag, pasted) in &self.pasted {
            text = text.replace(tag.as_str(), pasted);
        }
        text
    }

    /// Replaces tags of images that are not attached with a note that they are missing.
    pub fn mark_missing_images(&self, text: String) -> String {
        let mut text = text;
        for n in 1..=MAX_IMAGES {
            let tag = format!("[Image #{n}]");
            if text.contains(&tag) && !self.images.iter().any(|(known, _)| *known == tag) {
                text = text.replace(&tag, &format!("[Image #{n}, gone: paste it again]"));
            }
        }
        text
    }

    /// Builds the message. Images whose tag was deleted are dropped.
    pub fn build_message(&self, text: &str) -> OutgoingMessage {
        let named = self.images.iter().filter(|(tag, _)| text.contains(tag.as_str()));
        OutgoingMessage { images: named.map(|(_, image)| image.clone()).collect(), text: self.expand_pastes(text) }
    }

    /// Merges the attachments of another text. Returns that text with its tags renumbered.
    pub fn merge(&mut self, text: &str, others: Attachments) -> String {
        let (mut text, pasted, images) = (text.to_string(), self.pasted.len(), self.images.len());
        // Go from last to first so that a new tag is never replaced again.
        for (n, (tag, words)) in others.pasted.into_iter().enumerate().rev() {
            let new = tag.replacen(&format!("#{}:", n + 1), &format!("#{}:", n + 1 + pasted), 1);
            text = text.replace(&tag, &new);
            self.pasted.insert(pasted, (new, words));
        }
        for (n, (tag, image)) in others.images.into_iter().enumerate().rev() {
            let new = format!("[Image #{}]", n + 1 + images);
            text = text.replace(&tag, &new);
            self.images.insert(images, (new, image));
        }
        text
    }

    /// Returns the start of the tag that ends at the cursor, so that Backspace deletes the whole tag.
    pub fn tag_before(&self, text: &str, cursor: usize) -> Option<usize> {
        let before = text.get(..cursor)?;
        let tags = self.pasted.iter().map(|(tag, _)| tag).chain(self.images.iter().map(|(tag, _)| tag));
        tags.into_iter().find(|tag| before.ends_with(tag.as_str())).map(|tag| cursor - tag.len())
    }
}

impl ImageAttachment {
    /// Loads the image if the text is the path of one. The first bytes decide its type.
    pub fn load(text: &str, cwd: &Path) -> ImageAttachment {
        let text = text.trim().trim_matches(['\'', '"']).replace("\\ ", " ");
        if !has_image_extension(&text) || text.contains('\n') {
            return ImageAttachment::NotAnImage;
        }
        let path = match text.strip_prefix("file://") {
            Some(url) => PathBuf::from(percent_decode(url)),
            None => cwd.join(&text),
        };
        match std::fs::metadata(&path) {
            Ok(about) if about.is_file() && about.len() <= MAX_IMAGE_BYTES as u64 => match std::fs::read(&path) {
                Ok(bytes) => image::encode_image(&bytes).map_or_else(
                    |error| ImageAttachment::Refused(format!("{}: {error}", path.display())),
                    ImageAttachment::Image,
                ),
                Err(error) => ImageAttachment::Refused(format!("{} can't be read: {error}", path.display())),
            },
            Ok(about) if about.is_file() => {
                ImageAttachment::Refused(format!("{}: {}", path.display(), image::too_long_error(about.len())))
            }
            Ok(_) | Err(_) => ImageAttachment::NotAnImage,
        }
    }

    /// Loads all images if the paste consists only of image paths, as terminals paste dropped files. Returns
    /// an empty list otherwise.
    pub fn load_all(pasted: &str, cwd: &Path) -> Vec<ImageAttachment> {
        let is = |one: &ImageAttachment| !matches!(one, ImageAttachment::NotAnImage);
        let whole = ImageAttachment::load(pasted, cwd);
        if is(&whole) {
            return vec![whole];
        }
        let words = split_shell_words(pasted);
        if words.len() > MAX_PATHS || !words.iter().all(|word| has_image_extension(word)) {
            return Vec::new();
        }
        let all: Vec<ImageAttachment> = words.iter().map(|word| ImageAttachment::load(word, cwd)).collect();
        if all.iter().all(is) { all } else { Vec::new() }
    }
}

/// Loads images that a message mentions by path. Also returns the reasons why others can't be sent.
pub fn mentioned_images(text: &str, cwd: &Path) -> (Vec<Image>, Vec<String>) {
    let (mut images, mut refused) = (Vec::new(), Vec::new());
    for word in text.split_whitespace().take(MAX_WORDS) {
        match ImageAttachment::load(word.trim_start_matches('@'), cwd) {
            ImageAttachment::Image(image) => images.push(image),
            ImageAttachment::Refused(why) => refused.push(why),
            ImageAttachment::NotAnImage => {}
        }
    }
    (images, refused)
}

fn has_image_extension(text: &str) -> bool {
    let end = Path::new(text).extension().and_then(|end| end.to_str()).map(str::to_lowercase);
    matches!(end.as_deref(), Some("png" | "jpg" | "jpeg" | "gif" | "webp"))
}

/// Splits text like a shell: quotes and `\ ` keep blanks inside a word.
fn split_shell_words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    let mut chars = text.trim().chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, '\\') => word.extend(chars.next()),
            (None, c) if c.is_whitespace() => words.push(std::mem::take(&mut word)),
            (None | Some(_), c) => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// Decodes percent escapes such as `%20`.
fn percent_decode(url: &str) -> std::ffi::OsString {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let (bytes, mut out, mut at) = (url.as_bytes(), Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        match (byte, digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or_default());
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    std::os::unix::ffi::OsStringExt::from_vec(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_3_long_pastes_fold_until_sent() {
        let mut attachments = Attachments::default();
        assert_eq!(attachments.fold_paste("short\nlines"), "short\nlines");
        let long = "line\n".repeat(40);
        let tag = attachments.fold_paste(&long);
        assert_eq!(tag, "[Pasted text #1: 40 lines]");
        let text = format!("look: {tag} please");
        assert_eq!(attachments.build_message(&text).text, format!("look: {long} please"));
        assert_eq!(attachments.tag_before(&text, 6 + tag.len()), Some(6));
        assert_eq!(attachments.tag_before(&text, 6), None);
    }

    #[test]
    fn ui_3_tag_without_image_is_marked_missing() {
        let mut attachments = Attachments::default();
        let image = Image { media_type: "image/png".into(), data: "AA==".into() };
        let tag = attachments.add_image(image);
        let text = attachments.mark_missing_images(format!("{tag} and [Image #2]"));
        assert_eq!(text, "[Image #1] and [Image #2, gone: paste it again]");
        assert_eq!(attachments.build_message(&text).images.len(), 1);
    }

    #[test]
    fn ui_3_joined_drafts_keep_their_pastes() {
        let (mut first, mut second) = (Attachments::default(), Attachments::default());
        let one = first.fold_paste(&"a\n".repeat(9));
        let two = format!("{} and {}", second.fold_paste(&"b\n".repeat(9)), second.fold_paste(&"c\n".repeat(9)));
        let joined = format!("{one} {}", first.merge(&two, second));
        assert_eq!(joined, "[Pasted text #1: 9 lines] [Pasted text #2: 9 lines] and [Pasted text #3: 9 lines]");
        let whole = format!("{} {} and {}", "a\n".repeat(9), "b\n".repeat(9), "c\n".repeat(9));
        assert_eq!(first.build_message(&joined).text, whole);
    }

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";

    #[test]
    fn ui_3_only_images_still_mentioned_are_sent() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a b.png"), PNG).unwrap();
        let mut attachments = Attachments::default();
        let urls =
            [format!("file://{}/a b.png", dir.path().display()), format!("file://{}/a%20b.png", dir.path().display())];
        for given in ["a b.png", "'a b.png'", "a\\ b.png", &urls[0], &urls[1]] {
            let ImageAttachment::Image(image) = ImageAttachment::load(given, dir.path()) else { panic!("{given}") };
            assert_eq!(
                (image.media_type.as_str(), image.data.as_str()),
                ("image/png", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB")
            );
            attachments.add_image(image);
        }
        assert_eq!(attachments.build_message("see [Image #2]").images.len(), 1);
        assert!(matches!(ImageAttachment::load("none.png", dir.path()), ImageAttachment::NotAnImage));
        assert!(matches!(ImageAttachment::load("words.txt", dir.path()), ImageAttachment::NotAnImage));
    }

    #[test]
    fn ui_3_image_type_and_size_are_checked() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| std::fs::write(dir.path().join(name), bytes).unwrap();
        write("photo.png", b"\xff\xd8\xff\xc0\x00\x0b\x08\x00\x01\x00\x01");
        let ImageAttachment::Image(image) = ImageAttachment::load("photo.png", dir.path()) else { panic!() };
        assert_eq!(image.media_type, "image/jpeg");
        write("page.png", b"<html>");
        assert!(
            matches!(ImageAttachment::load("page.png", dir.path()), ImageAttachment::Refused(why) if why.contains("not a PNG"))
        );
        write("head.png", b"\x89PNG\r\n\x1a\n");
        assert!(
            matches!(ImageAttachment::load("head.png", dir.path()), ImageAttachment::Refused(why) if why.contains("truncated"))
        );
        write("huge.gif", &vec![0; MAX_IMAGE_BYTES + 1]);
        assert!(
            matches!(ImageAttachment::load("huge.gif", dir.path()), ImageAttachment::Refused(why) if why.contains("the limit is 3.75 MB"))
        );
    }

    #[test]
    fn ui_3_dropped_files_attach_all_or_none() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a b.png", "c.png"] {
            std::fs::write(dir.path().join(name), PNG).unwrap();
        }
        let count = |pasted: &str| ImageAttachment::load_all(pasted, dir.path()).len();
        assert_eq!(count("a\\ b.png c.png"), 2);
        assert_eq!(count("'a b.png' \"c.png\"\n"), 2);
        assert_eq!(count("c.png"), 1);
        assert_eq!(count("look at c.png"), 0);
        assert_eq!(count("c.png none.png"), 0);
        assert_eq!(count(""), 0);
    }
}
