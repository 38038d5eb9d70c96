//! Decides one call, outside plan mode.

use super::ask_cause::{AskCause, ask_cause};
use super::path_rules::{self, rule_matches_scope, rule_matches_target};
use super::rules::{Rule, RuleBehavior, RuleSet, RuleSpec};
use super::table::{AccessKind, TableOutcome};
use super::{
    Access, AllowedCall, CallFacts, CallRights, Decision, DeniedCall, PathTarget, PermissionAsk, RuleSuggestion,
    ShellFacts, Why, decide_read_only, shell_call, suggestions,
};
use crate::mode::Mode;
use crate::text::truncate::with_ellipsis;

/// Decides one call (PR-3): deny rule, ask rule, protected path, allow rule, the mode's table, in this order.
pub fn decide(mode: Mode, rules: &RuleSet, facts: CallFacts) -> Decision {
    if let Some(rule) = rules.with_behavior(RuleBehavior::Deny).find(|rule| rule_applies(rules, rule, &facts)) {
        return Decision::Deny(deny_by_rule(rule, &facts));
    }
    if mode.is_read_only() {
        return decide_read_only(rules, facts);
    }
    if let Some(rule) = ask_rule(rules, &facts) {
        return ask_decision(AskCause::Rule, Why::from_rule(rule), facts, vec![]);
    }
    let (outcome, why) = match &facts.access {
        Access::Shell(shell) => shell_call::decide_shell(mode, rules, shell),
        _ => decide_by_kind(mode, rules, &facts),
    };
    match outcome {
        TableOutcome::Run if why.rule.is_none() => {
            Decision::Allow(AllowedCall { rights: CallRights::for_mode(mode, facts.access), why })
        }
        TableOutcome::Run => Decision::Allow(AllowedCall { why, rights: CallRights::for_access(facts.access) }),
        TableOutcome::Ask => {
            let (by, suggestions) = (ask_cause(rules, &facts), suggestions::suggest_rules(mode, rules, &facts));
            ask_decision(by, why, facts, suggestions)
        }
        TableOutcome::Deny => {
            Decision::Deny(DeniedCall { message: format!("{} is not allowed: {}.", facts.tool, why.reason), why })
        }
    }
}

pub(super) fn ask_decision(by: AskCause, why: Why, facts: CallFacts, suggestions: Vec<RuleSuggestion>) -> Decision {
    Decision::Ask(Box::new(PermissionAsk { facts, why, cause: by, suggestions }))
}

/// Decides every access except shell commands.
fn decide_by_kind(mode: Mode, rules: &RuleSet, facts: &CallFacts) -> (TableOutcome, Why) {
    let kind = call_kind(rules, facts);
    let outcome = kind.outcome(mode);
    if kind != AccessKind::WriteProtected
        && let Some(rule) = allow_rule(rules, facts)
    {
        return (TableOutcome::Run, Why::from_rule(rule));
    }
    (outcome, reason_from_mode(mode, kind, outcome))
}

pub(super) fn reason_from_mode(mode: Mode, kind: AccessKind, outcome: TableOutcome) -> Why {
    Why::from_reason(match outcome {
        TableOutcome::Run => format!("{} are allowed in {mode} mode", kind.subject()),
        TableOutcome::Ask => format!("{} need your OK in {mode} mode", kind.subject()),
        TableOutcome::Deny => format!("{} are not allowed in {mode} mode", kind.subject()),
    })
}

/// Tools that only read session state or send messages.
const INTERNAL_READS: &[&str] =
    &["BashOutput", "EnterPlanMode", "ExitPlanMode", "SendMessage", "StructuredOutput", "WaitForMcpServers"];

/// Kind of a call, for the table. A command line can have several kinds: see [`shell_call`].
pub(super) fn call_kind(rules: &RuleSet, facts: &CallFacts) -> AccessKind {
    match &facts.access {
        Access::Internal if INTERNAL_READS.contains(&facts.tool.as_str()) => AccessKind::InternalReads,
        Access::Internal => AccessKind::Internal,
        Access::Skill { .. } => AccessKind::InternalReads,
        Access::Question => AccessKind::Question,
        Access::Kill { this_stay: true } => AccessKind::InternalReads,
        Access::Kill { this_stay: false } => AccessKind::Internal,
        Access::Agent { .. } => AccessKind::Agent,
        Access::Fetch { .. } => AccessKind::Fetch,
        Access::Mcp { read_only: true, .. } => AccessKind::McpReads,
        Access::Mcp { read_only: false, .. } => AccessKind::McpOther,
        Access::Write(target) => AccessKind::of_write(target.place),
        Access::Read(targets) => {
            match targets.iter().all(|t| path_rules::read_kind(rules, t) == AccessKind::ReadInside) {
                true => AccessKind::ReadInside,
                false => AccessKind::ReadOutside,
            }
        }
        Access::Shell(_) => AccessKind::ShellOther,
    }
}

pub(super) fn ask_rule<'a>(rules: &'a RuleSet, facts: &CallFacts) -> Option<&'a Rule> {
    rules.with_behavior(RuleBehavior::Ask).find(|rule| rule_applies(rules, rule, facts))
}

/// True if this deny or ask rule covers the call or any part of it.
fn rule_applies(rules: &RuleSet, rule: &Rule, facts: &CallFacts) -> bool {
    let (reads, writes) = (matches!(facts.access, Access::Read(_)), matches!(facts.access, Access::Write(_)));
    let named = rule.covers_tool(&facts.tool, reads, writes);
    let any = |targets: &[PathTarget]| {
        matches!(rule.spec, RuleSpec::All) || targets.iter().any(|t| rule_matches_target(rules, rule, t))
    };
    match &facts.access {
        Access::Shell(shell) => rule_applies_to_shell(rules, rule, shell, named),
        Access::Read(targets) => named && any(targets),
        Access::Write(target) => named && any(std::slice::from_ref(target)),
        Access::Fetch { host, .. } => named && rule.matches_host(host),
        Access::Agent { kind: name } | Access::Skill { name } => named && rule.matches_name(name),
        Access::Internal | Access::Kill { .. } | Access::Question | Access::Mcp { .. } => {
            named && matches!(rule.spec, RuleSpec::All)
        }
    }
}

fn rule_applies_to_shell(rules: &RuleSet, rule: &Rule, shell: &ShellFacts, about_tool: bool) -> bool {
    let any = |reaches: &[super::PathScope]| reaches.iter().any(|reach| rule_matches_scope(rules, rule, reach));
    // A rule for a whole tool does not apply to arguments of an unknown program; a path rule does.
    let named = |part: &super::PartFacts| matches!(rule.spec, RuleSpec::Path(_)) && any(&part.mentioned);
    if rule.is_about_reads() {
        return shell.parts.iter().any(|part| any(&part.reads) || named(part));
    }
    if rule.is_about_writes() {
        return shell.parts.iter().any(|part| any(&part.writes) || any(&part.redirects) || named(part));
    }
    match &rule.spec {
        _ if !about_tool => false,
        RuleSpec::All => true,
        RuleSpec::Command(pattern) => {
            shell.parts.iter().any(|part| pattern.matches_any_spelling(&part.part))
                || (shell.unparsed.is_some() && pattern.matches_line(&shell.command))
        }
        RuleSpec::Path(_) | RuleSpec::Domain(_) | RuleSpec::Named(_) => false,
    }
}

/// The allow rule that covers the whole call. If several targets need several rules, returns the first.
pub(super) fn allow_rule<'a>(rules: &'a RuleSet, facts: &CallFacts) -> Option<&'a Rule> {
    let named = |reads, writes| {
        rules.with_behavior(RuleBehavior::Allow).filter(move |rule| rule.covers_tool(&facts.tool, reads, writes))
    };
    match &facts.access {
        Access::Read(targets) => {
            let covering = |target: &PathTarget| named(true, false).find(|rule| rule.matches_path(&target.path));
            let all: Option<Vec<&Rule>> = targets.iter().map(covering).collect();
            all.and_then(|found| found.first().copied())
        }
        Access::Write(target) => named(false, true).find(|rule| rule.matches_path(&target.path)),
        Access::Fetch { host, .. } => named(false, false).find(|rule| rule.matches_host(host)),
        Access::Agent { kind: name } | Access::Skill { name } => {
            named(false, false).find(|rule| rule.matches_name(name))
        }
        Access::Internal | Access::Kill { .. } | Access::Question | Access::Mcp { .. } => {
            named(false, false).find(|rule| matches!(rule.spec, RuleSpec::All))
        }
        Access::Shell(_) => None,
    }
}

fn deny_by_rule(rule: &Rule, facts: &CallFacts) -> DeniedCall {
    let what = match &facts.access {
        Access::Shell(shell) => format!("The command `{}`", shorten_command(&shell.command)),
        Access::Write(target) => format!("{} of {}", facts.tool, target.given),
        Access::Read(targets) => match targets.first() {
            Some(target) => format!("{} of {}", facts.tool, target.given),
            None => facts.tool.clone(),
        },
        Access::Fetch { url, .. } => format!("{} of {url}", facts.tool),
        Access::Agent { kind: name } | Access::Skill { name } => format!("{} with {name}", facts.tool),
        Access::Internal | Access::Kill { .. } | Access::Question | Access::Mcp { .. } => facts.tool.clone(),
    };
    let message = format!(
        "{what} is denied by the rule `{}` from {}. Do not try to work around this. Continue without it, or tell the user why you need it.",
        rule.text, rule.source
    );
    DeniedCall { why: Why::from_rule(rule), message }
}

fn shorten_command(command: &str) -> String {
    let line = command.lines().next().unwrap_or_default();
    let shown = with_ellipsis(line.to_string(), 120);
    if shown == line && command.lines().nth(1).is_some() { format!("{line} …") } else { shown }
}
