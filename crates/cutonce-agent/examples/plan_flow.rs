//! Plan mode without any UI (PM-143, PM-144): a program of yours plans, gets the request, edits the plan, approves it, and the
//! agent implements it. The model is a script behind a real socket, so this runs without key and network:
//!
//! ```sh
//! cargo run -p cutonce-agent --example plan_flow
//! ```

use cutonce_agent::core::approval::{Answer as PlanAnswer, ChoiceKey, Request};
use cutonce_agent::core::conversation::ResultPart;
use cutonce_agent::core::event::EventKind;
use cutonce_agent::core::mode::Mode;
use cutonce_agent::core::plan::PlanEvent;
use cutonce_agent::core::submission::{Answer, By, Submission};
use cutonce_agent::start::Start;
use cutonce_agent::{Approver, Session};
use std::error::Error;
use std::path::Path;

/// What the model says, request by request; `{plan}` is the plan file it was told of.
const SCRIPT: &str = r##"{"turns": [
  {"text": "I write the plan.", "calls": [
    {"name": "Write", "input": {"file_path": "{plan}", "content": "# Greeting\n\n1. Write hello.txt\n"}},
    {"name": "ExitPlanMode", "input": {}}]},
  {"text": "Approved: I implement it.", "calls": [
    {"name": "Write", "input": {"file_path": "hello.txt", "content": "Hello!\n"}}]},
  {"text": "Done: hello.txt greets."}
]}"##;

/// What happened, for whoever wants to look at it.
#[derive(Debug, Default)]
pub struct Told {
    /// The events of the plan's life, under the names hosts know them by.
    pub events: Vec<serde_json::Value>,
    pub request: Option<Request>,
    /// What the model was told about its submission.
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

/// The whole flow in `folder`.
pub async fn flow(folder: &Path) -> Result<Told, Box<dyn Error>> {
    let (home, project, script) = (folder.join("home"), folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project)?;
    std::fs::write(&script, SCRIPT)?;
    let start = Start {
        home,
        cwd: project,
        model: Some(format!("scripted/{}", script.display())),
        approver: Approver::Present,
        ..Start::default()
    };
    let opened = start.open().await?;
    let (session, mut events) = (opened.session, opened.events);
    session.submit(Submission::SetMode { mode: Mode::Plan, by: By::Host });
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

/// The plan with a line of our own; edits are then accepted without further questions.
fn approve(session: &Session, request: &Request) {
    let edited = request.plan.as_ref().map(|plan| format!("{plan}2. Greet politely\n"));
    let answer = PlanAnswer { plan: edited, ..PlanAnswer::new(&request.ask_id, ChoiceKey::AcceptEdits) };
    session.submit(Submission::Answer { ask_id: request.ask_id.clone(), answer: Answer::Plan(answer) });
}
