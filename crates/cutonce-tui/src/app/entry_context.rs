//! Drawing parameters for conversation entries.

use super::App;
use crate::entries::EntryContext;
use crate::render::markdown::CodeHighlighting;
use std::time::{Duration, Instant};

/// How long to wait for syntax highlighting before code is printed plain.
pub(super) const HIGHLIGHT_TIMEOUT: Duration = Duration::from_millis(200);

impl App {
    pub(super) fn entry_context(&self) -> EntryContext<'_> {
        let colours = CodeHighlighting { highlighter: &self.highlighter, deadline: Instant::now() + HIGHLIGHT_TIMEOUT };
        EntryContext { width: self.content_width(), theme: &self.theme, highlighting: Some(colours) }
    }
}
