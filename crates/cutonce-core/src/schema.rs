//! Does a value fit a JSON schema? For answers that a host wants in a form of its own (HO-1). The keywords that people and generators
//! use are held; one that is not known here constrains nothing, as the specification has it. References stay inside the schema.
//!
//! No crate does this for us: `jsonschema` would bring a dozen more (numbers, addresses, formats) for the one tool that needs it, and its
//! faults are not worded for a model.

use regex::Regex;
use serde_json::{Map, Value};

/// As many faults are told at once; more would only repeat themselves.
const MOST: usize = 10;
/// Deeper, a schema that names itself would go on for ever.
const DEEPEST: usize = 64;

/// What does not fit: where, what was expected, what came. Empty: it fits.
pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut check = Check { root: schema, faults: Vec::new() };
    check.fits(schema, value, "", 0);
    check.faults.truncate(MOST);
    check.faults
}

/// What is wrong with the schema itself, as far as it would keep every value out or can't be read.
pub fn wrong(schema: &Value) -> Option<String> {
    match schema {
        Value::Object(_) | Value::Bool(true) => unreadable(schema, 0),
        Value::Bool(false) => Some("no value fits `false`".into()),
        other => Some(format!("expected an object, got {}", kind(other))),
    }
}

fn unreadable(schema: &Value, depth: usize) -> Option<String> {
    let Value::Object(fields) = schema else { return None };
    if depth > DEEPEST {
        return Some(format!("it is nested more than {DEEPEST} deep"));
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
    many.into_iter().find_map(|inner| unreadable(inner, depth + 1))
}

struct Check<'a> {
    root: &'a Value,
    faults: Vec<String>,
}

impl<'a> Check<'a> {
    fn fault(&mut self, at: &str, what: impl std::fmt::Display) {
        let at = if at.is_empty() { "the value".to_string() } else { format!("`{at}`") };
        self.faults.push(format!("{at}: {what}"));
    }

    fn fits(&mut self, schema: &'a Value, value: &Value, at: &str, depth: usize) {
        let fields = match schema {
            Value::Object(fields) => fields,
            Value::Bool(false) => return self.fault(at, "nothing may be here"),
            _ => return,
        };
        if depth > DEEPEST {
            return self.fault(at, "the schema is nested too deep here");
        }
        if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
            match self.resolve(reference) {
                Some(inner) => self.fits(inner, value, at, depth + 1),
                None => self.fault(at, format!("the schema names {reference}, which is not in it")),
            }
        }
        self.is_of(fields, value, at);
        self.combined(fields, value, at, depth);
        match value {
            Value::Object(object) => self.object(fields, object, at, depth),
            Value::Array(list) => self.list(fields, list, at, depth),
            Value::String(text) => self.text(fields, text, at),
            Value::Number(_) => self.number(fields, value.as_f64().unwrap_or_default(), at),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// `#`, `#/$defs/Name`
    fn resolve(&self, reference: &str) -> Option<&'a Value> {
        let pointer = reference.strip_prefix('#')?;
        self.root.pointer(pointer)
    }

    fn is_of(&mut self, fields: &Map<String, Value>, value: &Value, at: &str) {
        let wanted: Vec<&str> = match fields.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if !wanted.is_empty() && !wanted.iter().any(|wanted| is(value, wanted)) {
            self.fault(at, format!("expected {}, got {}", wanted.join(" or "), brief(value)));
        }
        if let Some(Value::Array(allowed)) = fields.get("enum")
            && !allowed.contains(value)
        {
            let allowed: Vec<String> = allowed.iter().take(20).map(brief).collect();
            self.fault(at, format!("expected one of {}, got {}", allowed.join(", "), brief(value)));
        }
        if let Some(only) = fields.get("const").filter(|only| *only != value) {
            self.fault(at, format!("expected {}, got {}", brief(only), brief(value)));
        }
    }

    fn combined(&mut self, fields: &'a Map<String, Value>, value: &Value, at: &str, depth: usize) {
        let list = |key: &str| fields.get(key).and_then(Value::as_array);
        for inner in list("allOf").into_iter().flatten() {
            self.fits(inner, value, at, depth + 1);
        }
        if let Some(any) = list("anyOf")
            && !any.iter().any(|inner| self.would_fit(inner, value, depth))
        {
            self.fault(at, format!("it fits none of the {} forms that it may have (anyOf)", any.len()));
        }
        if let Some(one) = list("oneOf") {
            let fitting = one.iter().filter(|inner| self.would_fit(inner, value, depth)).count();
            if fitting != 1 {
                self.fault(at, format!("it must fit exactly one of {} forms (oneOf), and fits {fitting}", one.len()));
            }
        }
        if let Some(not) = fields.get("not")
            && self.would_fit(not, value, depth)
        {
            self.fault(at, "it has a form that it must not have (not)");
        }
    }

    fn would_fit(&self, schema: &'a Value, value: &Value, depth: usize) -> bool {
        let mut check = Check { root: self.root, faults: Vec::new() };
        check.fits(schema, value, "", depth + 1);
        check.faults.is_empty()
    }

    fn object(&mut self, fields: &'a Map<String, Value>, object: &Map<String, Value>, at: &str, depth: usize) {
        for name in fields.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                self.fault(at, format!("the field `{name}` is missing"));
            }
        }
        self.count(fields, ("minProperties", "maxProperties", "fields"), object.len(), at);
        let properties = fields.get("properties").and_then(Value::as_object);
        for (name, inner) in object {
            let below = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
            match (properties.and_then(|properties| properties.get(name)), fields.get("additionalProperties")) {
                (Some(schema), _) => self.fits(schema, inner, &below, depth + 1),
                (None, Some(Value::Bool(false))) => self.fault(at, format!("there is no field `{name}`")),
                (None, Some(schema)) => self.fits(schema, inner, &below, depth + 1),
                (None, None) => {}
            }
        }
    }

    fn list(&mut self, fields: &'a Map<String, Value>, list: &[Value], at: &str, depth: usize) {
        self.count(fields, ("minItems", "maxItems", "elements"), list.len(), at);
        let first = fields.get("prefixItems").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (n, inner) in list.iter().enumerate() {
            if let Some(schema) = first.get(n).or(fields.get("items")) {
                self.fits(schema, inner, &format!("{at}[{n}]"), depth + 1);
            }
        }
        let twice = || list.iter().enumerate().any(|(n, one)| list[..n].contains(one));
        if fields.get("uniqueItems") == Some(&Value::Bool(true)) && twice() {
            self.fault(at, "no element may be there twice");
        }
    }

    fn text(&mut self, fields: &Map<String, Value>, text: &str, at: &str) {
        self.count(fields, ("minLength", "maxLength", "characters"), text.chars().count(), at);
        let pattern = fields.get("pattern").and_then(Value::as_str);
        if let Some(pattern) = pattern
            && !Regex::new(pattern).is_ok_and(|regex| regex.is_match(text))
        {
            self.fault(at, format!("expected a text that fits {pattern:?}, got {}", brief(&text.into())));
        }
    }

    fn number(&mut self, fields: &Map<String, Value>, number: f64, at: &str) {
        type Holds = fn(f64, f64) -> bool;
        let bounds: [(&str, &str, Holds); 4] = [
            ("minimum", "at least", |number, bound| number >= bound),
            ("maximum", "at most", |number, bound| number <= bound),
            ("exclusiveMinimum", "more than", |number, bound| number > bound),
            ("exclusiveMaximum", "less than", |number, bound| number < bound),
        ];
        for (key, words, holds) in bounds {
            if let Some(bound) = fields.get(key).and_then(Value::as_f64).filter(|bound| !holds(number, *bound)) {
                self.fault(at, format!("expected {words} {bound}, got {number}"));
            }
        }
        let step = fields.get("multipleOf").and_then(Value::as_f64).filter(|step| *step > 0.0);
        if let Some(step) = step.filter(|step| ((number / step) - (number / step).round()).abs() > 1e-9) {
            self.fault(at, format!("expected a multiple of {step}, got {number}"));
        }
    }

    fn count(&mut self, fields: &Map<String, Value>, (least, most, what): (&str, &str, &str), count: usize, at: &str) {
        let bound = |key: &str| fields.get(key).and_then(Value::as_u64);
        if let Some(least) = bound(least).filter(|least| (count as u64) < *least) {
            self.fault(at, format!("expected at least {least} {what}, got {count}"));
        }
        if let Some(most) = bound(most).filter(|most| count as u64 > *most) {
            self.fault(at, format!("expected at most {most} {what}, got {count}"));
        }
    }
}

fn is(value: &Value, wanted: &str) -> bool {
    match wanted {
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        wanted => kind(value) == wanted,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(schema: Value, value: Value, expected: &[&str]) {
        assert_eq!(faults(&schema, &value), expected, "{schema} {value}");
    }

    #[test]
    fn ho_1_a_fault_says_where_what_was_expected_and_what_came() {
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
            &["`name`: expected at least 1 characters, got 0", "the value: there is no field `x`"],
        );
        check(
            person.clone(),
            json!({"name": "A", "tags": ["a", "c", "a"]}),
            &["`tags[1]`: expected one of \"a\", \"b\", got \"c\"", "`tags`: no element may be there twice"],
        );
        check(person, json!([]), &["the value: expected object, got []"]);
    }

    #[test]
    fn ho_1_forms_references_and_bounds_are_held() {
        let tree = json!({"$defs": {"node": {"type": "object", "required": ["v"], "properties": {
            "v": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "next": {"$ref": "#/$defs/node"}}}}, "$ref": "#/$defs/node"});
        check(tree.clone(), json!({"v": "x", "next": {"v": null}}), &[]);
        check(
            tree,
            json!({"v": "x", "next": {"v": 1}}),
            &["`next.v`: it fits none of the 2 forms that it may have (anyOf)"],
        );
        check(
            json!({"oneOf": [{"type": "number"}, {"minimum": 3}]}),
            json!(5),
            &["the value: it must fit exactly one of 2 forms (oneOf), and fits 2"],
        );
        check(
            json!({"pattern": "^a+$"}),
            json!("aab"),
            &["the value: expected a text that fits \"^a+$\", got \"aab\""],
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
    fn ho_1_a_schema_that_names_itself_ends_and_nonsense_is_named() {
        assert!(!faults(&json!({"$ref": "#"}), &json!(1)).is_empty());
        check(
            json!({"$ref": "https://example.invalid/x"}),
            json!(1),
            &["the value: the schema names https://example.invalid/x, which is not in it"],
        );
        assert!(wrong(&json!({"properties": {"a": {"pattern": "("}}})).unwrap().contains("pattern"));
        assert!(wrong(&json!("text")).is_some() && wrong(&json!(false)).is_some() && wrong(&json!({})).is_none());
    }
}
