//! Commands that only tell something.

use crate::app::App;
use crate::entry::{self, Kind, short_count};
use crate::keymap::KEYS;
use crate::overlay::pager::Pager;
use crate::text;
use cutonce_agent::settings::{self, MANAGED, Places};
use cutonce_agent::store::Reader;
use cutonce_core::conversation::Block;
use cutonce_core::event::{Level, TodoStatus};
use cutonce_core::submission::RememberIn;
use cutonce_core::transcript::Body;
use ratatui::text::{Line, Span};
use std::fmt::Write;
use std::path::{Path, PathBuf};

impl App {
    pub(super) fn help(&mut self) {
        let (width, theme) = (self.width(), self.theme);
        let row = |name: String, words: &str| {
            let mut lines = text::wrap(
                &Line::from(vec![Span::styled(text::padded(&name, 22), theme.accent), Span::raw(words.to_string())]),
                width,
                &text::Prefix { first: vec![Span::raw("  ")], next: vec![Span::raw(" ".repeat(24))] },
            );
            lines.truncate(3);
            lines
        };
        let mut lines = vec![Line::styled("Commands", theme.strong)];
        for offer in super::offers(&self.customs) {
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

    fn places(&self) -> Places {
        Places {
            managed: PathBuf::from(MANAGED),
            home: self.around.home.clone(),
            user_home: self.around.var("HOME").map(PathBuf::from),
            project: self.around.cwd.clone(),
        }
    }

    pub(in crate::app) fn trusted(&self) -> bool {
        settings::load(&self.places(), None).trusted
    }

    pub(super) fn tell_permissions(&mut self) {
        let loaded = settings::load(&self.places(), None);
        let mut told = format!("The mode is {}.\n", self.status.mode);
        for rule in &loaded.rules {
            let _ = writeln!(told, "{:?}: {} ({:?})", rule.behavior, rule.text, rule.source);
        }
        if loaded.rules.is_empty() {
            told.push_str("No rules; what is not read-only asks.\n");
        }
        let _ = write!(told, "They are in the files that /config names.");
        self.notice(Level::Info, &told);
    }

    pub(super) fn tell_agents(&mut self) {
        let folders = [self.around.cwd.join(".cutonce/agents"), self.around.home.join("agents")];
        let own = folders.iter().flat_map(|folder| names_in(folder, "md"));
        let own: Vec<String> = own.collect();
        let told = if own.is_empty() { String::new() } else { format!("\nYour own: {}", own.join(", ")) };
        self.notice(
            Level::Info,
            &format!("Explore reads and searches, Plan designs, general-purpose does both and more.{told}"),
        );
    }

    pub(super) fn tell_mcp(&mut self) {
        let mut told = String::new();
        for name in self.settings.mcp_servers.keys() {
            let _ = writeln!(told, "{name} (settings)");
        }
        let project = self.around.cwd.join(".mcp.json");
        let listed =
            std::fs::read(&project).ok().and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
        let servers = listed.as_ref().and_then(|file| file.get("mcpServers")).and_then(|servers| servers.as_object());
        for name in servers.into_iter().flat_map(|servers| servers.keys()) {
            let _ = writeln!(told, "{name} (.mcp.json)");
        }
        let told = if told.is_empty() {
            "No MCP servers: `mcpServers` in the settings or .mcp.json names them.".into()
        } else {
            told
        };
        self.notice(Level::Info, &told);
    }

    pub(super) fn memory(&mut self, which: &str) {
        let user_home = self.around.var("HOME").map(PathBuf::from);
        let mut all = cutonce_agent::instructions::Instructions::new(&self.around.home, user_home, &self.around.cwd);
        let mut files: Vec<PathBuf> = all.load().into_iter().map(|one| one.path).collect();
        for usual in [self.around.cwd.join("AGENTS.md"), self.around.home.join("AGENTS.md")] {
            if !files.contains(&usual) {
                files.push(usual);
            }
        }
        self.choose_file("Instruction files", &files, which, "/memory");
    }

    pub(super) fn config(&mut self, which: &str) {
        let places = self.places();
        let files = [RememberIn::User, RememberIn::Project, RememberIn::Local]
            .into_iter()
            .filter_map(|place| places.file(place));
        self.choose_file("Settings, the last one wins", &files.collect::<Vec<_>>(), which, "/config");
    }

    fn choose_file(&mut self, title: &str, files: &[PathBuf], which: &str, command: &str) {
        if let Some(file) = which.parse::<usize>().ok().and_then(|n| files.get(n.wrapping_sub(1))) {
            if let Some(folder) = file.parent() {
                let _ = std::fs::create_dir_all(folder);
            }
            return self.open_in_editor(&file.display().to_string());
        }
        let mut told = format!("{title}:\n");
        for (n, file) in files.iter().enumerate() {
            let there = if file.exists() { "" } else { "  (not there yet)" };
            let _ = writeln!(told, "{} {}{there}", n + 1, file.display());
        }
        let _ = write!(told, "{command} NUMBER opens one in your editor.");
        self.notice(Level::Info, &told);
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
        let pager = Pager::new("Conversation", self.log.items(), self.theme).at_end();
        self.cover(Box::new(pager), None);
    }
}

fn names_in(folder: &Path, end: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut names: Vec<String> = entries
        .filter(|path| path.extension().is_some_and(|found| found == end))
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
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
