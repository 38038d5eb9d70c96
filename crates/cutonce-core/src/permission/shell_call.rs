//! A command line, piece by piece (PR-5): each command and each redirection needs its own yes.

use super::decide::by_mode;
use super::paths::{allowed, may_look, reach_kind};
use super::table::{Kind, Outcome};
use super::{PartFacts, Place, Reach, ShellFacts, Why};
use crate::mode::Mode;
use crate::rule::{Behavior, Rule, Rules, Spec};
use crate::shell::Verdict;
use std::path::PathBuf;

/// A piece of a command line that nothing allows yet.
pub(super) enum Piece<'a> {
    Command(&'a PartFacts),
    Redirect(&'a Reach),
}

/// The whole command: it runs if every piece may; else the first that may not says why.
pub(super) fn judge(mode: Mode, rules: &Rules, shell: &ShellFacts) -> (Outcome, Why) {
    if let Some(part) = shell.parts.iter().find(|part| writes_protected(rules, part)) {
        let kind = Kind::WriteProtected;
        let why = by_mode(mode, kind, Outcome::Ask);
        return (Outcome::Ask, Why::of(format!("{} (`{}`)", why.reason, part.part.text)));
    }
    if let Some(problem) = &shell.unparsed {
        return unparsed(mode, rules, problem);
    }
    let computed = |part: &PartFacts| matches!(part.part.words.first(), Some(None));
    if mode == Mode::BypassPermissions && shell.parts.iter().any(computed) {
        return unparsed(mode, rules, "the name of a command is computed");
    }
    if let Some(rule) = whole_line(rules, shell) {
        return (Outcome::Run, Why::by_rule(rule));
    }
    let Pieces { open, rule, kind } = pieces(mode, rules, shell);
    match (open.first(), rule) {
        (Some((piece, kind)), _) => (Outcome::Ask, asks(mode, *kind, piece)),
        (None, Some(rule)) => (Outcome::Run, Why::by_rule(rule)),
        (None, None) => (Outcome::Run, by_mode(mode, kind, Outcome::Run)),
    }
}

fn asks(mode: Mode, kind: Kind, piece: &Piece<'_>) -> Why {
    let reason = by_mode(mode, kind, Outcome::Ask).reason;
    let detail = match piece {
        Piece::Command(part) => match &part.part.verdict {
            Verdict::Writes(what) => format!("`{}`, which {what}", part.part.assigned_text()),
            Verdict::ReadOnly | Verdict::FileCommand | Verdict::Unknown => format!("`{}`", part.part.assigned_text()),
        },
        Piece::Redirect(Reach::Exact(target)) => format!("it writes {}", target.given),
        Piece::Redirect(Reach::Below(_) | Reach::Unknown) => "it writes to a path that is not spelled out".to_string(),
    };
    Why::of(format!("{reason} ({detail})"))
}

/// What could not be taken apart asks (PR-5). In bypassPermissions it runs, unless a rule might have had a word in it.
fn unparsed(mode: Mode, rules: &Rules, problem: &str) -> (Outcome, Why) {
    let is_shell = |rule: &Rule| rule.names("Bash", false, false) || rule.is_about_reads() || rule.is_about_writes();
    let strict = rules.with(Behavior::Deny).chain(rules.with(Behavior::Ask)).any(is_shell);
    match mode {
        Mode::BypassPermissions if !strict => (Outcome::Run, by_mode(mode, Kind::ShellOther, Outcome::Run)),
        Mode::BypassPermissions | Mode::Default | Mode::AcceptEdits | Mode::Plan | Mode::Auto => {
            (Outcome::Ask, Why::of(format!("the command could not be taken apart: {problem}")))
        }
    }
}

pub(super) fn writes_protected(rules: &Rules, part: &PartFacts) -> bool {
    let named = |reach: &Reach| match reach {
        Reach::Exact(target) | Reach::Below(target) => target.place == Place::Protected,
        Reach::Unknown => false,
    };
    part.writes.iter().chain(&part.redirects).any(|reach| reach_kind(rules, reach) == Kind::WriteProtected)
        || part.named.iter().any(named)
}

/// A rule that spells out this very command line, or the tool as a whole.
fn whole_line<'a>(rules: &'a Rules, shell: &ShellFacts) -> Option<&'a Rule> {
    rules.with(Behavior::Allow).filter(|rule| rule.names("Bash", false, false)).find(|rule| match &rule.spec {
        Spec::All => true,
        Spec::Command(pattern) => pattern.is_line(&shell.command),
        Spec::Path(_) | Spec::Domain(_) | Spec::Named(_) => false,
    })
}

/// What is left open, and what spoke for the rest.
pub(super) struct Pieces<'a> {
    pub open: Vec<(Piece<'a>, Kind)>,
    rule: Option<&'a Rule>,
    /// Of the last piece that the mode let through.
    kind: Kind,
}

pub(super) fn pieces<'a>(mode: Mode, rules: &'a Rules, shell: &'a ShellFacts) -> Pieces<'a> {
    let mut pieces = Pieces { open: vec![], rule: None, kind: Kind::ShellReads };
    let moved = links_moved(shell);
    for (at, part) in shell.parts.iter().enumerate() {
        let moved: Vec<&PathBuf> = moved.iter().filter(|(by, _)| *by != at).map(|(_, path)| path).collect();
        let kind = command_kind(rules, part, &moved);
        pieces.take(mode, Piece::Command(part), kind, command_rule(rules, part, &moved));
        for reach in &part.redirects {
            let bent = leads_through(reach, &moved);
            let kind = if bent { Kind::WriteOutside } else { reach_kind(rules, reach) };
            let rule = allowed(rules, reach, Rule::is_about_writes).filter(|_| !bent);
            pieces.take(mode, Piece::Redirect(reach), kind, rule);
        }
    }
    pieces
}

/// Where parts put something that may be a link, and which part does: what goes through there may lead anywhere. Not only
/// for the parts behind it: in loops and in the background these may run before.
fn links_moved(shell: &ShellFacts) -> Vec<(usize, PathBuf)> {
    let makes_links = |part: &PartFacts| {
        matches!(part.part.program(), Some("mv" | "cp" | "ln" | "link")) && part.part.verdict != Verdict::FileCommand
    };
    let parts = shell.parts.iter().enumerate().filter(|(_, part)| makes_links(part));
    parts.flat_map(|(at, part)| part.writes.iter().filter_map(Reach::path).map(move |path| (at, path))).collect()
}

impl<'a> Pieces<'a> {
    fn take(&mut self, mode: Mode, piece: Piece<'a>, kind: Kind, rule: Option<&'a Rule>) {
        match (kind.outcome(mode), rule) {
            (Outcome::Run, _) => self.kind = kind,
            (Outcome::Ask | Outcome::Deny, Some(rule)) => {
                self.rule.get_or_insert(rule);
            }
            (Outcome::Ask | Outcome::Deny, None) => self.open.push((piece, kind)),
        }
    }
}

fn command_kind(rules: &Rules, part: &PartFacts, moved: &[&PathBuf]) -> Kind {
    let inside = |reach: &Reach| reach_kind(rules, reach) == Kind::WriteInside && !leads_through(reach, moved);
    let looks = looks(rules, part, moved);
    match part.part.verdict {
        Verdict::ReadOnly if looks => Kind::ShellReads,
        Verdict::ReadOnly => Kind::ShellReadsOutside,
        Verdict::FileCommand if looks && part.writes.iter().all(inside) => Kind::ShellFiles,
        Verdict::FileCommand | Verdict::Writes(_) | Verdict::Unknown => Kind::ShellOther,
    }
}

/// The rule that allows the command itself: a command rule, or for plain file commands rules for all it writes.
fn command_rule<'a>(rules: &'a Rules, part: &PartFacts, moved: &[&PathBuf]) -> Option<&'a Rule> {
    let by_name = rules.with(Behavior::Allow).find(|rule| match &rule.spec {
        Spec::Command(pattern) => pattern.allows(&part.part),
        Spec::All => rule.names("Bash", false, false),
        Spec::Path(_) | Spec::Domain(_) | Spec::Named(_) => false,
    });
    by_name.or_else(|| match part.part.verdict {
        Verdict::FileCommand => {
            let looks = looks(rules, part, moved) && !part.writes.iter().any(|reach| leads_through(reach, moved));
            let all: Option<Vec<&Rule>> =
                part.writes.iter().map(|reach| allowed(rules, reach, Rule::is_about_writes)).collect();
            all.filter(|_| looks).and_then(|found| found.first().copied())
        }
        Verdict::ReadOnly | Verdict::Writes(_) | Verdict::Unknown => None,
    })
}

/// Is all that it reads open to it?
fn looks(rules: &Rules, part: &PartFacts, moved: &[&PathBuf]) -> bool {
    let open = |reach: &Reach| may_look(rules, reach) || allowed(rules, reach, Rule::is_about_reads).is_some();
    part.reads.iter().all(|reach| open(reach) && !leads_through(reach, moved))
}

/// A glob of a folder may find what is put there.
fn leads_through(reach: &Reach, moved: &[&PathBuf]) -> bool {
    let through = |path: &PathBuf, at: &PathBuf| {
        path.starts_with(at) || (matches!(reach, Reach::Below(_)) && at.starts_with(path))
    };
    reach.path().is_some_and(|path| moved.iter().any(|at| through(&path, at)))
}
