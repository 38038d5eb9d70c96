//! Reads a settings file safely, and adds rules to it.

use super::git_exclude::exclude_local_settings;
use super::{SettingsProblem, SettingsWarning, duplicate_keys};
use crate::storage::paths::{read_bounded_text, write_private};
use cutonce_core::permission::rules::RuleBehavior;
use cutonce_core::settings::check_settings;
use serde_json::{Value, json};
use std::io;
use std::path::Path;

/// Maximum size of a settings file.
const MAX_FILE_SIZE: u64 = 4 << 20;
/// Most problems of one file that are named; a repository may bring thousands.
const MAX_WARNINGS: usize = 10;
const FLAG: &str = "--settings";

/// The checked content; `None` if the file is missing or unusable.
pub(super) fn read_settings_file(path: &Path, warnings: &mut Vec<SettingsWarning>) -> Option<Value> {
    let name = path.display().to_string();
    match read_bounded_text(path, MAX_FILE_SIZE) {
        Ok(None) => None,
        Ok(Some(text)) => parse_settings(&text, &name, warnings),
        Err(error) => {
            warnings.push(SettingsWarning { file: name, what: SettingsProblem::Unreadable(error.to_string()) });
            None
        }
    }
}

/// The value of --settings (JSON, or the path of an existing file), and a name for messages.
pub(super) fn from_flag(flag: &str, cwd: &Path, warnings: &mut Vec<SettingsWarning>) -> (String, Option<Value>) {
    if flag.trim_start().starts_with('{') {
        let name = FLAG.to_string();
        let value = parse_settings(flag, &name, warnings);
        return (name, value);
    }
    let path = cwd.join(flag);
    let name = path.display().to_string();
    if !path.exists() {
        warnings.push(SettingsWarning { file: name.clone(), what: SettingsProblem::Unreadable("no such file".into()) });
        return (name, None);
    }
    let value = read_settings_file(&path, warnings);
    (name, value)
}

/// Why the value of --settings can't be used (CL-2). The user typed it, so nothing may start without its rules.
pub fn flag_error(flag: &str, cwd: &Path) -> Option<String> {
    let mut warnings = Vec::new();
    let (name, _) = from_flag(flag, cwd, &mut warnings);
    let why = warnings.into_iter().find_map(|warning| match warning.what {
        SettingsProblem::Broken { line, column, why } => Some(format!("line {line}, column {column}: not JSON: {why}")),
        SettingsProblem::Unreadable(why) => Some(format!("can't be read: {why}")),
        SettingsProblem::Setting(problem) => problem.whole_file_reason().map(str::to_string),
        SettingsProblem::More(_)
        | SettingsProblem::DuplicateKey { .. }
        | SettingsProblem::UserOnly { .. }
        | SettingsProblem::Looser { .. } => None,
    })?;
    let name = if name == FLAG { name } else { format!("{FLAG} {name}") };
    Some(format!("{name}: {why}; pass a JSON file or JSON text: {FLAG} '{{…}}'"))
}

/// Adds a rule to a settings file and keeps everything else (PR-7). An unreadable file is not overwritten.
pub(crate) fn add_rule(path: &Path, behavior: RuleBehavior, rule: &str) -> io::Result<()> {
    change_rules(path, behavior, |rules| {
        let new = !rules.iter().any(|known| known == rule);
        if new {
            rules.push(rule.into());
        }
        new
    })
    .map(drop)
}

/// Removes a rule from a settings file; returns false if it isn't there.
pub fn remove_rule(path: &Path, behavior: RuleBehavior, rule: &str) -> io::Result<bool> {
    change_rules(path, behavior, |rules| {
        let before = rules.len();
        rules.retain(|known| known != rule);
        before != rules.len()
    })
}

/// Writes the file only if `work` changed something; returns whether it did.
fn change_rules(path: &Path, behavior: RuleBehavior, work: impl FnOnce(&mut Vec<Value>) -> bool) -> io::Result<bool> {
    let key = match behavior {
        RuleBehavior::Allow => "allow",
        RuleBehavior::Ask => "ask",
        RuleBehavior::Deny => "deny",
    };
    change_settings(path, |object| {
        let permissions = object.entry("permissions").or_insert_with(|| json!({}));
        let permissions = permissions.as_object_mut().ok_or("`permissions` is not an object")?;
        let rules = permissions.entry(key).or_insert_with(|| json!([]));
        Ok(work(rules.as_array_mut().ok_or_else(|| format!("`permissions.{key}` is not a list"))?))
    })
}

/// Stores the model of new sessions in the user's settings (ON-3).
pub fn store_main_model(home: &Path, model: &str) -> io::Result<()> {
    let set = |object: &mut serde_json::Map<String, Value>| {
        let models = object.entry("model").or_insert_with(|| json!({}));
        let models = models.as_object_mut().ok_or("`model` is not an object")?;
        models.insert("main".into(), model.into());
        Ok(true)
    };
    change_settings(&home.join("settings.json"), set).map(drop)
}

/// Changes a settings file and keeps everything else. An unreadable file is not overwritten.
pub(crate) fn change_settings(
    path: &Path,
    work: impl FnOnce(&mut serde_json::Map<String, Value>) -> Result<bool, String>,
) -> io::Result<bool> {
    let bad = |why: String| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {why}", path.display()));
    if path.parent().is_some_and(Path::is_symlink) || path.is_symlink() {
        return Err(bad("is a symlink; it was not changed".into()));
    }
    let text = read_bounded_text(path, MAX_FILE_SIZE)?.unwrap_or_default();
    let mut value: Value = match text.trim_start_matches('\u{feff}').trim() {
        "" => json!({}),
        text => serde_json::from_str(text).map_err(|error| bad(format!("{error}; repair it first")))?,
    };
    let object = value.as_object_mut().ok_or_else(|| bad("is not a JSON object".into()))?;
    if !work(object).map_err(bad)? {
        return Ok(false);
    }
    let mode = std::fs::metadata(path).ok().map(|about| about.permissions());
    write_private(path, (serde_json::to_string_pretty(&value)? + "\n").as_bytes())?;
    mode.map_or(Ok(()), |mode| std::fs::set_permissions(path, mode))?;
    exclude_local_settings(path);
    Ok(true)
}

pub(super) fn parse_settings(text: &str, name: &str, warnings: &mut Vec<SettingsWarning>) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return None;
    }
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            let why = error.to_string();
            let why = why.split(" at line ").next().unwrap_or_default().to_string();
            let what = SettingsProblem::Broken { line: error.line(), column: error.column(), why };
            warnings.push(SettingsWarning { file: name.into(), what });
            return None;
        }
    };
    let mut found = Vec::new();
    let warning = |what: SettingsProblem| SettingsWarning { file: name.into(), what };
    let twice = duplicate_keys::duplicate_keys(text).into_iter().map(|path| SettingsProblem::DuplicateKey { path });
    found.extend(twice.map(warning));
    let (value, problems) = check_settings(value);
    found.extend(problems.into_iter().map(SettingsProblem::Setting).map(warning));
    // Those about rules come first, because the user must notice them.
    found.sort_by_key(|problem| !problem.is_loud());
    let more = found.len().saturating_sub(MAX_WARNINGS);
    found.truncate(MAX_WARNINGS);
    warnings.append(&mut found);
    warnings.extend((more > 0).then(|| warning(SettingsProblem::More(more))));
    Some(value)
}
