//! One settings file: reading it without trusting it, and adding a rule to it.

use super::{Warning, Wrong, twice};
use crate::store::place::write_private;
use cutonce_core::rule::Behavior;
use cutonce_core::settings::check;
use serde_json::{Value, json};
use std::io::{self, Read};
use std::path::Path;

/// No settings file is longer.
const LONGEST: u64 = 4 << 20;
const FLAG: &str = "--settings";

/// The checked content; `None` where there is no file or nothing of it counts.
pub(super) fn read(path: &Path, warnings: &mut Vec<Warning>) -> Option<Value> {
    let name = path.display().to_string();
    match text(path) {
        Ok(None) => None,
        Ok(Some(text)) => parse(&text, &name, warnings),
        Err(error) => {
            warnings.push(Warning { file: name, what: Wrong::Unreadable(error.to_string()) });
            None
        }
    }
}

/// The value of --settings: JSON, or the path of a file that must exist. With it, the name to use in messages.
pub(super) fn from_flag(flag: &str, cwd: &Path, warnings: &mut Vec<Warning>) -> (String, Option<Value>) {
    if flag.trim_start().starts_with('{') {
        let name = FLAG.to_string();
        let value = parse(flag, &name, warnings);
        return (name, value);
    }
    let path = cwd.join(flag);
    let name = path.display().to_string();
    if !path.exists() {
        warnings.push(Warning { file: name.clone(), what: Wrong::Unreadable("there is no such file".into()) });
        return (name, None);
    }
    let value = read(&path, warnings);
    (name, value)
}

/// Why the value of --settings can't be used at all (CL-2). The person typed it: nothing may start without the rules in it.
pub fn unusable(flag: &str, cwd: &Path) -> Option<String> {
    let mut warnings = Vec::new();
    let (name, _) = from_flag(flag, cwd, &mut warnings);
    let why = warnings.into_iter().find_map(|warning| match warning.what {
        Wrong::Broken { line, column, why } => Some(format!("line {line}, column {column}: not JSON: {why}")),
        Wrong::Unreadable(why) => Some(format!("it can't be read: {why}")),
        Wrong::Setting(problem) if problem.is_no_object() => Some("it holds no JSON object".into()),
        Wrong::Setting(_) | Wrong::Twice { .. } | Wrong::NotHere { .. } | Wrong::Looser { .. } => None,
    })?;
    let name = if name == FLAG { name } else { format!("{FLAG} {name}") };
    Some(format!("{name}: {why}; give a file that holds JSON, or the JSON itself: {FLAG} '{{…}}'"))
}

/// Add a rule to a settings file, keeping all else in it as it is (PR-7). A file that can't be read is not overwritten.
pub fn remember(path: &Path, behavior: Behavior, rule: &str) -> io::Result<()> {
    change_rules(path, behavior, |rules| {
        let new = !rules.iter().any(|known| known == rule);
        if new {
            rules.push(rule.into());
        }
        new
    })
    .map(drop)
}

/// Take a rule out of a settings file, keeping all else; false if it is not there.
pub fn forget(path: &Path, behavior: Behavior, rule: &str) -> io::Result<bool> {
    change_rules(path, behavior, |rules| {
        let before = rules.len();
        rules.retain(|known| known != rule);
        before != rules.len()
    })
}

/// True if `work` changed something; nothing is written otherwise.
fn change_rules(path: &Path, behavior: Behavior, work: impl FnOnce(&mut Vec<Value>) -> bool) -> io::Result<bool> {
    let bad = |why: String| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {why}", path.display()));
    if path.parent().is_some_and(Path::is_symlink) || path.is_symlink() {
        return Err(bad("is a symlink; the rules in it were not changed".into()));
    }
    let text = text(path)?.unwrap_or_default();
    let mut value: Value = match text.trim() {
        "" => json!({}),
        text => serde_json::from_str(text).map_err(|error| bad(format!("{error}; repair it first")))?,
    };
    let key = match behavior {
        Behavior::Allow => "allow",
        Behavior::Ask => "ask",
        Behavior::Deny => "deny",
    };
    let object = value.as_object_mut().ok_or_else(|| bad("is no JSON object".into()))?;
    let permissions = object.entry("permissions").or_insert_with(|| json!({}));
    let permissions = permissions.as_object_mut().ok_or_else(|| bad("`permissions` is no object".into()))?;
    let rules = permissions.entry(key).or_insert_with(|| json!([]));
    let rules = rules.as_array_mut().ok_or_else(|| bad(format!("`permissions.{key}` is no list")))?;
    if !work(rules) {
        return Ok(false);
    }
    let mode = std::fs::metadata(path).ok().map(|about| about.permissions());
    write_private(path, (serde_json::to_string_pretty(&value)? + "\n").as_bytes())?;
    mode.map_or(Ok(()), |mode| std::fs::set_permissions(path, mode))?;
    Ok(true)
}

pub(super) fn parse(text: &str, name: &str, warnings: &mut Vec<Warning>) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return None;
    }
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            let why = error.to_string();
            let why = why.split(" at line ").next().unwrap_or_default().to_string();
            let what = Wrong::Broken { line: error.line(), column: error.column(), why };
            warnings.push(Warning { file: name.into(), what });
            return None;
        }
    };
    let twice = twice::keys(text).into_iter().map(|path| Wrong::Twice { path });
    warnings.extend(twice.map(|what| Warning { file: name.into(), what }));
    let (value, problems) = check(value);
    warnings.extend(problems.into_iter().map(|problem| Warning { file: name.into(), what: Wrong::Setting(problem) }));
    Some(value)
}

fn text(path: &Path) -> io::Result<Option<String>> {
    let about = match std::fs::metadata(path) {
        Ok(about) => about,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    // A fifo or device in somebody's repository must not make us wait.
    if !about.is_file() {
        return Err(io::Error::other("not a file"));
    }
    if about.len() > LONGEST {
        return Err(io::Error::other(format!("longer than {LONGEST} bytes")));
    }
    let mut text = String::new();
    std::fs::File::open(path)?.take(LONGEST).read_to_string(&mut text)?;
    Ok(Some(text))
}
