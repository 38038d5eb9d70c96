//! `--managed-settings` (HO-1): a host's policy, with the priority of the administrator's file. It can only restrict:
//! settings that loosen are ignored and reported. A restriction that is not supported here is an error, because the
//! session would have more rights than its host intended.

use super::{SettingsProblem, SettingsWarning, duplicate_keys, settings_file, untrusted};
use cutonce_core::mode::Mode;
use cutonce_core::permission::rules::ConfigSource;
use cutonce_core::settings::SettingsLayer;
use serde_json::{Value, json};

pub(super) const FLAG: &str = "--managed-settings";

/// Why the flag can't be used: not a JSON object, or an unsupported restriction.
pub fn managed_error(flag: &str) -> Option<String> {
    managed_layer(flag, None).err().map(|why| format!("{FLAG}: {why}"))
}

/// The layer, and the ignored settings that would loosen something. `mode` is the mode of the other sources.
pub(super) fn managed_layer(flag: &str, mode: Option<Mode>) -> Result<(SettingsLayer, Vec<String>), String> {
    let given: Value = serde_json::from_str(flag).map_err(|error| format!("not JSON: {error}"))?;
    if !given.is_object() {
        return Err("not a JSON object".into());
    }
    let given = normalize(given);
    let mut warnings = Vec::new();
    let value = settings_file::parse_settings(&given.to_string(), FLAG, &mut warnings).unwrap_or_else(|| json!({}));
    let mut unheeded: Vec<String> = warnings.into_iter().filter_map(unsupported_setting).collect();
    unheeded.extend(duplicate_keys::duplicate_keys(flag).into_iter().map(|path| format!("{path} (twice)")));
    // Hooks may be guards, so disabling them could also grant rights.
    unheeded.extend((value["disableAllHooks"] == true).then(|| "disableAllHooks".to_string()));
    if !unheeded.is_empty() {
        return Err(format!(
            "these restrictions are not supported: {}. Remove them, or express them with \
             permissions.deny and permissions.ask",
            unheeded.join(", ")
        ));
    }
    let auto_off = value.pointer("/auto/enabled") == Some(&Value::Bool(false));
    let mut layer = SettingsLayer { source: ConfigSource::Managed, value };
    let loose = untrusted::remove_loosening(&mut layer, FLAG, mode, &[]);
    if auto_off {
        layer.value["auto"] = json!({"enabled": false});
    }
    let loose = loose.into_iter().map(|aside| aside.path).filter(|path| !(auto_off && path == "auto"));
    Ok((layer, loose.collect()))
}

/// The path of an unknown or invalid setting.
fn unsupported_setting(warning: SettingsWarning) -> Option<String> {
    match warning.what {
        SettingsProblem::Setting(problem) => Some(problem.path().to_string()),
        SettingsProblem::Broken { .. }
        | SettingsProblem::Unreadable(_)
        | SettingsProblem::More(_)
        | SettingsProblem::DuplicateKey { .. }
        | SettingsProblem::UserOnly { .. }
        | SettingsProblem::Looser { .. } => None,
    }
}

/// Converts `disableAutoMode: "disable"` (top level or in permissions) to `auto.enabled: false`.
fn normalize(mut given: Value) -> Value {
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
    fn ho_1_managed_settings_only_restrict() {
        let given = json!({
            "permissions": {"deny": ["Write"], "ask": ["Bash"], "allow": ["Edit"], "defaultMode": "acceptEdits",
                "disableBypassPermissionsMode": "disable"},
            "sandbox": {"enabled": true, "network": false}, "env": {"A": "b"}, "disableAutoMode": "disable",
        });
        let (layer, loose) = managed_layer(&given.to_string(), None).unwrap();
        let expected = json!({
            "permissions": {"deny": ["Write"], "ask": ["Bash"], "disableBypassPermissionsMode": "disable"},
            "sandbox": {"shell": true, "network": false}, "auto": {"enabled": false},
        });
        assert_eq!((layer.source, &layer.value), (ConfigSource::Managed, &expected));
        assert_eq!(loose, ["permissions.allow", "permissions.defaultMode", "env"]);
    }

    #[test]
    fn ho_1_unsupported_restrictions_are_an_error() {
        for (given, names) in [
            ("{", "not JSON"),
            ("[]", "not a JSON object"),
            (r#"{"allowManagedHooksOnly": true}"#, "allowManagedHooksOnly"),
            (r#"{"sandbox": {"network": {"allowManagedDomainsOnly": true}}}"#, "sandbox.network"),
            (r#"{"permissions": {"deny": "Write"}}"#, "permissions.deny"),
            (r#"{"disableAllHooks": true}"#, "disableAllHooks"),
            (r#"{"permissions": {"deny": ["Write"], "deny": []}}"#, "permissions.deny"),
        ] {
            assert!(managed_error(given).is_some_and(|why| why.contains(names)), "{given}: {:?}", managed_error(given));
        }
        assert_eq!(managed_error(r#"{"permissions": {"deny": ["Write"]}}"#), None);
    }
}
