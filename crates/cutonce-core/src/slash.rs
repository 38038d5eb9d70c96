//! The commands that every face for people has (UI-9): their names, and which one somebody may have meant. What each does, and
//! in which words it is told, is the business of the face.

use crate::harmless::one_line;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slash {
    Help,
    Plan,
    Plans,
    Mode,
    Model,
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
    Todos,
    Export,
    Theme,
    Doctor,
    Exit,
}

impl Slash {
    /// In the order of the contract.
    pub const ALL: [Slash; 22] = [
        Slash::Help,
        Slash::Plan,
        Slash::Plans,
        Slash::Mode,
        Slash::Model,
        Slash::Clear,
        Slash::Compact,
        Slash::Resume,
        Slash::Rewind,
        Slash::Permissions,
        Slash::Agents,
        Slash::Mcp,
        Slash::Memory,
        Slash::Init,
        Slash::Config,
        Slash::Status,
        Slash::Cost,
        Slash::Todos,
        Slash::Export,
        Slash::Theme,
        Slash::Doctor,
        Slash::Exit,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Slash::Help => "/help",
            Slash::Plan => "/plan",
            Slash::Plans => "/plans",
            Slash::Mode => "/mode",
            Slash::Model => "/model",
            Slash::Clear => "/clear",
            Slash::Compact => "/compact",
            Slash::Resume => "/resume",
            Slash::Rewind => "/rewind",
            Slash::Permissions => "/permissions",
            Slash::Agents => "/agents",
            Slash::Mcp => "/mcp",
            Slash::Memory => "/memory",
            Slash::Init => "/init",
            Slash::Config => "/config",
            Slash::Status => "/status",
            Slash::Cost => "/cost",
            Slash::Todos => "/todos",
            Slash::Export => "/export",
            Slash::Theme => "/theme",
            Slash::Doctor => "/doctor",
            Slash::Exit => "/exit",
        }
    }
}

/// What a line that begins with a slash is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    Ours(Slash, &'a str),
    /// A word that may be a command of the user's own, and what follows it.
    Theirs(&'a str, &'a str),
    /// A path, or a prompt of an MCP server (HO-6): words for the session, which knows what to do with them.
    Words,
}

/// None: it does not begin with a slash.
pub fn parse(line: &str) -> Option<Line<'_>> {
    let line = line.trim();
    let (word, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let called = word.strip_prefix('/')?;
    if let Some(ours) = Slash::ALL.into_iter().find(|slash| slash.name() == word) {
        return Some(Line::Ours(ours, words.trim()));
    }
    if called.contains('/') || called.starts_with("mcp__") {
        return Some(Line::Words);
    }
    Some(Line::Theirs(word, words.trim()))
}

/// What to say of a command of the project's own, in a folder that nobody trusts yet (PR-2).
pub fn untrusted(word: &str) -> String {
    let word = one_line(word);
    format!("{word} is this project's own: it counts once you trust the folder (`cutonce trust`); nothing was sent.")
}

/// What to say of a word that is no command, given the names of the user's own.
pub fn unknown<'a>(word: &str, own: impl Iterator<Item = &'a str>) -> String {
    let names = Slash::ALL.into_iter().map(|slash| slash.name().to_string()).chain(own.map(|name| format!("/{name}")));
    let nearest = names.min_by_key(|name| strsim::damerau_levenshtein(name, word)).unwrap_or_default();
    format!("There is no command {}; nothing was sent. The nearest is {}.", one_line(word), one_line(&nearest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_9_lines_that_begin_with_a_slash() {
        let cases = [
            ("hello /help", None),
            ("/help", Some(Line::Ours(Slash::Help, ""))),
            ("  /compact  the tests ", Some(Line::Ours(Slash::Compact, "the tests"))),
            ("/helpx", Some(Line::Theirs("/helpx", ""))),
            ("/", Some(Line::Theirs("/", ""))),
            ("/usr/bin/env is a path", Some(Line::Words)),
            ("/mcp__s__p x", Some(Line::Words)),
        ];
        for (line, expected) in cases {
            assert_eq!(parse(line), expected, "{line:?}");
        }
    }

    #[test]
    fn ui_9_the_nearest_command_is_named_also_one_of_the_users() {
        let said = |word: &str| unknown(word, ["ship"].into_iter());
        assert_eq!(said("/hlep"), "There is no command /hlep; nothing was sent. The nearest is /help.");
        assert!(said("/shipp").ends_with("The nearest is /ship."));
        assert!(said("/\x1b[2Jx").contains("/\\u{1b}[2Jx;"), "{}", said("/\x1b[2Jx"));
    }
}
