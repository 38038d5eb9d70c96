//! A tool of your own beside the built-in ones. It says what it touches; whether a call may run is decided like every other
//! call, so one that writes files would ask first and be denied in plan mode. Rules of the settings name it like the built-in
//! tools: `"deny": ["Inventory"]` keeps it from running, `"ask": ["Inventory"]` asks before each call:
//!
//! ```sh
//! cargo run -p cutonce-agent --example own_tool
//! ```

use cutonce_agent::core::conversation::ResultPart;
use cutonce_agent::core::event::EventKind;
use cutonce_agent::core::permission::{Access, Rights};
use cutonce_agent::core::submission::Submission;
use cutonce_agent::start::Start;
use cutonce_agent::tools::tool::{CallContext, Here, Outcome, Tool};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// How many of a thing are in store.
struct Inventory(BTreeMap<&'static str, u32>);

/// Unknown fields are refused by name; the doc comments are what the model reads.
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
    /// Only what is inside this program: nobody needs to be asked. `Access::Read`, `Write` or `Fetch` would be judged by rules
    /// and mode; in plan mode not even this runs.
    fn touches(&self, _input: &Wanted, _here: &Here) -> Result<Access, String> {
        Ok(Access::Internal)
    }
    fn summary(&self, input: &Wanted) -> String {
        input.item.clone()
    }
    async fn run(&self, input: Wanted, _rights: Rights, _here: &Here, _call: &CallContext) -> Outcome {
        match self.0.get(input.item.as_str()) {
            Some(count) => Outcome::text(format!("{count} in store")),
            None => Outcome::error(format!("There is no item {:?}. Items: apple, pear.", input.item)),
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

/// What the tool gave, and the model's last words.
pub async fn flow(folder: &Path) -> Result<(String, String), Box<dyn Error>> {
    let (home, project, script) = (folder.join("home"), folder.join("project"), folder.join("script.json"));
    std::fs::create_dir_all(&project)?;
    std::fs::write(&script, SCRIPT)?;
    let start = Start {
        home,
        cwd: project,
        model: Some(format!("scripted/{}", script.display())),
        tools: vec![Arc::new(Inventory(BTreeMap::from([("apple", 3), ("pear", 0)])))],
        ..Start::default()
    };
    let opened = start.open().await?;
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
