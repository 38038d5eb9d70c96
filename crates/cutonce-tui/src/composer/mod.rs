//! The message composer (UI-3): text with undo, folded pastes, earlier messages and completion lists. The
//! draft is saved on every key press, so that no dialog, crash or resume loses it.

mod attachments;
mod completion;
mod draft;
mod file_completer;
mod message_history;

pub use attachments::{ImageAttachment, OutgoingMessage, mentioned_images};
pub use completion::{CompletionItem, CompletionList};
pub use draft::{ComposerDraft, DraftStore};
pub use file_completer::FileCompleter;
pub use message_history::MessageHistory;

use crate::input::keymap::KeyAction;
use crate::render::text::wrapped_rows::WrappedRows;
use crate::render::theme::Theme;
use crate::text_area::{TextArea, TextEdit, drawn_text};
use crate::vim_keys::VimState;
use attachments::Attachments;
use message_history::HistorySearch;
use ratatui::text::{Line, Span};

/// Prompt in front of the text.
const PROMPT: &str = "› ";
/// Prompt in vim's normal mode.
const NORMAL_PROMPT: &str = "N ";
/// Maximum number of visible rows; longer text scrolls.
const MAX_ROWS: usize = 10;

#[derive(Debug, Default)]
pub struct Composer {
    buffer: TextArea,
    attachments: Attachments,
    history: MessageHistory,
    search: Option<HistorySearch>,
    completion: Option<CompletionList>,
    /// The user closed the completion list; it stays closed until the text changes.
    list_closed: bool,
    /// Column that up and down try to keep.
    goal_column: Option<usize>,
    width: usize,
    /// Completion items for `/`.
    commands: Vec<CompletionItem>,
    /// Completion items for `@` in addition to files.
    mentions: Vec<CompletionItem>,
    vim: VimState,
}

/// Effect of a key on the composer.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum ComposerResult {
    /// The composer does not handle this key.
    Nothing,
    Moved,
    Changed,
    Send,
}

impl Composer {
    pub fn new(recall: MessageHistory) -> Composer {
        Composer { history: recall, width: 78, ..Composer::default() }
    }
    pub fn set_commands(&mut self, commands: Vec<CompletionItem>) {
        self.commands = commands;
    }
    /// Sets the resources that can be mentioned as `@server:uri`, each with a name.
    pub fn set_mentions(&mut self, mentions: Vec<(String, String)>) {
        let offer = |(mention, words): (String, String)| CompletionItem {
            name: mention.trim_start_matches('@').to_string(),
            description: words,
            takes_arguments: false,
        };
        self.mentions = mentions.into_iter().map(offer).collect();
    }
    pub fn is_empty(&self) -> bool {
        self.buffer.text().trim().is_empty()
    }
    pub fn text(&self) -> &str {
        self.buffer.text()
    }
    /// Text with all folded pastes expanded, for the editor.
    pub fn expanded_text(&self) -> String {
        self.attachments.expand_pastes(self.buffer.text())
    }
    /// Restores text that was not sent, with its images.
    pub fn restore_unsent(&mut self, text: &str, images: Vec<cutonce_core::conversation::Image>) {
        self.attachments = Attachments::default();
        for image in images {
            self.attachments.add_image(image);
        }
        let text = self.attachments.mark_missing_images(text.to_string());
        self.set_text(&text);
    }
    pub fn set_text(&mut self, text: &str) {
        self.buffer.replace(text);
        self.refresh();
    }
    /// Clears the text. Attachments are kept so that undo can restore their tags.
    pub fn clear(&mut self) {
        self.buffer.replace("");
        self.completion = None;
        self.search = None;
        self.history.reset_position();
    }
    /// True while a completion list or a search is open; Esc closes it.
    pub fn is_choosing(&self) -> bool {
        self.completion.is_some() || self.search.is_some()
    }
    pub fn draft(&self) -> ComposerDraft {
        ComposerDraft::new(&self.buffer, &self.attachments)
    }
    pub fn restore(&mut self, draft: ComposerDraft) {
        (self.buffer, self.attachments) = draft.into_parts();
    }
    /// Inserts a saved draft before text that was already typed.
    pub fn restore_before(&mut self, draft: ComposerDraft) {
        let (typed, others) = (std::mem::take(&mut self.buffer), std::mem::take(&mut self.attachments));
        self.restore(draft);
        if !typed.text().trim().is_empty() {
            let words = self.attachments.merge(typed.text(), others);
            let end = self.buffer.text().len();
            let joined = if self.buffer.text().trim().is_empty() { words } else { format!("\n{words}") };
            self.buffer.splice(end, end, &joined);
        }
    }
    /// Takes the message to send, empties the composer and adds the text to the history.
    pub fn take_message(&mut self) -> OutgoingMessage {
        let text = self.buffer.text().trim_end().to_string();
        let message = self.attachments.build_message(&text);
        self.history.add_sent(&self.attachments.expand_pastes(&text));
        self.clear();
        (self.buffer, self.attachments) = (TextArea::default(), Attachments::default());
        self.vim = VimState::default();
        message
    }

    pub fn paste(&mut self, pasted: &str) {
        self.search = None;
        let tag = self.attachments.fold_paste(pasted);
        self.buffer.insert(&tag);
        self.refresh();
    }
    pub fn attach_image(&mut self, image: cutonce_core::conversation::Image) {
        let tag = self.attachments.add_image(image);
        self.buffer.insert(&tag);
        self.refresh();
    }
    pub fn type_char(&mut self, c: char) {
        match &mut self.search {
            Some(search) => {
                search.query.push(c);
                self.update_search();
            }
            None => {
                self.buffer.insert(c.encode_utf8(&mut [0; 4]));
                self.refresh();
            }
        }
    }

    /// Handles a key of vim (DU-7). `None`: the key has its usual meaning, also while a list is open.
    pub fn vim_key(&mut self, key: crossterm::event::KeyEvent) -> Option<ComposerResult> {
        if self.is_choosing() {
            return None;
        }
        match self.vim.on_key(key, &mut self.buffer)? {
            TextEdit::Moved => Some(ComposerResult::Moved),
            TextEdit::Changed => Some(ComposerResult::Changed),
        }
    }

    pub fn handle_action(&mut self, action: KeyAction, files: &mut FileCompleter) -> ComposerResult {
        if self.search.is_some() {
            return self.act_in_search(action);
        }
        if self.completion.is_some()
            && let Some(did) = self.act_in_list(action)
        {
            return did;
        }
        let keeps_goal = matches!(action, KeyAction::Up | KeyAction::Down);
        let did = self.edit_text(action, files);
        if !keeps_goal {
            self.goal_column = None;
        }
        match did {
            ComposerResult::Changed => self.refresh_with(files),
            ComposerResult::Moved => self.completion = None,
            ComposerResult::Nothing | ComposerResult::Send => {}
        }
        did
    }

    fn edit_text(&mut self, action: KeyAction, files: &mut FileCompleter) -> ComposerResult {
        let buffer = &mut self.buffer;
        match action {
            KeyAction::Send => return self.press_enter(),
            KeyAction::Up => return self.move_vertically(false),
            KeyAction::Down => return self.move_vertically(true),
            KeyAction::Backspace => {
                // An attachment tag is deleted as a whole.
                if let Some(from) = self.attachments.tag_before(buffer.text(), buffer.cursor()) {
                    buffer.splice(from, buffer.cursor(), "");
                    return ComposerResult::Changed;
                }
            }
            KeyAction::Complete => {
                self.list_closed = false;
                self.refresh_with(files);
                return ComposerResult::Moved;
            }
            KeyAction::SearchHistory => {
                self.search = Some(HistorySearch::new(buffer.text()));
                return ComposerResult::Moved;
            }
            _ => {}
        }
        match buffer.apply_action(action) {
            Some(TextEdit::Moved) => ComposerResult::Moved,
            Some(TextEdit::Changed) => ComposerResult::Changed,
            None => ComposerResult::Nothing,
        }
    }

    /// Enter sends the message; after a backslash it inserts a line break.
    fn press_enter(&mut self) -> ComposerResult {
        let at = self.buffer.cursor();
        if self.buffer.text()[..at].ends_with('\\') {
            self.buffer.splice(at - 1, at, "\n");
            return ComposerResult::Changed;
        }
        ComposerResult::Send
    }

    fn move_vertically(&mut self, down: bool) -> ComposerResult {
        let rows = WrappedRows::wrap(self.buffer.text(), self.width);
        let (row, column) = rows.locate(self.buffer.text(), self.buffer.cursor());
        let goal = *self.goal_column.get_or_insert(column);
        let to = if down { row + 1 } else { row.wrapping_sub(1) };
        if to < rows.len() {
            let place = rows.offset_at(self.buffer.text(), to, goal);
            self.buffer.set_cursor(place);
            return ComposerResult::Moved;
        }
        let recalled = if down { self.history.later() } else { self.history.earlier(self.buffer.text()) };
        match recalled {
            Some(text) => {
                self.buffer.replace(self.attachments.mark_missing_images(text));
                self.completion = None;
                self.list_closed = true;
                ComposerResult::Moved
            }
            None => ComposerResult::Nothing,
        }
    }

    fn act_in_search(&mut self, action: KeyAction) -> ComposerResult {
        let Some(search) = &mut self.search else { return ComposerResult::Nothing };
        match action {
            KeyAction::SearchHistory | KeyAction::Up => {
                search.skip += 1;
                self.update_search();
            }
            KeyAction::Down => {
                search.skip = search.skip.saturating_sub(1);
                self.update_search();
            }
            KeyAction::Backspace => {
                search.query.pop();
                self.update_search();
            }
            KeyAction::Escape | KeyAction::Quit => {
                let before = search.text_before.clone();
                self.search = None;
                self.buffer.replace(before);
            }
            _ => self.search = None,
        }
        ComposerResult::Changed
    }

    fn update_search(&mut self) {
        let Some(search) = &mut self.search else { return };
        let found = self.history.find(&search.query, search.skip);
        // No older match: stay at the last one.
        search.skip = found.as_ref().map_or(search.skip.saturating_sub(1), |_| search.skip);
        search.found = found.is_some();
        if let Some(text) = found {
            self.buffer.replace(self.attachments.mark_missing_images(text));
        }
    }

    fn act_in_list(&mut self, action: KeyAction) -> Option<ComposerResult> {
        let list = self.completion.as_mut()?;
        match action {
            KeyAction::Up => list.select_previous(),
            KeyAction::Down => list.select_next(),
            KeyAction::Escape => {
                self.completion = None;
                self.list_closed = true;
            }
            KeyAction::Complete | KeyAction::Send => {
                let (from, with) = list.insertion()?;
                let whole = self.buffer.text().get(from..self.buffer.cursor()) == Some(with.trim_end());
                if action == KeyAction::Send && whole {
                    self.completion = None;
                    return None;
                }
                let runs = action == KeyAction::Send && list.runs_on_enter();
                self.buffer.splice(from, self.buffer.cursor(), &with);
                self.completion = None;
                return Some(if runs { ComposerResult::Send } else { ComposerResult::Changed });
            }
            _ => return None,
        }
        Some(ComposerResult::Moved)
    }

    fn refresh(&mut self) {
        self.list_closed = false;
        self.completion = completion::completion_for(&self.buffer, &self.commands, &self.mentions, None);
    }

    /// Updates the completion list for the text before the cursor.
    pub fn refresh_with(&mut self, files: &mut FileCompleter) {
        if self.list_closed || self.search.is_some() {
            return;
        }
        let kept = self.completion.as_ref().map_or(0, CompletionList::selected_index);
        self.completion = completion::completion_for(&self.buffer, &self.commands, &self.mentions, Some(files));
        if let Some(list) = &mut self.completion {
            list.select(kept);
        }
    }

    /// Renders the composer and its list, and returns the cursor position.
    pub fn draw(&mut self, width: usize, most: usize, theme: &Theme) -> (Vec<Line<'static>>, (usize, usize)) {
        self.width = width.saturating_sub(3).max(2);
        let given = self.buffer.text();
        let rows = WrappedRows::wrap(given, self.width);
        let (row, column) = rows.locate(given, self.buffer.cursor());
        let room = MAX_ROWS.min(most).max(1);
        let top = (row + 1).saturating_sub(room);
        let shell = given.starts_with('!');
        let mut lines: Vec<Line<'static>> = rows
            .iter()
            .enumerate()
            .skip(top)
            .take(room)
            .map(|(n, (from, to))| {
                let style = if shell { theme.warning } else { theme.text };
                let prompt = if self.vim.is_normal() { NORMAL_PROMPT } else { PROMPT };
                let mark = if n == 0 { prompt } else { "  " };
                let words = drawn_text(&given[from..to]);
                Line::from(vec![Span::styled(mark, theme.accent), Span::styled(words, style)])
            })
            .collect();
        if let Some(search) = &self.search {
            lines.push(search.render(theme));
        }
        if let Some(list) = &self.completion {
            lines.extend(list.render(width, most.saturating_sub(lines.len()), theme));
        }
        (lines, (row - top, column + 2))
    }
}

#[cfg(test)]
mod tests;
