//! Runs one subagent from start to end: waits for a slot, opens its session, reports progress to front ends, forwards
//! its asks, and reports the result to the parent session.

use super::session_parts::{SubagentSpec, read_sidechain};
use super::{SpawnContext, SubagentError, SubagentSpawner, SubagentTree};
use crate::event_hub::EventStream;
use crate::session::{Session, SessionEvent};
use cutonce_core::conversation::TokenUsage;
use cutonce_core::protocol::event::{
    AgentActivity, AgentEnd, AgentEvent, AgentOutcome, AgentProgress, AgentRef, AgentStart, AskView, EndReason,
    EventKind, TurnSummary,
};
use cutonce_core::protocol::submission::Submission;
use cutonce_core::protocol::usage_totals::UsageTotals;
use cutonce_core::subagent::AgentDefinition;
use cutonce_core::sync::LockUnpoisoned;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// The task of a subagent.
#[derive(Debug, Clone)]
pub(crate) struct SubagentTask {
    /// The call that starts it.
    pub call_id: String,
    pub kind: String,
    pub description: String,
    pub prompt: String,
    pub model: Option<String>,
    /// Whether it runs in the background and reports its end as a message.
    pub background: bool,
    /// The id of the subagent to resume.
    pub resume: Option<String>,
}

/// A subagent that was started.
pub struct StartedSubagent {
    pub agent: Arc<AgentRef>,
    /// Cancelling it stops the subagent and all its children.
    pub stop: CancellationToken,
    pub ended: oneshot::Receiver<AgentEnd>,
}

/// The report to the parent session.
#[derive(Debug)]
pub(crate) struct SubagentReport {
    pub agent: Arc<AgentRef>,
    pub description: String,
    pub background: bool,
    pub end: AgentEnd,
}

/// A subagent that runs or waits for a slot.
pub(super) struct LiveSubagent {
    pub agent: Arc<AgentRef>,
    pub background: bool,
    pub stop: CancellationToken,
    pub ended: CancellationToken,
    state: Arc<Mutex<LiveState>>,
}

#[derive(Default)]
struct LiveState {
    session: Option<Session>,
    /// Ids of open asks.
    asks: Vec<String>,
}

impl LiveSubagent {
    pub fn has_ask(&self, ask_id: &str) -> bool {
        self.state.lock_unpoisoned().asks.iter().any(|known| known == ask_id)
    }
    pub fn session(&self) -> Option<Session> {
        self.state.lock_unpoisoned().session.clone()
    }
}

impl SubagentSpawner {
    /// The definition a call refers to, by kind or by the agent to resume. The error becomes the call's result.
    pub(super) fn find_definition(
        &self,
        kind: &str,
        resume: Option<&str>,
    ) -> Result<Arc<AgentDefinition>, SubagentError> {
        let name = match resume {
            Some(id) => self.find_sidechain(id)?.agent.name,
            None => kind.to_string(),
        };
        let found = self.tree.catalog.get(&name).cloned().map(Arc::new);
        found.ok_or_else(|| {
            format!("Invalid input: `subagent_type`: expected one of {}, got `{name}`.", self.tree.catalog.name_list())
                .into()
        })
    }

    fn find_sidechain(&self, id: &str) -> Result<cutonce_core::transcript::SidechainInfo, SubagentError> {
        let path = self.tree.main.store.sidechain_path(id).ok();
        let found = path.and_then(|path| read_sidechain(&path));
        found.ok_or_else(|| {
            format!("Invalid input: `resume`: expected the id of an agent of this session, got `{}`.", brief_line(id))
                .into()
        })
    }

    /// Starts a subagent. It keeps running even if the returned value is dropped.
    pub fn start(self: &Arc<Self>, task: SubagentTask) -> Result<StartedSubagent, SubagentError> {
        let moment = self.current_context().ok_or("Can't start an agent before the model's first answer.")?;
        self.start_in(task, moment)
    }

    /// Starts a subagent from this state of the session.
    pub fn start_in(
        self: &Arc<Self>,
        task: SubagentTask,
        moment: Arc<SpawnContext>,
    ) -> Result<StartedSubagent, SubagentError> {
        let definition = self.find_definition(&task.kind, task.resume.as_deref())?;
        let id = task.resume.clone().unwrap_or_else(crate::new_id);
        let agent = Arc::new(AgentRef {
            id: id.clone(),
            name: definition.name.clone(),
            call_id: task.call_id.clone(),
            parent: self.me.as_ref().map(|me| me.id.clone()),
            color: definition.color,
        });
        let (stop, ended) = (CancellationToken::new(), CancellationToken::new());
        let inside = Arc::new(Mutex::new(LiveState::default()));
        {
            let mut live = self.tree.live();
            if live.iter().any(|live| live.agent.id == id) {
                return Err(format!("The agent {id} is still running. Wait until it has ended, then resume it.").into());
            }
            let (agent, inside) = (agent.clone(), inside.clone());
            live.push(LiveSubagent {
                agent,
                background: task.background,
                stop: stop.clone(),
                ended: ended.clone(),
                state: inside,
            });
        }
        let birth = SubagentSpec {
            agent: agent.clone(),
            mode: self.agent_mode(&definition),
            definition,
            description: task.description.clone(),
            model: task.model.clone(),
            resumed: task.resume.is_some(),
            background: task.background,
        };
        let (tell, told) = oneshot::channel();
        let run =
            SubagentRun { agents: self.clone(), spec: birth, task, stop: stop.clone(), inside, began: Instant::now() };
        tokio::spawn(async move {
            let end = run.run_to_end(&moment).await;
            let gone = LiveGuard(run.agents.tree.clone(), run.spec.agent.id.clone(), ended);
            run.emit(AgentActivity::Ended(end.clone()));
            drop(gone);
            run.report_end(end.clone());
            let _ = tell.send(end);
        });
        Ok(StartedSubagent { agent, stop, ended: told })
    }
}

/// Removes a subagent from the list of live ones when dropped.
struct LiveGuard(Arc<SubagentTree>, String, CancellationToken);

impl Drop for LiveGuard {
    fn drop(&mut self) {
        self.0.live().retain(|live| live.agent.id != self.1);
        self.2.cancel();
    }
}

struct SubagentRun {
    agents: Arc<SubagentSpawner>,
    spec: SubagentSpec,
    task: SubagentTask,
    stop: CancellationToken,
    inside: Arc<Mutex<LiveState>>,
    began: Instant,
}

impl SubagentRun {
    async fn run_to_end(&self, moment: &SpawnContext) -> AgentEnd {
        let slots = self.agents.tree.slots[usize::from(self.agents.depth)].clone();
        let _turn = tokio::select! {
            biased;
            () = self.stop.cancelled() => return self.build_end(AgentOutcome::Stopped, String::new(), RunProgress::default(), None),
            turn = slots.acquire_owned() => turn,
        };
        let (parts, notices) = match self.agents.session_parts(&self.spec, moment).await {
            Ok(made) => made,
            Err(why) => {
                return self.build_end(AgentOutcome::Failed(why.into()), String::new(), RunProgress::default(), None);
            }
        };
        self.emit(AgentActivity::Started(AgentStart {
            description: self.task.description.clone(),
            model: parts.connected.model.name().to_string(),
            background: self.task.background,
            resumed: self.spec.resumed,
        }));
        let _ = self.agents.reports.send(SessionEvent::AgentStarted(self.spec.agent.clone()));
        for text in notices {
            let level = cutonce_core::protocol::event::NoticeLevel::Warning;
            self.agents.hub.emit(EventKind::Notice { level, text });
        }
        let (session, events) = Session::open(parts);
        self.inside.lock_unpoisoned().session = Some(session.clone());
        session.say(self.task.prompt.clone());
        let end = self.follow_events(&session, events).await;
        self.inside.lock_unpoisoned().session = None;
        end
    }

    /// Follows the session until it has closed, after everything it started has ended.
    async fn follow_events(&self, session: &Session, mut events: EventStream) -> AgentEnd {
        let (mut seen, mut ended, mut stopping) = (RunProgress::default(), None, false);
        loop {
            let event = tokio::select! {
                event = events.next() => event,
                () = self.stop.cancelled(), if !stopping => {
                    stopping = true;
                    session.submit(Submission::Interrupt);
                    session.submit(Submission::Close);
                    continue;
                }
            };
            match event.map(|event| event.kind) {
                None | Some(EventKind::Closed) => break,
                Some(EventKind::TurnEnded(turn)) => {
                    ended = Some(turn);
                    session.submit(Submission::Close);
                }
                Some(kind) => self.forward_event(kind, &mut seen),
            }
        }
        let (how, text) = end_outcome(ended.as_ref(), stopping);
        self.build_end(how, text, seen, ended)
    }

    fn forward_event(&self, kind: EventKind, seen: &mut RunProgress) {
        match kind {
            EventKind::Ask(view) => {
                self.inside.lock_unpoisoned().asks.push(view.ask_id.clone());
                let agent = view.agent.clone().or_else(|| Some(self.spec.agent.clone()));
                self.agents.hub.emit(EventKind::Ask(Arc::new(AskView { agent, ..AskView::clone(&view) })));
            }
            EventKind::AskClosed { ref ask_id, .. } => {
                self.inside.lock_unpoisoned().asks.retain(|known| known != ask_id);
                self.agents.hub.emit(kind);
            }
            // Events of nested subagents.
            EventKind::Agent(_) => self.agents.hub.emit(kind),
            EventKind::ToolStarted { ref call_id, ref name, ref summary } => {
                seen.tools += 1;
                seen.running.insert(call_id.clone());
                seen.doing = format!("{name} {}", brief_line(summary)).trim().to_string();
                self.emit_progress(seen);
                self.emit_output(kind);
            }
            EventKind::Assistant { ref model, usage, .. } => {
                seen.usage += usage;
                seen.totals.add(model, usage, 0.0);
                seen.doing.clear();
                self.emit_progress(seen);
                self.emit_output(kind);
            }
            // A denied call was never started.
            EventKind::ToolFinished(ref finished) => {
                seen.tools += u32::from(!seen.running.remove(&finished.call_id));
                self.emit_output(kind);
            }
            EventKind::User { .. }
            | EventKind::Notice { .. }
            | EventKind::Retry { .. }
            | EventKind::ModeChanged { .. }
            | EventKind::Plan(_)
            | EventKind::Compacted { .. }
            | EventKind::Todos(_) => self.emit_output(kind),
            EventKind::Opened { .. }
            | EventKind::Steps(_)
            | EventKind::Queued { .. }
            | EventKind::Unqueued { .. }
            | EventKind::TurnStarted
            | EventKind::Requesting { .. }
            | EventKind::Delta(_)
            | EventKind::RequestUsage(_)
            | EventKind::Totals(_)
            | EventKind::Waiting { .. }
            | EventKind::ToolOutput { .. }
            | EventKind::ModelChanged { .. }
            | EventKind::CurrentPlan { .. }
            | EventKind::Aside { .. }
            | EventKind::OpenPlan { .. }
            | EventKind::TaskOutput { .. }
            | EventKind::TaskEnded { .. }
            | EventKind::Cleared
            | EventKind::Team(_)
            | EventKind::TurnEnded(_)
            | EventKind::Closed => {}
        }
    }

    fn emit_progress(&self, seen: &RunProgress) {
        let usage = &seen.usage;
        let tokens = usage.context_tokens();
        self.emit(AgentActivity::Progress(AgentProgress {
            current_call: seen.doing.clone(),
            tools: seen.tools,
            tokens,
            elapsed_ms: self.elapsed(),
        }));
    }
    fn emit_output(&self, kind: EventKind) {
        self.emit(AgentActivity::Emitted(Arc::new(kind)));
    }
    fn emit(&self, what: AgentActivity) {
        self.agents.hub.emit(EventKind::Agent(AgentEvent { agent: self.spec.agent.clone(), activity: what }));
    }
    fn report_end(&self, end: AgentEnd) {
        let (agent, description) = (self.spec.agent.clone(), self.task.description.clone());
        let ending = SubagentReport { agent, description, background: self.task.background, end };
        let _ = self.agents.reports.send(SessionEvent::AgentEnded(Box::new(ending)));
    }
    fn elapsed(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    /// The turn's usage includes that of nested subagents.
    fn build_end(&self, how: AgentOutcome, text: String, seen: RunProgress, turn: Option<TurnSummary>) -> AgentEnd {
        let (usage, totals) = turn.map_or((seen.usage, seen.totals), |turn| (turn.usage, turn.totals));
        AgentEnd { outcome: how, text, tools: seen.tools, usage, totals, elapsed_ms: self.elapsed() }
    }
}

#[derive(Default)]
struct RunProgress {
    doing: String,
    tools: u32,
    /// Calls that were started and have not finished.
    running: HashSet<String>,
    usage: TokenUsage,
    /// Without prices; only the turn's end knows them.
    totals: UsageTotals,
}

fn end_outcome(ended: Option<&TurnSummary>, stopped: bool) -> (AgentOutcome, String) {
    let Some(ended) = ended else {
        let how = if stopped {
            AgentOutcome::Stopped
        } else {
            AgentOutcome::Failed("its session ended without an answer".into())
        };
        return (how, String::new());
    };
    let how = match &ended.reason {
        EndReason::Completed => AgentOutcome::Done,
        EndReason::Interrupted { .. } => AgentOutcome::Stopped,
        EndReason::MaxTurns(most) => AgentOutcome::Failed(format!("it reached its limit of {most} requests")),
        EndReason::MaxBudget => AgentOutcome::Failed("the session's budget is used up".into()),
        EndReason::Failed { message, .. } => AgentOutcome::Failed(message.clone()),
    };
    (how, ended.text.clone())
}

/// The first line of model or tool text, sanitized and shortened (PM-87).
pub(super) fn brief_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    cutonce_core::text::sanitize::one_line(line).chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::brief_line;

    #[test]
    fn pm_87_agent_description_hides_nothing() {
        assert_eq!(brief_line("look \x1b[31mround\u{202e}\nmore"), "look \\u{1b}[31mround\\u{202e}");
    }
}
