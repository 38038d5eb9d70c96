//! What the person writes (UI-3): text with undo, what was pasted, earlier messages, lists that complete. A draft is on disk
//! with every key, so that no dialog, crash or resume loses it.

mod attach;
mod complete;
mod draft;
mod files;
mod recall;
mod rows;
mod text;

pub use attach::{Attached, Message, images_named};
pub use complete::{Completion, Offer};
pub use draft::{Draft, Drafts};
pub use files::Files;
pub use recall::Recall;
pub use text::Buffer;

use crate::keymap::Action;
use crate::text as shown;
use crate::theme::Theme;
use attach::Attachments;
use ratatui::text::{Line, Span};
use recall::Search;
use rows::Rows;

/// What stands before the text.
const PROMPT: &str = "› ";
/// Rows of the text that are shown at most; the rest scrolls.
const MOST_ROWS: usize = 10;

#[derive(Debug, Default)]
pub struct Composer {
    buffer: Buffer,
    attachments: Attachments,
    recall: Recall,
    search: Option<Search>,
    completion: Option<Completion>,
    /// The list was closed by hand for this text: it stays closed until the text changes.
    closed: bool,
    /// Columns that up and down try to keep.
    goal: Option<usize>,
    width: usize,
    /// Commands that `/` offers: name and words.
    commands: Vec<Offer>,
    /// What `@` offers besides files.
    mentions: Vec<Offer>,
}

/// What a key did.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Did {
    /// Nothing of the composer's.
    Nothing,
    Moved,
    Changed,
    Send,
}

impl Composer {
    pub fn new(recall: Recall) -> Composer {
        Composer { recall, width: 78, ..Composer::default() }
    }
    pub fn set_commands(&mut self, commands: Vec<Offer>) {
        self.commands = commands;
    }
    /// Resources that can be mentioned, as `@server:uri`, each with a name.
    pub fn set_mentions(&mut self, mentions: Vec<(String, String)>) {
        let offer = |(mention, words): (String, String)| Offer {
            name: mention.trim_start_matches('@').to_string(),
            words,
            takes: false,
        };
        self.mentions = mentions.into_iter().map(offer).collect();
    }
    pub fn is_empty(&self) -> bool {
        self.buffer.text().trim().is_empty()
    }
    pub fn text(&self) -> &str {
        self.buffer.text()
    }
    /// The text with every paste unfolded, for the editor.
    pub fn unfolded(&self) -> String {
        self.attachments.unfold(self.buffer.text())
    }
    /// Words that were not sent come back, with what was attached to them.
    pub fn give_back(&mut self, text: &str, images: Vec<cutonce_core::conversation::Image>) {
        self.attachments = Attachments::default();
        for image in images {
            self.attachments.image(image);
        }
        let text = self.attachments.without_lost(text.to_string());
        self.set_text(&text);
    }
    pub fn set_text(&mut self, text: &str) {
        self.buffer.replace(text);
        self.refresh();
    }
    /// What was pasted stays: undo brings its tags back.
    pub fn clear(&mut self) {
        self.buffer.replace("");
        self.completion = None;
        self.search = None;
        self.recall.forget_place();
    }
    /// A list or a search is open: Esc closes it.
    pub fn is_choosing(&self) -> bool {
        self.completion.is_some() || self.search.is_some()
    }
    pub fn draft(&self) -> Draft {
        Draft::new(&self.buffer, &self.attachments)
    }
    pub fn restore(&mut self, draft: Draft) {
        (self.buffer, self.attachments) = draft.into_parts();
    }
    /// A draft that is found when something was typed already: it comes first, and nothing is lost.
    pub fn restore_before(&mut self, draft: Draft) {
        let (typed, others) = (std::mem::take(&mut self.buffer), std::mem::take(&mut self.attachments));
        self.restore(draft);
        if !typed.text().trim().is_empty() {
            let words = self.attachments.join(typed.text(), others);
            let end = self.buffer.text().len();
            let joined = if self.buffer.text().trim().is_empty() { words } else { format!("\n{words}") };
            self.buffer.splice(end, end, &joined);
        }
    }
    /// The message as it will be sent; the composer is empty then and the words are remembered.
    pub fn take(&mut self) -> Message {
        let text = self.buffer.text().trim_end().to_string();
        let message = self.attachments.message(&text);
        self.recall.sent(&self.attachments.unfold(&text));
        self.clear();
        (self.buffer, self.attachments) = (Buffer::default(), Attachments::default());
        message
    }

    pub fn paste(&mut self, pasted: &str) {
        self.search = None;
        let tag = self.attachments.paste(pasted);
        self.buffer.insert(&tag);
        self.refresh();
    }
    pub fn attach(&mut self, image: cutonce_core::conversation::Image) {
        let tag = self.attachments.image(image);
        self.buffer.insert(&tag);
        self.refresh();
    }
    pub fn typed(&mut self, c: char) {
        match &mut self.search {
            Some(search) => {
                search.words.push(c);
                self.found();
            }
            None => {
                self.buffer.insert(c.encode_utf8(&mut [0; 4]));
                self.refresh();
            }
        }
    }

    pub fn act(&mut self, action: Action, files: &mut Files) -> Did {
        if self.search.is_some() {
            return self.act_in_search(action);
        }
        if self.completion.is_some()
            && let Some(did) = self.act_in_list(action)
        {
            return did;
        }
        let keeps_goal = matches!(action, Action::Up | Action::Down);
        let did = self.edit(action, files);
        if !keeps_goal {
            self.goal = None;
        }
        match did {
            Did::Changed => self.refresh_with(files),
            Did::Moved => self.completion = None,
            Did::Nothing | Did::Send => {}
        }
        did
    }

    fn edit(&mut self, action: Action, files: &mut Files) -> Did {
        let buffer = &mut self.buffer;
        if moves(buffer, &action) {
            return Did::Moved;
        }
        match action {
            Action::Send => return self.enter(),
            Action::NewLine => buffer.insert("\n"),
            Action::Up => return self.vertical(false),
            Action::Down => return self.vertical(true),
            Action::Backspace => match self.attachments.tag_before(buffer.text(), buffer.cursor()) {
                Some(from) => buffer.splice(from, buffer.cursor(), ""),
                None => buffer.backspace(),
            },
            Action::Delete => buffer.delete(),
            Action::DeleteWordBack => buffer.delete_word_back(),
            Action::DeleteWordForward => buffer.delete_word_forward(),
            Action::KillToEnd => buffer.kill_to_end(),
            Action::KillToStart => buffer.kill_to_start(),
            Action::Yank => buffer.yank(),
            Action::Undo => buffer.undo(),
            Action::Redo => buffer.redo(),
            Action::Complete => {
                self.closed = false;
                self.refresh_with(files);
                return Did::Moved;
            }
            Action::Search => {
                self.search = Some(Search::new(buffer.text()));
                return Did::Moved;
            }
            Action::Left
            | Action::Right
            | Action::WordLeft
            | Action::WordRight
            | Action::LineStart
            | Action::LineEnd
            | Action::Editor
            | Action::PasteImage
            | Action::CycleMode
            | Action::OpenWaiting
            | Action::Details
            | Action::Tasks
            | Action::EndTask
            | Action::Escape
            | Action::Quit
            | Action::End
            | Action::Stop
            | Action::Redraw => return Did::Nothing,
        }
        Did::Changed
    }

    /// Enter sends; after a backslash it is a new line.
    fn enter(&mut self) -> Did {
        let at = self.buffer.cursor();
        if self.buffer.text()[..at].ends_with('\\') {
            self.buffer.splice(at - 1, at, "\n");
            return Did::Changed;
        }
        Did::Send
    }

    fn vertical(&mut self, down: bool) -> Did {
        let rows = Rows::of(self.buffer.text(), self.width);
        let (row, column) = rows.locate(self.buffer.text(), self.buffer.cursor());
        let goal = *self.goal.get_or_insert(column);
        let to = if down { row + 1 } else { row.wrapping_sub(1) };
        if to < rows.len() {
            let place = rows.place(self.buffer.text(), to, goal);
            self.buffer.set_cursor(place);
            return Did::Moved;
        }
        let recalled = if down { self.recall.later() } else { self.recall.earlier(self.buffer.text()) };
        match recalled {
            Some(text) => {
                self.buffer.replace(self.attachments.without_lost(text));
                self.completion = None;
                self.closed = true;
                Did::Moved
            }
            None => Did::Nothing,
        }
    }

    fn act_in_search(&mut self, action: Action) -> Did {
        let Some(search) = &mut self.search else { return Did::Nothing };
        match action {
            Action::Search | Action::Up => {
                search.skip += 1;
                self.found();
            }
            Action::Down => {
                search.skip = search.skip.saturating_sub(1);
                self.found();
            }
            Action::Backspace => {
                search.words.pop();
                self.found();
            }
            Action::Escape | Action::Quit => {
                let before = search.before.clone();
                self.search = None;
                self.buffer.replace(before);
            }
            _ => self.search = None,
        }
        Did::Changed
    }

    fn found(&mut self) {
        let Some(search) = &mut self.search else { return };
        let found = self.recall.find(&search.words, search.skip);
        // Beyond the last one: stay there.
        search.skip = found.as_ref().map_or(search.skip.saturating_sub(1), |_| search.skip);
        search.found = found.is_some();
        if let Some(text) = found {
            self.buffer.replace(self.attachments.without_lost(text));
        }
    }

    fn act_in_list(&mut self, action: Action) -> Option<Did> {
        let list = self.completion.as_mut()?;
        match action {
            Action::Up => list.up(),
            Action::Down => list.down(),
            Action::Escape => {
                self.completion = None;
                self.closed = true;
            }
            Action::Complete | Action::Send => {
                let (from, with) = list.chosen()?;
                let whole = self.buffer.text().get(from..self.buffer.cursor()) == Some(with.trim_end());
                if action == Action::Send && whole {
                    self.completion = None;
                    return None;
                }
                let runs = action == Action::Send && list.runs();
                self.buffer.splice(from, self.buffer.cursor(), &with);
                self.completion = None;
                return Some(if runs { Did::Send } else { Did::Changed });
            }
            _ => return None,
        }
        Some(Did::Moved)
    }

    fn refresh(&mut self) {
        self.closed = false;
        self.completion = complete::of(&self.buffer, &self.commands, &self.mentions, None);
    }

    /// The list for what stands before the cursor, if it wants one.
    pub fn refresh_with(&mut self, files: &mut Files) {
        if self.closed || self.search.is_some() {
            return;
        }
        let kept = self.completion.as_ref().map_or(0, Completion::at);
        self.completion = complete::of(&self.buffer, &self.commands, &self.mentions, Some(files));
        if let Some(list) = &mut self.completion {
            list.set(kept);
        }
    }

    /// The rows of the composer, its list below it, and the cursor in them.
    pub fn draw(&mut self, width: usize, most: usize, theme: &Theme) -> (Vec<Line<'static>>, (usize, usize)) {
        self.width = width.saturating_sub(3).max(2);
        let given = self.buffer.text();
        let rows = Rows::of(given, self.width);
        let (row, column) = rows.locate(given, self.buffer.cursor());
        let room = MOST_ROWS.min(most).max(1);
        let top = (row + 1).saturating_sub(room);
        let shell = given.starts_with('!');
        let mut lines: Vec<Line<'static>> = rows
            .iter()
            .enumerate()
            .skip(top)
            .take(room)
            .map(|(n, (from, to))| {
                let style = if shell { theme.warning } else { theme.text };
                let mark = if n == 0 { PROMPT } else { "  " };
                let words = shown::expand_tabs(&shown::visible(&given[from..to]), 0).into_owned();
                Line::from(vec![Span::styled(mark, theme.accent), Span::styled(words, style)])
            })
            .collect();
        if let Some(search) = &self.search {
            lines.push(search.line(theme));
        }
        if let Some(list) = &self.completion {
            lines.extend(list.lines(width, most.saturating_sub(lines.len()), theme));
        }
        (lines, (row - top, column + 2))
    }
}

/// Keys that only move the cursor within the text.
fn moves(buffer: &mut Buffer, action: &Action) -> bool {
    match action {
        Action::Left => buffer.left(),
        Action::Right => buffer.right(),
        Action::WordLeft => buffer.word_left(),
        Action::WordRight => buffer.word_right(),
        Action::LineStart => buffer.go_line_start(),
        Action::LineEnd => buffer.go_line_end(),
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests;
