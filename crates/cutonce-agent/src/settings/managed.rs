//! `--managed-settings` (HO-1): what a host holds its sessions to, on the level of the administrator's file. It can only tighten, so
//! what would loosen is left out and named; what takes rights away and is not obeyed here stops the start: a session under half
//! a policy has more rights than its host gave it.

use super::{Warning, Wrong, file, tighten, twice};
use cutonce_core::mode::Mode;
use cutonce_core::rule::Source;
use cutonce_core::settings::Layer;
use serde_json::{Value, json};

pub(super) const FLAG: &str = "--managed-settings";

/// Why it can't be used, if so: it is no JSON object, or says what nobody here obeys.
pub fn unusable(flag: &str) -> Option<String> {
    layer(flag, None).err().map(|why| format!("{FLAG}: {why}"))
}

/// The layer, and the settings that would loosen something and do not count. `mode`: what the other sources start in.
pub(super) fn layer(flag: &str, mode: Option<Mode>) -> Result<(Layer, Vec<String>), String> {
    let given: Value = serde_json::from_str(flag).map_err(|error| format!("it is no JSON: {error}"))?;
    if !given.is_object() {
        return Err("it holds no JSON object".into());
    }
    let given = in_our_words(given);
    let mut warnings = Vec::new();
    let value = file::parse(&given.to_string(), FLAG, &mut warnings).unwrap_or_else(|| json!({}));
    let mut unheeded: Vec<String> = warnings.into_iter().filter_map(lost).collect();
    unheeded.extend(twice::keys(flag).into_iter().map(|path| format!("{path} (twice)")));
    // Hooks may be guards: who switches them off takes rights from some and gives them to others.
    unheeded.extend((value["disableAllHooks"] == true).then(|| "disableAllHooks".to_string()));
    if !unheeded.is_empty() {
        return Err(format!(
            "these settings are not obeyed here, and a session would have more rights without them: {}. Leave them out, or say \
             it with permissions.deny and permissions.ask",
            unheeded.join(", ")
        ));
    }
    let auto_off = value.pointer("/auto/enabled") == Some(&Value::Bool(false));
    let mut layer = Layer { source: Source::Managed, value };
    let loose = tighten::only_stricter(&mut layer, FLAG, mode, &[]);
    if auto_off {
        layer.value["auto"] = json!({"enabled": false});
    }
    let loose = loose.into_iter().map(|aside| aside.path).filter(|path| !(auto_off && path == "auto"));
    Ok((layer, loose.collect()))
}

/// A setting that nobody here knows, or whose value is not understood.
fn lost(warning: Warning) -> Option<String> {
    match warning.what {
        Wrong::Setting(problem) => Some(problem.path().to_string()),
        Wrong::Broken { .. }
        | Wrong::Unreadable(_)
        | Wrong::Twice { .. }
        | Wrong::NotHere { .. }
        | Wrong::Looser { .. } => None,
    }
}

/// `disableAutoMode: "disable"`, at the top or among the permissions, is `auto.enabled: false`.
fn in_our_words(mut given: Value) -> Value {
    let mut off = false;
    for place in ["", "/permissions"] {
        let Some(object) = given.pointer_mut(place).and_then(Value::as_object_mut) else { continue };
        if object.get("disableAutoMode").is_some_and(|word| word == "disable") {
            object.shift_remove("disableAutoMode");
            off = true;
        }
    }
    if off {
        given["auto"] = json!({"enabled": false});
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_1_a_hosts_policy_tightens_and_never_loosens() {
        let given = json!({
            "permissions": {"deny": ["Write"], "ask": ["Bash"], "allow": ["Edit"], "defaultMode": "acceptEdits",
                "disableBypassPermissionsMode": "disable"},
            "sandbox": {"enabled": true, "network": false}, "env": {"A": "b"}, "disableAutoMode": "disable",
        });
        let (layer, loose) = layer(&given.to_string(), None).unwrap();
        let expected = json!({
            "permissions": {"deny": ["Write"], "ask": ["Bash"], "disableBypassPermissionsMode": "disable"},
            "sandbox": {"shell": true, "network": false}, "auto": {"enabled": false},
        });
        assert_eq!((layer.source, &layer.value), (Source::Managed, &expected));
        assert_eq!(loose, ["permissions.allow", "permissions.defaultMode", "env"]);
    }

    #[test]
    fn ho_1_half_a_policy_is_none() {
        for (given, names) in [
            ("{", "it is no JSON"),
            ("[]", "no JSON object"),
            (r#"{"allowManagedHooksOnly": true}"#, "allowManagedHooksOnly"),
            (r#"{"sandbox": {"network": {"allowManagedDomainsOnly": true}}}"#, "sandbox.network"),
            (r#"{"permissions": {"deny": "Write"}}"#, "permissions.deny"),
            (r#"{"disableAllHooks": true}"#, "disableAllHooks"),
            (r#"{"permissions": {"deny": ["Write"], "deny": []}}"#, "permissions.deny"),
        ] {
            assert!(unusable(given).is_some_and(|why| why.contains(names)), "{given}: {:?}", unusable(given));
        }
        assert_eq!(unusable(r#"{"permissions": {"deny": ["Write"]}}"#), None);
    }
}
