//! A session's environment in a temporary folder; calls are parsed, checked, approved and run.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use cutonce_core::conversation::ResultPart;
use cutonce_core::permission::{AskCause, CallFacts, CallRights, PermissionAsk, Why};
use cutonce_core::protocol::submission::QuestionsAnswer;
use cutonce_sandbox::env::{EnvNameRules, scrub_env};
use cutonce_tools::disk::{FileAccess, VersionStore};
use cutonce_tools::env::{CallContext, ToolEnv};
use cutonce_tools::shell::process::SessionShells;
use cutonce_tools::shell_tools;
use cutonce_tools::tool::{AnyTool, ToolCall, ToolError, ToolOutcome};
use cutonce_tools::web::WebClient;
use cutonce_tools::workspace::Workspace;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

pub struct World {
    pub here: Arc<ToolEnv>,
    pub root: PathBuf,
    pub own: PathBuf,
    _dir: tempfile::TempDir,
}

struct NoVersions;

impl VersionStore for NoVersions {
    fn keep(&self, _path: &Path, _old: Option<&[u8]>) -> std::io::Result<()> {
        Ok(())
    }
}

pub fn vars() -> Vec<(OsString, OsString)> {
    vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()), ("HOME".into(), "/nonexistent".into())]
}

impl World {
    pub fn new() -> Self {
        Self::with(SessionShells::new(scrub_env(vars(), &EnvNameRules::default())), WebClient::new(vec![]))
    }
    pub fn with(shells: SessionShells, web: WebClient) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let [root, added, own] = ["project", "added", "own"].map(|name| base.join(name));
        std::fs::create_dir_all(&root).unwrap();
        std::fs::create_dir_all(&added).unwrap();
        let workspace = Workspace::new(&root, &[added], None, &base.join("home"), &own).unwrap();
        let disk = FileAccess::new(Arc::new(NoVersions));
        let here = ToolEnv { workspace, disk, shells, web, todos: Mutex::default() };
        Self { here: Arc::new(here), root, own, _dir: dir }
    }

    pub fn parse(&self, tool: &str, input: Value) -> Result<Box<dyn ToolCall>, ToolError> {
        tool_named(tool).parse(input)
    }
    /// Parses, checks, approves and runs a call.
    pub async fn call(&self, tool: &str, input: Value) -> Result<ToolOutcome, String> {
        self.call_in(tool, input, &context()).await
    }
    pub async fn call_in(&self, tool: &str, input: Value, context: &CallContext) -> Result<ToolOutcome, String> {
        let call = self.parse(tool, input)?;
        let rights = approved(tool, &*call, &self.here)?;
        Ok(call.run(rights, &self.here, context).await)
    }
    /// Returns Bash's result for this command.
    pub async fn bash(&self, command: &str) -> String {
        text(&self.call("Bash", serde_json::json!({ "command": command })).await.unwrap())
    }
}

pub fn tool_named(name: &str) -> Arc<dyn AnyTool> {
    shell_tools().into_iter().find(|tool| tool.name() == name).expect("a tool of this name")
}

pub fn approved(tool: &str, call: &dyn ToolCall, here: &ToolEnv) -> Result<CallRights, String> {
    let facts = CallFacts { tool: tool.into(), access: call.access(here)? };
    let why = Why::from_reason("");
    Ok(PermissionAsk { facts, why, cause: AskCause::Mode, suggestions: vec![] }.approve("by the test").rights)
}

pub fn context() -> CallContext {
    CallContext {
        call_id: "call_1".into(),
        cancel: CancellationToken::new(),
        output: Arc::new(|_| {}),
        answer: None::<QuestionsAnswer>,
        scope: None,
    }
}

pub fn text(outcome: &ToolOutcome) -> String {
    let texts = outcome.content.iter().map(|part| match part {
        ResultPart::Text { text } => text.as_str(),
        ResultPart::Image(_) => "(image)",
    });
    texts.collect()
}

pub fn is_there(pid: &str) -> bool {
    assert!(pid.parse::<u32>().is_ok(), "{pid:?} is no process id");
    Path::new("/proc").join(pid).exists()
}
