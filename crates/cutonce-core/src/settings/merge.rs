//! Several sources become one (PR-2): objects key by key, lists that only forbid or ask united with the other rules, any
//! other list from the strongest source.

use super::{Problem, Settings, check};
use crate::rule::{Behavior, Source};
use serde_json::Value;

/// One source of settings, checked already.
#[derive(Debug, Clone)]
pub struct Layer {
    pub source: Source,
    pub value: Value,
}

/// The three rule lists, by their key.
pub const RULE_LISTS: [(&str, Behavior); 3] =
    [("deny", Behavior::Deny), ("ask", Behavior::Ask), ("allow", Behavior::Allow)];

/// Merge the layers, in any order. Problems can only come from values that fit alone but not together.
pub fn merge(mut layers: Vec<Layer>) -> (Settings, Vec<Problem>) {
    layers.sort_by_key(|layer| layer.source);
    let mut merged = Value::Object(Default::default());
    for layer in &layers {
        fill(&mut merged, &layer.value, "");
    }
    let (value, problems) = check(merged);
    (serde_json::from_value(value).unwrap_or_default(), problems)
}

/// Rules of one layer, in the order they are written.
pub fn rules_of(value: &Value) -> Vec<(Behavior, String)> {
    let list = |key: &str| value.pointer(&format!("/permissions/{key}")).and_then(Value::as_array);
    let texts = |key| list(key).into_iter().flatten().filter_map(Value::as_str).map(str::to_string);
    RULE_LISTS.into_iter().flat_map(|(key, behavior)| texts(key).map(move |text| (behavior, text))).collect()
}

/// Put into `strong` what only `weak` has.
fn fill(strong: &mut Value, weak: &Value, path: &str) {
    match (strong, weak) {
        (Value::Object(strong), Value::Object(weak)) => {
            for (key, value) in weak {
                match strong.get_mut(key) {
                    Some(inner) => fill(inner, value, &format!("{path}/{key}")),
                    None => drop(strong.insert(key.clone(), value.clone())),
                }
            }
        }
        (Value::Array(strong), Value::Array(weak)) if is_united(path) => {
            for item in weak {
                if !strong.contains(item) {
                    strong.push(item.clone());
                }
            }
        }
        (_, _) => {}
    }
}

/// Rules, hooks, and what may not be read: a stronger source adds to these and takes nothing away.
fn is_united(path: &str) -> bool {
    path == "/sandbox/denyRead"
        || path.starts_with("/hooks/")
        || RULE_LISTS.iter().any(|(key, _)| path.strip_prefix("/permissions/") == Some(key))
}
