//! From settings, flags and a folder to an open session: the wiring that every face shares.

mod main_agent;
mod offered;
mod own_tools;
mod passing;
mod phase;
mod resume_at;
mod taken_up;

pub use offered::Offered;
pub use resume_at::ResumeAt;

use crate::Events;
use crate::agents::Offer;
use crate::hooks::{Hook, Hooks, command};
use crate::instructions::{Instruction, Instructions};
use crate::mcp::{self, Servers};
use crate::plan_files::{PlanError, PlanFiles};
use crate::providers::Providers;
use crate::redact::Redactor;
use crate::session::{Approver, AutoSource, Connect, Heard, Options, Planner, Session, TeamStart, plan_tools};
use crate::settings::{self, Loaded, Places};
use crate::store::place::Sessions;
use crate::store::{Passing, Reader, Resumed, Store, StoreError};
use crate::team::{Join, JoinError, Joined, Past, Record, Seat, Template};
use crate::versions::Versions;
use cutonce_core::agent::Definition;
use cutonce_core::mail;
use cutonce_core::mode::{self, Mode};
use cutonce_core::plan;
use cutonce_core::prompts::Surroundings;
use cutonce_core::reminder::{self, Instructions as PlanInstructions};
use cutonce_core::rule::{self, Behavior, Rules, Source, Written};
use cutonce_core::settings::{Notifications, Settings, ThinkingChoice};
use cutonce_core::submission::By;
use cutonce_core::transcript::{Body, Kind};
use cutonce_models::ModelError;
use cutonce_sandbox::env::Names;
use cutonce_tools::disk::{Disk, Unsearched};
use cutonce_tools::shells::Shells;
use cutonce_tools::skill::SkillTool;
use cutonce_tools::tool::{AnyTool, Here};
use cutonce_tools::web::Web;
use cutonce_tools::workspace::Workspace;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// What a session is started with. Everything that is not given comes from the settings.
#[derive(Clone, Default)]
pub struct Start {
    /// `~/.cutonce` or $CUTONCE_HOME.
    pub home: PathBuf,
    /// $HOME: where the user's instructions and those of other tools are.
    pub user_home: Option<PathBuf>,
    /// The folder that the session works in.
    pub cwd: PathBuf,
    /// The environment as it is; secrets in it are kept from tools and transcript (MO-4).
    pub env: Vec<(OsString, OsString)>,
    /// `--settings`: a path or JSON text.
    pub settings: Option<String>,
    /// `--managed-settings`: JSON that a host holds the session to; it can only tighten (HO-1).
    pub managed_settings: Option<String>,
    /// The agent that the main thread is: its prompt, tools and model (HO-1).
    pub agent: Option<String>,
    /// Nothing of the session stays on disk after it (HO-1).
    pub passing: bool,
    /// Only these skills are offered; None for all (HO-8).
    pub only_skills: Option<Vec<String>>,
    /// A host's own workflow for plan mode, in place of ours.
    pub plan_instructions: Option<String>,
    /// Rules, as in `permissions.allow`.
    pub allow: Vec<String>,
    /// Rules, as in `permissions.deny`.
    pub deny: Vec<String>,
    /// In place of the settings' own.
    pub model: Option<String>,
    /// In place of `model.fallback`.
    pub fallback_model: Option<String>,
    /// In place of `permissions.defaultMode`.
    pub mode: Option<Mode>,
    /// The mode that `mode` is entered from, instead of the settings' own (PM-26).
    pub base_mode: Option<Mode>,
    /// bypassPermissions may be entered.
    pub bypass_available: bool,
    /// Who can answer asks.
    pub approver: Approver,
    /// The first words, where they are known: a plan may be named after them (PM-51).
    pub request: Option<String>,
    /// New, or one that is gone on with.
    pub which: Which,
    /// Go on in a copy.
    pub fork: bool,
    /// Go on from an earlier message than the last (HO-1).
    pub resume_at: Option<ResumeAt>,
    /// Folders that tools may use beside `cwd`.
    pub add_dirs: Vec<PathBuf>,
    /// Requests to the model in one turn.
    pub max_turns: Option<u32>,
    /// US dollars for the whole session and its agents.
    pub max_budget: Option<f64>,
    /// In place of our own.
    pub system_prompt: Option<String>,
    /// After it.
    pub append_system_prompt: Option<String>,
    /// A host's choice (PM-66).
    pub hide_disallowed_tools: bool,
    /// `--mcp-config`: files or JSON text; with `strict_mcp_config` only these servers count (HO-6).
    pub mcp_config: Vec<String>,
    /// Only the servers of `mcp_config` count.
    pub strict_mcp_config: bool,
    /// How long the first request waits for MCP servers that are being started; else as the settings say.
    pub mcp_wait: Option<Duration>,
    /// Agents that a host or `--agents` hands in: `cutonce_core::agent::parse_given`.
    pub agents: Vec<Definition>,
    /// Tools of the embedding program.
    pub tools: Vec<Arc<dyn AnyTool>>,
    /// Hooks of the embedding program, beside those of the settings (HO-7).
    pub hooks: Vec<Arc<dyn Hook>>,
    /// A host that has files open (HO-5).
    pub editor: Option<Arc<dyn cutonce_tools::disk::Editor>>,
    /// Be a teammate (TM-1).
    pub join: Option<Join>,
    /// The program that teammates with processes of their own run; None: there are none.
    pub program: Option<PathBuf>,
    /// Where models come from, if not from the providers of the settings.
    pub connect: Option<Arc<dyn Connect>>,
    /// Only these of the built-in tools; None for all.
    pub only_tools: Option<Vec<String>>,
    /// Only these of the user's and the project's settings files and instructions; None for all.
    pub setting_sources: Option<Vec<Source>>,
    /// In place of what the settings say.
    pub thinking: Option<ThinkingChoice>,
    /// The agent itself, where it need not be looked up by the name in `agent`.
    pub main: Option<Arc<Definition>>,
}

/// Which session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Which {
    /// A new one.
    #[default]
    New,
    /// A new one with this id.
    NewWithId(String),
    /// The latest of this folder.
    Latest,
    /// By id, or by words of its first message.
    Find(String),
}

/// A session that is open, and what the person should know about how it was opened.
pub struct Opened {
    /// To submit to.
    pub session: Session,
    /// What happens, from the first event on.
    pub events: Events,
    /// To be told to the person.
    pub notices: Vec<String>,
    /// The name that chooses its model again.
    pub model: String,
    /// The file of its transcript.
    pub transcript: PathBuf,
    /// The mode it begins in.
    pub mode: Mode,
    /// The modes that can be entered in this run.
    pub modes: Vec<Mode>,
    /// How the person wants to be called.
    pub notifications: Notifications,
    /// As they were merged, for faces.
    pub settings: Arc<Settings>,
    /// What can be called by name.
    pub offered: Offered,
    /// What an earlier process left, for faces.
    pub left: Left,
}

/// What a session came back with that its events tell only when it changes.
#[derive(Debug, Clone, Default)]
pub struct Left {
    /// The todo list (UI-14).
    pub todos: Vec<cutonce_core::event::Todo>,
    /// How far the planning was, in plan mode (PM-140).
    pub phase: Option<cutonce_core::plan::Phase>,
}

/// Why no session was opened; its words say what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// CL-2: of a file on the machine that is broken only a warning is made.
    #[error("{0}")]
    Settings(String),
    /// Plan mode without a plan file is none.
    #[error("plan mode needs a plan file, and there can be none: {0}")]
    Plan(PlanError),
    /// The transcript can't be had.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no model to ask.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The team does not take it.
    #[error(transparent)]
    Team(#[from] JoinError),
    /// A tool of the embedding program has no usable name or schema.
    #[error("the tool {name:?} of the program can't be used: {why}")]
    Tool {
        /// The tool.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// The agent that the main thread should be is not there.
    #[error("there is no agent {name:?}; there are: {known}")]
    Agent {
        /// The name that was given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// `resume_at` names no message.
    #[error("No message found with message.uuid of: {0}")]
    NoMessage(String),
    /// `resume_at` would drop what it must not.
    #[error("Resume rejected by --resume-drops-turn: {0}")]
    Dropped(String),
    /// `cwd` or one of `add_dirs` is no folder.
    #[error("the folder {} can't be used: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
}

/// Its words hold the whole cause, so it is not a source to be told once more.
impl From<PlanError> for StartError {
    fn from(error: PlanError) -> Self {
        StartError::Plan(error)
    }
}

impl Start {
    /// Open the session on the current tokio runtime.
    pub async fn open(mut self) -> Result<Opened, StartError> {
        let mut notices = Vec::new();
        let (own_tools, loaded) = (self.own_tools()?, self.load(&mut notices)?);
        let main_agent = self.take_agent(&loaded, &mut notices)?;
        let settings = Arc::new(self.with_model(loaded.settings.clone()));
        let redactor = Arc::new(Redactor::new(secrets_of(&self.env, &settings)));
        let joined = self.join_team(&settings).await?;
        let connect = self.connector(&settings, &redactor);
        let connected = connect.connect("").await?;
        let passing = self.passing_place()?;
        let (store, resumed) = self.store(&redactor, connected.info.context, &passing, &mut notices)?;
        let mode = self.mode(&settings, resumed.as_ref(), store.path())?;
        let (shown_mode, modes) = (mode.0.mode(), available(&mode.0));
        let planner = self.planner(&settings, &store, &mode.0, &passing, &mut notices)?;
        let rules = self.rules(&loaded, own_tools, &mut notices);
        let here = self.here(&store, &settings, &rules, &redactor)?;
        notices.extend(missing(&here.workspace));
        let (mut instructions, around) = (self.instructions(), self.around(&here.workspace, branch_of(&self.cwd)));
        let text = shown(&instructions.load());
        notices.append(&mut instructions.take_notes());
        let system = self.words(main_agent.as_deref(), &around, &text, loaded.trusted, &rules);
        store.append(self.opened(&store, resumed.as_ref(), &planner))?;
        let team = self.team(&settings, &store, joined)?;
        let heard = self.heard(&settings, resumed.is_some(), store.path())?;
        let (mut tools, offered) = self.tools(&settings, loaded.trusted, &mut notices);
        let agents = self.agents(&loaded, around, text, &offered, &mut notices);
        let replayed = resumed.map(|resumed| resumed.replayed).unwrap_or_default();
        *here.todos.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = replayed.todos.clone();
        let left = Left { todos: replayed.todos, phase: mode.0.in_plan().then_some(planner.phase) };
        let (transcript, model) = (store.path().to_path_buf(), connected.spec.clone());
        let mcp = self.servers(&loaded, &settings, &here.workspace, &mut notices);
        tools.extend(mcp::wait_tool(&mcp));
        let (session, events) = Session::open(Options {
            store,
            main: connected.spec.clone(),
            connected,
            connect,
            system,
            tools,
            here: Arc::new(here),
            rules,
            places: self.places(),
            mode,
            planner,
            reopen_plan: replayed.open_asks.iter().any(|ask| ask.kind == "plan"),
            settings: settings.clone(),
            approver: self.approver,
            instructions,
            redactor,
            counted: replayed.usage.map_or(0, |usage| usage.context()),
            conversation: replayed.conversation,
            max_turns: self.max_turns,
            max_budget: self.max_budget,
            hide_disallowed_tools: self.hide_disallowed_tools,
            hooks: self.hooks(&settings, &mut notices),
            skill_folders: offered.skills.iter().map(|skill| skill.folder.clone()).collect(),
            heard,
            auto: self.auto(),
            mcp,
            mcp_wait: self.first_wait(&settings),
            team: Some(team),
            compact_at: settings.compact.auto.then(|| settings.compact.at.get()),
            agents: self.wants("Agent").then_some(agents),
            main_agent,
            passing,
            kin: None,
        });
        let (mode, notifications) = (shown_mode, settings.notifications);
        Ok(Opened { session, events, notices, model, transcript, mode, modes, notifications, settings, offered, left })
    }

    /// Whether there is a model with a key, without opening anything.
    pub async fn check_model(&self) -> Result<(), StartError> {
        let loaded = settings::load(&self.places(), self.settings.as_deref());
        let settings = Arc::new(self.with_model(loaded.settings));
        Providers::new(&settings, &self.env, &self.cwd, Arc::default()).connect("").await?;
        Ok(())
    }

    /// The list is fixed for the session (PM-66); Skill is in it where there are any (HO-8), whose folders are given too.
    fn tools(
        &mut self,
        settings: &Settings,
        trusted: bool,
        notices: &mut Vec<String>,
    ) -> (Vec<Arc<dyn AnyTool>>, Offered) {
        let offered = self.offered_from(trusted, notices);
        let skills = offered.skills.clone();
        // The lead answers a teammate's plan, so somebody is there.
        let approver = self.approver == Approver::Present || self.join.is_some();
        let enter = plan::enter_offered(settings.plan.entry, approver, false);
        let mut tools = cutonce_tools::tools();
        tools.extend(plan_tools(settings.plan.eagerness, enter));
        if !skills.is_empty() {
            tools.push(Arc::new(SkillTool::new(skills)));
        }
        tools.retain(|tool| self.wants(tool.name()));
        tools.append(&mut self.tools);
        (tools, offered)
    }

    fn auto(&self) -> AutoSource {
        let gate = self.env.iter().find(|(key, _)| key == "CUTONCE_AUTO_GATE");
        let gate = gate.map(|(_, value)| value.to_string_lossy().into_owned());
        AutoSource {
            flag: self.settings.clone(),
            sources: self.setting_sources.clone(),
            gate,
            failures: Arc::default(),
        }
    }

    /// Read only where somebody may be judged by it.
    fn heard(&self, settings: &Settings, resumed: bool, transcript: &Path) -> Result<Heard, StartError> {
        if !resumed || !settings.auto.enabled {
            return Ok(Heard::default());
        }
        Ok(Heard::from_transcript(&bodies(transcript, &[Kind::User, Kind::Clear])?))
    }

    /// Those of the settings first, then the embedding program's.
    fn hooks(&mut self, settings: &Settings, notices: &mut Vec<String>) -> Arc<Hooks> {
        let hooks = command::of_settings(settings, &self.cwd, self.tool_env(settings), notices);
        Arc::new(Hooks::new(hooks, std::mem::take(&mut self.hooks)))
    }

    /// A teammate goes on with its own session, in a mode that its lead allows; its system prompt tells it where it is.
    async fn join_team(&mut self, settings: &Settings) -> Result<Option<Arc<Joined>>, StartError> {
        let Some(join) = self.join.clone() else { return Ok(None) };
        let url = settings.team.mailbox.as_deref();
        let (joined, lead) = join.join(&self.home, &self.env, url).await?;
        let Some(member) = joined.member.clone() else { return Ok(None) };
        let id = member.session_id(&joined.id);
        let known = Sessions::new(&self.home, &self.cwd).transcript(&id).exists();
        let begins = if member.plan_mode_required { Mode::Plan } else { member.mode.at_most(lead.mode) };
        // PM-131: one that was killed before its mode was written has not been freed by anybody.
        let unsaid = || bodies(&Sessions::new(&self.home, &self.cwd).transcript(&id), &[Kind::Mode]);
        let again = known && member.plan_mode_required && unsaid()?.is_empty();
        self.which = if known { Which::Find(id) } else { Which::NewWithId(id) };
        self.mode = (!known || again).then_some(begins);
        self.bypass_available = member.bypass_available;
        if self.approver == Approver::Nobody {
            self.approver = Approver::Lead;
        }
        let welcome = mail::welcome(&joined.team, &joined.me, &joined.others, member.plan_mode_required);
        let more = self.append_system_prompt.take();
        self.append_system_prompt = Some(more.map_or(welcome.clone(), |more| format!("{more}\n\n{welcome}")));
        Ok(Some(joined))
    }

    /// The session's place in a team: joined, led before, or none yet.
    fn team(
        &mut self,
        settings: &Settings,
        store: &Store,
        joined: Option<Arc<Joined>>,
    ) -> Result<TeamStart, StartError> {
        let record = if joined.is_none() { Record::led_by(&self.home, store.id()) } else { None };
        let template = Template { start: self.clone(), mailbox: settings.team.mailbox.clone() };
        let past = match (joined.is_some() || record.is_some()) && store.path().exists() {
            true => Past::of(&bodies(store.path(), &[Kind::User, Kind::Ask, Kind::FileSnapshot])?),
            false => Past::default(),
        };
        let seat = Seat::new(template, store.id(), joined);
        // Teammates have transcripts of their own: a session that leaves none has no team.
        let team = crate::team::tools::team_tools(&seat).into_iter().filter(|_| !self.passing);
        let tools = team.filter(|tool| self.wants(tool.name()));
        let tools: Vec<_> = tools.collect();
        self.tools.extend(tools);
        Ok(TeamStart { seat, past, record })
    }

    /// A host may want only some of our own tools.
    fn wants(&self, tool: &str) -> bool {
        let listed = self.only_tools.as_ref().is_none_or(|only| only.iter().any(|name| rule::name_today(name) == tool));
        listed && self.main.as_ref().is_none_or(|agent| agent.offers_main(tool))
    }

    /// The embedding program's own models, or those of the providers.
    fn connector(&self, settings: &Arc<Settings>, redactor: &Arc<Redactor>) -> Arc<dyn Connect> {
        let own = || Arc::new(Providers::new(settings, &self.env, &self.cwd, redactor.clone()));
        self.connect.clone().unwrap_or_else(|| own())
    }

    /// The flag wins over the settings; either may name a pair of models (PM-110).
    fn with_model(&self, mut settings: Settings) -> Settings {
        if let Some(name) = self.model.clone().or(settings.model.main.clone()) {
            settings.model.choose(&name);
        }
        if self.fallback_model.is_some() {
            settings.model.fallback = self.fallback_model.clone();
        }
        if let Some(thinking) = &self.thinking {
            settings.thinking = thinking.clone();
        }
        settings
    }

    fn load(&self, notices: &mut Vec<String>) -> Result<Loaded, StartError> {
        if let Some(why) = self.managed_settings.as_deref().and_then(settings::managed_unusable) {
            return Err(StartError::Settings(why));
        }
        if let Some(why) = self.settings.as_deref().and_then(|flag| settings::unusable(flag, &self.cwd)) {
            return Err(StartError::Settings(why));
        }
        let loaded = settings::load_from(&self.places(), self.settings.as_deref(), self.setting_sources.as_deref());
        notices.extend(loaded.warnings.iter().map(ToString::to_string));
        let odd = loaded.settings.env.iter().filter(|(name, value)| !can_be_set(name, value));
        notices.extend(odd.map(|(name, _)| format!("`env`: {name:?} can't be a variable of commands; ignored")));
        // A project's MCP servers ask for themselves, one by one (HO-6).
        let aside = loaded.set_aside.iter().filter(|aside| aside.path != "mcpServers");
        let named: Vec<String> = aside.map(|aside| format!("{} in {}", aside.path, aside.file)).collect();
        if !named.is_empty() {
            notices.push(format!(
                "Set aside until you trust this folder, because it would loosen what is asked for: {}. To trust it: cutonce trust",
                named.join(", ")
            ));
        }
        Ok(loaded)
    }

    /// Instructions are as much a setting as the files are: a host that wants none of the project's gets none.
    fn instructions(&self) -> Instructions {
        Instructions::new(&self.home, self.user_home.clone(), &self.cwd)
            .only(self.counts(Source::User), self.counts(Source::Project))
    }

    /// All agents there are (SA-2, SA-3); what is wrong with a file is told once.
    fn agents(
        &mut self,
        loaded: &Loaded,
        around: Surroundings,
        instructions: String,
        offered: &Offered,
        notices: &mut Vec<String>,
    ) -> Offer {
        let given = std::mem::take(&mut self.agents);
        let catalog = self.catalog(given, loaded.trusted);
        notices.extend(catalog.troubles().iter().map(ToString::to_string));
        notices.extend(offered.missing_skills(&catalog));
        Offer { catalog: Arc::new(catalog), around, instructions, skills: offered.found.clone() }
    }

    fn places(&self) -> Places {
        Places {
            managed: PathBuf::from(settings::MANAGED),
            home: self.home.clone(),
            user_home: self.user_home.clone(),
            project: self.cwd.clone(),
            managed_flag: self.managed_settings.clone(),
        }
    }

    fn rules(&self, loaded: &Loaded, own_tools: Vec<String>, notices: &mut Vec<String>) -> Rules {
        let given = |behavior, text: &String| Written {
            behavior,
            text: text.clone(),
            source: Source::CommandLine,
            base: self.cwd.clone(),
        };
        let allow = self.allow.iter().map(|text| given(Behavior::Allow, text));
        let deny = self.deny.iter().map(|text| given(Behavior::Deny, text));
        let written = loaded.rules.iter().cloned().chain(allow).chain(deny);
        let home = self.user_home.as_deref();
        // What waits for trust was taken out where the settings were loaded; what is left the person gave (PR-2).
        let rules = Rules::with_tools(home, &self.cwd, own_tools, written);
        notices.extend(rules.errors().iter().map(|error| error.to_string()));
        notices.extend(cutonce_core::auto::gate(self.auto().gate.as_deref(), true).1);
        rules
    }

    /// The mode the session starts in (PM-26), or the one it was left in (PM-48); a flag wins.
    fn mode(
        &self,
        settings: &Settings,
        resumed: Option<&Resumed>,
        transcript: &Path,
    ) -> Result<(mode::State, Vec<mode::Effect>), StartError> {
        let base = self.base_mode.or(settings.permissions.default_mode).unwrap_or_default();
        let asked = self.mode.unwrap_or(base);
        let disabled = settings.permissions.disable_bypass_permissions_mode.is_some();
        let bypass_available = !disabled && (self.bypass_available || [base, asked].contains(&Mode::BypassPermissions));
        let setup = mode::Setup { bypass_available, auto: self.auto().switches(settings) };
        let Some(resumed) = resumed else { return Ok(mode::State::start(setup, base, asked)) };
        let bodies = if resumed.replayed.mode.is_some() || resumed.replayed.slug.is_some() {
            bodies(transcript, &STATE)?
        } else {
            Vec::new()
        };
        let (state, mut effects) = mode::replay(setup, &bodies);
        let Some(to) = self.mode else { return Ok((state, effects)) };
        let (state, more) = mode::step(state, mode::Event::Set { to, by: By::Start });
        effects.extend(more);
        Ok((state, effects))
    }

    /// Where the plan goes; the file of an earlier process is taken up again, or brought back (PM-48, PM-49).
    fn planner(
        &self,
        settings: &Settings,
        store: &Store,
        state: &mode::State,
        passing: &Option<Passing>,
        notices: &mut Vec<String>,
    ) -> Result<Planner, StartError> {
        let variable = |name: &str| {
            let value = self.env.iter().find(|(key, _)| key == name).map(|(_, value)| value.to_string_lossy());
            value.map(|value| value.into_owned())
        };
        let root = self.cwd.canonicalize().unwrap_or_else(|_| self.cwd.clone());
        // A plan of a session that leaves nothing is gone with it, wherever plans are kept else.
        let directory = settings.plans_directory.as_deref().filter(|_| passing.is_none());
        let home = passing.as_ref().map_or(self.home.as_path(), Passing::home);
        let (files, warning) = PlanFiles::new(home, &root, store.id(), directory, settings.plan.names);
        notices.extend(warning);
        let (explore, plans) = (variable("CUTONCE_PLAN_EXPLORE_AGENTS"), variable("CUTONCE_PLAN_AGENTS"));
        let counts = reminder::counts(explore.as_deref(), plans.as_deref(), &settings.plan);
        notices.extend(counts.warnings.iter().cloned());
        let interview = variable("CUTONCE_PLAN_INTERVIEW");
        let workflow = reminder::workflow(interview.as_deref(), settings.plan.workflow);
        let mut instructions = PlanInstructions::new(workflow, settings.plan.length, &counts);
        instructions.instead = self.plan_instructions.clone().map(Ok);
        let mut planner = Planner::new(files, instructions, settings.plan.entry);
        (planner.shell, planner.scratch) = (settings.plan.shell, settings.plan.scratch);
        planner.workshop = settings.sandbox.shell.then_some(settings.sandbox.network);
        planner.deny_read = settings.sandbox.deny_read.iter().map(|path| self.expand(path)).collect();
        let request = self.request.clone().unwrap_or_default();
        if state.in_plan() && store.path().exists() {
            planner.entered = entered(store.path());
            planner.phase = phase::left_in(store.path(), state.slug());
        }
        match state.slug() {
            Some(slug) => self.take_up(&mut planner, slug, store, &request, notices)?,
            None if state.in_plan() => planner.file = Some(planner.files.reserve(&request)?),
            None => {}
        }
        Ok(planner)
    }

    /// A path of the settings: `~/` is the home, the rest is relative to the project.
    fn expand(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), &self.user_home) {
            (Some(below), Some(home)) => home.join(below),
            _ => self.cwd.join(path),
        }
    }

    fn take_up(
        &self,
        planner: &mut Planner,
        slug: &str,
        store: &Store,
        request: &str,
        notices: &mut Vec<String>,
    ) -> Result<(), StartError> {
        let file = match planner.files.adopt(slug) {
            Ok(file) => file,
            // A fork: a new name and a copy; the original stays as it is.
            Err(PlanError::Others { .. }) => planner.files.fork(slug, request)?.0,
            Err(error) => return Err(error.into()),
        };
        if !file.path().exists() {
            let bodies = bodies(store.path(), &PLAN_TEXTS)?;
            if let Some(from) = file.restore(plan::restore(&bodies))? {
                notices.push(format!("The plan file was gone; it was restored from {from}."));
            }
        }
        planner.file = Some(file);
        Ok(())
    }

    fn here(
        &self,
        store: &Store,
        settings: &Settings,
        rules: &Rules,
        redactor: &Arc<Redactor>,
    ) -> Result<Here, StartError> {
        let folder = |error| StartError::Folder { path: self.cwd.clone(), error };
        let mut added = self.add_dirs.clone();
        added.extend(settings.permissions.additional_directories.iter().map(PathBuf::from));
        let own = store.own_dir();
        let workspace =
            Workspace::new(&self.cwd, &added, self.user_home.as_deref(), &self.home, &own).map_err(folder)?;
        let unsearched = rules.unsearched().map(|unsearched| Arc::new(unsearched) as Unsearched);
        Ok(Here {
            disk: Disk::new(Arc::new(Versions::new(store.clone())))
                .leave_out_of_searches(unsearched)
                .with_editor(self.editor.clone()),
            shells: Shells::new(self.tool_env(settings))
                .redacting(redactor.clone())
                .default_timeout(Duration::from_millis(settings.shell.timeout_ms.get())),
            web: Web::new(settings.web_fetch.allow_hosts.clone()),
            todos: Mutex::default(),
            workspace,
        })
    }

    /// How long the first request waits for MCP servers.
    fn first_wait(&self, settings: &Settings) -> Duration {
        self.mcp_wait.unwrap_or(Duration::from_millis(settings.mcp.first_wait_ms))
    }

    /// The MCP servers, being started.
    fn servers(&self, loaded: &Loaded, settings: &Settings, here: &Workspace, notices: &mut Vec<String>) -> Servers {
        let opening = mcp::Opening {
            home: &self.home,
            project: &self.cwd,
            loaded,
            settings,
            env: self.env.clone(),
            tool_env: self.tool_env(settings),
            roots: here.folders(),
            own: here.own.clone(),
            given: &self.mcp_config,
            strict: self.strict_mcp_config,
        };
        mcp::open(opening, notices)
    }

    /// What tool processes see: the environment without its secrets, then what the settings add.
    fn tool_env(&self, settings: &Settings) -> Vec<(OsString, OsString)> {
        tool_env(&self.env, settings)
    }

    fn around(&self, workspace: &Workspace, branch: Option<String>) -> Surroundings {
        Surroundings {
            cwd: workspace.root.display().to_string(),
            added: workspace.added.list().iter().map(|path| path.display().to_string()).collect(),
            platform: std::env::consts::OS.to_string(),
            date: jiff::Zoned::now().date().to_string(),
            branch,
        }
    }
}

/// What processes started for tools and servers see: the environment without its secrets, then what the settings add.
pub fn tool_env(env: &[(OsString, OsString)], settings: &Settings) -> Vec<(OsString, OsString)> {
    let names = Names { keep: settings.shell.keep_env.clone(), secret: secret_names(settings) };
    let mut env = cutonce_sandbox::env::scrubbed(env.iter().cloned(), &names);
    let set = || settings.env.iter().filter(|(name, value)| can_be_set(name, value));
    env.retain(|(name, _)| !set().any(|(given, _)| name == given.as_str()));
    env.extend(set().map(|(name, value)| (name.into(), value.into())));
    env
}

/// No program can be started with other variables.
fn can_be_set(name: &str, value: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
}

/// A process opened the session, or the session's plan got its name.
pub(crate) fn session_entry(store: &Store, cwd: &Path, slug: Option<String>) -> Body {
    Body::Session {
        session_id: store.id().to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        cwd: cwd.display().to_string(),
        branch: branch_of(cwd),
        slug,
        forked_from: None,
        agent: None,
    }
}

/// Added folders that are none.
fn missing(workspace: &Workspace) -> Vec<String> {
    let added = workspace.added.list();
    let missing = added.iter().filter(|added| !added.is_dir());
    let told =
        |added: &PathBuf| format!("{} is no folder; it belongs to the workspace as soon as it is one", added.display());
    missing.map(told).collect()
}

/// Project instructions as the model reads them: each file under its name.
fn shown(instructions: &[Instruction]) -> String {
    let one = |one: &Instruction| format!("From {}:\n{}", one.path.display(), one.text.trim());
    instructions.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

fn secret_names(settings: &Settings) -> Vec<String> {
    settings.providers.values().filter_map(|provider| provider.key_env.clone()).collect()
}

fn secrets_of(env: &[(OsString, OsString)], settings: &Settings) -> Vec<(String, String)> {
    let names = Names { keep: Vec::new(), secret: secret_names(settings) };
    cutonce_sandbox::env::secrets(env.iter().cloned(), &names)
}

/// The entries that tell the mode (PM-12), and those that may hold the plan's text (PM-48).
const STATE: [Kind; 7] =
    [Kind::Session, Kind::Plan, Kind::User, Kind::Mode, Kind::Reminder, Kind::Compaction, Kind::Clear];
const PLAN_TEXTS: [Kind; 5] = [Kind::FileSnapshot, Kind::Tool, Kind::User, Kind::Clear, Kind::Reminder];

fn available(mode: &mode::State) -> Vec<Mode> {
    Mode::ALL.into_iter().filter(|other| mode.available(*other).is_ok()).collect()
}

/// When the mode was last changed.
fn entered(transcript: &Path) -> Option<SystemTime> {
    let (_, entry) = Reader::open(transcript).ok()?.last_of(Kind::Mode).ok()??;
    entry.at.parse::<jiff::Timestamp>().ok().map(SystemTime::from)
}

fn bodies(transcript: &Path, kinds: &[Kind]) -> Result<Vec<Body>, StartError> {
    let failed = |error| StoreError::Io { what: "read the session", path: transcript.to_path_buf(), error };
    let mut reader = Reader::open(transcript).map_err(failed)?;
    let mut bodies = Vec::new();
    for at in (0..reader.len()).filter(|at| kinds.contains(&reader.kind(*at))).collect::<Vec<_>>() {
        bodies.extend(reader.entry(at).map_err(failed)?.map(|entry| entry.body));
    }
    Ok(bodies)
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
