//! A model of your own: anything that answers a request. This one needs no network: it says what it was told, backwards.
//!
//! ```sh
//! cargo run -p cutonce-agent --example own_model
//! ```

use cutonce_agent::core::conversation::{Block, Message, Response, Stop, Usage, Wire};
use cutonce_agent::core::event::{Delta, EventKind};
use cutonce_agent::core::request::{Request, Thinking};
use cutonce_agent::core::settings::Settings;
use cutonce_agent::core::submission::Submission;
use cutonce_agent::models::{Model, ModelError, Signal};
use cutonce_agent::start::Start;
use cutonce_agent::{Connect, Connected};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

struct Backwards;

#[async_trait::async_trait]
impl Model for Backwards {
    fn name(&self) -> &str {
        "backwards"
    }
    /// Whose form thinking would have; this model does not think.
    fn wire(&self) -> Wire {
        Wire::Chat
    }
    /// `request` holds the system prompt, the tools and the whole conversation. What is told through `sink` is shown while it
    /// arrives; what is returned counts.
    async fn answer(
        &self,
        request: &Request<'_>,
        sink: &mut (dyn FnMut(Signal) + Send),
    ) -> Result<Response, ModelError> {
        let said = request.messages.iter().rev().find_map(|message| match &**message {
            Message::User { content } => content.iter().find_map(|block| match block {
                Block::Text { text } => Some(text.clone()),
                Block::Thinking { .. } | Block::ToolUse(_) | Block::Image(_) => None,
            }),
            Message::Assistant { .. } | Message::Tool(_) => None,
        });
        let text: String = said.unwrap_or_default().chars().rev().collect();
        sink(Signal::Delta(Delta::Text(text.clone())));
        let usage = Usage { input_tokens: 1, output_tokens: 1, ..Usage::default() };
        Ok(Response { model: "backwards".into(), blocks: vec![Block::Text { text }], usage, stop: Stop::EndTurn })
    }
}

/// Makes models by name: at the start, and when somebody switches.
struct OnlyBackwards;

#[async_trait::async_trait]
impl Connect for OnlyBackwards {
    async fn connect(&self, _name: &str) -> Result<Connected, ModelError> {
        let info = Settings::default().model_info("backwards");
        Ok(Connected { model: Arc::new(Backwards), info, thinking: Thinking::Off, spec: "backwards".into() })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    println!("{}", flow(folder.path()).await?);
    Ok(())
}

pub async fn flow(folder: &Path) -> Result<String, Box<dyn Error>> {
    let start = Start {
        home: folder.join("home"),
        cwd: folder.to_path_buf(),
        connect: Some(Arc::new(OnlyBackwards)),
        ..Start::default()
    };
    let opened = start.open().await?;
    let mut events = opened.events;
    opened.session.say("desserts");
    opened.session.submit(Submission::Close);
    let mut answer = String::new();
    while let Some(event) = events.next().await {
        if let EventKind::TurnEnded(ended) = event.kind {
            answer = ended.text;
        }
    }
    Ok(answer)
}
