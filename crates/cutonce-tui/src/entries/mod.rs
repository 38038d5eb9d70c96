//! Conversation entries as lines for the scrollback, one file per kind (UI-4, PM-142). Printed lines never change.

mod answers;
pub mod conversation_log;
pub mod path_shortener;
pub mod replay;
pub mod reviews;
pub mod streaming_text;
pub mod tool_call;

pub use reviews::entered_lines;

use crate::render::markdown::{self, CodeHighlighting};
use crate::render::text::{self, RowPrefix};
use crate::render::theme::Theme;
use cutonce_core::protocol::event::NoticeLevel;
use ratatui::text::{Line, Span};

/// Width, theme and highlighter for drawing entries.
#[derive(Debug, Clone, Copy)]
pub struct EntryContext<'a> {
    pub width: usize,
    pub theme: &'a Theme,
    /// Highlighter for code; None leaves code plain.
    pub highlighting: Option<CodeHighlighting<'a>>,
}

impl EntryContext<'_> {
    fn render_markdown(&self, source: &str, width: usize) -> Vec<Line<'static>> {
        match self.highlighting {
            Some(colours) => markdown::render_highlighted(source, width, self.theme, colours),
            None => markdown::render(source, width, self.theme),
        }
    }
}

/// Maximum lines shown of a user message. A count replaces the rest.
const MAX_USER_LINES: usize = 40;

/// Kind of an entry, which decides the space between two entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConversationEntryKind {
    #[default]
    Start,
    User,
    Text,
    Tool,
    Notice,
    /// A text of several lines that is no message: a plan, the help, the greeting.
    Block,
}

impl ConversationEntryKind {
    /// True if a blank line separates this entry from the next. Tool calls and notices stay together.
    pub fn needs_gap_before(self, next: ConversationEntryKind) -> bool {
        match (self, next) {
            (ConversationEntryKind::Start, _) => false,
            (ConversationEntryKind::Tool, ConversationEntryKind::Tool)
            | (ConversationEntryKind::Notice, ConversationEntryKind::Notice)
            | (ConversationEntryKind::Text, ConversationEntryKind::Text) => false,
            (ConversationEntryKind::Tool, ConversationEntryKind::Notice)
            | (ConversationEntryKind::Notice, ConversationEntryKind::Tool) => false,
            (
                ConversationEntryKind::User
                | ConversationEntryKind::Text
                | ConversationEntryKind::Tool
                | ConversationEntryKind::Notice
                | ConversationEntryKind::Block,
                _,
            ) => true,
        }
    }
}

/// Mark before the agent's text: «⏺» on macOS, «●» elsewhere (PM-142).
pub const AGENT_MARK: &str = if cfg!(target_os = "macos") { "⏺" } else { "●" };

/// Draws a user message.
pub fn user_lines(said: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    marked_lines("> ", said, width, MAX_USER_LINES, theme.user, theme)
}

/// Draws a queued message, which joins at the agent's next step (AG-5).
pub fn queued_lines(said: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let first = text::one_line(said.lines().next().unwrap_or_default());
    let shown = text::fit(&first, width.saturating_sub(12)).into_owned();
    vec![Line::styled(format!("  queued: {shown}"), theme.dim)]
}

pub fn notice_lines(level: NoticeLevel, said: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let (mark, style) = match level {
        NoticeLevel::Info => ("  ", theme.dim),
        NoticeLevel::Warning => ("! ", theme.warning),
        NoticeLevel::Error => ("✗ ", theme.error),
    };
    marked_lines(mark, said, width, 200, style, theme)
}

/// Draws a text that is not part of the conversation: its heading, then the indented Markdown (DU-5).
pub fn aside_lines(heading: &str, text: &str, context: &EntryContext<'_>) -> Vec<Line<'static>> {
    let heading = Line::styled(text::one_line(heading), context.theme.dim);
    let indent = RowPrefix { first: vec![Span::raw("  ")], next: vec![Span::raw("  ")] };
    let mut lines = text::wrap(&heading, context.width, &RowPrefix::default());
    for row in context.render_markdown(text, context.width.saturating_sub(2)) {
        lines.extend(text::wrap(&row, context.width, &indent));
    }
    lines
}

/// Draws untrusted text after a mark, with its other rows indented.
pub fn marked_lines(
    mark: &'static str,
    said: &str,
    width: usize,
    most: usize,
    style: ratatui::style::Style,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let shown = text::visible(said.trim_end());
    let count = shown.lines().count();
    let mut lines = Vec::new();
    for (n, line) in shown.lines().take(most).enumerate() {
        let begin = if n == 0 { mark } else { "  " };
        let prefix = RowPrefix { first: vec![Span::styled(begin, style)], next: vec![Span::raw("  ")] };
        let line = text::expand_tabs(text::truncate_chars(line, 4_000).as_ref(), 2).into_owned();
        lines.extend(text::wrap(&Line::styled(line, style), width, &prefix));
    }
    if count > most {
        lines.push(Line::styled(format!("  … {}", text::count_noun(count - most, "more line")), theme.dim));
    }
    lines
}

/// Formats a duration: `2s`, `1m 04s`.
pub fn format_duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Formats a count: `812`, `3.1k`, `41k`, `1.2M`.
pub fn format_count(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..10_000 => format!("{:.1}k", count as f64 / 1e3),
        10_000..1_000_000 => format!("{}k", count / 1_000),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_4_user_messages_are_marked_and_shortened() {
        let theme = Theme::default();
        let plain = |lines: Vec<Line<'static>>| lines.iter().map(text::plain_text).collect::<Vec<_>>();
        assert_eq!(plain(user_lines("one two\nthree", 8, &theme)), ["> one", "  two", "  three"]);
        let long = "x\n".repeat(50);
        assert_eq!(plain(user_lines(&long, 20, &theme)).last().unwrap(), "  … 10 more lines");
    }

    #[test]
    fn ui_8_times_and_counts_are_short() {
        assert_eq!([format_duration(4), format_duration(64), format_duration(3725)], ["4s", "1m 04s", "1h 02m"]);
        assert_eq!(
            [format_count(7), format_count(3_120), format_count(41_900), format_count(1_250_000)],
            ["7", "3.1k", "41k", "1.2M"]
        );
    }
}
