//! A NATS server, a scripted model, a repository, and a home per person or machine.

use crate::cluster::{Cluster, Disks};
use crate::server::Server;
#[allow(unused_imports, reason = "shared with the tests of the page")]
pub use crate::waiting::{PATIENCE, block_on, wait_until};
use cutonce_fleet::job::{FleetJob, JobBoard, JobEvent, JobState};
use cutonce_fleet::streams::FleetStream;
use cutonce_fleet::{FleetError, FleetLink};
use cutonce_models::scripted::{LoopbackServer, RecordedRequest, ScenarioScript, ScriptedTurn};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;
/// A follower without news reads again: its server may be gone.
const SILENCE: Duration = Duration::from_secs(5);

/// A model that never answers.
pub const HANGING: &str = r#"{"turns": [{"fault": {"idle": 0}, "repeat": 1000}]}"#;

/// Plans tasks with PLANME and implements plans that add new.txt. A call that was interrupted is made again.
fn answer(request: &RecordedRequest) -> ScriptedTurn {
    let body = String::from_utf8_lossy(&request.body);
    let is_written = |lines: &str| body.contains(lines) || body.contains("exists but was not read");
    let write = |path: &str, content: &str| serde_json::json!({"calls": [{"name": "Write", "input": {"file_path": path, "content": content}}]});
    let turn = match body.contains("PLANME") {
        true if !is_written("(3 lines") => write("{plan}", "# Plan\n\nAdd new.txt.\n"),
        true if !body.contains("toolu_exit") => {
            serde_json::json!({"calls": [{"name": "ExitPlanMode", "id": "toolu_exit", "input": {}}]})
        }
        false if body.contains("Add new.txt") && !is_written("(1 line") => write("new.txt", "new\n"),
        _ => serde_json::json!({"text": "All done."}),
    };
    serde_json::from_value(turn).unwrap()
}

pub struct Stage {
    pub root: tempfile::TempDir,
    pub model: LoopbackServer,
    pub nats: NatsServers,
    /// While it is set, the model does not answer.
    pub model_hangs: Arc<AtomicBool>,
    /// A message per request to the model.
    asked: Receiver<()>,
}

/// One server, or a cluster of three.
pub enum NatsServers {
    One(Server),
    Cluster(Cluster),
}

impl NatsServers {
    pub fn url(&self) -> String {
        match self {
            NatsServers::One(server) => server.url(),
            NatsServers::Cluster(cluster) => cluster.url(),
        }
    }
}

/// One person or machine with a home of its own.
#[derive(Clone)]
pub struct Person {
    pub home: PathBuf,
    folder: PathBuf,
    model: String,
    /// More variables of its programs.
    more: Vec<(&'static str, String)>,
}

impl Stage {
    pub fn new() -> Stage {
        Stage::with_nats(NatsServers::One(Server::start()))
    }
    pub fn on_cluster(disks: Disks) -> Stage {
        Stage::with_nats(NatsServers::Cluster(Cluster::start(disks)))
    }
    pub fn cluster(&mut self) -> &mut Cluster {
        match &mut self.nats {
            NatsServers::Cluster(cluster) => cluster,
            NatsServers::One(_) => panic!("this stage has one server"),
        }
    }
    fn with_nats(nats: NatsServers) -> Stage {
        let (model_hangs, (ask, asked)) = (Arc::new(AtomicBool::new(false)), mpsc::channel());
        let hangs = model_hangs.clone();
        let model = LoopbackServer::start_with_callback(move |request| {
            // No test listens any more when the stage ends.
            let _ = ask.send(());
            match hangs.load(Ordering::SeqCst) {
                true => serde_json::from_value(serde_json::json!({"fault": {"idle": 0}})).unwrap(),
                false => answer(request),
            }
        });
        Stage::with_model(model.unwrap(), nats, model_hangs, asked)
    }
    pub fn with_script(script: &str) -> Stage {
        let model = LoopbackServer::start(ScenarioScript::parse(script).unwrap()).unwrap();
        Stage::with_model(model, NatsServers::One(Server::start()), Arc::default(), mpsc::channel().1)
    }
    /// Waits for a request to the model, but not longer than this.
    pub fn wait_for_request(&self, most: Duration) -> bool {
        self.asked.recv_timeout(most).is_ok()
    }
    fn with_model(
        model: LoopbackServer,
        nats: NatsServers,
        model_hangs: Arc<AtomicBool>,
        asked: Receiver<()>,
    ) -> Stage {
        let root = tempfile::Builder::new().prefix("fleet-").tempdir().unwrap();
        let stage = Stage { root, model, nats, model_hangs, asked };
        let repo = stage.repo();
        std::fs::create_dir(&repo).unwrap();
        git(&repo, &["init", "-q", "-b", "main"]);
        std::fs::write(repo.join("a.txt"), "a\n").unwrap();
        git(&repo, &["add", "-A"]);
        git(&repo, &["-c", "user.name=a", "-c", "user.email=a@example.invalid", "commit", "-q", "-m", "one"]);
        stage
    }
    pub fn repo(&self) -> PathBuf {
        self.root.path().join("repo")
    }
    pub fn person(&self, name: &str) -> Person {
        let home = self.root.path().join(name);
        std::fs::create_dir_all(&home).unwrap();
        let settings = r#"{"fleet": {"heartbeatSeconds": 1, "redeliverySeconds": 2, "attempts": 100},
            "plan": {"shell": "readonly"}}"#;
        std::fs::write(home.join("settings.json"), settings).unwrap();
        Person { home, folder: self.repo(), model: format!("http://{}", self.model.addr()), more: Vec::new() }
    }
    /// A person with the remote `team`, its owner.
    pub fn owner(&self) -> Person {
        let ann = self.person("ann");
        ann.ok(&["remote", "add", "team", &self.nats.url(), "--label", "ann"]);
        ann
    }
    pub fn member(&self, owner: &Person, name: &str, role: &str) -> Person {
        let code = owner.ok(&["remote", "invite", "team", "--role", role]);
        let person = self.person(name);
        person.ok(&["remote", "join", code.trim(), "--label", name]);
        person
    }
}

impl Person {
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutonce"));
        command.args(args).current_dir(&self.folder).stdin(Stdio::null()).envs(self.variables());
        command
    }
    /// The command for a terminal.
    pub fn terminal_command(&self, args: &[&str]) -> portable_pty::CommandBuilder {
        let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_cutonce"));
        command.args(args);
        command.cwd(&self.folder);
        self.variables().into_iter().for_each(|(name, value)| command.env(name, value));
        command
    }
    fn variables(&self) -> Vec<(&'static str, String)> {
        let home = self.home.display().to_string();
        let own = [
            ("CUTONCE_HOME", home.clone()),
            ("XDG_CACHE_HOME", home.clone()),
            ("HOME", home),
            ("ANTHROPIC_BASE_URL", self.model.clone()),
            ("ANTHROPIC_API_KEY", "k".into()),
            ("NO_PROXY", "*".into()),
        ];
        own.into_iter().chain(self.more.clone()).collect()
    }
    pub fn in_folder(&self, folder: &Path) -> Person {
        Person { folder: folder.to_path_buf(), ..self.clone() }
    }
    pub fn with_variables(self, more: Vec<(&'static str, String)>) -> Person {
        Person { more, ..self }
    }
    /// This person with another home.
    pub fn in_home(&self, home: &Path) -> Person {
        Person { home: home.to_path_buf(), ..self.clone() }
    }
    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }
    /// Runs a command that must succeed, and returns its output.
    pub fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{args:?}: {out}{err}");
        out
    }
    /// Runs a command that must fail, and returns its error.
    pub fn fails(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(!output.status.success(), "{args:?} succeeded: {}", text(&output.stdout));
        text(&output.stderr)
    }
    pub fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(args)).unwrap()
    }
    pub fn spawn(&self, args: &[&str]) -> Running {
        Running(self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }
    pub fn worker(&self) -> Running {
        let mut command = self.command(&["worker", "--remote", "team"]);
        Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
    pub fn job(&self, id: &str) -> Value {
        self.json(&["jobs", "show", id, "--remote", "team", "--json"])
    }
    pub fn submit_task(&self, more: &[&str]) -> String {
        let repo = self.folder.display().to_string();
        let args = ["submit", "plan", "PLANME please", "--remote", "team", "--repo", &repo, "--json"];
        self.json(&[&args, more].concat())["id"].as_str().unwrap().to_string()
    }
    /// Submits a plan that the worker implements.
    pub fn submit_text(&self, name: &str, text: &str) -> String {
        self.submit_text_for("implement", name, text)
    }
    /// Submits a plan that the worker implements or rehearses.
    pub fn submit_text_for(&self, kind: &str, name: &str, text: &str) -> String {
        let file = self.home.join(name);
        std::fs::write(&file, text).unwrap();
        let hash = cutonce_core::plan::sha256_hex(text);
        let (file, repo) = (file.display().to_string(), self.folder.display().to_string());
        let args = ["submit", kind, &file, "--sha256", &hash, "--remote", "team", "--repo", &repo, "--json"];
        self.json(&args)["id"].as_str().unwrap().to_string()
    }
    /// Waits until a job is in this state.
    pub fn wait_for(&self, id: &str, state: &str) -> Value {
        let right = |job: &FleetJob| {
            let over = job.ended.is_some() && job.state != JobState::Cancelled;
            assert!(!over || job.state.name() == state, "{:?} {:?}", job.result, job.history);
            job.state.name() == state
        };
        self.wait_for_job(id, right);
        self.job(id)
    }
    /// Follows a job until the condition holds, through all faults of the servers.
    fn wait_for_job(&self, id: &str, right: impl Fn(&FleetJob) -> bool) {
        block_on(async { while !self.follow_job(id, &right).await.unwrap_or(false) {} });
    }
    /// False if nothing came for a while: then the next connection may be better.
    async fn follow_job(&self, id: &str, right: impl Fn(&FleetJob) -> bool) -> Result<bool, FleetError> {
        let link = FleetLink::connect(&self.home, "team").await?;
        let rest = format!("{id}.>");
        // The past counts only in its sum.
        let mut board = JobBoard::default();
        for record in link.replay::<JobEvent>(FleetStream::Jobs, &rest).await? {
            board.apply(&record, &link.members());
        }
        let mut events = link.follow::<JobEvent>(FleetStream::Jobs, &rest, board.last_sequence + 1).await?;
        while !board.get(id).is_some_and(&right) {
            let Ok(next) = tokio::time::timeout(SILENCE, events.next()).await else { return Ok(false) };
            board.apply(&next?, &link.members());
        }
        Ok(true)
    }
}

/// A process that ends with the test.
pub struct Running(pub Child);

impl Running {
    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.0.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }
    /// Waits for the end and returns the exit code.
    pub fn end(&mut self) -> Option<i32> {
        wait_until("the end of a process", || self.0.try_wait().unwrap()).code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn git(folder: &Path, args: &[&str]) {
    assert!(Command::new("git").args(args).current_dir(folder).status().unwrap().success(), "{args:?}");
}
