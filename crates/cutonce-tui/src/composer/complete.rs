//! The list below the composer: files after `@`, commands after `/`.

use super::files::Files;
use super::text::Buffer;
use crate::text;
use crate::theme::Theme;
use ratatui::text::{Line, Span};

/// Lines that are shown at once, and matches that are kept.
const SHOWN: usize = 8;
const KEPT: usize = 50;

/// One thing that can be chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offer {
    pub name: String,
    pub words: String,
    /// It takes arguments: choosing it does not run it.
    pub takes: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Completion {
    /// Where the completed word begins.
    from: usize,
    offers: Vec<Offer>,
    at: usize,
    files: bool,
}

/// What the text before the cursor wants completed. Without `files` only commands are looked up.
pub fn of(buffer: &Buffer, commands: &[Offer], mentions: &[Offer], files: Option<&mut Files>) -> Option<Completion> {
    let before = &buffer.text()[..buffer.cursor()];
    if before.starts_with('/') && !before.contains(char::is_whitespace) && !before[1..].contains('/') {
        let mut found: Vec<(bool, &Offer)> = commands
            .iter()
            .filter_map(|offer| {
                let typed = before[1..].to_lowercase();
                let starts = offer.name[1..].starts_with(&typed);
                (starts || (typed.len() > 1 && offer.name.contains(&typed))).then_some((!starts, offer))
            })
            .collect();
        found.sort_by_key(|(later, _)| *later);
        return list(0, found.into_iter().map(|(_, offer)| offer.clone()).collect(), false);
    }
    let at = before.rfind('@')?;
    let starts_word = before[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || "([\"'`".contains(c));
    let typed = &before[at + 1..];
    if !starts_word || typed.contains(char::is_whitespace) {
        return None;
    }
    let found = files?.matching(typed, KEPT).into_iter().map(|name| Offer { name, ..Offer::default() });
    let wanted = typed.to_lowercase();
    let named = |offer: &&Offer| {
        !wanted.is_empty() && [&offer.name, &offer.words].iter().any(|text| text.to_lowercase().contains(&wanted))
    };
    let resources = mentions.iter().filter(named).take(KEPT).cloned();
    list(at + 1, found.chain(resources).collect(), true)
}

fn list(from: usize, offers: Vec<Offer>, files: bool) -> Option<Completion> {
    (!offers.is_empty()).then_some(Completion { from, offers, at: 0, files })
}

impl Completion {
    pub fn up(&mut self) {
        self.at = self.at.checked_sub(1).unwrap_or(self.offers.len() - 1);
    }
    pub fn down(&mut self) {
        self.at = (self.at + 1) % self.offers.len();
    }
    pub fn at(&self) -> usize {
        self.at
    }
    pub fn set(&mut self, at: usize) {
        self.at = if self.files { 0 } else { at.min(self.offers.len() - 1) };
    }
    /// A command without arguments runs when it is chosen with Enter.
    pub fn runs(&self) -> bool {
        !self.files && self.offers.get(self.at).is_some_and(|offer| !offer.takes)
    }
    /// Where to put it, and what.
    pub fn chosen(&self) -> Option<(usize, String)> {
        let offer = self.offers.get(self.at)?;
        let space = if offer.name.ends_with('/') { "" } else { " " };
        Some((self.from, format!("{}{space}", offer.name)))
    }

    pub fn lines(&self, width: usize, most: usize, theme: &Theme) -> Vec<Line<'static>> {
        let most = most.clamp(1, SHOWN);
        let top = (self.at + 1).saturating_sub(most);
        let column = self.offers.iter().map(|offer| text::width(&offer.name)).max().unwrap_or(0).min(24) + 2;
        let shown = self.offers.iter().enumerate().skip(top).take(most);
        let more = match self.offers.len().saturating_sub(top + most) {
            0 => String::new(),
            more => format!("  +{more}"),
        };
        let mut lines: Vec<Line<'static>> = shown
            .map(|(n, offer)| {
                let style = if n == self.at { theme.accent } else { theme.dim };
                let mark = if n == self.at { "  › " } else { "    " };
                let name = text::one_line(&offer.name);
                let words = if offer.words.is_empty() {
                    name
                } else {
                    text::padded(&name, column) + &text::one_line(&offer.words)
                };
                // How many more there are stands behind the last one, whatever it says.
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
    fn ui_11_how_many_more_there_are_is_told_on_a_narrow_screen_too() {
        let offer = |n: usize| Offer {
            name: format!("/command-{n}"),
            words: "what it does, at length ".repeat(3),
            takes: false,
        };
        let list = list(0, (0..22).map(offer).collect(), false).unwrap();
        for width in [39, 79] {
            let lines: Vec<String> = list.lines(width, 5, &Theme::default()).iter().map(text::plain).collect();
            assert!(lines.len() == 5 && lines[4].ends_with("  +17"), "{lines:?}");
            assert!(lines.iter().all(|line| text::width(line) < width), "{lines:?}");
        }
    }
}
