//! A custom model: anything that answers a request. This one needs no network and answers with the reversed prompt.
//!
//! ```sh
//! cargo run -p cutonce-agent --example own_model
//! ```

use cutonce_agent::builder::SessionBuilder;
use cutonce_agent::core::conversation::{ContentBlock, Message, ModelResponse, StopReason, TokenUsage, WireFormat};
use cutonce_agent::core::model_request::{ModelRequest, Thinking};
use cutonce_agent::core::protocol::event::{AnswerDelta, EventKind};
use cutonce_agent::core::protocol::submission::Submission;
use cutonce_agent::core::settings::Settings;
use cutonce_agent::models::{Model, ModelError, ModelSignal};
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
    /// The wire format for thinking; this model does not think.
    fn wire(&self) -> WireFormat {
        WireFormat::Chat
    }
    /// `request` contains the system prompt, the tools and the whole conversation. Text sent to `sink` is shown while
    /// it arrives; the returned response is final.
    async fn answer(
        &self,
        request: &ModelRequest<'_>,
        sink: &mut (dyn FnMut(ModelSignal) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let said = request.messages.iter().rev().find_map(|message| match &**message {
            Message::User { content } => content.iter().find_map(|block| match block {
                ContentBlock::Text { text } => Some(text.clone()),
                ContentBlock::Thinking { .. } | ContentBlock::ToolUse(_) | ContentBlock::Image(_) => None,
            }),
            Message::Assistant { .. } | Message::Tool(_) => None,
        });
        let text: String = said.unwrap_or_default().chars().rev().collect();
        sink(ModelSignal::Delta(AnswerDelta::Text(text.clone())));
        let usage = TokenUsage { input_tokens: 1, output_tokens: 1, ..TokenUsage::default() };
        Ok(ModelResponse {
            model: "backwards".into(),
            blocks: vec![ContentBlock::Text { text }],
            usage,
            stop: StopReason::EndTurn,
        })
    }
}

/// Connects models by name: at the start and when the model is switched.
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
    let mut builder = SessionBuilder::new(folder.join("home"), folder.to_path_buf());
    builder.model.connect = Some(Arc::new(OnlyBackwards));
    let opened = builder.open().await?;
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
