//! A custom tool in addition to the built-in ones. It declares its access; its calls are decided like all others, so
//! one that writes files asks first and is denied in plan mode. Rules name it like a built-in tool: `"deny":
//! ["Inventory"]` blocks it, `"ask": ["Inventory"]` asks before each call:
//!
//! ```sh
//! cargo run -p cutonce-agent --example own_tool
//! ```

use cutonce_agent::builder::SessionBuilder;
use cutonce_agent::core::conversation::ResultPart;
use cutonce_agent::core::permission::{Access, CallRights};
use cutonce_agent::core::protocol::event::EventKind;
use cutonce_agent::core::protocol::submission::Submission;
use cutonce_agent::tools::env::{CallContext, ToolEnv};
use cutonce_agent::tools::tool::{Tool, ToolError, ToolOutcome};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// The number of items in store.
struct Inventory(BTreeMap<&'static str, u32>);

/// Unknown fields are rejected; the doc comments are descriptions for the model.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// The thing, in singular: "apple".
    item: String,
}

#[async_trait::async_trait]
impl Tool for Inventory {
    type Input = Wanted;

    fn name(&self) -> &'static str {
        "Inventory"
    }
    fn description(&self) -> &str {
        "Says how many of an item are in store."
    }
    fn read_only(&self, _input: &Wanted) -> bool {
        true
    }
    /// Only accesses data inside this program, so no approval is needed. Rules and mode decide about `Access::Read`,
    /// `Write` or `Fetch`; in plan mode not even this runs.
    fn access(&self, _input: &Wanted, _here: &ToolEnv) -> Result<Access, ToolError> {
        Ok(Access::Internal)
    }
    fn summary(&self, input: &Wanted) -> String {
        input.item.clone()
    }
    async fn run(&self, input: Wanted, _rights: CallRights, _here: &ToolEnv, _call: &CallContext) -> ToolOutcome {
        match self.0.get(input.item.as_str()) {
            Some(count) => ToolOutcome::text(format!("{count} in store")),
            None => ToolOutcome::error(format!("There is no item {:?}. Items: apple, pear.", input.item)),
        }
    }
}

const SCRIPT: &str = r#"{"turns": [
  {"calls": [{"name": "Inventory", "input": {"item": "apple"}}]},
  {"text": "There are 3 apples."}
]}"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (result, answer) = flow(folder.path()).await?;
    println!("the tool: {result}\nthe model: {answer}");
    Ok(())
}

/// Returns the tool's result and the model's final answer.
pub async fn flow(folder: &Path) -> Result<(String, String), Box<dyn Error>> {
    let (home, project, script) = (folder.join("home"), folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project)?;
    std::fs::write(&script, SCRIPT)?;
    let mut builder = SessionBuilder::new(home, project);
    builder.model.main = Some(format!("scripted/{}", script.display()));
    builder.host.tools = vec![Arc::new(Inventory(BTreeMap::from([("apple", 3), ("pear", 0)])))];
    let opened = builder.open().await?;
    let mut events = opened.events;
    opened.session.say("How many apples do we have?");
    opened.session.submit(Submission::Close);
    let (mut result, mut answer) = (String::new(), String::new());
    while let Some(event) = events.next().await {
        match event.kind {
            EventKind::ToolFinished(done) => result = done.content.iter().map(text_of).collect(),
            EventKind::TurnEnded(ended) => answer = ended.text,
            _ => {}
        }
    }
    Ok((result, answer))
}

fn text_of(part: &ResultPart) -> String {
    match part {
        ResultPart::Text { text } => text.clone(),
        ResultPart::Image(_) => String::new(),
    }
}
