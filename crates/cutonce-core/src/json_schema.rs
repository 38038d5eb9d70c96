//! Validates a value against a JSON schema, for structured answers that a host requests (HO-1). Supports the
//! common keywords; unknown ones are ignored, as the specification says. References stay inside the schema.
//!
//! Why no crate: `jsonschema` needs a dozen more dependencies (numbers, addresses, formats) for the one tool
//! that uses it, and its errors are not written for a model.

use crate::text::truncate::shorten_json;
use regex::Regex;
use serde_json::{Map, Value};

/// Maximum number of reported errors.
const MAX_ERRORS: usize = 10;
/// Maximum depth, because a recursive schema would never end.
const MAX_DEPTH: usize = 64;

/// Returns all errors: where, what was expected, what came. Empty if the value is valid.
pub fn schema_errors(schema: &Value, value: &Value) -> Vec<String> {
    let mut check = SchemaCheck { root: schema, errors: Vec::new() };
    check.check_value(schema, value, "", 0);
    check.errors.truncate(MAX_ERRORS);
    check.errors
}

/// Checks the schema itself: reports it if no value can match or it can't be parsed.
pub fn schema_problem(schema: &Value) -> Option<String> {
    match schema {
        Value::Object(_) | Value::Bool(true) => find_unreadable(schema, 0),
        Value::Bool(false) => Some("no value matches `false`".into()),
        other => Some(format!("expected an object, got {}", json_type(other))),
    }
}

fn find_unreadable(schema: &Value, depth: usize) -> Option<String> {
    let Value::Object(fields) = schema else { return None };
    if depth > MAX_DEPTH {
        return Some(format!("it is nested more than {MAX_DEPTH} deep"));
    }
    if let Some(pattern) = fields.get("pattern").and_then(Value::as_str)
        && let Err(error) = Regex::new(pattern)
    {
        return Some(format!("`pattern`: {pattern:?} can't be used: {error}"));
    }
    let many = fields.values().flat_map(|inner| match inner {
        Value::Object(named) => std::iter::once(inner).chain(named.values()).collect::<Vec<_>>(),
        Value::Array(list) => list.iter().collect(),
        _ => Vec::new(),
    });
    many.into_iter().find_map(|inner| find_unreadable(inner, depth + 1))
}

struct SchemaCheck<'a> {
    root: &'a Value,
    errors: Vec<String>,
}

impl<'a> SchemaCheck<'a> {
    fn add_error(&mut self, at: &str, what: impl std::fmt::Display) {
        let at = if at.is_empty() { "the value".to_string() } else { format!("`{at}`") };
        self.errors.push(format!("{at}: {what}"));
    }

    fn check_value(&mut self, schema: &'a Value, value: &Value, at: &str, depth: usize) {
        let fields = match schema {
            Value::Object(fields) => fields,
            Value::Bool(false) => return self.add_error(at, "no value is allowed here"),
            _ => return,
        };
        if depth > MAX_DEPTH {
            return self.add_error(at, "the schema is nested too deep here");
        }
        if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
            match self.resolve(reference) {
                Some(inner) => self.check_value(inner, value, at, depth + 1),
                None => self.add_error(at, format!("the schema refers to {reference}, which it does not contain")),
            }
        }
        self.check_type(fields, value, at);
        self.check_combinators(fields, value, at, depth);
        match value {
            Value::Object(object) => self.check_object(fields, object, at, depth),
            Value::Array(list) => self.check_list(fields, list, at, depth),
            Value::String(text) => self.check_text(fields, text, at),
            Value::Number(_) => self.check_number(fields, value.as_f64().unwrap_or_default(), at),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Resolves `#` or `#/$defs/Name`.
    fn resolve(&self, reference: &str) -> Option<&'a Value> {
        let pointer = reference.strip_prefix('#')?;
        self.root.pointer(pointer)
    }

    fn check_type(&mut self, fields: &Map<String, Value>, value: &Value, at: &str) {
        let wanted: Vec<&str> = match fields.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if !wanted.is_empty() && !wanted.iter().any(|wanted| is_json_type(value, wanted)) {
            self.add_error(at, format!("expected {}, got {}", wanted.join(" or "), shorten_json(value)));
        }
        if let Some(Value::Array(allowed)) = fields.get("enum")
            && !allowed.contains(value)
        {
            let allowed: Vec<String> = allowed.iter().take(20).map(shorten_json).collect();
            self.add_error(at, format!("expected one of {}, got {}", allowed.join(", "), shorten_json(value)));
        }
        if let Some(only) = fields.get("const").filter(|only| *only != value) {
            self.add_error(at, format!("expected {}, got {}", shorten_json(only), shorten_json(value)));
        }
    }

    fn check_combinators(&mut self, fields: &'a Map<String, Value>, value: &Value, at: &str, depth: usize) {
        let list = |key: &str| fields.get(key).and_then(Value::as_array);
        for inner in list("allOf").into_iter().flatten() {
            self.check_value(inner, value, at, depth + 1);
        }
        if let Some(any) = list("anyOf")
            && !any.iter().any(|inner| self.is_valid(inner, value, depth))
        {
            self.add_error(at, format!("it matches none of the {} allowed forms (anyOf)", any.len()));
        }
        if let Some(one) = list("oneOf") {
            let fitting = one.iter().filter(|inner| self.is_valid(inner, value, depth)).count();
            if fitting != 1 {
                self.add_error(
                    at,
                    format!("it must match exactly one of {} forms (oneOf), but matches {fitting}", one.len()),
                );
            }
        }
        if let Some(not) = fields.get("not")
            && self.is_valid(not, value, depth)
        {
            self.add_error(at, "it matches a forbidden form (not)");
        }
    }

    fn is_valid(&self, schema: &'a Value, value: &Value, depth: usize) -> bool {
        let mut check = SchemaCheck { root: self.root, errors: Vec::new() };
        check.check_value(schema, value, "", depth + 1);
        check.errors.is_empty()
    }

    fn check_object(&mut self, fields: &'a Map<String, Value>, object: &Map<String, Value>, at: &str, depth: usize) {
        for name in fields.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                self.add_error(at, format!("the field `{name}` is missing"));
            }
        }
        self.check_count(fields, ("minProperties", "maxProperties", "fields"), object.len(), at);
        let properties = fields.get("properties").and_then(Value::as_object);
        for (name, inner) in object {
            let below = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
            match (properties.and_then(|properties| properties.get(name)), fields.get("additionalProperties")) {
                (Some(schema), _) => self.check_value(schema, inner, &below, depth + 1),
                (None, Some(Value::Bool(false))) => self.add_error(at, format!("unknown field `{name}`")),
                (None, Some(schema)) => self.check_value(schema, inner, &below, depth + 1),
                (None, None) => {}
            }
        }
    }

    fn check_list(&mut self, fields: &'a Map<String, Value>, list: &[Value], at: &str, depth: usize) {
        self.check_count(fields, ("minItems", "maxItems", "elements"), list.len(), at);
        let first = fields.get("prefixItems").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (n, inner) in list.iter().enumerate() {
            if let Some(schema) = first.get(n).or(fields.get("items")) {
                self.check_value(schema, inner, &format!("{at}[{n}]"), depth + 1);
            }
        }
        let twice = || list.iter().enumerate().any(|(n, one)| list[..n].contains(one));
        if fields.get("uniqueItems") == Some(&Value::Bool(true)) && twice() {
            self.add_error(at, "elements must be unique");
        }
    }

    fn check_text(&mut self, fields: &Map<String, Value>, text: &str, at: &str) {
        self.check_count(fields, ("minLength", "maxLength", "characters"), text.chars().count(), at);
        let pattern = fields.get("pattern").and_then(Value::as_str);
        if let Some(pattern) = pattern
            && !Regex::new(pattern).is_ok_and(|regex| regex.is_match(text))
        {
            self.add_error(at, format!("expected a text that matches {pattern:?}, got {}", shorten_json(&text.into())));
        }
    }

    fn check_number(&mut self, fields: &Map<String, Value>, number: f64, at: &str) {
        type Holds = fn(f64, f64) -> bool;
        let bounds: [(&str, &str, Holds); 4] = [
            ("minimum", "at least", |number, bound| number >= bound),
            ("maximum", "at most", |number, bound| number <= bound),
            ("exclusiveMinimum", "more than", |number, bound| number > bound),
            ("exclusiveMaximum", "less than", |number, bound| number < bound),
        ];
        for (key, words, holds) in bounds {
            if let Some(bound) = fields.get(key).and_then(Value::as_f64).filter(|bound| !holds(number, *bound)) {
                self.add_error(at, format!("expected {words} {bound}, got {number}"));
            }
        }
        let step = fields.get("multipleOf").and_then(Value::as_f64).filter(|step| *step > 0.0);
        if let Some(step) = step.filter(|step| ((number / step) - (number / step).round()).abs() > 1e-9) {
            self.add_error(at, format!("expected a multiple of {step}, got {number}"));
        }
    }

    fn check_count(
        &mut self,
        fields: &Map<String, Value>,
        (least, most, what): (&str, &str, &str),
        count: usize,
        at: &str,
    ) {
        let bound = |key: &str| fields.get(key).and_then(Value::as_u64);
        if let Some(least) = bound(least).filter(|least| (count as u64) < *least) {
            self.add_error(at, format!("expected at least {least} {what}, got {count}"));
        }
        if let Some(most) = bound(most).filter(|most| count as u64 > *most) {
            self.add_error(at, format!("expected at most {most} {what}, got {count}"));
        }
    }
}

fn is_json_type(value: &Value, wanted: &str) -> bool {
    match wanted {
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        wanted => json_type(value) == wanted,
    }
}

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(schema: Value, value: Value, expected: &[&str]) {
        assert_eq!(schema_errors(&schema, &value), expected, "{schema} {value}");
    }

    #[test]
    fn ho_1_schema_errors_name_place_and_expectation() {
        let person = json!({"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
            "name": {"type": "string", "minLength": 1}, "age": {"type": "integer", "minimum": 0, "maximum": 150},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": true}}});
        check(person.clone(), json!({"name": "Ann", "age": 7.0, "tags": ["a"]}), &[]);
        check(
            person.clone(),
            json!({"age": 7.5}),
            &["the value: the field `name` is missing", "`age`: expected integer, got 7.5"],
        );
        check(
            person.clone(),
            json!({"name": "", "x": 1}),
            &["`name`: expected at least 1 characters, got 0", "the value: unknown field `x`"],
        );
        check(
            person.clone(),
            json!({"name": "A", "tags": ["a", "c", "a"]}),
            &["`tags[1]`: expected one of \"a\", \"b\", got \"c\"", "`tags`: elements must be unique"],
        );
        check(person, json!([]), &["the value: expected object, got []"]);
    }

    #[test]
    fn ho_1_combinators_references_and_bounds_are_checked() {
        let tree = json!({"$defs": {"node": {"type": "object", "required": ["v"], "properties": {
            "v": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "next": {"$ref": "#/$defs/node"}}}}, "$ref": "#/$defs/node"});
        check(tree.clone(), json!({"v": "x", "next": {"v": null}}), &[]);
        check(tree, json!({"v": "x", "next": {"v": 1}}), &["`next.v`: it matches none of the 2 allowed forms (anyOf)"]);
        check(
            json!({"oneOf": [{"type": "number"}, {"minimum": 3}]}),
            json!(5),
            &["the value: it must match exactly one of 2 forms (oneOf), but matches 2"],
        );
        check(
            json!({"pattern": "^a+$"}),
            json!("aab"),
            &["the value: expected a text that matches \"^a+$\", got \"aab\""],
        );
        check(json!({"type": "number", "multipleOf": 0.1}), json!(0.3), &[]);
        check(
            json!({"not": {"type": "null"}, "exclusiveMinimum": 0}),
            json!(0),
            &["the value: expected more than 0, got 0"],
        );
        check(json!({"const": 1, "neverHeardOf": 3}), json!(1), &[]);
    }

    #[test]
    fn ho_1_recursive_schema_ends_and_bad_schema_is_reported() {
        assert!(!schema_errors(&json!({"$ref": "#"}), &json!(1)).is_empty());
        check(
            json!({"$ref": "https://example.invalid/x"}),
            json!(1),
            &["the value: the schema refers to https://example.invalid/x, which it does not contain"],
        );
        assert!(schema_problem(&json!({"properties": {"a": {"pattern": "("}}})).unwrap().contains("pattern"));
        assert!(
            schema_problem(&json!("text")).is_some()
                && schema_problem(&json!(false)).is_some()
                && schema_problem(&json!({})).is_none()
        );
    }
}
