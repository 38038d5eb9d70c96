//! The result of a call as the model gets it: bounded, in the order the server gave it; what is too long goes to a file.

use super::offered::bounded;
use base64::Engine;
use cutonce_core::conversation::{Image, ResultPart};
use cutonce_core::harmless::for_model;
use cutonce_tools::spill::{self, Redacting};
use cutonce_tools::tool::Outcome;
use serde_json::Value;
use std::path::Path;

/// Characters of text that go to the model as they are, and how many of a longer text.
const MOST_TEXT: usize = 30_000;
const HEAD: usize = 10_000;
const MOST_BLOCKS: usize = 200;
const MOST_IMAGES: usize = 8;
/// Bytes of base64, as providers take them.
const LARGEST_IMAGE: usize = 5 << 20;

/// `result` is what `tools/call` gave. `own` is the session's own folder, `name` the tool's.
pub(super) fn of(result: &Value, own: &Path, name: &str, redact: Redacting) -> Outcome {
    let mut parts = Parts { own, name, redact, text: String::new(), images: Vec::new(), skipped: 0 };
    let content = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    match &result["structuredContent"] {
        Value::Null => content.iter().take(MOST_BLOCKS).for_each(|block| parts.add(block)),
        structured => {
            // What the text blocks would say again; images are said only there.
            parts.say(&structured.to_string());
            content
                .iter()
                .take(MOST_BLOCKS)
                .filter(|block| block["type"] == "image")
                .for_each(|block| parts.add(block));
        }
    }
    if content.len() > MOST_BLOCKS {
        parts.say(&format!("[{} more pieces were left out]", content.len() - MOST_BLOCKS));
    }
    parts.outcome(result["isError"] == true)
}

/// A list of content blocks as text: for resources and prompts.
pub(super) fn text_of(blocks: &[Value], own: &Path, name: &str, redact: Redacting) -> String {
    let mut parts = Parts { own, name, redact, text: String::new(), images: Vec::new(), skipped: 0 };
    blocks.iter().take(MOST_BLOCKS).for_each(|block| parts.add(block));
    parts.shortened()
}

struct Parts<'a> {
    own: &'a Path,
    name: &'a str,
    redact: Redacting,
    text: String,
    images: Vec<Image>,
    skipped: usize,
}

impl Parts<'_> {
    fn say(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&for_model(text));
    }

    fn add(&mut self, block: &Value) {
        let text = |key: &str| block[key].as_str().unwrap_or_default();
        match block["type"].as_str() {
            Some("text") => self.say(text("text")),
            Some("image") => self.image(text("mimeType"), text("data")),
            Some("audio") => self.file("audio", text("mimeType"), text("data")),
            Some("resource") => self.resource(&block["resource"]),
            Some("resource_link") => {
                let (name, uri) = (bounded(text("name"), 200), bounded(text("uri"), 1_000));
                self.say(&format!("[resource {name}: {uri}] {}", bounded(text("description"), 500)));
            }
            Some(_) | None => self.say(&format!("[a piece of the kind {} can't be shown]", bounded(text("type"), 80))),
        }
    }

    /// The content of a resource: text, or bytes.
    fn resource(&mut self, resource: &Value) {
        let text = |key: &str| resource[key].as_str().unwrap_or_default();
        let uri = bounded(text("uri"), 1_000);
        match resource["text"].as_str() {
            Some(content) => self.say(&format!("[resource {uri}]\n{content}")),
            None if text("mimeType").starts_with("image/") => self.image(text("mimeType"), text("blob")),
            None => self.file(&format!("resource {uri}"), text("mimeType"), text("blob")),
        }
    }

    fn image(&mut self, media_type: &str, data: &str) {
        const KNOWN: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
        let decoded = base64::engine::general_purpose::STANDARD.decode(data);
        let fits = data.len() <= LARGEST_IMAGE && KNOWN.contains(&media_type);
        // One that no provider can decode would end every later request, too (AG-4).
        let form = decoded.as_ref().ok().and_then(|bytes| cutonce_core::image::check(bytes).ok());
        match (decoded, form) {
            (Ok(_), Some(form)) if fits && self.images.len() < MOST_IMAGES => {
                self.images.push(Image { media_type: form.media_type().into(), data: data.into() });
            }
            (Ok(_), Some(_)) if self.images.len() == MOST_IMAGES => self.skipped += 1,
            (Ok(_), _) => self.file("image", media_type, data),
            (Err(_), _) => self.say("[an image that is no base64 was left out]"),
        }
    }

    /// What no model takes is kept where Read finds it.
    fn file(&mut self, what: &str, media_type: &str, data: &str) {
        let note = match base64::engine::general_purpose::STANDARD.decode(data) {
            Ok(bytes) => {
                let ext = extension(media_type);
                format!("{} bytes. {}", bytes.len(), spill::keep(self.own, self.name, ext, &bytes, self.redact.clone()))
            }
            Err(_) => "it is no base64 and was left out".into(),
        };
        self.say(&format!("[{what}, {}: {note}]", bounded(media_type, 80)));
    }

    fn shortened(&self) -> String {
        if self.text.chars().nth(MOST_TEXT).is_none() {
            return self.text.clone();
        }
        let head: String = self.text.chars().take(HEAD).collect();
        let note = spill::keep(self.own, self.name, "txt", self.text.as_bytes(), self.redact.clone());
        let all = self.text.chars().count();
        format!("{head}\n\n[The first {HEAD} of {all} characters. {note}]")
    }

    fn outcome(mut self, is_error: bool) -> Outcome {
        if self.skipped > 0 {
            self.say(&format!("[{} more images were left out]", self.skipped));
        }
        let mut content = Vec::new();
        if !self.text.is_empty() {
            content.push(ResultPart::Text { text: self.shortened() });
        }
        content.extend(self.images.into_iter().map(ResultPart::Image));
        if content.is_empty() {
            content.push(ResultPart::Text { text: "(no output)".into() });
        }
        Outcome { content, is_error, display: None }
    }
}

fn extension(media_type: &str) -> &'static str {
    match media_type {
        "application/pdf" => "pdf",
        "application/gzip" => "gz",
        "application/zip" => "zip",
        "audio/wav" => "wav",
        "audio/mpeg" => "mp3",
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/svg+xml" => "svg",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";

    #[test]
    fn ag_4_an_image_that_can_not_be_decoded_becomes_a_file() {
        let own = tempfile::tempdir().unwrap();
        let broken = json!({"content": [{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}]});
        let shown = texts(&of(&broken, own.path(), "mcp__s__t", None));
        assert!(!shown.contains("<image") && shown.contains(".png"), "{shown}");
    }

    fn texts(outcome: &Outcome) -> String {
        let text = |part: &ResultPart| match part {
            ResultPart::Text { text } => text.clone(),
            ResultPart::Image(image) => format!("<{} {}>", image.media_type, image.data),
        };
        outcome.content.iter().map(text).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn ho_6_results_become_what_models_take() {
        let own = tempfile::tempdir().unwrap();
        let cases = [
            (json!({"content": [{"type": "text", "text": "a\u{1b}[31mb\u{0}"}]}), "ab\\u{0}"),
            (json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), "a\nb"),
            (
                json!({"content": [{"type": "image", "mimeType": "image/jpeg", "data": PIXEL}]}),
                "<image/png iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB>",
            ),
            (
                json!({"content": [{"type": "image", "mimeType": "image/png", "data": "!"}]}),
                "[an image that is no base64 was left out]",
            ),
            (json!({"content": [{"type": "text", "text": "t"}], "structuredContent": {"a": 1}}), "{\"a\":1}"),
            (json!({"content": [{"type": "resource", "resource": {"uri": "x:y", "text": "t"}}]}), "[resource x:y]\nt"),
            (json!({"content": [{"type": "smell"}]}), "[a piece of the kind smell can't be shown]"),
            (json!({}), "(no output)"),
            (json!([1, 2]), "(no output)"),
        ];
        for (result, expected) in cases {
            let outcome = of(&result, own.path(), "mcp__s__t", None);
            assert_eq!((texts(&outcome).as_str(), outcome.is_error), (expected, false), "{result}");
        }
        assert!(of(&json!({"isError": true}), own.path(), "t", None).is_error);
        assert_eq!(std::fs::read_dir(own.path()).unwrap().count(), 0);
    }

    #[test]
    fn ho_6_what_is_too_long_goes_to_a_file_with_its_head_shown() {
        let own = tempfile::tempdir().unwrap();
        let long = "é".repeat(MOST_TEXT + 1);
        let shown = texts(&of(&json!({"content": [{"type": "text", "text": long}]}), own.path(), "mcp__s__t", None));
        assert!(
            shown.starts_with(&"é".repeat(HEAD))
                && shown.contains("The first 10000 of 30001 characters. All of it is in")
        );
        assert!(shown.len() < 2 * HEAD + 500, "{}", shown.len());
        assert_eq!(std::fs::read_to_string(own.path().join("mcp__s__t.txt")).unwrap(), long);
    }

    #[test]
    fn ho_6_many_pieces_are_bounded_and_bytes_are_kept_in_files() {
        let own = tempfile::tempdir().unwrap();
        let many = json!({"content": vec![json!({"type": "image", "mimeType": "image/png", "data": PIXEL}); 500]});
        let outcome = of(&many, own.path(), "t", None);
        assert_eq!(outcome.content.len(), 1 + MOST_IMAGES, "{}", texts(&outcome));
        assert!(texts(&outcome).contains("[300 more pieces were left out]\n[192 more images were left out]"));
        let blob = json!({"content": [{"type": "resource", "resource": {"uri": "x:z", "mimeType": "application/gzip", "blob": "QUJD"}}]});
        let shown = texts(&of(&blob, own.path(), "t", None));
        assert!(shown.starts_with("[resource x:z, application/gzip: 3 bytes. All of it is in"), "{shown}");
        assert_eq!(std::fs::read(own.path().join("t.gz")).unwrap(), b"ABC");
    }
}
