//! Rules and modes apply to an embedder's own tool (HO-4, PR-1): it declares its access and never decides.

#![allow(clippy::unwrap_used)]

use cutonce_agent::builder::SessionBuilder;
use cutonce_agent::core::mode::Mode;
use cutonce_agent::core::permission::{Access, CallRights};
use cutonce_agent::core::protocol::event::{AskKind, EventKind};
use cutonce_agent::core::protocol::submission::{AskAnswer, Flushed, PermissionAnswer, Submission};
use cutonce_agent::tools::env::{CallContext, ToolEnv};
use cutonce_agent::tools::tool::{Tool, ToolError, ToolOutcome};
use cutonce_agent::{Approver, EventStream, Session};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Page {
    address: String,
}

/// Accesses nothing outside the program.
struct Count;
/// Declares that it accesses a URL.
struct Visit;

#[async_trait::async_trait]
impl Tool for Count {
    type Input = Page;
    fn name(&self) -> &'static str {
        "Count"
    }
    fn description(&self) -> &str {
        "Counts."
    }
    fn read_only(&self, _input: &Page) -> bool {
        true
    }
    fn access(&self, _input: &Page, _here: &ToolEnv) -> Result<Access, ToolError> {
        Ok(Access::Internal)
    }
    fn summary(&self, input: &Page) -> String {
        input.address.clone()
    }
    async fn run(&self, _input: Page, _rights: CallRights, _here: &ToolEnv, _call: &CallContext) -> ToolOutcome {
        ToolOutcome::text("counted")
    }
}

#[async_trait::async_trait]
impl Tool for Visit {
    type Input = Page;
    fn name(&self) -> &'static str {
        "Visit"
    }
    fn description(&self) -> &str {
        "Visits."
    }
    fn read_only(&self, _input: &Page) -> bool {
        true
    }
    fn access(&self, input: &Page, _here: &ToolEnv) -> Result<Access, ToolError> {
        Ok(Access::Fetch { url: format!("https://{}/", input.address), host: input.address.clone() })
    }
    fn summary(&self, input: &Page) -> String {
        input.address.clone()
    }
    async fn run(&self, _input: Page, _rights: CallRights, _here: &ToolEnv, _call: &CallContext) -> ToolOutcome {
        ToolOutcome::text("visited")
    }
}

async fn open(folder: &Path, settings: serde_json::Value, mode: Mode, tool: &str) -> (Session, EventStream) {
    let (project, file) = (folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project).unwrap();
    let script =
        json!({"turns": [{"calls": [{"name": tool, "input": {"address": "docs.example.org"}}]}, {"text": "done"}]});
    std::fs::write(&file, script.to_string()).unwrap();
    let mut builder = SessionBuilder::new(folder.join("home"), project);
    builder.model.main = Some(format!("scripted/{}", file.display()));
    builder.permissions.approver = Approver::Present;
    builder.permissions.mode = Some(mode);
    builder.settings.flag = Some(settings.to_string());
    builder.host.tools = vec![Arc::new(Count), Arc::new(Visit)];
    let opened = builder.open().await.unwrap();
    assert_eq!(opened.notices, Vec::<String>::new(), "every rule is valid");
    (opened.session, opened.events)
}

/// The outcome of one call: its first line of output, and whether it asked (the answer is no).
async fn played(settings: serde_json::Value, mode: Mode, tool: &str) -> (String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let (session, mut events) = open(folder.path(), settings, mode, tool).await;
    session.say("go");
    let (mut said, mut asked) = (String::new(), false);
    loop {
        match events.next().await.unwrap().kind {
            EventKind::Ask(ask) => {
                assert!(matches!(ask.kind, AskKind::Permission { .. }), "{ask:?}");
                asked = true;
                let answer = AskAnswer::Permission(PermissionAnswer::Deny { message: String::new(), interrupt: false });
                session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer });
            }
            EventKind::ToolFinished(done) => said = done.decision.why.reason.clone(),
            EventKind::TurnEnded(_) => return (said, asked),
            _ => {}
        }
    }
}

#[tokio::test]
async fn ho_4_rules_match_an_own_tool() {
    let rules = |kind: &str, rule: &str| json!({"permissions": {kind: [rule]}});
    let count = |settings| played(settings, Mode::Default, "Count");
    assert!(!count(json!({})).await.1, "no access outside the program, so no ask");
    assert!(count(rules("ask", "Count")).await.1);
    let (why, asked) = count(rules("deny", "Count")).await;
    assert!(!asked && why.contains("Count"), "{why}");
    // Fetching asks, unless a rule says otherwise.
    let visit = |settings| played(settings, Mode::Default, "Visit");
    assert!(visit(json!({})).await.1);
    assert!(!visit(rules("allow", "Visit")).await.1);
    let (why, asked) = visit(rules("deny", "Visit")).await;
    assert!(!asked && why.contains("Visit"), "{why}");
}

#[tokio::test]
async fn ho_4_plan_mode_restricts_own_tools() {
    for settings in [json!({}), json!({"permissions": {"allow": ["Count", "Visit"]}})] {
        let (why, asked) = played(settings.clone(), Mode::Plan, "Count").await;
        assert!(!asked && why.contains("plan mode"), "{settings}: {why}");
    }
    let (why, asked) = played(json!({"permissions": {"deny": ["Visit"]}}), Mode::Plan, "Visit").await;
    assert!(!asked && why.contains("Visit"), "{why}");
}

#[tokio::test]
async fn du_1_session_that_panics_ends_for_its_front_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (session, mut events) = open(folder.path(), json!({}), Mode::Default, "Count").await;
    session.submit(Submission::WhenFlushed(Flushed(Arc::new(|| panic!("a bug in the host")))));
    let mut kinds = Vec::new();
    while let Some(event) = events.next().await {
        kinds.push(event.kind);
        if matches!(kinds.last(), Some(EventKind::Closed)) {
            break;
        }
    }
    let Some([EventKind::TurnEnded(turn), EventKind::Closed]) = kinds.last_chunk() else { panic!("{kinds:?}") };
    assert!(format!("{:?}", turn.reason).contains("this is a bug"), "{turn:?}");
}
