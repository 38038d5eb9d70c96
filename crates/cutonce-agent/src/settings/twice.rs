//! A key that stands twice in a settings file: JSON readers keep the last one, and rules of the first would be gone
//! without a word (CL-4).

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// The keys that stand twice, each with its way from the top: `permissions.deny`.
pub(super) fn keys(json: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(json);
    // Text that is no JSON is told elsewhere.
    let _ = Walk { at: String::new(), found: &mut found }.deserialize(&mut reader);
    found
}

struct Walk<'a> {
    at: String,
    found: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
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
            map.next_value_seed(Walk { at, found: self.found })?;
        }
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Walk { at: self.at.clone(), found: self.found })?.is_some() {}
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
    fn cl_4_a_key_that_stands_twice_is_found_where_it_stands() {
        let cases = [
            (r#"{"permissions": {"deny": ["Read"]}, "permissions": {}}"#, vec!["permissions"]),
            (r#"{"permissions": {"deny": [], "deny": []}, "x": 1.5, "x": null}"#, vec!["permissions.deny", "x"]),
            (r#"{"hooks": {"Stop": [{"a": true, "a": "b"}]}}"#, vec!["hooks.Stop.a"]),
            (r#"{"a": {"x": 1}, "b": {"x": -1}}"#, vec![]),
            ("no JSON", vec![]),
        ];
        for (json, expected) in cases {
            assert_eq!(keys(json), expected, "{json}");
        }
    }
}
