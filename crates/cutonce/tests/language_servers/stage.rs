//! Setup for runs with language servers: folders, a scripted model, and what the model saw.

use cutonce_models::scripted::{LoopbackServer, ScenarioScript};
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

pub struct Stage {
    root: tempfile::TempDir,
    model: LoopbackServer,
    /// In front of the PATH.
    pub path: Option<PathBuf>,
}

/// A turn of the model with one call.
pub fn call(name: &str, input: Value) -> Value {
    json!({"calls": [{"name": name, "input": input}]})
}

pub fn write(file: &str, content: &str) -> Value {
    call("Write", json!({"file_path": file, "content": content}))
}

pub fn edit(file: &str, old: &str, new: &str) -> Value {
    call("Edit", json!({"file_path": file, "old_string": old, "new_string": new}))
}

impl Stage {
    /// A trusted workspace with these settings. The model takes these turns and ends.
    pub fn new(lsp: Value, mut turns: Vec<Value>) -> Stage {
        let root = tempfile::Builder::new().prefix("lsp-").tempdir().unwrap();
        for folder in ["ws", "home/.cutonce"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        turns.push(json!({"text": "done"}));
        let script = ScenarioScript::parse(&json!({ "turns": turns }).to_string()).unwrap();
        let stage = Stage { root, model: LoopbackServer::start(script).unwrap(), path: None };
        stage.settings(&json!({"trust": [stage.ws()], "lsp": lsp}));
        stage
    }
    pub fn settings(&self, settings: &Value) {
        std::fs::write(self.root.path().join("home/.cutonce/settings.json"), settings.to_string()).unwrap();
    }
    pub fn ws(&self) -> PathBuf {
        self.root.path().join("ws").canonicalize().unwrap()
    }
    pub fn file(&self, name: &str, content: &str) {
        let path = self.ws().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    /// The test's own server as a setting, for files that end with `.bad`.
    pub fn own(kind: &str) -> Value {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language_servers/server.py");
        json!({"own": {"command": ["python3", script, kind], "extensions": [".bad"], "options": {"a": {"b": {"c": 1}}}}})
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutonce"));
        command.args(["--allowedTools", "Edit,Write,Read,Bash"]).args(args).current_dir(self.ws()).env_clear();
        let mut path = std::env::var_os("PATH").unwrap();
        if let Some(first) = &self.path {
            path = [first.as_os_str(), ":".as_ref(), &path].into_iter().collect();
        }
        let home = self.root.path().join("home");
        command.env("PATH", path).env("LANG", "C.UTF-8").env("HOME", &home).env("CUTONCE_HOME", home.join(".cutonce"));
        // rustup's programs need to know where the toolchain is.
        for (name, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
            let usual = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(folder));
            command.envs(std::env::var_os(name).or(usual.map(Into::into)).map(|value| (name, value)));
        }
        command.env("ANTHROPIC_API_KEY", "sk-ant-lsp-key-0001").env("GITHUB_TOKEN", "ghp-lsp-token-0002");
        command.env("ANTHROPIC_BASE_URL", format!("http://{}", self.model.addr()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
    /// Plays all turns; returns the results of the calls. No process is left.
    pub fn play(&self) -> (Vec<String>, Output) {
        let output = self.command(&["-p", "go", "--verbose"]).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        self.assert_gone();
        (self.results(), output)
    }
    /// Repeats the turns of a host until a result has these words; returns that result.
    pub fn play_until(&self, words: &str) -> String {
        let frames = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
        let mut child = self.command(&frames).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
        let found = (0..100).find_map(|_| {
            writeln!(stdin, "{}", json!({"type": "user", "message": {"role": "user", "content": "go"}})).unwrap();
            lines.find(|line| line.as_ref().unwrap().contains(r#""type":"result""#)).unwrap().unwrap();
            self.results().into_iter().find(|result| result.contains(words))
        });
        drop(stdin);
        child.wait().unwrap();
        self.assert_gone();
        found.unwrap_or_else(|| panic!("no result has {words:?}: {:#?}", self.results()))
    }
    fn results(&self) -> Vec<String> {
        let requests = self.model.requests();
        let last: Value = serde_json::from_slice(&requests.last().unwrap().body).unwrap();
        let messages = last["messages"].as_array().unwrap().clone();
        let blocks = messages.iter().flat_map(|message| message["content"].as_array().cloned().unwrap_or_default());
        blocks.filter(|block| block["type"] == "tool_result").map(|block| text_of(&block["content"])).collect()
    }
    pub fn requests(&self) -> Vec<String> {
        self.model.requests().iter().map(|request| String::from_utf8_lossy(&request.body).into_owned()).collect()
    }
    /// Checks that no process works in the workspace or was started with its path.
    pub fn assert_gone(&self) {
        let ws = self.ws();
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let cwd = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            assert!(!cwd.starts_with(&ws), "left: {:?} {}", entry.file_name(), String::from_utf8_lossy(&line));
        }
    }
}

fn text_of(content: &Value) -> String {
    match content {
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("|"),
        other => other.as_str().unwrap_or_default().to_string(),
    }
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The folder with the programs of real servers, installed once below the target folder; without npm the test fails.
pub fn real_servers() -> PathBuf {
    const PACKAGES: [&str; 3] = ["pyright@1.1.414", "typescript@6.0.3", "typescript-language-server@6.0.2"];
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    let folder = INSTALLED.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("language-servers-1");
        std::fs::create_dir_all(&folder).unwrap();
        let lock = std::fs::File::create(folder.join("lock")).unwrap();
        lock.lock().unwrap();
        let done = folder.join("installed");
        if !done.exists() {
            let mut npm = Command::new("npm");
            npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).args(PACKAGES);
            let output = npm.output().expect("npm is needed for language servers (apt-get install npm)");
            assert!(output.status.success(), "npm install: {}", String::from_utf8_lossy(&output.stderr));
            std::fs::File::create(done).unwrap();
        }
        folder
    });
    folder.join("node_modules/.bin")
}
