//! Write (TL-3): a whole file, atomically, with a grant.

use crate::change;
use crate::tool::{CallContext, Here, Outcome, Tool, blocking_change, write_grant};
use crate::workspace::Judged;
use async_trait::async_trait;
use cutonce_core::permission::{Access, Rights};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug)]
pub struct Write;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteInput {
    file_path: String,
    content: String,
    #[serde(skip)]
    judged: Judged,
}

/// What a call of the past wrote.
pub(crate) fn again(input: &serde_json::Value) -> Option<Vec<u8>> {
    WriteInput::deserialize(input).ok().map(|input| input.content.into_bytes())
}

#[async_trait]
impl Tool for Write {
    type Input = WriteInput;

    fn name(&self) -> &'static str {
        "Write"
    }
    fn description(&self) -> &str {
        include_str!("write.md")
    }
    fn read_only(&self, _: &WriteInput) -> bool {
        false
    }
    fn touches(&self, input: &WriteInput, here: &Here) -> Result<Access, String> {
        input.judged.judge(&here.workspace, "file_path", &input.file_path).map(Access::Write)
    }
    fn summary(&self, input: &WriteInput) -> String {
        input.file_path.clone()
    }
    fn preview(&self, input: &WriteInput, here: &Here) -> Option<String> {
        let target = input.judged.target(&here.workspace, "file_path", &input.file_path).ok()?;
        change::preview(here, &target, |_| Ok(input.content.clone().into_bytes()))
    }
    fn fails(&self, input: &WriteInput, here: &Here) -> Option<String> {
        let target = input.judged.target(&here.workspace, "file_path", &input.file_path).ok()?;
        here.disk.check_fresh(&target.path).err().map(|error| error.to_string())
    }
    async fn run(&self, input: WriteInput, rights: Rights, here: &Here, call: &CallContext) -> Outcome {
        let grant = match write_grant(rights) {
            Ok(grant) => grant,
            Err(outcome) => return outcome,
        };
        let (disk, shown) = (here.disk.clone(), here.workspace.shown(grant.path()));
        blocking_change(call, move |cancel| match disk.write(grant, cancel, input.content.into_bytes()) {
            Err(error) => Outcome::error(error.to_string()),
            Ok(written) => {
                let diff = change::diff(&shown, written.old.as_deref(), &written.new);
                let lines = change::count(String::from_utf8_lossy(&written.new).lines().count(), "line");
                let text = match &written.old {
                    None => format!("Created {shown} ({lines})."),
                    Some(_) => format!("Wrote {shown} ({lines}, +{} −{}).", diff.added, diff.removed),
                };
                Outcome::text(text).with_display(change::display(&written, &diff))
            }
        })
        .await
    }
}
