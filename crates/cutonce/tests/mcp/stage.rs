//! Setup for a run with MCP servers: folders, a scripted model, servers, and access to what was sent.

use crate::test_program::{TestProgram, npm_packages, turns_until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

pub struct Stage {
    program: TestProgram,
}

impl Stage {
    pub fn new(turns: Value) -> Stage {
        Stage::with(|_| turns)
    }
    /// The model's turns may refer to the workspace.
    pub fn with(turns: impl FnOnce(&Path) -> Value) -> Stage {
        Stage { program: TestProgram::new("mcp-", turns) }
    }
    pub fn ws(&self) -> PathBuf {
        self.program.ws()
    }
    pub fn log(&self) -> PathBuf {
        self.program.path("log")
    }
    /// The server's log.
    pub fn logged(&self) -> String {
        std::fs::read_to_string(self.log()).unwrap_or_default()
    }
    /// The definition of the test's own server.
    pub fn server(&self, kind: &str) -> Value {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/server.py");
        json!({"command": "python3", "args": [script, kind, self.log()]})
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.program.command(args);
        command.env("ANTHROPIC_API_KEY", "sk-ant-mcp-key-0001").env("GITHUB_TOKEN", "ghp-mcp-token-0002");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
    /// Runs `-p` with these servers and arguments to its end.
    pub fn run(&self, servers: Value, args: &[&str]) -> Output {
        let config = json!({ "mcpServers": servers }).to_string();
        let mut all = vec!["-p", "go", "--mcp-config", &config];
        all.extend(args);
        self.command(&all).output().unwrap()
    }
    pub fn start(&self, args: &[&str]) -> Child {
        self.command(args).spawn().unwrap()
    }
    pub fn requests(&self) -> Vec<Value> {
        self.program.requests()
    }
    /// Names of the MCP tools in a request.
    pub fn offered(&self, at: usize) -> Vec<String> {
        let request = &self.requests()[at];
        let names = request["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_string());
        names.filter(|name| name.starts_with("mcp__")).collect()
    }
    /// The results of all calls in order: the text, or the kind of other content; errors are marked.
    pub fn results(&self) -> Vec<String> {
        self.program.results().iter().map(shown).collect()
    }
    /// All text sent to the model except results.
    pub fn words(&self) -> String {
        let texts = self.program.blocks().into_iter().filter_map(|block| block["text"].as_str().map(str::to_string));
        texts.collect::<Vec<_>>().join("\n")
    }
    /// Waits until the server has logged this.
    pub fn until(&self, words: &str) {
        for _ in 0..20_000 {
            if self.logged().contains(words) {
                return;
            }
            std::thread::yield_now();
            std::thread::park_timeout(std::time::Duration::from_millis(1));
        }
        panic!("never saw {words:?} in:\n{}", self.logged());
    }
    /// Runs a host's turns until a request matches; returns its index.
    pub fn turns_until(&self, args: &[&str], there: impl Fn(&Stage, usize) -> bool) -> usize {
        let found = turns_until(self.start(args), 2_500, || {
            let last = self.requests().len() - 1;
            there(self, last).then_some(last)
        });
        found.expect("no request ever was as it should be")
    }
    /// Checks that no process of a server of this stage is left.
    pub fn assert_gone(&self) {
        let pids: Vec<String> =
            self.logged().lines().filter_map(|line| line.strip_prefix("pid ").map(str::to_string)).collect();
        assert!(!pids.is_empty(), "no server was started");
        for pid in pids {
            let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            assert!(!line.contains("server.py"), "process {pid} is left: {line}");
        }
    }
}

fn shown(block: &Value) -> String {
    let mark = if block["is_error"] == true { "error: " } else { "" };
    let text = match &block["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let part = |part: &Value| match part["text"].as_str() {
                Some(text) => text.to_string(),
                None => {
                    format!("<{} {}>", part["type"].as_str().unwrap(), part["source"]["media_type"].as_str().unwrap())
                }
            };
            parts.iter().map(part).collect::<Vec<_>>().join("|")
        }
        other => other.to_string(),
    };
    format!("{mark}{text}")
}

pub fn calls(calls: &[(&str, Value)]) -> Value {
    let calls: Vec<Value> = calls.iter().map(|(name, input)| json!({"name": name, "input": input})).collect();
    json!({ "calls": calls })
}

/// The reference servers, installed once below the target folder; without npm the test fails.
pub fn reference(name: &str) -> PathBuf {
    const VERSION: &str = "2026.8.31";
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    let folder = INSTALLED.get_or_init(|| {
        let packages = ["server-everything", "server-filesystem"];
        let packages = packages.map(|name| format!("@modelcontextprotocol/{name}@{VERSION}"));
        npm_packages(&format!("mcp-servers-{VERSION}"), &packages.each_ref().map(String::as_str))
    });
    folder.join("@modelcontextprotocol").join(name).join("dist/index.js")
}
