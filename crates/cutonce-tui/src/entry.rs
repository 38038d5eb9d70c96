//! The kinds of entries of a conversation, one file each, as lines for the scrollback (UI-4, PM-142). What was committed is
//! not touched again.

pub mod log;
pub mod places;
pub mod plan;
mod questions;
pub mod replay;
pub mod speech;
pub mod tool;

use crate::markdown::{self, Colours};
use crate::text::{self, Prefix};
use crate::theme::Theme;
use cutonce_core::event::Level;
use ratatui::text::{Line, Span};

/// What entries are drawn on.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    pub width: usize,
    pub theme: &'a Theme,
    /// For code; without them it is plain.
    pub colours: Option<Colours<'a>>,
}

impl Page<'_> {
    fn markdown(&self, source: &str, width: usize) -> Vec<Line<'static>> {
        match self.colours {
            Some(colours) => markdown::render_highlighted(source, width, self.theme, colours),
            None => markdown::render(source, width, self.theme),
        }
    }
}

/// Lines of the person's own message that are shown; the rest is counted.
const MOST_SAID: usize = 40;

/// What decides how much space stands between two entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    #[default]
    Start,
    User,
    Text,
    Tool,
    Notice,
    Plan,
}

impl Kind {
    /// A line of space between this one and the next? Neighbours of a list stand close.
    pub fn apart(self, next: Kind) -> bool {
        match (self, next) {
            (Kind::Start, _) => false,
            (Kind::Tool, Kind::Tool) | (Kind::Notice, Kind::Notice) | (Kind::Text, Kind::Text) => false,
            (Kind::Tool, Kind::Notice) | (Kind::Notice, Kind::Tool) => false,
            (Kind::User | Kind::Text | Kind::Tool | Kind::Notice | Kind::Plan, _) => true,
        }
    }
}

/// The mark of what the agent says: «⏺» on macOS, «●» elsewhere (PM-142).
pub const MARK: &str = if cfg!(target_os = "macos") { "⏺" } else { "●" };

/// The person's words.
pub fn user(said: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    marked("> ", said, width, MOST_SAID, theme.user, theme)
}

/// A message that waits for the agent's next step (AG-5).
pub fn queued(said: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let first = text::one_line(said.lines().next().unwrap_or_default());
    let shown = text::fit(&first, width.saturating_sub(12)).into_owned();
    vec![Line::styled(format!("  queued: {shown}"), theme.dim)]
}

pub fn notice(level: Level, said: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let (mark, style) = match level {
        Level::Info => ("  ", theme.dim),
        Level::Warning => ("! ", theme.warning),
        Level::Error => ("✗ ", theme.error),
    };
    marked(mark, said, width, 200, style, theme)
}

/// Text from outside behind a mark, its further rows below it.
pub fn marked(
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
        let prefix = Prefix { first: vec![Span::styled(begin, style)], next: vec![Span::raw("  ")] };
        let line = text::expand_tabs(text::bounded(line, 4_000).as_ref(), 2).into_owned();
        lines.extend(text::wrap(&Line::styled(line, style), width, &prefix));
    }
    if count > most {
        lines.push(Line::styled(format!("  … {}", text::counted(count - most, "more line")), theme.dim));
    }
    lines
}

/// `2s`, `1m 04s`.
pub fn took(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// `812`, `41k`, `3.1k`, `1.2M`.
pub fn short_count(count: u64) -> String {
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
    fn ui_4_the_persons_words_stand_behind_a_mark_and_long_ones_are_counted() {
        let theme = Theme::default();
        let plain = |lines: Vec<Line<'static>>| lines.iter().map(text::plain).collect::<Vec<_>>();
        assert_eq!(plain(user("one two\nthree", 8, &theme)), ["> one", "  two", "  three"]);
        let long = "x\n".repeat(50);
        assert_eq!(plain(user(&long, 20, &theme)).last().unwrap(), "  … 10 more lines");
    }

    #[test]
    fn ui_8_times_and_counts_are_short() {
        assert_eq!([took(4), took(64), took(3725)], ["4s", "1m 04s", "1h 02m"]);
        assert_eq!(
            [short_count(7), short_count(3_120), short_count(41_900), short_count(1_250_000)],
            ["7", "3.1k", "41k", "1.2M"]
        );
    }
}
