//! Turns session events into protocol updates. Only sends what schema version 1 defines: clients drop the
//! rest.

use super::{calls, reviews};
use crate::output::first_page;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, CurrentModeUpdate, ImageContent, MessageId, Plan, PlanEntry, PlanEntryPriority,
    PlanEntryStatus, ResourceLink, SessionModeId, SessionUpdate, TextContent, ToolCall, ToolCallContent, ToolCallId,
    ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use cutonce_core::conversation::{ContentBlock as MessageBlock, Image, ResultPart, ToolUse};
use cutonce_core::plan::LiveStep;
use cutonce_core::plan::command::CURRENT_PLAN;
use cutonce_core::plan::progress::StepState;
use cutonce_core::protocol::event::{
    AgentActivity, AgentEnd, AgentEvent, AgentOutcome, AgentProgress, AnswerDelta, EventKind, FinishedCall, TeamEvent,
    Teammate, TodoItem, TodoStatus,
};
use cutonce_core::text::sanitize::sanitize;
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Minimum interval between updates of a running command, and the bytes of output to show: each update
/// replaces the one before.
const UPDATE_INTERVAL: Duration = Duration::from_millis(200);
const MAX_OUTPUT_BYTES: usize = 8_000;

pub struct UpdateBuilder {
    cwd: PathBuf,
    /// Message that chunks belong to; a retried request starts a new one.
    message: String,
    /// Text of the current message was streamed.
    streamed: bool,
    calls: HashMap<String, OpenCall>,
    /// How often an id was used: some providers reuse theirs.
    id_uses: HashMap<String, u32>,
    /// Background subagents and their descriptions.
    background_agents: HashMap<String, String>,
    /// The team roster, as last reported.
    roster: Option<String>,
    /// A plan with steps is being implemented.
    follows_steps: bool,
}

/// A call without a result yet.
struct OpenCall {
    id: ToolCallId,
    output: String,
    last: Option<Instant>,
}

/// Result of a call.
pub struct ToolCallResult<'a> {
    pub call_id: &'a str,
    pub tool: &'a str,
    pub input: &'a Value,
    pub content: &'a [ResultPart],
    pub is_error: bool,
    pub display: Option<&'a Value>,
}

/// A paragraph that is no part of the model's answer.
pub fn notice_update(text: &str) -> SessionUpdate {
    let block = text_block(&format!("{}\n\n", sanitize(text).trim_end()));
    SessionUpdate::AgentMessageChunk(content_chunk(block, &cutonce_agent::new_id()))
}

impl UpdateBuilder {
    pub fn new(cwd: PathBuf) -> Self {
        let (calls, used, beside) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self {
            cwd,
            message: cutonce_agent::new_id(),
            streamed: false,
            calls,
            id_uses: used,
            background_agents: beside,
            roster: None,
            follows_steps: false,
        }
    }

    pub fn cwd(&self) -> &std::path::Path {
        &self.cwd
    }

    pub fn event_updates(&mut self, event: &EventKind) -> Vec<SessionUpdate> {
        match event {
            EventKind::Requesting { .. } => self.next_message(),
            EventKind::Delta(AnswerDelta::Text(text)) => {
                self.streamed = true;
                vec![self.text_chunk(text)]
            }
            EventKind::Delta(AnswerDelta::Thinking(text)) => vec![self.thought_chunk(text)],
            EventKind::Waiting { host, seconds } => {
                vec![self.thought_chunk(&format!("\n[waiting for {}, {seconds} s]\n", sanitize(host)))]
            }
            EventKind::Retry { attempt, max, reason, .. } => {
                let told = self.thought_chunk(&format!("\n[{}; attempt {attempt} of {max}]\n", sanitize(reason)));
                self.next_message();
                vec![told]
            }
            EventKind::Assistant { blocks, .. } => self.answer_updates(blocks),
            EventKind::ToolStarted { call_id, .. } => self.call_started(call_id),
            EventKind::ToolOutput { call_id, text } => self.output_update(call_id, text).into_iter().collect(),
            EventKind::ToolFinished(done) => self.call_finished(&call_result(done)),
            EventKind::Agent(event) => self.agent_updates(event),
            EventKind::Team(event) => self.team_updates(event),
            EventKind::ModeChanged { to, .. } => {
                vec![SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(SessionModeId::new(to.name())))]
            }
            // The steps of an approved plan are the client's plan while it is implemented (PC-32).
            EventKind::Todos(_) if self.follows_steps => vec![],
            EventKind::Todos(todos) => vec![todo_plan(todos)],
            EventKind::Steps(steps) => {
                self.follows_steps = !steps.is_empty();
                if self.follows_steps { vec![step_plan(steps)] } else { vec![] }
            }
            EventKind::Notice { text, .. } => vec![self.notice_chunk(text)],
            EventKind::CurrentPlan { path, plan, hint } => {
                let hint = hint.as_deref().unwrap_or_default();
                let (shown, left_out) = first_page(plan);
                let more = if left_out > 0 { format!("\n\n… {left_out} more lines") } else { String::new() };
                vec![self.notice_chunk(&format!("## {CURRENT_PLAN}\n\n{path}\n\n{shown}{more}\n\n{hint}"))]
            }
            EventKind::Aside { heading, text } => vec![self.notice_chunk(&format!("## {heading}\n\n{text}"))],
            EventKind::OpenPlan { path } => self.open_plan(path),
            EventKind::Compacted { before, after, .. } => {
                vec![self.notice_chunk(&format!("The conversation was compacted: {before} → {after} tokens."))]
            }
            EventKind::Cleared => vec![self.notice_chunk("The conversation starts over.")],
            EventKind::Delta(AnswerDelta::Call { .. } | AnswerDelta::CallInput { .. } | AnswerDelta::Signature(_))
            | EventKind::Opened { .. }
            | EventKind::RequestUsage(_)
            | EventKind::Totals(_)
            | EventKind::User { .. }
            | EventKind::Queued { .. }
            | EventKind::Unqueued { .. }
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

    fn text_chunk(&self, text: &str) -> SessionUpdate {
        SessionUpdate::AgentMessageChunk(content_chunk(text_block(text), &self.message))
    }

    fn thought_chunk(&self, text: &str) -> SessionUpdate {
        SessionUpdate::AgentThoughtChunk(content_chunk(text_block(text), &self.message))
    }

    /// A message from cutonce itself, separate from the model's.
    pub fn notice_chunk(&self, text: &str) -> SessionUpdate {
        notice_update(text)
    }

    /// Links the plan: there is no terminal, but the editor can open the file.
    fn open_plan(&self, path: &str) -> Vec<SessionUpdate> {
        let name = std::path::Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let link = ContentBlock::ResourceLink(ResourceLink::new(name, format!("file://{path}")));
        vec![
            self.notice_chunk(&format!("The plan is in {path}.")),
            SessionUpdate::AgentMessageChunk(content_chunk(link, &cutonce_agent::new_id())),
        ]
    }

    pub fn user_chunks(&self, text: &str, images: &[Image]) -> Vec<SessionUpdate> {
        let id = cutonce_agent::new_id();
        let image =
            |image: &Image| ContentBlock::Image(ImageContent::new(image.data.clone(), image.media_type.clone()));
        let blocks = std::iter::once(text_block(text)).chain(images.iter().map(image));
        blocks.map(|block| SessionUpdate::UserMessageChunk(content_chunk(block, &id))).collect()
    }

    /// A complete answer: its calls, and its text if that was not streamed.
    fn answer_updates(&mut self, blocks: &[MessageBlock]) -> Vec<SessionUpdate> {
        let streamed = self.streamed;
        self.block_updates(blocks, streamed)
    }

    /// An answer from an earlier session.
    pub fn replayed_answer(&mut self, blocks: &[MessageBlock]) -> Vec<SessionUpdate> {
        self.next_message();
        self.block_updates(blocks, false)
    }

    fn block_updates(&mut self, blocks: &[MessageBlock], streamed: bool) -> Vec<SessionUpdate> {
        let mut updates = Vec::new();
        for block in blocks {
            match block {
                MessageBlock::Text { text } if !streamed => updates.push(self.text_chunk(text)),
                MessageBlock::Thinking { text, .. } if !streamed && !text.is_empty() => {
                    updates.push(self.thought_chunk(text))
                }
                MessageBlock::ToolUse(call) => updates.push(self.call_update(call)),
                MessageBlock::Text { .. } | MessageBlock::Thinking { .. } | MessageBlock::Image(_) => {}
            }
        }
        updates
    }

    fn call_update(&mut self, call: &ToolUse) -> SessionUpdate {
        let input = call.input.to_json();
        let id = self.register_call(&call.id);
        SessionUpdate::ToolCall(
            ToolCall::new(id, calls::call_title(&call.name, &input))
                .kind(calls::tool_kind(&call.name))
                .status(ToolCallStatus::Pending)
                .locations(calls::call_locations(&input, &self.cwd))
                .raw_input(calls::raw_input(&call.name, &input)),
        )
    }

    /// Registers a call and returns its id for clients: the model's own, unless that was used before.
    fn register_call(&mut self, call_id: &str) -> ToolCallId {
        let count = self.id_uses.entry(call_id.to_string()).or_default();
        *count += 1;
        let id = if *count == 1 { call_id.to_string() } else { format!("{call_id}#{count}") };
        let id = ToolCallId::new(id);
        self.calls.insert(call_id.to_string(), OpenCall { id: id.clone(), output: String::new(), last: None });
        id
    }

    /// The id of a call that waits for an answer. A subagent's call was not shown before, and a plan request
    /// restored after a crash has no call: they get an id here.
    pub fn call_for_ask(&mut self, call_id: &str, tool: &str, input: &Value) -> (ToolCallId, Option<SessionUpdate>) {
        if let Some(shown) = self.calls.get(call_id) {
            return (shown.id.clone(), None);
        }
        let own = if call_id.is_empty() { cutonce_agent::new_id() } else { call_id.to_string() };
        let id = self.register_call(&own);
        let call = ToolCall::new(id.clone(), calls::call_title(tool, input)).kind(calls::tool_kind(tool));
        (id, Some(SessionUpdate::ToolCall(call.status(ToolCallStatus::Pending))))
    }

    fn call_started(&mut self, call_id: &str) -> Vec<SessionUpdate> {
        let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
        let shown = self.calls.get(call_id).map(|shown| shown.id.clone());
        shown.map(|id| SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields))).into_iter().collect()
    }

    fn output_update(&mut self, call_id: &str, text: &str) -> Option<SessionUpdate> {
        let shown = self.calls.get_mut(call_id)?;
        shown.output.push_str(text);
        if shown.output.len() > 2 * MAX_OUTPUT_BYTES {
            let from = shown.output.ceil_char_boundary(shown.output.len() - MAX_OUTPUT_BYTES);
            shown.output.drain(..from);
        }
        if shown.last.is_some_and(|last| last.elapsed() < UPDATE_INTERVAL) {
            return None;
        }
        shown.last = Some(Instant::now());
        let content = vec![calls::fenced_content(&shown.output, "console")];
        let fields = ToolCallUpdateFields::new().content(content);
        Some(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(shown.id.clone(), fields)))
    }

    pub fn call_finished(&mut self, done: &ToolCallResult<'_>) -> Vec<SessionUpdate> {
        let id = match self.calls.remove(done.call_id) {
            Some(shown) => shown.id,
            None => self.register_call(done.call_id),
        };
        let (content, locations) = self.result_content(done);
        let mut fields = ToolCallUpdateFields::new().content(content).raw_output(raw_output(done));
        fields.status = Some(if done.is_error { ToolCallStatus::Failed } else { ToolCallStatus::Completed });
        fields.locations = Some(locations).filter(|locations| !locations.is_empty());
        if done.tool == cutonce_core::plan::EXIT_PLAN_MODE {
            fields.raw_input = Some(calls::raw_input(done.tool, done.input));
            fields.title = (!done.is_error).then(|| "Left plan mode".to_string());
        }
        vec![SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields))]
    }

    fn result_content(
        &self,
        done: &ToolCallResult<'_>,
    ) -> (Vec<ToolCallContent>, Vec<agent_client_protocol::v1::schema::ToolCallLocation>) {
        if done.is_error {
            return (calls::result_content(done.tool, done.content), Vec::new());
        }
        if done.tool == cutonce_core::plan::EXIT_PLAN_MODE {
            // The tool result repeats the plan, so only its first line is shown.
            let field = |name: &str| done.input.get(name).and_then(Value::as_str);
            let path = field("planFilePath").unwrap_or("the plan file");
            let plan = field("plan").map(|plan| calls::text_content(&reviews::plan_text(plan, path)));
            let told = raw_output(done).as_str().and_then(|told| told.lines().next()).map(calls::text_content);
            return (plan.into_iter().chain(told).collect(), Vec::new());
        }
        let unified = done.display.and_then(|display| display.get("diff")?.as_str());
        let path = done.display.and_then(|display| display.get("filePath")?.as_str());
        let created = done.display.and_then(|display| display.get("type")?.as_str()) == Some("create");
        match (unified.filter(|_| !created), path, calls::diff_of_input(done.tool, done.input, &self.cwd)) {
            (Some(unified), Some(path), _) => calls::diff_content(std::path::Path::new(path), unified),
            (_, _, Some(diff)) => (vec![diff], Vec::new()),
            (_, _, None) => (calls::result_content(done.tool, done.content), Vec::new()),
        }
    }

    /// Shows a subagent's progress in the call that started it. Its own calls appear only if they need an
    /// answer.
    fn agent_updates(&mut self, event: &AgentEvent) -> Vec<SessionUpdate> {
        match &event.activity {
            AgentActivity::Progress(progress) => self.agent_progress(event, progress).into_iter().collect(),
            AgentActivity::Emitted(said) => match &**said {
                EventKind::ToolFinished(done) if self.calls.contains_key(&done.call_id) => {
                    self.call_finished(&call_result(done))
                }
                _ => vec![],
            },
            AgentActivity::Started(start) => {
                if start.background {
                    self.background_agents.insert(event.agent.id.clone(), calls::one_line(&start.description));
                }
                vec![]
            }
            AgentActivity::Ended(end) => self.agent_ended(event, end).into_iter().collect(),
        }
    }

    /// Reports the end of a background subagent; the call that started it ended long before.
    fn agent_ended(&mut self, event: &AgentEvent, end: &AgentEnd) -> Option<SessionUpdate> {
        let description = self.background_agents.remove(&event.agent.id)?;
        let how = match &end.outcome {
            AgentOutcome::Done => "has ended".to_string(),
            AgentOutcome::Stopped => "was stopped".to_string(),
            AgentOutcome::Failed(why) => format!("failed: {why}"),
        };
        Some(
            self.notice_chunk(&format!(
                "The agent {} ({description}) {how}, after {} calls.",
                event.agent.name, end.tools
            )),
        )
    }

    /// Messages about the team and between teammates.
    fn team_updates(&mut self, event: &TeamEvent) -> Vec<SessionUpdate> {
        let said = match event {
            TeamEvent::Roster { team, members } if members.is_empty() => format!("The team {team} has no teammates."),
            TeamEvent::Roster { team, members } => {
                let one = |one: &Teammate| format!("{} ({})", one.name, one.state.describe());
                format!("Team {team}: {}", members.iter().map(one).collect::<Vec<_>>().join(", "))
            }
            TeamEvent::Message { from, to, text } => format!("{from} → {to}: {}", calls::one_line(text)),
        };
        // The roster is sent with every change; repeated text is skipped.
        if self.roster.as_deref() == Some(said.as_str()) {
            return vec![];
        }
        let shown = self.notice_chunk(&said);
        if matches!(event, TeamEvent::Roster { .. }) {
            self.roster = Some(said);
        }
        vec![shown]
    }

    fn agent_progress(&mut self, event: &AgentEvent, progress: &AgentProgress) -> Option<SessionUpdate> {
        let shown = self.calls.get_mut(&event.agent.call_id)?;
        if shown.last.is_some_and(|last| last.elapsed() < UPDATE_INTERVAL) {
            return None;
        }
        shown.last = Some(Instant::now());
        let doing = if progress.current_call.is_empty() { "thinking" } else { progress.current_call.as_str() };
        let words = format!("{}: {} ({} calls)", event.agent.name, calls::one_line(doing), progress.tools);
        let fields = ToolCallUpdateFields::new().content(vec![calls::text_content(&words)]);
        Some(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(shown.id.clone(), fields)))
    }

    /// Fails calls of an earlier session that never got a result.
    pub fn fail_open_calls(&mut self) -> Vec<SessionUpdate> {
        let failed = |(_, shown): (String, OpenCall)| {
            let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Failed);
            SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(shown.id, fields))
        };
        std::mem::take(&mut self.calls).into_iter().map(failed).collect()
    }
}

fn call_result(done: &FinishedCall) -> ToolCallResult<'_> {
    ToolCallResult {
        call_id: &done.call_id,
        tool: &done.name,
        input: &done.input,
        content: &done.content,
        is_error: done.is_error,
        display: done.display.as_ref(),
    }
}

/// The result as the model received it.
fn raw_output(done: &ToolCallResult<'_>) -> Value {
    let texts = done.content.iter().filter_map(|part| match part {
        ResultPart::Text { text } => Some(text.as_str()),
        ResultPart::Image(_) => None,
    });
    Value::from(calls::truncate_shown(&texts.collect::<Vec<_>>().join("\n")))
}

/// The steps as plan entries; the ids and states are in their metadata (PC-38).
pub fn step_plan(steps: &[LiveStep]) -> SessionUpdate {
    let entry = |step: &LiveStep| {
        let status = match step.state {
            StepState::Open => PlanEntryStatus::Pending,
            StepState::Changed | StepState::Failed => PlanEntryStatus::InProgress,
            StepState::Checked | StepState::Parked | StepState::Dropped => PlanEntryStatus::Completed,
        };
        let text = format!("{}. {} ({})", step.id, calls::one_line(&step.title), step.state.name());
        PlanEntry::new(text, PlanEntryPriority::Medium, status)
    };
    SessionUpdate::Plan(Plan::new(steps.iter().map(entry).collect()))
}

pub fn todo_plan(todos: &[TodoItem]) -> SessionUpdate {
    let entry = |todo: &TodoItem| {
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

fn content_chunk(block: ContentBlock, message: &str) -> ContentChunk {
    ContentChunk::new(block).message_id(MessageId::new(message))
}
