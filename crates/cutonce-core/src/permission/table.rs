//! The table of modes (PR-4): what kind of call runs, asks or is denied in which mode when no rule speaks.
//! [`super::decide`] reads this very table, and so do the docs.

use super::plan;
use crate::mode::Mode;

/// What a call, or a piece of a command line, amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    InternalReads,
    Internal,
    Question,
    Agent,
    ReadInside,
    ReadOutside,
    WriteInside,
    WriteOutside,
    WriteProtected,
    WritePlan,
    ShellReads,
    ShellReadsOutside,
    ShellFiles,
    ShellOther,
    ShellHeld,
    Fetch,
    McpReads,
    McpOther,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Run,
    Ask,
    Deny,
}

pub struct Row {
    pub kind: Kind,
    /// The call, in words.
    pub what: &'static str,
    pub default: Outcome,
    pub accept_edits: Outcome,
    pub auto: Outcome,
    pub bypass: Outcome,
}

const fn row(kind: Kind, what: &'static str, outcomes: [Outcome; 4]) -> Row {
    let [default, accept_edits, auto, bypass] = outcomes;
    Row { kind, what, default, accept_edits, auto, bypass }
}

use Outcome::{Ask, Deny, Run};

/// default, acceptEdits, auto, bypassPermissions. In auto mode a classifier may answer what asks here.
pub const TABLE: &[Row] = &[
    row(Kind::ReadInside, "read in the workspace", [Run, Run, Run, Run]),
    row(Kind::ReadOutside, "read elsewhere", [Ask, Ask, Ask, Run]),
    row(Kind::WriteInside, "write in the workspace", [Ask, Run, Ask, Run]),
    row(Kind::WriteOutside, "write elsewhere", [Ask, Ask, Ask, Run]),
    row(Kind::WriteProtected, "write to a protected place", [Ask, Ask, Ask, Ask]),
    row(Kind::WritePlan, "write the session's plan file, with Write or Edit", [Run, Run, Run, Run]),
    row(
        Kind::ShellReads,
        "shell command that only reads, in the workspace or the system's folders",
        [Run, Run, Run, Run],
    ),
    row(
        Kind::ShellReadsOutside,
        "shell command that only reads, elsewhere or nobody can say where",
        [Ask, Ask, Ask, Run],
    ),
    row(Kind::ShellFiles, "plain file command that writes only in the workspace", [Ask, Run, Ask, Run]),
    row(Kind::ShellOther, "any other shell command", [Ask, Ask, Ask, Run]),
    row(
        Kind::ShellHeld,
        "shell command not known to change things, held by the read-only sandbox",
        [Ask, Ask, Ask, Run],
    ),
    row(Kind::Fetch, "fetch from the web", [Ask, Ask, Ask, Run]),
    row(Kind::Agent, "start a subagent (what it does is decided call by call)", [Run, Run, Run, Run]),
    row(Kind::McpReads, "MCP tool that its server calls read-only", [Ask, Ask, Ask, Run]),
    row(Kind::McpOther, "any other MCP tool", [Ask, Ask, Ask, Run]),
    row(Kind::Question, "question to the user", [Run, Run, Run, Run]),
    row(Kind::InternalReads, "look at inner state: output of a running shell, a skill", [Run, Run, Run, Run]),
    row(Kind::Internal, "change inner state: todos, ending a shell", [Run, Run, Run, Run]),
];

impl Kind {
    fn row(self) -> Option<&'static Row> {
        TABLE.iter().find(|row| row.kind == self)
    }
    /// In words, for reasons.
    pub fn what(self) -> &'static str {
        self.row().map_or("call", |row| row.what)
    }
    /// What happens to it when no rule speaks.
    pub fn outcome(self, mode: Mode) -> Outcome {
        let Some(row) = self.row() else { return Ask };
        match mode {
            Mode::Default => row.default,
            Mode::AcceptEdits => row.accept_edits,
            Mode::Auto => row.auto,
            Mode::BypassPermissions => row.bypass,
            Mode::Plan => plan::outcome(self),
        }
    }
}

/// The table as docs show it.
pub fn table_markdown() -> String {
    let modes = [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::Auto, Mode::BypassPermissions];
    let mut out = String::from("| call |");
    modes.iter().for_each(|mode| out.push_str(&format!(" {mode} |")));
    out.push_str("\n|---|---|---|---|---|---|\n");
    for row in TABLE {
        out.push_str(&format!("| {} |", row.what));
        for mode in modes {
            out.push_str(match row.kind.outcome(mode) {
                Run => " runs |",
                Ask => " asks |",
                Deny => " denied |",
            });
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pr_4_every_kind_has_one_row() {
        let mut kinds: Vec<String> = TABLE.iter().map(|row| format!("{:?}", row.kind)).collect();
        kinds.sort();
        kinds.dedup();
        assert_eq!(kinds.len(), TABLE.len());
        assert_eq!(TABLE.len(), 18);
    }
}
