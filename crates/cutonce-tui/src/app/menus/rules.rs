//! `/permissions` (PR-1, PR-7): lists the active rules with their source, adds and removes rules. An added
//! rule applies at once. A removed rule stays active in the running session, and the menu says so.

use crate::app::App;
use crate::overlays::menu::{Menu, MenuKey, MenuKind, MenuRow};
use crate::overlays::pager::{PagerContent, PagerItem};
use cutonce_agent::config;
use cutonce_core::permission::rules::{ConfigSource, RuleBehavior, RuleError, RuleSet, WrittenRule};
use cutonce_core::protocol::host::{RuleChange, RuleChangeKind};
use cutonce_core::protocol::submission::{RuleDestination, Submission};

const RULE_KEYS: &[MenuKey] = &[
    MenuKey::with_prompt('a', "allow …", "allow, such as Bash(cargo test:*) or Edit(src/**)"),
    MenuKey::with_prompt('s', "ask …", "ask before, such as Bash(git push:*)"),
    MenuKey::with_prompt('d', "deny …", "deny, such as Read(.env)"),
    MenuKey::new('x', "remove"),
];

impl App {
    pub(in crate::app) fn show_rules(&mut self, at: &str, notice: Option<String>) {
        let rows = self.listed_rules().iter().map(|(rule, waits)| rule_row(rule, *waits)).collect();
        let title = format!("Permission rules: deny wins over ask, ask over allow · mode {}", self.status.view.mode);
        let menu = Menu::new(MenuKind::Permissions, title, rows, RULE_KEYS, self.theme);
        let then = self.status.view.mode.describe_defaults();
        let none = format!("No rules: {then}. Press a, s or d to add one to .cutonce/settings.local.json.");
        self.open_overlay(Box::new(menu.with_empty_text(none).with_selected(at).with_notice(notice)), None);
    }

    /// Rules from files and the command line, denials first. `true`: ignored until the user trusts the folder
    /// (PR-2).
    fn listed_rules(&self) -> Vec<(WrittenRule, bool)> {
        let loaded = config::load_settings(&self.settings_paths(), None);
        let base = self.environment.cwd.clone();
        let aside = loaded.set_aside.iter().filter(|one| one.path == "permissions.allow").flat_map(|one| {
            let texts = one.value.as_array().into_iter().flatten().filter_map(|rule| rule.as_str());
            texts.map(|text| WrittenRule {
                behavior: RuleBehavior::Allow,
                text: text.to_string(),
                source: one.source,
                base: base.clone(),
            })
        });
        let given = |behavior: RuleBehavior, texts: &[String]| {
            let written = |text: &String| WrittenRule {
                behavior,
                text: text.clone(),
                source: ConfigSource::CommandLine,
                base: base.clone(),
            };
            texts.iter().map(written).collect::<Vec<_>>()
        };
        let flags = given(RuleBehavior::Allow, &self.environment.command_line_rules.allow)
            .into_iter()
            .chain(given(RuleBehavior::Deny, &self.environment.command_line_rules.deny));
        let known = loaded.rules.iter().cloned().chain(flags).map(|rule| (rule, false));
        let mut rules: Vec<(WrittenRule, bool)> = known.chain(aside.map(|rule| (rule, true))).collect();
        rules.sort_by_key(|(rule, _)| match rule.behavior {
            RuleBehavior::Deny => 0,
            RuleBehavior::Ask => 1,
            RuleBehavior::Allow => 2,
        });
        rules
    }

    pub(super) fn on_rule_key(&mut self, id: &str, key: char, words: &str) {
        let behavior = match key {
            'a' => RuleBehavior::Allow,
            's' => RuleBehavior::Ask,
            'd' => RuleBehavior::Deny,
            _ => {
                let notice = self.remove_rule(id);
                return self.show_rules("", Some(notice));
            }
        };
        if let Err(why) = validate_rule(behavior, words, &self.environment.cwd) {
            return self.show_rules(id, Some(why.to_string()));
        }
        let change = RuleChange {
            kind: RuleChangeKind::Add,
            behavior,
            rules: vec![words.to_string()],
            destination: RuleDestination::Local,
        };
        // Save it first so that the reloaded menu shows it; the session then applies it.
        let stored = self.settings_paths().save_rule(RuleDestination::Local, behavior, words);
        let notice = stored.err().map(|error| format!("Applies to this session only, because saving failed: {error}"));
        self.submit(Submission::ChangeRules(change));
        self.show_rules(&format!("{behavior:?}{words}{:?}", ConfigSource::Local), notice);
    }

    fn remove_rule(&mut self, id: &str) -> String {
        let found = self.listed_rules().into_iter().find(|(rule, waits)| rule_row(rule, *waits).id == id);
        let Some((rule, _)) = found else {
            return "That rule no longer exists.".into();
        };
        let place = match rule.source {
            ConfigSource::Local => RuleDestination::Local,
            ConfigSource::Project => RuleDestination::Project,
            ConfigSource::User => RuleDestination::User,
            ConfigSource::Managed | ConfigSource::CommandLine | ConfigSource::Session => {
                return format!("{} can't be changed here.", rule.source);
            }
        };
        match self.settings_paths().remove_rule(place, rule.behavior, &rule.text) {
            Ok(true) => format!("Removed from {}; running sessions keep it until they end.", rule.source),
            Ok(false) => "That rule no longer exists.".into(),
            Err(error) => error.to_string(),
        }
    }
}

/// Rejects a rule that can't be parsed.
fn validate_rule(behavior: RuleBehavior, words: &str, cwd: &std::path::Path) -> Result<(), RuleError> {
    let written = WrittenRule { behavior, text: words.into(), source: ConfigSource::Local, base: cwd.to_path_buf() };
    let rules = RuleSet::new(None, cwd, [written]);
    rules.errors().first().map_or(Ok(()), |error| Err(error.clone()))
}

fn rule_row(rule: &WrittenRule, waits: bool) -> MenuRow {
    let word = match rule.behavior {
        RuleBehavior::Allow => "allow",
        RuleBehavior::Ask => "ask  ",
        RuleBehavior::Deny => "deny ",
    };
    let own = matches!(rule.source, ConfigSource::Local | ConfigSource::Project | ConfigSource::User);
    MenuRow {
        id: format!("{:?}{}{:?}", rule.behavior, rule.text, rule.source),
        name: format!("{word} {}", rule.text),
        note: match waits {
            true => format!("{}, ignored until you trust this folder (/trust)", rule.source),
            false => rule.source.to_string(),
        },
        is_warning: waits,
        preview: vec![PagerItem {
            title: String::new(),
            body: PagerContent::Plain(format!("{word} {}\n{}", rule.text, rule.source).into()),
        }],
        keys: if own { "x" } else { "" },
        ..MenuRow::default()
    }
}
