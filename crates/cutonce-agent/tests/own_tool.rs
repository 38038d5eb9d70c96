//! Rules and modes hold for an embedder's own tool as for every other (HO-4, PR-1): it says what it touches, and never decides.

#![allow(clippy::unwrap_used)]

use cutonce_agent::core::event::{AskKind, EventKind};
use cutonce_agent::core::mode::Mode;
use cutonce_agent::core::permission::{Access, Rights};
use cutonce_agent::core::submission::{Answer, PermissionAnswer, Submission};
use cutonce_agent::start::Start;
use cutonce_agent::tools::tool::{CallContext, Here, Outcome, Tool};
use cutonce_agent::{Approver, Events, Session};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Page {
    address: String,
}

/// Touches nothing but what is inside the program.
struct Count;
/// Says that it goes to an address.
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
    fn touches(&self, _input: &Page, _here: &Here) -> Result<Access, String> {
        Ok(Access::Internal)
    }
    fn summary(&self, input: &Page) -> String {
        input.address.clone()
    }
    async fn run(&self, _input: Page, _rights: Rights, _here: &Here, _call: &CallContext) -> Outcome {
        Outcome::text("counted")
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
    fn touches(&self, input: &Page, _here: &Here) -> Result<Access, String> {
        Ok(Access::Fetch { url: format!("https://{}/", input.address), host: input.address.clone() })
    }
    fn summary(&self, input: &Page) -> String {
        input.address.clone()
    }
    async fn run(&self, _input: Page, _rights: Rights, _here: &Here, _call: &CallContext) -> Outcome {
        Outcome::text("visited")
    }
}

async fn open(folder: &Path, settings: serde_json::Value, mode: Mode, tool: &str) -> (Session, Events) {
    let (project, file) = (folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project).unwrap();
    let script =
        json!({"turns": [{"calls": [{"name": tool, "input": {"address": "docs.example.org"}}]}, {"text": "done"}]});
    std::fs::write(&file, script.to_string()).unwrap();
    let start = Start {
        home: folder.join("home"),
        cwd: project,
        model: Some(format!("scripted/{}", file.display())),
        approver: Approver::Present,
        mode: Some(mode),
        settings: Some(settings.to_string()),
        tools: vec![Arc::new(Count), Arc::new(Visit)],
        ..Start::default()
    };
    let opened = start.open().await.unwrap();
    assert_eq!(opened.notices, Vec::<String>::new(), "every rule is understood");
    (opened.session, opened.events)
}

/// What became of one call: its first line of output, and whether somebody was asked (who says no).
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
                let answer = Answer::Permission(PermissionAnswer::Deny { message: String::new(), interrupt: false });
                session.submit(Submission::Answer { ask_id: ask.ask_id.clone(), answer });
            }
            EventKind::ToolFinished(done) => said = done.decision.why.reason.clone(),
            EventKind::TurnEnded(_) => return (said, asked),
            _ => {}
        }
    }
}

#[tokio::test]
async fn ho_4_pr_1_rules_name_an_own_tool() {
    let rules = |kind: &str, rule: &str| json!({"permissions": {kind: [rule]}});
    let count = |settings| played(settings, Mode::Default, "Count");
    assert!(!count(json!({})).await.1, "nothing outside the program is touched: nobody is asked");
    assert!(count(rules("ask", "Count")).await.1);
    let (why, asked) = count(rules("deny", "Count")).await;
    assert!(!asked && why.contains("Count"), "{why}");
    // One that goes out asks, unless a rule says otherwise.
    let visit = |settings| played(settings, Mode::Default, "Visit");
    assert!(visit(json!({})).await.1);
    assert!(!visit(rules("allow", "Visit")).await.1);
    let (why, asked) = visit(rules("deny", "Visit")).await;
    assert!(!asked && why.contains("Visit"), "{why}");
}

#[tokio::test]
async fn ho_4_pm_60_plan_mode_holds_an_own_tool_whatever_the_rules_say() {
    for settings in [json!({}), json!({"permissions": {"allow": ["Count", "Visit"]}})] {
        let (why, asked) = played(settings.clone(), Mode::Plan, "Count").await;
        assert!(!asked && why.contains("plan mode"), "{settings}: {why}");
    }
    let (why, asked) = played(json!({"permissions": {"deny": ["Visit"]}}), Mode::Plan, "Visit").await;
    assert!(!asked && why.contains("Visit"), "{why}");
}
