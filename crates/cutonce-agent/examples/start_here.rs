//! The code that the library's documentation begins with, so that it is compiled: `cargo run -p cutonce-agent --example start_here`.

use cutonce_agent::core::event::EventKind;
use cutonce_agent::start::Start;

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let start = Start {
        home: "/home/ann/.cutonce".into(),
        cwd: "/home/ann/app".into(),
        env: std::env::vars_os().collect(),
        ..Start::default()
    };
    let mut opened = start.open().await?;
    opened.session.say("What does this project do?");
    while let Some(event) = opened.events.next().await {
        if let EventKind::TurnEnded(ended) = event.kind {
            println!("{}", ended.text);
            break;
        }
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    run().await
}
