//! How this session was started, as far as its teammates are started alike.

use crate::session::Approver;
use crate::start::Start;
use crate::team::{Join, Member};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Clone, Default)]
pub struct Template {
    pub home: PathBuf,
    pub user_home: Option<PathBuf>,
    pub cwd: PathBuf,
    pub env: Vec<(OsString, OsString)>,
    pub settings: Option<String>,
    pub allow: Vec<String>,
    pub deny: Vec<String>,
    pub model: Option<String>,
    pub bypass_available: bool,
    pub add_dirs: Vec<PathBuf>,
    /// The setting `team.mailbox`.
    pub mailbox: Option<String>,
    /// The program that a teammate with a process of its own runs; None: there can't be one.
    pub program: Option<PathBuf>,
}

impl Template {
    pub fn of(start: &Start, mailbox: Option<String>) -> Template {
        Template {
            home: start.home.clone(),
            user_home: start.user_home.clone(),
            cwd: start.cwd.clone(),
            env: start.env.clone(),
            settings: start.settings.clone(),
            allow: start.allow.clone(),
            deny: start.deny.clone(),
            model: start.model.clone(),
            bypass_available: start.bypass_available,
            add_dirs: start.add_dirs.clone(),
            mailbox,
            program: start.program.clone(),
        }
    }

    /// A teammate in this process.
    pub fn here(&self, team: &str, member: &Member) -> Start {
        Start {
            home: self.home.clone(),
            user_home: self.user_home.clone(),
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            settings: self.settings.clone(),
            allow: self.allow.clone(),
            deny: self.deny.clone(),
            model: member.model.clone().or_else(|| self.model.clone()),
            add_dirs: self.add_dirs.clone(),
            approver: Approver::Nobody,
            join: Some(Join { team: team.into(), name: member.name.clone() }),
            ..Start::default()
        }
    }

    /// The words after the program's name for a teammate of its own process.
    pub fn words(&self, team: &str, member: &Member) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["--team".into(), team.into(), "--name".into(), member.name.clone().into()];
        if let Some(model) = member.model.as_ref().or(self.model.as_ref()) {
            words.extend(["--model".into(), model.into()]);
        }
        if let Some(settings) = &self.settings {
            words.extend(["--settings".into(), settings.into()]);
        }
        for (flag, rules) in [("--allowedTools", &self.allow), ("--disallowedTools", &self.deny)] {
            words.extend(rules.iter().flat_map(|rule| [OsString::from(flag), rule.into()]));
        }
        words.extend(self.add_dirs.iter().flat_map(|dir| [OsString::from("--add-dir"), dir.into()]));
        words
    }
}
