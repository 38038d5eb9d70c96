//! What waits in all sessions, and what was decided lately.

use crate::plan_rehearsals::PlanRehearsals;
use crate::review_source::{JobChange, ListedJob, RefusedMessage, ReviewSource, SourceUpdate};
use cutonce_agent::review_socket::SessionUpdate;
use cutonce_core::plan::{PlanEvent, StepProgress};
use cutonce_core::protocol::review_request::{ReviewerMessage, SessionNews, WaitingRequest, describe_closed};
use cutonce_core::sync::LockUnpoisoned;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
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
    /// What is wrong with a source, by its index.
    troubles: BTreeMap<usize, String>,
    /// Sources that have more than what is here.
    reading: BTreeSet<usize>,
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
    /// The implementation of a plan has not been reported yet.
    pub implements: bool,
    /// Rehearsals of the plan that waits.
    pub rehearsals: PlanRehearsals,
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
    /// `waiting`, `closed`, `progress`, `rehearsal`, `session`, `jobs` or `source`.
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
                    match update {
                        SourceUpdate::Session(update) => board.apply(index, *update),
                        SourceUpdate::Jobs => board.tell("jobs"),
                        SourceUpdate::Reading(reads) => {
                            let _ = match reads {
                                true => board.lock().reading.insert(index),
                                false => board.lock().reading.remove(&index),
                            };
                            board.tell("source");
                        }
                        SourceUpdate::Trouble(told) => {
                            let _ = match told {
                                Some(told) => board.lock().troubles.insert(index, told),
                                None => board.lock().troubles.remove(&index),
                            };
                            board.tell("source");
                        }
                    }
                }
            });
        }
        board
    }

    fn lock(&self) -> MutexGuard<'_, BoardState> {
        self.state.lock_unpoisoned()
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

    /// Sends an answer or an order about a request that is open. The error says who was first, or why it was not
    /// taken.
    pub async fn send(&self, session: &str, ask_id: &str, message: ReviewerMessage) -> Result<(), RefusedMessage> {
        let source = match self.find(session, ask_id) {
            Some(FoundRequest::Open { .. }) => self.source_of(session),
            Some(FoundRequest::Closed(closed)) => return Err(RefusedMessage(closed.told)),
            None => None,
        };
        let Some(source) = source else {
            return Err(RefusedMessage("This request is not open any more; its session has ended.".into()));
        };
        source.send(session, message).await
    }

    fn source_of(&self, session: &str) -> Option<&Arc<dyn ReviewSource>> {
        let index = self.lock().sessions.get(session).map(|known| known.source)?;
        self.sources.get(index)
    }

    /// True if the plans of this session can be rehearsed from here.
    pub fn can_rehearse(&self, session: &str) -> bool {
        self.source_of(session).is_some_and(|source| source.can_rehearse(session))
    }

    /// True if the session runs on this machine.
    pub fn is_local(&self, session: &str) -> bool {
        self.lock().sessions.get(session).is_some_and(|known| known.pid > 0)
    }

    /// Loads a plan that did not come with the news of its session.
    pub async fn load(&self, session: &str, ask_id: &str) {
        let Some(FoundRequest::Open { request, .. }) = self.find(session, ask_id) else { return };
        if !request.plan().is_some_and(|plan| plan.plan.is_none() && plan.sha256.is_some()) {
            return;
        }
        let Some(source) = self.source_of(session).cloned() else { return };
        let Some(loaded) = source.load(session, ask_id).await else { return };
        if let Some(known) = self.lock().sessions.get_mut(session) {
            let waiting = known.waiting.iter_mut().filter(|open| open.ask_id == ask_id);
            waiting.for_each(|open| *open = Arc::new(loaded.clone()));
        }
    }

    /// The jobs of all sources; `None` if no source has jobs.
    pub fn jobs(&self) -> Option<Vec<ListedJob>> {
        let lists: Vec<_> = self.sources.iter().filter_map(|source| source.jobs()).collect();
        (!lists.is_empty()).then(|| lists.into_iter().flatten().collect())
    }

    /// Cancels or retries a job; returns what happened.
    pub async fn change_job(&self, id: &str, change: JobChange) -> Result<String, RefusedMessage> {
        let has =
            |source: &&Arc<dyn ReviewSource>| source.jobs().is_some_and(|jobs| jobs.iter().any(|job| job.id == id));
        match self.sources.iter().find(has) {
            Some(source) => source.change_job(id, change).await,
            None => Err(RefusedMessage("There is no such job.".into())),
        }
    }

    /// What is wrong with the sources.
    pub fn troubles(&self) -> Vec<String> {
        self.lock().troubles.values().cloned().collect()
    }

    /// True while a source reads what it has.
    pub fn is_reading(&self) -> bool {
        !self.lock().reading.is_empty()
    }

    fn tell(&self, what: &'static str) {
        let _ = self.news.send(PageNews { session: String::new(), what, ask: None, told: None });
    }

    fn apply(&self, source: usize, update: SessionUpdate) {
        let SessionUpdate { session, news } = update;
        let mut told = PageNews { session: session.clone(), what: "session", ask: None, told: None };
        let mut state = self.lock();
        let Some(news) = news else {
            let ends = state.sessions.get(&session).is_some_and(|known| known.source == source);
            if let Some(gone) = ends.then(|| state.sessions.remove(&session)).flatten() {
                for request in gone.waiting {
                    state.remember(&session, request, "The session has ended; the request waits until it is resumed.");
                }
            }
            drop(state);
            let _ = self.news.send(told);
            return;
        };
        let known =
            state.sessions.entry(session.clone()).or_insert_with(|| ReviewedSession { source, ..Default::default() });
        // A session of this machine is reached directly, even if a remote has it too.
        match known.source.cmp(&source) {
            Ordering::Less => return,
            Ordering::Equal => {}
            Ordering::Greater => *known = ReviewedSession { source, ..Default::default() },
        }
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
                if request.plan().is_some() {
                    known.rehearsals.clear();
                }
                let sentence = describe_closed(by.as_ref(), answer.as_ref());
                state.remember(&session, request, &sentence);
                (told.what, told.ask, told.told) = ("closed", Some(ask_id), Some(sentence));
            }
            SessionNews::Plan { event } => {
                told.what = "progress";
                match *event {
                    PlanEvent::Step(step) => {
                        known.steps.insert(step.step.clone(), step);
                        known.implements = true;
                    }
                    PlanEvent::Approved { .. } | PlanEvent::Implement { .. } => known.steps.clear(),
                    PlanEvent::Report(_) => known.implements = false,
                    PlanEvent::Rehearsal(event) => {
                        (told.what, told.told) = ("rehearsal", known.rehearsals.note(*event));
                    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review_views::{BoardQuery, board_view};
    use cutonce_core::protocol::review_request::WaitingSubject;

    fn waiting(since: u64) -> SessionNews {
        SessionNews::Waiting(Box::new(WaitingRequest {
            ask_id: format!("a{since}"),
            tool: "EnterPlanMode".into(),
            asker: None,
            text: String::new(),
            since,
            subject: WaitingSubject::EnterPlan,
        }))
    }

    fn update(session: &str, news: Option<SessionNews>) -> SessionUpdate {
        SessionUpdate { session: session.into(), news }
    }

    #[test]
    fn rv_1_list_starts_with_the_newest_requests() {
        let (board, home) = (ReviewBoard::follow(Vec::new()), tempfile::tempdir().unwrap());
        for since in (0..10_000).rev() {
            board.apply(0, update(&format!("s{since}"), Some(waiting(since))));
        }
        let first = board_view(&board, home.path(), BoardQuery::default());
        let listed = first["waiting"].as_array().unwrap();
        assert_eq!((listed.len(), first["total"].as_u64()), (200, Some(10_000)));
        assert_eq!((&listed[0]["ask"], &listed[199]["ask"]), (&"a9999".into(), &"a9800".into()));
        let all = board_view(&board, home.path(), BoardQuery { all: true, find: "" });
        assert_eq!(all["waiting"].as_array().map(Vec::len), Some(10_000));
        let hello = SessionNews::Hello { session: "s77".into(), pid: 1, project: "/home/ann/Shop".into() };
        board.apply(0, update("s77", Some(hello)));
        let found = board_view(&board, home.path(), BoardQuery { all: false, find: "shop" });
        assert_eq!(
            (&found["waiting"][0]["ask"], &found["found"], &found["total"]),
            (&"a77".into(), &1.into(), &10_000.into())
        );
    }

    #[test]
    fn fl_2_own_session_is_reached_directly() {
        let board = ReviewBoard::follow(Vec::new());
        let hello = |pid| SessionNews::Hello { session: "s".into(), pid, project: format!("p{pid}") };
        // The remote knows it first, then this machine does.
        board.apply(1, update("s", Some(hello(0))));
        board.apply(1, update("s", Some(waiting(1))));
        board.apply(0, update("s", Some(hello(7))));
        board.apply(0, update("s", Some(waiting(1))));
        board.apply(1, update("s", Some(waiting(2))));
        board.apply(1, update("s", None));
        let sessions = board.sessions();
        assert_eq!((sessions.len(), sessions[0].1.pid, sessions[0].1.waiting.len()), (1, 7, 1));
        board.apply(0, update("s", None));
        assert!(board.sessions().is_empty());
    }
}
