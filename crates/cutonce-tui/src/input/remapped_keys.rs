//! Keys that the user's settings give another action (DU-7). They are checked once at the start; a terminal has one
//! keymap, so it is kept in one place for the composer, text fields and views.

use super::keymap::{KEY_BINDINGS, KeyAction};
use cutonce_core::sync::RwLockUnpoisoned;
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

/// Key name to action; `None`: the key does nothing.
pub type RemappedKeys = BTreeMap<String, Option<KeyAction>>;

static CURRENT: RwLock<Option<Arc<RemappedKeys>>> = RwLock::new(None);

/// Actions that must keep a key: without them the user can't send, stop or leave.
const NEEDED: [KeyAction; 3] = [KeyAction::Send, KeyAction::Escape, KeyAction::Quit];

pub fn current() -> Arc<RemappedKeys> {
    CURRENT.read_unpoisoned().clone().unwrap_or_default()
}

/// Uses the keys of the settings from now on. Returns one line if some of them can't be used.
pub fn use_settings(keys: &BTreeMap<String, String>) -> Option<String> {
    let (remapped, problems) = parse(keys);
    *CURRENT.write_unpoisoned() = Some(Arc::new(remapped));
    (!problems.is_empty()).then(|| format!("`keys` in the settings: {}. Fix it with /config.", problems.join("; ")))
}

/// Reads the setting: usable keys, and what is wrong with the others.
fn parse(keys: &BTreeMap<String, String>) -> (RemappedKeys, Vec<String>) {
    let (mut remapped, mut problems) = (RemappedKeys::new(), Vec::new());
    for (given, action) in keys {
        let shown = crate::render::text::one_line(given);
        let Some(key) = canonical_key(given) else {
            problems.push(format!("`{shown}` is not a key with ctrl or alt, or a named key such as f5"));
            continue;
        };
        let to = match action.as_str() {
            "none" => None,
            name => match action_named(name) {
                Some(action) => Some(action),
                None => {
                    problems.push(format!("`{shown}`: unknown action `{}`", crate::render::text::one_line(name)));
                    continue;
                }
            },
        };
        if remapped.contains_key(&key) {
            problems.push(format!("`{shown}` conflicts with another spelling of {key}; the first one is used"));
            continue;
        }
        remapped.insert(key, to);
    }
    for action in NEEDED {
        if !has_key(&remapped, action) {
            problems.push(format!("no key would be left for {}, so none of them is used", action_name(action)));
            remapped.clear();
        }
    }
    (remapped, problems)
}

fn has_key(remapped: &RemappedKeys, action: KeyAction) -> bool {
    let mut built_in =
        KEY_BINDINGS.iter().filter(|(_, known, _)| *known == action).flat_map(|(names, ..)| names.iter());
    remapped.values().any(|to| *to == Some(action)) || built_in.any(|name| !remapped.contains_key(*name))
}

/// The name of an action in the settings: `cycleMode`.
pub fn action_name(action: KeyAction) -> String {
    let name = format!("{action:?}");
    name[..1].to_lowercase() + &name[1..]
}

fn action_named(name: &str) -> Option<KeyAction> {
    KEY_BINDINGS.iter().map(|(_, action, _)| *action).find(|action| action_name(*action) == name)
}

/// The key as the program names it, such as `ctrl+alt+x`. `None` for anything that types a character.
fn canonical_key(given: &str) -> Option<String> {
    let mut parts: Vec<String> = given.split('+').map(|part| part.trim().to_lowercase()).collect();
    let code = parts.pop().filter(|code| !code.is_empty())?;
    let code = match code.as_str() {
        "escape" => "esc",
        "return" => "enter",
        "delete" => "del",
        "pageup" => "pgup",
        "pagedown" => "pgdn",
        code => code,
    };
    let mut modifiers = [false; 3];
    for part in &parts {
        let at = match part.as_str() {
            "ctrl" | "control" => 0,
            "alt" | "option" | "meta" => 1,
            "shift" => 2,
            _ => return None,
        };
        modifiers[at] = true;
    }
    const NAMED: [&str; 15] = [
        "space",
        "enter",
        "esc",
        "tab",
        "backspace",
        "del",
        "ins",
        "home",
        "end",
        "pgup",
        "pgdn",
        "up",
        "down",
        "left",
        "right",
    ];
    let function = code.strip_prefix('f').and_then(|n| n.parse::<u8>().ok()).is_some_and(|n| (1..=24).contains(&n));
    let named = NAMED.contains(&code) || function;
    let letter = code.chars().count() == 1 && (modifiers[0] || modifiers[1]);
    let types = code == "space" && !modifiers[0] && !modifiers[1];
    if types || !(named || letter) {
        return None;
    }
    let words = ["ctrl+", "alt+", "shift+"].iter().zip(modifiers).filter(|(_, on)| *on).map(|(word, _)| *word);
    let key = words.collect::<String>() + code;
    // Two names of one byte: a terminal can't tell them apart.
    Some(match key.as_str() {
        "ctrl+i" => "tab".into(),
        "ctrl+m" => "enter".into(),
        "ctrl+[" => "esc".into(),
        _ => key,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::keymap::built_in_action;

    fn check(keys: &[(&str, &str)]) -> (RemappedKeys, Vec<String>) {
        parse(&keys.iter().map(|(key, action)| (key.to_string(), action.to_string())).collect())
    }

    #[test]
    fn du_7_keys_take_another_action() {
        let (keys, problems) = check(&[("Control+S", "send"), ("alt+shift+left", "wordLeft"), ("ctrl+x", "none")]);
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(keys.get("ctrl+s"), Some(&Some(KeyAction::Send)));
        assert_eq!(keys.get("alt+shift+left"), Some(&Some(KeyAction::WordLeft)));
        assert_eq!(keys.get("ctrl+x"), Some(&None));
        assert_eq!(built_in_action("ctrl+x"), Some(KeyAction::StopTask));
    }

    #[test]
    fn du_7_bad_keys_are_named_and_left_out() {
        for (key, action) in [("a", "send"), ("shift+a", "send"), ("space", "send"), ("", "send"), ("hyper+x", "send")]
        {
            let (keys, problems) = check(&[(key, action)]);
            assert!(keys.is_empty() && problems.len() == 1, "{key}: {problems:?}");
        }
        let (keys, problems) = check(&[("ctrl+s", "fly\u{1b}")]);
        assert!(keys.is_empty() && problems[0] == "`ctrl+s`: unknown action `fly\\u{1b}`", "{problems:?}");
    }

    #[test]
    fn du_7_conflicts_are_named() {
        let (keys, problems) = check(&[("CTRL+s", "send"), ("ctrl+s", "undo")]);
        assert_eq!((keys.len(), problems.len()), (1, 1), "{problems:?}");
        let (keys, problems) = check(&[("enter", "none"), ("ctrl+s", "undo")]);
        assert!(keys.is_empty() && problems[0].contains("no key would be left for send"), "{problems:?}");
        let (keys, problems) = check(&[("enter", "newLine"), ("ctrl+s", "send")]);
        assert!(keys.len() == 2 && problems.is_empty(), "{problems:?}");
    }
}
