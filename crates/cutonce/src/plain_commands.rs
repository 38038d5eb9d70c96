//! Commands of the plain face (UI-9): as at the screen, in lines and with numbers. A command that is unknown, or that only the
//! screen has, says so and sends nothing.

use cutonce_agent::{Session, plan_files, rewind};
use cutonce_core::event::{Todo, TodoStatus};
use cutonce_core::harmless::visible;
use cutonce_core::submission::Submission;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Each with what it does. `/plan` and `/mode` are the session's.
const COMMANDS: &[(&str, &str)] = &[
    ("/help", "this list"),
    ("/plan", "enter plan mode, show the plan; open edits it, off leaves; words are the task"),
    ("/plans", "plans of this folder"),
    ("/mode", "show or set the mode: default, acceptEdits, plan, …"),
    ("/model", "show or set the model"),
    ("/clear", "start over with an empty conversation"),
    ("/compact", "replace the beginning by a summary; words say what to keep"),
    ("/rewind", "list the points to go back to; NUMBER goes there, NUMBER files or NUMBER conversation only that"),
    ("/agents", "the kinds of agents there are"),
    ("/status", "session, model, folder, transcript"),
    ("/todos", "the agent's todo list"),
    ("/doctor", "what works on this machine"),
    ("/exit", "quit"),
];

/// What only the screen has, and what to do here instead.
const ELSEWHERE: &[(&str, &str)] = &[
    ("/resume", "`cutonce sessions` lists them, `cutonce --plain --resume ID` goes on with one"),
    ("/permissions", "`cutonce doctor` names the settings files; their rules are in `permissions`"),
    ("/mcp", "`cutonce mcp list` lists the servers"),
    ("/memory", "the instructions are in AGENTS.md, here and in ~/.cutonce"),
    ("/init", "ask for an AGENTS.md in your own words"),
    ("/config", "the settings are in ~/.cutonce/settings.json and .cutonce/settings.json"),
    ("/cost", "`cutonce -p --output-format json` tells the cost"),
    ("/export", "the transcript is the file that /status names"),
    ("/theme", "there are no colours here"),
];

/// What a face knows that a command tells.
pub struct Known {
    pub transcript: PathBuf,
    pub cwd: String,
    pub home: Option<PathBuf>,
    pub model: String,
    pub todos: Vec<Todo>,
}

/// What is said in answer to a line; None: it is a message for the model.
pub fn run(line: &str, session: &Session, known: &mut Known) -> Option<String> {
    if let Some(line) = line.strip_prefix('!') {
        return Some(shell(line.trim(), Path::new(&known.cwd)));
    }
    let (word, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    // A path is no command.
    if !word.starts_with('/') || word.get(1..).is_some_and(|rest| rest.contains('/')) {
        return None;
    }
    let words = words.trim();
    let submitted = |submission: Submission| {
        session.submit(submission);
        String::new()
    };
    Some(match word {
        "/help" => help(),
        "/plans" => plans(known),
        "/model" => model(words, session, known),
        "/clear" => submitted(Submission::Clear),
        "/compact" => {
            submitted(Submission::Compact { focus: Some(words.to_string()).filter(|words| !words.is_empty()) })
        }
        "/rewind" => back(words, session, known),
        "/agents" => crate::agents::listing(session.agents()),
        "/status" => status(session, known),
        "/todos" => todos(&known.todos),
        "/doctor" => crate::doctor::text(),
        "/exit" => submitted(Submission::Close),
        other => unknown(other),
    })
}

fn unknown(word: &str) -> String {
    if let Some((_, instead)) = ELSEWHERE.iter().find(|(name, _)| *name == word) {
        return format!("{word} is at the screen only (without --plain); nothing was sent. Here: {instead}.");
    }
    let nearest = COMMANDS.iter().map(|(name, _)| name).min_by_key(|name| strsim::damerau_levenshtein(name, word));
    let hint = nearest.map(|name| format!(" The nearest is {name}.")).unwrap_or_default();
    format!("There is no command {}; nothing was sent.{hint}", visible(word))
}

fn help() -> String {
    let mut text = String::from("Commands:\n");
    for (name, words) in COMMANDS {
        let _ = writeln!(text, "  {name}  {words}");
    }
    text + "  !LINE  a line for your own shell; the agent does not see it"
}

fn plans(known: &Known) -> String {
    let all = known.home.as_deref().map(plan_files::list).unwrap_or_default();
    let here = |project: Option<&str>| project.is_none_or(|project| project == known.cwd);
    let mut text = String::new();
    for plan in all.iter().filter(|plan| here(plan.project.as_deref())).take(20) {
        let title = visible(&plan.title).into_owned();
        let _ = writeln!(text, "{}  rev {}  {}  {title}", plan.slug, plan.revision, plan.status.name());
    }
    if text.is_empty() { "No plans of this folder yet.".into() } else { text.trim_end().into() }
}

fn model(name: &str, session: &Session, known: &mut Known) -> String {
    if name.is_empty() {
        return format!("The model is {}. /model NAME changes it from the next request on.", known.model);
    }
    session.submit(Submission::SetModel { model: name.into() });
    known.model = name.into();
    format!("The next request goes to {}.", visible(name))
}

fn status(session: &Session, known: &Known) -> String {
    let transcript = known.transcript.display();
    format!("session {}\nmodel {}\nfolder {}\ntranscript {transcript}", session.id(), known.model, known.cwd)
}

fn todos(todos: &[Todo]) -> String {
    let line = |todo: &Todo| {
        let mark = match todo.status {
            TodoStatus::Completed => "done",
            TodoStatus::InProgress => "now",
            TodoStatus::Pending => "open",
        };
        format!("{mark}: {}", visible(&todo.content))
    };
    let lines: Vec<String> = todos.iter().map(line).collect();
    if lines.is_empty() { "No todos.".into() } else { lines.join("\n") }
}

/// SE-5: the points with numbers, the latest first.
fn back(words: &str, session: &Session, known: &Known) -> String {
    let points = rewind::points(&known.transcript).unwrap_or_default();
    if points.is_empty() {
        return "There is nothing to go back to.".into();
    }
    let (number, what) = words.split_once(' ').unwrap_or((words, ""));
    let point = number.parse::<usize>().ok().and_then(|n| points.get(n.wrapping_sub(1)));
    let parts = match what.trim() {
        "" => Some((true, true)),
        "files" => Some((true, false)),
        "conversation" => Some((false, true)),
        _ => None,
    };
    if let (Some(point), Some((files, conversation))) = (point, parts) {
        let files = files && !point.files.is_empty();
        session.submit(Submission::Rewind { to: point.id.clone(), files, conversation });
        return String::new();
    }
    let mut text = String::from("Points to go back to:\n");
    for (n, point) in points.iter().enumerate().take(30) {
        let said = match &point.what {
            rewind::What::Message(said) => format!("before: {}", visible(said.lines().next().unwrap_or_default())),
            rewind::What::Approval { slug, revision } => format!("plan approved: {slug} rev {revision}"),
        };
        let _ = writeln!(text, "  {} {said}", n + 1);
        for file in &point.files {
            let _ = writeln!(text, "      puts back {}", visible(&file.path));
        }
    }
    text + "/rewind NUMBER goes there; NUMBER files and NUMBER conversation put back only that."
}

fn shell(line: &str, cwd: &Path) -> String {
    if line.is_empty() {
        return String::new();
    }
    match cutonce_agent::editor::shell_line(line, cwd, std::env::vars_os().collect()) {
        Ok(()) => String::new(),
        Err(why) => why,
    }
}
