//! The user's own status line (DU-7): a command that gets JSON about the session on stdin and prints a line, as Claude
//! Code's. It runs when something changed, one at a time; a broken one is reported once and not run again.

use super::{App, AppMessage, send_to_app};
use cutonce_agent::status_command::run_status_command;
use cutonce_core::protocol::event::NoticeLevel;
use serde_json::{Value, json};

#[derive(Debug, Default)]
pub(super) struct StatusCommandState {
    running: bool,
    /// Something changed while the command ran.
    stale: bool,
    /// The command failed: it is not run again in this session.
    failed: bool,
}

impl App {
    /// Runs the status line command, if there is one.
    pub(super) fn refresh_status_text(&mut self) {
        let Some(settings) = &self.session.settings.status_line else { return };
        let state = &mut self.status_command;
        if state.failed || std::mem::replace(&mut state.running, true) {
            state.stale = true;
            return;
        }
        let (command, input) = (settings.command.clone(), self.status_input());
        let (cwd, env, notes) = (self.environment.cwd.clone(), self.environment.env.clone(), self.messages.clone());
        tokio::spawn(async move {
            let text = run_status_command(&command, &input, &cwd, &env).await;
            send_to_app(&notes, AppMessage::StatusText(text));
        });
    }

    pub(super) fn on_status_text(&mut self, text: Result<String, String>) {
        self.status_command.running = false;
        match text {
            Ok(text) => self.status.own_text = Some(text).filter(|text| !text.trim().is_empty()),
            Err(why) => {
                (self.status_command.failed, self.status.own_text) = (true, None);
                let told = format!("The status line command failed: {why}. It is off; fix `statusLine` with /config.");
                self.print_notice(NoticeLevel::Warning, &told);
            }
        }
        if std::mem::take(&mut self.status_command.stale) && !self.status_command.failed {
            self.refresh_status_text();
        }
        self.request_redraw();
    }

    /// What the command reads, under Claude Code's names.
    fn status_input(&self) -> Value {
        let view = &self.status.view;
        let cwd = self.environment.cwd.display().to_string();
        let percent = (self.status.window > 0).then(|| (view.context * 100 / self.status.window).min(100));
        json!({
            "hook_event_name": "Status",
            "session_id": self.session.handle.as_ref().map(|session| session.id()),
            "transcript_path": self.session.transcript,
            "cwd": cwd,
            "model": {"id": view.model, "display_name": view.model},
            "workspace": {"current_dir": cwd, "project_dir": cwd},
            "version": self.environment.version,
            "permission_mode": view.mode.name(),
            "cost": {"total_cost_usd": view.cost},
            "context_window": {
                "context_window_size": self.status.window,
                "total_input_tokens": view.sent,
                "total_output_tokens": view.received,
                "used_percentage": percent,
            },
            "exceeds_200k_tokens": view.context > 200_000,
        })
    }
}
