//! The code of the library documentation's first example, so that it is compiled: `cargo run -p cutonce-agent
//! --example start_here`.

use cutonce_agent::builder::SessionBuilder;
use cutonce_agent::core::protocol::event::EventKind;

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = SessionBuilder::new("/home/ann/.cutonce", "/home/ann/app");
    builder.env = std::env::vars_os().collect();
    let mut opened = builder.open().await?;
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
