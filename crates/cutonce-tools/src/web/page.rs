//! Converts the bytes of an answer to text: supported types, encoding, HTML as markdown (TL-9).

use super::markdown;
use crate::tool::ToolError;
use encoding_rs::{Encoding, UTF_8};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A text type that we can read.
pub(crate) struct TextType {
    pub(crate) name: String,
    html: bool,
    encoding: Option<&'static Encoding>,
}

/// Text types in addition to `text/*`, `*+json` and `*+xml`.
const TEXTS: &[&str] = &[
    "application/json",
    "application/x-ndjson",
    "application/ndjson",
    "application/xml",
    "application/xhtml+xml",
    "application/javascript",
    "application/x-javascript",
    "application/ecmascript",
    "application/yaml",
    "application/x-yaml",
    "application/toml",
    "application/sql",
    "application/graphql",
    "application/x-sh",
];

impl TextType {
    /// Parses a Content-Type; a missing one means text. The error is the unsupported type.
    pub(crate) fn from_content_type(header: Option<&str>) -> Result<Self, ToolError> {
        let header = header.unwrap_or("text/plain");
        let mut pieces = header.split(';');
        let name = pieces.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = pieces.find_map(|piece| {
            let (key, value) = piece.split_once('=')?;
            key.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"').to_string())
        });
        let known = name.starts_with("text/") || TEXTS.contains(&name.as_str());
        if !(known || name.ends_with("+json") || name.ends_with("+xml")) || name == "image/svg+xml" {
            return Err(name.into());
        }
        let html = matches!(name.as_str(), "text/html" | "application/xhtml+xml");
        Ok(Self { html, encoding: charset.and_then(|label| Encoding::for_label(label.as_bytes())), name })
    }
}

/// Decodes a body.
pub(crate) async fn decode_text(body: Vec<u8>, kind: &TextType) -> Result<String, ToolError> {
    let encoding = kind.encoding.or_else(|| declared_encoding(&body).filter(|_| kind.html)).unwrap_or(UTF_8);
    let (text, ..) = encoding.decode(&body);
    if text.contains('\0') {
        return Err("it contains NUL characters, so it is not text".into());
    }
    if !kind.html {
        return Ok(text.into_owned());
    }
    to_markdown(text.into_owned()).await
}

/// Finds `<meta charset=…>` or `<meta http-equiv … content="…; charset=…">` near the top.
fn declared_encoding(body: &[u8]) -> Option<&'static Encoding> {
    let top = String::from_utf8_lossy(body.get(..2048).unwrap_or(body)).to_ascii_lowercase();
    let (_, after) = top.split_once("charset=")?;
    let label: String = after.trim_start_matches(['"', '\'']).chars().take_while(|c| !" \"'/>;".contains(*c)).collect();
    Encoding::for_label(label.as_bytes())
}

/// Converts on another thread, because large pages take a while. A fetch that ends early ends it too.
async fn to_markdown(html: String) -> Result<String, ToolError> {
    let stop = Arc::new(AtomicBool::new(false));
    let _ends_with_the_fetch = StopOnDrop(Arc::clone(&stop));
    let converted = tokio::task::spawn_blocking(move || markdown::to_markdown(&html, &stop)).await;
    converted.ok().flatten().ok_or_else(|| ToolError::from("its HTML could not be converted"))
}

struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(header: &str, body: &[u8]) -> Result<String, ToolError> {
        decode_text(body.to_vec(), &TextType::from_content_type(Some(header))?).await
    }

    #[tokio::test]
    async fn tl_9_html_becomes_markdown() {
        let html = b"<html><head><title>T</title><style>p{}</style></head><body><h1>Hi</h1><script>evil()</script>\
            <p>A <a href=\"/x\">link</a>.</p><ul><li>one</li></ul><img alt=logo src=\"data:image/png;base64,AAAA\"></body></html>";
        let text = read("text/html; charset=utf-8", html).await.unwrap();
        assert!(text.contains("# Hi") && text.contains("A [link](/x).") && text.contains("one"), "{text}");
        assert!(!text.contains("evil") && !text.contains("AAAA") && !text.contains("p{}"), "{text}");
        assert!(text.contains("logo"), "{text}");
        assert_eq!(read("application/json", b"{\"a\": \"<b>\"}").await.unwrap(), "{\"a\": \"<b>\"}");
    }

    #[tokio::test]
    async fn tl_9_encoding_comes_from_header_or_page() {
        assert_eq!(read("text/plain; charset=iso-8859-1", b"caf\xe9").await.unwrap(), "café");
        assert_eq!(read("text/html", b"<meta charset=\"windows-1252\"><p>caf\xe9</p>").await.unwrap(), "café");
        assert_eq!(read("text/plain", b"caf\xe9").await.unwrap(), "caf\u{fffd}");
    }

    #[tokio::test]
    async fn tl_9_non_text_is_refused() {
        for kind in ["application/pdf", "image/png", "image/svg+xml", "application/octet-stream", "video/mp4"] {
            assert_eq!(TextType::from_content_type(Some(kind)).err(), Some(kind.into()));
        }
        assert!(read("text/plain", b"a\0b").await.is_err());
    }

    #[tokio::test]
    async fn tl_9_deeply_nested_page_is_harmless() {
        let deep = |levels: usize| format!("{}words{}", "<div>".repeat(levels), "</div>".repeat(levels));
        assert_eq!(read("text/html", deep(9_000).as_bytes()).await.unwrap().trim(), "words");
        assert_eq!(read("text/html", deep(200_000).as_bytes()).await.unwrap(), "words");
        assert_eq!(read("text/html", "<b>".repeat(200_000).as_bytes()).await.unwrap(), "");
        // The parser ignores `</>`, so this nests 1.6 million levels deep.
        assert_eq!(read("text/html", "<x></>".repeat(1_600_000).as_bytes()).await.unwrap(), "");
    }
}
