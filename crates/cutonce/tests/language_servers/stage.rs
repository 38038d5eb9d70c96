//! Setup for runs with language servers: folders, a scripted model, and what the model saw.

use crate::test_program::{TestProgram, npm_packages, stderr, turns_until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

pub struct Stage {
    program: TestProgram,
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
        turns.push(json!({"text": "done"}));
        let stage = Stage { program: TestProgram::new("lsp-", |_| json!(turns)), path: None };
        stage.settings(&json!({"trust": [stage.ws()], "lsp": lsp}));
        stage
    }
    pub fn settings(&self, settings: &Value) {
        self.program.write_settings(settings);
    }
    pub fn ws(&self) -> PathBuf {
        self.program.ws()
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
        let mut command = self.program.command(&["--allowedTools", "Edit,Write,Read,Bash"]);
        let mut path = std::env::var_os("PATH").unwrap();
        if let Some(first) = &self.path {
            path = [first.as_os_str(), ":".as_ref(), &path].into_iter().collect();
        }
        command.args(args).env("PATH", path);
        // rustup's programs need to know where the toolchain is.
        for (name, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
            let usual = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(folder));
            command.envs(std::env::var_os(name).or(usual.map(Into::into)).map(|value| (name, value)));
        }
        command.env("ANTHROPIC_API_KEY", "sk-ant-lsp-key-0001").env("GITHUB_TOKEN", "ghp-lsp-token-0002");
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
        let child = self.command(&frames).spawn().unwrap();
        let found = turns_until(child, 100, || self.results().into_iter().find(|result| result.contains(words)));
        self.assert_gone();
        found.unwrap_or_else(|| panic!("no result has {words:?}: {:#?}", self.results()))
    }
    fn results(&self) -> Vec<String> {
        self.program.results().iter().map(|block| text_of(&block["content"])).collect()
    }
    pub fn requests(&self) -> Vec<String> {
        self.program.bodies()
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

/// The folder with the programs of real servers, installed once below the target folder; without npm the test fails.
pub fn real_servers() -> PathBuf {
    const PACKAGES: [&str; 3] = ["pyright@1.1.414", "typescript@6.0.3", "typescript-language-server@6.0.2"];
    static INSTALLED: OnceLock<PathBuf> = OnceLock::new();
    INSTALLED.get_or_init(|| npm_packages("language-servers-1", &PACKAGES)).join(".bin")
}
