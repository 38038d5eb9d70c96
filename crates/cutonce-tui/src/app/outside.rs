//! When others get the terminal: the editor, a shell line of the person's own, a stop. And the clipboard.

use super::App;
use crate::terminal;
use base64::Engine;
use cutonce_agent::editor;
use cutonce_core::event::Level;
use std::path::Path;

impl App {
    /// Nothing of ours is on the terminal while `work` runs, and not a key is taken from it.
    fn lend<T>(&mut self, work: impl FnOnce() -> T) -> Option<T> {
        self.reader.pause();
        let _ = self.leave_stage();
        let covered = self.asks.covers();
        if covered {
            let _ = self.terminal.alternate(false);
        }
        let _ = terminal::write(self.history.leave().as_bytes());
        let done = self.terminal.lend(work);
        self.reader.go_on();
        self.history.forget();
        if covered && (self.terminal.alternate(true).is_err() || self.fresh_cover().is_err()) {
            self.exit = Some(1);
        }
        self.now();
        match done {
            Ok(done) => Some(done),
            Err(_) => {
                self.exit = Some(129);
                None
            }
        }
    }

    /// Edits a copy of a text. An editor that fails changes nothing.
    pub(super) fn edit(&mut self, text: &str, suffix: &'static str) -> Result<String, String> {
        let told = |error: std::io::Error| error.to_string();
        let folder = tempfile::Builder::new().prefix("cutonce-").tempdir().map_err(told)?;
        let path = folder.path().join(format!("text{suffix}"));
        std::fs::write(&path, text).map_err(told)?;
        let env = self.around.env.clone();
        let edited = self.lend(|| editor::open_file(&path, env)).unwrap_or_else(|| Err("the terminal is gone".into()));
        edited.inspect_err(|_| self.below())?;
        std::fs::read_to_string(&path).map_err(|error| format!("what was edited can't be read: {error}"))
    }

    /// A file of the person's, where it is; why it could not be opened.
    pub(super) fn run_editor(&mut self, path: &Path) -> Result<(), String> {
        let (path, env) = (path.to_path_buf(), self.around.env.clone());
        let done = self.lend(move || editor::open_file(&path, env));
        done.unwrap_or_else(|| Err("the terminal is gone".into()))
    }

    pub(super) fn edit_message(&mut self) {
        let before = self.composer.unfolded();
        match self.edit(&before, ".md") {
            Ok(text) if text.trim_end() == before.trim_end() => {}
            Ok(text) => {
                self.composer.set_text(text.trim_end());
                self.changed();
            }
            Err(why) => self.notice(Level::Warning, &format!("Your draft is as it was: {why}")),
        }
    }

    /// A program died with the terminal (UI-13): what is drawn next must not lie over the conversation.
    fn below(&self) {
        if !self.asks.covers() {
            let _ = terminal::write(terminal::BELOW.as_bytes());
        }
    }

    /// `/plan open` (PM-25).
    pub(super) fn open_in_editor(&mut self, path: &str) {
        let (path, env) = (path.to_string(), self.around.env.clone());
        match self.lend(move || editor::open_plan(Path::new(&path), env)) {
            Some(Ok(words)) => self.notice(Level::Info, &words),
            Some(Err(why)) => {
                self.below();
                self.notice(Level::Warning, &why);
            }
            None => {}
        }
    }

    /// `!`: a line for the person's own shell, on their terminal, with their rights.
    pub(super) fn shell(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        let lines = crate::entry::user(&format!("!{line}"), self.width(), &self.theme);
        self.commit(crate::entry::Kind::User, lines);
        let commits = std::mem::take(&mut self.commits);
        self.stage.printed(&commits);
        let out = self.history.write(&commits, crate::history::Live::default());
        let _ = terminal::write(out.as_bytes());
        let (line, cwd, env) = (line.to_string(), self.around.cwd.clone(), self.around.env.clone());
        if let Some(Err(why)) = self.lend(move || editor::shell_line(&line, &cwd, env)) {
            self.notice(Level::Warning, &why);
        }
        self.status.branch = self.branch();
    }

    /// Somebody stopped us from outside and brought us back: the shell has set the terminal as it likes it, and has written on
    /// it (UI-13). Asked before each draw; nothing if nobody did.
    pub(super) fn continued(&mut self) {
        if !terminal::was_stopped() {
            return;
        }
        if self.terminal.again().is_err() {
            self.exit = Some(129);
        }
        if self.asks.covers() {
            let _ = terminal::write(b"\x1b[2J").and_then(|()| self.fresh_cover());
        } else if self.stage.is_on() {
            self.clear_stage();
        }
        self.history.forget();
        self.now();
    }

    /// Ctrl+Z or SIGTSTP: the terminal is the shell's until `fg`.
    pub(super) fn stop(&mut self) {
        self.lend(terminal::stop);
    }

    /// By OSC 52, which goes through ssh; tmux is asked twice, once to take it and once to pass it on.
    pub(super) fn copy(&mut self, text: &str) {
        let data = base64::engine::general_purpose::STANDARD.encode(text);
        let plain = format!("\x1b]52;c;{data}\x07");
        let out = match self.around.var("TMUX") {
            Some(_) => format!("{plain}\x1bPtmux;\x1b{plain}\x1b\\"),
            None => plain,
        };
        let _ = terminal::write(out.as_bytes());
    }
}
