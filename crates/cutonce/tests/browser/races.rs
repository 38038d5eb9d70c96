//! Two pages and the session's own front end race for the answer, 500 times (RV-3). Everything is in this process, but
//! the way of an answer is the real one: HTTP, the session's socket, the inbox.

use crate::http;
use crate::stage::plans;
use cutonce_agent::builder::{OpenedSession, SessionBuilder};
use cutonce_agent::{Approver, Session};
use cutonce_core::mode::Mode;
use cutonce_core::plan::PlanEvent;
use cutonce_core::plan::approval::{ChoiceKey, PlanAnswer};
use cutonce_core::protocol::answerer::Answerer;
use cutonce_core::protocol::event::{AskView, EventKind};
use cutonce_core::protocol::submission::{AskAnswer, Submission};
use cutonce_models::scripted::{LoopbackServer, ScenarioScript};
use cutonce_serve::{LocalSource, ReviewServer, ServeOptions};
use serde_json::json;
use std::sync::Arc;
use std::sync::mpsc;

crate::tests!(rv_3_exactly_one_of_three_wins_500_races);

const RACES: usize = 500;

/// A page without a browser: answers as the test says, and reports the status.
struct Racer {
    jobs: mpsc::Sender<(String, String)>,
    statuses: mpsc::Receiver<(u16, String)>,
}

impl Racer {
    fn start(port: u16, cookie: &str) -> Racer {
        let (jobs, received) = mpsc::channel::<(String, String)>();
        let (report, statuses) = mpsc::channel();
        let (host, origin, cookie) =
            (format!("127.0.0.1:{port}"), format!("http://127.0.0.1:{port}"), cookie.to_string());
        std::thread::spawn(move || {
            for (path, body) in received {
                let headers = [("Host", host.as_str()), ("Origin", &origin), ("X-Cutonce", "1"), ("Cookie", &cookie)];
                let answer = http::request(port, "POST", &path, &headers, &body);
                let _ = report.send((answer.status, answer.body));
            }
        });
        Racer { jobs, statuses }
    }
}

fn rv_3_exactly_one_of_three_wins_500_races() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(race());
}

/// Opens a session that submits one plan after another.
async fn open_planner(root: &std::path::Path, model: &LoopbackServer) -> OpenedSession {
    let mut builder = SessionBuilder::new(root.join(".cutonce"), root.join("ws"));
    builder.env = vec![
        ("ANTHROPIC_API_KEY".into(), "sk-ant-x".into()),
        ("ANTHROPIC_BASE_URL".into(), format!("http://{}", model.addr()).into()),
        ("PATH".into(), std::env::var_os("PATH").unwrap_or_default()),
    ];
    (builder.permissions.approver, builder.permissions.mode) = (Approver::Present, Some(Mode::Plan));
    builder.permissions.answerer = Answerer::TERMINAL;
    let opened = builder.open().await.unwrap();
    opened.session.say("plan it");
    opened
}

/// Starts the server and two pages without a browser.
async fn start_pages(home: &std::path::Path) -> Vec<Racer> {
    let source = Arc::new(LocalSource::new(home).unwrap());
    let options = ServeOptions { home: home.to_path_buf(), port: 0, models: Vec::new(), sources: vec![source] };
    let server = ReviewServer::start(options).await.unwrap();
    let (port, new_token) = (server.port(), server.token_maker());
    tokio::spawn(server.run());
    let mut pages = Vec::new();
    for _ in 0..2 {
        let token = new_token();
        let cookie = tokio::task::spawn_blocking(move || sign_in(port, &token)).await.unwrap();
        pages.push(Racer::start(port, &cookie));
    }
    pages
}

/// Lets both pages and the terminal answer, in an order that differs from round to round.
async fn let_all_answer(session: &Session, ask: &AskView, pages: &[Racer], round: usize) {
    let sha256 = ask.exit_request().unwrap().sha256.clone();
    let path = format!("/api/request/{}/{}/answer", session.id(), ask.ask_id);
    let answer = json!({"kind": "plan", "askId": ask.ask_id, "choice": "keepPlanning", "feedback": "more"});
    let body = json!({"sha256": sha256, "answer": answer}).to_string();
    for page in [round % 2, (round + 1) % 2] {
        pages[page].jobs.send((path.clone(), body.clone())).unwrap();
    }
    let terminal_first = fastrand::usize(..3) == 0;
    while !terminal_first && fastrand::usize(..400) > 0 {
        tokio::task::yield_now().await;
    }
    let answer = PlanAnswer { feedback: Some("more".into()), ..PlanAnswer::new(&ask.ask_id, ChoiceKey::KeepPlanning) };
    session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer: AskAnswer::Plan(answer) });
}

/// How many pages won this round; those that lost must have heard who answered.
async fn winners(pages: &[Racer], by: &Answerer) -> usize {
    let mut won = 0;
    for page in pages {
        let (status, told) = loop {
            match page.statuses.try_recv() {
                Ok(answer) => break answer,
                Err(mpsc::TryRecvError::Empty) => tokio::task::yield_now().await,
                Err(mpsc::TryRecvError::Disconnected) => panic!("a page is gone"),
            }
        };
        let heard = told.contains(&format!("Answered {}", by.describe())) || told.contains("not open any more");
        match status {
            200 => won += 1,
            409 if heard => {}
            _ => panic!("{status} {told}"),
        }
    }
    won
}

async fn race() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("ws")).unwrap();
    let texts: Vec<String> = (0..=RACES).map(|round| format!("# Plan {round}\n\n1. Step\n")).collect();
    let script = plans(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let model = LoopbackServer::start(ScenarioScript::parse(&script).unwrap()).unwrap();
    let pages = start_pages(&root.path().join(".cutonce")).await;
    let mut opened = open_planner(root.path(), &model).await;
    let (mut round, mut by_pages) = (0, 0);
    while round < RACES {
        match opened.events.next().await.expect("the session continues").kind {
            EventKind::Ask(ask) => let_all_answer(&opened.session, &ask, &pages, round).await,
            EventKind::Plan(PlanEvent::Denied { by, .. }) => {
                let won = winners(&pages, &by).await;
                assert_eq!(won, usize::from(by == Answerer::BROWSER), "round {round}: {by:?}");
                (round, by_pages) = (round + 1, by_pages + won);
            }
            _ => {}
        }
    }
    assert!((1..RACES).contains(&by_pages), "pages and the terminal win some: {by_pages}");
}

fn sign_in(port: u16, token: &str) -> String {
    let (host, origin) = (format!("127.0.0.1:{port}"), format!("http://127.0.0.1:{port}"));
    let headers = [("Host", host.as_str()), ("Origin", &origin), ("X-Cutonce", "1")];
    let answer = http::request(port, "POST", "/api/login", &headers, &json!({ "token": token }).to_string());
    answer.header("set-cookie").unwrap().split(';').next().unwrap().to_string()
}
