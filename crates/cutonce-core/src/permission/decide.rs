//! The decision itself.

use super::asked::{AskedBy, asked_by};
use super::paths::{self, hits, hits_reach};
use super::table::{Kind, Outcome};
use super::{
    Access, Allowed, Ask, Decision, Denied, Facts, Rights, ShellFacts, Suggestion, Target, Why, plan, shell_call,
    suggest,
};
use crate::mode::Mode;
use crate::rule::{Behavior, Rule, Rules, Spec};

/// Decides one call (PR-3): deny rule, ask rule, protected place, allow rule, the mode's table, in this order.
pub fn decide(mode: Mode, rules: &Rules, facts: Facts) -> Decision {
    if let Some(rule) = rules.with(Behavior::Deny).find(|rule| speaks(rules, rule, &facts)) {
        return Decision::Deny(denied_by(rule, &facts));
    }
    if mode == Mode::Plan {
        return plan::decide(rules, facts);
    }
    if let Some(rule) = ask_rule(rules, &facts) {
        return asks(AskedBy::Rule, Why::by_rule(rule), facts, vec![]);
    }
    let (outcome, why) = match &facts.access {
        Access::Shell(shell) => shell_call::judge(mode, rules, shell),
        _ => judge(mode, rules, &facts),
    };
    match outcome {
        Outcome::Run if why.rule.is_none() => {
            Decision::Allow(Allowed { rights: Rights::by_mode(mode, facts.access), why })
        }
        Outcome::Run => Decision::Allow(Allowed { why, rights: Rights::of(facts.access) }),
        Outcome::Ask => {
            let (by, suggestions) = (asked_by(rules, &facts), suggest::suggestions(mode, rules, &facts));
            asks(by, why, facts, suggestions)
        }
        Outcome::Deny => {
            Decision::Deny(Denied { message: format!("{} is not allowed: {}.", facts.tool, why.reason), why })
        }
    }
}

pub(super) fn asks(by: AskedBy, why: Why, facts: Facts, suggestions: Vec<Suggestion>) -> Decision {
    Decision::Ask(Box::new(Ask { facts, why, by, suggestions }))
}

/// Every access but the shell.
fn judge(mode: Mode, rules: &Rules, facts: &Facts) -> (Outcome, Why) {
    let kind = kind_of(rules, facts);
    let outcome = kind.outcome(mode);
    if kind != Kind::WriteProtected
        && let Some(rule) = allow_rule(rules, facts)
    {
        return (Outcome::Run, Why::by_rule(rule));
    }
    (outcome, by_mode(mode, kind, outcome))
}

pub(super) fn by_mode(mode: Mode, kind: Kind, outcome: Outcome) -> Why {
    Why::of(match outcome {
        Outcome::Run => format!("{mode} mode runs this: {}", kind.what()),
        Outcome::Ask => format!("{mode} mode asks before this: {}", kind.what()),
        Outcome::Deny => format!("{mode} mode denies this: {}", kind.what()),
    })
}

/// Tools that only look at inner state, or talk.
const INTERNAL_READS: &[&str] =
    &["BashOutput", "EnterPlanMode", "ExitPlanMode", "SendMessage", "StructuredOutput", "WaitForMcpServers"];

/// What a call amounts to. A command line amounts to several things: see [`shell_call`].
pub(super) fn kind_of(rules: &Rules, facts: &Facts) -> Kind {
    match &facts.access {
        Access::Internal if INTERNAL_READS.contains(&facts.tool.as_str()) => Kind::InternalReads,
        Access::Internal => Kind::Internal,
        Access::Skill { .. } => Kind::InternalReads,
        Access::Question => Kind::Question,
        Access::Kill { this_stay: true } => Kind::InternalReads,
        Access::Kill { this_stay: false } => Kind::Internal,
        Access::Agent { .. } => Kind::Agent,
        Access::Fetch { .. } => Kind::Fetch,
        Access::Mcp { read_only: true, .. } => Kind::McpReads,
        Access::Mcp { read_only: false, .. } => Kind::McpOther,
        Access::Write(target) => paths::write_kind(target),
        Access::Read(targets) => match targets.iter().all(|t| paths::read_kind(rules, t) == Kind::ReadInside) {
            true => Kind::ReadInside,
            false => Kind::ReadOutside,
        },
        Access::Shell(_) => Kind::ShellOther,
    }
}

pub(super) fn ask_rule<'a>(rules: &'a Rules, facts: &Facts) -> Option<&'a Rule> {
    rules.with(Behavior::Ask).find(|rule| speaks(rules, rule, facts))
}

/// Does this deny or ask rule speak about the call, or about any part of it?
fn speaks(rules: &Rules, rule: &Rule, facts: &Facts) -> bool {
    let (reads, writes) = (matches!(facts.access, Access::Read(_)), matches!(facts.access, Access::Write(_)));
    let named = rule.names(&facts.tool, reads, writes);
    let any = |targets: &[Target]| matches!(rule.spec, Spec::All) || targets.iter().any(|t| hits(rules, rule, t));
    match &facts.access {
        Access::Shell(shell) => shell_speaks(rules, rule, shell, named),
        Access::Read(targets) => named && any(targets),
        Access::Write(target) => named && any(std::slice::from_ref(target)),
        Access::Fetch { host, .. } => named && rule.matches_host(host),
        Access::Agent { kind: name } | Access::Skill { name } => named && rule.matches_name(name),
        Access::Internal | Access::Kill { .. } | Access::Question | Access::Mcp { .. } => {
            named && matches!(rule.spec, Spec::All)
        }
    }
}

fn shell_speaks(rules: &Rules, rule: &Rule, shell: &ShellFacts, about_tool: bool) -> bool {
    let any = |reaches: &[super::Reach]| reaches.iter().any(|reach| hits_reach(rules, rule, reach));
    // A rule for a whole tool says nothing about the words of some other program; one that names paths does.
    let named = |part: &super::PartFacts| matches!(rule.spec, Spec::Path(_)) && any(&part.named);
    if rule.is_about_reads() {
        return shell.parts.iter().any(|part| any(&part.reads) || named(part));
    }
    if rule.is_about_writes() {
        return shell.parts.iter().any(|part| any(&part.writes) || any(&part.redirects) || named(part));
    }
    match &rule.spec {
        _ if !about_tool => false,
        Spec::All => true,
        Spec::Command(pattern) => {
            shell.parts.iter().any(|part| pattern.hits(&part.part))
                || (shell.unparsed.is_some() && pattern.hits_line(&shell.command))
        }
        Spec::Path(_) | Spec::Domain(_) | Spec::Named(_) => false,
    }
}

/// The allow rule that covers the whole call; of several, for several targets, the first.
pub(super) fn allow_rule<'a>(rules: &'a Rules, facts: &Facts) -> Option<&'a Rule> {
    let named = |reads, writes| rules.with(Behavior::Allow).filter(move |rule| rule.names(&facts.tool, reads, writes));
    match &facts.access {
        Access::Read(targets) => {
            let covering = |target: &Target| named(true, false).find(|rule| rule.matches_path(&target.path));
            let all: Option<Vec<&Rule>> = targets.iter().map(covering).collect();
            all.and_then(|found| found.first().copied())
        }
        Access::Write(target) => named(false, true).find(|rule| rule.matches_path(&target.path)),
        Access::Fetch { host, .. } => named(false, false).find(|rule| rule.matches_host(host)),
        Access::Agent { kind: name } | Access::Skill { name } => {
            named(false, false).find(|rule| rule.matches_name(name))
        }
        Access::Internal | Access::Kill { .. } | Access::Question | Access::Mcp { .. } => {
            named(false, false).find(|rule| matches!(rule.spec, Spec::All))
        }
        Access::Shell(_) => None,
    }
}

fn denied_by(rule: &Rule, facts: &Facts) -> Denied {
    let what = match &facts.access {
        Access::Shell(shell) => format!("The command `{}`", brief(&shell.command)),
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
        "{what} is denied by the rule `{}` from {}. Do not try to get there another way: go on without it, or tell the user what you need it for.",
        rule.text, rule.source
    );
    Denied { why: Why::by_rule(rule), message }
}

fn brief(command: &str) -> String {
    let line = command.lines().next().unwrap_or_default();
    match line.char_indices().nth(120) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None if command.lines().nth(1).is_some() => format!("{line} …"),
        None => line.to_string(),
    }
}
