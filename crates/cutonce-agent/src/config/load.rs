//! Loads the settings (CL-4, PR-2) from five sources, each checked separately; untrusted project settings are set
//! aside.

use super::{SetAside, add_rule, granted_rules, managed, remove_rule, settings_file, untrusted};
use crate::config::trust;
use crate::storage::paths::{cutonce_home, user_home};
use cutonce_core::mode::Mode;
use cutonce_core::permission::rules::{ConfigSource, RuleBehavior, WrittenRule};
use cutonce_core::protocol::submission::RuleDestination;
use cutonce_core::settings::merge::rules_in;
use cutonce_core::settings::{SettingProblem, Settings, SettingsLayer, merge_layers};
use cutonce_core::text::number::count_noun;
use cutonce_core::text::sanitize::one_line;
use cutonce_core::text::truncate::with_ellipsis;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The locations of settings.
#[derive(Debug, Clone)]
pub struct SettingsPaths {
    /// The administrator's file.
    pub managed: PathBuf,
    /// The cutonce home.
    pub home: PathBuf,
    /// $HOME.
    pub user_home: Option<PathBuf>,
    /// The folder that the session works in.
    pub project: PathBuf,
    /// `--managed-settings`: JSON settings imposed by a host (HO-1). They can only restrict.
    pub managed_flag: Option<String>,
}

/// The administrator's settings file.
pub const MANAGED_FILE: &str = "/etc/cutonce/settings.json";

impl SettingsPaths {
    /// `None` without a home: neither $CUTONCE_HOME nor $HOME is set.
    pub fn new(env: &dyn Fn(&str) -> Option<OsString>, project: impl Into<PathBuf>) -> Option<SettingsPaths> {
        let managed = PathBuf::from(MANAGED_FILE);
        let (home, user_home, project) = (cutonce_home(env)?, user_home(env), project.into());
        Some(SettingsPaths { managed, home, user_home, project, managed_flag: None })
    }

    /// The file that «don't ask again» writes to; none for the session.
    pub fn rule_file(&self, place: RuleDestination) -> Option<PathBuf> {
        match place {
            RuleDestination::Session => None,
            RuleDestination::Local => Some(self.project.join(".cutonce/settings.local.json")),
            RuleDestination::Project => Some(self.project.join(".cutonce/settings.json")),
            RuleDestination::User => Some(self.home.join("settings.json")),
        }
    }

    /// Saves a rule of the user (PR-7). In an untrusted folder, the user's home also records that the user added it
    /// (PR-2).
    pub fn save_rule(&self, place: RuleDestination, behavior: RuleBehavior, rule: &str) -> std::io::Result<()> {
        let Some(file) = self.rule_file(place) else { return Ok(()) };
        add_rule(&file, behavior, rule)?;
        let waits = is_project_file(place) && behavior == RuleBehavior::Allow && !load_settings(self, None).trusted;
        if waits { granted_rules::add_granted(self, rule) } else { Ok(()) }
    }

    /// Removes a saved rule; returns false if it isn't there.
    pub fn remove_rule(&self, place: RuleDestination, behavior: RuleBehavior, rule: &str) -> std::io::Result<bool> {
        let Some(file) = self.rule_file(place) else { return Ok(false) };
        if is_project_file(place) && behavior == RuleBehavior::Allow {
            granted_rules::remove_granted(self, rule)?;
        }
        remove_rule(&file, behavior, rule)
    }

    /// All files, highest priority first. In the user's home, the project's file is the user's file and listed once.
    fn settings_files(&self) -> Vec<(ConfigSource, PathBuf)> {
        let project = self.project.join(".cutonce");
        let same = |a: &Path, b: &Path| a.canonicalize().ok().is_some_and(|a| b.canonicalize().ok() == Some(a));
        let own = [
            (ConfigSource::Local, project.join("settings.local.json")),
            (ConfigSource::Project, project.join("settings.json")),
        ];
        let own = own.into_iter().filter(|_| !same(&project, &self.home));
        let others =
            [(ConfigSource::User, self.home.join("settings.json")), (ConfigSource::Managed, self.managed.clone())];
        let mut files: Vec<_> = own.chain(others).collect();
        files.sort_by_key(|(source, _)| *source);
        files
    }

    /// A value that reveals whether any file has changed.
    pub(crate) fn stamp(&self) -> SettingsStamp {
        let one = |path: PathBuf| path.metadata().ok().and_then(|meta| Some((meta.modified().ok()?, meta.len())));
        self.settings_files().into_iter().map(|(_, path)| one(path)).collect()
    }

    /// The folder that relative paths of a source refer to.
    fn base_folder(&self, source: ConfigSource) -> PathBuf {
        match source {
            ConfigSource::Managed => PathBuf::from("/"),
            ConfigSource::CommandLine | ConfigSource::Session | ConfigSource::Local | ConfigSource::Project => {
                self.project.clone()
            }
            ConfigSource::User => self.user_home.clone().unwrap_or_else(|| self.home.clone()),
        }
    }
}

/// Modification time and length of each settings file; `None` for missing ones.
pub(crate) type SettingsStamp = Vec<Option<(std::time::SystemTime, u64)>>;

/// The merged settings of all sources.
#[derive(Debug, Clone)]
pub struct LoadedSettings {
    /// The merged settings.
    pub settings: Settings,
    /// All active rules with their sources.
    pub rules: Vec<WrittenRule>,
    /// Ignored settings, and why.
    pub warnings: Vec<SettingsWarning>,
    /// Project settings that are ignored until the folder is trusted.
    pub set_aside: Vec<SetAside>,
    /// Whether the user trusts this folder.
    pub trusted: bool,
    /// `mcpServers` of each source with its file; `mcp` decides which may start (HO-6).
    pub mcp_servers: Vec<(ConfigSource, String, Value)>,
    /// Whether the project's `.mcp.json` is used; a host may exclude it.
    pub mcp_file: bool,
}

/// A setting that is ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsWarning {
    /// The file that contains it.
    pub file: String,
    pub(crate) what: SettingsProblem,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingsProblem {
    /// Not JSON: the whole file is ignored.
    Broken {
        line: usize,
        column: usize,
        why: String,
    },
    Unreadable(String),
    Setting(SettingProblem),
    /// Problems that are not named one by one.
    More(usize),
    /// A duplicate key: only the last one is used.
    DuplicateKey {
        path: String,
    },
    /// `trust` outside the user's own settings.
    UserOnly {
        path: String,
    },
    /// A managed setting that does not restrict anything.
    Looser {
        path: String,
    },
}

/// Longest path of a setting on the screen.
const MAX_SHOWN_PATH: usize = 200;

impl SettingsWarning {
    /// Whether deny or ask rules may have been lost, so that the user must notice.
    pub fn is_loud(&self) -> bool {
        match &self.what {
            SettingsProblem::Broken { .. } | SettingsProblem::Unreadable(_) => true,
            SettingsProblem::Setting(problem) => {
                problem.whole_file_reason().is_some() || problem.path().starts_with("permissions")
            }
            SettingsProblem::DuplicateKey { path } => path.starts_with("permissions"),
            SettingsProblem::More(_) | SettingsProblem::UserOnly { .. } | SettingsProblem::Looser { .. } => false,
        }
    }
}

impl std::fmt::Display for SettingsWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let file = &self.file;
        let lost = "the whole file is ignored, including its deny rules";
        match &self.what {
            SettingsProblem::Broken { line, column, why } => {
                write!(f, "{file}:{line}:{column}: not JSON: {why}; {lost}")
            }
            SettingsProblem::Unreadable(why) => write!(f, "{file}: can't be read: {why}; {lost}"),
            SettingsProblem::Setting(problem) => write!(f, "{file}: {problem}"),
            SettingsProblem::More(n) => write!(f, "{file}: {}", count_noun(*n, "more problem")),
            SettingsProblem::DuplicateKey { path } => {
                let path = with_ellipsis(one_line(path), MAX_SHOWN_PATH);
                write!(f, "{file}: `{path}` is defined twice; only the last one is used: merge them")
            }
            SettingsProblem::UserOnly { path } => {
                write!(f, "{file}: `{path}` only works in your user settings; ignored")
            }
            SettingsProblem::Looser { path } => write!(f, "{file}: `{path}` does not restrict anything; ignored"),
        }
    }
}

/// Loads and merges all sources. `flag` is the value of --settings: a path or JSON.
pub fn load_settings(places: &SettingsPaths, flag: Option<&str>) -> LoadedSettings {
    load_settings_from(places, flag, None)
}

/// Loads only some sources: a host may exclude those of the user or project. Administrator settings and the flag are
/// always loaded.
pub(crate) fn load_settings_from(
    places: &SettingsPaths,
    flag: Option<&str>,
    only: Option<&[ConfigSource]>,
) -> LoadedSettings {
    let wanted =
        |source: ConfigSource| source == ConfigSource::Managed || only.is_none_or(|only| only.contains(&source));
    let mut warnings = Vec::new();
    let mut layers: Vec<(SettingsLayer, String)> = Vec::new();
    if let Some(flag) = flag {
        let (name, value) = settings_file::from_flag(flag, &places.project, &mut warnings);
        layers.extend(value.map(|value| (SettingsLayer { source: ConfigSource::CommandLine, value }, name)));
    }
    for (source, path) in places.settings_files().into_iter().filter(|(source, _)| wanted(*source)) {
        let name = path.display().to_string();
        let value = settings_file::read_settings_file(&path, &mut warnings);
        layers.extend(value.map(|value| (SettingsLayer { source, value }, name)));
    }
    for (layer, name) in &mut layers {
        remove_untrusted_trust(layer, name, &mut warnings);
        make_absolute(&mut layer.value, &places.base_folder(layer.source), places.user_home.as_deref());
    }
    let mcp_servers = layers
        .iter()
        .filter_map(|(layer, name)| Some((layer.source, name.clone(), layer.value.get("mcpServers")?.clone())))
        .collect();
    let trusted = trust::is_trusted(&places.home, places.user_home.as_deref(), &places.project, &trust_list(&layers));
    let mut set_aside = Vec::new();
    if !trusted {
        let (mode, given) = (non_project_mode(&layers), granted_rules(places, &mut warnings));
        for (layer, name) in layers.iter_mut().filter(|(layer, _)| is_project_source(layer.source)) {
            set_aside.extend(untrusted::remove_loosening(layer, name, mode, &given));
        }
    }
    if let Some(flag) = &places.managed_flag {
        let mode = non_project_mode(&layers);
        match managed::managed_layer(flag, mode) {
            Ok((layer, loose)) => {
                let left_out =
                    |path| SettingsWarning { file: managed::FLAG.into(), what: SettingsProblem::Looser { path } };
                warnings.extend(loose.into_iter().map(left_out));
                layers.push((layer, managed::FLAG.into()));
            }
            Err(why) => {
                warnings.push(SettingsWarning { file: managed::FLAG.into(), what: SettingsProblem::Unreadable(why) })
            }
        }
    }
    layers.sort_by_key(|(layer, _)| layer.source);
    let rules = layers.iter().flat_map(|(layer, _)| rules_of_layer(layer, places)).collect();
    let (settings, problems) = merge_layers(layers.into_iter().map(|(layer, _)| layer).collect());
    let together =
        |problem| SettingsWarning { file: "the merged settings".into(), what: SettingsProblem::Setting(problem) };
    warnings.extend(problems.into_iter().map(together));
    LoadedSettings {
        settings,
        rules,
        warnings,
        set_aside,
        trusted,
        mcp_servers,
        mcp_file: wanted(ConfigSource::Project),
    }
}

fn is_project_source(source: ConfigSource) -> bool {
    match source {
        ConfigSource::Local | ConfigSource::Project => true,
        ConfigSource::Managed | ConfigSource::CommandLine | ConfigSource::Session | ConfigSource::User => false,
    }
}

fn rules_of_layer(layer: &SettingsLayer, places: &SettingsPaths) -> Vec<WrittenRule> {
    let (source, base) = (layer.source, places.base_folder(layer.source));
    let rules = rules_in(&layer.value).into_iter();
    rules.map(|(behavior, text)| WrittenRule { behavior, text, source, base: base.clone() }).collect()
}

/// Rules the user allowed for this folder.
fn granted_rules(places: &SettingsPaths, warnings: &mut Vec<SettingsWarning>) -> Vec<String> {
    granted_rules::granted_rules(places).unwrap_or_else(|error| {
        warnings.push(SettingsWarning {
            file: "your rules for this folder".into(),
            what: SettingsProblem::Unreadable(error.to_string()),
        });
        Vec::new()
    })
}

/// Whether the place is a file in the project's folder.
fn is_project_file(place: RuleDestination) -> bool {
    match place {
        RuleDestination::Local | RuleDestination::Project => true,
        RuleDestination::Session | RuleDestination::User => false,
    }
}

/// Removes `trust` from other sources: a project must not trust itself.
fn remove_untrusted_trust(layer: &mut SettingsLayer, name: &str, warnings: &mut Vec<SettingsWarning>) {
    let here = match layer.source {
        ConfigSource::User | ConfigSource::Managed => true,
        ConfigSource::CommandLine | ConfigSource::Session | ConfigSource::Local | ConfigSource::Project => false,
    };
    if !here && layer.value.as_object_mut().is_some_and(|object| object.shift_remove("trust").is_some()) {
        warnings.push(SettingsWarning { file: name.into(), what: SettingsProblem::UserOnly { path: "trust".into() } });
    }
}

fn trust_list(layers: &[(SettingsLayer, String)]) -> Vec<String> {
    let lists = layers.iter().filter_map(|(layer, _)| layer.value.get("trust")?.as_array());
    lists.flatten().filter_map(|entry| entry.as_str().map(str::to_string)).collect()
}

/// The mode that the sources other than the project request.
fn non_project_mode(layers: &[(SettingsLayer, String)]) -> Option<Mode> {
    let mut others: Vec<_> = layers.iter().filter(|(layer, _)| !is_project_source(layer.source)).collect();
    others.sort_by_key(|(layer, _)| layer.source);
    let mode = |layer: &SettingsLayer| Mode::parse(layer.value.pointer("/permissions/defaultMode")?.as_str()?);
    others.into_iter().find_map(|(layer, _)| mode(layer))
}

/// Makes folders absolute, relative to the file that contains them.
fn make_absolute(value: &mut Value, base: &Path, user_home: Option<&Path>) {
    let list = value.pointer_mut("/permissions/additionalDirectories").and_then(Value::as_array_mut);
    for entry in list.into_iter().flatten() {
        let Some(text) = entry.as_str() else { continue };
        let path = match (text.strip_prefix("~/"), user_home) {
            (Some(rest), Some(home)) => home.join(rest),
            (Some(_), None) | (None, _) => base.join(text),
        };
        *entry = Value::from(path.to_string_lossy());
    }
}
