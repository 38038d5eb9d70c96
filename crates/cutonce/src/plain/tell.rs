//! What the commands that only tell something say, as lines (UI-9).

use cutonce_agent::commands::Custom;
use cutonce_agent::mcp::Status;
use cutonce_agent::plan_files;
use cutonce_agent::settings::{self, Places};
use cutonce_agent::start::Opened;
use cutonce_agent::store::{DEFAULT_BUDGET, Reader};
use cutonce_core::conversation::Usage;
use cutonce_core::event::{AgentDoes, AgentEvent, Event, EventKind, Todo, TodoStatus};
use cutonce_core::harmless::one_line;
use cutonce_core::mode::Mode;
use cutonce_core::rule::Behavior;
use cutonce_core::settings::Settings;
use cutonce_core::slash::Slash;
use cutonce_core::tasks::Tasks;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is known of the session, from how it was opened and from its events.
pub struct About {
    pub home: PathBuf,
    pub cwd: PathBuf,
    pub transcript: PathBuf,
    pub settings: Arc<Settings>,
    pub model: String,
    pub mode: Mode,
    /// Tokens of the last request and its answer.
    pub context: u64,
    pub sent: u64,
    pub received: u64,
    pub cost: f64,
    /// As last told; None: not in this run.
    pub todos: Option<Vec<Todo>>,
    /// Commands in the background.
    pub tasks: Tasks,
}

impl About {
    pub fn new(opened: &Opened, home: &Path, cwd: &Path) -> About {
        About {
            home: home.into(),
            cwd: cwd.into(),
            transcript: opened.transcript.clone(),
            settings: opened.settings.clone(),
            model: opened.model.clone(),
            mode: opened.mode,
            context: 0,
            sent: 0,
            received: 0,
            cost: 0.0,
            todos: None,
            tasks: Tasks::default(),
        }
    }

    pub fn note(&mut self, event: &Event) {
        self.tasks.note(event);
        match &event.kind {
            EventKind::Opened { model, mode, .. } => (self.model, self.mode) = (model.clone(), *mode),
            EventKind::ModelChanged { model } => self.model = model.clone(),
            EventKind::ModeChanged { to, .. } => self.mode = *to,
            EventKind::Assistant { usage, .. } => {
                self.context = usage.context();
                self.used(usage);
            }
            // What its own agents used is counted in.
            EventKind::Agent(AgentEvent { agent, what: AgentDoes::Ended(end) }) if agent.parent.is_none() => {
                self.used(&end.usage);
            }
            EventKind::Compacted { after, .. } => self.context = *after,
            EventKind::Todos(todos) => self.todos = Some(todos.clone()),
            EventKind::Cleared => (self.context, self.todos) = (0, Some(Vec::new())),
            EventKind::TurnEnded(ended) => self.cost = ended.cost,
            _ => {}
        }
    }

    fn used(&mut self, usage: &Usage) {
        self.sent += usage.context() - usage.output_tokens;
        self.received += usage.output_tokens;
    }
}

/// What a command does, for `/help`.
fn words(slash: Slash) -> &'static str {
    match slash {
        Slash::Help => "these lines",
        Slash::Plan => "enter plan mode, show the plan; `open` edits it, `off` leaves; words are the task",
        Slash::Plans => "plans of this folder",
        Slash::Mode => "show or set the mode: default, acceptEdits, plan, …",
        Slash::Model => "show or set the model",
        Slash::Clear => "start over with an empty conversation",
        Slash::Compact => "replace the beginning by a summary; words say what to keep",
        Slash::Resume => "go on with another session, from a numbered list; words search",
        Slash::Rewind => "put files, conversation or both back to an earlier point, from a numbered list",
        Slash::Permissions => "the rules that hold here; /config edits them",
        Slash::Agents => "the kinds of agents there are; a name edits one",
        Slash::Mcp => "MCP servers; a name shows its tools, `agree NAME` lets one start, `restart NAME` starts it anew",
        Slash::Memory => "instruction files; a number edits one",
        Slash::Init => "have an AGENTS.md written for this repository",
        Slash::Config => "settings files; a number edits one",
        Slash::Status => "session, model, mode, folders",
        Slash::Cost => "tokens and money so far",
        Slash::Todos => "the agent's todo list",
        Slash::Export => "write the conversation to a file; a word names it",
        Slash::Theme => "plain lines have none",
        Slash::Doctor => "what works on this machine",
        Slash::Exit => "quit",
    }
}

pub fn help(customs: &[Custom]) -> String {
    let mut lines: Vec<String> =
        Slash::ALL.into_iter().map(|slash| format!("{:<13} {}", slash.name(), words(slash))).collect();
    lines.extend(
        customs.iter().map(|one| format!("{:<13} {}", format!("/{}", one_line(&one.name)), one_line(&one.description))),
    );
    lines.push("/edit         write the message in your editor; words after it are in it already".into());
    lines.push("/tasks        commands in the background; `end ID` ends one".into());
    lines.push("!LINE         a line for your own shell; the agent does not see it".into());
    lines.push("@SERVER:URI   anywhere: a resource of an MCP server; /mcp__SERVER__PROMPT is a prompt of one".into());
    lines.push("\\ before Enter goes on with the next line; what is pasted is one message, and no command.".into());
    lines.push("All else is said to the agent. Ctrl+C interrupts it; Ctrl+D, or the end of the input, ends.".into());
    lines.join("\n")
}

pub fn plans(about: &About) -> String {
    let here = about.cwd.display().to_string();
    let plans = plan_files::list(&about.home);
    let ours = plans.iter().filter(|plan| plan.project.as_deref().is_none_or(|project| project == here));
    let lines: Vec<String> = ours
        .take(20)
        .map(|plan| format!("{}  rev {}  {}  {}", plan.slug, plan.revision, plan.status.name(), one_line(&plan.title)))
        .collect();
    match lines.is_empty() {
        true => "No plans of this folder yet.".into(),
        false => format!("{}\n`cutonce plans` shows and compares them.", lines.join("\n")),
    }
}

/// Rules that were given on the command line.
pub struct Flags {
    pub settings: Option<String>,
    pub managed: Option<String>,
    pub allow: Vec<String>,
    pub deny: Vec<String>,
}

pub fn permissions(about: &About, places: &Places, flags: &Flags) -> String {
    let loaded = settings::load(places, flags.settings.as_deref());
    let mut lines = vec![format!("The mode is {}.", about.mode)];
    let name = |behavior: Behavior| match behavior {
        Behavior::Allow => "allow",
        Behavior::Ask => "ask",
        Behavior::Deny => "deny",
    };
    lines.extend(flags.allow.iter().map(|rule| format!("allow {} (the command line)", one_line(rule))));
    lines.extend(flags.deny.iter().map(|rule| format!("deny {} (the command line)", one_line(rule))));
    lines.extend(
        loaded.rules.iter().map(|rule| format!("{} {} ({})", name(rule.behavior), one_line(&rule.text), rule.source)),
    );
    if lines.len() == 1 {
        lines.push(format!("No rules: {}.", about.mode.without_rules()));
    }
    if !loaded.set_aside.is_empty() {
        let count = loaded.set_aside.len();
        lines.push(format!("{count} more of this folder's own settings count after `cutonce trust`."));
    }
    lines.push("/config NUMBER opens the file of one.".into());
    lines.join("\n")
}

pub fn servers(all: &[Status]) -> String {
    if all.is_empty() {
        return "No MCP servers: `mcpServers` in the settings or .mcp.json names them.".into();
    }
    let lines: Vec<String> = all
        .iter()
        .map(|one| {
            let (name, target) = (one_line(&one.name), one_line(&one.target));
            format!("{name}: {target} ({}, {}) - {}", one.transport, one.scope.name(), crate::mcp::told(one, true))
        })
        .collect();
    format!(
        "{}\n/mcp NAME shows its tools, /mcp agree NAME lets it start, /mcp restart NAME starts it anew.",
        lines.join("\n")
    )
}

pub fn server(one: &Status) -> String {
    let mut lines = vec![format!("{}: {}", one_line(&one.name), crate::mcp::told(one, true))];
    lines.extend(
        one.tools.iter().map(|tool| format!("  {}{}", one_line(&tool.name), if tool.reads { " (reads)" } else { "" })),
    );
    lines.extend(one.notes.iter().map(|note| format!("  note: {}", one_line(note))));
    lines.join("\n")
}

/// Files that a number opens.
pub fn files(title: &str, files: &[PathBuf], command: &str) -> String {
    let mut lines = vec![format!("{title}:")];
    lines.extend(files.iter().enumerate().map(|(n, file)| {
        let there = if file.exists() { "" } else { " (not there yet)" };
        format!("  {} {}{there}", n + 1, one_line(&file.display().to_string()))
    }));
    lines.push(format!("{command} NUMBER opens one in your editor."));
    lines.join("\n")
}

pub fn status(about: &About, id: &str) -> String {
    let mut lines = vec![
        format!("cutonce {}", env!("CARGO_PKG_VERSION")),
        format!("session: {id}"),
        format!("folder: {}", one_line(&about.cwd.display().to_string())),
        format!("model: {}", one_line(&about.model)),
        format!("mode: {}", about.mode),
    ];
    let window = about.settings.model_info(&about.model).context;
    if window > 0 {
        lines.push(format!("context: {} of {window} tokens", about.context));
    }
    lines.push(format!("transcript: {}", one_line(&about.transcript.display().to_string())));
    lines.join("\n")
}

pub fn cost(about: &About) -> String {
    format!("{} tokens sent, {} received, ${:.4}", about.sent, about.received, about.cost)
}

pub fn todos(about: &About) -> String {
    let todos = about.todos.clone().unwrap_or_else(|| recorded(&about.transcript));
    let line = |todo: &Todo| match todo.status {
        TodoStatus::Completed => format!("done: {}", one_line(&todo.content)),
        TodoStatus::InProgress => format!("now: {}", one_line(&todo.active_form)),
        TodoStatus::Pending => format!("to do: {}", one_line(&todo.content)),
    };
    match todos.is_empty() {
        true => "No todos.".into(),
        false => todos.iter().map(line).collect::<Vec<_>>().join("\n"),
    }
}

pub fn tasks(about: &About) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut lines = Vec::new();
    for task in about.tasks.running() {
        let seconds = now.saturating_sub(task.since / 1_000);
        lines.push(format!("{} ({seconds} s): {}", one_line(&task.id), one_line(&task.command)));
        if !task.last.is_empty() {
            lines.push(format!("  | {}", one_line(&task.last)));
        }
    }
    match lines.is_empty() {
        true => "No command runs in the background.".into(),
        false => format!("{}\n/tasks end ID ends one, with all it started.", lines.join("\n")),
    }
}

/// Of a session that was resumed: as its transcript has them.
fn recorded(transcript: &Path) -> Vec<Todo> {
    let resumed = Reader::open(transcript).and_then(|mut reader| reader.resume(DEFAULT_BUDGET));
    resumed.map(|resumed| resumed.replayed.todos).unwrap_or_default()
}
