//! A command line taken apart (PR-5): its parts, what each reads and writes, and whether it is known to only read.

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
    /// The words; None where a word is not a literal (an expansion, a glob).
    pub words: Vec<Option<String>>,
    pub verdict: Verdict,
    /// Paths that a command we know writes by its arguments.
    pub writes: Vec<PathWord>,
    /// Paths that redirections write; /dev/null and its like are left out.
    pub redirects: Vec<PathWord>,
    /// Paths it is known to read.
    pub reads: Vec<PathWord>,
}

/// A path as a word names it. A leading `~/` is the home folder; a file really called `~` comes as `./~`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathWord {
    /// This very path, relative to the shell's working folder at the start of the command.
    Exact(String),
    /// Something at or below this folder: a glob, a recursive search.
    Below(String),
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

/// Takes a command line apart.
pub fn parse(command: &str) -> Parsed {
    let part = Part {
        text: command.to_string(),
        assigns: vec![],
        words: vec![],
        verdict: Verdict::Unknown,
        writes: vec![],
        redirects: vec![],
        reads: vec![],
    };
    Parsed { parts: vec![part], unparsed: Some("not taken apart".into()) }
}
