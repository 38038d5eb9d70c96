//! The smallest agent: open a session in a folder, send a prompt, read events until the turn has ended. The model is
//! scripted, so no key and no network are needed; leave out `model` (and pass `env`) for a real one:
//!
//! ```sh
//! cargo run -p cutonce-agent --example smallest
//! ```

use cutonce_agent::builder::SessionBuilder;
use cutonce_agent::core::protocol::event::EventKind;
use cutonce_agent::core::protocol::submission::Submission;
use std::error::Error;
use std::path::Path;

const SCRIPT: &str = r#"{"turns": [
  {"text": "I look.", "calls": [{"name": "Read", "input": {"file_path": "notes.txt"}}]},
  {"text": "It says: buy milk."}
]}"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    println!("{}", flow(folder.path()).await?);
    Ok(())
}

/// Asks about a file in `folder` and returns the model's final answer.
pub async fn flow(folder: &Path) -> Result<String, Box<dyn Error>> {
    let (home, project, script) = (folder.join("home"), folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project)?;
    std::fs::write(project.join("notes.txt"), "buy milk\n")?;
    std::fs::write(&script, SCRIPT)?;
    let mut builder = SessionBuilder::new(home, project);
    builder.model.main = Some(format!("scripted/{}", script.display()));
    let opened = builder.open().await?;
    let mut events = opened.events;
    opened.session.say("What do my notes say?");
    // Finish the turn, then end: `next` returns `None` once the session has ended.
    opened.session.submit(Submission::Close);
    let mut answer = String::new();
    while let Some(event) = events.next().await {
        if let EventKind::TurnEnded(ended) = event.kind {
            answer = ended.text;
        }
    }
    Ok(answer)
}
