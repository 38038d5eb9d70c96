//! Loading the settings (CL-4, PR-2): five sources, each checked alone; what an untrusted project may not say is set aside.

mod file;
mod granted;
mod managed;
mod tighten;
mod twice;

pub use file::{forget, remember, unusable};
pub use managed::unusable as managed_unusable;
pub use tighten::SetAside;

use crate::store::place::{home, user_home};
use crate::trust;
use cutonce_core::mode::Mode;
use cutonce_core::rule::{Behavior, Source, Written};
use cutonce_core::settings::merge::rules_of;
use cutonce_core::settings::{Layer, Problem, Settings, merge};
use cutonce_core::submission::RememberIn;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where settings may be.
#[derive(Debug, Clone)]
pub struct Places {
    /// The administrator's file.
    pub managed: PathBuf,
    /// The cutonce home.
    pub home: PathBuf,
    /// $HOME.
    pub user_home: Option<PathBuf>,
    /// The folder that the session works in.
    pub project: PathBuf,
    /// `--managed-settings`: what a host holds its sessions to, as JSON (HO-1). It can only tighten.
    pub managed_flag: Option<String>,
}

/// What an administrator sets for everybody.
pub const MANAGED: &str = "/etc/cutonce/settings.json";

impl Places {
    /// `None` without a home: neither $CUTONCE_HOME nor $HOME is set.
    pub fn new(env: &dyn Fn(&str) -> Option<OsString>, project: impl Into<PathBuf>) -> Option<Places> {
        let managed = PathBuf::from(MANAGED);
        let (home, user_home, project) = (home(env)?, user_home(env), project.into());
        Some(Places { managed, home, user_home, project, managed_flag: None })
    }

    /// The file that «don't ask again» writes to; none for the session.
    pub fn file(&self, place: RememberIn) -> Option<PathBuf> {
        match place {
            RememberIn::Session => None,
            RememberIn::Local => Some(self.project.join(".cutonce/settings.local.json")),
            RememberIn::Project => Some(self.project.join(".cutonce/settings.json")),
            RememberIn::User => Some(self.home.join("settings.json")),
        }
    }

    /// Keep a rule that the person gave, so that it holds from now on (PR-7). In a folder that is not trusted the person's home
    /// also keeps that it was them who said so (PR-2).
    pub fn remember(&self, place: RememberIn, behavior: Behavior, rule: &str) -> std::io::Result<()> {
        let Some(file) = self.file(place) else { return Ok(()) };
        remember(&file, behavior, rule)?;
        let waits = is_own(place) && behavior == Behavior::Allow && !load(self, None).trusted;
        if waits { granted::add(self, rule) } else { Ok(()) }
    }

    /// Take such a rule back; false if it is not there.
    pub fn forget(&self, place: RememberIn, behavior: Behavior, rule: &str) -> std::io::Result<bool> {
        let Some(file) = self.file(place) else { return Ok(false) };
        if is_own(place) && behavior == Behavior::Allow {
            granted::remove(self, rule)?;
        }
        forget(&file, behavior, rule)
    }

    /// All files, strongest first. In the user's own home the project's file is the user's file: once is enough.
    fn files(&self) -> Vec<(Source, PathBuf)> {
        let project = self.project.join(".cutonce");
        let same = |a: &Path, b: &Path| a.canonicalize().ok().is_some_and(|a| b.canonicalize().ok() == Some(a));
        let own =
            [(Source::Local, project.join("settings.local.json")), (Source::Project, project.join("settings.json"))];
        let own = own.into_iter().filter(|_| !same(&project, &self.home));
        let others = [(Source::User, self.home.join("settings.json")), (Source::Managed, self.managed.clone())];
        let mut files: Vec<_> = own.chain(others).collect();
        files.sort_by_key(|(source, _)| *source);
        files
    }

    /// What tells whether a file has changed since it was read.
    pub(crate) fn stamp(&self) -> Stamp {
        let one = |path: PathBuf| path.metadata().ok().and_then(|meta| Some((meta.modified().ok()?, meta.len())));
        self.files().into_iter().map(|(_, path)| one(path)).collect()
    }

    /// The folder that relative paths of a source start from.
    fn base(&self, source: Source) -> PathBuf {
        match source {
            Source::Managed => PathBuf::from("/"),
            Source::CommandLine | Source::Session | Source::Local | Source::Project => self.project.clone(),
            Source::User => self.user_home.clone().unwrap_or_else(|| self.home.clone()),
        }
    }
}

/// When each settings file was last written, and its length; None where there is none.
pub(crate) type Stamp = Vec<Option<(std::time::SystemTime, u64)>>;

/// What the sources say together.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// All that counts, merged.
    pub settings: Settings,
    /// All rules in force, with where they came from.
    pub rules: Vec<Written>,
    /// What does not count, and why.
    pub warnings: Vec<Warning>,
    /// What the project's own files say and may not until the folder is trusted.
    pub set_aside: Vec<SetAside>,
    /// The user trusts this folder.
    pub trusted: bool,
    /// `mcpServers` of each source with its file: what may start is for `mcp` to say, project by project (HO-6).
    pub mcp_servers: Vec<(Source, String, Value)>,
    /// The project's `.mcp.json` counts too: a host may want nothing of the project's.
    pub mcp_file: bool,
}

/// Something in a file that does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Where it stands.
    pub file: String,
    pub(crate) what: Wrong,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// No JSON: nothing of the file counts.
    Broken {
        line: usize,
        column: usize,
        why: String,
    },
    Unreadable(String),
    Setting(Problem),
    /// The last one counts, and what the first held does not.
    Twice {
        path: String,
    },
    /// `trust` outside of the user's own settings.
    NotHere {
        path: String,
    },
    /// In what may only tighten.
    Looser {
        path: String,
    },
}

impl Warning {
    /// The file might have held deny or ask rules that are now not in force: to be said where nobody overlooks it.
    pub fn is_loud(&self) -> bool {
        match &self.what {
            Wrong::Broken { .. } | Wrong::Unreadable(_) => true,
            Wrong::Setting(problem) => problem.path().starts_with("permissions"),
            Wrong::Twice { path } => path.starts_with("permissions"),
            Wrong::NotHere { .. } | Wrong::Looser { .. } => false,
        }
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let file = &self.file;
        let lost = "nothing in it counts, deny rules neither";
        match &self.what {
            Wrong::Broken { line, column, why } => write!(f, "{file}:{line}:{column}: not JSON: {why}; {lost}"),
            Wrong::Unreadable(why) => write!(f, "{file}: can't be read: {why}; {lost}"),
            Wrong::Setting(problem) => write!(f, "{file}: {problem}"),
            Wrong::Twice { path } => {
                write!(f, "{file}: `{path}` stands there twice; only the last one counts: join them")
            }
            Wrong::NotHere { path } => write!(f, "{file}: `{path}` counts in your user settings only, ignored"),
            Wrong::Looser { path } => write!(f, "{file}: `{path}` takes no rights away, ignored"),
        }
    }
}

/// Load and merge all sources. `flag` is the value of --settings: a path, or JSON.
pub fn load(places: &Places, flag: Option<&str>) -> Loaded {
    load_from(places, flag, None)
}

/// The same from some sources only: a host may want nothing of the user's or the project's. What an administrator set
/// and the flag always count.
pub(crate) fn load_from(places: &Places, flag: Option<&str>, only: Option<&[Source]>) -> Loaded {
    let wanted = |source: Source| source == Source::Managed || only.is_none_or(|only| only.contains(&source));
    let mut warnings = Vec::new();
    let mut layers: Vec<(Layer, String)> = Vec::new();
    if let Some(flag) = flag {
        let (name, value) = file::from_flag(flag, &places.project, &mut warnings);
        layers.extend(value.map(|value| (Layer { source: Source::CommandLine, value }, name)));
    }
    for (source, path) in places.files().into_iter().filter(|(source, _)| wanted(*source)) {
        let name = path.display().to_string();
        let value = file::read(&path, &mut warnings);
        layers.extend(value.map(|value| (Layer { source, value }, name)));
    }
    for (layer, name) in &mut layers {
        only_from_the_user(layer, name, &mut warnings);
        make_absolute(&mut layer.value, &places.base(layer.source), places.user_home.as_deref());
    }
    let mcp_servers = layers
        .iter()
        .filter_map(|(layer, name)| Some((layer.source, name.clone(), layer.value.get("mcpServers")?.clone())))
        .collect();
    let trusted = trust::is_trusted(&places.home, places.user_home.as_deref(), &places.project, &trust_list(&layers));
    let mut set_aside = Vec::new();
    if !trusted {
        let (mode, given) = (mode_without_the_project(&layers), given_here(places, &mut warnings));
        for (layer, name) in layers.iter_mut().filter(|(layer, _)| is_projects(layer.source)) {
            set_aside.extend(tighten::only_stricter(layer, name, mode, &given));
        }
    }
    if let Some(flag) = &places.managed_flag {
        let mode = mode_without_the_project(&layers);
        match managed::layer(flag, mode) {
            Ok((layer, loose)) => {
                let left_out = |path| Warning { file: managed::FLAG.into(), what: Wrong::Looser { path } };
                warnings.extend(loose.into_iter().map(left_out));
                layers.push((layer, managed::FLAG.into()));
            }
            Err(why) => warnings.push(Warning { file: managed::FLAG.into(), what: Wrong::Unreadable(why) }),
        }
    }
    layers.sort_by_key(|(layer, _)| layer.source);
    let rules = layers.iter().flat_map(|(layer, _)| written(layer, places)).collect();
    let (settings, problems) = merge(layers.into_iter().map(|(layer, _)| layer).collect());
    let together = |problem| Warning { file: "the settings together".into(), what: Wrong::Setting(problem) };
    warnings.extend(problems.into_iter().map(together));
    Loaded { settings, rules, warnings, set_aside, trusted, mcp_servers, mcp_file: wanted(Source::Project) }
}

fn is_projects(source: Source) -> bool {
    match source {
        Source::Local | Source::Project => true,
        Source::Managed | Source::CommandLine | Source::Session | Source::User => false,
    }
}

fn written(layer: &Layer, places: &Places) -> Vec<Written> {
    let (source, base) = (layer.source, places.base(layer.source));
    let rules = rules_of(&layer.value).into_iter();
    rules.map(|(behavior, text)| Written { behavior, text, source, base: base.clone() }).collect()
}

/// What the person allowed for this folder alone.
fn given_here(places: &Places, warnings: &mut Vec<Warning>) -> Vec<String> {
    granted::rules(places).unwrap_or_else(|error| {
        warnings
            .push(Warning { file: "your rules for this folder".into(), what: Wrong::Unreadable(error.to_string()) });
        Vec::new()
    })
}

/// A file in the project's own folder.
fn is_own(place: RememberIn) -> bool {
    match place {
        RememberIn::Local | RememberIn::Project => true,
        RememberIn::Session | RememberIn::User => false,
    }
}

/// A project that could trust itself would need no trust.
fn only_from_the_user(layer: &mut Layer, name: &str, warnings: &mut Vec<Warning>) {
    let here = match layer.source {
        Source::User | Source::Managed => true,
        Source::CommandLine | Source::Session | Source::Local | Source::Project => false,
    };
    if !here && layer.value.as_object_mut().is_some_and(|object| object.shift_remove("trust").is_some()) {
        warnings.push(Warning { file: name.into(), what: Wrong::NotHere { path: "trust".into() } });
    }
}

fn trust_list(layers: &[(Layer, String)]) -> Vec<String> {
    let lists = layers.iter().filter_map(|(layer, _)| layer.value.get("trust")?.as_array());
    lists.flatten().filter_map(|entry| entry.as_str().map(str::to_string)).collect()
}

/// The mode that the user's own sources ask for.
fn mode_without_the_project(layers: &[(Layer, String)]) -> Option<Mode> {
    let mut others: Vec<_> = layers.iter().filter(|(layer, _)| !is_projects(layer.source)).collect();
    others.sort_by_key(|(layer, _)| layer.source);
    let mode = |layer: &Layer| Mode::parse(layer.value.pointer("/permissions/defaultMode")?.as_str()?);
    others.into_iter().find_map(|(layer, _)| mode(layer))
}

/// Folders are relative to where the file is, not to where somebody reads the merged list.
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

#[cfg(test)]
mod tests;
