//! Text of the slash commands that only report something (UI-9).

use cutonce_agent::builder::OpenedSession;
use cutonce_agent::config::commands::CustomCommand;
use cutonce_agent::config::{self, SettingsPaths};
use cutonce_agent::mcp::McpServerStatus;
use cutonce_core::commands::{self, Frontend};
use cutonce_core::conversation::ContentBlock;
use cutonce_core::permission::rules::RuleBehavior;
use cutonce_core::protocol::event::{TodoItem, TodoStatus};
use cutonce_core::protocol::view::SessionView;
use cutonce_core::settings::Settings;
use cutonce_core::text::number::{describe_usage, group_digits};
use cutonce_core::text::sanitize::{one_line, sanitize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Facts about the session, from opening it and from its events.
pub struct SessionReport {
    pub home: PathBuf,
    pub cwd: PathBuf,
    pub transcript: PathBuf,
    pub settings: Arc<Settings>,
    pub view: SessionView,
    /// The agent's last text, for `/copy`.
    pub last_answer: String,
}

impl SessionReport {
    pub fn new(opened: &OpenedSession, home: &Path, cwd: &Path) -> SessionReport {
        let view = SessionView {
            model: opened.model.clone(),
            mode: opened.mode,
            phase: opened.resumed.phase,
            todos: opened.resumed.todos.clone(),
            ..SessionView::default()
        };
        SessionReport {
            home: home.into(),
            cwd: cwd.into(),
            transcript: opened.transcript.clone(),
            settings: opened.settings.clone(),
            view,
            last_answer: String::new(),
        }
    }
}

impl SessionReport {
    /// Keeps the text of an answer for `/copy` (DU-5).
    pub fn note_answer(&mut self, blocks: &[ContentBlock]) {
        let texts = blocks.iter().filter_map(|block| match block {
            ContentBlock::Text { text } if !text.trim().is_empty() => Some(text.as_str()),
            _ => None,
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        if !text.is_empty() {
            self.last_answer = text;
        }
    }
}

/// Text of `/help`.
pub fn help_text(customs: &[CustomCommand]) -> String {
    let mut lines: Vec<String> =
        commands::commands_of(Frontend::Plain).map(|info| format!("/{:<12} {}", info.name, info.help)).collect();
    lines.extend(
        customs.iter().map(|one| format!("{:<13} {}", format!("/{}", one_line(&one.name)), one_line(&one.description))),
    );
    lines.push("!LINE         run LINE in your own shell; the agent sees what it prints".into());
    lines.push("@SERVER:URI   anywhere: include an MCP resource; /mcp__SERVER__PROMPT runs an MCP prompt".into());
    lines.push("\\ before Enter continues on the next line. A paste is one message and never a command.".into());
    lines.push("Everything else is sent to the agent. Ctrl+C interrupts it; Ctrl+D or the end of input quits.".into());
    lines.join("\n")
}

/// Settings and rules from the command line.
pub struct RuleFlags {
    pub settings: Option<String>,
    pub managed: Option<String>,
    pub allow: Vec<String>,
    pub deny: Vec<String>,
}

pub fn permissions_text(about: &SessionReport, places: &SettingsPaths, flags: &RuleFlags) -> String {
    let loaded = config::load_settings(places, flags.settings.as_deref());
    let mut lines = vec![format!("Mode: {}.", about.view.mode)];
    let name = |behavior: RuleBehavior| match behavior {
        RuleBehavior::Allow => "allow",
        RuleBehavior::Ask => "ask",
        RuleBehavior::Deny => "deny",
    };
    lines.extend(flags.allow.iter().map(|rule| format!("allow {} (command line)", one_line(rule))));
    lines.extend(flags.deny.iter().map(|rule| format!("deny {} (command line)", one_line(rule))));
    lines.extend(
        loaded.rules.iter().map(|rule| format!("{} {} ({})", name(rule.behavior), one_line(&rule.text), rule.source)),
    );
    if lines.len() == 1 {
        lines.push(format!("No rules: {}.", about.view.mode.describe_defaults()));
    }
    if !loaded.set_aside.is_empty() {
        let count = loaded.set_aside.len();
        lines.push(format!("{count} more settings of this folder apply after `cutonce trust`."));
    }
    lines.push("/config NUMBER opens a settings file.".into());
    lines.join("\n")
}

pub fn servers_text(all: &[McpServerStatus]) -> String {
    if all.is_empty() {
        return "No MCP servers. Add them under `mcpServers` in the settings or in .mcp.json.".into();
    }
    let lines: Vec<String> = all
        .iter()
        .map(|one| {
            let (name, target) = (one_line(&one.name), one_line(&one.target));
            format!(
                "{name}: {target} ({}, {}) - {}",
                one.transport,
                one.scope.name(),
                crate::commands::mcp::status_text(one, true)
            )
        })
        .collect();
    format!(
        "{}\n/mcp NAME shows its tools, /mcp approve NAME approves it, /mcp restart NAME restarts it.",
        lines.join("\n")
    )
}

pub fn server_text(one: &McpServerStatus) -> String {
    let mut lines = vec![format!("{}: {}", one_line(&one.name), crate::commands::mcp::status_text(one, true))];
    lines.extend(
        one.tools
            .iter()
            .map(|tool| format!("  {}{}", one_line(&tool.name), if tool.read_only { " (reads)" } else { "" })),
    );
    lines.extend(one.notes.iter().map(|note| format!("  note: {}", one_line(note))));
    lines.join("\n")
}

/// A numbered list of files.
pub fn files_text(title: &str, files: &[PathBuf], command: &str) -> String {
    let mut lines = vec![format!("{title}:")];
    lines.extend(files.iter().enumerate().map(|(n, file)| {
        let there = if file.exists() { "" } else { " (does not exist)" };
        format!("  {} {}{there}", n + 1, one_line(&file.display().to_string()))
    }));
    lines.push(format!("{command} NUMBER opens one in your editor."));
    lines.join("\n")
}

pub fn status_text(about: &SessionReport, id: &str) -> String {
    let mut lines = vec![
        format!("cutonce {}", env!("CARGO_PKG_VERSION")),
        format!("session: {id}"),
        format!("folder: {}", one_line(&about.cwd.display().to_string())),
        format!("model: {}", one_line(&about.view.model)),
        format!("mode: {}", about.view.mode),
    ];
    let window = about.settings.model_info(&about.view.model).context;
    if window > 0 {
        lines.push(format!("context: {} of {} tokens", group_digits(about.view.context), group_digits(window)));
    }
    lines.push(format!("used: {}", describe_usage(about.view.sent, about.view.received, about.view.cost)));
    lines.push(format!("transcript: {}", one_line(&about.transcript.display().to_string())));
    lines.join("\n")
}

pub fn cost_text(about: &SessionReport) -> String {
    let view = &about.view;
    let of_model = view.totals.by_model().map(|(model, used)| {
        let used = describe_usage(used.usage.sent_tokens(), used.usage.output_tokens, used.cost);
        format!("{}: {used}", one_line(model))
    });
    let mut lines: Vec<String> = of_model.collect();
    // A single model has the total.
    if lines.len() != 1 {
        lines.insert(0, describe_usage(view.sent, view.received, view.cost));
    }
    lines.join("\n")
}

/// `/diff`: what the session changed in files (DU-5).
pub fn diff_text(about: &SessionReport) -> String {
    match about.transcript.exists().then(|| cutonce_agent::storage::session_diff(&about.transcript)) {
        Some(Ok(diffs)) if !diffs.is_empty() => {
            diffs.iter().map(|(_, text)| sanitize(text).into_owned()).collect::<Vec<_>>().join("\n")
        }
        Some(Err(error)) => format!("The changes can't be read: {error}"),
        Some(Ok(_)) | None => "This session changed no file.".to_string(),
    }
}

pub fn todos_text(about: &SessionReport) -> String {
    let todos = &about.view.todos;
    let line = |todo: &TodoItem| match todo.status {
        TodoStatus::Completed => format!("done: {}", one_line(&todo.content)),
        TodoStatus::InProgress => format!("now: {}", one_line(&todo.active_form)),
        TodoStatus::Pending => format!("to do: {}", one_line(&todo.content)),
    };
    match todos.is_empty() {
        true => "No todos.".into(),
        false => todos.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}

pub fn tasks_text(about: &SessionReport) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut lines = Vec::new();
    for task in about.view.commands.running() {
        let seconds = now.saturating_sub(task.started_at / 1_000);
        lines.push(format!("{} ({seconds} s): {}", one_line(&task.id), one_line(&task.command)));
        if !task.last_line.is_empty() {
            lines.push(format!("  | {}", one_line(&task.last_line)));
        }
    }
    match lines.is_empty() {
        true => "No background commands.".into(),
        false => format!("{}\n/tasks end ID stops one and its child processes.", lines.join("\n")),
    }
}
