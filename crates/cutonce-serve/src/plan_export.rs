//! A plan as one self-contained HTML file, and the comments that come back from it (RV-6).

use crate::plan_html::{escape, render_plan};
use base64::Engine;
use cutonce_core::plan::approval::LineComment;
use cutonce_core::plan::{plan_title, sha256_hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("../assets/app.css");
const SCRIPT: &str = include_str!("../assets/export.js");
/// Comments of a person; a larger file is not from an exported plan.
const MAX_COMMENTS: usize = 10_000;

/// Comments on an exported plan, as its page saves them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedComments {
    /// Name of the plan.
    pub slug: String,
    /// Hash of the text that was exported.
    pub sha256: String,
    pub comments: Vec<LineComment>,
}

/// Makes the file. Its policy allows exactly its own script and style.
pub fn export_html(slug: &str, text: &str) -> String {
    let title = escape(&plan_title(text).unwrap_or_else(|| slug.to_string()));
    let about = serde_json::json!({ "slug": slug, "sha256": sha256_hex(text) });
    let about = about.to_string().replace('<', "\\u003c");
    let lines: String = render_plan(text).lines.concat();
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        source_hash(SCRIPT),
        source_hash(STYLE)
    );
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<main class=\"page wide\">\n<h1>{title}</h1>\n\
         <p class=\"meta\">Click a line’s number to comment on it; then save your comments to a file.</p>\n\
         <div class=\"tools\"><button type=\"button\" id=\"save\" class=\"main\" disabled>Save comments to a file</button>\
         <span id=\"status\" class=\"count\" aria-live=\"polite\"></span></div>\n\
         <div class=\"plan\" role=\"group\" aria-label=\"Plan\">{lines}</div>\n</main>\n\
         <script type=\"application/json\" id=\"about\">{about}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

fn source_hash(source: &str) -> String {
    format!("sha256-{}", base64::engine::general_purpose::STANDARD.encode(Sha256::digest(source)))
}

/// Reads comments that an exported plan saved. The error says what is wrong with the file.
pub fn read_comments(json: &str) -> Result<ExportedComments, String> {
    let read: ExportedComments = serde_json::from_str(json).map_err(|error| error.to_string())?;
    if !cutonce_core::plan::is_plan_name(&read.slug) {
        return Err("it names no plan".into());
    }
    if read.comments.len() > MAX_COMMENTS || read.comments.iter().any(|comment| comment.line == 0) {
        return Err("its comments have no place in a plan".into());
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rv_6_export_is_self_contained_and_escaped() {
        let html = export_html("a-b-c", "# Title </script><script>alert(1)</script>\n\n1. x\n");
        assert_eq!(html.matches("<script").count(), 2, "the data and our own script");
        assert!(!html.contains("alert(1)</script>") && !html.contains("src="), "{html}");
        assert!(html.contains("data-line=\"3\"") && html.contains("script-src 'sha256-"));
    }

    #[test]
    fn rv_6_comments_come_back() {
        let sha256 = sha256_hex("# P\n");
        let json = format!(r#"{{"slug": "a-b-c", "sha256": "{sha256}", "comments": [{{"line": 1, "text": "why?"}}]}}"#);
        let read = read_comments(&json).unwrap();
        assert_eq!((read.slug.as_str(), read.comments[0].text.as_str()), ("a-b-c", "why?"));
        for bad in ["", "{}", &json.replace("a-b-c", "../x"), &json.replace("\"line\": 1", "\"line\": 0")] {
            assert!(read_comments(bad).is_err(), "{bad}");
        }
    }
}
