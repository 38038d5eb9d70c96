//! Two pages and the session's own front end race for the answer (RV-3): 40 times, or as often as $RACES says.
//! Everything is in this process, but the way of an answer is the real one: HTTP, the session's socket, the inbox. Each
//! page also follows the events, as a browser does.

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
use cutonce_serve::{ListenAddress, LocalSource, ReviewServer, ServeOptions};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

crate::tests!(rv_3_exactly_one_of_three_wins_each_race);

/// A page without a browser: answers as the test says, and reports what it got and heard.
struct Racer {
    jobs: mpsc::Sender<(String, String)>,
    statuses: mpsc::Receiver<(u16, String)>,
    /// How many answers the server has taken or refused.
    answered: Arc<AtomicUsize>,
    /// What the events say: «waiting» or «closed», the ask, and who answered.
    heard: mpsc::Receiver<PageEvent>,
}

type PageEvent = (String, String, String);

impl Racer {
    fn start(port: u16, token: &str) -> Racer {
        let (jobs, received) = mpsc::channel::<(String, String)>();
        let (report, statuses) = mpsc::channel();
        let (hear, heard) = mpsc::channel();
        let answered = Arc::new(AtomicUsize::new(0));
        let count = answered.clone();
        let (cookie, key) = sign_in(port, token);
        follow_events(port, &cookie, &key, hear);
        let (host, origin) = (format!("127.0.0.1:{port}"), format!("http://127.0.0.1:{port}"));
        std::thread::spawn(move || {
            for (path, body) in received {
                let headers = [("Host", host.as_str()), ("Origin", &origin), ("X-Cutonce", &key), ("Cookie", &cookie)];
                let answer = http::request(port, "POST", &path, &headers, &body);
                count.fetch_add(1, Ordering::SeqCst);
                let _ = report.send((answer.status, answer.body));
            }
        });
        Racer { jobs, statuses, answered, heard }
    }

    fn answered(&self) -> usize {
        self.answered.load(Ordering::SeqCst)
    }
}

/// Reads the events of a page until the server ends.
fn follow_events(port: u16, cookie: &str, key: &str, hear: mpsc::Sender<PageEvent>) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let head = format!("GET /api/events?key={key} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("retry:")), "the page follows the events");
    std::thread::spawn(move || {
        for news in lines.filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok()) {
            let text = |name: &str| news[name].as_str().unwrap_or_default().to_string();
            if matches!(text("what").as_str(), "waiting" | "closed") {
                let _ = hear.send((text("what"), text("ask"), text("told")));
            }
        }
    });
}

fn rv_3_exactly_one_of_three_wins_each_race() {
    let races = std::env::var("RACES").ok().and_then(|races| races.parse().ok()).unwrap_or(40);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(race(races));
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
    let (home, address) = (home.to_path_buf(), ListenAddress::LOOPBACK);
    let options = ServeOptions { home, address, port: 0, models: Vec::new(), sources: vec![source] };
    let server = ReviewServer::start(options).await.unwrap();
    let (port, new_token) = (server.port(), server.token_maker());
    tokio::spawn(server.run());
    let mut pages = Vec::new();
    for _ in 0..2 {
        let token = new_token();
        pages.push(tokio::task::spawn_blocking(move || Racer::start(port, &token)).await.unwrap());
    }
    pages
}

/// Lets both pages and the terminal answer, in an order that differs from round to round. All know the plan.
async fn let_all_answer(session: &Session, ask: &AskView, pages: &[Racer], round: usize) {
    for page in pages {
        let (what, heard, _) = receive(&page.heard).await;
        assert_eq!((what.as_str(), heard), ("waiting", ask.ask_id.clone()));
    }
    let sha256 = ask.exit_request().unwrap().sha256.clone();
    let path = format!("/api/request/{}/{}/answer", session.id(), ask.ask_id);
    let answer = json!({"kind": "plan", "askId": ask.ask_id, "choice": "keepPlanning", "feedback": "more"});
    let body = json!({"sha256": sha256, "answer": answer}).to_string();
    for page in [round % 2, (round + 1) % 2] {
        pages[page].jobs.send((path.clone(), body.clone())).unwrap();
    }
    // The terminal is first, at about the same time, or last.
    let before = pages.iter().map(Racer::answered).sum::<usize>();
    let waits = fastrand::usize(..3);
    let limit = Instant::now() + Duration::from_micros(fastrand::u64(..12_000));
    while waits > 0 && pages.iter().map(Racer::answered).sum::<usize>() == before {
        if waits == 1 && Instant::now() > limit {
            break;
        }
        tokio::task::yield_now().await;
    }
    let answer = PlanAnswer { feedback: Some("more".into()), ..PlanAnswer::new(&ask.ask_id, ChoiceKey::KeepPlanning) };
    session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer: AskAnswer::Plan(answer) });
}

async fn receive<T>(from: &mpsc::Receiver<T>) -> T {
    loop {
        match from.try_recv() {
            Ok(received) => return received,
            Err(mpsc::TryRecvError::Empty) => tokio::task::yield_now().await,
            Err(mpsc::TryRecvError::Disconnected) => panic!("a page is gone"),
        }
    }
}

/// How many pages won this round. All must have heard who answered.
async fn winners(pages: &[Racer], ask_id: &str, by: &Answerer) -> usize {
    let mut won = 0;
    let answered = format!("Answered {}", by.describe());
    for page in pages {
        let (status, told) = receive(&page.statuses).await;
        match status {
            200 => won += 1,
            409 if told.contains(&answered) => {}
            _ => panic!("{status} {told}"),
        }
        let (what, ask, told) = receive(&page.heard).await;
        assert_eq!((what.as_str(), ask.as_str()), ("closed", ask_id), "{told}");
        assert!(told.starts_with(&answered), "{told}");
    }
    won
}

async fn race(races: usize) {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("ws")).unwrap();
    let texts: Vec<String> = (0..=races).map(|round| format!("# Plan {round}\n\n1. Step\n")).collect();
    let script = plans(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let model = LoopbackServer::start(ScenarioScript::parse(&script).unwrap()).unwrap();
    let pages = start_pages(&root.path().join(".cutonce")).await;
    let mut opened = open_planner(root.path(), &model).await;
    let (mut round, mut by_pages, mut asked) = (0, 0, String::new());
    while round < races {
        match opened.events.next().await.expect("the session continues").kind {
            EventKind::Ask(ask) => {
                asked = ask.ask_id.clone();
                let_all_answer(&opened.session, &ask, &pages, round).await;
            }
            EventKind::Plan(PlanEvent::Denied { by, .. }) => {
                let won = winners(&pages, &asked, &by).await;
                assert_eq!(won, usize::from(by == Answerer::BROWSER), "round {round}: {by:?}");
                (round, by_pages) = (round + 1, by_pages + won);
            }
            _ => {}
        }
    }
    println!("{by_pages} of {races} races were won by a page");
    assert!((1..races).contains(&by_pages), "pages and the terminal win some: {by_pages}");
}

/// Returns the cookie and the key.
fn sign_in(port: u16, token: &str) -> (String, String) {
    let (host, origin) = (format!("127.0.0.1:{port}"), format!("http://127.0.0.1:{port}"));
    let headers = [("Host", host.as_str()), ("Origin", &origin), ("X-Cutonce", "1")];
    let answer = http::request(port, "POST", "/api/login", &headers, &json!({ "token": token }).to_string());
    let told: Value = serde_json::from_str(&answer.body).unwrap();
    let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_string();
    (cookie, told["key"].as_str().unwrap().to_string())
}
