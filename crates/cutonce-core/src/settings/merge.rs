//! Merges several settings sources (PR-2): objects key by key; rules, hooks and read denials are combined; any other
//! list comes from the strongest source.

use super::{SettingProblem, Settings, check_settings};
use crate::permission::rules::{ConfigSource, RuleBehavior};
use serde_json::Value;

/// One source of settings, already checked.
#[derive(Debug, Clone)]
pub struct SettingsLayer {
    pub source: ConfigSource,
    pub value: Value,
}

/// The three rule lists by key.
pub const RULE_LISTS: [(&str, RuleBehavior); 3] =
    [("deny", RuleBehavior::Deny), ("ask", RuleBehavior::Ask), ("allow", RuleBehavior::Allow)];

/// Merges layers given in any order. Problems can only come from values that are valid alone but not together.
pub fn merge_layers(mut layers: Vec<SettingsLayer>) -> (Settings, Vec<SettingProblem>) {
    layers.sort_by_key(|layer| layer.source);
    let mut merged = Value::Object(Default::default());
    for layer in &layers {
        fill_missing(&mut merged, &layer.value, "");
    }
    let (value, problems) = check_settings(merged);
    (serde_json::from_value(value).unwrap_or_default(), problems)
}

/// Rules of one layer, in their order.
pub fn rules_in(value: &Value) -> Vec<(RuleBehavior, String)> {
    let list = |key: &str| value.pointer(&format!("/permissions/{key}")).and_then(Value::as_array);
    let texts = |key| list(key).into_iter().flatten().filter_map(Value::as_str).map(str::to_string);
    RULE_LISTS.into_iter().flat_map(|(key, behavior)| texts(key).map(move |text| (behavior, text))).collect()
}

/// Adds to `strong` what only `weak` has.
fn fill_missing(strong: &mut Value, weak: &Value, path: &str) {
    match (strong, weak) {
        (Value::Object(strong), Value::Object(weak)) => {
            for (key, value) in weak {
                match strong.get_mut(key) {
                    Some(inner) => fill_missing(inner, value, &format!("{path}/{key}")),
                    None => drop(strong.insert(key.clone(), value.clone())),
                }
            }
        }
        (Value::Array(strong), Value::Array(weak)) if is_merged_list(path) => {
            for item in weak {
                if !strong.contains(item) {
                    strong.push(item.clone());
                }
            }
        }
        (_, _) => {}
    }
}

/// True for lists that all sources extend and none replaces: rules, hooks, and read denials.
fn is_merged_list(path: &str) -> bool {
    path == "/sandbox/denyRead"
        || path.starts_with("/hooks/")
        || RULE_LISTS.iter().any(|(key, _)| path.strip_prefix("/permissions/") == Some(key))
}
