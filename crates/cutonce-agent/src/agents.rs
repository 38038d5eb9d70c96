//! Subagents (SA-1 to SA-4): each is a session of its own in this process, with its own conversation, tools and transcript,
//! and shares everything else with the session that started it: settings, connections, rules, versions of files, and the
//! mode as of now (PM-64).
//!
//! `Tree` is what a main session and all below it share; `Agents` is one session's way to start some. `tool` is how
//! the model does that, `run` carries one from its start to its end, `child` makes what its session is opened with.

mod child;
pub mod files;
mod given;
mod run;
mod standing;
mod tool;

pub(crate) use child::{Kin, Seat};
pub(crate) use given::words_of;
pub(crate) use run::Ending;
pub(crate) use standing::{SharedRule, Standing};

use crate::hooks::Hooks;
use crate::hub::Hub;
use crate::instructions::Instructions;
use crate::mcp::Servers;
use crate::redact::Redactor;
use crate::session::{Approver, AutoSource, Connect, Connected, Heard, Options, Planner, Report};
use crate::settings::Places;
use crate::store::Store;
use cutonce_core::agent::{Catalog, TOOL};
use cutonce_core::conversation::{Message, Shared};
use cutonce_core::event::AgentRef;
use cutonce_core::mode::{Mode, Setup};
use cutonce_core::prompts::Surroundings;
use cutonce_core::request::Prefix;
use cutonce_core::rule::Rules;
use cutonce_core::settings::Settings;
use cutonce_core::skill::Skill;
use cutonce_core::submission::{Answer, Submission};
use cutonce_core::transcript::replay::INTERRUPTED;
use cutonce_tools::tool::{AnyTool, Here};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};

/// How long agents that were stopped may take until the session ends without them.
const DYING: Duration = Duration::from_secs(5);

/// What a session is opened with so that it can start agents.
pub(crate) struct Offer {
    pub catalog: Arc<Catalog>,
    pub around: Surroundings,
    /// Project instructions, as they stand in the system prompt.
    pub instructions: String,
    /// All skills: an agent may know some from the start (HO-8).
    pub skills: Vec<Skill>,
}

/// Shared by a main session and all agents below it.
pub(crate) struct Tree {
    catalog: Arc<Catalog>,
    seeds: Seeds,
    standing: Arc<Standing>,
    /// How deep agents may start agents.
    depth: u8,
    /// At most so many at once on each level: an agent that waits for its own does not keep them from running.
    slots: Vec<Arc<Semaphore>>,
    live: Mutex<Vec<run::Live>>,
    /// Models by name, connected once; each agent gets a value of its own over the same connections.
    models: tokio::sync::Mutex<HashMap<String, Connected>>,
    /// System prompt and tools by kind of agent: the same bytes for all of them.
    prefixes: Mutex<HashMap<String, Arc<Prefix>>>,
}

/// What the main session was opened with and its agents take from it.
pub(crate) struct Seeds {
    here: Arc<Here>,
    connect: Arc<dyn Connect>,
    settings: Arc<Settings>,
    redactor: Arc<Redactor>,
    places: Places,
    approver: Approver,
    compact_at: Option<f64>,
    hide_disallowed_tools: bool,
    store: Store,
    planner: Planner,
    setup: Setup,
    around: Surroundings,
    instructions: Instructions,
    instructions_text: String,
    hooks: Arc<Hooks>,
    skill_folders: Vec<PathBuf>,
    skills: Vec<Skill>,
    /// The main session's: an agent's own are started like them.
    servers: Servers,
    auto: AutoSource,
    heard: Heard,
}

/// One session's way to start agents.
pub(crate) struct Agents {
    tree: Arc<Tree>,
    /// 0: the main session.
    depth: u8,
    me: Option<Arc<AgentRef>>,
    hub: Arc<Hub>,
    reports: mpsc::UnboundedSender<Report>,
    moment: Mutex<Option<Arc<Moment>>>,
    /// As it decided for the session itself, last.
    mode: Mutex<Mode>,
}

/// The session as it was when the model made its calls.
pub(crate) struct Moment {
    /// The conversation before the answer that made them.
    pub context: Arc<[Shared]>,
    /// That answer's entry in the transcript.
    pub answer: String,
    pub connected: Connected,
    pub rules: Rules,
    /// The same without what is lent for the turn: for agents in the background (UI-9).
    pub lasting_rules: Rules,
    pub budget: Option<f64>,
    pub tools: Vec<Arc<dyn AnyTool>>,
}

/// What a session that is about to open has to do with agents. Adds the Agent tool where it may start some.
pub(crate) fn settle(
    options: &mut Options,
    hub: &Arc<Hub>,
    reports: &mpsc::UnboundedSender<Report>,
) -> (Arc<Standing>, Option<Arc<Agents>>) {
    let (tree, depth, me, offered) = match (&options.kin, options.agents.take()) {
        (Some(kin), _) => (kin.tree.clone(), kin.depth, Some(kin.seat.me.clone()), kin.may_start),
        (None, Some(offer)) => (Arc::new(Tree::new(options, offer)), 0, None, true),
        (None, None) => return (Arc::new(Standing::new(&options.mode.0, options.planner.file.clone())), None),
    };
    let standing = tree.standing.clone();
    if depth >= tree.depth || !offered {
        return (standing, None);
    }
    let (hub, reports, moment) = (hub.clone(), reports.clone(), Mutex::default());
    let mode = Mutex::new(options.mode.0.mode());
    let agents = Arc::new(Agents { tree, depth, me, hub, reports, moment, mode });
    options.tools.push(Arc::new(tool::AgentTool::new(agents.clone())));
    if let Some(kin) = &mut options.kin {
        let tools = options.tools.iter().map(|tool| tool.spec()).collect();
        kin.prefix = Arc::new(Prefix { system: options.system.clone(), tools });
    }
    (standing, Some(agents))
}

impl Tree {
    fn new(options: &Options, offer: Offer) -> Tree {
        let settings = &options.settings.agents;
        let parallel = usize::from(settings.parallel.get());
        let depth = settings.depth.get();
        Tree {
            standing: Arc::new(Standing::new(&options.mode.0, options.planner.file.clone())),
            depth,
            slots: (0..depth).map(|_| Arc::new(Semaphore::new(parallel))).collect(),
            live: Mutex::default(),
            models: tokio::sync::Mutex::default(),
            prefixes: Mutex::default(),
            catalog: offer.catalog,
            seeds: Seeds {
                here: options.here.clone(),
                connect: options.connect.clone(),
                settings: options.settings.clone(),
                redactor: options.redactor.clone(),
                places: options.places.clone(),
                approver: options.approver,
                compact_at: options.compact_at,
                hide_disallowed_tools: options.hide_disallowed_tools,
                store: options.store.clone(),
                planner: options.planner.for_agent(),
                setup: options.mode.0.setup(),
                around: offer.around,
                instructions: options.instructions.clone(),
                instructions_text: offer.instructions,
                hooks: options.hooks.clone(),
                skill_folders: options.skill_folders.clone(),
                skills: offer.skills,
                servers: options.mcp.clone(),
                auto: options.auto.clone(),
                heard: options.heard.for_agent(),
            },
        }
    }

    fn live(&self) -> MutexGuard<'_, Vec<run::Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Agents {
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.tree.catalog
    }

    /// The model made calls, some of them for agents: what they start from.
    pub(crate) fn set_moment(&self, moment: Moment) {
        *self.moment.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(moment));
    }
    /// A call was decided under this mode.
    pub(crate) fn decided(&self, mode: Mode) {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner) = mode;
    }
    fn mode(&self) -> Mode {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn moment(&self) -> Option<Arc<Moment>> {
        self.moment.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// An answer to an ask that an agent has open, at whatever depth. False: no agent asked it.
    pub(crate) fn answer(&self, ask_id: &str, answer: &Answer) -> bool {
        let asked = self.tree.live().iter().find(|live| live.asked(ask_id)).and_then(run::Live::session);
        let submission = || Submission::Answer { ask_id: ask_id.to_string(), answer: answer.clone() };
        asked.inspect(|session| session.submit(submission())).is_some()
    }

    /// How many agents of this kind, started by this session, run now.
    pub(crate) fn running(&self, name: &str) -> usize {
        self.tree.live().iter().filter(|live| self.is_mine(live) && live.agent.name == name).count()
    }
    /// Does one run that this session does not wait for?
    pub(crate) fn any_in_background(&self) -> bool {
        self.tree.live().iter().any(|live| self.is_mine(live) && live.background)
    }
    fn is_mine(&self, live: &run::Live) -> bool {
        live.agent.parent.as_deref() == self.me.as_ref().map(|me| me.id.as_str())
    }

    /// Stop all agents of this session at once, and by that all of theirs (AG-4).
    pub fn stop(&self) {
        self.tree.live().iter().filter(|live| self.is_mine(live)).for_each(|live| live.stop.cancel());
    }

    /// Stop one, wherever in the tree it is. False: none with this id runs.
    pub(crate) fn stop_one(&self, id: &str) -> bool {
        let live = self.tree.live();
        live.iter().find(|live| live.agent.id == id).inspect(|live| live.stop.cancel()).is_some()
    }

    /// The session is over: none of its agents outlives it, nor what they started.
    pub(crate) async fn end(&self) {
        self.stop();
        let ended: Vec<_> = {
            let live = self.tree.live();
            live.iter().filter(|live| self.is_mine(live)).map(|live| live.ended.clone()).collect()
        };
        let all = async {
            for ended in ended {
                ended.cancelled().await;
            }
        };
        let _ = tokio::time::timeout(DYING, all).await;
    }
}

/// Agents of the last turn that a crash cut off: the model is told, because it never learned their ids.
pub(crate) fn cut_off(store: &Store, conversation: &[Shared]) -> Vec<(String, String)> {
    let unanswered = |message: &Shared| !matches!(**message, Message::Assistant { .. });
    let lost = |message: &Shared| match &**message {
        Message::Tool(result) if result.as_text() == INTERRUPTED => Some(result.call_id.clone()),
        Message::Tool(_) | Message::User { .. } | Message::Assistant { .. } => None,
    };
    let lost: Vec<String> =
        conversation.iter().rev().take_while(|message| unanswered(message)).filter_map(lost).collect();
    if lost.is_empty() {
        return Vec::new();
    }
    let files = std::fs::read_dir(store.own_dir().join(crate::store::AGENTS))
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| file.path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let known = files.filter_map(|path| child::sidechain(&path)).filter(|agent| lost.contains(&agent.agent.call_id));
    let mut lines: Vec<String> = known
        .map(|one| format!("- {} agent, \"{}\", agentId: {}", one.agent.name, one.description, one.agent.id))
        .collect();
    lines.sort();
    match lines.is_empty() {
        true => Vec::new(),
        false => vec![("agents".into(), cutonce_core::agent::cut_off(&lines.join("\n")))],
    }
}

/// Is this call one for an agent?
pub(crate) fn is_call(tool: &str) -> bool {
    tool == TOOL
}
