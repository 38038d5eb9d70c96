//! Decisions in plan mode (PM-60, PM-61): a table of its own, which allow rules cannot override.

use super::ask_cause::{AskCause, ask_cause};
use super::decide::{allow_rule, ask_decision, ask_rule, call_kind, reason_from_mode};
use super::path_rules::scope_write_kind;
use super::rules::RuleSet;
use super::table::{AccessKind, TableOutcome};
use super::{
    Access, AllowedCall, CallFacts, CallRights, Decision, DeniedCall, PartFacts, PathScope, PathTarget,
    ShellConfinement, ShellFacts, Why, is_secret,
};
use crate::mode::Mode;
use crate::settings::plan::PlanMcp;
use crate::shell::CommandVerdict;
use std::path::Path;

/// The plan mode column of the table.
pub(super) fn plan_outcome(kind: AccessKind) -> TableOutcome {
    match kind {
        AccessKind::ReadInside | AccessKind::ReadOutside | AccessKind::ShellReads | AccessKind::ShellReadsOutside => {
            TableOutcome::Run
        }
        AccessKind::WritePlan | AccessKind::ShellSandboxed => TableOutcome::Run,
        AccessKind::WriteInside | AccessKind::WriteOutside | AccessKind::WriteProtected | AccessKind::WriteTrigger => {
            TableOutcome::Deny
        }
        AccessKind::ShellFiles | AccessKind::ShellOther => TableOutcome::Deny,
        AccessKind::Fetch | AccessKind::McpReads => TableOutcome::Ask,
        AccessKind::Agent | AccessKind::Question | AccessKind::InternalReads => TableOutcome::Run,
        AccessKind::Internal | AccessKind::McpOther => TableOutcome::Deny,
    }
}

/// Decides a call in plan mode; deny rules were already checked.
pub(super) fn decide_in_plan(rules: &RuleSet, facts: CallFacts) -> Decision {
    let kinds = call_kinds(rules, &facts);
    if let Access::Mcp { plan, .. } = facts.access {
        return decide_mcp(plan, rules, facts);
    }
    if let Access::Shell(shell) = &facts.access
        && let Some(hint) = installer_hint(shell)
    {
        return Decision::Deny(deny_in_plan(&facts.tool, &hint));
    }
    if kinds.iter().any(|kind| plan_outcome(*kind) == TableOutcome::Deny) {
        let hint = refused_part(rules, &facts.access).unwrap_or_default() + alternative_hint(&facts.access);
        return Decision::Deny(deny_in_plan(&facts.tool, &hint));
    }
    if reads_secret(rules, &facts.access) {
        let hint = match &facts.access {
            Access::Shell(shell) if !shell.parts.iter().any(|part| part_reads_secret(rules, part)) => {
                "Files with keys or credentials can't be read in plan mode, and this command may read one. Name the files it reads."
            }
            _ => "Files with keys or credentials can't be read in plan mode.",
        };
        return Decision::Deny(deny_in_plan(&facts.tool, hint));
    }
    if let Some(rule) = ask_rule(rules, &facts) {
        return ask_decision(AskCause::Rule, Why::from_rule(rule), facts, vec![]);
    }
    match kinds.iter().any(|kind| plan_outcome(*kind) == TableOutcome::Ask) {
        false => Decision::Allow(allow_in_plan(facts)),
        true => ask_unless_allowed(rules, facts),
    }
}

/// Decides as default mode does: an allow rule lets the call run, otherwise the user is asked.
fn ask_unless_allowed(rules: &RuleSet, facts: CallFacts) -> Decision {
    if let Some(rule) = allow_rule(rules, &facts) {
        return Decision::Allow(AllowedCall {
            why: Why::from_rule(rule),
            rights: CallRights::for_access(facts.access),
        });
    }
    let suggestions = super::suggestions::suggest_rules(Mode::Plan, rules, &facts);
    let why = reason_from_mode(Mode::Plan, call_kind(rules, &facts), TableOutcome::Ask);
    ask_decision(ask_cause(rules, &facts), why, facts, suggestions)
}

/// Decides an MCP call (PM-65). A tool that its server marks as read-only gets what default mode would give it, never
/// more; any other is denied.
fn decide_mcp(policy: PlanMcp, rules: &RuleSet, facts: CallFacts) -> Decision {
    let outcome = match policy {
        PlanMcp::ReadOnlyHint => plan_outcome(call_kind(rules, &facts)),
        PlanMcp::Ask => TableOutcome::Ask,
        PlanMcp::Deny => TableOutcome::Deny,
    };
    match (outcome, ask_rule(rules, &facts)) {
        (TableOutcome::Deny, _) => Decision::Deny(deny_in_plan(&facts.tool, alternative_hint(&facts.access))),
        (_, Some(rule)) => ask_decision(AskCause::Rule, Why::from_rule(rule), facts, vec![]),
        (_, None) if policy == PlanMcp::ReadOnlyHint => ask_unless_allowed(rules, facts),
        // The setting is the user's own rule, so no classifier may answer.
        (_, None) => {
            ask_decision(AskCause::Rule, Why::from_reason("MCP tools need your OK in plan mode"), facts, vec![])
        }
    }
}

/// Allows a call in plan mode.
fn allow_in_plan(facts: CallFacts) -> AllowedCall {
    let reason = match &facts.access {
        Access::Shell(shell)
            if matches!(shell.confinement, ShellConfinement::PlanSandbox | ShellConfinement::PlanReadOnly) =>
        {
            "runs in plan mode's read-only sandbox"
        }
        Access::Write(_) => "plan mode allows edits of the plan file",
        _ => "plan mode allows calls that only read",
    };
    AllowedCall { why: Why::from_reason(reason), rights: CallRights::for_access(facts.access) }
}

/// All kinds of the call; for a command line, those of every part and redirection.
fn call_kinds(rules: &RuleSet, facts: &CallFacts) -> Vec<AccessKind> {
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
        | Access::Question => vec![call_kind(rules, facts)],
    }
}

/// Kinds of a command line (PM-62). With the kernel sandbox, only known writers are denied before they run.
fn shell_kinds(rules: &RuleSet, shell: &ShellFacts) -> Vec<AccessKind> {
    let unknown = match shell.confinement {
        ShellConfinement::Disabled => return vec![AccessKind::ShellOther],
        // The workspace-write sandbox does not enforce plan mode, so only the parser would.
        ShellConfinement::ParsedReadOnly
        | ShellConfinement::PlanReadOnly
        | ShellConfinement::WorkspaceSandbox
        | ShellConfinement::AutoReadOnly
        | ShellConfinement::AutoWorkspace => AccessKind::ShellOther,
        ShellConfinement::PlanSandbox => AccessKind::ShellSandboxed,
    };
    let unparsed = shell.unparsed.iter().map(|_| unknown);
    shell.parts.iter().flat_map(|part| part_kinds(rules, part, unknown)).chain(unparsed).collect()
}

fn part_kinds(rules: &RuleSet, part: &PartFacts, unknown: AccessKind) -> Vec<AccessKind> {
    let own = match part.part.verdict {
        CommandVerdict::ReadOnly => AccessKind::ShellReads,
        CommandVerdict::FileCommand | CommandVerdict::Writes(_)
            if unknown == AccessKind::ShellSandboxed && writes_only_unknown_paths(part) =>
        {
            unknown
        }
        CommandVerdict::FileCommand => AccessKind::ShellFiles,
        CommandVerdict::Writes(_) => AccessKind::ShellOther,
        CommandVerdict::Unknown => unknown,
    };
    // A literal path is known. An unknown path can be left to the sandbox.
    let written = part.writes.iter().chain(&part.redirects).map(|reach| match (reach, unknown) {
        (PathScope::Unknown, AccessKind::ShellSandboxed) => AccessKind::ShellSandboxed,
        (reach, _) => match scope_write_kind(rules, reach) {
            // Only Write and Edit may write the plan (PM-44).
            AccessKind::WritePlan => AccessKind::WriteProtected,
            kind => kind,
        },
    });
    std::iter::once(own).chain(written).collect()
}

/// True if every written path is an expansion such as `$TMPDIR`, so it may change no user file.
fn writes_only_unknown_paths(part: &PartFacts) -> bool {
    !part.writes.is_empty() && part.writes.iter().all(|reach| *reach == PathScope::Unknown)
}

/// Refuses a command that installs software from the network.
fn installer_hint(shell: &ShellFacts) -> Option<String> {
    let found = shell.parts.iter().find_map(|part| crate::plan::installer(&part.part.words))?;
    Some(format!(
        "`{found}` needs the network, which plan mode does not have. Read the manifest and the lock file instead, and put the installation into the plan."
    ))
}

/// Names the refused part of a command line with several parts.
fn refused_part(rules: &RuleSet, access: &Access) -> Option<String> {
    let Access::Shell(shell) = access else { return None };
    let unknown = match shell.confinement {
        ShellConfinement::PlanSandbox => AccessKind::ShellSandboxed,
        ShellConfinement::Disabled => return None,
        _ => AccessKind::ShellOther,
    };
    let denied = |part: &&PartFacts| {
        part_kinds(rules, part, unknown).into_iter().any(|kind| plan_outcome(kind) == TableOutcome::Deny)
    };
    let part = shell.parts.iter().filter(|_| shell.parts.len() > 1).find(denied)?;
    let text = crate::text::sanitize::one_line(&part.part.text);
    let name: String = text.chars().take(MAX_PART_CHARS).collect();
    let cut = if name.len() < text.len() { "…" } else { "" };
    let what = match &part.part.verdict {
        CommandVerdict::Writes(what) => format!(" {what}"),
        _ => " is refused".to_string(),
    };
    Some(format!("`{name}{cut}`{what}. "))
}

/// Maximum length of a refused part in a hint.
const MAX_PART_CHARS: usize = 80;

/// Hint for the model about an alternative.
fn alternative_hint(access: &Access) -> &'static str {
    match access {
        Access::Write(_) => "Put the change into the plan instead.",
        Access::Shell(shell) if shell.confinement == ShellConfinement::Disabled => {
            "The shell is switched off in plan mode."
        }
        Access::Shell(shell) if shell.confinement == ShellConfinement::PlanSandbox => {
            "This command is known to change things. Leave that part out, or let it write below $TMPDIR."
        }
        Access::Shell(shell) if shell.unparsed.is_some() => {
            "This command is too complex to verify that it only reads. Use a simpler one."
        }
        Access::Shell(_) => {
            "Only commands known to be read-only may run. Use such a command, or a tool that reads files."
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

pub(super) fn reads_secret(rules: &RuleSet, access: &Access) -> bool {
    match access {
        Access::Read(targets) => targets.iter().any(|target| is_secret_target(rules, target)),
        Access::Shell(shell) => shell.may_read_secrets || shell.parts.iter().any(|part| part_reads_secret(rules, part)),
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

fn part_reads_secret(rules: &RuleSet, part: &PartFacts) -> bool {
    part.reads.iter().any(|reach| match reach {
        PathScope::Exact(target) | PathScope::Below(target) => is_secret_target(rules, target),
        PathScope::Unknown => false,
    })
}

/// Checks the name too: a `.env` that links to another file is still secret.
fn is_secret_target(rules: &RuleSet, target: &PathTarget) -> bool {
    is_secret(&target.path, rules.home()) || is_secret(Path::new(&target.given), rules.home())
}

fn deny_in_plan(tool: &str, hint: &str) -> DeniedCall {
    let message = format!("{tool} is not allowed in plan mode. Plan mode is read-only. {hint}");
    DeniedCall { why: Why::from_reason("plan mode is read-only"), message: message.trim_end().to_string() }
}
