//! Commands that only tell something.

use crate::app::App;
use crate::entry::{self, Kind, short_count};
use crate::keymap::KEYS;
use crate::overlay::pager::Pager;
use crate::text;
use cutonce_agent::settings;
use cutonce_agent::store::Reader;
use cutonce_core::conversation::Block;
use cutonce_core::event::{Level, TodoStatus};
use cutonce_core::transcript::Body;
use ratatui::text::{Line, Span};
use std::fmt::Write;
use std::path::Path;

/// Below this width the words of the help stand under what they are about.
const NARROW_HELP: usize = 60;

impl App {
    pub(super) fn help(&mut self) {
        let (width, theme) = (self.width(), self.theme);
        let row = |name: String, words: &str| {
            let (name, words) = (Span::styled(name, theme.accent), Span::raw(words.to_string()));
            if width < NARROW_HELP {
                let below = text::wrap(&Line::from(words), width, &text::Prefix::spaces(4));
                return [Line::from(vec![Span::raw("  "), name])].into_iter().chain(below).collect::<Vec<_>>();
            }
            let first = vec![Span::raw("  "), Span::styled(text::padded(&name.content, 22), theme.accent)];
            text::wrap(&Line::from(words), width, &text::Prefix { first, next: vec![Span::raw(" ".repeat(24))] })
        };
        let mut lines = vec![Line::styled("Commands", theme.strong)];
        for offer in super::offers(&self.customs, &[]) {
            lines.extend(row(text::one_line(&offer.name), &text::one_line(&offer.words)));
        }
        lines.extend([Line::raw(""), Line::styled("Keys", theme.strong)]);
        for (names, _, words) in KEYS.iter().filter(|(_, _, words)| !words.is_empty()) {
            lines.extend(row(names.iter().take(2).copied().collect::<Vec<_>>().join(", "), words));
        }
        lines.extend([Line::raw(""), Line::styled("At the start of a message", theme.strong)]);
        lines.extend(row("/".into(), "a command"));
        lines.extend(row("!".into(), "a line for your own shell; the agent does not see it"));
        lines.extend(row("@".into(), "anywhere: a file of this folder"));
        self.commit(Kind::Plan, lines);
    }

    pub(super) fn tell_plans(&mut self) {
        let here = self.around.cwd.display().to_string();
        let plans = cutonce_agent::plan_files::list(&self.around.home);
        let mut told = String::new();
        for plan in plans.iter().filter(|plan| plan.project.as_deref().is_none_or(|project| project == here)).take(20) {
            let _ = writeln!(told, "{}  rev {}  {}  {}", plan.slug, plan.revision, plan.status.name(), plan.title);
        }
        let told = if told.is_empty() {
            "No plans of this folder yet.".into()
        } else {
            told + "`cutonce plans` shows and compares them."
        };
        self.notice(Level::Info, &told);
    }

    pub(in crate::app) fn trusted(&self) -> bool {
        settings::load(&self.places(), None).trusted
    }

    pub(super) fn tell_status(&mut self) {
        let session = self.session.as_ref().map_or("not open yet", |session| session.id()).to_string();
        let (status, around) = (&self.status, &self.around);
        let mut told =
            format!("cutonce {}\nsession     {session}\nfolder      {}\n", around.version, around.cwd.display());
        let _ = writeln!(told, "model       {}\nmode        {}", status.model, status.mode);
        if let Some(phase) = status.phase {
            let _ = writeln!(told, "phase       {}", phase.name());
        }
        if status.window > 0 {
            let _ =
                writeln!(told, "context     {} of {} tokens", short_count(status.context), short_count(status.window));
        }
        if let Some(transcript) = &self.transcript {
            let _ = writeln!(told, "transcript  {}", transcript.display());
        }
        self.notice(Level::Info, told.trim_end());
    }

    pub(super) fn tell_cost(&mut self) {
        let (sent, received) = self.status.tokens;
        let told = format!(
            "{} tokens sent, {} received, ${:.4}",
            text::grouped(sent),
            text::grouped(received),
            self.status.cost
        );
        self.notice(Level::Info, &told);
    }

    pub(super) fn tell_todos(&mut self) {
        let told: Vec<String> = self
            .todos
            .iter()
            .map(|todo| match todo.status {
                TodoStatus::Completed => format!("☒ {}", todo.content),
                TodoStatus::InProgress => format!("▸ {}", todo.active_form),
                TodoStatus::Pending => format!("☐ {}", todo.content),
            })
            .collect();
        let told = if told.is_empty() { "No todos.".to_string() } else { told.join("\n") };
        self.notice(Level::Info, &told);
    }

    pub(in crate::app) fn show_details(&mut self) {
        let pager = Pager::new("Conversation", self.log.items(), self.theme);
        let pager = pager.highlighted(self.highlighter.clone()).at_end();
        self.cover(Box::new(pager), None);
    }
}

/// The conversation for reading elsewhere; None: nothing was said.
pub fn as_markdown(transcript: &Path) -> Option<String> {
    let mut reader = Reader::open(transcript).ok()?;
    let mut out = String::new();
    for at in 0..reader.len() {
        let Ok(Some(entry)) = reader.entry(at) else { continue };
        match entry.body {
            Body::User { text, meta: false, .. } => {
                let _ = write!(out, "\n## You\n\n{text}\n");
            }
            Body::Assistant { blocks, .. } => {
                for block in blocks {
                    if let Block::Text { text } = block {
                        let _ = write!(out, "\n## Agent\n\n{text}\n");
                    }
                }
            }
            Body::Tool { name, input, is_error, .. } => {
                let mark = if is_error { "✗" } else { "●" };
                let _ = write!(out, "\n{mark} `{name} {}`\n", entry::tool::summary_of(&input).replace('`', "'"));
            }
            _ => {}
        }
    }
    (!out.is_empty()).then(|| format!("# Conversation\n{out}"))
}
