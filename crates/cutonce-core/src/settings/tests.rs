use super::*;
use crate::permission::rules::ConfigSource;
use serde_json::json;

fn problems(value: Value) -> Vec<String> {
    check_settings(value).1.iter().map(SettingProblem::to_string).collect()
}

#[test]
fn cl_4_unknown_key_suggests_the_nearest_one() {
    assert_eq!(
        problems(json!({ "permisions": {}, "plan": { "eagernes": "eager" }, "allow": [], "zzz": 1 })),
        [
            "unknown setting `permisions`, ignored; did you mean `permissions`?",
            "unknown setting `plan.eagernes`, ignored; did you mean `plan.eagerness`?",
            "unknown setting `allow`, ignored; did you mean `permissions.allow`?",
            "unknown setting `zzz`, ignored",
        ]
    );
    assert_eq!(
        problems(
            json!({ "models": { "mine": { "contxt": 1 } }, "providers": { "p": { "wire": "chat", "baseUrl": "x", "key": "K" } } })
        ),
        [
            "unknown setting `models.mine.contxt`, ignored; did you mean `models.mine.context`?",
            "unknown setting `providers.p.key`, ignored; did you mean `providers.p.keyEnv`?",
        ]
    );
}

#[test]
fn cl_4_too_many_wrong_values_ignore_the_file() {
    let few: Vec<Value> = (0..50).map(Value::from).collect();
    let (value, found) = check_settings(json!({ "permissions": { "allow": few, "deny": ["WebFetch"] } }));
    assert!(found.len() == 50 && value["permissions"]["deny"] == json!(["WebFetch"]), "{}", found.len());
    let good = (0..50_000).map(|n| Value::from(format!("Bash(x{n})")));
    let many: Vec<Value> = good.chain((0..50_000).map(Value::from)).collect();
    let (value, found) = check_settings(json!({ "permissions": { "allow": many } }));
    assert_eq!(value, json!({}));
    let reason = found[0].whole_file_reason().unwrap();
    assert!(found.len() == 1 && reason.starts_with("more than 50 values are wrong"), "{reason}");
}

#[test]
fn cl_4_problem_is_one_short_line() {
    let told = problems(json!({ "a\nb\u{1b}[2J": 1, "k".repeat(100_000): 1, "theme": "t".repeat(100_000) }));
    assert_eq!(told.len(), 3);
    assert!(told.iter().all(|line| line.len() < 600 && !line.contains(['\n', '\u{1b}'])), "{told:?}");
}

#[test]
fn cl_4_free_sections_accept_any_keys() {
    let value = json!({ "$schema": "x", "env": { "ANY": "1" }, "mcpServers": { "s": { "command": "x" } } });
    assert_eq!(check_settings(value.clone()), (value, vec![]));
}

#[test]
fn ho_7_hook_settings_use_the_known_format() {
    let value = json!({ "hooks": { "PreToolUse": [
        { "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "guard", "timeout": 60 }] } ] } });
    assert_eq!(check_settings(value.clone()), (value, vec![]));
    assert_eq!(
        problems(
            json!({ "hooks": { "PreToolUsed": [], "Stop": [{ "matchr": "x", "hooks": [{ "type": "prompt", "command": "x" }] }] } })
        ),
        [
            "unknown setting `hooks.PreToolUsed`, ignored; did you mean `hooks.PreToolUse`?",
            "unknown setting `hooks.Stop[0].matchr`, ignored; did you mean `hooks.Stop[0].matcher`?",
            "`hooks.Stop[0].hooks[0].type`: unknown variant `prompt`, expected `command`; ignored",
        ]
    );
    let layer = |source, command: &str| SettingsLayer {
        source,
        value: json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": command }] }] } }),
    };
    let (both, _) = merge_layers(vec![layer(ConfigSource::User, "mine"), layer(ConfigSource::Project, "theirs")]);
    let commands: Vec<_> = both.hooks.stop.iter().flat_map(|group| &group.hooks).map(|hook| &hook.command).collect();
    assert_eq!(commands, ["theirs", "mine"], "hooks of all sources run");
}

#[test]
fn cl_4_only_the_wrong_value_is_ignored() {
    let (value, found) = check_settings(json!({
        "permissions": { "deny": ["Read(.env)", 5, "Bash"], "allow": "Bash", "defaultMode": "yolo" },
        "compact": { "at": 3 },
        "maxRetries": -1,
        "shell": { "timeoutMs": 0 },
        "plan": { "exploreAgents": 11, "planAgents": 2, "entry": "ask" },
        "models": { "m": { "price": { "input": 1 } } },
        "providers": { "p": { "wire": "soap", "baseUrl": "x" } },
        "theme": null,
    }));
    let settings: Settings = serde_json::from_value(value).unwrap();
    assert_eq!(settings.permissions.deny, ["Read(.env)", "Bash"]);
    assert_eq!((settings.plan.explore_agents.get(), settings.plan.plan_agents.get()), (3, 2));
    assert_eq!(settings.plan.entry, plan::PlanEntry::Ask);
    assert_eq!(settings.compact.at.get(), 0.8);
    let mut paths: Vec<_> = found.iter().map(SettingProblem::path).collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "compact.at",
            "maxRetries",
            "models.m.price",
            "permissions.allow",
            "permissions.defaultMode",
            "permissions.deny[1]",
            "plan.exploreAgents",
            "providers.p",
            "providers.p.wire",
            "shell.timeoutMs",
            "theme"
        ]
    );
    let texts: Vec<String> = found.iter().map(SettingProblem::to_string).collect();
    assert!(
        texts.iter().any(|text| text == "`permissions.deny[1]`: invalid type: integer `5`, expected a string; ignored"),
        "{texts:#?}"
    );
    assert!(
        texts.iter().any(|text| text == "`compact.at`: expected a number above 0 and at most 1, got 3; ignored"),
        "{texts:#?}"
    );
}

#[test]
fn cl_4_wrong_types_are_named_as_in_json() {
    let given = json!({"statusLine": "date", "permissions": {"allow": "Bash"}, "maxRetries": -1});
    assert_eq!(
        problems(given),
        [
            "`statusLine`: invalid type: string \"date\", expected an object; ignored",
            "`permissions.allow`: invalid type: string \"Bash\", expected a list; ignored",
            "`maxRetries`: invalid value: integer `-1`, expected a whole number from 0; ignored"
        ]
    );
}

#[test]
fn cl_4_file_that_is_not_an_object_is_reported() {
    assert_eq!(problems(json!([1])), ["`the file`: expected an object with settings, got a list; ignored"]);
}

#[test]
fn pr_2_strongest_source_wins_and_rules_are_combined() {
    let layer = |source, value| SettingsLayer { source, value };
    let (settings, problems) = merge_layers(vec![
        layer(
            ConfigSource::User,
            json!({ "permissions": { "allow": ["A", "B"], "additionalDirectories": ["/u"], "defaultMode": "acceptEdits" },
            "model": { "main": "user", "small": "user" }, "env": { "A": "user", "B": "user" } }),
        ),
        layer(ConfigSource::Managed, json!({ "permissions": { "deny": ["M"], "additionalDirectories": ["/m"] } })),
        layer(
            ConfigSource::Project,
            json!({ "permissions": { "allow": ["B", "C"] }, "model": { "main": "project" }, "env": { "A": "p" } }),
        ),
        layer(ConfigSource::Local, json!({ "permissions": { "deny": ["L"], "defaultMode": "plan" } })),
    ]);
    assert_eq!(problems, []);
    assert_eq!(settings.permissions.allow, ["B", "C", "A"]);
    assert_eq!(settings.permissions.deny, ["M", "L"]);
    assert_eq!(settings.permissions.additional_directories, ["/m"]);
    assert_eq!(settings.permissions.default_mode, Some(Mode::Plan));
    assert_eq!((settings.model.main.as_deref(), settings.model.small.as_deref()), (Some("project"), Some("user")));
    assert_eq!((settings.env["A"].as_str(), settings.env["B"].as_str()), ("p", "user"));
}

#[test]
fn pr_2_values_from_different_layers_combine() {
    let layer = |source, value| SettingsLayer { source, value };
    let (settings, problems) = merge_layers(vec![
        layer(ConfigSource::User, json!({ "thinking": { "budget": 1000 } })),
        layer(ConfigSource::Project, json!({ "thinking": { "effort": "high" } })),
    ]);
    assert_eq!((settings.thinking.budget, problems), (Some(1000), vec![]));
}

#[test]
fn pm_110_opusplan_sets_two_models() {
    let mut choice = ModelSettings::default();
    choice.set_main_model("opusplan");
    assert_eq!((choice.main.as_deref(), choice.plan.as_deref()), (Some("sonnet"), Some("opus")));
}

#[test]
fn defaults_survive_a_round_trip() {
    let value = serde_json::to_value(Settings::default()).unwrap();
    let (value, problems) = check_settings(value);
    assert_eq!(serde_json::from_value::<Settings>(value).unwrap(), Settings::default());
    assert_eq!(problems, []);
}

#[test]
fn every_setting_is_documented() {
    fn walk(schema: &Value, path: &str, missing: &mut Vec<String>) {
        for (key, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let path = format!("{path}.{key}");
            if inner.get("description").is_none() && !["input", "output"].contains(&key.as_str()) {
                missing.push(path.clone());
            }
            walk(inner, &path, missing);
        }
    }
    let mut missing = Vec::new();
    walk(&settings_schema(), "", &mut missing);
    assert_eq!(missing, Vec::<String>::new());
}

/// CL-4: the published schema and page match the type. `UPDATE=1` rewrites them.
#[test]
fn cl_4_published_schema_and_page_are_current() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let schema = serde_json::to_string_pretty(&settings_schema()).unwrap() + "\n";
    for (name, text) in [("settings.schema.json", schema), ("settings.md", docs::render_page())] {
        let path = docs.join(name);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::create_dir_all(&docs).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let held = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(held == text, "docs/reference/{name} is out of date: run UPDATE=1 cargo test -p cutonce-core settings");
    }
}
