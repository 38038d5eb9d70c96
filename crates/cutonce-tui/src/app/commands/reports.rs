//! Commands that only print a report: `/help`, `/status`, `/cost`, `/todos`.

use crate::app::App;
use crate::entries::{self, ConversationEntryKind, format_count};
use crate::input::keymap::listed_keys;
use crate::overlays::pager::Pager;
use crate::render::text;
use cutonce_agent::config;
use cutonce_agent::storage::TranscriptReader;
use cutonce_core::conversation::ContentBlock;
use cutonce_core::protocol::event::{NoticeLevel, TodoStatus};
use cutonce_core::text::number::describe_usage;
use cutonce_core::transcript::EntryBody;
use ratatui::text::{Line, Span};
use std::fmt::Write;
use std::path::Path;

/// Below this width a help text is printed under its name.
const NARROW_HELP: usize = 60;

impl App {
    pub(super) fn print_help(&mut self) {
        let (width, theme) = (self.content_width(), self.theme);
        let row = |name: String, words: &str| {
            let (name, words) = (Span::styled(name, theme.accent), Span::raw(words.to_string()));
            if width < NARROW_HELP {
                let below = text::wrap(&Line::from(words), width, &text::RowPrefix::spaces(4));
                return [Line::from(vec![Span::raw("  "), name])].into_iter().chain(below).collect::<Vec<_>>();
            }
            let first = vec![Span::raw("  "), Span::styled(text::pad_to(&name.content, 22), theme.accent)];
            text::wrap(&Line::from(words), width, &text::RowPrefix { first, next: vec![Span::raw(" ".repeat(24))] })
        };
        let mut lines = vec![Line::styled("Commands", theme.strong)];
        for offer in super::completion_items(&self.session.custom_commands, &[]) {
            lines.extend(row(text::one_line(&offer.name), &text::one_line(&offer.description)));
        }
        lines.extend([Line::raw(""), Line::styled("Keys", theme.strong)]);
        for (names, words) in listed_keys() {
            lines.extend(row(names[..names.len().min(2)].join(", "), words));
        }
        lines.extend([Line::raw(""), Line::styled("At the start of a message", theme.strong)]);
        lines.extend(row("/".into(), "a command"));
        lines.extend(row("!".into(), "run a line in your own shell; the agent sees what it prints"));
        lines.extend(row("@".into(), "give the agent a file of this folder, anywhere in the message"));
        self.print_entry(ConversationEntryKind::Block, lines);
    }

    pub(in crate::app) fn folder_is_trusted(&self) -> bool {
        config::load_settings(&self.settings_paths(), None).trusted
    }

    pub(super) fn print_status(&mut self) {
        let session = self.session.handle.as_ref().map_or("not open yet", |session| session.id()).to_string();
        let (status, around) = (&self.status, &self.environment);
        let mut told =
            format!("cutonce {}\nsession     {session}\nfolder      {}\n", around.version, around.cwd.display());
        let _ = writeln!(told, "model       {}\nmode        {}", status.view.model, status.view.mode);
        if let Some(phase) = status.view.phase {
            let _ = writeln!(told, "phase       {}", phase.name());
        }
        if status.window > 0 {
            let _ = writeln!(
                told,
                "context     {} of {} tokens",
                format_count(status.view.context),
                format_count(status.window)
            );
        }
        let _ =
            writeln!(told, "used        {}", describe_usage(status.view.sent, status.view.received, status.view.cost));
        if let Some(transcript) = &self.session.transcript {
            let _ = writeln!(told, "transcript  {}", transcript.display());
        }
        self.print_notice(NoticeLevel::Info, told.trim_end());
    }

    pub(super) fn print_cost(&mut self) {
        let view = &self.status.view;
        let of_model = view.totals.by_model().map(|(model, used)| {
            format!("{model}: {}", describe_usage(used.usage.sent_tokens(), used.usage.output_tokens, used.cost))
        });
        let mut told: Vec<String> = of_model.collect();
        // A single model has the total.
        if told.len() != 1 {
            told.insert(0, describe_usage(view.sent, view.received, view.cost));
        }
        self.print_notice(NoticeLevel::Info, &told.join("\n"));
    }

    /// `/usage`: by day, project and model (DU-3).
    pub(super) fn print_usage(&mut self) {
        let told = cutonce_agent::storage::usage_report(&self.environment.home);
        self.print_notice(NoticeLevel::Info, &told);
    }

    pub(super) fn print_todos(&mut self) {
        let told: Vec<String> = self
            .status
            .view
            .todos
            .iter()
            .map(|todo| match todo.status {
                TodoStatus::Completed => format!("☒ {}", todo.content),
                TodoStatus::InProgress => format!("▸ {}", todo.active_form),
                TodoStatus::Pending => format!("☐ {}", todo.content),
            })
            .collect();
        let told = if told.is_empty() { "No todos.".to_string() } else { told.join("\n") };
        self.print_notice(NoticeLevel::Info, &told);
    }

    pub(in crate::app) fn show_details(&mut self) {
        let pager = Pager::new("Conversation", self.log.items(), self.theme);
        let pager = pager.with_highlighter(self.highlighter.clone()).at_end();
        self.open_overlay(Box::new(pager), None);
    }
}

/// Renders a transcript as Markdown. `None` if it has no messages.
pub fn transcript_to_markdown(transcript: &Path) -> Option<String> {
    let mut reader = TranscriptReader::open(transcript).ok()?;
    let mut out = String::new();
    for at in 0..reader.len() {
        let Ok(Some(entry)) = reader.entry(at) else { continue };
        match entry.body {
            EntryBody::User { text, meta: false, .. } => {
                let _ = write!(out, "\n## You\n\n{text}\n");
            }
            EntryBody::Assistant { blocks, .. } => {
                for block in blocks {
                    if let ContentBlock::Text { text } = block {
                        let _ = write!(out, "\n## Agent\n\n{text}\n");
                    }
                }
            }
            EntryBody::Tool { name, input, is_error, .. } => {
                let mark = if is_error { "✗" } else { "●" };
                let _ = write!(
                    out,
                    "\n{mark} `{name} {}`\n",
                    entries::tool_call::summarize_input(&input).replace('`', "'")
                );
            }
            _ => {}
        }
    }
    (!out.is_empty()).then(|| format!("# Conversation\n{out}"))
}
