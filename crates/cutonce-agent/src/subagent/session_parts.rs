//! Builds the parts of a subagent's session, new or resumed from its transcript (SA-1 to SA-4).

use super::{SpawnContext, SubagentError, SubagentSpawner, SubagentTree};
use crate::session::{Connected, SessionHistory, SessionParts, SessionRole, offered_specs};
use crate::storage::{StoreError, TranscriptReader, TranscriptStore};
use cutonce_core::conversation::SharedMessage;
use cutonce_core::mode::{AgentMode, Mode, ModeState};
use cutonce_core::model_request::PromptPrefix;
use cutonce_core::model_selection::agent_model;
use cutonce_core::permission::rules::RuleSet;
use cutonce_core::prompts;
use cutonce_core::protocol::event::AgentRef;
use cutonce_core::protocol::usage_totals::UsageTotals;
use cutonce_core::subagent::{AGENT_TOOL, AgentDefinition, AgentModel};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::transcript::{EntryBody, EntryKind, SidechainInfo, replay_session};
use cutonce_tools::env::ToolEnv;
use cutonce_tools::tool::AnyTool;
use cutonce_tools::workspace::Workspace;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A subagent to be started.
pub(crate) struct SubagentSpec {
    pub agent: Arc<AgentRef>,
    pub definition: Arc<AgentDefinition>,
    pub description: String,
    /// The model the call requested; overrides the definition's.
    pub model: Option<String>,
    /// Whether to resume from an existing transcript.
    pub resumed: bool,
    /// Whether it may outlive the turn; such an agent gets no rules granted for the turn (UI-9).
    pub background: bool,
    /// The mode at the time of the call; it binds the agent even if it waits for a slot (PM-64).
    pub mode: AgentMode,
}

/// The subagent's position in the tree; part of its [`SessionParts`].
pub(crate) struct SubagentParent {
    pub(super) tree: Arc<SubagentTree>,
    /// Nesting depth; 1 for subagents of the main session.
    pub(super) depth: u8,
    pub(super) may_start: bool,
    pub(crate) identity: SubagentIdentity,
    pub(crate) prefix: Arc<PromptPrefix>,
}

/// Identifies a session as a subagent's, whose mode is derived (PM-64).
pub(crate) struct SubagentIdentity {
    pub me: Arc<AgentRef>,
    pub(crate) mode: AgentMode,
    /// The main session's tool environment, whose sandbox all subagents use.
    pub(crate) main: Arc<ToolEnv>,
}

impl SubagentSpawner {
    /// Builds the parts of this subagent's session, and notices for the user.
    pub async fn session_parts(
        &self,
        birth: &SubagentSpec,
        moment: &SpawnContext,
    ) -> Result<(SessionParts, Vec<String>), SubagentError> {
        let tree = &self.tree;
        let (from, standing) = (&tree.main, &tree.live_mode);
        let mut notices = Vec::new();
        let (main, connected) = tree.choose_model(birth, moment, &mut notices).await?;
        let past = self.open_history(birth, moment, &connected)?;
        let own = past.store.own_dir();
        let tools = offered_tools(&birth.definition, &moment.tools);
        let prefix = tree.request_prefix(&birth.definition, &tools, &moment.rules);
        let (mcp, mcp_wait) = tree.servers_for(&birth.definition, &own);
        let mut mode = birth.mode;
        let (now, stays) = standing.current();
        let state = ModeState::start(from.setup, Mode::Default, mode.mode_for_decision(now, stays));
        let mut planner = from.planner.for_agent();
        planner.file = standing.file_for_agent(&birth.agent.id);
        let instructions = from.instructions.clone();
        let may_start = birth.definition.offers(AGENT_TOOL);
        let handle = SubagentIdentity { me: birth.agent.clone(), mode, main: from.env.clone() };
        let parent = SubagentParent {
            tree: tree.clone(),
            depth: self.depth + 1,
            may_start,
            identity: handle,
            prefix: prefix.clone(),
        };
        let parts = SessionParts {
            shared: tree.shared.clone(),
            role: SessionRole::Subagent(parent),
            history: past,
            connected,
            main,
            system: prefix.system.clone(),
            tools,
            env: Arc::new(child_tool_env(&from.env, &own)),
            rules: if birth.background { &moment.lasting_rules } else { &moment.rules }.clone(),
            instructions: if birth.definition.project_instructions { instructions } else { instructions.disable() },
            mode: state,
            planner,
            approver: tree.approver_for(&birth.definition),
            max_turns: birth.definition.options.max_turns,
            max_budget: moment.budget,
            mcp,
            mcp_wait,
        };
        Ok((parts, notices))
    }

    /// Uses the definition's mode if available. A session in plan mode only starts agents in plan mode (PM-64).
    pub(super) fn agent_mode(&self, definition: &AgentDefinition) -> AgentMode {
        let known = ModeState::start(self.tree.main.setup, Mode::Default, Mode::Default).0;
        let own = definition.permission_mode.filter(|mode| known.check_available(*mode).is_ok());
        let (now, stays) = self.tree.live_mode.current();
        let starter = if self.depth == 0 { now } else { self.mode() };
        AgentMode::start(own, starter, stays)
    }

    fn open_history(
        &self,
        birth: &SubagentSpec,
        moment: &SpawnContext,
        connected: &Connected,
    ) -> Result<SessionHistory, SubagentError> {
        let main = &self.tree.main.store;
        let told = |error: StoreError| format!("Can't use the agent's transcript: {error}");
        if birth.resumed {
            let path = main.sidechain_path(&birth.agent.id).map_err(told)?;
            let budget = usize::try_from(connected.info.context).unwrap_or(usize::MAX).saturating_mul(4);
            let (store, resumed) =
                TranscriptStore::open(&path, self.tree.shared.redactor.clone(), budget).map_err(told)?;
            let saw = read_sidechain(&path).and_then(|sidechain| sidechain.saw);
            let mut conversation = saw.map(|answer| context_before(main.path(), &answer)).unwrap_or_default();
            let counted = resumed.replayed.usage.map_or(0, |usage| usage.context_tokens());
            conversation.extend(resumed.replayed.conversation);
            return Ok(SessionHistory { store, conversation, counted, totals: UsageTotals::default() });
        }
        let store = main.create_sidechain(&birth.agent.id).map_err(told)?;
        // Nested subagents see nothing of the main session, because only its transcript can be read again.
        let fork = birth.definition.fork_context && self.depth == 0;
        let mut entry = crate::builder::session_entry(&store, &self.tree.main.env.workspace.root, None);
        if let EntryBody::Session { agent, .. } = &mut entry {
            *agent = Some(SidechainInfo {
                agent: AgentRef::clone(&birth.agent),
                session: main.id().to_string(),
                description: birth.description.clone(),
                saw: fork.then(|| moment.answer.clone()),
            });
        }
        store.append(entry).map_err(told)?;
        let conversation = if fork { moment.context.to_vec() } else { Vec::new() };
        Ok(SessionHistory { store, conversation, counted: 0, totals: UsageTotals::default() })
    }
}

impl SubagentTree {
    /// The model's name and a separate instance of it. Falls back to the inherited model.
    async fn choose_model(
        &self,
        birth: &SubagentSpec,
        moment: &SpawnContext,
        notices: &mut Vec<String>,
    ) -> Result<(String, Connected), SubagentError> {
        let wish = birth.model.as_deref().map_or_else(|| birth.definition.model.clone(), AgentModel::parse);
        let inherited = moment.connected.spec.as_str();
        let name = agent_model(&self.shared.settings, inherited, &wish);
        let found = if name == inherited { Ok(moment.connected.clone()) } else { self.connect_cached(&name).await };
        let (name, connected) = match found {
            Ok(connected) => (name, connected),
            Err(error) => {
                let who = &birth.agent.name;
                notices.push(format!(
                    "Can't use the model {name} for the {who} agent; using {inherited} instead: {error}"
                ));
                (inherited.to_string(), moment.connected.clone())
            }
        };
        let model = match connected.model.for_other_session() {
            Some(model) => model,
            None => self.shared.connect.connect(&name).await.map_err(|error| error.to_string())?.model,
        };
        Ok((name, self.with_thinking(&birth.definition, Connected { model, ..connected })))
    }

    async fn connect_cached(&self, name: &str) -> Result<Connected, cutonce_models::ModelError> {
        let mut models = self.models.lock().await;
        if let Some(known) = models.get(name) {
            return Ok(known.clone());
        }
        let connected = self.shared.connect.connect(name).await?;
        models.insert(name.to_string(), connected.clone());
        Ok(connected)
    }

    /// The request prefix; agents of a kind with the same tools share identical bytes.
    fn request_prefix(
        &self,
        definition: &AgentDefinition,
        tools: &[Arc<dyn AnyTool>],
        rules: &RuleSet,
    ) -> Arc<PromptPrefix> {
        let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
        let key = format!("{}\n{}", definition.name, names.join("\n"));
        let mut prefixes = self.prefixes.lock_unpoisoned();
        let make = || {
            let text = if definition.project_instructions { self.main.instructions_text.as_str() } else { "" };
            let own = self.agent_prompt(definition, tools, rules);
            let system = prompts::system_prompt(Some(&own), &|_| false, None, &self.main.around, text);
            Arc::new(PromptPrefix { system, tools: offered_specs(tools, rules) })
        };
        prefixes.entry(key).or_insert_with(make).clone()
    }
}

/// Filters the tools before the model sees them (SA-4). The session adds its own Agent tool if allowed.
fn offered_tools(definition: &AgentDefinition, tools: &[Arc<dyn AnyTool>]) -> Vec<Arc<dyn AnyTool>> {
    let own = [AGENT_TOOL, crate::structured_output::TOOL, crate::mcp::WAIT_TOOL];
    tools.iter().filter(|tool| !own.contains(&tool.name()) && definition.offers(tool.name())).cloned().collect()
}

/// Same workspace as the parent; read state, working folder, running commands and todos are the agent's own.
fn child_tool_env(main: &ToolEnv, own: &Path) -> ToolEnv {
    ToolEnv {
        workspace: Workspace { session_folder: own.to_path_buf(), ..main.workspace.clone() },
        disk: main.disk.for_subagent(),
        shells: main.shells.for_subagent(),
        web: main.web.clone(),
        todos: Mutex::default(),
    }
}

/// Reads the subagent's identity from its transcript.
pub(super) fn read_sidechain(path: &Path) -> Option<SidechainInfo> {
    let mut reader = TranscriptReader::open(path).ok()?;
    let at = (0..reader.len()).find(|at| reader.kind(*at) == EntryKind::Session)?;
    match reader.entry(at).ok()??.body {
        EntryBody::Session { agent, .. } => agent,
        _ => None,
    }
}

/// The main conversation before this entry, read from the transcript instead of storing it twice.
fn context_before(transcript: &Path, entry: &str) -> Vec<SharedMessage> {
    let Ok(mut reader) = TranscriptReader::open(transcript) else { return Vec::new() };
    let mut entries = Vec::new();
    for at in 0..reader.len() {
        match reader.entry(at) {
            Ok(Some(found)) if found.id == entry => return replay_session(entries).conversation,
            Ok(Some(found)) => entries.push(found),
            Ok(None) | Err(_) => {}
        }
    }
    Vec::new()
}
