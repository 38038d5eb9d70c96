//! Converts a call's result for the model: in order, limited in size; what is too long goes to a file.

use super::tool::sanitize_and_truncate;
use base64::Engine;
use cutonce_core::conversation::{Image, ResultPart};
use cutonce_core::text::sanitize::sanitize_for_model;
use cutonce_tools::spill::{self, OptionalRedactor};
use cutonce_tools::tool::ToolOutcome;
use serde_json::Value;
use std::path::Path;

/// Maximum characters of text for the model, and how many of a longer text are shown.
const MAX_TEXT: usize = 30_000;
const HEAD_CHARS: usize = 10_000;
const MAX_BLOCKS: usize = 200;
const MAX_IMAGES: usize = 8;
/// Maximum bytes of base64 that providers accept.
const MAX_IMAGE: usize = 5 << 20;

/// Converts the `result` of `tools/call`. `own` is the session's folder, `name` the tool's name.
pub(super) fn from_result(result: &Value, own: &Path, name: &str, redact: OptionalRedactor) -> ToolOutcome {
    let mut parts = ResultBuilder { own, name, redact, text: String::new(), images: Vec::new(), skipped: 0 };
    let content = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    match &result["structuredContent"] {
        Value::Null => content.iter().take(MAX_BLOCKS).for_each(|block| parts.push_block(block)),
        structured => {
            // Text blocks repeat the structured content, so only images are added.
            parts.push_text(&structured.to_string());
            content
                .iter()
                .take(MAX_BLOCKS)
                .filter(|block| block["type"] == "image")
                .for_each(|block| parts.push_block(block));
        }
    }
    if content.len() > MAX_BLOCKS {
        parts.push_text(&format!("[{} more blocks were left out]", content.len() - MAX_BLOCKS));
    }
    parts.into_outcome(result["isError"] == true)
}

/// Converts content blocks to text, for resources and prompts.
pub(super) fn blocks_to_text(blocks: &[Value], own: &Path, name: &str, redact: OptionalRedactor) -> String {
    let mut parts = ResultBuilder { own, name, redact, text: String::new(), images: Vec::new(), skipped: 0 };
    blocks.iter().take(MAX_BLOCKS).for_each(|block| parts.push_block(block));
    parts.shortened_text()
}

struct ResultBuilder<'a> {
    own: &'a Path,
    name: &'a str,
    redact: OptionalRedactor,
    text: String,
    images: Vec<Image>,
    skipped: usize,
}

impl ResultBuilder<'_> {
    fn push_text(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&sanitize_for_model(text));
    }

    fn push_block(&mut self, block: &Value) {
        let text = |key: &str| block[key].as_str().unwrap_or_default();
        match block["type"].as_str() {
            Some("text") => self.push_text(text("text")),
            Some("image") => self.push_image(text("mimeType"), text("data")),
            Some("audio") => self.push_file("audio", text("mimeType"), text("data")),
            Some("resource") => self.push_resource(&block["resource"]),
            Some("resource_link") => {
                let (name, uri) = (sanitize_and_truncate(text("name"), 200), sanitize_and_truncate(text("uri"), 1_000));
                self.push_text(&format!(
                    "[resource {name}: {uri}] {}",
                    sanitize_and_truncate(text("description"), 500)
                ));
            }
            Some(_) | None => {
                self.push_text(&format!("[a block of type {} can't be shown]", sanitize_and_truncate(text("type"), 80)))
            }
        }
    }

    /// Adds a resource's content: text or bytes.
    fn push_resource(&mut self, resource: &Value) {
        let text = |key: &str| resource[key].as_str().unwrap_or_default();
        let uri = sanitize_and_truncate(text("uri"), 1_000);
        match resource["text"].as_str() {
            Some(content) => self.push_text(&format!("[resource {uri}]\n{content}")),
            None if text("mimeType").starts_with("image/") => self.push_image(text("mimeType"), text("blob")),
            None => self.push_file(&format!("resource {uri}"), text("mimeType"), text("blob")),
        }
    }

    fn push_image(&mut self, media_type: &str, data: &str) {
        const KNOWN: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
        let decoded = base64::engine::general_purpose::STANDARD.decode(data);
        let fits = data.len() <= MAX_IMAGE && KNOWN.contains(&media_type);
        // An image that no provider can decode would break every later request (AG-4).
        let form = decoded.as_ref().ok().and_then(|bytes| cutonce_core::image::check_image(bytes).ok());
        match (decoded, form) {
            (Ok(_), Some(form)) if fits && self.images.len() < MAX_IMAGES => {
                self.images.push(Image { media_type: form.media_type().into(), data: data.into() });
            }
            (Ok(_), Some(_)) if self.images.len() == MAX_IMAGES => self.skipped += 1,
            (Ok(_), _) => self.push_file("image", media_type, data),
            (Err(_), _) => self.push_text("[an image with invalid base64 was left out]"),
        }
    }

    /// Saves content that models don't accept to a file, for the Read tool.
    fn push_file(&mut self, what: &str, media_type: &str, data: &str) {
        let note = match base64::engine::general_purpose::STANDARD.decode(data) {
            Ok(bytes) => {
                let ext = file_extension(media_type);
                format!(
                    "{} bytes. {}",
                    bytes.len(),
                    spill::store_text(self.own, self.name, ext, &bytes, self.redact.clone())
                )
            }
            Err(_) => "its base64 is invalid and was left out".into(),
        };
        self.push_text(&format!("[{what}, {}: {note}]", sanitize_and_truncate(media_type, 80)));
    }

    fn shortened_text(&self) -> String {
        if self.text.chars().nth(MAX_TEXT).is_none() {
            return self.text.clone();
        }
        let head: String = self.text.chars().take(HEAD_CHARS).collect();
        let note = spill::store_text(self.own, self.name, "txt", self.text.as_bytes(), self.redact.clone());
        let all = self.text.chars().count();
        format!("{head}\n\n[The first {HEAD_CHARS} of {all} characters. {note}]")
    }

    fn into_outcome(mut self, is_error: bool) -> ToolOutcome {
        if self.skipped > 0 {
            self.push_text(&format!("[{} more images were left out]", self.skipped));
        }
        let mut content = Vec::new();
        if !self.text.is_empty() {
            content.push(ResultPart::Text { text: self.shortened_text() });
        }
        content.extend(self.images.into_iter().map(ResultPart::Image));
        if content.is_empty() {
            content.push(ResultPart::Text { text: "(no output)".into() });
        }
        ToolOutcome { is_error, ..ToolOutcome::of(content) }
    }
}

fn file_extension(media_type: &str) -> &'static str {
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
    fn ag_4_undecodable_image_becomes_a_file() {
        let own = tempfile::tempdir().unwrap();
        let broken = json!({"content": [{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}]});
        let shown = texts(&from_result(&broken, own.path(), "mcp__s__t", None));
        assert!(!shown.contains("<image") && shown.contains(".png"), "{shown}");
    }

    fn texts(outcome: &ToolOutcome) -> String {
        let text = |part: &ResultPart| match part {
            ResultPart::Text { text } => text.clone(),
            ResultPart::Image(image) => format!("<{} {}>", image.media_type, image.data),
        };
        outcome.content.iter().map(text).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn ho_6_results_are_converted_for_models() {
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
                "[an image with invalid base64 was left out]",
            ),
            (json!({"content": [{"type": "text", "text": "t"}], "structuredContent": {"a": 1}}), "{\"a\":1}"),
            (json!({"content": [{"type": "resource", "resource": {"uri": "x:y", "text": "t"}}]}), "[resource x:y]\nt"),
            (json!({"content": [{"type": "smell"}]}), "[a block of type smell can't be shown]"),
            (json!({}), "(no output)"),
            (json!([1, 2]), "(no output)"),
        ];
        for (result, expected) in cases {
            let outcome = from_result(&result, own.path(), "mcp__s__t", None);
            assert_eq!((texts(&outcome).as_str(), outcome.is_error), (expected, false), "{result}");
        }
        assert!(from_result(&json!({"isError": true}), own.path(), "t", None).is_error);
        assert_eq!(std::fs::read_dir(own.path()).unwrap().count(), 0);
    }

    #[test]
    fn ho_6_long_results_go_to_a_file() {
        let own = tempfile::tempdir().unwrap();
        let long = "é".repeat(MAX_TEXT + 1);
        let shown =
            texts(&from_result(&json!({"content": [{"type": "text", "text": long}]}), own.path(), "mcp__s__t", None));
        assert!(
            shown.starts_with(&"é".repeat(HEAD_CHARS))
                && shown.contains("The first 10000 of 30001 characters. All of it is in")
        );
        assert!(shown.len() < 2 * HEAD_CHARS + 500, "{}", shown.len());
        assert_eq!(std::fs::read_to_string(own.path().join("mcp__s__t.txt")).unwrap(), long);
    }

    #[test]
    fn ho_6_many_blocks_are_limited() {
        let own = tempfile::tempdir().unwrap();
        let many = json!({"content": vec![json!({"type": "image", "mimeType": "image/png", "data": PIXEL}); 500]});
        let outcome = from_result(&many, own.path(), "t", None);
        assert_eq!(outcome.content.len(), 1 + MAX_IMAGES, "{}", texts(&outcome));
        assert!(texts(&outcome).contains("[300 more blocks were left out]\n[192 more images were left out]"));
        let blob = json!({"content": [{"type": "resource", "resource": {"uri": "x:z", "mimeType": "application/gzip", "blob": "QUJD"}}]});
        let shown = texts(&from_result(&blob, own.path(), "t", None));
        assert!(shown.starts_with("[resource x:z, application/gzip: 3 bytes. All of it is in"), "{shown}");
        assert_eq!(std::fs::read(own.path().join("t.gz")).unwrap(), b"ABC");
    }
}
