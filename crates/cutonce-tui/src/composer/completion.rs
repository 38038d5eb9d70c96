//! The completion list below the composer: files after `@`, commands after `/`.

use super::file_completer::FileCompleter;
use crate::render::text;
use crate::render::theme::Theme;
use crate::text_area::TextArea;
use ratatui::text::{Line, Span};

/// Maximum number of visible lines, and of matches kept.
const MAX_VISIBLE: usize = 8;
const MAX_MATCHES: usize = 50;

/// A completion item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompletionItem {
    pub name: String,
    pub description: String,
    /// The command takes arguments, so choosing it does not run it.
    pub takes_arguments: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub struct CompletionList {
    /// Byte offset where the completed word begins.
    from: usize,
    items: Vec<CompletionItem>,
    at: usize,
    files: bool,
}

/// Builds the completion list for the text before the cursor. Without `files` only commands are completed.
pub fn completion_for(
    buffer: &TextArea,
    commands: &[CompletionItem],
    mentions: &[CompletionItem],
    files: Option<&mut FileCompleter>,
) -> Option<CompletionList> {
    let before = &buffer.text()[..buffer.cursor()];
    if before.starts_with('/') && !before.contains(char::is_whitespace) && !before[1..].contains('/') {
        let mut found: Vec<(bool, &CompletionItem)> = commands
            .iter()
            .filter_map(|offer| {
                let typed = before[1..].to_lowercase();
                let starts = offer.name[1..].starts_with(&typed);
                (starts || (typed.len() > 1 && offer.name.contains(&typed))).then_some((!starts, offer))
            })
            .collect();
        found.sort_by_key(|(later, _)| *later);
        return completion_list(0, found.into_iter().map(|(_, offer)| offer.clone()).collect(), false);
    }
    let at = before.rfind('@')?;
    let starts_word = before[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || "([\"'`".contains(c));
    let typed = &before[at + 1..];
    let quoted = typed.strip_prefix('"');
    if !starts_word || quoted.map_or(typed.contains(char::is_whitespace), |name| name.contains('"')) {
        return None;
    }
    let typed = quoted.unwrap_or(typed);
    let found = files?
        .find_matches(typed, MAX_MATCHES)
        .into_iter()
        .map(|name| CompletionItem { name, ..CompletionItem::default() });
    let wanted = typed.to_lowercase();
    let named = |offer: &&CompletionItem| {
        !wanted.is_empty() && [&offer.name, &offer.description].iter().any(|text| text.to_lowercase().contains(&wanted))
    };
    let resources = mentions.iter().filter(named).take(MAX_MATCHES).cloned();
    completion_list(at + 1, found.chain(resources).collect(), true)
}

fn completion_list(from: usize, offers: Vec<CompletionItem>, files: bool) -> Option<CompletionList> {
    (!offers.is_empty()).then_some(CompletionList { from, items: offers, at: 0, files })
}

impl CompletionList {
    pub fn select_previous(&mut self) {
        self.at = self.at.checked_sub(1).unwrap_or(self.items.len() - 1);
    }
    pub fn select_next(&mut self) {
        self.at = (self.at + 1) % self.items.len();
    }
    pub fn selected_index(&self) -> usize {
        self.at
    }
    pub fn select(&mut self, at: usize) {
        self.at = if self.files { 0 } else { at.min(self.items.len() - 1) };
    }
    /// True if Enter on the selected item runs it: a command without arguments.
    pub fn runs_on_enter(&self) -> bool {
        !self.files && self.items.get(self.at).is_some_and(|offer| !offer.takes_arguments)
    }
    /// Insert position and text of the selected item.
    pub fn insertion(&self) -> Option<(usize, String)> {
        let offer = self.items.get(self.at)?;
        let (name, open) = (&offer.name, offer.name.ends_with('/'));
        // A name with blanks is quoted; in a folder the user types on.
        let quoted = self.files && name.contains(char::is_whitespace);
        let (quote, space) = (if quoted { "\"" } else { "" }, if open { "" } else { " " });
        let end = if open { "" } else { quote };
        Some((self.from, format!("{quote}{name}{end}{space}")))
    }

    pub fn render(&self, width: usize, most: usize, theme: &Theme) -> Vec<Line<'static>> {
        let most = most.clamp(1, MAX_VISIBLE);
        let top = (self.at + 1).saturating_sub(most);
        let column = self.items.iter().map(|offer| text::width(&offer.name)).max().unwrap_or(0).min(24) + 2;
        let shown = self.items.iter().enumerate().skip(top).take(most);
        let more = match self.items.len().saturating_sub(top + most) {
            0 => String::new(),
            more => format!("  +{more}"),
        };
        let mut lines: Vec<Line<'static>> = shown
            .map(|(n, offer)| {
                let style = if n == self.at { theme.accent } else { theme.dim };
                let mark = if n == self.at { "  › " } else { "    " };
                let name = text::one_line(&offer.name);
                let words = if offer.description.is_empty() {
                    name
                } else {
                    text::pad_to(&name, column) + &text::one_line(&offer.description)
                };
                // Keep room for the number of further matches on the last line.
                let last = if n + 1 == top + most { text::width(&more) } else { 0 };
                let room = width.saturating_sub(6 + last);
                let fitted = if self.files { text::fit_end(&words, room) } else { text::fit(&words, room) };
                Line::from(vec![Span::styled(mark, style), Span::styled(fitted.into_owned(), style)])
            })
            .collect();
        if let Some(last) = lines.last_mut().filter(|_| !more.is_empty()) {
            last.spans.push(Span::styled(more, theme.dim));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_11_match_count_is_visible_on_narrow_screens() {
        let offer = |n: usize| CompletionItem {
            name: format!("/command-{n}"),
            description: "a long description of it ".repeat(3),
            takes_arguments: false,
        };
        let list = completion_list(0, (0..22).map(offer).collect(), false).unwrap();
        for width in [39, 79] {
            let lines: Vec<String> = list.render(width, 5, &Theme::default()).iter().map(text::plain_text).collect();
            assert!(lines.len() == 5 && lines[4].ends_with("  +17"), "{lines:?}");
            assert!(lines.iter().all(|line| text::width(line) < width), "{lines:?}");
        }
    }
}
