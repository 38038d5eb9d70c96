//! What waits in all sessions, and what was decided lately.

use crate::review_source::ReviewSource;
use cutonce_agent::review_socket::SessionUpdate;
use cutonce_core::plan::{PlanEvent, StepProgress};
use cutonce_core::protocol::review_request::{ReviewerAnswer, SessionNews, WaitingRequest, describe_closed};
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast;

/// How many closed requests are remembered, with their plans, for pages that slept.
const MOST_CLOSED: usize = 64;
/// Unread news of one page; a page that missed some loads everything again.
const NEWS_QUEUE: usize = 256;

/// All sessions, as pages see them.
pub struct ReviewBoard {
    state: Mutex<BoardState>,
    news: broadcast::Sender<PageNews>,
    sources: Vec<Arc<dyn ReviewSource>>,
}

#[derive(Default)]
struct BoardState {
    sessions: BTreeMap<String, ReviewedSession>,
    closed: VecDeque<ClosedRequest>,
}

/// One running session.
#[derive(Debug, Clone, Default)]
pub struct ReviewedSession {
    pub project: String,
    pub pid: u32,
    pub working: bool,
    pub waiting: Vec<Arc<WaitingRequest>>,
    /// The last state of each step of the plan that is implemented.
    pub steps: BTreeMap<String, StepProgress>,
    source: usize,
}

/// A request that is not open any more.
#[derive(Debug, Clone)]
pub struct ClosedRequest {
    pub session: String,
    pub request: Arc<WaitingRequest>,
    /// Who answered and what.
    pub told: String,
}

/// A request, wherever it is in its life.
#[derive(Debug, Clone)]
pub enum FoundRequest {
    Open { project: String, request: Arc<WaitingRequest> },
    Closed(ClosedRequest),
}

/// What pages hear as it happens.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageNews {
    pub session: String,
    /// `waiting`, `closed`, `progress` or `session`.
    pub what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// A sentence about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
}

impl ReviewBoard {
    /// Follows the sources on the current tokio runtime.
    pub fn follow(sources: Vec<Arc<dyn ReviewSource>>) -> Arc<ReviewBoard> {
        let board = ReviewBoard { state: Mutex::default(), news: broadcast::Sender::new(NEWS_QUEUE), sources };
        let board = Arc::new(board);
        for (index, source) in board.sources.iter().cloned().enumerate() {
            let board = board.clone();
            tokio::spawn(async move {
                while let Some(update) = source.next().await {
                    board.apply(index, update);
                }
            });
        }
        board
    }

    fn lock(&self) -> MutexGuard<'_, BoardState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn listen(&self) -> broadcast::Receiver<PageNews> {
        self.news.subscribe()
    }

    /// How many pages are open.
    pub fn listeners(&self) -> usize {
        self.news.receiver_count()
    }

    pub fn sessions(&self) -> Vec<(String, ReviewedSession)> {
        self.lock().sessions.iter().map(|(id, session)| (id.clone(), session.clone())).collect()
    }

    pub fn find(&self, session: &str, ask_id: &str) -> Option<FoundRequest> {
        let state = self.lock();
        if let Some(known) = state.sessions.get(session)
            && let Some(request) = known.waiting.iter().find(|request| request.ask_id == ask_id)
        {
            return Some(FoundRequest::Open { project: known.project.clone(), request: request.clone() });
        }
        let mut closed = state.closed.iter().rev();
        let closed = closed.find(|closed| closed.session == session && closed.request.ask_id == ask_id)?;
        Some(FoundRequest::Closed(closed.clone()))
    }

    /// The plan of this session that waits now.
    pub fn open_plan(&self, session: &str) -> Option<Arc<WaitingRequest>> {
        let state = self.lock();
        state.sessions.get(session)?.waiting.iter().find(|request| request.plan().is_some()).cloned()
    }

    /// A plan text that some page has shown, by its hash.
    pub fn shown_plan(&self, sha256: &str) -> Option<String> {
        let state = self.lock();
        let open = state.sessions.values().flat_map(|session| &session.waiting);
        let all = open.chain(state.closed.iter().map(|closed| &closed.request));
        let mut plans = all.filter_map(|request| request.plan());
        plans.find(|plan| plan.sha256.as_deref() == Some(sha256)).and_then(|plan| plan.plan.clone())
    }

    /// Gives an answer to the session. The error says who was first, or why it was not taken.
    pub async fn answer(&self, session: &str, answer: ReviewerAnswer) -> Result<(), String> {
        let source = match self.find(session, &answer.ask_id) {
            Some(FoundRequest::Open { .. }) => self.lock().sessions.get(session).map(|known| known.source),
            Some(FoundRequest::Closed(closed)) => return Err(closed.told),
            None => None,
        };
        let source = source.and_then(|index| self.sources.get(index));
        let Some(source) = source else {
            return Err("This request is not open any more; its session has ended.".into());
        };
        source.answer(session, answer).await
    }

    fn apply(&self, source: usize, update: SessionUpdate) {
        let SessionUpdate { session, news } = update;
        let mut told = PageNews { session: session.clone(), what: "session", ask: None, told: None };
        let mut state = self.lock();
        let Some(news) = news else {
            if let Some(gone) = state.sessions.remove(&session) {
                for request in gone.waiting {
                    state.remember(&session, request, "The session has ended; the request waits until it is resumed.");
                }
            }
            drop(state);
            let _ = self.news.send(told);
            return;
        };
        let known = state.sessions.entry(session.clone()).or_default();
        known.source = source;
        match news {
            SessionNews::Hello { project, pid, .. } => (known.project, known.pid) = (project, pid),
            SessionNews::Working { working } => known.working = working,
            SessionNews::Waiting(request) => {
                (told.what, told.ask) = ("waiting", Some(request.ask_id.clone()));
                known.waiting.retain(|open| open.ask_id != request.ask_id);
                known.waiting.push(Arc::from(request));
            }
            SessionNews::Closed { ask_id, by, answer } => {
                let Some(at) = known.waiting.iter().position(|open| open.ask_id == ask_id) else { return };
                let request = known.waiting.remove(at);
                let sentence = describe_closed(by.as_ref(), answer.as_ref());
                state.remember(&session, request, &sentence);
                (told.what, told.ask, told.told) = ("closed", Some(ask_id), Some(sentence));
            }
            SessionNews::Plan { event } => {
                told.what = "progress";
                match *event {
                    PlanEvent::Step(step) => drop(known.steps.insert(step.step.clone(), step)),
                    PlanEvent::Approved { .. } | PlanEvent::Implement { .. } => known.steps.clear(),
                    _ => {}
                }
            }
            SessionNews::Taken { .. } => return,
        }
        drop(state);
        let _ = self.news.send(told);
    }
}

impl BoardState {
    fn remember(&mut self, session: &str, request: Arc<WaitingRequest>, told: &str) {
        if self.closed.len() >= MOST_CLOSED {
            self.closed.pop_front();
        }
        self.closed.push_back(ClosedRequest { session: session.into(), request, told: told.into() });
    }
}
