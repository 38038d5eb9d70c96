//! What is allowed in plan mode (PM-60, PM-61): its own table, asked before any allow rule, which lifts nothing here.

use super::asked::{AskedBy, asked_by};
use super::decide::{allow_rule, ask_rule, asks, kind_of};
use super::paths::reach_kind;
use super::table::{Kind, Outcome};
use super::{Access, Allowed, Decision, Denied, Facts, Held, PartFacts, Reach, Rights, ShellFacts, Why, is_secret};
use crate::mode::Mode;
use crate::rule::Rules;
use crate::settings::plan::PlanMcp;
use crate::shell::Verdict;

/// The plan column of the table.
pub(super) fn outcome(kind: Kind) -> Outcome {
    match kind {
        Kind::ReadInside | Kind::ReadOutside | Kind::ShellReads | Kind::ShellReadsOutside => Outcome::Run,
        Kind::WritePlan | Kind::ShellHeld => Outcome::Run,
        Kind::WriteInside | Kind::WriteOutside | Kind::WriteProtected => Outcome::Deny,
        Kind::ShellFiles | Kind::ShellOther => Outcome::Deny,
        Kind::Fetch => Outcome::Ask,
        Kind::Agent | Kind::Question | Kind::McpReads | Kind::InternalReads => Outcome::Run,
        Kind::Internal | Kind::McpOther => Outcome::Deny,
    }
}

/// Decides a call in plan mode; deny rules have been asked already.
pub(super) fn decide(rules: &Rules, facts: Facts) -> Decision {
    let kinds = kinds(rules, &facts);
    if let Access::Mcp { plan, .. } = facts.access {
        return mcp(plan, rules, facts);
    }
    if kinds.iter().any(|kind| outcome(*kind) == Outcome::Deny) {
        return Decision::Deny(denied(&facts.tool, instead(&facts.access)));
    }
    if reads_secret(&facts.access) {
        let hint = match &facts.access {
            Access::Shell(shell) if !shell.parts.iter().any(part_reads_secret) => {
                "Files that hold keys or credentials stay closed while planning, and this may read some. Spell out which files it reads, or use Grep."
            }
            _ => "Files that hold keys or credentials stay closed while planning.",
        };
        return Decision::Deny(denied(&facts.tool, hint));
    }
    if let Some(rule) = ask_rule(rules, &facts) {
        return asks(AskedBy::Rule, Why::by_rule(rule), facts, vec![]);
    }
    match kinds.iter().any(|kind| outcome(*kind) == Outcome::Ask) {
        false => Decision::Allow(allowed(facts)),
        true => match allow_rule(rules, &facts) {
            Some(rule) => Decision::Allow(Allowed { why: Why::by_rule(rule), rights: Rights::of(facts.access) }),
            None => {
                let suggestions = super::suggest::suggestions(Mode::Plan, rules, &facts);
                let (by, why) = (asked_by(rules, &facts), Why::of("plan mode asks before this as default mode does"));
                asks(by, why, facts, suggestions)
            }
        },
    }
}

/// PM-65. The hint is the server's word and is trusted no further than to let a tool run that claims to read; an allow rule
/// lifts nothing.
fn mcp(policy: PlanMcp, rules: &Rules, facts: Facts) -> Decision {
    let outcome = match policy {
        PlanMcp::ReadOnlyHint => outcome(kind_of(rules, &facts)),
        PlanMcp::Ask => Outcome::Ask,
        PlanMcp::Deny => Outcome::Deny,
    };
    match (outcome, ask_rule(rules, &facts)) {
        (Outcome::Deny, _) => Decision::Deny(denied(&facts.tool, instead(&facts.access))),
        (_, Some(rule)) => asks(AskedBy::Rule, Why::by_rule(rule), facts, vec![]),
        // The setting is the person's own rule: no classifier answers in their place.
        (Outcome::Ask, None) => asks(AskedBy::Rule, Why::of("plan mode asks before MCP tools"), facts, vec![]),
        (Outcome::Run, None) => Decision::Allow(allowed(facts)),
    }
}

/// A call that plan mode lets through.
fn allowed(facts: Facts) -> Allowed {
    let held = matches!(&facts.access, Access::Shell(shell) if shell.held == Held::Sandbox);
    let why = Why::of(if held { "plan mode: held by the read-only sandbox" } else { "plan mode runs what only reads" });
    Allowed { why, rights: Rights::of(facts.access) }
}

/// All that the call amounts to: for a command line every part and every redirection.
fn kinds(rules: &Rules, facts: &Facts) -> Vec<Kind> {
    match &facts.access {
        Access::Shell(shell) => shell_kinds(rules, shell),
        Access::Internal
        | Access::Kill { .. }
        | Access::Read(_)
        | Access::Write(_)
        | Access::Fetch { .. }
        | Access::Agent { .. }
        | Access::Skill { .. }
        | Access::Mcp { .. }
        | Access::Question => vec![kind_of(rules, facts)],
    }
}

/// PM-62: where the kernel holds it, only what is known to change things is refused before it runs.
fn shell_kinds(rules: &Rules, shell: &ShellFacts) -> Vec<Kind> {
    let unknown = match shell.held {
        Held::Off => return vec![Kind::ShellOther],
        // The workspace-write sandbox is none of plan mode's: there only the parser's word would hold.
        Held::Parsed | Held::Workspace | Held::Reads | Held::Files => Kind::ShellOther,
        Held::Sandbox => Kind::ShellHeld,
    };
    let unparsed = shell.unparsed.iter().map(|_| unknown);
    shell.parts.iter().flat_map(|part| part_kinds(rules, part, unknown)).chain(unparsed).collect()
}

fn part_kinds(rules: &Rules, part: &PartFacts, unknown: Kind) -> Vec<Kind> {
    let own = match part.part.verdict {
        Verdict::ReadOnly => Kind::ShellReads,
        Verdict::FileCommand | Verdict::Writes(_) if unknown == Kind::ShellHeld && leads_nowhere_sure(part) => unknown,
        Verdict::FileCommand => Kind::ShellFiles,
        Verdict::Writes(_) => Kind::ShellOther,
        Verdict::Unknown => unknown,
    };
    // A literal path is known; where a word leads nowhere sure, the kernel may hold it.
    let written = part.writes.iter().chain(&part.redirects).map(|reach| match (reach, unknown) {
        (Reach::Unknown, Kind::ShellHeld) => Kind::ShellHeld,
        (reach, _) => match reach_kind(rules, reach) {
            // Only Write and Edit may write the plan (PM-44).
            Kind::WritePlan => Kind::WriteProtected,
            kind => kind,
        },
    });
    std::iter::once(own).chain(written).collect()
}

/// All it changes is named by expansions such as `$TMPDIR`: nobody knows yet that it would change anything of the user's.
fn leads_nowhere_sure(part: &PartFacts) -> bool {
    !part.writes.is_empty() && part.writes.iter().all(|reach| *reach == Reach::Unknown)
}

/// What to do instead.
fn instead(access: &Access) -> &'static str {
    match access {
        Access::Write(_) => "Put the change into the plan instead.",
        Access::Shell(shell) if shell.held == Held::Off => "The shell is switched off in plan mode.",
        Access::Shell(shell) if shell.held == Held::Sandbox => {
            "This command is known to change things. Leave that part out, or let it write below $TMPDIR."
        }
        Access::Shell(shell) if shell.unparsed.is_some() => {
            "The command could not be taken apart, so nobody can say that it only reads. Use a simpler one."
        }
        Access::Shell(_) => {
            "Only commands that are known to read may run. Use Read, Grep, Glob or a read-only command."
        }
        Access::Mcp { .. } => "Only tools that their server marks as read-only may run.",
        Access::Internal
        | Access::Kill { .. }
        | Access::Read(_)
        | Access::Fetch { .. }
        | Access::Agent { .. }
        | Access::Skill { .. }
        | Access::Question => "",
    }
}

pub(super) fn reads_secret(access: &Access) -> bool {
    match access {
        Access::Read(targets) => targets.iter().any(|target| is_secret(&target.path)),
        Access::Shell(shell) => shell.secret || shell.parts.iter().any(part_reads_secret),
        Access::Internal
        | Access::Kill { .. }
        | Access::Write(_)
        | Access::Fetch { .. }
        | Access::Agent { .. }
        | Access::Skill { .. }
        | Access::Mcp { .. }
        | Access::Question => false,
    }
}

fn part_reads_secret(part: &PartFacts) -> bool {
    part.reads.iter().any(|reach| match reach {
        Reach::Exact(target) | Reach::Below(target) => is_secret(&target.path),
        Reach::Unknown => false,
    })
}

fn denied(tool: &str, hint: &str) -> Denied {
    let message = format!("{tool} is not allowed in plan mode. Plan mode is read-only. {hint}");
    Denied { why: Why::of("plan mode is read-only"), message: message.trim_end().to_string() }
}
