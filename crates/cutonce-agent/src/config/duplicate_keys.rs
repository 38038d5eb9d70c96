//! Finds duplicate keys in a settings file: JSON parsers keep the last one and would silently drop the rules of the
//! first (CL-4).

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// The duplicate keys with their paths: `permissions.deny`.
pub(super) fn duplicate_keys(json: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(json);
    // Invalid JSON is reported elsewhere.
    let _ = DuplicateKeyVisitor { at: String::new(), found: &mut found }.deserialize(&mut reader);
    found
}

struct DuplicateKeyVisitor<'a> {
    at: String,
    found: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for DuplicateKeyVisitor<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DuplicateKeyVisitor<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            let at = if self.at.is_empty() { key.clone() } else { format!("{}.{key}", self.at) };
            if !seen.insert(key) {
                self.found.push(at.clone());
            }
            map.next_value_seed(DuplicateKeyVisitor { at, found: self.found })?;
        }
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(DuplicateKeyVisitor { at: self.at.clone(), found: self.found })?.is_some() {}
        Ok(())
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cl_4_duplicate_keys_are_found() {
        let cases = [
            (r#"{"permissions": {"deny": ["Read"]}, "permissions": {}}"#, vec!["permissions"]),
            (r#"{"permissions": {"deny": [], "deny": []}, "x": 1.5, "x": null}"#, vec!["permissions.deny", "x"]),
            (r#"{"hooks": {"Stop": [{"a": true, "a": "b"}]}}"#, vec!["hooks.Stop.a"]),
            (r#"{"a": {"x": 1}, "b": {"x": -1}}"#, vec![]),
            ("no JSON", vec![]),
        ];
        for (json, expected) in cases {
            assert_eq!(duplicate_keys(json), expected, "{json}");
        }
    }
}
