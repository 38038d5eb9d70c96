//! The permission table (PR-4): which kind of call runs, asks or is denied in which mode if no rule matches.
//! [`super::decide`] uses this table, and the docs are generated from it.

use super::{PathLocation, plan_decision};
use crate::mode::Mode;

/// Kind of a call, or of one piece of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessKind {
    InternalReads,
    Internal,
    Question,
    Agent,
    ReadInside,
    ReadOutside,
    WriteInside,
    WriteOutside,
    WriteProtected,
    WriteTrigger,
    WritePlan,
    ShellReads,
    ShellReadsOutside,
    ShellFiles,
    ShellOther,
    ShellSandboxed,
    Fetch,
    McpReads,
    McpOther,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableOutcome {
    Run,
    Ask,
    Deny,
}

pub struct PermissionRow {
    pub kind: AccessKind,
    /// Description of the call, for the docs.
    pub what: &'static str,
    /// Subject of the reason shown to the user: "Edits" need your OK.
    pub subject: &'static str,
    pub default: TableOutcome,
    pub accept_edits: TableOutcome,
    pub auto: TableOutcome,
    pub bypass: TableOutcome,
}

const fn row(
    kind: AccessKind,
    subject: &'static str,
    what: &'static str,
    outcomes: [TableOutcome; 4],
) -> PermissionRow {
    let [default, accept_edits, auto, bypass] = outcomes;
    PermissionRow { kind, what, subject, default, accept_edits, auto, bypass }
}

use TableOutcome::{Ask, Deny, Run};

/// Columns: default, acceptEdits, auto, bypassPermissions. In auto mode a classifier may answer the asks.
pub const PERMISSION_TABLE: &[PermissionRow] = &[
    row(AccessKind::ReadInside, "Reads", "read in the workspace", [Run, Run, Run, Run]),
    row(AccessKind::ReadOutside, "Reads outside the workspace", "read outside the workspace", [Ask, Ask, Ask, Run]),
    row(AccessKind::WriteInside, "Edits", "write in the workspace", [Ask, Run, Ask, Run]),
    row(AccessKind::WriteOutside, "Edits outside the workspace", "write outside the workspace", [Ask, Ask, Ask, Run]),
    row(AccessKind::WriteProtected, "Edits of protected files", "write to a protected path", [Ask, Ask, Ask, Ask]),
    row(
        AccessKind::WriteTrigger,
        "Edits of files that make other programs run code",
        "write a file that makes other programs run code: `.envrc`, `.vscode`, `.husky`, CI files, `AGENTS.md` …",
        [Ask, Ask, Ask, Run],
    ),
    row(
        AccessKind::WritePlan,
        "Edits of the plan file",
        "write the session's plan file, with Write or Edit",
        [Run, Run, Run, Run],
    ),
    row(
        AccessKind::ShellReads,
        "Read-only commands",
        "shell command that only reads, in the workspace or in system folders",
        [Run, Run, Run, Run],
    ),
    row(
        AccessKind::ShellReadsOutside,
        "Commands that may read outside the workspace",
        "shell command that only reads, elsewhere or in an unknown place",
        [Ask, Ask, Ask, Run],
    ),
    row(
        AccessKind::ShellFiles,
        "File commands",
        "plain file command that writes only in the workspace",
        [Ask, Run, Ask, Run],
    ),
    row(AccessKind::ShellOther, "Commands that may change things", "any other shell command", [Ask, Ask, Ask, Run]),
    row(
        AccessKind::ShellSandboxed,
        "Commands in the read-only sandbox",
        "shell command not known to change things, in the read-only sandbox",
        [Ask, Ask, Ask, Run],
    ),
    row(AccessKind::Fetch, "Web requests", "fetch from the web", [Ask, Ask, Ask, Run]),
    row(
        AccessKind::Agent,
        "Subagents",
        "start a subagent (each of its calls is decided separately)",
        [Run, Run, Run, Run],
    ),
    row(AccessKind::McpReads, "MCP tools", "MCP tool that its server marks as read-only", [Ask, Ask, Ask, Run]),
    row(AccessKind::McpOther, "MCP tools", "any other MCP tool", [Ask, Ask, Ask, Run]),
    row(AccessKind::Question, "Questions to the user", "question to the user", [Run, Run, Run, Run]),
    row(
        AccessKind::InternalReads,
        "Session tools",
        "read session state: output of a running shell, a skill",
        [Run, Run, Run, Run],
    ),
    row(AccessKind::Internal, "Session tools", "change session state: todos, stopping a shell", [Run, Run, Run, Run]),
];

impl AccessKind {
    /// Kind of a read at this place; `below_cwd`: the path is below the working folder.
    pub(super) fn of_read(place: PathLocation, below_cwd: bool) -> AccessKind {
        match place {
            PathLocation::Workspace | PathLocation::Trigger | PathLocation::Own | PathLocation::PlanFile => {
                AccessKind::ReadInside
            }
            // `.git/HEAD` is protected from writing, not from reading.
            PathLocation::Protected if below_cwd => AccessKind::ReadInside,
            PathLocation::Protected | PathLocation::Outside => AccessKind::ReadOutside,
        }
    }
    /// Kind of a write at this place.
    pub(super) fn of_write(place: PathLocation) -> AccessKind {
        match place {
            PathLocation::Workspace => AccessKind::WriteInside,
            PathLocation::PlanFile => AccessKind::WritePlan,
            PathLocation::Protected => AccessKind::WriteProtected,
            PathLocation::Trigger => AccessKind::WriteTrigger,
            PathLocation::Outside | PathLocation::Own => AccessKind::WriteOutside,
        }
    }
    fn row(self) -> Option<&'static PermissionRow> {
        PERMISSION_TABLE.iter().find(|row| row.kind == self)
    }
    /// Subject of a reason: "Edits", "Web requests".
    pub(super) fn subject(self) -> &'static str {
        self.row().map_or("Calls", |row| row.subject)
    }
    /// Outcome in this mode if no rule matches.
    pub fn outcome(self, mode: Mode) -> TableOutcome {
        let Some(row) = self.row() else { return Ask };
        match mode {
            Mode::Default => row.default,
            Mode::AcceptEdits => row.accept_edits,
            Mode::Auto => row.auto,
            Mode::BypassPermissions => row.bypass,
            Mode::Plan => plan_decision::plan_outcome(self),
        }
    }
}

/// The table as Markdown, for the docs.
pub fn permission_table_markdown() -> String {
    let modes = [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::Auto, Mode::BypassPermissions];
    let mut out = String::from("| call |");
    modes.iter().for_each(|mode| out.push_str(&format!(" {mode} |")));
    out.push_str("\n|---|---|---|---|---|---|\n");
    for row in PERMISSION_TABLE {
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
        let mut kinds: Vec<String> = PERMISSION_TABLE.iter().map(|row| format!("{:?}", row.kind)).collect();
        kinds.sort();
        kinds.dedup();
        assert_eq!(kinds.len(), PERMISSION_TABLE.len());
        assert_eq!(PERMISSION_TABLE.len(), 19);
    }
}
