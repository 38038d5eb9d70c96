//! One agent from its start to its end: waits for its turn, opens its session, tells the faces what it does, passes its
//! asks on, and reports to whoever started it.

use super::child::{Birth, sidechain};
use super::{Agents, Moment, Tree};
use crate::hub::Events;
use crate::session::{Report, Session};
use cutonce_core::agent::Definition;
use cutonce_core::conversation::Usage;
use cutonce_core::event::{
    AgentDoes, AgentEnd, AgentEvent, AgentHow, AgentProgress, AgentRef, AgentStart, AskView, EndReason, Ended,
    EventKind,
};
use cutonce_core::submission::Submission;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// What an agent is to do.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    /// The call that starts it.
    pub call_id: String,
    pub kind: String,
    pub description: String,
    pub prompt: String,
    pub model: Option<String>,
    /// Nobody waits for it: its end is told as a message.
    pub background: bool,
    /// Go on with this one.
    pub resume: Option<String>,
}

/// An agent on its way.
pub struct Started {
    pub agent: Arc<AgentRef>,
    /// Cancel it to stop the agent and all below it.
    pub stop: CancellationToken,
    pub ended: oneshot::Receiver<AgentEnd>,
}

/// What the session that started it is told.
#[derive(Debug)]
pub(crate) struct Ending {
    pub agent: Arc<AgentRef>,
    pub description: String,
    pub background: bool,
    pub end: AgentEnd,
}

/// An agent that runs or waits for its turn.
pub(super) struct Live {
    pub agent: Arc<AgentRef>,
    pub background: bool,
    pub stop: CancellationToken,
    pub ended: CancellationToken,
    inside: Arc<Mutex<Inside>>,
}

#[derive(Default)]
struct Inside {
    session: Option<Session>,
    /// Asks that wait for an answer.
    asks: Vec<String>,
}

impl Live {
    pub fn asked(&self, ask_id: &str) -> bool {
        lock(&self.inside).asks.iter().any(|known| known == ask_id)
    }
    pub fn session(&self) -> Option<Session> {
        lock(&self.inside).session.clone()
    }
}

fn lock(inside: &Mutex<Inside>) -> std::sync::MutexGuard<'_, Inside> {
    inside.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Agents {
    /// Which kind a call means: the one it names, or that of the agent it resumes. The error is the call's result.
    pub(super) fn kind(&self, kind: &str, resume: Option<&str>) -> Result<Arc<Definition>, String> {
        let name = match resume {
            Some(id) => self.known(id)?.agent.name,
            None => kind.to_string(),
        };
        let found = self.tree.catalog.get(&name).cloned().map(Arc::new);
        found.ok_or_else(|| {
            format!("Invalid input: `subagent_type`: expected one of {}, got `{name}`.", self.tree.catalog.names())
        })
    }

    fn known(&self, id: &str) -> Result<cutonce_core::transcript::Sidechain, String> {
        let path = self.tree.seeds.store.sidechain_path(id).ok();
        let found = path.and_then(|path| sidechain(&path));
        found.ok_or_else(|| {
            format!("Invalid input: `resume`: expected the id of an agent of this session, got `{}`.", brief(id))
        })
    }

    /// Start an agent; it runs by itself from here on, also if what comes back is dropped.
    pub fn start(self: &Arc<Self>, task: Task) -> Result<Started, String> {
        let moment = self.moment().ok_or("No agent can be started: the session has not answered yet.")?;
        let definition = self.kind(&task.kind, task.resume.as_deref())?;
        let id = task.resume.clone().unwrap_or_else(crate::new_id);
        let agent = Arc::new(AgentRef {
            id: id.clone(),
            name: definition.name.clone(),
            call_id: task.call_id.clone(),
            parent: self.me.as_ref().map(|me| me.id.clone()),
            color: definition.color,
        });
        let (stop, ended) = (CancellationToken::new(), CancellationToken::new());
        let inside = Arc::new(Mutex::new(Inside::default()));
        {
            let mut live = self.tree.live();
            if live.iter().any(|live| live.agent.id == id) {
                return Err(format!("The agent {id} is still running: wait until it has ended, then resume it."));
            }
            let (agent, inside) = (agent.clone(), inside.clone());
            live.push(Live { agent, background: task.background, stop: stop.clone(), ended: ended.clone(), inside });
        }
        let birth = Birth {
            agent: agent.clone(),
            mode: self.mode_of(&definition),
            definition,
            description: task.description.clone(),
            model: task.model.clone(),
            resumed: task.resume.is_some(),
            background: task.background,
        };
        let (tell, told) = oneshot::channel();
        let run = Run { agents: self.clone(), birth, task, stop: stop.clone(), inside, began: Instant::now() };
        tokio::spawn(async move {
            let end = run.whole(&moment).await;
            let gone = Gone(run.agents.tree.clone(), run.birth.agent.id.clone(), ended);
            run.tell(AgentDoes::Ended(end.clone()));
            drop(gone);
            run.report(end.clone());
            let _ = tell.send(end);
        });
        Ok(Started { agent, stop, ended: told })
    }
}

/// Takes an agent off the list of those that run.
struct Gone(Arc<Tree>, String, CancellationToken);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.live().retain(|live| live.agent.id != self.1);
        self.2.cancel();
    }
}

struct Run {
    agents: Arc<Agents>,
    birth: Birth,
    task: Task,
    stop: CancellationToken,
    inside: Arc<Mutex<Inside>>,
    began: Instant,
}

impl Run {
    async fn whole(&self, moment: &Moment) -> AgentEnd {
        let slots = self.agents.tree.slots[usize::from(self.agents.depth)].clone();
        let _turn = tokio::select! {
            biased;
            () = self.stop.cancelled() => return self.ended(AgentHow::Stopped, String::new(), Seen::default(), None),
            turn = slots.acquire_owned() => turn,
        };
        let (options, notices) = match self.agents.options(&self.birth, moment).await {
            Ok(made) => made,
            Err(why) => return self.ended(AgentHow::Failed(why), String::new(), Seen::default(), None),
        };
        self.tell(AgentDoes::Started(AgentStart {
            description: self.task.description.clone(),
            model: options.connected.model.name().to_string(),
            background: self.task.background,
            resumed: self.birth.resumed,
        }));
        let _ = self.agents.reports.send(Report::AgentStarted(self.birth.agent.clone()));
        for text in notices {
            let level = cutonce_core::event::Level::Warning;
            self.agents.hub.emit(EventKind::Notice { level, text });
        }
        let (session, events) = Session::open(options);
        lock(&self.inside).session = Some(session.clone());
        session.say(self.task.prompt.clone());
        let end = self.follow(&session, events).await;
        lock(&self.inside).session = None;
        end
    }

    /// Until its session is closed, which is after all that it started has ended.
    async fn follow(&self, session: &Session, mut events: Events) -> AgentEnd {
        let (mut seen, mut ended, mut stopping) = (Seen::default(), None, false);
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
                Some(kind) => self.pass_on(kind, &mut seen),
            }
        }
        let (how, text) = outcome(ended.as_ref(), stopping);
        self.ended(how, text, seen, ended)
    }

    fn pass_on(&self, kind: EventKind, seen: &mut Seen) {
        match kind {
            EventKind::Ask(view) => {
                lock(&self.inside).asks.push(view.ask_id.clone());
                let agent = view.agent.clone().or_else(|| Some(self.birth.agent.clone()));
                self.agents.hub.emit(EventKind::Ask(Arc::new(AskView { agent, ..AskView::clone(&view) })));
            }
            EventKind::AskClosed { ref ask_id, .. } => {
                lock(&self.inside).asks.retain(|known| known != ask_id);
                self.agents.hub.emit(kind);
            }
            // Of an agent further down.
            EventKind::Agent(_) => self.agents.hub.emit(kind),
            EventKind::ToolStarted { ref call_id, ref name, ref summary } => {
                seen.tools += 1;
                seen.running.insert(call_id.clone());
                seen.doing = format!("{name} {}", brief(summary)).trim().to_string();
                self.progress(seen);
                self.says(kind);
            }
            EventKind::Assistant { usage, .. } => {
                seen.usage += usage;
                seen.doing.clear();
                self.progress(seen);
                self.says(kind);
            }
            // One that was refused never started.
            EventKind::ToolFinished(ref finished) => {
                seen.tools += u32::from(!seen.running.remove(&finished.call_id));
                self.says(kind);
            }
            EventKind::User { .. }
            | EventKind::Notice { .. }
            | EventKind::Retry { .. }
            | EventKind::ModeChanged { .. }
            | EventKind::Plan(_)
            | EventKind::Compacted { .. }
            | EventKind::Todos(_) => self.says(kind),
            EventKind::Opened { .. }
            | EventKind::Queued { .. }
            | EventKind::TurnStarted
            | EventKind::Requesting { .. }
            | EventKind::Delta(_)
            | EventKind::ToolOutput { .. }
            | EventKind::ModelChanged { .. }
            | EventKind::CurrentPlan { .. }
            | EventKind::OpenPlan { .. }
            | EventKind::TaskOutput { .. }
            | EventKind::TaskEnded { .. }
            | EventKind::Cleared
            | EventKind::Team(_)
            | EventKind::TurnEnded(_)
            | EventKind::Closed => {}
        }
    }

    fn progress(&self, seen: &Seen) {
        let usage = &seen.usage;
        let tokens = usage.context();
        self.tell(AgentDoes::Progress(AgentProgress {
            doing: seen.doing.clone(),
            tools: seen.tools,
            tokens,
            elapsed_ms: self.elapsed(),
        }));
    }
    fn says(&self, kind: EventKind) {
        self.tell(AgentDoes::Says(Arc::new(kind)));
    }
    fn tell(&self, what: AgentDoes) {
        self.agents.hub.emit(EventKind::Agent(AgentEvent { agent: self.birth.agent.clone(), what }));
    }
    fn report(&self, end: AgentEnd) {
        let (agent, description) = (self.birth.agent.clone(), self.task.description.clone());
        let ending = Ending { agent, description, background: self.task.background, end };
        let _ = self.agents.reports.send(Report::AgentEnded(Box::new(ending)));
    }
    fn elapsed(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    /// Its session counted what its own agents used, too.
    fn ended(&self, how: AgentHow, text: String, seen: Seen, turn: Option<Ended>) -> AgentEnd {
        let (usage, cost) = turn.map_or((seen.usage, 0.0), |turn| (turn.usage, turn.cost));
        AgentEnd { how, text, tools: seen.tools, usage, cost, elapsed_ms: self.elapsed() }
    }
}

#[derive(Default)]
struct Seen {
    doing: String,
    tools: u32,
    /// Calls that have started and not ended.
    running: HashSet<String>,
    usage: Usage,
}

fn outcome(ended: Option<&Ended>, stopped: bool) -> (AgentHow, String) {
    let Some(ended) = ended else {
        let how =
            if stopped { AgentHow::Stopped } else { AgentHow::Failed("its session ended without an answer".into()) };
        return (how, String::new());
    };
    let how = match &ended.reason {
        EndReason::Completed => AgentHow::Done,
        EndReason::Interrupted { .. } => AgentHow::Stopped,
        EndReason::MaxTurns(most) => AgentHow::Failed(format!("it reached its limit of {most} requests")),
        EndReason::MaxBudget => AgentHow::Failed("the budget of the session is used up".into()),
        EndReason::Failed { message, .. } => AgentHow::Failed(message.clone()),
    };
    (how, ended.text.clone())
}

/// Of a model's or a tool's words, for one line; nothing in it is hidden (PM-87).
pub(super) fn brief(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    cutonce_core::harmless::one_line(line).chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::brief;

    #[test]
    fn pm_87_what_an_agent_is_called_hides_nothing() {
        assert_eq!(brief("look \x1b[31mround\u{202e}\nmore"), "look \\u{1b}[31mround\\u{202e}");
    }
}
