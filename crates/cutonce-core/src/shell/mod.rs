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
    /// The words; None where a word is not a literal (an expansion, a glob).
    pub words: Vec<Option<String>>,
    pub verdict: Verdict,
    /// Paths it writes: by redirection or, for commands we know, by argument. None where it is no literal.
    pub writes: Vec<Option<String>>,
    /// Literal paths it is known to read.
    pub reads: Vec<String>,
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
