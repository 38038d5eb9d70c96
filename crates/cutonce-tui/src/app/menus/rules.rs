//! `/permissions` (PR-1, PR-7): the rules that hold here with where each is written, adding some and taking some out. What is added
//! holds at once; what is taken out of a file holds for the running session still, which is said.

use crate::app::App;
use crate::overlay::menu::{Key, Menu, Row, Which};
use crate::overlay::pager::{Body, Item};
use cutonce_agent::settings;
use cutonce_core::host::{RuleChange, RuleHow};
use cutonce_core::rule::{Behavior, Rules, Source, Written};
use cutonce_core::submission::{RememberIn, Submission};

const KEYS: &[Key] = &[
    Key::asking('a', "allow …", "allow, such as Bash(cargo test:*) or Edit(src/**)"),
    Key::asking('s', "ask …", "ask before, such as Bash(git push:*)"),
    Key::asking('d', "deny …", "deny, such as Read(.env)"),
    Key::of('x', "take out"),
];

impl App {
    pub(in crate::app) fn show_rules(&mut self, at: &str, notice: Option<String>) {
        let rows = self.rules().iter().map(|(rule, waits)| row(rule, *waits)).collect();
        let title = format!("Rules; deny before ask before allow; the mode is {}", self.status.mode);
        let menu = Menu::new(Which::Permissions, title, rows, KEYS, self.theme);
        let then = self.status.mode.without_rules();
        let none = format!("No rules: {then}. a, s and d add a rule to .cutonce/settings.local.json.");
        self.cover(Box::new(menu.empty(none).at(at).notice(notice)), None);
    }

    /// What files and command line say, denials first; true: it waits until the folder is trusted (PR-2).
    fn rules(&self) -> Vec<(Written, bool)> {
        let loaded = settings::load(&self.places(), None);
        let base = self.around.cwd.clone();
        let aside = loaded.set_aside.iter().filter(|one| one.path == "permissions.allow").flat_map(|one| {
            let texts = one.value.as_array().into_iter().flatten().filter_map(|rule| rule.as_str());
            texts.map(|text| Written {
                behavior: Behavior::Allow,
                text: text.to_string(),
                source: one.source,
                base: base.clone(),
            })
        });
        let given = |behavior: Behavior, texts: &[String]| {
            let written = |text: &String| Written {
                behavior,
                text: text.clone(),
                source: Source::CommandLine,
                base: base.clone(),
            };
            texts.iter().map(written).collect::<Vec<_>>()
        };
        let flags = given(Behavior::Allow, &self.around.flags.allow)
            .into_iter()
            .chain(given(Behavior::Deny, &self.around.flags.deny));
        let known = loaded.rules.iter().cloned().chain(flags).map(|rule| (rule, false));
        let mut rules: Vec<(Written, bool)> = known.chain(aside.map(|rule| (rule, true))).collect();
        rules.sort_by_key(|(rule, _)| match rule.behavior {
            Behavior::Deny => 0,
            Behavior::Ask => 1,
            Behavior::Allow => 2,
        });
        rules
    }

    pub(super) fn picked_rule(&mut self, id: &str, key: char, words: &str) {
        let behavior = match key {
            'a' => Behavior::Allow,
            's' => Behavior::Ask,
            'd' => Behavior::Deny,
            _ => {
                let notice = self.take_out(id);
                return self.show_rules("", Some(notice));
            }
        };
        if let Err(why) = understood(behavior, words, &self.around.cwd) {
            return self.show_rules(id, Some(why));
        }
        let change =
            RuleChange { how: RuleHow::Add, behavior, rules: vec![words.to_string()], where_to: RememberIn::Local };
        // On disk at once, so that the list that follows has it; the session adds it to what it holds.
        let stored = self.places().remember(RememberIn::Local, behavior, words);
        let notice = stored.err().map(|error| format!("It holds for this session only: {error}"));
        self.submit(Submission::ChangeRules(change));
        self.show_rules(&format!("{behavior:?}{words}{:?}", Source::Local), notice);
    }

    fn take_out(&mut self, id: &str) -> String {
        let found = self.rules().into_iter().find(|(rule, waits)| row(rule, *waits).id == id);
        let Some((rule, _)) = found else {
            return "That rule is not there any more.".into();
        };
        let place = match rule.source {
            Source::Local => RememberIn::Local,
            Source::Project => RememberIn::Project,
            Source::User => RememberIn::User,
            Source::Managed | Source::CommandLine | Source::Session => {
                return format!("{} can't be changed here.", rule.source);
            }
        };
        match self.places().forget(place, rule.behavior, &rule.text) {
            Ok(true) => format!("Taken out of {}; a running session keeps it until it ends.", rule.source),
            Ok(false) => "That rule is not there any more.".into(),
            Err(error) => error.to_string(),
        }
    }
}

/// A rule that would say nothing is not stored.
fn understood(behavior: Behavior, words: &str, cwd: &std::path::Path) -> Result<(), String> {
    let written = Written { behavior, text: words.into(), source: Source::Local, base: cwd.to_path_buf() };
    let rules = Rules::new(None, cwd, [written]);
    rules.errors().first().map_or(Ok(()), |error| Err(error.to_string()))
}

fn row(rule: &Written, waits: bool) -> Row {
    let word = match rule.behavior {
        Behavior::Allow => "allow",
        Behavior::Ask => "ask  ",
        Behavior::Deny => "deny ",
    };
    let own = matches!(rule.source, Source::Local | Source::Project | Source::User);
    Row {
        id: format!("{:?}{}{:?}", rule.behavior, rule.text, rule.source),
        name: format!("{word} {}", rule.text),
        note: match waits {
            true => format!("{}, waits until you trust this folder (cutonce trust)", rule.source),
            false => rule.source.to_string(),
        },
        warns: waits,
        preview: vec![Item {
            title: String::new(),
            body: Body::Plain(format!("{word} {}\n{}", rule.text, rule.source).into()),
        }],
        keys: if own { "x" } else { "" },
        ..Row::default()
    }
}
