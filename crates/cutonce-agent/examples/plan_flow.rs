//! Plan mode without a UI (PM-143, PM-144): the program lets the model plan, receives the request, edits and approves
//! the plan, and the agent implements it. The model is scripted, so no key and no network are needed:
//!
//! ```sh
//! cargo run -p cutonce-agent --example plan_flow
//! ```

use cutonce_agent::builder::SessionBuilder;
use cutonce_agent::core::conversation::ResultPart;
use cutonce_agent::core::mode::Mode;
use cutonce_agent::core::plan::PlanEvent;
use cutonce_agent::core::plan::approval::{ChoiceKey, PlanAnswer, PlanExitRequest};
use cutonce_agent::core::protocol::event::EventKind;
use cutonce_agent::core::protocol::submission::{AskAnswer, ChangedBy, Submission};
use cutonce_agent::{Approver, Session};
use std::error::Error;
use std::path::Path;

/// The model's answers, request by request; `{plan}` is the plan file named in its instructions.
const SCRIPT: &str = r##"{"turns": [
  {"text": "I write the plan.", "calls": [
    {"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n\n1. Write hello.txt\n"}},
    {"name": "ExitPlanMode", "input": {}}]},
  {"text": "Approved: I implement it.", "calls": [
    {"name": "Write", "input": {"file_path": "hello.txt", "content": "Hello!\n"}}]},
  {"text": "Done: hello.txt greets."}
]}"##;

/// What happened during the flow.
#[derive(Debug, Default)]
pub struct Told {
    /// The plan events, named as hosts know them.
    pub events: Vec<serde_json::Value>,
    pub request: Option<PlanExitRequest>,
    /// The result of the submission, as the model sees it.
    pub result: String,
    pub last_words: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let told = flow(folder.path()).await?;
    for event in &told.events {
        println!("{event}");
    }
    println!("{}", told.last_words);
    println!("hello.txt: {}", std::fs::read_to_string(folder.path().join("project/hello.txt"))?.trim_end());
    Ok(())
}

/// Runs the whole flow in `folder`.
pub async fn flow(folder: &Path) -> Result<Told, Box<dyn Error>> {
    let (home, project, script) = (folder.join("home"), folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project)?;
    std::fs::write(&script, SCRIPT)?;
    let mut builder = SessionBuilder::new(home, project);
    builder.model.main = Some(format!("scripted/{}", script.display()));
    builder.permissions.approver = Approver::Present;
    let opened = builder.open().await?;
    let (session, mut events) = (opened.session, opened.events);
    session.submit(Submission::SetMode { mode: Mode::Plan, by: ChangedBy::Host });
    session.say("Add a greeting.");
    let mut told = Told::default();
    while let Some(event) = events.next().await {
        match event.kind {
            EventKind::Plan(event) => {
                told.events.push(serde_json::to_value(&event)?);
                if let PlanEvent::ExitRequest(request) = event {
                    approve(&session, &request);
                    told.request = Some(*request);
                }
            }
            EventKind::ModeChanged { from, to, by } => {
                told.events.push(serde_json::to_value(PlanEvent::ModeChanged { from, to, by })?);
            }
            EventKind::ToolFinished(done) if done.name == "ExitPlanMode" => {
                told.result = done.content.iter().map(text_of).collect();
            }
            EventKind::TurnEnded(ended) => {
                told.last_words = ended.text;
                session.submit(Submission::Close);
            }
            _ => {}
        }
    }
    Ok(told)
}

fn text_of(part: &ResultPart) -> String {
    match part {
        ResultPart::Text { text } => text.clone(),
        ResultPart::Image(_) => String::new(),
    }
}

/// Approves the plan with an added line; edits are then accepted without asking.
fn approve(session: &Session, request: &PlanExitRequest) {
    let edited = request.plan.as_ref().map(|plan| format!("{plan}2. Greet politely\n"));
    let answer = PlanAnswer { plan: edited, ..PlanAnswer::new(&request.ask_id, ChoiceKey::AcceptEdits) };
    session.submit(Submission::Answer { ask_id: request.ask_id.clone(), answer: AskAnswer::Plan(answer) });
}
