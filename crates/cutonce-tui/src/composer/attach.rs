//! What was pasted: long text folds to a tag that unfolds when it is sent, images go along beside the words (UI-3).

use cutonce_core::conversation::Image;
use cutonce_core::image::{self, LARGEST};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A paste of more lines or bytes than this is folded.
const LINES: usize = 4;
const BYTES: usize = 800;
/// Paths that one paste may name.
const MOST_PATHS: usize = 20;
/// Images that one message may name.
const MOST_IMAGES: usize = 100;
/// Words of a message that may be paths of images.
const MOST_WORDS: usize = 200;

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

    /// A text from elsewhere may name images that are not here: their tags say so, and are none any more.
    pub fn without_lost(&self, text: String) -> String {
        let mut text = text;
        for n in 1..=MOST_IMAGES {
            let tag = format!("[Image #{n}]");
            if text.contains(&tag) && !self.images.iter().any(|(known, _)| *known == tag) {
                text = text.replace(&tag, &format!("[Image #{n}, gone: paste it again]"));
            }
        }
        text
    }

    /// Only what the text still names goes along.
    pub fn message(&self, text: &str) -> Message {
        let named = self.images.iter().filter(|(tag, _)| text.contains(tag.as_str()));
        Message { images: named.map(|(_, image)| image.clone()).collect(), text: self.unfold(text) }
    }

    /// What belongs to another text joins: that text, with its tags as they are called from now on.
    pub fn join(&mut self, text: &str, others: Attachments) -> String {
        let (mut text, pasted, images) = (text.to_string(), self.pasted.len(), self.images.len());
        // From the last to the first: a new name is never one that still has to be replaced.
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

    /// A tag goes as a whole: where the one that ends at the cursor begins.
    pub fn tag_before(&self, text: &str, cursor: usize) -> Option<usize> {
        let before = text.get(..cursor)?;
        let tags = self.pasted.iter().map(|(tag, _)| tag).chain(self.images.iter().map(|(tag, _)| tag));
        tags.into_iter().find(|tag| before.ends_with(tag.as_str())).map(|tag| cursor - tag.len())
    }
}

impl Attached {
    /// Looks whether a text is the path of an image, and reads it. What it is, its first bytes say.
    pub fn of(text: &str, cwd: &Path) -> Attached {
        let text = text.trim().trim_matches(['\'', '"']).replace("\\ ", " ");
        if !named_like_one(&text) || text.contains('\n') {
            return Attached::NoImage;
        }
        let path = match text.strip_prefix("file://") {
            Some(url) => PathBuf::from(unescaped(url)),
            None => cwd.join(&text),
        };
        match std::fs::metadata(&path) {
            Ok(about) if about.is_file() && about.len() <= LARGEST as u64 => match std::fs::read(&path) {
                Ok(bytes) => image::encode(&bytes)
                    .map_or_else(|error| Attached::Refused(format!("{}: {error}", path.display())), Attached::Image),
                Err(error) => Attached::Refused(format!("{} can't be read: {error}", path.display())),
            },
            Ok(about) if about.is_file() => {
                Attached::Refused(format!("{}: {}", path.display(), image::too_long(about.len())))
            }
            Ok(_) | Err(_) => Attached::NoImage,
        }
    }

    /// A paste that is nothing but paths of images, as terminals write files that are dropped on them: each of them. Empty: it
    /// is something else.
    pub fn all(pasted: &str, cwd: &Path) -> Vec<Attached> {
        let is = |one: &Attached| !matches!(one, Attached::NoImage);
        let whole = Attached::of(pasted, cwd);
        if is(&whole) {
            return vec![whole];
        }
        let words = paths(pasted);
        if words.len() > MOST_PATHS || !words.iter().all(|word| named_like_one(word)) {
            return Vec::new();
        }
        let all: Vec<Attached> = words.iter().map(|word| Attached::of(word, cwd)).collect();
        if all.iter().all(is) { all } else { Vec::new() }
    }
}

/// Images that a message names by their path, and why others can't be sent.
pub fn images_named(text: &str, cwd: &Path) -> (Vec<Image>, Vec<String>) {
    let (mut images, mut refused) = (Vec::new(), Vec::new());
    for word in text.split_whitespace().take(MOST_WORDS) {
        match Attached::of(word.trim_start_matches('@'), cwd) {
            Attached::Image(image) => images.push(image),
            Attached::Refused(why) => refused.push(why),
            Attached::NoImage => {}
        }
    }
    (images, refused)
}

fn named_like_one(text: &str) -> bool {
    let end = Path::new(text).extension().and_then(|end| end.to_str()).map(str::to_lowercase);
    matches!(end.as_deref(), Some("png" | "jpg" | "jpeg" | "gif" | "webp"))
}

/// Words as a shell would split them: `\ ` and quotes hold blanks together.
fn paths(text: &str) -> Vec<String> {
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

/// `%20` and the like.
fn unescaped(url: &str) -> std::ffi::OsString {
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
    fn ui_3_a_tag_without_its_image_does_not_look_like_one() {
        let mut attachments = Attachments::default();
        let image = Image { media_type: "image/png".into(), data: "AA==".into() };
        let tag = attachments.image(image);
        let text = attachments.without_lost(format!("{tag} and [Image #2]"));
        assert_eq!(text, "[Image #1] and [Image #2, gone: paste it again]");
        assert_eq!(attachments.message(&text).images.len(), 1);
    }

    #[test]
    fn ui_3_two_drafts_become_one_without_a_mix_up_of_their_pastes() {
        let (mut first, mut second) = (Attachments::default(), Attachments::default());
        let one = first.paste(&"a\n".repeat(9));
        let two = format!("{} and {}", second.paste(&"b\n".repeat(9)), second.paste(&"c\n".repeat(9)));
        let joined = format!("{one} {}", first.join(&two, second));
        assert_eq!(joined, "[Pasted text #1: 9 lines] [Pasted text #2: 9 lines] and [Pasted text #3: 9 lines]");
        let whole = format!("{} {} and {}", "a\n".repeat(9), "b\n".repeat(9), "c\n".repeat(9));
        assert_eq!(first.message(&joined).text, whole);
    }

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";

    #[test]
    fn ui_3_images_by_path_and_only_those_still_named() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a b.png"), PNG).unwrap();
        let mut attachments = Attachments::default();
        let urls =
            [format!("file://{}/a b.png", dir.path().display()), format!("file://{}/a%20b.png", dir.path().display())];
        for given in ["a b.png", "'a b.png'", "a\\ b.png", &urls[0], &urls[1]] {
            let Attached::Image(image) = Attached::of(given, dir.path()) else { panic!("{given}") };
            assert_eq!(
                (image.media_type.as_str(), image.data.as_str()),
                ("image/png", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB")
            );
            attachments.image(image);
        }
        assert_eq!(attachments.message("see [Image #2]").images.len(), 1);
        assert!(matches!(Attached::of("none.png", dir.path()), Attached::NoImage));
        assert!(matches!(Attached::of("words.txt", dir.path()), Attached::NoImage));
    }

    #[test]
    fn ui_3_an_image_is_what_its_bytes_say_and_no_larger_than_can_be_sent() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| std::fs::write(dir.path().join(name), bytes).unwrap();
        write("photo.png", b"\xff\xd8\xff\xc0\x00\x0b\x08\x00\x01\x00\x01");
        let Attached::Image(image) = Attached::of("photo.png", dir.path()) else { panic!() };
        assert_eq!(image.media_type, "image/jpeg");
        write("page.png", b"<html>");
        assert!(matches!(Attached::of("page.png", dir.path()), Attached::Refused(why) if why.contains("no PNG")));
        write("head.png", b"\x89PNG\r\n\x1a\n");
        assert!(matches!(Attached::of("head.png", dir.path()), Attached::Refused(why) if why.contains("cut off")));
        write("huge.gif", &vec![0; LARGEST + 1]);
        assert!(
            matches!(Attached::of("huge.gif", dir.path()), Attached::Refused(why) if why.contains("at most 3.75 MB"))
        );
    }

    #[test]
    fn ui_3_files_that_are_dropped_become_images_all_or_none() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a b.png", "c.png"] {
            std::fs::write(dir.path().join(name), PNG).unwrap();
        }
        let count = |pasted: &str| Attached::all(pasted, dir.path()).len();
        assert_eq!(count("a\\ b.png c.png"), 2);
        assert_eq!(count("'a b.png' \"c.png\"\n"), 2);
        assert_eq!(count("c.png"), 1);
        assert_eq!(count("look at c.png"), 0);
        assert_eq!(count("c.png none.png"), 0);
        assert_eq!(count(""), 0);
    }
}
