//! Write (TL-3): writes a whole file atomically, with a grant.

use crate::env::{CallContext, ToolEnv};
use crate::files::change;
use crate::tool::{Tool, ToolError, ToolOutcome, run_blocking_change, write_grant};
use crate::workspace::DecidedTarget;
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights};
use cutonce_core::text::number::count_noun;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug)]
pub struct WriteTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteInput {
    file_path: String,
    content: String,
    #[serde(skip)]
    judged: DecidedTarget,
}

/// Returns the content that a past call wrote.
pub(crate) fn replay(input: &serde_json::Value) -> Option<Vec<u8>> {
    WriteInput::deserialize(input).ok().map(|input| input.content.into_bytes())
}

#[async_trait]
impl Tool for WriteTool {
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
    fn access(&self, input: &WriteInput, here: &ToolEnv) -> Result<Access, ToolError> {
        input.judged.resolve(&here.workspace, "file_path", &input.file_path).map(Access::Write)
    }
    fn summary(&self, input: &WriteInput) -> String {
        input.file_path.clone()
    }
    fn preview(&self, input: &WriteInput, here: &ToolEnv) -> Option<String> {
        let target = input.judged.decided(&here.workspace, "file_path", &input.file_path).ok()?;
        change::change_preview(here, &target, |_| Ok(input.content.clone().into_bytes()))
    }
    fn precheck(&self, input: &WriteInput, here: &ToolEnv) -> Option<String> {
        let target = input.judged.decided(&here.workspace, "file_path", &input.file_path).ok()?;
        here.disk.check_fresh(&target.path).err().map(|error| error.to_string())
    }
    async fn run(&self, input: WriteInput, rights: CallRights, here: &ToolEnv, call: &CallContext) -> ToolOutcome {
        let grant = match write_grant(rights) {
            Ok(grant) => grant,
            Err(outcome) => return outcome,
        };
        let (disk, shown) = (here.disk.clone(), here.workspace.display_path(grant.path()));
        run_blocking_change(call, move |cancel| match disk.write(grant, cancel, input.content.into_bytes()) {
            Err(error) => ToolOutcome::error(error.to_string()),
            Ok(written) => {
                let diff = change::stored_diff(&shown, written.old.as_deref(), &written.new);
                let lines = count_noun(String::from_utf8_lossy(&written.new).lines().count(), "line");
                let text = match &written.old {
                    None => format!("Created {shown} ({lines})."),
                    Some(_) => format!("Wrote {shown} ({lines}, +{} −{}).", diff.added, diff.removed),
                };
                ToolOutcome::text(text).with_display(change::change_display(&written, &diff))
            }
        })
        .await
    }
}
