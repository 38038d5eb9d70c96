//! The program in tests: its own workspace and home, the scripted model on a socket, nothing else of this machine.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, reason = "each test program uses a part of it")]

use cutonce_models::scripted::{LoopbackServer, ScenarioScript};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

/// Variables of a program with this home, whose model answers at `model`.
pub fn program_variables(home: &Path, model: SocketAddr) -> Vec<(&'static str, String)> {
    vec![
        ("PATH", std::env::var("PATH").unwrap_or_default()),
        ("HOME", home.display().to_string()),
        ("CUTONCE_HOME", home.join(".cutonce").display().to_string()),
        ("LANG", "C.UTF-8".into()),
        ("ANTHROPIC_API_KEY", "sk-test-0001".into()),
        ("ANTHROPIC_BASE_URL", format!("http://{model}")),
    ]
}

/// The folders `ws` and `home` of one test, and its model.
pub struct TestProgram {
    root: tempfile::TempDir,
    pub model: LoopbackServer,
}

impl TestProgram {
    /// The model takes these turns; they may refer to the workspace.
    pub fn new(prefix: &str, turns: impl FnOnce(&Path) -> Value) -> TestProgram {
        let root = tempfile::Builder::new().prefix(prefix).tempdir().unwrap();
        for folder in ["ws", "home/.cutonce"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        let turns = turns(&root.path().join("ws").canonicalize().unwrap());
        let script = ScenarioScript::parse(&json!({ "turns": turns }).to_string()).unwrap();
        TestProgram { root, model: LoopbackServer::start(script).unwrap() }
    }
    /// A path next to the workspace and the home.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }
    pub fn ws(&self) -> PathBuf {
        self.path("ws").canonicalize().unwrap()
    }
    /// The folder of cutonce in the home.
    pub fn home(&self) -> PathBuf {
        self.path("home/.cutonce")
    }
    pub fn write_settings(&self, settings: &Value) {
        std::fs::write(self.home().join("settings.json"), settings.to_string()).unwrap();
    }
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        program_variables(&self.path("home"), self.model.addr())
    }
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutonce"));
        command.args(args).current_dir(self.ws()).env_clear().envs(self.variables());
        command
    }

    /// The texts of all requests.
    pub fn bodies(&self) -> Vec<String> {
        self.model.requests().iter().map(|request| String::from_utf8_lossy(&request.body).into_owned()).collect()
    }
    pub fn requests(&self) -> Vec<Value> {
        self.bodies().iter().map(|body| serde_json::from_str(body).unwrap()).collect()
    }
    /// All blocks of the conversation in the last request.
    pub fn blocks(&self) -> Vec<Value> {
        let last = self.requests().pop().unwrap();
        let messages = last["messages"].as_array().unwrap().clone();
        messages.iter().flat_map(|message| message["content"].as_array().cloned().unwrap_or_default()).collect()
    }
    /// The results of all calls in the last request.
    pub fn results(&self) -> Vec<Value> {
        self.blocks().into_iter().filter(|block| block["type"] == "tool_result").collect()
    }
}

/// Sends "go" to a stream-json host program, turn by turn, until `found` is something.
pub fn turns_until<T>(mut child: Child, turns: usize, mut found: impl FnMut() -> Option<T>) -> Option<T> {
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let got = (0..turns).find_map(|_| {
        writeln!(stdin, "{}", json!({"type": "user", "message": {"role": "user", "content": "go"}})).unwrap();
        lines.find(|line| line.as_ref().unwrap().contains(r#""type":"result""#)).unwrap().unwrap();
        found()
    });
    drop(stdin);
    child.wait().unwrap();
    got
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Installs npm packages once below the target folder and returns their folder; without npm the test fails.
pub fn npm_packages(name: &str, packages: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let lock = std::fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let done = folder.join("installed");
    if !done.exists() {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).args(packages);
        let output = npm.output().expect("npm is needed for these tests (apt-get install npm)");
        assert!(output.status.success(), "npm install: {}", stderr(&output));
        std::fs::File::create(done).unwrap();
    }
    folder.join("node_modules")
}
