//! A session's events as the protocol's updates. Only what the schema of version 1 knows goes out: clients drop the rest.

use super::calls;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, CurrentModeUpdate, ImageContent, MessageId, Plan, PlanEntry, PlanEntryPriority,
    PlanEntryStatus, ResourceLink, SessionModeId, SessionUpdate, TextContent, ToolCall, ToolCallContent, ToolCallId,
    ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use cutonce_core::command::CURRENT_PLAN;
use cutonce_core::conversation::{Block, Image, ResultPart, ToolUse};
use cutonce_core::event::{
    AgentDoes, AgentEnd, AgentEvent, AgentHow, AgentProgress, Delta, EventKind, Finished, TeamEvent, Teammate, Todo,
    TodoStatus,
};
use cutonce_core::harmless::harmless;
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Output of a running command is shown at most this often, and its end only: each update replaces the one before.
const OFTEN: Duration = Duration::from_millis(200);
const TAIL: usize = 8_000;

pub struct Show {
    cwd: PathBuf,
    /// The message that chunks belong to; a request that is sent again makes a new one.
    message: String,
    /// Words of the present message went out as they came.
    streamed: bool,
    calls: HashMap<String, Shown>,
    /// How often an id was used: some providers use theirs again.
    used: HashMap<String, u32>,
    /// Agents in the background, and what each is for.
    beside: HashMap<String, String>,
    /// The team, as it was last told.
    roster: Option<String>,
}

/// A call that has no result yet.
struct Shown {
    id: ToolCallId,
    output: String,
    last: Option<Instant>,
}

/// What became of a call.
pub struct Outcome<'a> {
    pub call_id: &'a str,
    pub tool: &'a str,
    pub input: &'a Value,
    pub content: &'a [ResultPart],
    pub is_error: bool,
    pub display: Option<&'a Value>,
}

impl Show {
    pub fn new(cwd: PathBuf) -> Self {
        let (calls, used, beside) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { cwd, message: cutonce_agent::new_id(), streamed: false, calls, used, beside, roster: None }
    }

    pub fn cwd(&self) -> &std::path::Path {
        &self.cwd
    }

    pub fn of(&mut self, event: &EventKind) -> Vec<SessionUpdate> {
        match event {
            EventKind::Requesting { .. } => self.next_message(),
            EventKind::Delta(Delta::Text(text)) => {
                self.streamed = true;
                vec![self.words(text)]
            }
            EventKind::Delta(Delta::Thinking(text)) => vec![self.thought(text)],
            EventKind::Retry { attempt, max, reason, .. } => {
                let told = self.thought(&format!("\n[{}; attempt {attempt} of {max}]\n", harmless(reason)));
                self.next_message();
                vec![told]
            }
            EventKind::Assistant { blocks, .. } => self.answer(blocks),
            EventKind::ToolStarted { call_id, .. } => self.started(call_id),
            EventKind::ToolOutput { call_id, text } => self.output(call_id, text).into_iter().collect(),
            EventKind::ToolFinished(done) => self.finished(&outcome(done)),
            EventKind::Agent(event) => self.agent(event),
            EventKind::Team(event) => self.team(event),
            EventKind::ModeChanged { to, .. } => {
                vec![SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(SessionModeId::new(to.name())))]
            }
            EventKind::Todos(todos) => vec![plan(todos)],
            EventKind::Notice { text, .. } => vec![self.aside(text)],
            EventKind::CurrentPlan { path, plan, hint } => {
                let hint = hint.as_deref().unwrap_or_default();
                vec![self.aside(&format!("## {CURRENT_PLAN}\n\n{path}\n\n{plan}\n\n{hint}"))]
            }
            EventKind::OpenPlan { path } => self.open_plan(path),
            EventKind::Compacted { before, after, .. } => {
                vec![self.aside(&format!("The conversation was compacted: {before} → {after} tokens."))]
            }
            EventKind::Cleared => vec![self.aside("The conversation starts over.")],
            EventKind::Delta(Delta::Call { .. } | Delta::CallInput { .. } | Delta::Signature(_))
            | EventKind::Opened { .. }
            | EventKind::User { .. }
            | EventKind::Queued { .. }
            | EventKind::TurnStarted
            | EventKind::Ask(_)
            | EventKind::AskClosed { .. }
            | EventKind::ModelChanged { .. }
            | EventKind::TaskOutput { .. }
            | EventKind::TaskEnded { .. }
            | EventKind::Plan(_)
            | EventKind::TurnEnded(_)
            | EventKind::Closed => vec![],
        }
    }

    fn next_message(&mut self) -> Vec<SessionUpdate> {
        (self.message, self.streamed) = (cutonce_agent::new_id(), false);
        vec![]
    }

    fn words(&self, text: &str) -> SessionUpdate {
        SessionUpdate::AgentMessageChunk(chunk(text_block(text), &self.message))
    }

    fn thought(&self, text: &str) -> SessionUpdate {
        SessionUpdate::AgentThoughtChunk(chunk(text_block(text), &self.message))
    }

    /// The program's own words: a message of their own.
    pub fn aside(&self, text: &str) -> SessionUpdate {
        let block = text_block(&format!("{}\n\n", harmless(text).trim_end()));
        SessionUpdate::AgentMessageChunk(chunk(block, &cutonce_agent::new_id()))
    }

    /// There is no terminal here: the editor can open the file itself.
    fn open_plan(&self, path: &str) -> Vec<SessionUpdate> {
        let name = std::path::Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let link = ContentBlock::ResourceLink(ResourceLink::new(name, format!("file://{path}")));
        vec![
            self.aside(&format!("The plan is in {path}.")),
            SessionUpdate::AgentMessageChunk(chunk(link, &cutonce_agent::new_id())),
        ]
    }

    pub fn user(&self, text: &str, images: &[Image]) -> Vec<SessionUpdate> {
        let id = cutonce_agent::new_id();
        let image =
            |image: &Image| ContentBlock::Image(ImageContent::new(image.data.clone(), image.media_type.clone()));
        let blocks = std::iter::once(text_block(text)).chain(images.iter().map(image));
        blocks.map(|block| SessionUpdate::UserMessageChunk(chunk(block, &id))).collect()
    }

    /// A whole answer: its calls, and its words where they did not come in pieces.
    fn answer(&mut self, blocks: &[Block]) -> Vec<SessionUpdate> {
        let streamed = self.streamed;
        self.blocks(blocks, streamed)
    }

    /// An answer of the past.
    pub fn replayed(&mut self, blocks: &[Block]) -> Vec<SessionUpdate> {
        self.next_message();
        self.blocks(blocks, false)
    }

    fn blocks(&mut self, blocks: &[Block], streamed: bool) -> Vec<SessionUpdate> {
        let mut updates = Vec::new();
        for block in blocks {
            match block {
                Block::Text { text } if !streamed => updates.push(self.words(text)),
                Block::Thinking { text, .. } if !streamed && !text.is_empty() => updates.push(self.thought(text)),
                Block::ToolUse(call) => updates.push(self.call(call)),
                Block::Text { .. } | Block::Thinking { .. } | Block::Image(_) => {}
            }
        }
        updates
    }

    fn call(&mut self, call: &ToolUse) -> SessionUpdate {
        let input = call.input.to_json();
        let id = self.begin(&call.id);
        SessionUpdate::ToolCall(
            ToolCall::new(id, calls::title(&call.name, &input))
                .kind(calls::kind(&call.name))
                .status(ToolCallStatus::Pending)
                .locations(calls::locations(&input, &self.cwd))
                .raw_input(calls::raw_input(&call.name, &input)),
        )
    }

    /// The id that clients know a call by: the model's own, unless that was used before.
    fn begin(&mut self, call_id: &str) -> ToolCallId {
        let count = self.used.entry(call_id.to_string()).or_default();
        *count += 1;
        let id = if *count == 1 { call_id.to_string() } else { format!("{call_id}#{count}") };
        let id = ToolCallId::new(id);
        self.calls.insert(call_id.to_string(), Shown { id: id.clone(), output: String::new(), last: None });
        id
    }

    /// The id of a call that waits for an answer. A subagent's call was not shown before, and a plan's request that
    /// survived a crash has none: they get one here.
    pub fn asked(&mut self, call_id: &str, tool: &str, input: &Value) -> (ToolCallId, Option<SessionUpdate>) {
        if let Some(shown) = self.calls.get(call_id) {
            return (shown.id.clone(), None);
        }
        let own = if call_id.is_empty() { cutonce_agent::new_id() } else { call_id.to_string() };
        let id = self.begin(&own);
        let call = ToolCall::new(id.clone(), calls::title(tool, input)).kind(calls::kind(tool));
        (id, Some(SessionUpdate::ToolCall(call.status(ToolCallStatus::Pending))))
    }

    fn started(&mut self, call_id: &str) -> Vec<SessionUpdate> {
        let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
        let shown = self.calls.get(call_id).map(|shown| shown.id.clone());
        shown.map(|id| SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields))).into_iter().collect()
    }

    fn output(&mut self, call_id: &str, text: &str) -> Option<SessionUpdate> {
        let shown = self.calls.get_mut(call_id)?;
        shown.output.push_str(text);
        if shown.output.len() > 2 * TAIL {
            let from = shown.output.ceil_char_boundary(shown.output.len() - TAIL);
            shown.output.drain(..from);
        }
        if shown.last.is_some_and(|last| last.elapsed() < OFTEN) {
            return None;
        }
        shown.last = Some(Instant::now());
        let content = vec![calls::fenced(&shown.output, "console")];
        let fields = ToolCallUpdateFields::new().content(content);
        Some(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(shown.id.clone(), fields)))
    }

    pub fn finished(&mut self, done: &Outcome<'_>) -> Vec<SessionUpdate> {
        let id = match self.calls.remove(done.call_id) {
            Some(shown) => shown.id,
            None => self.begin(done.call_id),
        };
        let (content, locations) = self.content(done);
        let mut fields = ToolCallUpdateFields::new().content(content).raw_output(raw(done));
        fields.status = Some(if done.is_error { ToolCallStatus::Failed } else { ToolCallStatus::Completed });
        fields.locations = Some(locations).filter(|locations| !locations.is_empty());
        if done.tool == cutonce_core::plan::EXIT {
            fields.raw_input = Some(calls::raw_input(done.tool, done.input));
            fields.title = (!done.is_error).then(|| "Left plan mode".to_string());
        }
        vec![SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields))]
    }

    fn content(
        &self,
        done: &Outcome<'_>,
    ) -> (Vec<ToolCallContent>, Vec<agent_client_protocol::v1::schema::ToolCallLocation>) {
        if done.is_error {
            return (calls::results(done.tool, done.content), Vec::new());
        }
        if done.tool == cutonce_core::plan::EXIT {
            // What the model is told repeats the plan.
            let field = |name: &str| done.input.get(name).and_then(Value::as_str);
            let path = field("planFilePath").unwrap_or("the plan file");
            let plan = field("plan").map(|plan| calls::text(&calls::plan(plan, path)));
            let told = raw(done).as_str().and_then(|told| told.lines().next()).map(calls::text);
            return (plan.into_iter().chain(told).collect(), Vec::new());
        }
        let unified = done.display.and_then(|display| display.get("diff")?.as_str());
        let path = done.display.and_then(|display| display.get("filePath")?.as_str());
        let created = done.display.and_then(|display| display.get("type")?.as_str()) == Some("create");
        match (unified.filter(|_| !created), path, calls::diff_of_input(done.tool, done.input, &self.cwd)) {
            (Some(unified), Some(path), _) => calls::diffs(std::path::Path::new(path), unified),
            (_, _, Some(diff)) => (vec![diff], Vec::new()),
            (_, _, None) => (calls::results(done.tool, done.content), Vec::new()),
        }
    }

    /// What a subagent does shows in the call that started it. Its own calls show only where they ask.
    fn agent(&mut self, event: &AgentEvent) -> Vec<SessionUpdate> {
        match &event.what {
            AgentDoes::Progress(progress) => self.progress(event, progress).into_iter().collect(),
            AgentDoes::Says(said) => match &**said {
                EventKind::ToolFinished(done) if self.calls.contains_key(&done.call_id) => {
                    self.finished(&outcome(done))
                }
                _ => vec![],
            },
            AgentDoes::Started(start) => {
                if start.background {
                    self.beside.insert(event.agent.id.clone(), calls::one_line(&start.description));
                }
                vec![]
            }
            AgentDoes::Ended(end) => self.ended(event, end).into_iter().collect(),
        }
    }

    /// The call that started an agent in the background is over long before the agent.
    fn ended(&mut self, event: &AgentEvent, end: &AgentEnd) -> Option<SessionUpdate> {
        let description = self.beside.remove(&event.agent.id)?;
        let how = match &end.how {
            AgentHow::Done => "has ended".to_string(),
            AgentHow::Stopped => "was stopped".to_string(),
            AgentHow::Failed(why) => format!("failed: {why}"),
        };
        Some(self.aside(&format!("The agent {} ({description}) {how}, after {} calls.", event.agent.name, end.tools)))
    }

    /// Who is in the team and what goes between them: messages of the program's own.
    fn team(&mut self, event: &TeamEvent) -> Vec<SessionUpdate> {
        let said = match event {
            TeamEvent::Roster { team, members } if members.is_empty() => format!("The team {team} has no teammates."),
            TeamEvent::Roster { team, members } => {
                let one = |one: &Teammate| format!("{} ({})", one.name, one.state.describe());
                format!("Team {team}: {}", members.iter().map(one).collect::<Vec<_>>().join(", "))
            }
            TeamEvent::Message { from, to, text } => format!("{from} → {to}: {}", calls::one_line(text)),
        };
        // The roster comes with every change; the same words twice tell nothing.
        if self.roster.as_deref() == Some(said.as_str()) {
            return vec![];
        }
        let shown = self.aside(&said);
        if matches!(event, TeamEvent::Roster { .. }) {
            self.roster = Some(said);
        }
        vec![shown]
    }

    fn progress(&mut self, event: &AgentEvent, progress: &AgentProgress) -> Option<SessionUpdate> {
        let shown = self.calls.get_mut(&event.agent.call_id)?;
        if shown.last.is_some_and(|last| last.elapsed() < OFTEN) {
            return None;
        }
        shown.last = Some(Instant::now());
        let doing = if progress.doing.is_empty() { "thinking" } else { progress.doing.as_str() };
        let words = format!("{}: {} ({} calls)", event.agent.name, calls::one_line(doing), progress.tools);
        let fields = ToolCallUpdateFields::new().content(vec![calls::text(&words)]);
        Some(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(shown.id.clone(), fields)))
    }

    /// Calls of the past that never got a result.
    pub fn abandoned(&mut self) -> Vec<SessionUpdate> {
        let failed = |(_, shown): (String, Shown)| {
            let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Failed);
            SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(shown.id, fields))
        };
        std::mem::take(&mut self.calls).into_iter().map(failed).collect()
    }
}

fn outcome(done: &Finished) -> Outcome<'_> {
    Outcome {
        call_id: &done.call_id,
        tool: &done.name,
        input: &done.input,
        content: &done.content,
        is_error: done.is_error,
        display: done.display.as_ref(),
    }
}

/// The result as the model got it.
fn raw(done: &Outcome<'_>) -> Value {
    let texts = done.content.iter().filter_map(|part| match part {
        ResultPart::Text { text } => Some(text.as_str()),
        ResultPart::Image(_) => None,
    });
    Value::from(calls::cut(&texts.collect::<Vec<_>>().join("\n")))
}

pub fn plan(todos: &[Todo]) -> SessionUpdate {
    let entry = |todo: &Todo| {
        let status = match todo.status {
            TodoStatus::Pending => PlanEntryStatus::Pending,
            TodoStatus::InProgress => PlanEntryStatus::InProgress,
            TodoStatus::Completed => PlanEntryStatus::Completed,
        };
        PlanEntry::new(calls::one_line(&todo.content), PlanEntryPriority::Medium, status)
    };
    SessionUpdate::Plan(Plan::new(todos.iter().map(entry).collect()))
}

fn text_block(text: &str) -> ContentBlock {
    ContentBlock::Text(TextContent::new(text))
}

fn chunk(block: ContentBlock, message: &str) -> ContentChunk {
    ContentChunk::new(block).message_id(MessageId::new(message))
}
