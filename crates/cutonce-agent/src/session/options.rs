//! What a session is opened with, and opening it.

use super::asks::Asks;
use super::auto::{AutoSource, Heard, Judge};
use super::calls::Batch;
use super::hooks::Watch;
use super::models::Models;
use super::plan::Planner;
use super::tally::Tally;
use super::{Driver, Hall, Session, Talk};
use crate::agents::{Kin, Seat};
use crate::hooks::Hooks;
use crate::hub::{Events, Hub};
use crate::instructions::Instructions;
use crate::redact::Redactor;
use crate::settings::Places;
use crate::store::Store;
use cutonce_core::conversation::{Block, Message, ResultPart, Shared};
use cutonce_core::event::EventKind;
use cutonce_core::mode;
use cutonce_core::prompts;
use cutonce_core::request::{Prefix, Thinking};
use cutonce_core::rule::Rules;
use cutonce_core::settings::{ModelInfo, Settings};
use cutonce_core::turn::Turn;
use cutonce_models::{Model, ModelError};
use cutonce_tools::tool::{AnyTool, Here};
use cutonce_tools::workspace::Workspace;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

/// A model that is ready to be asked, with what is known about it.
#[derive(Clone)]
pub struct Connected {
    /// How it is asked.
    pub model: Arc<dyn Model>,
    /// Its window, its prices.
    pub info: ModelInfo,
    /// How much it thinks before it answers.
    pub thinking: Thinking,
    /// The name that connects it again.
    pub spec: String,
}

impl Connected {
    /// The output a request may ask for: what the model offers, within a quarter of a small window.
    pub(crate) fn max_tokens(&self) -> u32 {
        self.info.max_output.min(u32::try_from(self.info.context / 4).unwrap_or(u32::MAX)).max(1)
    }
}

/// Makes a model from its name; used at the start and when the model is switched.
#[async_trait::async_trait]
pub trait Connect: Send + Sync {
    /// The model of this name; the empty name is the session's first model.
    async fn connect(&self, name: &str) -> Result<Connected, ModelError>;
}

/// Who can answer asks (PM-75, PM-76).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Approver {
    /// A person or a host that asks one.
    Present,
    /// Nobody: what would ask is denied, and a run in plan mode ends at the submission.
    #[default]
    Nobody,
    /// Of a teammate without a person before it: permissions are asked of the lead's user, through the mailbox (TM-1).
    Lead,
    /// A host that sends messages but can't be asked: a submission is refused and the turn goes on.
    CantAsk,
}

/// Everything a session needs, made by `start` from settings and flags, or by hand by a library user.
pub(crate) struct Options {
    pub store: Store,
    pub connected: Connected,
    pub connect: Arc<dyn Connect>,
    pub system: String,
    pub tools: Vec<Arc<dyn AnyTool>>,
    pub here: Arc<Here>,
    pub rules: Rules,
    /// Where «don't ask again» writes to.
    pub places: Places,
    /// The mode, with what led to it: the effects are carried out when the session starts.
    pub mode: (mode::State, Vec<mode::Effect>),
    pub(crate) planner: Planner,
    /// The session came back with a plan's request open (PM-85).
    pub(crate) reopen_plan: bool,
    pub approver: Approver,
    pub settings: Arc<Settings>,
    /// The main model's name, as `connect` knows it.
    pub main: String,
    pub instructions: Instructions,
    pub(crate) redactor: Arc<Redactor>,
    /// The conversation so far, when resuming.
    pub conversation: Vec<Shared>,
    /// Tokens the provider counted for it.
    pub counted: u64,
    pub max_turns: Option<u32>,
    pub max_budget: Option<f64>,
    /// Compact automatically at this share of the window (AG-8).
    pub(crate) compact_at: Option<f64>,
    /// MCP servers, started already; their tools join when they are known (HO-6).
    pub mcp: crate::mcp::Servers,
    /// How long the first request waits for those that are being started.
    pub mcp_wait: std::time::Duration,
    /// A host's choice: tools that plan mode denies leave the list while it is on, at the price of the prompt cache (PM-66).
    pub hide_disallowed_tools: bool,
    /// Who is asked and told at certain moments (HO-7).
    pub hooks: Arc<Hooks>,
    /// What is in the folders of skills may be read without asking, in plan mode too (HO-8).
    pub(crate) skill_folders: Vec<std::path::PathBuf>,
    /// What the classifier may take for the user's wishes; an agent's session gets [`Heard::for_agent`].
    pub heard: Heard,
    /// The switches of auto mode, beside the settings files (PM-122).
    pub auto: AutoSource,
    /// The session's place in a team (TM-1).
    pub team: Option<super::TeamStart>,
    /// The agents that it may start; None: it has no Agent tool.
    pub agents: Option<crate::agents::Offer>,
    /// The main thread is this agent: no tools but those it has (HO-1).
    pub(crate) main_agent: Option<Arc<cutonce_core::agent::Definition>>,
    /// Nothing of the session stays: its place, until it ends (HO-1).
    pub(crate) passing: Option<crate::store::Passing>,
    /// The session is an agent's.
    pub(crate) kin: Option<Kin>,
}

impl Session {
    /// Start the session's task on the current tokio runtime.
    pub(crate) fn open(mut options: Options) -> (Session, Events) {
        let id: Arc<str> = options.store.id().into();
        let hub = Arc::new(Hub::new(id.clone()));
        let ends = hub.clone();
        options.here.shells.tell_ends(move |task| ends.emit(EventKind::TaskEnded { id: task.id }));
        let prints = hub.clone();
        options.here.shells.tell_prints(move |id, line| {
            prints.emit(EventKind::TaskOutput { id: id.into(), line: line.into() });
        });
        let (sender, inbox) = mpsc::unbounded_channel();
        if let Some(team) = &options.team {
            team.seat.attach(sender.downgrade(), options.hooks.clone());
        }
        let hooks = options.hooks.clone();
        let done = mpsc::unbounded_channel();
        let (standing, agents) = crate::agents::settle(&mut options, &hub, &done.0);
        let catalog = agents.as_ref().map(|agents| agents.catalog().clone()).unwrap_or_default();
        let session = Session {
            id: id.clone(),
            inbox: sender,
            hub: hub.clone(),
            hooks,
            mcp: options.mcp.clone(),
            agents: catalog,
            transcript: options.store.path().into(),
            connect: options.connect.clone(),
        };
        let opened = EventKind::Opened {
            model: options.connected.model.name().to_string(),
            mode: options.mode.0.mode(),
            tools: options.tools.iter().map(|tool| tool.name().to_string()).collect(),
            resumed: options.conversation.len(),
        };
        hub.open_with(opened);
        let events = hub.subscribe();
        let (driver, effects) = driver(options, hub, inbox, Inner { done, standing, agents });
        tokio::spawn(driver.run(effects));
        (session, events)
    }
}

/// What was made before the driver, because its agents need it.
struct Inner {
    done: (mpsc::UnboundedSender<super::Report>, mpsc::UnboundedReceiver<super::Report>),
    standing: Arc<crate::agents::Standing>,
    agents: Option<Arc<crate::agents::Agents>>,
}

fn driver(
    options: Options,
    hub: Arc<Hub>,
    inbox: mpsc::UnboundedReceiver<cutonce_core::submission::Submission>,
    inner: Inner,
) -> (Driver, Vec<mode::Effect>) {
    let (mode, effects) = options.mode;
    let models = Models::new(options.connect, options.settings, options.main, options.connected.clone());
    let (prefix, seat) = prefix_and_seat(options.kin, options.system, &options.tools);
    let mut talk = Talk {
        conversation: Vec::new(),
        plan_prefix: options.hide_disallowed_tools.then(|| Arc::new(without_denied(&prefix))),
        prefix,
        connected: options.connected,
        counted: options.counted,
        uncounted: 0,
        turn_start: 0,
    };
    talk.uncounted = uncounted(&talk, &options.conversation);
    let cut_off = crate::agents::cut_off(&options.store, &options.conversation);
    talk.conversation = options.conversation;
    let files = in_work(&options.here.workspace, &talk.conversation);
    let hall = Hall {
        id: hub.session().clone(),
        turn: Turn::new(options.max_turns),
        pending: VecDeque::new(),
        unwritten: None,
        mode,
        planner: options.planner,
        reopen_plan: options.reopen_plan,
        lent: Default::default(),
        corrections: Default::default(),
        rules: options.rules.unjudged(),
        judge: Judge::new(options.auto, &options.places),
        places: options.places,
        approver: options.approver,
        skill_folders: options.skill_folders,
        heard: options.heard,
        watch: Watch::new(options.hooks, options.store.path().to_path_buf()),
        store: options.store,
        hub,
        redactor: options.redactor,
        here: options.here,
        tools: options.tools.into_iter().map(|tool| (tool.name().to_string(), tool)).collect(),
        mcp: super::mcp::Joining::new(options.mcp, options.mcp_wait).only_for(options.main_agent),
        passing: options.passing,
        instructions: options.instructions,
        inbox,
        done: inner.done,
        batch: Batch::default(),
        asks: Asks::default(),
        tally: Tally::new(0.0),
        models,
        max_budget: options.max_budget,
        compact_at: options.compact_at,
        reminders: cut_off,
        said: prompts::said_in(&talk.conversation),
        files,
        team: options.team.map(super::team::Table::new),
        standing: inner.standing,
        rules_known: 0,
        seat,
        agents: inner.agents,
        closing: false,
        over: Vec::new(),
        inbox_open: true,
    };
    (Driver { talk, hall }, effects)
}

/// The files in work of a conversation that comes back (AG-8).
pub(super) fn in_work(workspace: &Workspace, conversation: &[Shared]) -> Vec<PathBuf> {
    let named = prompts::files_in(conversation);
    named.iter().filter_map(|file| workspace.resolve(file).ok()).map(|target| target.path).collect()
}

/// Bytes of a conversation that comes back which no answer has counted.
fn uncounted(talk: &Talk, conversation: &[Shared]) -> usize {
    if talk.counted == 0 {
        return talk.prefix_size() + conversation.iter().map(|message| size_of(message)).sum::<usize>();
    }
    // What came after the last answer is in nobody's count yet (AG-8).
    let answer = |message: &Shared| matches!(**message, Message::Assistant { .. });
    conversation.iter().rev().take_while(|message| !answer(message)).map(|message| size_of(message)).sum()
}

/// An agent's prefix is shared with its like.
fn prefix_and_seat(kin: Option<Kin>, system: String, tools: &[Arc<dyn AnyTool>]) -> (Arc<Prefix>, Option<Seat>) {
    match kin {
        Some(kin) => (kin.prefix, Some(kin.seat)),
        None => (Arc::new(Prefix { system, tools: tools.iter().map(|tool| tool.spec()).collect() }), None),
    }
}

/// What is left of the tools in plan mode; Write and Edit stay, for the plan file.
pub(super) fn without_denied(prefix: &Prefix) -> Prefix {
    const DENIED: [&str; 4] = ["NotebookEdit", "TodoWrite", "TeamCreate", "TeamDelete"];
    let kept = prefix.tools.iter().filter(|tool| !DENIED.contains(&tool.name.as_str()));
    Prefix { system: prefix.system.clone(), tools: kept.cloned().collect() }
}

impl Talk {
    /// Bytes of system prompt and tools.
    pub(super) fn prefix_size(&self) -> usize {
        let tool = |tool: &cutonce_core::request::ToolSpec| tool.description.len() + tool.schema.to_string().len();
        self.prefix.system.len() + self.prefix.tools.iter().map(tool).sum::<usize>()
    }
}

/// Bytes a message adds to a request, near enough; an image counts as a fixed share, as providers do.
pub(super) fn size_of(message: &Message) -> usize {
    const IMAGE: usize = 4_500;
    let block = |block: &Block| match block {
        Block::Text { text } | Block::Thinking { text, .. } => text.len(),
        Block::ToolUse(call) => call.name.len() + call.input.to_json().to_string().len(),
        Block::Image(_) => IMAGE,
    };
    let part = |part: &ResultPart| match part {
        ResultPart::Text { text } => text.len(),
        ResultPart::Image(_) => IMAGE,
    };
    match message {
        Message::User { content } => content.iter().map(block).sum(),
        Message::Assistant { blocks, .. } => blocks.iter().map(block).sum(),
        Message::Tool(result) => result.content.iter().map(part).sum(),
    }
}
