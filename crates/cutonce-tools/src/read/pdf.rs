//! A PDF's text by page (TL-2).
//!
//! Our own small reader, because the crates for this panic or loop on damaged files, and the program is built
//! to end at a panic. Everything here is bounded (depth, objects, bytes after unpacking, operators) and indexes
//! nothing without asking, so that a hostile file gets a short answer instead of ending the session.

mod content;
mod document;
mod font;
mod object;

use document::Document;

/// Pages shown when no limit is given.
const DEFAULT_PAGES: u64 = 20;
const MAX_TEXT: usize = 100_000;

/// The pages from `first` (from 1) as text, or why there are none.
pub(super) fn text(bytes: &[u8], first: u64, limit: Option<u64>) -> Result<String, String> {
    let document = Document::load(bytes)?;
    let pages = document.pages();
    let total = pages.len() as u64;
    if total == 0 {
        return Err("a PDF without pages, or too damaged to read".into());
    }
    if first > total {
        return Err(format!("`offset`: expected a page from 1 to {total}, got {first}"));
    }
    let end = total.min((first - 1).saturating_add(limit.unwrap_or(DEFAULT_PAGES)));
    let mut out = String::new();
    let mut next = end + 1;
    for (number, page) in (1..=total).zip(&pages).skip(first as usize - 1).take((end + 1 - first) as usize) {
        let mut text = content::page_text(&document, page);
        if text.trim().is_empty() {
            text = "(no text on this page; it may be an image)".into();
        }
        if !out.is_empty() && out.len() + text.len() > MAX_TEXT {
            next = number;
            break;
        }
        if text.len() > MAX_TEXT {
            text.truncate(text.floor_char_boundary(MAX_TEXT));
            text.push_str("… [page cut]");
        }
        out.push_str(&format!("[page {number}]\n{}\n\n", text.trim()));
    }
    if next <= total {
        out.push_str(&format!("[Pages {first}-{} of {total}. Read on with offset={next}.]", next - 1));
    }
    Ok(out.trim_end().to_string())
}

#[cfg(test)]
mod tests;
