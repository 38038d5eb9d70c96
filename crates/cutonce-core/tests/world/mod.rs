//! A workspace on paper: `/w` in the home `/home/u`, resolved by name alone, for deciding without any file.
#![allow(dead_code, reason = "each test file uses its own part of this")]

use cutonce_core::mode::Mode;
use cutonce_core::permission::{Access, Decision, Facts, Place, ShellFacts, Target, decide};
use cutonce_core::rule::{Behavior, Rules, Source, Written};
use std::path::{Component, Path, PathBuf};

pub const ROOT: &str = "/w";
pub const HOME: &str = "/home/u";

pub fn target(given: &str) -> Target {
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
        _ if protected => Place::Protected,
        path if path.starts_with(ROOT) => Place::Workspace,
        path if path.starts_with("/own") => Place::Own,
        _ => Place::Outside,
    };
    Target { given: given.to_string(), path, place }
}

pub fn bash(command: &str) -> Facts {
    Facts { tool: "Bash".into(), access: Access::Shell(ShellFacts::new(command, false, target)) }
}
pub fn read(path: &str) -> Facts {
    Facts { tool: "Read".into(), access: Access::Read(vec![target(path)]) }
}
pub fn write(path: &str) -> Facts {
    Facts { tool: "Write".into(), access: Access::Write(target(path)) }
}
pub fn fetch(host: &str) -> Facts {
    Facts { tool: "WebFetch".into(), access: Access::Fetch { url: format!("https://{host}/"), host: host.into() } }
}
pub fn inner(tool: &str) -> Facts {
    Facts { tool: tool.into(), access: Access::Internal }
}
pub fn agent(kind: &str) -> Facts {
    Facts { tool: "Agent".into(), access: Access::Agent { kind: kind.into() } }
}
pub fn mcp(tool: &str, read_only: bool) -> Facts {
    Facts { tool: tool.into(), access: Access::Mcp { read_only, plan: Default::default() } }
}
pub fn question() -> Facts {
    Facts { tool: "AskUserQuestion".into(), access: Access::Question }
}

pub fn written(behavior: Behavior, text: &str, source: Source) -> Written {
    Written { behavior, text: text.into(), source, base: ROOT.into() }
}

pub fn rules_from(written: Vec<Written>) -> Rules {
    Rules::new(Some(Path::new(HOME)), Path::new(ROOT), written)
}

/// `"deny Bash(rm:*)"`, `"allow Edit"`, …, all from the user's own settings.
pub fn rules(lines: &[&str]) -> Rules {
    let one = |line: &&str| {
        let Some((behavior, text)) = line.split_once(' ') else { panic!("not a behaviour and a rule: {line}") };
        let behavior = match behavior {
            "allow" => Behavior::Allow,
            "ask" => Behavior::Ask,
            "deny" => Behavior::Deny,
            other => panic!("no behaviour {other}"),
        };
        written(behavior, text, Source::User)
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

pub fn outcome(mode: Mode, rules: &Rules, facts: Facts) -> &'static str {
    word(&decide(mode, rules, facts))
}

pub const MODES: [Mode; 5] = Mode::ALL;
