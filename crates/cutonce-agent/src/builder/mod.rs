//! Opens a session from settings, flags and a folder. All front ends share this wiring.

mod ephemeral;
mod error;
mod main_agent;
mod named_commands;
mod open_session;
mod overrides;
mod own_tools;
mod planner;
mod planning_phase;
mod resume_at;

pub use error::StartError;
pub use named_commands::NamedCommands;
pub use overrides::{
    HostParts, MainAgentChoice, McpOverrides, ModelOverrides, OfferedNames, PermissionOverrides, PromptOverrides,
    ResumeOptions, SessionLimits, SessionSelector, SettingsFlags, TeamOptions, WorkingDirs,
};
pub use planning_phase::ResumedState;
pub use resume_at::ResumeAt;

use crate::EventStream;
use crate::config::instructions::{InstructionFile, InstructionLoader};
use crate::config::providers::ProviderConnector;
use crate::config::{self, LoadedSettings, SettingsPaths};
use crate::hooks::{HookSet, command};
use crate::language_servers::{self, LanguageServerOptions, LanguageServers};
use crate::mcp::{self, McpServers};
use crate::session::{
    Approver, AutoSource, ClassifierContext, Connect, Connected, MainRole, Planner, Session, SessionHistory,
    SessionParts, SessionRole, SharedContext, TeamStart,
};
use crate::storage::paths::ProjectSessions;
use crate::storage::redact::Redactor;
use crate::storage::versions::FileVersions;
use crate::storage::{EphemeralStore, ResumedTranscript, StoreError, TranscriptReader, TranscriptStore, UsageLog};
use crate::subagent::AgentsOffer;
use crate::team::{Membership, TeamHandle, TeamHistory, TeamRecord, TeammateTemplate};
use crate::web_search::{WebSearchTool, is_named_by_rule};
use cutonce_core::mode::{self, Mode};
use cutonce_core::permission::rules::{self, ConfigSource, RuleBehavior, RuleSet, WrittenRule};
use cutonce_core::prompts::PromptEnvironment;
use cutonce_core::protocol::submission::ChangedBy;
use cutonce_core::settings::{NotificationMethod, SandboxSettings, Settings};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::team;
use cutonce_core::transcript::{EntryBody, EntryKind, PLAN_ASK, ReplayedSession};
use cutonce_sandbox::ResourceLimits;
use cutonce_sandbox::env::EnvNameRules;
use cutonce_tools::disk::{FileAccess, SearchFilter};
use cutonce_tools::env::ToolEnv;
use cutonce_tools::interactive::skill::SkillTool;
use cutonce_tools::shell::process::SessionShells;
use cutonce_tools::tool::AnyTool;
use cutonce_tools::web::WebClient;
use cutonce_tools::workspace::Workspace;
use planner::MODE_KINDS;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Everything needed to open a session: set what differs from the settings, then call [`open`](Self::open).
#[derive(Clone, Default)]
pub struct SessionBuilder {
    /// The folders of the session.
    pub dirs: WorkingDirs,
    /// The process environment. Secrets in it are hidden from tools and transcript (MO-4).
    pub env: Vec<(OsString, OsString)>,
    /// Settings given as flags.
    pub settings: SettingsFlags,
    /// The models to use.
    pub model: ModelOverrides,
    /// Rules, mode and approver.
    pub permissions: PermissionOverrides,
    /// System prompt and other texts for the model.
    pub prompt: PromptOverrides,
    /// The session to resume.
    pub resume: ResumeOptions,
    /// Delete everything the session wrote when it ends (HO-1).
    pub ephemeral: bool,
    /// MCP servers in addition to those of the settings.
    pub mcp: McpOverrides,
    /// Agents, tools, hooks and files of the embedding program.
    pub host: HostParts,
    /// The agent to run as the main thread.
    pub agent: MainAgentChoice,
    /// The tools and skills to offer.
    pub offered: OfferedNames,
    /// Turn and cost limits.
    pub limits: SessionLimits,
    /// Team membership.
    pub team: TeamOptions,
}

/// An open session and what the front end needs to know about it.
pub struct OpenedSession {
    /// Handle used to send submissions.
    pub session: Session,
    /// The session's events, starting with the first.
    pub events: EventStream,
    /// Notices to show to the user.
    pub notices: Vec<String>,
    /// The model name that selects the same model again.
    pub model: String,
    /// Path of the transcript.
    pub transcript: PathBuf,
    /// The initial mode.
    pub mode: Mode,
    /// The modes available in this run.
    pub modes: Vec<Mode>,
    /// The user's notification settings.
    pub notifications: NotificationMethod,
    /// The merged settings.
    pub settings: Arc<Settings>,
    /// Commands and skills that can be called by name.
    pub named: NamedCommands,
    /// State restored from an earlier process.
    pub resumed: ResumedState,
}

/// Everything that is known before the transcript is opened.
struct PreparedStart {
    /// Notices for the user so far.
    notices: Vec<String>,
    own_tools: Vec<String>,
    loaded: LoadedSettings,
    settings: Arc<Settings>,
    main_agent: Option<Arc<cutonce_core::subagent::AgentDefinition>>,
    redactor: Arc<Redactor>,
    joined: Option<Arc<Membership>>,
    connect: Arc<dyn Connect>,
    connected: Connected,
    passing: Option<EphemeralStore>,
}

impl SessionBuilder {
    /// A session in the folder `cwd`. `home` contains settings and transcripts, usually `~/.cutonce`.
    pub fn new(home: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        let dirs = WorkingDirs { home: home.into(), cwd: cwd.into(), ..WorkingDirs::default() };
        SessionBuilder { dirs, ..SessionBuilder::default() }
    }

    /// Opens the session on the current tokio runtime.
    pub async fn open(mut self) -> Result<OpenedSession, StartError> {
        let base = self.prepare().await?;
        let PreparedStart { loaded, settings, redactor, passing, mut notices, .. } = base;
        let (store, resumed) = self.open_store(&redactor, base.connected.info.context, &passing, &mut notices)?;
        let mode = self.initial_mode(&settings, resumed.as_ref(), store.path())?;
        let (shown_mode, modes) = (mode.0.mode(), available_modes(&mode.0));
        let mut planner = self.build_planner(&settings, &store, &mode.0, &passing, &mut notices)?;
        planner.instructions.template = planner::read_template(&self.dirs.cwd, loaded.trusted, &mut notices);
        let rules = self.build_rules(&loaded, base.own_tools, &mut notices);
        let here = self.build_tool_env(&store, &settings, &rules, &redactor, &mut notices)?;
        let (instructions, text, around) = self.load_instructions(&here.workspace, &mut notices);
        store.append(self.opened_entry(&store, resumed.as_ref(), &planner))?;
        let team = self.team_start(&settings, &store, base.joined)?;
        let wishes = self.classifier_context(&settings, resumed.is_some(), store.path())?;
        let (tools, offered) = self.build_tools((&settings, &base.connect), &rules, loaded.trusted, &mut notices);
        let agent = base.main_agent.as_deref();
        let system = self.build_system_prompt(agent, &around, &text, loaded.trusted, (&tools, &rules));
        let agents = self.agents_offer(&loaded, around, text, &offered, &mut notices);
        let replayed = resumed.map(|resumed| resumed.replayed).unwrap_or_default();
        planner.reopen = replayed.open_asks.iter().any(|ask| ask.kind == PLAN_ASK);
        self.restore_memory(&here, &replayed, &planner, &team, &mut notices);
        planner.work.iter_mut().for_each(|work| work.set_recorded_cost(replayed.totals.cost()));
        let totals = replayed.priced_totals(&settings);
        let left = ResumedState { todos: replayed.todos, phase: mode.0.is_planning().then_some(planner.phase) };
        let (transcript, model) = (store.path().to_path_buf(), base.connected.spec.clone());
        let mcp = self.start_mcp_servers(&loaded, &settings, (&here.workspace, &redactor), &mut notices);
        let (services, place) = ((settings.clone(), base.connect, redactor), loaded.trusted.then_some(&here.workspace));
        let (session, events) = Session::open(SessionParts {
            shared: self.build_shared(services, place, &offered, wishes, &mut notices),
            role: SessionRole::Main(Box::new(MainRole {
                team,
                agents: self.offers_tool("Agent").then_some(agents),
                main_agent: base.main_agent,
                ephemeral: passing,
            })),
            history: SessionHistory {
                store,
                counted: replayed.usage.map_or(0, |usage| usage.context_tokens()),
                totals,
                conversation: replayed.conversation,
            },
            main: model.clone(),
            connected: base.connected,
            system,
            tools: tools.into_iter().chain(mcp::wait_tool(&mcp)).collect(),
            env: Arc::new(here),
            rules,
            instructions,
            mode,
            planner,
            approver: self.permissions.approver,
            max_turns: self.limits.max_turns,
            max_budget: self.limits.max_budget,
            mcp,
            mcp_wait: self.first_mcp_wait(&settings),
        });
        Ok(OpenedSession {
            session,
            events,
            notices,
            model,
            transcript,
            mode: shown_mode,
            modes,
            notifications: settings.notifications,
            settings,
            named: offered,
            resumed: left,
        })
    }

    /// What an earlier process of the session knew: todos, files, and that it led a team.
    fn restore_memory(
        &self,
        here: &ToolEnv,
        replayed: &ReplayedSession,
        planner: &Planner,
        team: &TeamStart,
        notices: &mut Vec<String>,
    ) {
        *here.todos.lock_unpoisoned() = replayed.todos.clone();
        here.disk.restore_marks(&replayed.seen);
        let copied = planner.file.as_ref().and_then(|file| file.seen_mark(&replayed.seen));
        here.disk.restore_marks(copied.as_slice());
        if team.record.is_none() && crate::team::approval_history::led_a_team(&replayed.conversation) {
            notices.push(TeamRecord::describe_lost(&self.dirs.home));
        }
    }

    /// Builds the settings and services that the session shares with its subagents.
    fn build_shared(
        &mut self,
        (settings, connect, redactor): (Arc<Settings>, Arc<dyn Connect>, Arc<Redactor>),
        trusted: Option<&Workspace>,
        offered: &NamedCommands,
        wishes: ClassifierContext,
        notices: &mut Vec<String>,
    ) -> Arc<SharedContext> {
        Arc::new(SharedContext {
            language_servers: trusted.map(|trusted| Arc::new(self.language_servers(&settings, trusted, notices))),
            answerer: self.permissions.answerer.clone(),
            connect,
            redactor,
            usage_log: (!self.ephemeral).then(|| UsageLog::new(&self.dirs.home, &self.dirs.cwd)),
            places: self.settings_places(),
            hooks: self.build_hooks(&settings, notices),
            skill_folders: offered.skills.iter().map(|skill| skill.folder.clone()).collect(),
            hide_disallowed_tools: self.permissions.hide_disallowed_tools,
            auto: self.auto_source(),
            wishes,
            settings,
        })
    }

    /// Checks that a model with a key is available, without opening a session.
    pub async fn check_model(&self) -> Result<(), StartError> {
        let loaded = config::load_settings(&self.settings_places(), self.settings.flag.as_deref());
        let settings = Arc::new(self.with_model(loaded.settings));
        ProviderConnector::new(&settings, &self.env, (&self.dirs.home, &self.dirs.cwd), Arc::default())
            .connect("")
            .await?;
        Ok(())
    }

    /// The list of tools is fixed for the session (PM-66). Skill is included only if there are skills (HO-8).
    fn build_tools(
        &mut self,
        (settings, connect): (&Settings, &Arc<dyn Connect>),
        rules: &RuleSet,
        trusted: bool,
        notices: &mut Vec<String>,
    ) -> (Vec<Arc<dyn AnyTool>>, NamedCommands) {
        let offered = self.find_named_commands(trusted, notices);
        let skills = offered.skills.clone();
        let mut tools = cutonce_tools::built_in_tools();
        tools.extend(self.planning_tools(settings, rules));
        if !skills.is_empty() {
            tools.push(Arc::new(SkillTool::new(skills)));
        }
        if is_named_by_rule(rules) {
            tools.push(Arc::new(WebSearchTool::new(connect.clone())));
        }
        tools.retain(|tool| self.offers_tool(tool.name()));
        tools.append(&mut self.host.tools);
        (tools, offered)
    }

    fn auto_source(&self) -> AutoSource {
        let gate = self.env.iter().find(|(key, _)| key == "CUTONCE_AUTO_GATE");
        let gate = gate.map(|(_, value)| value.to_string_lossy().into_owned());
        AutoSource {
            flag: self.settings.flag.clone(),
            sources: self.settings.sources.clone(),
            gate,
            failures: Arc::default(),
        }
    }

    /// Restores the classifier's context. The transcript is read only if auto mode is enabled.
    fn classifier_context(
        &self,
        settings: &Settings,
        resumed: bool,
        transcript: &Path,
    ) -> Result<ClassifierContext, StartError> {
        if !resumed || !settings.auto.enabled {
            return Ok(ClassifierContext::default());
        }
        Ok(ClassifierContext::from_transcript(&read_bodies(transcript, &[EntryKind::User, EntryKind::Clear])?))
    }

    /// Returns the hooks of the settings, followed by those of the embedding program.
    fn build_hooks(&mut self, settings: &Settings, notices: &mut Vec<String>) -> Arc<HookSet> {
        let hooks = command::hooks_from_settings(settings, &self.dirs.cwd, self.tool_env(settings), notices);
        Arc::new(HookSet::new(hooks, std::mem::take(&mut self.host.hooks)))
    }

    /// A teammate resumes its own session in a mode its lead allows; the system prompt describes its team.
    async fn join_team(&mut self, settings: &Settings) -> Result<Option<Arc<Membership>>, StartError> {
        let Some(join) = self.team.join.clone() else { return Ok(None) };
        let url = settings.team.mailbox.as_deref();
        let (joined, lead) = join.join(&self.dirs.home, &self.env, url).await?;
        let Some(member) = joined.member.clone() else { return Ok(None) };
        let id = member.session_id(&joined.id);
        let known = ProjectSessions::new(&self.dirs.home, &self.dirs.cwd).transcript(&id).exists();
        let begins = if member.planning_required { Mode::READ_ONLY } else { member.mode.at_most(lead.mode) };
        // PM-131: the lead never released a teammate that was killed before its mode was recorded.
        let unsaid =
            || read_bodies(&ProjectSessions::new(&self.dirs.home, &self.dirs.cwd).transcript(&id), &[EntryKind::Mode]);
        let again = known && member.planning_required && unsaid()?.is_empty();
        self.resume.selector = if known { SessionSelector::Find(id) } else { SessionSelector::NewWithId(id) };
        self.permissions.mode = (!known || again).then_some(begins);
        self.permissions.bypass_available = member.bypass_available;
        if self.permissions.approver == Approver::Absent {
            self.permissions.approver = Approver::Lead;
        }
        let welcome = team::team_prompt(&joined.team, &joined.me, &joined.others, member.planning_required);
        let more = self.prompt.append.take();
        self.prompt.append = Some(more.map_or(welcome.clone(), |more| format!("{more}\n\n{welcome}")));
        Ok(Some(joined))
    }

    /// The session's team state: member of a team, lead of an earlier team, or no team.
    fn team_start(
        &mut self,
        settings: &Settings,
        store: &TranscriptStore,
        joined: Option<Arc<Membership>>,
    ) -> Result<TeamStart, StartError> {
        let record = if joined.is_none() { TeamRecord::find_led_by(&self.dirs.home, store.id()) } else { None };
        let template = TeammateTemplate { config: self.clone(), mailbox: settings.team.mailbox.clone() };
        let past = match (joined.is_some() || record.is_some()) && store.path().exists() {
            true => TeamHistory::from_entries(&read_bodies(
                store.path(),
                &[EntryKind::User, EntryKind::Ask, EntryKind::FileSnapshot],
            )?),
            false => TeamHistory::default(),
        };
        let handle = TeamHandle::new(template, store.id(), joined);
        // Teammates write transcripts, so an ephemeral session can't have a team.
        let team = crate::team::tools::team_tools(&handle).into_iter().filter(|_| !self.ephemeral);
        let tools = team.filter(|tool| self.offers_tool(tool.name()));
        let tools: Vec<_> = tools.collect();
        self.host.tools.extend(tools);
        Ok(TeamStart { handle, past, record })
    }

    /// Whether the tool is offered: hosts and agents may restrict the built-in tools.
    fn offers_tool(&self, tool: &str) -> bool {
        let listed = self
            .offered
            .tools
            .as_ref()
            .is_none_or(|only| only.iter().any(|name| rules::current_tool_name(name) == tool));
        listed && self.agent.definition.as_ref().is_none_or(|agent| agent.offers_in_main_thread(tool))
    }

    /// Returns the embedding program's models, or those of the providers.
    fn connector(&self, settings: &Arc<Settings>, redactor: &Arc<Redactor>) -> Arc<dyn Connect> {
        let own = || {
            Arc::new(ProviderConnector::new(settings, &self.env, (&self.dirs.home, &self.dirs.cwd), redactor.clone()))
        };
        self.model.connect.clone().unwrap_or_else(|| own())
    }

    /// Applies the model flags, which override the settings. Either may name a pair of models (PM-110).
    fn with_model(&self, mut settings: Settings) -> Settings {
        if let Some(name) = self.model.main.clone().or(settings.model.main.clone()) {
            settings.model.set_main_model(&name);
        }
        if self.model.fallback.is_some() {
            settings.model.fallback = self.model.fallback.clone();
        }
        if let Some(thinking) = &self.model.thinking {
            settings.thinking = thinking.clone();
        }
        settings
    }

    fn load_settings(&self, notices: &mut Vec<String>) -> Result<LoadedSettings, StartError> {
        if let Some(why) = self.settings.managed.as_deref().and_then(config::managed_error) {
            return Err(StartError::Settings(why));
        }
        if let Some(why) = self.settings.flag.as_deref().and_then(|flag| config::flag_error(flag, &self.dirs.cwd)) {
            return Err(StartError::Settings(why));
        }
        let loaded = config::load_settings_from(
            &self.settings_places(),
            self.settings.flag.as_deref(),
            self.settings.sources.as_deref(),
        );
        notices.extend(loaded.warnings.iter().map(ToString::to_string));
        let odd = loaded.settings.env.iter().filter(|(name, value)| !is_valid_variable(name, value));
        notices
            .extend(odd.map(|(name, _)| format!("`env`: {name:?} can't be used as an environment variable; ignored")));
        notices.extend(config::ignored_notice(&loaded.set_aside));
        Ok(loaded)
    }

    /// Loads the settings, applies what overrides them, joins the team and connects the model.
    async fn prepare(&mut self) -> Result<PreparedStart, StartError> {
        let mut notices = planner::recover_applying(&self.dirs.home, &self.dirs.cwd);
        let own_tools = self.own_tool_names()?;
        let loaded = self.load_settings(&mut notices)?;
        let main_agent = self.apply_main_agent(&loaded, &mut notices)?;
        let settings = Arc::new(self.with_model(loaded.settings.clone()));
        let redactor = Arc::new(Redactor::new(secrets_of(&self.env, &settings)));
        let joined = self.join_team(&settings).await?;
        let connect = self.connector(&settings, &redactor);
        let connected = connect.connect("").await?;
        let passing = self.ephemeral_store()?;
        Ok(PreparedStart {
            notices,
            own_tools,
            loaded,
            settings,
            main_agent,
            redactor,
            joined,
            connect,
            connected,
            passing,
        })
    }

    /// Loads the instruction files, their text for the model, and the environment of the prompt.
    fn load_instructions(
        &self,
        workspace: &Workspace,
        notices: &mut Vec<String>,
    ) -> (InstructionLoader, String, PromptEnvironment) {
        let mut instructions = self.build_instructions();
        let around = self.surroundings(workspace, git_branch(&self.dirs.cwd));
        let text = format_instructions(&instructions.load());
        notices.append(&mut instructions.take_notes());
        (instructions, text, around)
    }

    /// Instructions follow the same sources as settings files, so a host can exclude the project's.
    fn build_instructions(&self) -> InstructionLoader {
        InstructionLoader::new(&self.dirs.home, self.dirs.user_home.clone(), &self.dirs.cwd)
            .with_sources(self.source_enabled(ConfigSource::User), self.source_enabled(ConfigSource::Project))
    }

    /// Loads all agents (SA-2, SA-3) and reports problems in their files as notices.
    fn agents_offer(
        &mut self,
        loaded: &LoadedSettings,
        around: PromptEnvironment,
        instructions: String,
        offered: &NamedCommands,
        notices: &mut Vec<String>,
    ) -> AgentsOffer {
        let given = std::mem::take(&mut self.host.agents);
        let catalog = self.agent_catalog(given, loaded.trusted);
        notices.extend(catalog.problems().iter().map(ToString::to_string));
        notices.extend(offered.missing_skills(&catalog));
        AgentsOffer { catalog: Arc::new(catalog), around, instructions, skills: offered.all_skills.clone() }
    }

    fn settings_places(&self) -> SettingsPaths {
        SettingsPaths {
            managed: PathBuf::from(config::MANAGED_FILE),
            home: self.dirs.home.clone(),
            user_home: self.dirs.user_home.clone(),
            project: self.dirs.cwd.clone(),
            managed_flag: self.settings.managed.clone(),
        }
    }

    fn build_rules(&self, loaded: &LoadedSettings, own_tools: Vec<String>, notices: &mut Vec<String>) -> RuleSet {
        let given = |behavior, text: &String| WrittenRule {
            behavior,
            text: text.clone(),
            source: ConfigSource::CommandLine,
            base: self.dirs.cwd.clone(),
        };
        let allow = self.permissions.allow.iter().map(|text| given(RuleBehavior::Allow, text));
        let deny = self.permissions.deny.iter().map(|text| given(RuleBehavior::Deny, text));
        let written = loaded.rules.iter().cloned().chain(allow).chain(deny);
        let home = self.dirs.user_home.as_deref();
        // Untrusted rules were removed when the settings were loaded; the remaining ones come from the user (PR-2).
        let rules = RuleSet::with_tools(home, &self.dirs.cwd, own_tools, written);
        notices.extend(rules.errors().iter().map(|error| error.to_string()));
        notices.extend(cutonce_core::classifier::gate_is_open(self.auto_source().gate.as_deref(), true).1);
        rules
    }

    /// The initial mode (PM-26), or the mode of the resumed session (PM-48); a flag overrides both.
    fn initial_mode(
        &self,
        settings: &Settings,
        resumed: Option<&ResumedTranscript>,
        transcript: &Path,
    ) -> Result<(mode::ModeState, Vec<mode::ModeEffect>), StartError> {
        let base = self.permissions.base_mode.or(settings.permissions.default_mode).unwrap_or_default();
        let asked = self.permissions.mode.unwrap_or(base);
        let disabled = settings.permissions.disable_bypass_permissions_mode.is_some();
        let bypass_available =
            !disabled && (self.permissions.bypass_available || [base, asked].contains(&Mode::BypassPermissions));
        let setup = mode::ModeSetup { bypass_available, auto: self.auto_source().switches(settings) };
        let Some(resumed) = resumed else { return Ok(mode::ModeState::start(setup, base, asked)) };
        let bodies = if resumed.replayed.mode.is_some() || resumed.replayed.slug.is_some() {
            read_bodies(transcript, &MODE_KINDS)?
        } else {
            Vec::new()
        };
        let (state, mut effects) = mode::replay_mode(setup, &bodies);
        let Some(to) = self.permissions.mode else { return Ok((state, effects)) };
        let (state, more) = mode::step(state, mode::ModeEvent::Set { to, by: ChangedBy::Start });
        effects.extend(more);
        Ok((state, effects))
    }

    /// Expands a path of the settings: `~/` is the home folder; other paths are relative to the project.
    fn expand_path(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), &self.dirs.user_home) {
            (Some(below), Some(home)) => home.join(below),
            _ => self.dirs.cwd.join(path),
        }
    }

    fn build_tool_env(
        &self,
        store: &TranscriptStore,
        settings: &Settings,
        rules: &RuleSet,
        redactor: &Arc<Redactor>,
        notices: &mut Vec<String>,
    ) -> Result<ToolEnv, StartError> {
        let folder = |error| StartError::Folder { path: self.dirs.cwd.clone(), error };
        let mut added = self.dirs.add_dirs.clone();
        added.extend(settings.permissions.additional_directories.iter().map(PathBuf::from));
        let own = store.own_dir();
        let workspace = Workspace::new(&self.dirs.cwd, &added, self.dirs.user_home.as_deref(), &self.dirs.home, &own)
            .map_err(folder)?;
        notices.extend(missing_folders(&workspace));
        let unsearched = rules.search_exclusions().map(|unsearched| Arc::new(unsearched) as SearchFilter);
        Ok(ToolEnv {
            disk: FileAccess::new(Arc::new(FileVersions::new(store.clone())))
                .exclude_from_searches(unsearched)
                .with_editor(self.host.editor.clone()),
            shells: SessionShells::new(self.tool_env(settings))
                .with_redactor(redactor.clone())
                .default_timeout(Duration::from_millis(settings.shell.timeout_ms.get()))
                .with_limits(resource_limits(&settings.sandbox)),
            web: WebClient::new(settings.web_fetch.allow_hosts.clone()),
            todos: Mutex::default(),
            workspace,
        })
    }

    /// How long the first request waits for MCP servers.
    fn first_mcp_wait(&self, settings: &Settings) -> Duration {
        self.mcp.first_wait.unwrap_or(Duration::from_millis(settings.mcp.first_wait_ms))
    }

    /// Starts the MCP servers.
    fn start_mcp_servers(
        &self,
        loaded: &LoadedSettings,
        settings: &Settings,
        (here, redactor): (&Workspace, &Arc<Redactor>),
        notices: &mut Vec<String>,
    ) -> McpServers {
        let opening = mcp::McpOptions {
            home: &self.dirs.home,
            project: &self.dirs.cwd,
            loaded,
            settings,
            env: self.env.clone(),
            tool_env: self.tool_env(settings),
            roots: here.folders(),
            own: here.session_folder.clone(),
            given: &self.mcp.config,
            strict: self.mcp.strict,
        };
        mcp::open_servers(opening, redactor.clone(), notices)
    }

    /// The language servers of a session in a trusted folder (DU-11).
    fn language_servers(&self, settings: &Settings, trusted: &Workspace, notices: &mut Vec<String>) -> LanguageServers {
        LanguageServers::new(LanguageServerOptions {
            definitions: language_servers::definitions(settings, notices),
            workspace: trusted.clone(),
            env: self.tool_env(settings),
            deny_read: settings.sandbox.deny_read.iter().map(|path| self.expand_path(path)).collect(),
            limits: resource_limits(&settings.sandbox),
        })
    }

    /// The environment of tool processes: secrets removed, variables of the settings added.
    fn tool_env(&self, settings: &Settings) -> Vec<(OsString, OsString)> {
        tool_env(&self.env, settings)
    }

    fn surroundings(&self, workspace: &Workspace, branch: Option<String>) -> PromptEnvironment {
        PromptEnvironment {
            cwd: workspace.root.display().to_string(),
            added_dirs: workspace.added_folders.list().iter().map(|path| path.display().to_string()).collect(),
            platform: std::env::consts::OS.to_string(),
            date: jiff::Zoned::now().date().to_string(),
            branch,
        }
    }
}

/// The environment of tool and server processes: secrets removed, variables of the settings added.
pub fn tool_env(env: &[(OsString, OsString)], settings: &Settings) -> Vec<(OsString, OsString)> {
    let names = EnvNameRules { keep: settings.shell.keep_env.clone(), secret: secret_names(settings) };
    let mut env = cutonce_sandbox::env::scrub_env(env.iter().cloned(), &names);
    let set = || settings.env.iter().filter(|(name, value)| is_valid_variable(name, value));
    env.retain(|(name, _)| !set().any(|(given, _)| name == given.as_str()));
    env.extend(set().map(|(name, value)| (name.into(), value.into())));
    env
}

/// Whether the operating system accepts this variable for a new process.
fn is_valid_variable(name: &str, value: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
}

/// The transcript entry for opening a session or naming its plan.
pub(crate) fn session_entry(store: &TranscriptStore, cwd: &Path, slug: Option<String>) -> EntryBody {
    EntryBody::Session {
        session_id: store.id().to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        cwd: cwd.display().to_string(),
        branch: git_branch(cwd),
        slug,
        forked_from: None,
        agent: None,
    }
}

/// The limits of sandboxed commands (SB-7).
fn resource_limits(sandbox: &SandboxSettings) -> ResourceLimits {
    let limit = |most: u64, unit: u64| (most > 0).then(|| most.saturating_mul(unit));
    ResourceLimits {
        processes: limit(sandbox.limits.processes, 1),
        memory: limit(sandbox.limits.memory_mb, 1 << 20),
        total_memory: limit(sandbox.limits.total_memory_mb, 1 << 20),
        file_size: limit(sandbox.limits.file_mb, 1 << 20),
        disk: limit(sandbox.limits.disk_mb, 1 << 20),
    }
}

/// Warns about added folders that don't exist.
fn missing_folders(workspace: &Workspace) -> Vec<String> {
    let added = workspace.added_folders.list();
    let missing = added.iter().filter(|added| !added.is_dir());
    let told = |added: &PathBuf| format!("{} is not a folder; it joins the workspace once it exists", added.display());
    missing.map(told).collect()
}

/// Formats project instructions for the model, each file under its path.
fn format_instructions(instructions: &[InstructionFile]) -> String {
    let one = |one: &InstructionFile| format!("From {}:\n{}", one.path.display(), one.text.trim());
    instructions.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

fn secret_names(settings: &Settings) -> Vec<String> {
    settings.providers.values().filter_map(|provider| provider.key_env.clone()).collect()
}

fn secrets_of(env: &[(OsString, OsString)], settings: &Settings) -> Vec<(String, String)> {
    let names = EnvNameRules { keep: Vec::new(), secret: secret_names(settings) };
    cutonce_sandbox::env::secret_values(env.iter().cloned(), &names)
}

fn available_modes(mode: &mode::ModeState) -> Vec<Mode> {
    Mode::ALL.into_iter().filter(|other| mode.check_available(*other).is_ok()).collect()
}

fn read_bodies(transcript: &Path, kinds: &[EntryKind]) -> Result<Vec<EntryBody>, StartError> {
    let failed = |error| StoreError::Io { what: "read the session", path: transcript.to_path_buf(), error };
    let mut reader = TranscriptReader::open(transcript).map_err(failed)?;
    let mut bodies = Vec::new();
    for at in (0..reader.len()).filter(|at| kinds.contains(&reader.kind(*at))).collect::<Vec<_>>() {
        bodies.extend(reader.entry(at).map_err(failed)?.map(|entry| entry.body));
    }
    Ok(bodies)
}

/// Reads the current branch from `.git/HEAD` without starting git.
pub fn git_branch(cwd: &Path) -> Option<String> {
    let git = cwd.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let git = if git.is_dir() {
        git
    } else {
        // In a worktree, `.git` is a file that names the real folder.
        let text = std::fs::read_to_string(&git).ok()?;
        let named = PathBuf::from(text.strip_prefix("gitdir:")?.trim());
        if named.is_absolute() { named } else { git.parent()?.join(named) }
    };
    let head = std::fs::read_to_string(git.join("HEAD")).ok()?;
    let head = head.trim();
    Some(head.strip_prefix("ref: refs/heads/").map_or_else(|| head.chars().take(12).collect(), str::to_string))
}
