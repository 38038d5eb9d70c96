//! Decides a command line piece by piece (PR-5): each command and each redirection must be allowed.

use super::decide::reason_from_mode;
use super::path_rules::{allow_rule_for_scope, may_read_unasked, scope_write_kind};
use super::rules::{Rule, RuleBehavior, RuleSet, RuleSpec};
use super::table::{AccessKind, TableOutcome};
use super::{PartFacts, PathLocation, PathScope, ShellFacts, Why};
use crate::mode::Mode;
use crate::shell::CommandVerdict;
use std::path::PathBuf;

/// A piece of a command line that is not allowed yet.
pub(super) enum CommandPiece<'a> {
    Command(&'a PartFacts),
    Redirect(&'a PathScope),
}

/// Decides the whole command. It runs if every piece may; otherwise the first other piece gives the reason.
pub(super) fn decide_shell(mode: Mode, rules: &RuleSet, shell: &ShellFacts) -> (TableOutcome, Why) {
    if let Some(part) = shell.parts.iter().find(|part| writes_protected(rules, part)) {
        let kind = AccessKind::WriteProtected;
        let why = reason_from_mode(mode, kind, TableOutcome::Ask);
        return (TableOutcome::Ask, Why::from_reason(format!("{} (`{}`)", why.reason, part.part.text)));
    }
    if let Some(problem) = &shell.unparsed {
        return decide_unparsed(mode, rules, problem);
    }
    let computed = |part: &PartFacts| matches!(part.part.words.first(), Some(None));
    if mode == Mode::BypassPermissions && shell.parts.iter().any(computed) {
        return decide_unparsed(mode, rules, "a command name is computed");
    }
    if let Some(rule) = whole_line_rule(rules, shell) {
        return (TableOutcome::Run, Why::from_rule(rule));
    }
    let PieceReview { unanswered: open, rule, kind } = review_pieces(mode, rules, shell);
    match (open.first(), rule) {
        (Some((piece, kind)), _) => (TableOutcome::Ask, reason_for_piece(mode, *kind, piece)),
        (None, Some(rule)) => (TableOutcome::Run, Why::from_rule(rule)),
        (None, None) => (TableOutcome::Run, reason_from_mode(mode, kind, TableOutcome::Run)),
    }
}

fn reason_for_piece(mode: Mode, kind: AccessKind, piece: &CommandPiece<'_>) -> Why {
    let reason = reason_from_mode(mode, kind, TableOutcome::Ask).reason;
    let detail = match piece {
        CommandPiece::Command(part) => match &part.part.verdict {
            CommandVerdict::Writes(what) => format!("`{}` {what}", part.part.assigned_text()),
            CommandVerdict::ReadOnly | CommandVerdict::FileCommand | CommandVerdict::Unknown => {
                format!("`{}`", part.part.assigned_text())
            }
        },
        CommandPiece::Redirect(PathScope::Exact(target)) => format!("writes {}", target.given),
        CommandPiece::Redirect(PathScope::Below(_) | PathScope::Unknown) => {
            "writes to a path known only at run time".to_string()
        }
    };
    Why::from_reason(format!("{reason} ({detail})"))
}

/// Unparsable commands ask (PR-5). In bypassPermissions they run unless a deny or ask rule might apply.
fn decide_unparsed(mode: Mode, rules: &RuleSet, problem: &str) -> (TableOutcome, Why) {
    let is_shell =
        |rule: &Rule| rule.covers_tool("Bash", false, false) || rule.is_about_reads() || rule.is_about_writes();
    let strict = rules.with_behavior(RuleBehavior::Deny).chain(rules.with_behavior(RuleBehavior::Ask)).any(is_shell);
    if mode == Mode::BypassPermissions && !strict {
        return (TableOutcome::Run, reason_from_mode(mode, AccessKind::ShellOther, TableOutcome::Run));
    }
    (TableOutcome::Ask, Why::from_reason(format!("Can't tell what this runs: {problem}")))
}

pub(super) fn writes_protected(rules: &RuleSet, part: &PartFacts) -> bool {
    let named = |reach: &PathScope| match reach {
        PathScope::Exact(target) | PathScope::Below(target) => target.place == PathLocation::Protected,
        PathScope::Unknown => false,
    };
    part.writes.iter().chain(&part.redirects).any(|reach| scope_write_kind(rules, reach) == AccessKind::WriteProtected)
        || part.mentioned.iter().any(named)
}

/// An allow rule for exactly this command line, or for the whole tool.
fn whole_line_rule<'a>(rules: &'a RuleSet, shell: &ShellFacts) -> Option<&'a Rule> {
    rules.with_behavior(RuleBehavior::Allow).filter(|rule| rule.covers_tool("Bash", false, false)).find(|rule| {
        match &rule.spec {
            RuleSpec::All => true,
            RuleSpec::Command(pattern) => pattern.equals_line(&shell.command),
            RuleSpec::Path(_) | RuleSpec::Domain(_) | RuleSpec::Named(_) => false,
        }
    })
}

/// Pieces that still need an answer, and what allowed the rest.
pub(super) struct PieceReview<'a> {
    pub unanswered: Vec<(CommandPiece<'a>, AccessKind)>,
    rule: Option<&'a Rule>,
    /// Kind of the last piece that the mode allowed.
    kind: AccessKind,
}

pub(super) fn review_pieces<'a>(mode: Mode, rules: &'a RuleSet, shell: &'a ShellFacts) -> PieceReview<'a> {
    let mut pieces = PieceReview { unanswered: vec![], rule: None, kind: AccessKind::ShellReads };
    let moved = moved_links(shell);
    for (at, part) in shell.parts.iter().enumerate() {
        let moved: Vec<&PathBuf> = moved.iter().filter(|(by, _)| *by != at).map(|(_, path)| path).collect();
        let kind = command_kind(rules, part, &moved);
        pieces.review_piece(mode, CommandPiece::Command(part), kind, command_rule(rules, part, &moved));
        for reach in &part.redirects {
            let bent = passes_moved_link(reach, &moved);
            let kind = if bent { AccessKind::WriteOutside } else { scope_write_kind(rules, reach) };
            let rule = allow_rule_for_scope(rules, reach, Rule::is_about_writes).filter(|_| !bent);
            pieces.review_piece(mode, CommandPiece::Redirect(reach), kind, rule);
        }
    }
    pieces
}

/// Paths where a part may create a link, with that part's index. Paths through them may lead anywhere. Applies to
/// earlier parts too: in loops and in the background they may run later.
fn moved_links(shell: &ShellFacts) -> Vec<(usize, PathBuf)> {
    let makes_links = |part: &PartFacts| {
        matches!(part.part.program(), Some("mv" | "cp" | "ln" | "link"))
            && part.part.verdict != CommandVerdict::FileCommand
    };
    let parts = shell.parts.iter().enumerate().filter(|(_, part)| makes_links(part));
    parts.flat_map(|(at, part)| part.writes.iter().filter_map(PathScope::path).map(move |path| (at, path))).collect()
}

impl<'a> PieceReview<'a> {
    fn review_piece(&mut self, mode: Mode, piece: CommandPiece<'a>, kind: AccessKind, rule: Option<&'a Rule>) {
        match (kind.outcome(mode), rule) {
            (TableOutcome::Run, _) => self.kind = kind,
            (TableOutcome::Ask | TableOutcome::Deny, Some(rule)) => {
                self.rule.get_or_insert(rule);
            }
            (TableOutcome::Ask | TableOutcome::Deny, None) => self.unanswered.push((piece, kind)),
        }
    }
}

fn command_kind(rules: &RuleSet, part: &PartFacts, moved: &[&PathBuf]) -> AccessKind {
    let inside = |reach: &PathScope| {
        scope_write_kind(rules, reach) == AccessKind::WriteInside && !passes_moved_link(reach, moved)
    };
    let looks = may_read_inputs(rules, part, moved);
    match part.part.verdict {
        CommandVerdict::ReadOnly if looks => AccessKind::ShellReads,
        CommandVerdict::ReadOnly => AccessKind::ShellReadsOutside,
        CommandVerdict::FileCommand if looks && part.writes.iter().all(inside) => AccessKind::ShellFiles,
        CommandVerdict::FileCommand | CommandVerdict::Writes(_) | CommandVerdict::Unknown => AccessKind::ShellOther,
    }
}

/// The rule that allows the command itself: a command rule, or, for file commands, rules for all paths it writes.
fn command_rule<'a>(rules: &'a RuleSet, part: &PartFacts, moved: &[&PathBuf]) -> Option<&'a Rule> {
    let by_name = rules.with_behavior(RuleBehavior::Allow).find(|rule| match &rule.spec {
        RuleSpec::Command(pattern) => pattern.allows(&part.part),
        RuleSpec::All => rule.covers_tool("Bash", false, false),
        RuleSpec::Path(_) | RuleSpec::Domain(_) | RuleSpec::Named(_) => false,
    });
    by_name.or_else(|| match part.part.verdict {
        CommandVerdict::FileCommand => {
            let looks =
                may_read_inputs(rules, part, moved) && !part.writes.iter().any(|reach| passes_moved_link(reach, moved));
            let all: Option<Vec<&Rule>> =
                part.writes.iter().map(|reach| allow_rule_for_scope(rules, reach, Rule::is_about_writes)).collect();
            all.filter(|_| looks).and_then(|found| found.first().copied())
        }
        CommandVerdict::ReadOnly | CommandVerdict::Writes(_) | CommandVerdict::Unknown => None,
    })
}

/// True if the command may read all its inputs.
fn may_read_inputs(rules: &RuleSet, part: &PartFacts, moved: &[&PathBuf]) -> bool {
    let open = |reach: &PathScope| {
        may_read_unasked(rules, reach) || allow_rule_for_scope(rules, reach, Rule::is_about_reads).is_some()
    };
    part.reads.iter().all(|reach| open(reach) && !passes_moved_link(reach, moved))
}

/// True if the path may lead through a moved link. A glob may also match something new in its folder.
fn passes_moved_link(reach: &PathScope, moved: &[&PathBuf]) -> bool {
    let through = |path: &PathBuf, at: &PathBuf| {
        path.starts_with(at) || (matches!(reach, PathScope::Below(_)) && at.starts_with(path))
    };
    reach.path().is_some_and(|path| moved.iter().any(|at| through(&path, at)))
}
