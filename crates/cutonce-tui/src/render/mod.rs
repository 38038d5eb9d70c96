//! Turns text into styled terminal rows: Markdown, diffs, highlighted code, themes, widths and wrapping.

pub mod diff;
pub mod edit_view;
pub mod highlight;
pub mod markdown;
pub mod text;
pub mod theme;
