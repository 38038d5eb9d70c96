//! The parts that a session is opened with, and how it is opened.

use super::Planner;
use super::asks::Asks;
use super::call_runner::CallBatch;
use super::classifier::{AutoSource, Classifier, ClassifierContext};
use super::conversation::Conversation;
use super::event_loop::EventLoop;
use super::events::SessionEvent;
use super::hooks::HookState;
use super::mcp::McpState;
use super::model_selection::SessionModels;
use super::state::{Closing, Memory, ModelState, Permissions, ToolState, TranscriptWriter};
use super::tasks::Tasks;
use super::usage::SessionUsage;
use super::{Session, SessionContext, SessionState};
use crate::config::SettingsPaths;
use crate::config::instructions::InstructionLoader;
use crate::event_hub::{EventHub, EventStream};
use crate::hooks::HookSet;
use crate::language_servers::LanguageServers;
use crate::storage::redact::Redactor;
use crate::storage::{TranscriptStore, UsageLog};
use crate::subagent::{SubagentIdentity, SubagentParent};
use cutonce_core::conversation::{ContentBlock, Message, ResultPart, SharedMessage};
use cutonce_core::mode;
use cutonce_core::model_request::{PromptPrefix, Thinking, ToolSpec};
use cutonce_core::permission::rules::RuleSet;
use cutonce_core::prompts::{self, ASK_TOOL};
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::protocol::event::EventKind;
use cutonce_core::protocol::usage_totals::UsageTotals;
use cutonce_core::settings::{ModelInfo, Settings};
use cutonce_core::subagent::AgentDefinition;
use cutonce_core::text::offered::keep_offered;
use cutonce_core::turn::Turn;
use cutonce_models::providers::{SearchAnswer, SearchError};
use cutonce_models::{Model, ModelError};
use cutonce_tools::env::ToolEnv;
use cutonce_tools::tool::AnyTool;
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
    /// Window and prices of the model.
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

    /// Searches the web with the tool of this model's provider (DU-12). Returns the answer and its cost in dollars. The
    /// error says why it can't.
    async fn search_web(&self, _like: &str, _query: &str) -> Result<(SearchAnswer, f64), SearchError> {
        Err(SearchError::NotOffered { provider: "This provider".into() })
    }

    /// The models that the provider of this model lists, as names that connect them (DU-5).
    async fn list_models(&self, _like: &str) -> Result<Vec<String>, ModelError> {
        Ok(Vec::new())
    }
}

/// Who can answer asks (PM-75, PM-76).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Approver {
    /// A person or a host that asks one.
    Present,
    /// No one can answer: what would ask is denied, and a run in plan mode ends at the submission.
    #[default]
    Absent,
    /// The lead's user, through the mailbox: for a teammate without a user of its own (TM-1).
    Lead,
    /// A host that sends messages but can't be asked: a submission is refused and the turn continues.
    CantAsk,
}

/// Settings and services that never change during a session. Its subagents share them.
pub(crate) struct SharedContext {
    pub settings: Arc<Settings>,
    pub connect: Arc<dyn Connect>,
    pub redactor: Arc<Redactor>,
    /// Counts requests by day and project; `None` for a session that leaves nothing on disk.
    pub usage_log: Option<UsageLog>,
    /// The settings files; "don't ask again" writes to them.
    pub places: SettingsPaths,
    /// Who is asked and informed at certain moments (HO-7).
    pub hooks: Arc<HookSet>,
    /// Folders of skills: reading there needs no permission, in plan mode too (HO-8).
    pub skill_folders: Vec<PathBuf>,
    /// A host's choice: the tools that plan mode denies leave the list while it is on, at the price of the prompt
    /// cache (PM-66).
    pub hide_disallowed_tools: bool,
    /// The switches of auto mode besides the settings files (PM-122).
    pub auto: AutoSource,
    /// What the classifier may take for the user's wishes; a subagent only reads it.
    pub wishes: ClassifierContext,
    /// The front end, as other approvers see it (RV-3).
    pub answerer: Answerer,
    /// Check files after edits; `None` in a folder that is not trusted (DU-11).
    pub language_servers: Option<Arc<LanguageServers>>,
}

/// The transcript of a session and the conversation in it.
pub(crate) struct SessionHistory {
    pub store: TranscriptStore,
    /// The conversation so far, when resuming.
    pub conversation: Vec<SharedMessage>,
    /// Tokens that the provider counted for it.
    pub counted: u64,
    /// What earlier processes of the session used.
    pub totals: UsageTotals,
}

/// What kind of session this is.
pub(crate) enum SessionRole {
    Main(Box<MainRole>),
    Subagent(SubagentParent),
}

/// What only a main session has.
pub(crate) struct MainRole {
    /// The session's place in a team (TM-1).
    pub team: super::TeamStart,
    /// The agents that it may start; without them it has no Agent tool.
    pub agents: Option<crate::subagent::AgentsOffer>,
    /// The main thread is this agent: it has no tools but those of the definition (HO-1).
    pub main_agent: Option<Arc<AgentDefinition>>,
    /// Where the session is kept until it ends, if nothing of it may stay (HO-1).
    pub ephemeral: Option<crate::storage::EphemeralStore>,
}

/// All parts that a session is opened with. The builder makes them for a main session, the spawner for a subagent.
pub(crate) struct SessionParts {
    pub shared: Arc<SharedContext>,
    pub role: SessionRole,
    pub history: SessionHistory,
    pub connected: Connected,
    /// The main model's name, as `connect` knows it.
    pub main: String,
    pub system: String,
    pub tools: Vec<Arc<dyn AnyTool>>,
    pub env: Arc<ToolEnv>,
    pub rules: RuleSet,
    pub instructions: InstructionLoader,
    /// The mode and the effects of entering it, which are carried out when the session starts.
    pub mode: (mode::ModeState, Vec<mode::ModeEffect>),
    pub planner: Planner,
    pub approver: Approver,
    pub max_turns: Option<u32>,
    pub max_budget: Option<f64>,
    /// MCP servers, started already; their tools join when they are known (HO-6).
    pub mcp: crate::mcp::McpServers,
    /// How long the first request waits for servers that are starting.
    pub mcp_wait: std::time::Duration,
}

impl Session {
    /// Start the session's task on the current tokio runtime.
    pub(crate) fn open(mut parts: SessionParts) -> (Session, EventStream) {
        let id: Arc<str> = parts.history.store.id().into();
        let hub = Arc::new(EventHub::new(id.clone()));
        let ends = hub.clone();
        parts.env.shells.set_on_end(move |task| ends.emit(EventKind::TaskEnded { id: task.id }));
        let prints = hub.clone();
        parts.env.shells.set_on_print(move |id, line| {
            prints.emit(EventKind::TaskOutput { id: id.into(), line: line.into() });
        });
        let (sender, inbox) = mpsc::unbounded_channel();
        let hooks = parts.shared.hooks.clone();
        if let SessionRole::Main(main) = &parts.role {
            parts.shared.language_servers.iter().for_each(|servers| servers.report_to(hub.clone()));
            main.team.handle.attach(sender.downgrade(), hooks.clone());
        }
        let reports = mpsc::unbounded_channel();
        let (standing, agents) = crate::subagent::set_up_subagents(&mut parts, &hub, &reports.0);
        let catalog = agents.as_ref().map(|agents| agents.catalog().clone()).unwrap_or_default();
        let session = Session {
            id: id.clone(),
            inbox: sender,
            hub: hub.clone(),
            hooks,
            mcp: parts.mcp.clone(),
            agents: catalog,
            transcript: parts.history.store.path().into(),
            home: parts.env.workspace.cutonce_home.as_path().into(),
            connect: parts.shared.connect.clone(),
            rules: Arc::new(parts.rules.clone()),
        };
        let opened = EventKind::Opened {
            model: parts.connected.model.name().to_string(),
            mode: parts.mode.0.mode(),
            tools: offered_specs(&parts.tools, &parts.rules).into_iter().map(|spec| spec.name).collect(),
            resumed: parts.history.conversation.len(),
            totals: parts.history.totals.clone(),
            context: parts.history.counted,
        };
        hub.open_with(opened);
        let events = hub.subscribe();
        if matches!(parts.role, SessionRole::Main(_)) {
            let workspace = &parts.env.workspace;
            let place = crate::review_socket::SocketPlace {
                home: workspace.cutonce_home.clone(),
                session: id,
                project: workspace.root.to_string_lossy().into_owned(),
            };
            crate::review_socket::offer(place, hub.clone(), session.inbox.downgrade());
        }
        let (event_loop, effects) = event_loop(parts, hub, inbox, Prepared { events: reports, standing, agents });
        tokio::spawn(event_loop.run(effects));
        (session, events)
    }
}

/// What is made before the event loop, because subagents need it.
struct Prepared {
    events: (mpsc::UnboundedSender<SessionEvent>, mpsc::UnboundedReceiver<SessionEvent>),
    standing: Arc<crate::subagent::LiveMode>,
    agents: Option<Arc<crate::subagent::SubagentSpawner>>,
}

fn event_loop(
    mut parts: SessionParts,
    hub: Arc<EventHub>,
    inbox: mpsc::UnboundedReceiver<cutonce_core::protocol::submission::Submission>,
    prepared: Prepared,
) -> (EventLoop, Vec<mode::ModeEffect>) {
    let Prepared { events: (sender, events), standing, agents } = prepared;
    let own = RoleParts::split(parts.role);
    let (prefix, subagent) =
        prefix_and_identity(own.parent, &mut parts.system, offered_specs(&parts.tools, &parts.rules));
    let cut_off = crate::subagent::interrupted_agents(&parts.history.store, &parts.history.conversation);
    let conversation = conversation(&mut parts.history, parts.shared.hide_disallowed_tools, prefix);
    let memory = Memory {
        reminders: cut_off,
        user_messages: prompts::user_messages_in(&conversation.messages),
        files: in_work(&parts.env.workspace, &conversation.messages),
    };
    let (mode, effects) = parts.mode;
    parts.planner.instructions.tools =
        super::planning_tools(&parts.tools, &parts.rules, parts.approver, agents.as_deref());
    let context = SessionContext {
        id: hub.session().clone(),
        hub,
        shared: parts.shared.clone(),
        env: parts.env,
        approver: parts.approver,
        max_budget: parts.max_budget,
        agents,
        standing,
    };
    let shared = parts.shared;
    let connected = parts.connected.clone();
    let model = ModelState {
        selection: SessionModels::new(shared.connect.clone(), shared.settings.clone(), parts.main, parts.connected),
        connected,
        usage: SessionUsage::new(parts.history.totals, shared.usage_log.clone()),
        corrections: Default::default(),
    };
    let tools = ToolState {
        by_name: parts.tools.into_iter().map(|tool| (tool.name().to_string(), tool)).collect(),
        mcp: McpState::new(parts.mcp, parts.mcp_wait).only_for(own.main_agent),
        instructions: parts.instructions,
    };
    let rules = parts.rules.without_suspension();
    let wishes = if subagent.is_some() { shared.wishes.for_agent() } else { shared.wishes.clone() };
    let state = SessionState {
        classifier: Classifier::new(shared.auto.clone(), &shared.places, wishes),
        hooks: HookState::new(shared.hooks.clone(), parts.history.store.path().to_path_buf()),
        context: Arc::new(context),
        conversation,
        turn: Turn::new(parts.max_turns),
        pending: VecDeque::new(),
        mode,
        permissions: Permissions { rules, shared_known: 0, overrides: Default::default() },
        planner: parts.planner,
        transcript: TranscriptWriter { store: parts.history.store, unwritten: None, lost: None },
        model,
        tools,
        calls: CallBatch::default(),
        asks: Asks::default(),
        tasks: Tasks::default(),
        team: own.team.map(super::team::SessionTeam::new),
        subagent,
        memory,
        closing: Closing::new(own.ephemeral),
        events: sender,
    };
    (EventLoop { state, inbox, events }, effects)
}

/// The conversation that the session starts with.
fn conversation(history: &mut SessionHistory, hide_tools: bool, prefix: Arc<PromptPrefix>) -> Conversation {
    let mut conversation = Conversation {
        messages: Vec::new(),
        planning_prefix: hide_tools.then(|| Arc::new(without_denied(&prefix))),
        prefix,
        counted: history.counted,
        uncounted: 0,
        turn_start: 0,
    };
    conversation.uncounted = uncounted(&conversation, &history.conversation);
    conversation.messages = std::mem::take(&mut history.conversation);
    conversation
}

/// The files in work of a conversation that comes back (AG-8).
pub(super) fn in_work(workspace: &Workspace, conversation: &[SharedMessage]) -> Vec<PathBuf> {
    let named = prompts::files_in(conversation);
    named.iter().filter_map(|file| workspace.resolve(file).ok()).map(|target| target.path).collect()
}

/// Bytes of a conversation that comes back which no answer has counted.
fn uncounted(conversation: &Conversation, messages: &[SharedMessage]) -> usize {
    if conversation.counted == 0 {
        return conversation.prefix_size() + messages.iter().map(|message| size_of(message)).sum::<usize>();
    }
    // The provider has not counted what came after the last answer (AG-8).
    let answer = |message: &SharedMessage| matches!(**message, Message::Assistant { .. });
    messages.iter().rev().take_while(|message| !answer(message)).map(|message| size_of(message)).sum()
}

/// The parts of a role, taken apart.
struct RoleParts {
    team: Option<super::TeamStart>,
    main_agent: Option<Arc<AgentDefinition>>,
    ephemeral: Option<crate::storage::EphemeralStore>,
    parent: Option<SubagentParent>,
}

impl RoleParts {
    fn split(role: SessionRole) -> RoleParts {
        match role {
            SessionRole::Main(main) => {
                let MainRole { team, main_agent, ephemeral, .. } = *main;
                RoleParts { team: Some(team), main_agent, ephemeral, parent: None }
            }
            SessionRole::Subagent(parent) => {
                RoleParts { team: None, main_agent: None, ephemeral: None, parent: Some(parent) }
            }
        }
    }
}

/// The request prefix; subagents of a kind share it.
fn prefix_and_identity(
    parent: Option<SubagentParent>,
    system: &mut String,
    tools: Vec<ToolSpec>,
) -> (Arc<PromptPrefix>, Option<SubagentIdentity>) {
    match parent {
        Some(parent) => (parent.prefix, Some(parent.identity)),
        None => (Arc::new(PromptPrefix { system: std::mem::take(system), tools }), None),
    }
}

/// The tools that the model sees: without those that a deny rule removes entirely (HO-1).
pub(crate) fn offered_specs(tools: &[Arc<dyn AnyTool>], rules: &RuleSet) -> Vec<ToolSpec> {
    let offered = |name: &str| is_offered(name, tools, rules);
    let specs = tools.iter().filter(|tool| !rules.denies_tool(tool.name())).map(|tool| tool.spec());
    specs.map(|spec| ToolSpec { description: keep_offered(&spec.description, &offered), ..spec }).collect()
}

/// True if the model sees this tool.
pub(crate) fn is_offered(name: &str, tools: &[Arc<dyn AnyTool>], rules: &RuleSet) -> bool {
    tools.iter().any(|tool| tool.name() == name) && !rules.denies_tool(name)
}

/// True if texts for the model may name this tool (PM-90). Without an approver, a question has no answer.
pub(crate) fn may_name_tool(name: &str, tools: &[Arc<dyn AnyTool>], rules: &RuleSet, approver: Approver) -> bool {
    is_offered(name, tools, rules) && (name != ASK_TOOL || approver == Approver::Present)
}

/// What is left of the tools in plan mode; Write and Edit stay, for the plan file.
pub(super) fn without_denied(prefix: &PromptPrefix) -> PromptPrefix {
    const DENIED: [&str; 4] = ["NotebookEdit", "TodoWrite", "TeamCreate", "TeamDelete"];
    let kept = prefix.tools.iter().filter(|tool| !DENIED.contains(&tool.name.as_str()));
    PromptPrefix { system: prefix.system.clone(), tools: kept.cloned().collect() }
}

/// Bytes a message adds to a request, near enough; an image counts as a fixed share, as providers do.
pub(super) fn size_of(message: &Message) -> usize {
    const IMAGE: usize = 4_500;
    let block = |block: &ContentBlock| match block {
        ContentBlock::Text { text } | ContentBlock::Thinking { text, .. } => text.len(),
        ContentBlock::ToolUse(call) => call.name.len() + call.input.to_json().to_string().len(),
        ContentBlock::Image(_) => IMAGE,
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

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::permission::rules::{ConfigSource, RuleBehavior, WrittenRule};

    #[test]
    fn pm_90_descriptions_name_no_denied_tool() {
        let tools = cutonce_tools::built_in_tools();
        // Names that are no English words.
        let names = [
            "AskUserQuestion",
            "Bash",
            "BashOutput",
            "Glob",
            "Grep",
            "KillShell",
            "LS",
            "NotebookEdit",
            "TodoWrite",
            "WebFetch",
        ];
        for name in names {
            let written = [WrittenRule {
                behavior: RuleBehavior::Deny,
                text: name.to_string(),
                source: ConfigSource::CommandLine,
                base: "/".into(),
            }];
            let rules = RuleSet::new(None, std::path::Path::new("/"), written);
            let specs = offered_specs(&tools, &rules);
            assert_eq!(specs.len(), tools.len() - 1, "{name}");
            for spec in specs {
                let text = format!("{} {}", spec.description, spec.schema);
                let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
                assert!(words.all(|word| word != name), "{} names {name}: {text}", spec.name);
                assert!(!spec.description.contains('⟦'), "{}", spec.description);
            }
        }
    }
}
