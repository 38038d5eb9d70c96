//! A session's world in a temporary folder, and calls as the session makes them: parsed, judged, approved, run.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use cutonce_core::conversation::ResultPart;
use cutonce_core::permission::{Ask, AskedBy, Facts, Rights, Why};
use cutonce_core::submission::QuestionsAnswer;
use cutonce_sandbox::env::{Names, scrubbed};
use cutonce_tools::disk::{Disk, KeepVersion};
use cutonce_tools::shell_tools::shell_tools;
use cutonce_tools::shells::Shells;
use cutonce_tools::tool::{AnyTool, Call, CallContext, Here, Outcome};
use cutonce_tools::web::Web;
use cutonce_tools::workspace::Workspace;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

pub struct World {
    pub here: Arc<Here>,
    pub root: PathBuf,
    pub own: PathBuf,
    _dir: tempfile::TempDir,
}

struct NoVersions;

impl KeepVersion for NoVersions {
    fn keep(&self, _path: &Path, _old: Option<&[u8]>) -> std::io::Result<()> {
        Ok(())
    }
}

pub fn vars() -> Vec<(OsString, OsString)> {
    vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()), ("HOME".into(), "/nonexistent".into())]
}

impl World {
    pub fn new() -> Self {
        Self::with(Shells::new(scrubbed(vars(), &Names::default())), Web::new(vec![]))
    }
    pub fn with(shells: Shells, web: Web) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let [root, added, own] = ["project", "added", "own"].map(|name| base.join(name));
        std::fs::create_dir_all(&root).unwrap();
        std::fs::create_dir_all(&added).unwrap();
        let workspace = Workspace::new(&root, &[added], None, &base.join("home"), &own).unwrap();
        let disk = Disk::new(Arc::new(NoVersions));
        let here = Here { workspace, disk, shells, web, todos: Mutex::default() };
        Self { here: Arc::new(here), root, own, _dir: dir }
    }

    pub fn parse(&self, tool: &str, input: Value) -> Result<Box<dyn Call>, String> {
        tool_named(tool).parse(input)
    }
    /// Parsed, judged, approved, run.
    pub async fn call(&self, tool: &str, input: Value) -> Result<Outcome, String> {
        self.call_in(tool, input, &context()).await
    }
    pub async fn call_in(&self, tool: &str, input: Value, context: &CallContext) -> Result<Outcome, String> {
        let call = self.parse(tool, input)?;
        let rights = approved(tool, &*call, &self.here)?;
        Ok(call.run(rights, &self.here, context).await)
    }
    /// What Bash gave back for this command.
    pub async fn bash(&self, command: &str) -> String {
        text(&self.call("Bash", serde_json::json!({ "command": command })).await.unwrap())
    }
}

pub fn tool_named(name: &str) -> Arc<dyn AnyTool> {
    shell_tools().into_iter().find(|tool| tool.name() == name).expect("a tool of this name")
}

pub fn approved(tool: &str, call: &dyn Call, here: &Here) -> Result<Rights, String> {
    let facts = Facts { tool: tool.into(), access: call.touches(here)? };
    let why = Why { reason: String::new(), rule: None, source: None };
    Ok(Ask { facts, why, by: AskedBy::Mode, suggestions: vec![] }.approve("by the test").rights)
}

pub fn context() -> CallContext {
    CallContext {
        call_id: "call_1".into(),
        cancel: CancellationToken::new(),
        output: Arc::new(|_| {}),
        answer: None::<QuestionsAnswer>,
    }
}

pub fn text(outcome: &Outcome) -> String {
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
