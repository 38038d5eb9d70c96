//! From the bytes of an answer to text: which kinds we read, their encoding, HTML as markdown (TL-9).

use encoding_rs::{Encoding, UTF_8};
use htmd::{Element, HtmlToMarkdown};

/// A kind of text that we read.
pub(crate) struct Kind {
    pub(crate) name: String,
    html: bool,
    encoding: Option<&'static Encoding>,
}

/// Beside `text/*`, `*+json` and `*+xml`.
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

impl Kind {
    /// From the Content-Type of an answer; the error is the type that we don't read. Without one it is taken for text.
    pub(crate) fn of(header: Option<&str>) -> Result<Self, String> {
        let header = header.unwrap_or("text/plain");
        let mut pieces = header.split(';');
        let name = pieces.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = pieces.find_map(|piece| {
            let (key, value) = piece.split_once('=')?;
            key.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"').to_string())
        });
        let known = name.starts_with("text/") || TEXTS.contains(&name.as_str());
        if !(known || name.ends_with("+json") || name.ends_with("+xml")) || name == "image/svg+xml" {
            return Err(name);
        }
        let html = matches!(name.as_str(), "text/html" | "application/xhtml+xml");
        Ok(Self { html, encoding: charset.and_then(|label| Encoding::for_label(label.as_bytes())), name })
    }
}

/// The text of a body.
pub(crate) async fn text(body: Vec<u8>, kind: &Kind) -> Result<String, String> {
    let encoding = kind.encoding.or_else(|| declared(&body).filter(|_| kind.html)).unwrap_or(UTF_8);
    let (text, ..) = encoding.decode(&body);
    if text.contains('\0') {
        return Err("it holds NUL characters, so it is not text".into());
    }
    if !kind.html {
        return Ok(text.into_owned());
    }
    markdown(text.into_owned()).await
}

/// `<meta charset=…>` or `<meta http-equiv … content="…; charset=…">`, near the top.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let top = String::from_utf8_lossy(body.get(..2048).unwrap_or(body)).to_ascii_lowercase();
    let (_, after) = top.split_once("charset=")?;
    let label: String = after.trim_start_matches(['"', '\'']).chars().take_while(|c| !" \"'/>;".contains(*c)).collect();
    Encoding::for_label(label.as_bytes())
}

/// Tags that hold nothing to read.
const SILENT: [&str; 9] = ["script", "style", "noscript", "template", "iframe", "svg", "canvas", "object", "link"];
/// The converter calls itself for each level: pages nested deeper than a person would write are taken as text.
const DEPTH: usize = 10_000;
/// Room for that, taken only as far as it is used.
const STACK: usize = 512 << 20;

/// On a thread of its own: large pages take a while, and deep ones a large stack.
async fn markdown(html: String) -> Result<String, String> {
    if depth(&html) > DEPTH {
        return Ok(without_tags(&html));
    }
    let (done, wait) = tokio::sync::oneshot::channel();
    let convert = move || {
        let converted = HtmlToMarkdown::builder()
            .skip_tags(SILENT.to_vec())
            .add_handler(vec!["img"], image)
            .build()
            .convert(&html)
            .map_err(|error| error.to_string());
        // Nobody waits any more: the fetch was interrupted.
        drop(done.send(converted));
    };
    let thread = std::thread::Builder::new().name("html to markdown".into()).stack_size(STACK);
    thread.spawn(convert).map_err(|error| error.to_string())?;
    wait.await.map_err(|_| "its HTML could not be converted".to_string())?
}

/// The words of an image and where it is, unless it is in the page itself.
fn image(element: Element) -> Option<String> {
    let of =
        |name: &str| element.attrs.iter().find(|attribute| &*attribute.name.local == name).map(|a| a.value.to_string());
    let words = of("alt").unwrap_or_default();
    match of("src") {
        Some(source) if !source.starts_with("data:") => Some(format!("![{words}]({source})")),
        _ => Some(words),
    }
}

/// How deep tags may be nested, at most: tags that need no end count as open.
fn depth(html: &str) -> usize {
    const ALONE: &[&str] =
        &["br", "hr", "img", "input", "link", "meta", "p", "li", "td", "tr", "th", "dt", "dd", "option"];
    let (mut open, mut most) = (0usize, 0usize);
    for tag in html.split('<').skip(1) {
        let name: String = tag.chars().take(12).take_while(char::is_ascii_alphanumeric).collect();
        if tag.starts_with('/') {
            open = open.saturating_sub(1);
        } else if !name.is_empty() && !ALONE.contains(&name.to_ascii_lowercase().as_str()) {
            open += 1;
            most = most.max(open);
        }
    }
    most
}

fn without_tags(html: &str) -> String {
    let words = html.split('<').map(|piece| piece.split_once('>').map_or("", |(_, text)| text).trim());
    words.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(header: &str, body: &[u8]) -> Result<String, String> {
        text(body.to_vec(), &Kind::of(Some(header))?).await
    }

    #[tokio::test]
    async fn tl_9_html_becomes_markdown_and_other_text_stays() {
        let html = b"<html><head><title>T</title><style>p{}</style></head><body><h1>Hi</h1><script>evil()</script>\
            <p>A <a href=\"/x\">link</a>.</p><ul><li>one</li></ul><img alt=logo src=\"data:image/png;base64,AAAA\"></body></html>";
        let text = read("text/html; charset=utf-8", html).await.unwrap();
        assert!(text.contains("# Hi") && text.contains("A [link](/x).") && text.contains("one"), "{text}");
        assert!(!text.contains("evil") && !text.contains("AAAA") && !text.contains("p{}"), "{text}");
        assert!(text.contains("logo"), "{text}");
        assert_eq!(read("application/json", b"{\"a\": \"<b>\"}").await.unwrap(), "{\"a\": \"<b>\"}");
    }

    #[tokio::test]
    async fn tl_9_encodings_are_taken_from_the_header_or_the_page() {
        assert_eq!(read("text/plain; charset=iso-8859-1", b"caf\xe9").await.unwrap(), "café");
        assert_eq!(read("text/html", b"<meta charset=\"windows-1252\"><p>caf\xe9</p>").await.unwrap(), "café");
        assert_eq!(read("text/plain", b"caf\xe9").await.unwrap(), "caf\u{fffd}");
    }

    #[tokio::test]
    async fn tl_9_what_is_no_text_is_refused() {
        for kind in ["application/pdf", "image/png", "image/svg+xml", "application/octet-stream", "video/mp4"] {
            assert_eq!(Kind::of(Some(kind)).err().as_deref(), Some(kind));
        }
        assert!(read("text/plain", b"a\0b").await.is_err());
    }

    #[tokio::test]
    async fn tl_9_a_page_of_endless_nesting_harms_nobody() {
        let deep = |levels: usize| format!("{}words{}", "<div>".repeat(levels), "</div>".repeat(levels));
        assert_eq!(read("text/html", deep(9_000).as_bytes()).await.unwrap().trim(), "words");
        assert_eq!(read("text/html", deep(200_000).as_bytes()).await.unwrap(), "words");
        assert_eq!(read("text/html", "<b>".repeat(200_000).as_bytes()).await.unwrap(), "");
    }
}
