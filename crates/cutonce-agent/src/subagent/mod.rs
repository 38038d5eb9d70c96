//! Subagents (SA-1 to SA-4). Each is a session in this process with its own conversation, tools and transcript.
//! Everything else is shared with the parent session: settings, connections, rules, file versions and the current
//! mode (PM-64).
//!
//! `Tree` is shared by a main session and all its subagents; `Agents` lets one session start them. `tool` is the
//! model's interface, `run` drives one subagent from start to end, `child` builds the options of its session.

mod budget;
mod definition_extras;
pub mod definition_files;
mod mode;
mod run;
mod session_parts;
mod tool;

crate::text_error::text_error! {
    /// Why a subagent could not be started; the text becomes the result of the call.
    pub(crate) SubagentError
}

pub(crate) use budget::Reservation;
pub(crate) use definition_extras::agent_prompt;
pub(crate) use mode::{LiveMode, SharedRule};
pub(crate) use run::{SubagentReport, SubagentTask};
pub(crate) use session_parts::{SubagentIdentity, SubagentParent};

use crate::config::instructions::InstructionLoader;
use crate::event_hub::EventHub;
use crate::mcp::McpServers;
use crate::session::{
    Approver, Connected, Planner, Session, SessionEvent, SessionParts, SessionRole, SharedContext, offered_specs,
};
use crate::storage::TranscriptStore;
use cutonce_core::conversation::{Message, SharedMessage};
use cutonce_core::mode::{Mode, ModeSetup};
use cutonce_core::model_request::PromptPrefix;
use cutonce_core::permission::rules::RuleSet;
use cutonce_core::prompts::PromptEnvironment;
use cutonce_core::protocol::event::AgentRef;
use cutonce_core::protocol::submission::{AskAnswer, Submission};
use cutonce_core::skills::Skill;
use cutonce_core::subagent::{AGENT_TOOL, AgentCatalog};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::transcript::replay::INTERRUPTED_RESULT;
use cutonce_tools::env::ToolEnv;
use cutonce_tools::tool::AnyTool;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};

/// How long the session waits for stopped subagents before it ends.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Data that enables a session to start subagents.
pub(crate) struct AgentsOffer {
    pub catalog: Arc<AgentCatalog>,
    pub around: PromptEnvironment,
    /// Project instructions, as in the system prompt.
    pub instructions: String,
    /// All skills; a subagent may preload some (HO-8).
    pub skills: Vec<Skill>,
}

/// State shared by a main session and all its subagents.
pub(crate) struct SubagentTree {
    catalog: Arc<AgentCatalog>,
    shared: Arc<SharedContext>,
    main: MainSessionParts,
    live_mode: Arc<LiveMode>,
    /// Maximum nesting depth.
    depth: u8,
    /// Concurrency limit per level: a waiting parent doesn't take a slot from its children.
    slots: Vec<Arc<Semaphore>>,
    live: Mutex<Vec<run::LiveSubagent>>,
    /// Connected models by name; each subagent gets its own value over the same connection.
    models: tokio::sync::Mutex<HashMap<String, Connected>>,
    /// System prompt and tools by kind of agent, so that requests share identical bytes.
    prefixes: Mutex<HashMap<String, Arc<PromptPrefix>>>,
}

/// The main session's own parts, which its subagents derive theirs from.
pub(crate) struct MainSessionParts {
    env: Arc<ToolEnv>,
    approver: Approver,
    store: TranscriptStore,
    planner: Planner,
    setup: ModeSetup,
    around: PromptEnvironment,
    instructions: InstructionLoader,
    instructions_text: String,
    skills: Vec<Skill>,
    /// The main session's servers; a subagent's own servers start the same way.
    servers: McpServers,
}

/// One session's interface for starting subagents.
pub(crate) struct SubagentSpawner {
    tree: Arc<SubagentTree>,
    /// Nesting depth; 0 is the main session.
    depth: u8,
    me: Option<Arc<AgentRef>>,
    hub: Arc<EventHub>,
    reports: mpsc::UnboundedSender<SessionEvent>,
    context: Mutex<Option<Arc<SpawnContext>>>,
    /// The mode of the session's last permission decision.
    mode: Mutex<Mode>,
}

/// The session's state when the model made its calls.
pub(crate) struct SpawnContext {
    /// The conversation before the assistant message with the calls.
    pub context: Arc<[SharedMessage]>,
    /// The transcript id of that assistant message.
    pub answer: String,
    pub connected: Connected,
    pub rules: RuleSet,
    /// The rules without those granted for the turn, for background agents (UI-9).
    pub lasting_rules: RuleSet,
    pub budget: Option<f64>,
    pub tools: Vec<Arc<dyn AnyTool>>,
}

/// Sets up subagent support for a new session and adds the Agent tool if allowed.
pub(crate) fn set_up_subagents(
    parts: &mut SessionParts,
    hub: &Arc<EventHub>,
    reports: &mpsc::UnboundedSender<SessionEvent>,
) -> (Arc<LiveMode>, Option<Arc<SubagentSpawner>>) {
    let (tree, depth, me, offered) = match &mut parts.role {
        SessionRole::Subagent(own) => (own.tree.clone(), own.depth, Some(own.identity.me.clone()), own.may_start),
        SessionRole::Main(main) => match main.agents.take() {
            Some(offer) => (Arc::new(SubagentTree::new(parts, offer)), 0, None, true),
            None => return (Arc::new(LiveMode::new(&parts.mode.0, parts.planner.file.clone())), None),
        },
    };
    let standing = tree.live_mode.clone();
    if depth >= tree.depth || !offered {
        return (standing, None);
    }
    let (hub, reports, moment) = (hub.clone(), reports.clone(), Mutex::default());
    let mode = Mutex::new(parts.mode.0.mode());
    let agents = Arc::new(SubagentSpawner { tree, depth, me, hub, reports, context: moment, mode });
    parts.tools.push(Arc::new(tool::AgentTool::new(agents.clone())));
    if let SessionRole::Subagent(own) = &mut parts.role {
        let tools = offered_specs(&parts.tools, &parts.rules);
        own.prefix = Arc::new(PromptPrefix { system: parts.system.clone(), tools });
    }
    (standing, Some(agents))
}

impl SubagentTree {
    fn new(parts: &SessionParts, offer: AgentsOffer) -> SubagentTree {
        let settings = &parts.shared.settings.agents;
        let parallel = usize::from(settings.parallel.get());
        let depth = settings.depth.get();
        SubagentTree {
            live_mode: Arc::new(LiveMode::new(&parts.mode.0, parts.planner.file.clone())),
            depth,
            slots: (0..depth).map(|_| Arc::new(Semaphore::new(parallel))).collect(),
            live: Mutex::default(),
            models: tokio::sync::Mutex::default(),
            prefixes: Mutex::default(),
            catalog: offer.catalog,
            shared: parts.shared.clone(),
            main: MainSessionParts {
                env: parts.env.clone(),
                approver: parts.approver,
                store: parts.history.store.clone(),
                planner: parts.planner.for_agent(),
                setup: parts.mode.0.setup(),
                around: offer.around,
                instructions: parts.instructions.clone(),
                instructions_text: offer.instructions,
                skills: offer.skills,
                servers: parts.mcp.clone(),
            },
        }
    }

    fn live(&self) -> MutexGuard<'_, Vec<run::LiveSubagent>> {
        self.live.lock_unpoisoned()
    }
}

impl SubagentSpawner {
    pub fn catalog(&self) -> &Arc<AgentCatalog> {
        &self.tree.catalog
    }

    /// Stores the state that the next subagents start from.
    pub(crate) fn set_context(&self, moment: SpawnContext) {
        *self.context.lock_unpoisoned() = Some(Arc::new(moment));
    }
    /// Records the mode of the latest permission decision.
    pub(crate) fn record_mode(&self, mode: Mode) {
        *self.mode.lock_unpoisoned() = mode;
    }
    fn mode(&self) -> Mode {
        *self.mode.lock_unpoisoned()
    }

    fn current_context(&self) -> Option<Arc<SpawnContext>> {
        self.context.lock_unpoisoned().clone()
    }

    /// Forwards an answer to the subagent that asked, at any depth. Returns false if none did.
    pub(crate) fn forward_answer(&self, ask_id: &str, answer: &AskAnswer) -> bool {
        let submission = || Submission::Answer { ask_id: ask_id.to_string(), answer: answer.clone() };
        self.session_with_ask(ask_id).inspect(|session| session.submit(submission())).is_some()
    }

    /// The session of the subagent that has this ask.
    pub(crate) fn session_with_ask(&self, ask_id: &str) -> Option<Session> {
        self.tree.live().iter().find(|live| live.has_ask(ask_id)).and_then(run::LiveSubagent::session)
    }

    /// How many subagents of this kind this session is running.
    pub(crate) fn count_running(&self, name: &str) -> usize {
        self.tree.live().iter().filter(|live| self.is_mine(live) && live.agent.name == name).count()
    }
    /// Whether this session has a running background agent.
    pub(crate) fn any_in_background(&self) -> bool {
        self.tree.live().iter().any(|live| self.is_mine(live) && live.background)
    }
    fn is_mine(&self, live: &run::LiveSubagent) -> bool {
        live.agent.parent.as_deref() == self.me.as_ref().map(|me| me.id.as_str())
    }

    /// Stops all subagents of this session at once, and with them all of theirs (AG-4).
    pub fn stop_all(&self) {
        self.tree.live().iter().filter(|live| self.is_mine(live)).for_each(|live| live.stop.cancel());
    }

    /// Stops one subagent, anywhere in the tree. Returns false if no running one has this id.
    pub(crate) fn stop_one(&self, id: &str) -> bool {
        let live = self.tree.live();
        live.iter().find(|live| live.agent.id == id).inspect(|live| live.stop.cancel()).is_some()
    }

    /// Ends all subagents of the session, and everything they started.
    pub(crate) async fn shut_down(&self) {
        self.stop_all();
        let ended: Vec<_> = {
            let live = self.tree.live();
            live.iter().filter(|live| self.is_mine(live)).map(|live| live.ended.clone()).collect()
        };
        let all = async {
            for ended in ended {
                ended.cancelled().await;
            }
        };
        let _ = tokio::time::timeout(STOP_TIMEOUT, all).await;
    }
}

/// Lists subagents of the last turn that a crash interrupted: the model never learned their ids.
pub(crate) fn interrupted_agents(store: &TranscriptStore, conversation: &[SharedMessage]) -> Vec<(String, String)> {
    let unanswered = |message: &SharedMessage| !matches!(**message, Message::Assistant { .. });
    let lost = |message: &SharedMessage| match &**message {
        Message::Tool(result) if result.as_text() == INTERRUPTED_RESULT => Some(result.call_id.clone()),
        Message::Tool(_) | Message::User { .. } | Message::Assistant { .. } => None,
    };
    let lost: Vec<String> =
        conversation.iter().rev().take_while(|message| unanswered(message)).filter_map(lost).collect();
    if lost.is_empty() {
        return Vec::new();
    }
    let files = std::fs::read_dir(store.own_dir().join(crate::storage::AGENTS))
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| file.path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let known = files
        .filter_map(|path| session_parts::read_sidechain(&path))
        .filter(|agent| lost.contains(&agent.agent.call_id));
    let mut lines: Vec<String> = known
        .map(|one| format!("- {} agent, \"{}\", agentId: {}", one.agent.name, one.description, one.agent.id))
        .collect();
    lines.sort();
    match lines.is_empty() {
        true => Vec::new(),
        false => vec![("agents".into(), cutonce_core::subagent::interrupted_agents_message(&lines.join("\n")))],
    }
}

/// Whether the call starts a subagent.
pub(crate) fn is_agent_call(tool: &str) -> bool {
    tool == AGENT_TOOL
}
