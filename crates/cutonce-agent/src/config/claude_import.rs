//! Takes over what a user configured for Claude Code: settings, permission rules, hooks and MCP servers. Agents,
//! skills, commands and instructions are read in place. Nothing that is set already changes.

use super::SettingsPaths;
use super::change_settings;
use super::hidden_keys::brief;
use crate::storage::paths::read_bounded_text;
use cutonce_core::permission::rules::{ConfigSource, RuleBehavior, RuleSet, WrittenRule};
use cutonce_core::protocol::submission::RuleDestination;
use cutonce_core::settings::check_settings;
use cutonce_sandbox::env::is_secret_variable;
use serde_json::{Map, Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// Maximum size of a file of Claude Code; `~/.claude.json` grows with use.
const MAX_FILE_SIZE: u64 = 32 << 20;
/// Settings that mean the same here.
const SAME_MEANING: [&str; 6] = ["permissions", "model", "env", "hooks", "apiKeyHelper", "statusLine"];
/// What cutonce reads in place.
const READ_IN_PLACE: [&str; 4] = ["agents", "commands", "skills", "CLAUDE.md"];
/// Files and folders of Claude Code that mean nothing here.
const NO_COUNTERPART: [&str; 4] = ["keybindings.json", "output-styles", "plugins", "rules"];

/// What an import would do.
#[derive(Debug, Default)]
pub struct ClaudeImport {
    /// The files that change.
    pub files: Vec<ImportedFile>,
    /// What cutonce uses where it is.
    pub in_place: Vec<PathBuf>,
    /// What has no counterpart or can't be used, and why.
    pub left_out: Vec<String>,
}

/// Additions to one settings file.
#[derive(Debug)]
pub struct ImportedFile {
    /// The settings file of cutonce.
    pub path: PathBuf,
    /// One line for each addition.
    pub additions: Vec<String>,
    /// The whole file after the import.
    settings: Map<String, Value>,
}

impl ClaudeImport {
    /// Reads the files of Claude Code in the user's home and in the project. Changes nothing.
    pub fn prepare(places: &SettingsPaths) -> ClaudeImport {
        let mut import = ClaudeImport::default();
        let user = places.user_home.as_deref().map(|home| home.join(".claude"));
        let project = places.project.join(".claude");
        let sources = [
            (user.as_ref().map(|user| user.join("settings.json")), RuleDestination::User),
            (Some(project.join("settings.json")), RuleDestination::Project),
            (Some(project.join("settings.local.json")), RuleDestination::Local),
        ];
        for (from, to) in sources {
            let (Some(from), Some(to)) = (from, places.rule_file(to)) else { continue };
            if let Some(settings) = import.read(&from) {
                import.add_settings(places, &from, &to, settings);
            }
        }
        if let Some(home) = &places.user_home {
            import.add_state(places, &home.join(".claude.json"));
        }
        let within = |names: &[&str]| -> Vec<PathBuf> {
            let folders = user.iter().chain([&project]);
            folders.flat_map(|folder| names.iter().map(|name| folder.join(name))).filter(|path| path.exists()).collect()
        };
        let own = ["CLAUDE.md", ".mcp.json"].map(|name| places.project.join(name));
        import.in_place =
            within(&READ_IN_PLACE).into_iter().chain(own.into_iter().filter(|path| path.exists())).collect();
        import.in_place.dedup();
        let other = within(&NO_COUNTERPART);
        import.left_out.extend(other.iter().map(|path| format!("{}: no counterpart", path.display())));
        import
    }

    /// Writes the files. Each is written whole or not at all.
    pub fn apply(&self) -> io::Result<()> {
        for file in &self.files {
            change_settings(&file.path, |settings| {
                *settings = file.settings.clone();
                Ok(true)
            })?;
        }
        Ok(())
    }

    fn read(&mut self, path: &Path) -> Option<Map<String, Value>> {
        let text = match read_bounded_text(path, MAX_FILE_SIZE) {
            Ok(text) => text?,
            Err(error) => {
                self.left_out.push(format!("{}: can't be read: {error}", path.display()));
                return None;
            }
        };
        match serde_json::from_str(&text) {
            Ok(settings) => Some(settings),
            Err(error) => {
                self.left_out.push(format!("{}: not a JSON object: {error}", path.display()));
                None
            }
        }
    }

    fn add_settings(&mut self, places: &SettingsPaths, from: &Path, to: &Path, settings: Map<String, Value>) {
        let told = from.display();
        let (known, other): (Vec<_>, Vec<_>) =
            settings.into_iter().partition(|(name, _)| SAME_MEANING.contains(&name.as_str()));
        let mut given = Value::Object(known.into_iter().collect());
        let translated = |(name, value): &(String, Value)| translate(name, value).is_some();
        let (translated, other): (Vec<_>, Vec<_>) = other.into_iter().partition(translated);
        for (name, value) in translated.iter().filter_map(|(name, value)| translate(name, value)) {
            given[name] = value;
        }
        let names: Vec<String> = other.into_iter().map(|(name, _)| name).filter(|name| name != "$schema").collect();
        if !names.is_empty() {
            self.left_out.push(format!("{told}: no counterpart: {}", names.join(", ")));
        }
        self.drop_secret_variables(from, &mut given);
        self.drop_unusable_rules(places, from, &mut given);
        let (given, problems) = check_settings(given);
        self.left_out.extend(problems.iter().map(|problem| format!("{told}: {problem}")));
        self.add_to_file(to, given);
    }

    /// A key does not belong into settings.
    fn drop_secret_variables(&mut self, from: &Path, given: &mut Value) {
        let Some(env) = given.get_mut("env").and_then(Value::as_object_mut) else { return };
        env.retain(|name, value| {
            let secret = is_secret_variable(name, value.as_str().unwrap_or_default());
            if secret {
                let from = from.display();
                self.left_out
                    .push(format!("{from}: {name} looks like a secret; store a key with `cutonce key {name}`"));
            }
            !secret
        });
    }

    fn drop_unusable_rules(&mut self, places: &SettingsPaths, from: &Path, given: &mut Value) {
        let Some(permissions) = given.get_mut("permissions").and_then(Value::as_object_mut) else { return };
        let lists = [("allow", RuleBehavior::Allow), ("ask", RuleBehavior::Ask), ("deny", RuleBehavior::Deny)];
        for (name, behavior) in lists {
            let Some(rules) = permissions.get_mut(name).and_then(Value::as_array_mut) else { continue };
            rules.retain(|rule| {
                let Some(rule) = rule.as_str() else { return true };
                let written = WrittenRule {
                    text: rule.into(),
                    behavior,
                    source: ConfigSource::User,
                    base: places.project.clone(),
                };
                let parsed = RuleSet::new(places.user_home.as_deref(), &places.project, [written]);
                let usable = parsed.errors().is_empty();
                if !usable {
                    self.left_out.push(format!("{}: `{rule}` is not a valid rule", from.display()));
                }
                usable
            });
        }
    }

    /// The user's servers, and the servers and rules that Claude Code keeps for this project.
    fn add_state(&mut self, places: &SettingsPaths, from: &Path) {
        let Some(state) = self.read(from) else { return };
        if state.contains_key("primaryApiKey") {
            let words = "primaryApiKey is a key; store it with `cutonce key ANTHROPIC_API_KEY`";
            self.left_out.push(format!("{}: {words}", from.display()));
        }
        let looks = ["theme", "editorMode"].into_iter().filter_map(|name| translate(name, state.get(name)?));
        let looks: Map<String, Value> = looks.map(|(name, value)| (name.to_string(), value)).collect();
        if let Some(to) = places.rule_file(RuleDestination::User).filter(|_| !looks.is_empty()) {
            self.add_to_file(&to, Value::Object(looks));
        }
        let project = places.project.to_string_lossy();
        let own = state.get("projects").and_then(|all| all.get(project.as_ref()));
        let sources = [
            (state.get("mcpServers"), None, RuleDestination::User),
            (
                own.and_then(|own| own.get("mcpServers")),
                own.and_then(|own| own.get("allowedTools")),
                RuleDestination::Local,
            ),
        ];
        for (servers, allowed, to) in sources {
            let mut given = json!({});
            if let Some(servers) = servers.filter(|servers| servers.is_object()) {
                given["mcpServers"] = servers.clone();
            }
            if let Some(rules) = allowed.filter(|rules| rules.is_array()) {
                given["permissions"] = json!({"allow": rules});
            }
            self.drop_unusable_rules(places, from, &mut given);
            if let Some(to) = places.rule_file(to).filter(|_| given != json!({})) {
                self.add_to_file(&to, given);
            }
        }
    }

    /// Merges settings into a file, or into what is prepared for it.
    fn add_to_file(&mut self, to: &Path, given: Value) {
        let at = self.files.iter().position(|file| file.path == to);
        let mut file = match at {
            Some(at) => self.files.remove(at),
            None => {
                let settings = if to.exists() { self.read(to) } else { Some(Map::new()) };
                let Some(settings) = settings else { return };
                ImportedFile { path: to.into(), additions: Vec::new(), settings }
            }
        };
        for (name, value) in given.as_object().cloned().unwrap_or_default() {
            merge(&mut file.settings, name.clone(), value, &name, &mut file.additions);
        }
        if !file.additions.is_empty() {
            self.files.push(file);
        }
    }
}

/// A setting that has another name or other values here.
fn translate(name: &str, value: &Value) -> Option<(&'static str, Value)> {
    let text = value.as_str()?;
    match name {
        "effortLevel" if ["low", "medium", "high", "max"].contains(&text) => {
            Some(("thinking", json!({"effort": text})))
        }
        "theme" => {
            ["dark", "light"].into_iter().find(|known| text.starts_with(known)).map(|known| ("theme", json!(known)))
        }
        "editorMode" if text == "vim" => Some(("editorMode", json!(text))),
        _ => None,
    }
}

/// Adds what is missing: keys of objects, items of lists. A value that is there stays.
fn merge(into: &mut Map<String, Value>, key: String, value: Value, path: &str, additions: &mut Vec<String>) {
    match (into.get_mut(&key), value) {
        (Some(Value::Object(known)), Value::Object(new)) => {
            for (name, value) in new {
                let path = format!("{path}.{name}");
                merge(known, name, value, &path, additions);
            }
        }
        (Some(Value::Array(known)), Value::Array(new)) => {
            for item in new.into_iter().filter(|item| !item.is_null()) {
                if !known.contains(&item) {
                    additions.push(format!("{path}: {}", brief(&item)));
                    known.push(item);
                }
            }
        }
        (Some(_), _) => {}
        (None, Value::Object(new)) if path.matches('.').count() < 1 => {
            into.insert(key.clone(), json!({}));
            merge(into, key, Value::Object(new), path, additions);
        }
        (None, Value::Array(new)) => {
            if new.is_empty() {
                return;
            }
            into.insert(key.clone(), json!([]));
            merge(into, key, Value::Array(new), path, additions);
        }
        (None, value) => {
            additions.push(format!("{path}: {}", brief(&value)));
            into.insert(key, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(files: &[(&str, Value)]) -> (tempfile::TempDir, SettingsPaths) {
        let root = tempfile::tempdir().unwrap();
        for (path, value) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, value.to_string()).unwrap();
        }
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir_all(at("app")).unwrap();
        let places = SettingsPaths {
            managed: at("none"),
            home: at(".cutonce"),
            user_home: Some(root.path().into()),
            project: at("app"),
            managed_flag: None,
        };
        (root, places)
    }

    fn settings(path: &Path) -> Value {
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    #[test]
    fn import_takes_settings_rules_hooks_and_servers() {
        let hook = json!({"matcher": "Edit", "hooks": [{"type": "command", "command": "fmt"}]});
        let (root, places) = world(&[
            (
                ".claude/settings.json",
                json!({"model": "opus", "outputStyle": "x", "effortLevel": "high", "theme": "dark-ansi", "statusLine": {"type": "command", "command": "line"}, "env": {"A": "1", "MY_API_KEY": "sk-secret-000001", "ANTHROPIC_API_KEY": "short"},
                   "permissions": {"allow": ["Bash(git log:*)", "Bash(("], "deny": ["Read(./.env)"]},
                   "hooks": {"PostToolUse": [hook.clone()], "WorktreeCreate": []}}),
            ),
            (
                ".claude.json",
                json!({"mcpServers": {"files": {"command": "srv", "env": {"T": "tok-1"}}}, "numStartups": 3, "editorMode": "vim", "primaryApiKey": "sk-secret-000002"}),
            ),
            ("app/.claude/settings.local.json", json!({"permissions": {"allow": ["Bash(make:*)"]}})),
            (".cutonce/settings.json", json!({"theme": "dark", "permissions": {"allow": ["Edit"]}})),
            ("app/.claude/commands/x.md", json!("")),
            ("app/.mcp.json", json!({})),
            (".claude/CLAUDE.md", json!("")),
            (".claude/keybindings.json", json!({})),
        ]);
        let mut state = settings(&root.path().join(".claude.json"));
        state["projects"] = json!({"/elsewhere": {"mcpServers": {"there": {"command": "no"}}}});
        state["projects"][places.project.to_str().unwrap()] =
            json!({"mcpServers": {"here": {"command": "own"}}, "allowedTools": ["Edit", "Bash(("]});
        std::fs::write(root.path().join(".claude.json"), state.to_string()).unwrap();
        let import = ClaudeImport::prepare(&places);
        assert_eq!(settings(&places.home.join("settings.json"))["model"], Value::Null, "prepare changes nothing");
        let left = import.left_out.join("\n");
        for words in [
            "no counterpart: outputStyle",
            "MY_API_KEY looks like a secret",
            "ANTHROPIC_API_KEY looks",
            "Bash((",
            "WorktreeCreate",
            "keybindings.json: no counterpart",
            "primaryApiKey is a key",
        ] {
            assert!(left.contains(words), "{words}: {left}");
        }
        let shown: Vec<&String> = import.files.iter().flat_map(|file| &file.additions).collect();
        assert!(!left.contains("sk-secret") && !format!("{shown:?}").contains("tok-1"), "{left} {shown:?}");
        let in_place = [".claude/CLAUDE.md", "app/.claude/commands", "app/.mcp.json"];
        assert_eq!(import.in_place, in_place.map(|path| root.path().join(path)));
        import.apply().unwrap();
        let user = settings(&places.home.join("settings.json"));
        assert_eq!(user["theme"], "dark");
        assert_eq!(user["model"]["main"], "opus");
        assert_eq!((&user["thinking"]["effort"], &user["editorMode"]), (&json!("high"), &json!("vim")));
        assert_eq!(user["permissions"]["allow"], json!(["Edit", "Bash(git log:*)"]));
        assert_eq!(user["hooks"]["PostToolUse"], json!([hook]));
        assert_eq!(
            (&user["statusLine"]["command"], &user["mcpServers"]["files"]["env"]["T"]),
            (&json!("line"), &json!("tok-1"))
        );
        assert_eq!((&user["env"], &user["mcpServers"]["files"]["command"]), (&json!({"A": "1"}), &json!("srv")));
        let local = settings(&places.project.join(".cutonce/settings.local.json"));
        let own =
            json!({"permissions": {"allow": ["Bash(make:*)", "Edit"]}, "mcpServers": {"here": {"command": "own"}}});
        assert_eq!((local, &user["mcpServers"]["here"]), (own, &Value::Null), "a project's servers stay there");
        assert!(ClaudeImport::prepare(&places).files.is_empty(), "a second import adds nothing");
    }

    #[test]
    fn import_keeps_what_is_set_and_survives_broken_files() {
        let (root, places) = world(&[
            (".claude/settings.json", json!({"model": "opus", "permissions": {"defaultMode": "plan"}})),
            (".claude.json", json!(["odd"])),
            (".cutonce/settings.json", json!({"model": {"main": "haiku"}})),
        ]);
        std::fs::create_dir_all(root.path().join("app/.claude")).unwrap();
        std::fs::write(root.path().join("app/.claude/settings.json"), "{ broken").unwrap();
        let import = ClaudeImport::prepare(&places);
        assert!(import.left_out.join("\n").contains("not a JSON object"), "{:?}", import.left_out);
        import.apply().unwrap();
        let user = settings(&places.home.join("settings.json"));
        assert_eq!((&user["model"]["main"], &user["permissions"]["defaultMode"]), (&json!("haiku"), &json!("plan")));
    }
}
