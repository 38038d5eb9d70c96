//! Generates docs/reference/settings.md from the schema, so that the page matches the type.

use super::{Settings, settings_schema};
use serde_json::Value;
use std::fmt::Write;

const PAGE_HEAD: &str = "# Settings

<!-- Generated from the Settings type by a test; update with `UPDATE=1 cargo test -p cutonce-core settings`. -->

Settings are JSON files. Strongest first:

1. managed: `/etc/cutonce/settings.json`
2. `--settings FILE` or `--settings '{…}'`; an unreadable one is a usage error, and nothing starts
3. `.cutonce/settings.local.json` in the project: yours, not for the repository
4. `.cutonce/settings.json` in the project: shared
5. `~/.cutonce/settings.json` (or `$CUTONCE_HOME/settings.json`): yours, everywhere

Objects are merged key by key; the stronger file wins. The lists `permissions.allow`, `permissions.ask`,
`permissions.deny`, `sandbox.denyRead` and those of `hooks` are combined; any other list comes from the strongest file. A setting that is unknown or has a wrong
value is ignored and reported with its file; a file that is not JSON is ignored and reported with line and column.

Until you trust a folder, its own two files may only make things stricter: `permissions.deny`, `permissions.ask`,
`permissions.defaultMode` if it is `plan`, or `default` and yours is not `plan`, `sandbox.shell: true` and
`sandbox.denyRead` apply, as do `theme` and `notifications`. The rest is ignored and listed. `trust` applies in your user settings only.

The schema for editors is [settings.schema.json](settings.schema.json).

| setting | type | default | |
|---|---|---|---|
";

/// Renders the page.
pub fn render_page() -> String {
    let defaults = serde_json::to_value(Settings::default()).unwrap_or_default();
    let mut page = PAGE_HEAD.to_string();
    write_rows(&settings_schema(), &defaults, "", &mut page);
    page
}

fn write_rows(schema: &Value, defaults: &Value, path: &str, page: &mut String) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (key, inner) in properties.into_iter().flatten() {
        let name = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let default = defaults.get(key).unwrap_or(&Value::Null);
        if inner.get("properties").is_some() {
            write_rows(inner, default, &name, page);
            continue;
        }
        let about = inner.get("description").and_then(Value::as_str).unwrap_or_default().replace('\n', " ");
        let default = if default.is_null() { String::new() } else { format!("`{default}`") };
        // Writing to a String can't fail.
        let _ = writeln!(page, "| `{name}` | {} | {default} | {about}{} |", type_name(inner), list_choices(inner));
        if let Some(each) = inner.get("additionalProperties").filter(|each| each.get("properties").is_some()) {
            write_rows(each, &Value::Null, &format!("{name}.*"), page);
        }
    }
}

fn type_name(schema: &Value) -> String {
    if let Some(any) = schema.get("anyOf").and_then(Value::as_array) {
        let types = any.iter().map(type_name).filter(|name| name != "null");
        return types.collect::<Vec<_>>().join(" or ");
    }
    if !enum_variants(schema).is_empty() {
        return "one of".into();
    }
    match schema.get("type") {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
            names.collect::<Vec<_>>().join(" or ")
        }
        Some(_) | None => "any".into(),
    }
}

/// The values of an enum with their meanings.
fn list_choices(schema: &Value) -> String {
    let mut all = enum_variants(schema);
    for inner in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        all.extend(enum_variants(inner));
    }
    all.iter().fold(String::new(), |mut text, (word, about)| {
        let about = if about.is_empty() { String::new() } else { format!(": {about}") };
        let _ = write!(text, " · `{word}`{about}");
        text
    })
}

fn enum_variants(schema: &Value) -> Vec<(String, String)> {
    let plain = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    let plain = plain.filter_map(Value::as_str).map(|word| (word.to_string(), String::new()));
    let documented = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten().flat_map(|one| {
        let about = one.get("description").and_then(Value::as_str).unwrap_or_default().replace('\n', " ");
        let single = one.get("const").and_then(Value::as_str).map(|word| (word.to_string(), about));
        single.into_iter().chain(enum_variants(one))
    });
    plain.chain(documented).collect()
}
