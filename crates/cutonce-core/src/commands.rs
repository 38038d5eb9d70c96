//! Slash commands of all front ends (UI-9): one table with names, help and arguments, parsing, and suggestions
//! for unknown ones. Each front end implements its commands.

use crate::text::sanitize::one_line;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlashCommand {
    Help,
    Plan,
    Plans,
    Mode,
    Model,
    Effort,
    Clear,
    Compact,
    Resume,
    Rewind,
    Permissions,
    Agents,
    Mcp,
    Memory,
    Init,
    Config,
    Status,
    Cost,
    Usage,
    Context,
    Todos,
    Export,
    Copy,
    Diff,
    Review,
    Btw,
    Theme,
    Doctor,
    Setup,
    Trust,
    Exit,
    Edit,
    Tasks,
}

/// A front end that offers slash commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frontend {
    Terminal,
    Plain,
    /// A prompt of `-p`: one turn, without a user who answers.
    Print,
    StreamJson,
    Acp,
}

/// A slash command as front ends list it.
#[derive(Debug)]
pub struct CommandInfo {
    pub command: SlashCommand,
    /// Name without the slash.
    pub name: &'static str,
    pub help: &'static str,
    /// The arguments; empty if it takes none.
    pub hint: &'static str,
    frontends: &'static [Frontend],
}

impl CommandInfo {
    pub fn is_offered_in(&self, frontend: Frontend) -> bool {
        self.frontends.contains(&frontend)
    }

    pub fn takes_arguments(&self) -> bool {
        !self.hint.is_empty()
    }
}

const fn command_info(
    command: SlashCommand,
    name: &'static str,
    help: &'static str,
    hint: &'static str,
    frontends: &'static [Frontend],
) -> CommandInfo {
    CommandInfo { command, name, help, hint, frontends }
}

const EVERYWHERE: &[Frontend] =
    &[Frontend::Terminal, Frontend::Plain, Frontend::Print, Frontend::StreamJson, Frontend::Acp];
const CONVERSATIONS: &[Frontend] = &[Frontend::Terminal, Frontend::Plain, Frontend::StreamJson, Frontend::Acp];
const INTERACTIVE_AND_EDITORS: &[Frontend] = &[Frontend::Terminal, Frontend::Plain, Frontend::Acp];
const INTERACTIVE: &[Frontend] = &[Frontend::Terminal, Frontend::Plain];
/// The terminal has keys for these.
const PLAIN_ONLY: &[Frontend] = &[Frontend::Plain];

/// All commands in the order of the contract.
const COMMANDS: &[CommandInfo] = &[
    command_info(SlashCommand::Help, "help", "keys and commands", "", INTERACTIVE),
    command_info(
        SlashCommand::Plan,
        "plan",
        "enter plan mode or show the plan; open, off, or a task",
        "task",
        EVERYWHERE,
    ),
    command_info(
        SlashCommand::Plans,
        "plans",
        "list plans: review, switch, park, delete, report",
        "review|switch|park|delete|report NAME",
        INTERACTIVE,
    ),
    command_info(
        SlashCommand::Mode,
        "mode",
        "choose or set the mode: default, acceptEdits, plan, …",
        "mode",
        INTERACTIVE_AND_EDITORS,
    ),
    command_info(
        SlashCommand::Model,
        "model",
        "choose or set the model",
        "provider/name or an alias",
        INTERACTIVE_AND_EDITORS,
    ),
    command_info(
        SlashCommand::Effort,
        "effort",
        "choose how much the model thinks: low, medium, high, max, default",
        "effort",
        INTERACTIVE,
    ),
    command_info(SlashCommand::Clear, "clear", "start over with an empty conversation", "", CONVERSATIONS),
    command_info(
        SlashCommand::Compact,
        "compact",
        "summarize the conversation; optional: what to keep",
        "what to keep",
        CONVERSATIONS,
    ),
    command_info(
        SlashCommand::Resume,
        "resume",
        "resume another session; optional: search text",
        "search text",
        INTERACTIVE,
    ),
    command_info(
        SlashCommand::Rewind,
        "rewind",
        "restore files, conversation or both to an earlier point",
        "",
        INTERACTIVE,
    ),
    command_info(SlashCommand::Permissions, "permissions", "view and edit permission rules", "", INTERACTIVE),
    command_info(SlashCommand::Agents, "agents", "view, edit and create agents", "", INTERACTIVE),
    command_info(SlashCommand::Mcp, "mcp", "MCP servers: approve, disable, enable or restart them", "", INTERACTIVE),
    command_info(SlashCommand::Memory, "memory", "edit instruction files", "number", INTERACTIVE),
    command_info(SlashCommand::Init, "init", "write an AGENTS.md for this repository", "", INTERACTIVE),
    command_info(SlashCommand::Config, "config", "edit settings files", "number", INTERACTIVE),
    command_info(SlashCommand::Status, "status", "session, model, mode, folders", "", INTERACTIVE),
    command_info(SlashCommand::Cost, "cost", "tokens and cost so far", "", INTERACTIVE),
    command_info(SlashCommand::Usage, "usage", "tokens and cost by day, project and model", "", CONVERSATIONS),
    command_info(SlashCommand::Context, "context", "what fills the context window", "", INTERACTIVE),
    command_info(SlashCommand::Todos, "todos", "the agent's todo list", "", INTERACTIVE),
    command_info(SlashCommand::Export, "export", "write the conversation to a file", "file", INTERACTIVE),
    command_info(SlashCommand::Copy, "copy", "copy the last answer to the clipboard", "", INTERACTIVE),
    command_info(SlashCommand::Diff, "diff", "what this session changed in files", "", INTERACTIVE),
    command_info(
        SlashCommand::Review,
        "review",
        "a fresh agent reviews the working tree; optional: what to look at",
        "focus",
        INTERACTIVE,
    ),
    command_info(
        SlashCommand::Btw,
        "btw",
        "ask a side question that does not enter the conversation",
        "question",
        INTERACTIVE,
    ),
    command_info(SlashCommand::Theme, "theme", "dark, light or ansi", "name", INTERACTIVE),
    command_info(SlashCommand::Doctor, "doctor", "check what works on this machine", "", INTERACTIVE),
    command_info(SlashCommand::Setup, "setup", "choose a provider and store a key", "", INTERACTIVE),
    command_info(SlashCommand::Trust, "trust", "use the settings that this folder brings", "", INTERACTIVE),
    command_info(SlashCommand::Exit, "exit", "quit", "", INTERACTIVE),
    command_info(
        SlashCommand::Edit,
        "edit",
        "write the message in your editor; optional: initial text",
        "text",
        PLAIN_ONLY,
    ),
    command_info(SlashCommand::Tasks, "tasks", "list background commands; `end ID` stops one", "end ID", PLAIN_ONLY),
];

/// The commands of a front end, in the order of its lists.
pub fn commands_of(frontend: Frontend) -> impl Iterator<Item = &'static CommandInfo> {
    COMMANDS.iter().filter(move |info| info.is_offered_in(frontend))
}

/// Finds a command of a front end by its name without the slash.
pub fn find_command(frontend: Frontend, name: &str) -> Option<&'static CommandInfo> {
    commands_of(frontend).find(|info| info.name == name)
}

/// A parsed line that begins with a slash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlashLine<'a> {
    BuiltIn(SlashCommand, &'a str),
    /// A possible custom command and its arguments.
    Custom(&'a str, &'a str),
    /// A path, a comment of code, or a prompt of an MCP server (HO-6): text for the session.
    Text,
}

/// Parses a line; `None` if it does not begin with a slash.
pub fn parse_line(frontend: Frontend, line: &str) -> Option<SlashLine<'_>> {
    let line = line.trim();
    let (word, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let called = word.strip_prefix('/')?;
    if let Some(info) = find_command(frontend, called) {
        return Some(SlashLine::BuiltIn(info.command, words.trim()));
    }
    // A lone slash is a command that was not typed to its end.
    let is_name = line == "/" || called.starts_with(|c: char| c.is_alphanumeric() || "-_:".contains(c));
    if !is_name || called.contains('/') || called.starts_with("mcp__") {
        return Some(SlashLine::Text);
    }
    Some(SlashLine::Custom(word, words.trim()))
}

/// Message for a project command in an untrusted folder (PR-2).
pub fn untrusted_command_message(word: &str) -> String {
    let word = one_line(word);
    format!("{word} is a command of this project. Trust the folder to use it: /trust. Nothing was sent.")
}

/// Message for an unknown command. `word` has the slash; `own` are the names of custom commands without it.
pub fn unknown_command_message<'a>(frontend: Frontend, word: &str, own: impl Iterator<Item = &'a str>) -> String {
    let word = one_line(word);
    if COMMANDS.iter().any(|info| word.strip_prefix('/') == Some(info.name)) {
        return format!("{word} is not available here; nothing was sent.");
    }
    let names = commands_of(frontend).map(|info| info.name).chain(own).map(|name| format!("/{name}"));
    let nearest = names.min_by_key(|name| strsim::damerau_levenshtein(name, &word)).unwrap_or_default();
    format!("Unknown command {word}; nothing was sent. Did you mean {}?", one_line(&nearest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_9_parses_lines_that_begin_with_a_slash() {
        let cases = [
            ("hello /help", None),
            ("/help", Some(SlashLine::BuiltIn(SlashCommand::Help, ""))),
            ("  /compact  the tests ", Some(SlashLine::BuiltIn(SlashCommand::Compact, "the tests"))),
            ("/helpx", Some(SlashLine::Custom("/helpx", ""))),
            ("/", Some(SlashLine::Custom("/", ""))),
            ("/usr/bin/env is a path", Some(SlashLine::Text)),
            ("/* a comment */", Some(SlashLine::Text)),
            ("/ alone", Some(SlashLine::Text)),
            ("/mcp__s__p x", Some(SlashLine::Text)),
        ];
        for (line, expected) in cases {
            assert_eq!(parse_line(Frontend::Plain, line), expected, "{line:?}");
        }
    }

    #[test]
    fn ui_9_unknown_command_suggests_the_nearest() {
        let said = |word: &str| unknown_command_message(Frontend::Plain, word, ["ship"].into_iter());
        assert_eq!(said("/hlep"), "Unknown command /hlep; nothing was sent. Did you mean /help?");
        assert!(said("/shipp").ends_with("Did you mean /ship?"));
        let elsewhere = unknown_command_message(Frontend::Print, "/theme", [].into_iter());
        assert_eq!(elsewhere, "/theme is not available here; nothing was sent.");
        assert!(said("/\x1b[2Jx").contains("/\\u{1b}[2Jx;"), "{}", said("/\x1b[2Jx"));
    }

    #[test]
    fn ui_9_each_command_is_in_the_table_once() {
        let names: Vec<&str> = COMMANDS.iter().map(|info| info.name).collect();
        for (n, info) in COMMANDS.iter().enumerate() {
            assert!(info.command as usize == n && !names[..n].contains(&info.name), "{}", info.name);
        }
        assert!(find_command(Frontend::StreamJson, "mode").is_none() && find_command(Frontend::Acp, "mode").is_some());
        assert_eq!(commands_of(Frontend::Print).map(|info| info.name).collect::<Vec<_>>(), ["plan"]);
        assert!(find_command(Frontend::Terminal, "tasks").is_none());
    }
}
