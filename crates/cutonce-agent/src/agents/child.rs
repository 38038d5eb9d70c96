//! What an agent's session is opened with: a new one, or one that goes on from its transcript (SA-1 to SA-4).

use super::{Agents, Moment, Tree};
use crate::session::{Connected, Options};
use crate::store::{Reader, Store, StoreError};
use cutonce_core::agent::{Definition, ModelWish, TOOL};
use cutonce_core::conversation::Shared;
use cutonce_core::event::AgentRef;
use cutonce_core::mode::{AgentMode, Mode, State};
use cutonce_core::models::agent_model;
use cutonce_core::prompts;
use cutonce_core::request::Prefix;
use cutonce_core::rule::Rules;
use cutonce_core::transcript::{Body, Kind, Sidechain, replay};
use cutonce_tools::tool::{AnyTool, Here};
use cutonce_tools::workspace::Workspace;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// An agent that is about to be: who it is and what it knows.
pub(crate) struct Birth {
    pub agent: Arc<AgentRef>,
    pub definition: Arc<Definition>,
    pub description: String,
    /// The call's own wish comes before the definition's.
    pub model: Option<String>,
    /// Its transcript is there already: go on from it.
    pub resumed: bool,
    /// It may outlive the turn that started it: what was lent for that turn is not for it (UI-9).
    pub background: bool,
    /// As of the moment it was started: it may wait for its turn, and what it was started under binds it (PM-64).
    pub mode: AgentMode,
}

/// How an agent's session belongs to the tree; part of its [`Options`].
pub(crate) struct Kin {
    pub(super) tree: Arc<Tree>,
    /// From 1: agents of the main session.
    pub(super) depth: u8,
    pub(super) may_start: bool,
    pub(crate) seat: Seat,
    pub(crate) prefix: Arc<Prefix>,
}

/// What makes a session a subagent's: its mode is not its own (PM-64).
pub(crate) struct Seat {
    pub me: Arc<AgentRef>,
    pub(crate) mode: AgentMode,
    /// The main session's own: its sandbox is for all.
    pub(crate) main: Arc<Here>,
}

impl Agents {
    /// What the session of this agent is opened with, and what the user should know about it.
    pub async fn options(&self, birth: &Birth, moment: &Moment) -> Result<(Options, Vec<String>), String> {
        let tree = &self.tree;
        let (seeds, standing) = (&tree.seeds, &tree.standing);
        let mut notices = Vec::new();
        let (main, connected) = tree.model(birth, moment, &mut notices).await?;
        let past = self.past(birth, moment, &connected)?;
        let own = past.store.own_dir();
        let tools = offered(&birth.definition, &moment.tools);
        let prefix = tree.prefix(&birth.definition, &tools, &moment.rules);
        let (mcp, mcp_wait) = tree.servers_of(&birth.definition, &own);
        let mut mode = birth.mode;
        let (now, stays) = standing.now();
        let state = State::start(seeds.setup, Mode::Default, mode.decide(now, stays));
        let mut planner = seeds.planner.for_agent();
        planner.file = standing.plan_of(&birth.agent.id);
        let instructions = seeds.instructions.clone();
        let may_start = birth.definition.offers(TOOL);
        let seat = Seat { me: birth.agent.clone(), mode, main: seeds.here.clone() };
        let kin = Kin { tree: tree.clone(), depth: self.depth + 1, may_start, seat, prefix: prefix.clone() };
        let options = Options {
            store: past.store,
            connected,
            connect: seeds.connect.clone(),
            system: prefix.system.clone(),
            tools,
            here: Arc::new(here(&seeds.here, &own)),
            rules: if birth.background { &moment.lasting_rules } else { &moment.rules }.clone(),
            places: seeds.places.clone(),
            mode: state,
            planner,
            reopen_plan: false,
            approver: tree.approver_of(&birth.definition),
            settings: seeds.settings.clone(),
            main,
            instructions: if birth.definition.project_instructions { instructions } else { instructions.none() },
            redactor: seeds.redactor.clone(),
            conversation: past.conversation,
            counted: past.counted,
            max_turns: birth.definition.more.max_turns,
            max_budget: moment.budget,
            compact_at: seeds.compact_at,
            hide_disallowed_tools: seeds.hide_disallowed_tools,
            hooks: seeds.hooks.clone(),
            skill_folders: seeds.skill_folders.clone(),
            auto: seeds.auto.clone(),
            heard: seeds.heard.clone(),
            mcp,
            mcp_wait,
            team: None,
            agents: None,
            main_agent: None,
            passing: None,
            kin: Some(kin),
        };
        Ok((options, notices))
    }

    /// Its definition's mode where this run has it; whoever is in plan mode starts agents in plan mode only (PM-64).
    pub(super) fn mode_of(&self, definition: &Definition) -> AgentMode {
        let known = State::start(self.tree.seeds.setup, Mode::Default, Mode::Default).0;
        let own = definition.permission_mode.filter(|mode| known.available(*mode).is_ok());
        let (now, stays) = self.tree.standing.now();
        let starter = if self.depth == 0 { now } else { self.mode() };
        AgentMode::start(own, starter, stays)
    }

    fn past(&self, birth: &Birth, moment: &Moment, connected: &Connected) -> Result<Past, String> {
        let main = &self.tree.seeds.store;
        let told = |error: StoreError| format!("The agent's transcript can't be used: {error}");
        if birth.resumed {
            let path = main.sidechain_path(&birth.agent.id).map_err(told)?;
            let budget = usize::try_from(connected.info.context).unwrap_or(usize::MAX).saturating_mul(4);
            let (store, resumed) = Store::open(&path, self.tree.seeds.redactor.clone(), budget).map_err(told)?;
            let saw = sidechain(&path).and_then(|sidechain| sidechain.saw);
            let mut conversation = saw.map(|answer| context_before(main.path(), &answer)).unwrap_or_default();
            let counted = resumed.replayed.usage.map_or(0, |usage| usage.context());
            conversation.extend(resumed.replayed.conversation);
            return Ok(Past { store, conversation, counted });
        }
        let store = main.sidechain(&birth.agent.id).map_err(told)?;
        // Agents of agents see nothing of the main session: only its transcript could be read again.
        let fork = birth.definition.fork_context && self.depth == 0;
        let mut entry = crate::start::session_entry(&store, &self.tree.seeds.here.workspace.root, None);
        if let Body::Session { agent, .. } = &mut entry {
            *agent = Some(Sidechain {
                agent: AgentRef::clone(&birth.agent),
                session: main.id().to_string(),
                description: birth.description.clone(),
                saw: fork.then(|| moment.answer.clone()),
            });
        }
        store.append(entry).map_err(told)?;
        let conversation = if fork { moment.context.to_vec() } else { Vec::new() };
        Ok(Past { store, conversation, counted: 0 })
    }
}

struct Past {
    store: Store,
    conversation: Vec<Shared>,
    counted: u64,
}

impl Tree {
    /// The model's name and a value of it for this agent alone. One that can't be had is replaced by the inherited one.
    async fn model(
        &self,
        birth: &Birth,
        moment: &Moment,
        notices: &mut Vec<String>,
    ) -> Result<(String, Connected), String> {
        let wish = birth.model.as_deref().map_or_else(|| birth.definition.model.clone(), ModelWish::parse);
        let inherited = moment.connected.spec.as_str();
        let name = agent_model(&self.seeds.settings, inherited, &wish);
        let found = if name == inherited { Ok(moment.connected.clone()) } else { self.connected(&name).await };
        let (name, connected) = match found {
            Ok(connected) => (name, connected),
            Err(error) => {
                let who = &birth.agent.name;
                notices
                    .push(format!("The model {name} can't be used for the {who} agent, {inherited} goes on: {error}"));
                (inherited.to_string(), moment.connected.clone())
            }
        };
        let model = match connected.model.another() {
            Some(model) => model,
            None => self.seeds.connect.connect(&name).await.map_err(|error| error.to_string())?.model,
        };
        Ok((name, self.thinking_of(&birth.definition, Connected { model, ..connected })))
    }

    async fn connected(&self, name: &str) -> Result<Connected, cutonce_models::ModelError> {
        let mut models = self.models.lock().await;
        if let Some(known) = models.get(name) {
            return Ok(known.clone());
        }
        let connected = self.seeds.connect.connect(name).await?;
        models.insert(name.to_string(), connected.clone());
        Ok(connected)
    }

    /// The same bytes for all agents of a kind that have the same tools.
    fn prefix(&self, definition: &Definition, tools: &[Arc<dyn AnyTool>], rules: &Rules) -> Arc<Prefix> {
        let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
        let key = format!("{}\n{}", definition.name, names.join("\n"));
        let mut prefixes = self.prefixes.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let text = if definition.project_instructions { self.seeds.instructions_text.as_str() } else { "" };
            let system = prompts::system(Some(&self.words_of(definition, rules)), None, &self.seeds.around, text);
            Arc::new(Prefix { system, tools: tools.iter().map(|tool| tool.spec()).collect() })
        };
        prefixes.entry(key).or_insert_with(make).clone()
    }
}

/// SA-4: filtered before the model sees any. The session adds its own Agent tool where it may start agents.
fn offered(definition: &Definition, tools: &[Arc<dyn AnyTool>]) -> Vec<Arc<dyn AnyTool>> {
    let own = [TOOL, crate::structured::TOOL, crate::mcp::WAIT_TOOL];
    tools.iter().filter(|tool| !own.contains(&tool.name()) && definition.offers(tool.name())).cloned().collect()
}

/// The same workspace; what was read, the working folder, running commands and todos are the agent's own.
fn here(main: &Here, own: &Path) -> Here {
    Here {
        workspace: Workspace { own: own.to_path_buf(), ..main.workspace.clone() },
        disk: main.disk.another(),
        shells: main.shells.another(),
        web: main.web.clone(),
        todos: Mutex::default(),
    }
}

/// Who a transcript says that it is of.
pub(super) fn sidechain(path: &Path) -> Option<Sidechain> {
    let mut reader = Reader::open(path).ok()?;
    let at = (0..reader.len()).find(|at| reader.kind(*at) == Kind::Session)?;
    match reader.entry(at).ok()??.body {
        Body::Session { agent, .. } => agent,
        _ => None,
    }
}

/// The main conversation as it was before this entry: read again, never stored twice.
fn context_before(transcript: &Path, entry: &str) -> Vec<Shared> {
    let Ok(mut reader) = Reader::open(transcript) else { return Vec::new() };
    let mut entries = Vec::new();
    for at in 0..reader.len() {
        match reader.entry(at) {
            Ok(Some(found)) if found.id == entry => return replay(entries).conversation,
            Ok(Some(found)) => entries.push(found),
            Ok(None) | Err(_) => {}
        }
    }
    Vec::new()
}
