//! Which kind of read or write a path amounts to, and which rules speak about it.

use super::{Kind, Place, Reach, Target};
use crate::rule::{Behavior, Rule, Rules, Spec};
use std::path::Path;

/// The system's own files, which everybody may read: nothing of the user's is in there.
const SYSTEM: &[&str] = &[
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

pub(super) fn read_kind(rules: &Rules, target: &Target) -> Kind {
    match target.place {
        Place::Workspace | Place::Own | Place::PlanFile => Kind::ReadInside,
        // `.git/HEAD` is protected from writing, not from reading.
        Place::Protected if target.path.starts_with(rules.cwd()) => Kind::ReadInside,
        Place::Protected | Place::Outside => Kind::ReadOutside,
    }
}

pub(super) fn write_kind(target: &Target) -> Kind {
    match target.place {
        Place::Workspace => Kind::WriteInside,
        Place::PlanFile => Kind::WritePlan,
        Place::Protected => Kind::WriteProtected,
        Place::Outside | Place::Own => Kind::WriteOutside,
    }
}

/// Where a word of a command writes. A whole folder that holds the project, or the home, holds protected places.
pub(super) fn reach_kind(rules: &Rules, reach: &Reach) -> Kind {
    match reach {
        Reach::Exact(target) => write_kind(target),
        Reach::Below(target) => {
            let holds = |folder: &Path| folder.starts_with(&target.path);
            let protected = target.place == Place::Protected || holds(rules.cwd()) || rules.home().is_some_and(holds);
            if protected { Kind::WriteProtected } else { Kind::WriteOutside }
        }
        Reach::Unknown => Kind::WriteOutside,
    }
}

/// May a command that only reads look there without asking?
pub(super) fn may_look(rules: &Rules, reach: &Reach) -> bool {
    match reach {
        Reach::Exact(target) => is_open(rules, target),
        Reach::Below(target) => is_open(rules, target) && !may_meet_deny(rules, target),
        Reach::Unknown => false,
    }
}

fn is_open(rules: &Rules, target: &Target) -> bool {
    read_kind(rules, target) == Kind::ReadInside || is_system(&target.path)
}

/// A path that could not be resolved still has its `..`, and descriptors are files of nobody's only by their numbers.
fn is_system(path: &Path) -> bool {
    let is_number = |name: &std::ffi::OsStr| name.to_str().is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    match path.strip_prefix("/dev/fd") {
        Ok(name) => is_number(name.as_os_str()),
        Err(_) => {
            !path.components().any(|part| part == std::path::Component::ParentDir)
                && SYSTEM.iter().any(|folder| path.starts_with(folder))
        }
    }
}

/// Is something in this folder denied or asked for? Then a search through it must not run by itself.
fn may_meet_deny(rules: &Rules, folder: &Target) -> bool {
    let speaks = |rule: &Rule| match &rule.spec {
        Spec::All => true,
        Spec::Path(pattern) => pattern.may_match_below(&folder.path),
        Spec::Command(_) | Spec::Domain(_) | Spec::Named(_) => false,
    };
    let mut strict = rules.with(Behavior::Deny).chain(rules.with(Behavior::Ask));
    strict.any(|rule| rule.is_about_reads() && speaks(rule))
}

/// Does a deny or ask rule speak about this target? The name it was called by counts as well as where it leads.
pub(super) fn hits(rules: &Rules, rule: &Rule, target: &Target) -> bool {
    let named = crate::rule::lexical(&target.given, rules.home(), rules.cwd());
    rule.matches_path(&target.path) || named.is_some_and(|path| rule.matches_path(&path))
}

/// The same for a word of a command.
pub(super) fn hits_reach(rules: &Rules, rule: &Rule, reach: &Reach) -> bool {
    match reach {
        Reach::Exact(target) => hits(rules, rule, target),
        Reach::Below(target) => match &rule.spec {
            Spec::All => true,
            Spec::Path(pattern) => pattern.matches(&target.path) || pattern.covers_below(&target.path),
            Spec::Command(_) | Spec::Domain(_) | Spec::Named(_) => false,
        },
        Reach::Unknown => matches!(rule.spec, Spec::All),
    }
}

/// The allow rule of this family that covers the target: where it leads counts, not what it is called.
pub(super) fn allowed<'a>(rules: &'a Rules, reach: &Reach, about: fn(&Rule) -> bool) -> Option<&'a Rule> {
    let covers = |rule: &&Rule| match (reach, &rule.spec) {
        (_, Spec::All) => true,
        (Reach::Exact(target), Spec::Path(pattern)) => pattern.matches(&target.path),
        (Reach::Below(target), Spec::Path(pattern)) => pattern.covers_below(&target.path),
        (Reach::Unknown, Spec::Path(_)) | (_, Spec::Command(_) | Spec::Domain(_) | Spec::Named(_)) => false,
    };
    rules.with(Behavior::Allow).filter(|rule| about(rule)).find(covers)
}
