//! A command line taken apart (PR-5): its parts, what each reads and writes, and whether it is known to only read.
//!
//! The parser is a real bash parser, but it is not believed blindly: every word is decoded again from the source,
//! and every byte must be accounted for (`cover`). What either cannot explain is `unparsed`, and that asks.

mod args;
mod cover;
mod files;
mod git;
mod judge;
mod scripts;
mod spelled;
mod table;
mod tools;
mod walk;
mod word;
mod wrappers;

pub use table::table_markdown;

/// A longer command is not taken apart: nobody reads it in a dialog either.
const MAX_BYTES: usize = 100_000;
/// Scripts inside scripts (`sh -c "sh -c …"`).
const MAX_LEVEL: usize = 6;
/// Brackets inside brackets: the parser recurses, and a thread has little stack.
const MAX_NESTING: usize = 50;
const MAX_PARTS: usize = 1_000;

/// A command line as parts, in the order bash would meet them, those inside substitutions and wrappers included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    pub parts: Vec<Part>,
    /// Why it could not be understood in full; such a command asks, whatever its parts say.
    pub unparsed: Option<String>,
}

/// One simple command, wrappers (`env`, `timeout`, `nice`, …) taken off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// As rules match it: words joined by single spaces, quotes taken off where that is safe.
    pub text: String,
    /// `NAME=value` set for this command alone, as rules match them.
    pub assigns: Vec<String>,
    /// The wrappers it runs inside, outermost first, as rules match them: `timeout 5 npm test`.
    pub inside: Vec<String>,
    /// The words; None where a word is not a literal (an expansion, a glob).
    pub words: Vec<Option<String>>,
    pub verdict: Verdict,
    /// Paths that a command we know writes by its arguments.
    pub writes: Vec<PathWord>,
    /// Paths that redirections write; /dev/null and its like are left out.
    pub redirects: Vec<PathWord>,
    /// Paths it is known to read.
    pub reads: Vec<PathWord>,
    /// Paths that its words name, of a command of which nobody knows what it does with them.
    pub named: Vec<PathWord>,
}

/// A path as a word names it. A leading `~/` is the home folder; a file really called `~` comes as `./~`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathWord {
    /// This very path, relative to the shell's working folder at the start of the command.
    Exact(String),
    /// What this glob finds, and what is below that.
    Glob(String),
    /// Something at or below this folder: a recursive search.
    Below(String),
    /// All that the repository of the working folder holds, now or in its history.
    Repository,
    /// The pipe of a process substitution: no file of anybody's.
    Pipe,
    /// An expansion, or relative to a folder we don't know.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Known to change nothing, with these flags.
    ReadOnly,
    /// A plain file command (mkdir, touch, cp, mv, rm, …) whose only effects are `writes`.
    FileCommand,
    /// Known to change things; the text says what.
    Writes(String),
    /// Not in the table, or not with these flags.
    Unknown,
}

impl PathWord {
    /// The folder that a glob looks into.
    pub fn glob_folder(glob: &str) -> &str {
        word::glob_folder(glob)
    }
}

/// Takes a command line apart. Never panics, and bounded in depth and time: what is too big is `unparsed`.
pub fn parse(command: &str) -> Parsed {
    let mut state = walk::State::default();
    let mut waiting = vec![walk::Item::script(command.to_string())];
    // A stack of our own: a script inside a script must not sit on the parser's recursion.
    while let Some(item) = waiting.pop() {
        match item {
            walk::Item::Part(part) => state.parts.push(*part),
            walk::Item::Script(script) if script.level > MAX_LEVEL => state.problem("scripts are nested too deeply"),
            walk::Item::Script(script) => {
                let mut items = walk::script(&mut state, *script);
                items.reverse();
                waiting.append(&mut items);
            }
        }
        if state.parts.len() + waiting.len() > MAX_PARTS {
            state.problem("it has too many parts");
            waiting.retain(|item| matches!(item, walk::Item::Part(_)));
            waiting.truncate(MAX_PARTS);
        }
    }
    state.finish()
}

/// The command as one plain part, for comparing a rule's words with a part's text; None if it is more than that.
pub fn canonical(command: &str) -> Option<String> {
    let parsed = parse(command);
    match parsed.parts.as_slice() {
        [part] if parsed.unparsed.is_none() && part.redirects.is_empty() => Some(part.full_text()),
        _ => None,
    }
}

impl Part {
    /// The program it runs, also if it is named by its path: `/usr/bin/git` is git.
    pub fn program(&self) -> Option<&str> {
        self.words.first()?.as_deref().and_then(judge::program)
    }
    /// With its assignments and its wrappers, as it was written.
    pub fn full_text(&self) -> String {
        match self.inside.first() {
            Some(outer) => outer.clone(),
            None => self.assigned_text(),
        }
    }
    /// With its assignments, without wrappers.
    pub fn assigned_text(&self) -> String {
        let mut text = self.assigns.join(" ");
        if !text.is_empty() && !self.text.is_empty() {
            text.push(' ');
        }
        text + &self.text
    }
    /// Are all its assignments such as change nothing but looks (`LANG=C`)?
    pub fn has_harmless_assigns(&self) -> bool {
        self.assigns.iter().all(|text| walk::is_harmless(text))
    }
    /// `git -C x --no-pager push` as `git push`: what stands before the subcommand must not hide it from a deny rule.
    pub fn without_global_options(&self) -> Option<String> {
        const VALUED: &[&str] =
            &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--prefix", "-H", "--context"];
        let (name, mut rest) = self.words.split_first()?;
        let name = judge::program(name.as_deref()?)?;
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
    /// Words with no quotes at all: what a person who writes a deny rule thinks of.
    pub fn bare_text(&self) -> String {
        match self.words.iter().cloned().collect::<Option<Vec<String>>>() {
            Some(words) => words.join(" "),
            None => self.text.clone(),
        }
    }
}
