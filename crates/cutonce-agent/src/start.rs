//! From settings, flags and a folder to an open session: the wiring that every face shares.

use crate::Events;
use crate::instructions::{Instruction, Instructions};
use crate::keys::Keys;
use crate::redact::Redactor;
use crate::session::{Connect, Connected, Options, Session};
use crate::settings::{self, Loaded, Places};
use crate::store::place::Sessions;
use crate::store::{self, Resumed, Store, StoreError};
use crate::versions::Versions;
use cutonce_core::mode::Mode;
use cutonce_core::prompts::{self, Surroundings};
use cutonce_core::request::{Effort, Thinking};
use cutonce_core::rule::{Behavior, Rules, Source, Written};
use cutonce_core::settings::{ModelInfo, Settings, ThinkingKind};
use cutonce_core::transcript::Body;
use cutonce_models::provider::{self, Choice, CustomProvider};
use cutonce_models::{FaultKind, ModelError};
use cutonce_sandbox::env::Names;
use cutonce_tools::disk::Disk;
use cutonce_tools::shells::Shells;
use cutonce_tools::tool::{AnyTool, Here};
use cutonce_tools::web::Web;
use cutonce_tools::workspace::Workspace;
use secrecy::ExposeSecret;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a session is started with. Everything that is not given comes from the settings.
#[derive(Default)]
pub struct Start {
    /// `~/.cutonce` or $CUTONCE_HOME.
    pub home: PathBuf,
    pub user_home: Option<PathBuf>,
    pub cwd: PathBuf,
    /// The environment as it is; secrets in it are kept from tools and transcript (MO-4).
    pub env: Vec<(OsString, OsString)>,
    /// `--settings`: a path or JSON text.
    pub settings: Option<String>,
    pub allow: Vec<String>,
    pub deny: Vec<String>,
    pub model: Option<String>,
    pub mode: Option<Mode>,
    pub bypass_available: bool,
    /// Somebody can answer asks.
    pub approver: bool,
    pub which: Which,
    /// Go on in a copy.
    pub fork: bool,
    pub add_dirs: Vec<PathBuf>,
    pub max_turns: Option<u32>,
    pub max_budget: Option<f64>,
    pub system_prompt: Option<String>,
    pub append_system_prompt: Option<String>,
    /// Tools of the embedding program.
    pub tools: Vec<Arc<dyn AnyTool>>,
}

/// Which session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Which {
    #[default]
    New,
    NewWithId(String),
    /// The latest of this folder.
    Latest,
    /// By id, or by words of its first message.
    Find(String),
}

/// A session that is open, and what the person should know about how it was opened.
pub struct Opened {
    pub session: Session,
    pub events: Events,
    pub notices: Vec<String>,
    pub transcript: PathBuf,
    pub mode: Mode,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("the folder {} can't be used: {source}", path.display())]
    Folder { path: PathBuf, source: std::io::Error },
    #[error("{0}")]
    Mode(String),
}

impl Start {
    /// Open the session on the current tokio runtime.
    pub async fn open(mut self) -> Result<Opened, StartError> {
        let mut notices = Vec::new();
        let loaded = self.load(&mut notices);
        let settings = Arc::new(loaded.settings.clone());
        let redactor = Arc::new(Redactor::new(secrets_of(&self.env, &settings)));
        let connect: Arc<dyn Connect> = Arc::new(Providers::new(&settings, &self));
        let connected = connect.connect(self.model.as_deref().unwrap_or_default()).await?;
        let sessions = Sessions::new(&self.home, &self.cwd);
        let (store, resumed) = self.store(&sessions, &redactor, connected.info.context)?;
        if let Some(resumed) = &resumed {
            notices.extend(tell_resumed(resumed));
        }
        let mode = self.mode(&settings, resumed.as_ref())?;
        let here = self.here(&store, &settings)?;
        let rules = self.rules(&loaded, &mut notices);
        let places = self.places();
        let mut instructions = Instructions::new(&self.home, self.user_home.clone(), &self.cwd);
        let text = shown(&instructions.load());
        notices.append(&mut instructions.take_notes());
        let branch = branch_of(&self.cwd);
        let around = self.around(&here.workspace, branch.clone());
        let system =
            prompts::system(self.system_prompt.as_deref(), self.append_system_prompt.as_deref(), &around, &text);
        store.append(session_entry(&store, &self.cwd, branch))?;
        let mut tools = cutonce_tools::tools();
        tools.append(&mut self.tools);
        let replayed = resumed.map(|resumed| resumed.replayed).unwrap_or_default();
        *here.todos.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = replayed.todos;
        let transcript = store.path().to_path_buf();
        let session = Session::open(Options {
            store,
            connected,
            connect,
            system,
            tools,
            here: Arc::new(here),
            rules,
            places,
            mode,
            bypass_available: self.bypass_available || mode == Mode::BypassPermissions,
            approver: self.approver,
            instructions,
            redactor,
            counted: replayed.usage.map_or(0, |usage| usage.context()),
            conversation: replayed.conversation,
            max_turns: self.max_turns,
            max_budget: self.max_budget,
            compact_at: settings.compact.auto.then(|| settings.compact.at.get()),
        });
        let events = session.events();
        Ok(Opened { session, events, notices, transcript, mode })
    }

    fn load(&self, notices: &mut Vec<String>) -> Loaded {
        let loaded = settings::load(&self.places(), self.settings.as_deref());
        notices.extend(loaded.warnings.iter().map(ToString::to_string));
        if !loaded.set_aside.is_empty() {
            let named: Vec<String> =
                loaded.set_aside.iter().map(|aside| format!("{} in {}", aside.path, aside.file)).collect();
            notices.push(format!(
                "Set aside until you trust this folder, because it would loosen what is asked for: {}. To trust it: cutonce trust",
                named.join(", ")
            ));
        }
        loaded
    }

    fn places(&self) -> Places {
        Places {
            managed: PathBuf::from(settings::MANAGED),
            home: self.home.clone(),
            user_home: self.user_home.clone(),
            project: self.cwd.clone(),
        }
    }

    fn rules(&self, loaded: &Loaded, notices: &mut Vec<String>) -> Rules {
        let given = |behavior, text: &String| Written {
            behavior,
            text: text.clone(),
            source: Source::CommandLine,
            base: self.cwd.clone(),
        };
        let allow = self.allow.iter().map(|text| given(Behavior::Allow, text));
        let deny = self.deny.iter().map(|text| given(Behavior::Deny, text));
        let written = loaded.rules.iter().cloned().chain(allow).chain(deny);
        let rules = Rules::new(self.user_home.as_deref(), &self.cwd, loaded.trusted, written);
        notices.extend(rules.errors().iter().map(|error| error.to_string()));
        rules
    }

    fn mode(&self, settings: &Settings, resumed: Option<&Resumed>) -> Result<Mode, StartError> {
        let kept = resumed.and_then(|resumed| resumed.replayed.mode);
        let mode = self.mode.or(kept).or(settings.permissions.default_mode).unwrap_or_default();
        match mode {
            Mode::Plan | Mode::Auto => Err(StartError::Mode(format!(
                "the mode {mode} is not available yet; use default, acceptEdits or bypassPermissions"
            ))),
            Mode::Default | Mode::AcceptEdits | Mode::BypassPermissions => Ok(mode),
        }
    }

    fn store(
        &self,
        sessions: &Sessions,
        redactor: &Arc<Redactor>,
        context: u64,
    ) -> Result<(Store, Option<Resumed>), StartError> {
        // A window's worth of text, with room for what a token estimate is off.
        let budget = usize::try_from(context).unwrap_or(usize::MAX).saturating_mul(4);
        let path = match &self.which {
            Which::New => return Ok((Store::create(sessions, None, redactor.clone())?, None)),
            Which::NewWithId(id) => return Ok((Store::create(sessions, Some(id.clone()), redactor.clone())?, None)),
            Which::Latest => store::continue_latest(sessions)?,
            Which::Find(words) => store::find(sessions, words)?,
        };
        let (store, resumed) = if self.fork {
            Store::fork(&path, sessions, redactor.clone(), budget)?
        } else {
            Store::open(&path, redactor.clone(), budget)?
        };
        Ok((store, Some(resumed)))
    }

    fn here(&self, store: &Store, settings: &Settings) -> Result<Here, StartError> {
        let folder = |source| StartError::Folder { path: self.cwd.clone(), source };
        let mut added = self.add_dirs.clone();
        added.extend(settings.permissions.additional_directories.iter().map(PathBuf::from));
        let own = store.own_dir();
        let workspace =
            Workspace::new(&self.cwd, &added, self.user_home.as_deref(), &self.home, &own).map_err(folder)?;
        Ok(Here {
            disk: Disk::new(Arc::new(Versions::new(store.clone()))),
            shells: Shells::new(self.tool_env(settings))
                .default_timeout(Duration::from_millis(settings.shell.timeout_ms)),
            web: Web::new(settings.web_fetch.allow_hosts.clone()),
            todos: Mutex::default(),
            workspace,
        })
    }

    /// What tool processes see: the environment without its secrets, then what the settings add.
    fn tool_env(&self, settings: &Settings) -> Vec<(OsString, OsString)> {
        let names = Names { keep: settings.shell.keep_env.clone(), secret: secret_names(settings) };
        let mut env = cutonce_sandbox::env::scrubbed(self.env.iter().cloned(), &names);
        env.retain(|(name, _)| !settings.env.contains_key(&*name.to_string_lossy()));
        env.extend(settings.env.iter().map(|(name, value)| (name.into(), value.into())));
        env
    }

    fn around(&self, workspace: &Workspace, branch: Option<String>) -> Surroundings {
        Surroundings {
            cwd: workspace.root.display().to_string(),
            added: workspace.added.iter().map(|path| path.display().to_string()).collect(),
            platform: std::env::consts::OS.to_string(),
            date: jiff::Zoned::now().date().to_string(),
            branch,
        }
    }
}

fn session_entry(store: &Store, cwd: &Path, branch: Option<String>) -> Body {
    Body::Session {
        session_id: store.id().to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        cwd: cwd.display().to_string(),
        branch,
        slug: None,
        forked_from: None,
    }
}

fn tell_resumed(resumed: &Resumed) -> Vec<String> {
    let mut told = Vec::new();
    if let Some(skipped) = resumed.skips.told() {
        told.push(skipped);
    }
    if resumed.left_out > 0 {
        told.push(format!("{} older entries are beyond the model's window and were left out.", resumed.left_out));
    }
    told
}

/// Project instructions as the model reads them: each file under its name.
fn shown(instructions: &[Instruction]) -> String {
    let one = |one: &Instruction| format!("From {}:\n{}", one.path.display(), one.text.trim());
    instructions.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

/// Makes models by name, with keys from the environment, the helper or the keyring (MO-1, MO-4).
struct Providers {
    settings: Arc<Settings>,
    custom: Vec<CustomProvider>,
    env: Vec<(OsString, OsString)>,
    keys: Keys,
}

impl Providers {
    fn new(settings: &Arc<Settings>, start: &Start) -> Self {
        let custom = settings.providers.iter().map(|(name, given)| CustomProvider {
            name: name.clone(),
            wire: given.wire,
            base_url: given.base_url.clone(),
            key_env: given.key_env.clone(),
        });
        let keys = Keys::new(start.env.clone(), settings.api_key_helper.clone(), &start.cwd);
        Self { settings: settings.clone(), custom: custom.collect(), env: start.env.clone(), keys }
    }

    fn variable(&self, name: &str) -> Option<String> {
        let (_, value) = self.env.iter().find(|(key, _)| key == name)?;
        value.to_str().map(str::to_string)
    }

    /// The environment first: it costs nothing. Helper and keyring are asked only where a key is missing.
    async fn resolve(&self, spec: &str) -> Result<Choice, ModelError> {
        let first = provider::resolve(spec, &|name| self.variable(name), &self.custom);
        match first {
            Err(error) if error.kind == FaultKind::Key => {}
            done => return done,
        }
        let wanted = spec.split_once('/').map(|(provider, _)| provider);
        let built_in = provider::PROVIDERS.iter().map(|known| (known.name, known.key_env));
        let custom = self.custom.iter().map(|custom| (custom.name.as_str(), custom.key_env.as_deref()));
        let mut found = HashMap::new();
        for (name, key_env) in custom.chain(built_in) {
            let Some(key_env) = key_env.filter(|_| wanted.is_none_or(|wanted| wanted == name)) else { continue };
            let key = self.keys.lookup(key_env).await.map_err(|error| ModelError {
                message: format!("No key for {name}: {error}"),
                status: None,
                kind: FaultKind::Key,
            })?;
            found.extend(key.map(|key| (key_env.to_string(), key)));
            if !found.is_empty() {
                break;
            }
        }
        let lookup = |name: &str| {
            let key = found.get(name).map(|key| key.expose_secret().to_string());
            key.or_else(|| self.variable(name))
        };
        provider::resolve(spec, &lookup, &self.custom)
    }
}

#[async_trait::async_trait]
impl Connect for Providers {
    async fn connect(&self, name: &str) -> Result<Connected, ModelError> {
        let settings = &self.settings;
        let name = if name.is_empty() { settings.model.main.as_deref().unwrap_or_default() } else { name };
        let info = settings.model_info(name);
        let mut choice = self.resolve(&spec_of(name, &info)).await?;
        let first_wait = Duration::from_millis(settings.retry_delay_ms.get().into());
        choice.set_retries(settings.max_retries.get(), first_wait);
        let info =
            if info.known { info } else { settings.model_info(&format!("{}/{}", choice.provider, choice.model)) };
        let thinking = thinking_of(settings, &info);
        Ok(Connected { model: choice.connect()?, info, thinking })
    }
}

/// What the provider is asked for: an alias stands for an id, maybe with its provider.
fn spec_of(name: &str, info: &ModelInfo) -> String {
    match (&info.provider, info.known) {
        (Some(provider), true) if !info.id.contains('/') => format!("{provider}/{}", info.id),
        (None, true) if !name.contains('/') => info.id.clone(),
        _ => name.to_string(),
    }
}

fn thinking_of(settings: &Settings, info: &ModelInfo) -> Thinking {
    match info.thinking {
        ThinkingKind::None => Thinking::Off,
        ThinkingKind::Budget => settings.thinking.budget.map_or(Thinking::Off, Thinking::Budget),
        ThinkingKind::Effort => Thinking::Effort(settings.thinking.effort.unwrap_or(Effort::Medium)),
    }
}

fn secret_names(settings: &Settings) -> Vec<String> {
    settings.providers.values().filter_map(|provider| provider.key_env.clone()).collect()
}

fn secrets_of(env: &[(OsString, OsString)], settings: &Settings) -> Vec<(String, String)> {
    let names = Names { keep: Vec::new(), secret: secret_names(settings) };
    let found = cutonce_sandbox::env::secrets(env.iter().cloned(), &names);
    found.into_iter().map(|value| ("secret".to_string(), value)).collect()
}

/// The branch, read from `.git/HEAD` without starting git.
pub fn branch_of(cwd: &Path) -> Option<String> {
    let git = cwd.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let git = if git.is_dir() {
        git
    } else {
        // A worktree's `.git` is a file that names the real folder.
        let text = std::fs::read_to_string(&git).ok()?;
        let named = PathBuf::from(text.strip_prefix("gitdir:")?.trim());
        if named.is_absolute() { named } else { git.parent()?.join(named) }
    };
    let head = std::fs::read_to_string(git.join("HEAD")).ok()?;
    let head = head.trim();
    Some(head.strip_prefix("ref: refs/heads/").map_or_else(|| head.chars().take(12).collect(), str::to_string))
}
