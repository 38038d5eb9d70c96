//! A simulated workspace without files: `/w`, with home `/home/u`; paths are resolved by name only.
#![allow(dead_code, reason = "each test file uses its own part of this")]

use cutonce_core::mode::Mode;
use cutonce_core::permission::rules::{ConfigSource, RuleBehavior, RuleSet, WrittenRule};
use cutonce_core::permission::{Access, CallFacts, Decision, PathLocation, PathTarget, ShellFacts, decide};
use std::path::{Component, Path, PathBuf};

pub const ROOT: &str = "/w";
pub const HOME: &str = "/home/u";

pub fn target(given: &str) -> PathTarget {
    let joined = match given.strip_prefix("~") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => Path::new(HOME).join(rest.trim_start_matches('/')),
        _ => Path::new(ROOT).join(given),
    };
    let mut path = PathBuf::new();
    for component in joined.components() {
        match component {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => path.push(component),
        }
    }
    let protected = path.iter().any(|c| [".git", ".cutonce", ".bashrc"].iter().any(|name| c == *name));
    let place = match &path {
        _ if protected => PathLocation::Protected,
        path if path.starts_with(ROOT) => PathLocation::Workspace,
        path if path.starts_with("/own") => PathLocation::Own,
        _ => PathLocation::Outside,
    };
    PathTarget { given: given.to_string(), path, place }
}

pub fn bash(command: &str) -> CallFacts {
    CallFacts { tool: "Bash".into(), access: Access::Shell(ShellFacts::new(command, false, target)) }
}
pub fn read(path: &str) -> CallFacts {
    CallFacts { tool: "Read".into(), access: Access::Read(vec![target(path)]) }
}
pub fn write(path: &str) -> CallFacts {
    CallFacts { tool: "Write".into(), access: Access::Write(target(path)) }
}
pub fn fetch(host: &str) -> CallFacts {
    CallFacts { tool: "WebFetch".into(), access: Access::Fetch { url: format!("https://{host}/"), host: host.into() } }
}
pub fn inner(tool: &str) -> CallFacts {
    CallFacts { tool: tool.into(), access: Access::Internal }
}
pub fn agent(kind: &str) -> CallFacts {
    CallFacts { tool: "Agent".into(), access: Access::Agent { kind: kind.into() } }
}
pub fn mcp(tool: &str, read_only: bool) -> CallFacts {
    CallFacts { tool: tool.into(), access: Access::Mcp { read_only, plan: Default::default() } }
}
pub fn question() -> CallFacts {
    CallFacts { tool: "AskUserQuestion".into(), access: Access::Question }
}

pub fn written(behavior: RuleBehavior, text: &str, source: ConfigSource) -> WrittenRule {
    WrittenRule { behavior, text: text.into(), source, base: ROOT.into() }
}

pub fn rules_from(written: Vec<WrittenRule>) -> RuleSet {
    RuleSet::new(Some(Path::new(HOME)), Path::new(ROOT), written)
}

/// Builds rules such as `"deny Bash(rm:*)"` and `"allow Edit"`, from the user's settings.
pub fn rules(lines: &[&str]) -> RuleSet {
    let one = |line: &&str| {
        let Some((behavior, text)) = line.split_once(' ') else { panic!("not a behaviour and a rule: {line}") };
        let behavior = match behavior {
            "allow" => RuleBehavior::Allow,
            "ask" => RuleBehavior::Ask,
            "deny" => RuleBehavior::Deny,
            other => panic!("no behaviour {other}"),
        };
        written(behavior, text, ConfigSource::User)
    };
    let rules = rules_from(lines.iter().map(one).collect());
    assert!(rules.errors().is_empty(), "{:?}", rules.errors());
    rules
}

pub fn word(decision: &Decision) -> &'static str {
    match decision {
        Decision::Allow(_) => "run",
        Decision::Ask(_) => "ask",
        Decision::Deny(_) => "deny",
    }
}

pub fn outcome(mode: Mode, rules: &RuleSet, facts: CallFacts) -> &'static str {
    word(&decide(mode, rules, facts))
}

pub const MODES: [Mode; 5] = Mode::ALL;
