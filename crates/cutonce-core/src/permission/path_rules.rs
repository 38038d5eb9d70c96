//! Classifies reads and writes of a path, and finds the rules that match it.

use super::rules::{Rule, RuleBehavior, RuleSet, RuleSpec};
use super::{AccessKind, PathLocation, PathScope, PathTarget};
use std::path::Path;

/// System files that every user may read; they contain no user data.
const SYSTEM_PATHS: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/nix/store",
    "/opt/homebrew",
    "/System",
    "/Library/Developer",
    "/sys",
    "/etc/os-release",
    "/etc/lsb-release",
    "/etc/debian_version",
    "/etc/alpine-release",
    "/etc/issue",
    "/etc/shells",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/version",
    "/proc/loadavg",
    "/proc/uptime",
    "/proc/stat",
    "/proc/filesystems",
    "/dev/null",
    "/dev/zero",
    "/dev/stdin",
    "/dev/urandom",
    "/dev/random",
];

pub(super) fn read_kind(rules: &RuleSet, target: &PathTarget) -> AccessKind {
    AccessKind::of_read(target.place, target.path.starts_with(rules.cwd()))
}

/// Kind of a command's write. A folder that contains the project or the home folder contains protected paths.
pub(super) fn scope_write_kind(rules: &RuleSet, reach: &PathScope) -> AccessKind {
    match reach {
        PathScope::Exact(target) => AccessKind::of_write(target.place),
        PathScope::Below(target) => {
            let holds = |folder: &Path| folder.starts_with(&target.path);
            let protected =
                target.place == PathLocation::Protected || holds(rules.cwd()) || rules.home().is_some_and(holds);
            if protected { AccessKind::WriteProtected } else { AccessKind::WriteOutside }
        }
        PathScope::Unknown => AccessKind::WriteOutside,
    }
}

/// True if a read-only command may read there without asking.
pub(super) fn may_read_unasked(rules: &RuleSet, reach: &PathScope) -> bool {
    match reach {
        PathScope::Exact(target) => is_readable_unasked(rules, target),
        PathScope::Below(target) => is_readable_unasked(rules, target) && !may_contain_denied(rules, target),
        PathScope::Unknown => false,
    }
}

fn is_readable_unasked(rules: &RuleSet, target: &PathTarget) -> bool {
    read_kind(rules, target) == AccessKind::ReadInside || is_system(&target.path)
}

/// An unresolved path still contains `..`. Under `/dev/fd` only numeric names are safe.
fn is_system(path: &Path) -> bool {
    let is_number = |name: &std::ffi::OsStr| name.to_str().is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    match path.strip_prefix("/dev/fd") {
        Ok(name) => is_number(name.as_os_str()),
        Err(_) => {
            !path.components().any(|part| part == std::path::Component::ParentDir)
                && SYSTEM_PATHS.iter().any(|folder| path.starts_with(folder))
        }
    }
}

/// True if a deny or ask rule may match inside this folder; then a search through it must ask.
fn may_contain_denied(rules: &RuleSet, folder: &PathTarget) -> bool {
    let speaks = |rule: &Rule| match &rule.spec {
        RuleSpec::All => true,
        RuleSpec::Path(pattern) => pattern.may_match_below(&folder.path),
        RuleSpec::Command(_) | RuleSpec::Domain(_) | RuleSpec::Named(_) => false,
    };
    let mut strict = rules.with_behavior(RuleBehavior::Deny).chain(rules.with_behavior(RuleBehavior::Ask));
    strict.any(|rule| rule.is_about_reads() && speaks(rule))
}

/// True if a deny or ask rule matches this target, by the name given or by the resolved path.
pub(super) fn rule_matches_target(rules: &RuleSet, rule: &Rule, target: &PathTarget) -> bool {
    let named = crate::permission::rules::normalize_lexically(&target.given, rules.home(), rules.cwd());
    rule.matches_path(&target.path) || named.is_some_and(|path| rule.matches_path(&path))
}

/// Like `hits`, for a path argument of a command.
pub(super) fn rule_matches_scope(rules: &RuleSet, rule: &Rule, reach: &PathScope) -> bool {
    match reach {
        PathScope::Exact(target) => rule_matches_target(rules, rule, target),
        PathScope::Below(target) => match &rule.spec {
            RuleSpec::All => true,
            RuleSpec::Path(pattern) => pattern.matches(&target.path) || pattern.covers_below(&target.path),
            RuleSpec::Command(_) | RuleSpec::Domain(_) | RuleSpec::Named(_) => false,
        },
        PathScope::Unknown => matches!(rule.spec, RuleSpec::All),
    }
}

/// The allow rule of this family that covers the target. Only the resolved path matters, not the name given.
pub(super) fn allow_rule_for_scope<'a>(
    rules: &'a RuleSet,
    reach: &PathScope,
    about: fn(&Rule) -> bool,
) -> Option<&'a Rule> {
    let covers = |rule: &&Rule| match (reach, &rule.spec) {
        (_, RuleSpec::All) => true,
        (PathScope::Exact(target), RuleSpec::Path(pattern)) => pattern.matches(&target.path),
        (PathScope::Below(target), RuleSpec::Path(pattern)) => pattern.covers_below(&target.path),
        (PathScope::Unknown, RuleSpec::Path(_))
        | (_, RuleSpec::Command(_) | RuleSpec::Domain(_) | RuleSpec::Named(_)) => false,
    };
    rules.with_behavior(RuleBehavior::Allow).filter(|rule| about(rule)).find(covers)
}
