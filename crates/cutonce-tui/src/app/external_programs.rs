//! Hands the terminal to other programs (editor, shell, suspend) and writes to the clipboard.

use super::App;
use crate::overlays::ExternalEditError;
use crate::terminal;
use base64::Engine;
use cutonce_agent::editor;
use cutonce_core::exit_code;
use cutonce_core::protocol::event::NoticeLevel;
use cutonce_core::protocol::submission::Submission;
use std::path::Path;

impl App {
    /// Gives the terminal to `work`: the app draws nothing and reads no keys until it returns.
    pub(super) fn lend_terminal<T>(&mut self, work: impl FnOnce() -> T) -> Option<T> {
        self.screen.reader.pause();
        let _ = self.leave_dialog_screen();
        let covered = self.asks.has_overlay();
        if covered {
            let _ = self.screen.terminal.set_alternate(false);
        }
        let _ = terminal::write(self.screen.scrollback.erase_live_area().as_bytes());
        let done = self.screen.terminal.lend_to(work);
        self.screen.reader.resume();
        self.screen.scrollback.reset();
        // The other program's terminal had the user's own title.
        self.screen.title = self.screen.title.as_ref().map(|_| String::new());
        if covered && (self.screen.terminal.set_alternate(true).is_err() || self.reset_overlay_screen().is_err()) {
            self.exit = Some(exit_code::FAILED);
        }
        self.redraw_now();
        match done {
            Ok(done) => Some(done),
            Err(_) => {
                self.exit = Some(exit_code::HUNG_UP);
                None
            }
        }
    }

    /// Lets the user choose a model, then opens the session with it (ON-3). False if the user left the setup.
    pub(super) fn run_setup(&mut self) -> bool {
        self.session.setup_shown = true;
        let (setup, home) = (self.environment.setup, self.environment.home.clone());
        let Some(model) = self.lend_terminal(move || setup(&home)).flatten() else { return false };
        match self.session.handle {
            Some(_) => self.show_or_set_model(&model),
            None => {
                self.session.open_failed = false;
                self.session.thread.retry_open(model);
            }
        }
        true
    }

    /// Edits a copy of a text in the user's editor. A failing editor changes nothing.
    pub(super) fn edit_text(&mut self, text: &str, suffix: &'static str) -> Result<String, ExternalEditError> {
        let folder = tempfile::Builder::new().prefix("cutonce-").tempdir().map_err(ExternalEditError::CopyText)?;
        let path = folder.path().join(format!("text{suffix}"));
        std::fs::write(&path, text).map_err(ExternalEditError::CopyText)?;
        self.run_editor(&path).inspect_err(|_| self.move_below_output())?;
        std::fs::read_to_string(&path).map_err(ExternalEditError::ReadBack)
    }

    /// Opens a file in the user's editor, in place.
    pub(super) fn run_editor(&mut self, path: &Path) -> Result<(), ExternalEditError> {
        let (path, env) = (path.to_path_buf(), self.environment.env.clone());
        let done = self.lend_terminal(move || editor::open_file(&path, env));
        done.ok_or(ExternalEditError::TerminalClosed)?.map_err(|why| ExternalEditError::Editor(why.to_string()))
    }

    pub(super) fn edit_message(&mut self) {
        let before = self.prompt.composer.expanded_text();
        match self.edit_text(&before, ".md") {
            Ok(text) if text.trim_end() == before.trim_end() => {}
            Ok(text) => {
                self.prompt.composer.set_text(text.trim_end());
                self.draft_changed();
            }
            Err(why) => self.print_notice(NoticeLevel::Warning, &format!("Your draft is unchanged: {why}")),
        }
    }

    /// Moves below the output of a program that crashed while it owned the terminal, so that the next frame
    /// does not overwrite the conversation (UI-13).
    pub(super) fn move_below_output(&self) {
        if !self.asks.has_overlay() {
            let _ = terminal::write(terminal::MOVE_BELOW.as_bytes());
        }
    }

    /// Runs a `!` line in the user's own shell, on their terminal and with their permissions.
    pub(super) fn run_shell_line(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        let lines = crate::entries::user_lines(&format!("!{line}"), self.content_width(), &self.theme);
        self.print_entry(crate::entries::ConversationEntryKind::User, lines);
        let commits = std::mem::take(&mut self.screen.pending_rows);
        self.dialog_screen.remember_rows(&commits);
        let out = self.screen.scrollback.write(&commits, crate::terminal::scrollback::LiveArea::default());
        let _ = terminal::write(out.as_bytes());
        let (shell_line, cwd, env) = (line.to_string(), self.environment.cwd.clone(), self.environment.env.clone());
        let Some((ended, printed)) = self.lend_terminal(move || editor::run_shell_line(&shell_line, &cwd, env)) else {
            return;
        };
        if let Err(why) = ended {
            self.print_notice(NoticeLevel::Warning, &why.to_string());
        }
        if let Some(output) = printed.filter(|_| self.session.handle.is_some()) {
            self.submit(Submission::ShellOutput { line: line.to_string(), output });
        }
        self.status.branch = self.current_branch();
    }

    /// Restores the terminal after the process was suspended and resumed from outside, because the shell has
    /// changed its modes and written to it (UI-13). Called before each draw; does nothing otherwise.
    pub(super) fn restore_after_suspend(&mut self) {
        if !terminal::was_stopped() {
            return;
        }
        if self.screen.terminal.reapply_modes().is_err() {
            self.exit = Some(exit_code::HUNG_UP);
        }
        if self.asks.has_overlay() {
            let _ = terminal::write(b"\x1b[2J").and_then(|()| self.reset_overlay_screen());
        } else if self.dialog_screen.is_active() {
            self.clear_dialog_screen();
        }
        self.screen.scrollback.reset();
        self.redraw_now();
    }

    /// Suspends the process on Ctrl+Z or SIGTSTP. The shell owns the terminal until `fg`.
    pub(super) fn suspend(&mut self) {
        self.lend_terminal(terminal::suspend);
    }

    pub(super) fn copy_to_clipboard(&mut self, text: &str) {
        let out = clipboard_sequence(text, self.environment.env_var("TMUX").is_some());
        let _ = terminal::write(out.as_bytes());
    }
}

/// The bytes that copy text with OSC 52, which works over ssh. Under tmux the sequence is sent twice: for tmux and for
/// the outer terminal.
pub fn clipboard_sequence(text: &str, in_tmux: bool) -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(text);
    let plain = format!("\x1b]52;c;{data}\x07");
    if in_tmux { format!("{plain}\x1bPtmux;\x1b{plain}\x1b\\") } else { plain }
}
