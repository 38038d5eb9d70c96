//! Extracts a PDF's text by page (TL-2).
//!
//! A small reader of our own: on our test files `pdf-extract` 0.12 and its `lopdf` refuse a missing cross-reference
//! table, and `pdf-extract` panics on a font without `CIDSystemInfo`. Everything here is bounded (depth, objects,
//! unpacked bytes, operators) and checks every index, so a hostile file gets a short error instead of ending the
//! session.

mod content;
mod document;
mod font;
mod object;

use document::PdfDocument;

/// Pages shown if no limit is given.
const DEFAULT_PAGES: u64 = 20;
const MAX_TEXT: usize = 100_000;

/// Returns the pages from `first` (counted from 1) as text, or why there are none.
pub(super) fn pdf_text(bytes: &[u8], first: u64, limit: Option<u64>) -> Result<String, String> {
    let document = PdfDocument::load(bytes)?;
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
