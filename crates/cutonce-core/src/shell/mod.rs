//! Parses a command line (PR-5) into parts: what each reads and writes, and whether it is known to only read.
//!
//! The bash parser's result is checked: every word is decoded again from the source, and every byte must be
//! explained (`parse::coverage`). If either check fails, the command is `unparsed`, and it asks.

mod analyze;
mod known_commands;
mod parse;

pub(crate) use analyze::git::changes_repository;
pub use known_commands::command_table_markdown;

/// Maximum length of a command that is parsed; no user reads a longer one in a dialog.
const MAX_BYTES: usize = 100_000;
/// Maximum depth of scripts inside scripts (`sh -c "sh -c …"`).
const MAX_LEVEL: usize = 6;
/// Maximum bracket depth: the parser recurses, and threads have small stacks.
const MAX_NESTING: usize = 50;
const MAX_PARTS: usize = 1_000;

/// A parsed command line. Parts are in the order bash reaches them, including those in substitutions and wrappers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedCommand {
    pub parts: Vec<CommandPart>,
    /// Why the command could not be parsed completely; such a command always asks.
    pub unparsed: Option<String>,
}

/// One simple command, without its wrappers (`env`, `timeout`, `nice`, …).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPart {
    /// Text that rules match: words joined by single spaces, quotes removed if that is safe.
    pub text: String,
    /// `NAME=value` set for this command only, as rules match them.
    pub assigns: Vec<String>,
    /// Wrappers around the command, outermost first, as rules match them: `timeout 5 npm test`.
    pub inside: Vec<String>,
    /// The words; `None` for a word that is not literal (an expansion, a glob).
    pub words: Vec<Option<String>>,
    pub verdict: CommandVerdict,
    /// Paths that a known command writes because of its arguments.
    pub writes: Vec<PathWord>,
    /// Paths that redirections write, except /dev/null and similar.
    pub redirects: Vec<PathWord>,
    /// Paths the command is known to read.
    pub reads: Vec<PathWord>,
    /// Paths in the arguments of an unknown command.
    pub mentioned: Vec<PathWord>,
}

/// A path named by a word. A leading `~/` is the home folder; a file that is really named `~` is `./~`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathWord {
    /// Exactly this path, relative to the shell's working folder when the command starts.
    Exact(String),
    /// The matches of this glob, and everything below them.
    Glob(String),
    /// Anything at or below this folder, as in a recursive search.
    Below(String),
    /// Everything in the working folder's repository, including its history.
    Repository,
    /// The pipe of a process substitution, not a file.
    Pipe,
    /// An expansion, or a path relative to an unknown folder.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandVerdict {
    /// Known to change nothing with these flags.
    ReadOnly,
    /// A plain file command (mkdir, touch, cp, mv, rm, …) that changes only `writes`.
    FileCommand,
    /// Known to change things; the text says what, as a verb phrase: "deletes files".
    Writes(String),
    /// Not in the table, or not with these flags.
    Unknown,
}

impl PathWord {
    /// The folder that a glob searches.
    pub fn glob_folder(glob: &str) -> &str {
        parse::word::glob_folder(glob)
    }
}

/// Parses a command line. Never panics; depth and time are bounded, and a command that is too big is `unparsed`.
pub fn parse(command: &str) -> ParsedCommand {
    let mut state = parse::WalkState::default();
    let mut waiting = vec![parse::WalkItem::from_command(command.to_string())];
    // An explicit stack, so that nested scripts don't add to the parser's recursion.
    while let Some(item) = waiting.pop() {
        match item {
            parse::WalkItem::Part(part) => state.parts.push(*part),
            parse::WalkItem::Script(script) if script.level > MAX_LEVEL => {
                state.add_problem("scripts are nested too deeply")
            }
            parse::WalkItem::Script(script) => {
                let mut items = parse::walk_script(&mut state, *script);
                items.reverse();
                waiting.append(&mut items);
            }
        }
        if state.parts.len() + waiting.len() > MAX_PARTS {
            state.add_problem("too many commands in one line");
            waiting.retain(|item| matches!(item, parse::WalkItem::Part(_)));
            waiting.truncate(MAX_PARTS);
        }
    }
    state.finish()
}

/// Why bash would not accept the command, or why no one can judge it; `None` if it can run.
pub fn syntax_error(command: &str) -> Option<String> {
    const PROBLEMS: &[&str] = &["bash syntax error", "it contains the invisible", "the command is"];
    parse(command).unparsed.filter(|why| PROBLEMS.iter().any(|problem| why.starts_with(problem)))
}

/// Canonical text of a single command, for comparing a rule with a part. `None` for anything more complex.
pub fn canonical_text(command: &str) -> Option<String> {
    let parsed = parse(command);
    match parsed.parts.as_slice() {
        [part] if parsed.unparsed.is_none() && part.redirects.is_empty() => Some(part.full_text()),
        _ => None,
    }
}

impl CommandPart {
    /// The program name, also for a full path: `/usr/bin/git` is git.
    pub fn program(&self) -> Option<&str> {
        self.words.first()?.as_deref().and_then(analyze::program_name)
    }
    /// Text with assignments and wrappers.
    pub fn full_text(&self) -> String {
        match self.inside.first() {
            Some(outer) => outer.clone(),
            None => self.assigned_text(),
        }
    }
    /// Text with assignments, without wrappers.
    pub fn assigned_text(&self) -> String {
        let mut text = self.assigns.join(" ");
        if !text.is_empty() && !self.text.is_empty() {
            text.push(' ');
        }
        text + &self.text
    }
    /// True if all assignments only affect output format (`LANG=C`).
    pub fn has_harmless_assigns(&self) -> bool {
        self.assigns.iter().all(|text| parse::is_cosmetic_assignment(text))
    }
    /// `git -C x --no-pager push` becomes `git push`, so that global options can't hide a subcommand from a deny rule.
    pub fn without_global_options(&self) -> Option<String> {
        const VALUED: &[&str] =
            &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--prefix", "-H", "--context"];
        let (name, mut rest) = self.words.split_first()?;
        let name = analyze::program_name(name.as_deref()?)?;
        while let Some(Some(text)) = rest.first() {
            let skip = match text.as_str() {
                text if VALUED.contains(&text) => 2,
                text if text.starts_with(['-', '+']) => 1,
                _ => break,
            };
            rest = rest.get(skip..)?;
        }
        let words: Vec<String> = rest.iter().map(|word| word.clone().unwrap_or_else(|| "$".into())).collect();
        (rest.len() + 1 < self.words.len()).then(|| format!("{name} {}", words.join(" ")))
    }
    /// Words without any quotes, as users write deny rules.
    pub fn bare_text(&self) -> String {
        match self.words.iter().cloned().collect::<Option<Vec<String>>>() {
            Some(words) => words.join(" "),
            None => self.text.clone(),
        }
    }
}
