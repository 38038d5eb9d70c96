//! The stage: a home, a workspace, a scripted model, sessions on terminals and the review page as a process of its own.

use super::http;
use super::pty::Term;
use super::test_program::TestProgram;
use super::webdriver::Browser;
use portable_pty::CommandBuilder;
use serde_json::{Value, json};
use std::cell::Cell;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

pub struct Stage {
    program: TestProgram,
}

thread_local! {
    static ON_COPIES: Cell<bool> = const { Cell::new(false) };
}

/// Rehearsals of the test that now runs in this thread work on private copies of the workspace, or not (RH-8).
pub fn rehearse_on_copies(on_copies: bool) {
    ON_COPIES.set(on_copies);
}

/// `cutonce serve` as it runs.
pub struct Page {
    child: Child,
    pub url: String,
    pub port: u16,
    pub token: String,
    /// What the page of the last sign-in keeps to itself.
    key: std::cell::RefCell<String>,
}

impl Page {
    /// The addresses on which the page listens, as `/proc/net/tcp` shows them.
    pub fn listening(&self) -> Vec<String> {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap().flatten();
        let sockets: Vec<PathBuf> = open.filter_map(|entry| entry.path().read_link().ok()).collect();
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        let rows = table.lines().skip(1).map(|row| row.split_whitespace().collect::<Vec<_>>());
        let own = rows.filter(|row| row[3] == "0A" && sockets.contains(&format!("socket:[{}]", row[9]).into()));
        own.map(|row| row[1].to_string()).collect()
    }
}

impl Page {
    /// Waits until the server has so many open files.
    pub fn until_descriptors(&mut self, fits: impl Fn(usize) -> bool) {
        let folder = format!("/proc/{}/fd", self.child.id());
        while !fits(std::fs::read_dir(&folder).unwrap().count()) {
            assert!(self.child.try_wait().unwrap().is_none(), "the page still runs");
            std::thread::yield_now();
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A model that submits these plans one after another, and then says what it did.
pub fn plans(texts: &[&str]) -> String {
    let mut turns: Vec<Value> = texts
        .iter()
        .map(|text| {
            json!({"calls": [
                {"name": "Write", "input": {"file_path": "{plan}", "content": text}},
                {"name": "ExitPlanMode", "input": {}}]})
        })
        .collect();
    turns.push(json!({"text": "Done as planned."}));
    turns.push(json!({"text": "Done again."}));
    json!({ "turns": turns }).to_string()
}

impl Stage {
    pub fn new(script: &str) -> Stage {
        let script: Value = serde_json::from_str(script).unwrap();
        let program = TestProgram::new("page-", |_| script["turns"].clone());
        if ON_COPIES.get() {
            program.write_settings(&json!({"plan": {"rehearsal": {"layer": "copy"}}}));
        }
        Stage { program }
    }

    /// A path next to the workspace and the home.
    pub fn path(&self, name: &str) -> PathBuf {
        self.program.path(name)
    }

    pub fn workspace(&self) -> PathBuf {
        self.program.ws()
    }

    pub fn model_address(&self) -> String {
        format!("http://{}", self.program.model.addr())
    }

    /// The terminal program with its first message.
    pub fn terminal(&self, mode: &str, extra: &[(&str, &str)]) -> Term {
        self.in_terminal(&["--permission-mode", mode, "do it"], extra)
    }

    /// A command on a terminal of its own.
    pub fn in_terminal(&self, args: &[&str], extra: &[(&str, &str)]) -> Term {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_cutonce"));
        command.args(args);
        command.cwd(self.workspace());
        command.env_clear();
        command.env("TERM", "xterm");
        self.program.variables().into_iter().for_each(|(name, value)| command.env(name, value));
        extra.iter().for_each(|(name, value)| command.env(name, value));
        Term::start(command, (100, 30)).unwrap()
    }

    /// A terminal in which a plan waits.
    pub fn with_waiting_plan(&self) -> Term {
        self.with_waiting_plan_in(&[])
    }

    /// A terminal in which a plan waits, with more variables.
    pub fn with_waiting_plan_in(&self, extra: &[(&str, &str)]) -> Term {
        let mut term = self.terminal("plan", extra);
        // Earlier, keys do not choose.
        let chooses = |screen: &str| screen.contains("request changes") && !screen.contains("keys choose in a moment");
        term.until("a review that takes keys", chooses).unwrap();
        term
    }

    /// A terminal in which a plan waits, its page, and a browser that shows the request with this title.
    pub fn open_review(&self, title: &str) -> (Term, Page, Browser) {
        let term = self.with_waiting_plan();
        let page = self.serve();
        let browser = page.open_in_browser();
        (term, page, browser.showing(title))
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.program.command(args);
        command.stdin(Stdio::null());
        command
    }

    pub fn serve(&self) -> Page {
        Page::start(self.command(&["serve", "--print-json"]))
    }

    /// The text of the last request to the model.
    pub fn last_request(&self) -> String {
        self.program.bodies().pop().unwrap_or_default()
    }

    pub fn disk(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.workspace().join(file)).ok()
    }

    pub fn home(&self) -> PathBuf {
        self.program.home()
    }
}

impl Page {
    /// Starts `cutonce serve --print-json`.
    pub fn start(mut command: Command) -> Page {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let text = |name: &str| told[name].as_str().unwrap().to_string();
        Page {
            child,
            url: text("url"),
            port: told["port"].as_u64().unwrap() as u16,
            token: text("token"),
            key: "1".to_string().into(),
        }
    }

    fn own<'a>(&self, host: &'a str, origin: &'a str, key: &'a str) -> Vec<(&'a str, &'a str)> {
        vec![("Host", host), ("Origin", origin), ("X-Cutonce", key), ("Content-Type", "application/json")]
    }

    pub fn key(&self) -> String {
        self.key.borrow().clone()
    }

    /// Signs in as a program would; returns the cookie.
    pub fn sign_in(&self) -> String {
        let (host, origin) = (format!("127.0.0.1:{}", self.port), format!("http://127.0.0.1:{}", self.port));
        let body = json!({"token": self.token}).to_string();
        let answer = http::request(self.port, "POST", "/api/login", &self.own(&host, &origin, "1"), &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        let told: Value = serde_json::from_str(&answer.body).unwrap();
        *self.key.borrow_mut() = told["key"].as_str().unwrap().to_string();
        answer.header("set-cookie").unwrap().split(';').next().unwrap().to_string()
    }

    /// A request with the page's own headers.
    pub fn call(&self, cookie: &str, method: &str, path: &str, body: &str) -> http::HttpAnswer {
        let (host, origin) = (format!("127.0.0.1:{}", self.port), format!("http://127.0.0.1:{}", self.port));
        let key = self.key();
        let mut headers = self.own(&host, &origin, &key);
        headers.push(("Cookie", cookie));
        http::request(self.port, method, path, &headers, body)
    }

    /// Signs in; returns the cookie, the path of the first waiting request and its ask.
    pub fn sign_in_to_review(&self) -> (String, String, String) {
        let cookie = self.sign_in();
        let (session, ask) = self.first_waiting(&cookie);
        (cookie, format!("/api/request/{session}/{ask}"), ask)
    }

    /// Waits for the browser and opens the page in it.
    pub fn open_in_browser(&self) -> Browser {
        let mut browser = Browser::take();
        browser.open(&self.url);
        browser
    }

    /// Waits until something waits, and returns its session and ask.
    pub fn first_waiting(&self, cookie: &str) -> (String, String) {
        loop {
            let board: Value = serde_json::from_str(&self.call(cookie, "GET", "/api/board", "").body).unwrap();
            if let Some(first) = board["waiting"].get(0) {
                let text = |name: &str| first[name].as_str().unwrap().to_string();
                return (text("session"), text("ask"));
            }
            std::thread::yield_now();
        }
    }
}
