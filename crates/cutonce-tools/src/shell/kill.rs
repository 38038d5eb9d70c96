//! KillShell (TL-8): ends a background command and everything it started.

use crate::env::{CallContext, ToolEnv};
use crate::shell::output::unknown_task;
use crate::shell::process::{KILL_TIMEOUT, TaskState};
use crate::tool::{Tool, ToolError, ToolOutcome};
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights};
use schemars::JsonSchema;
use serde::Deserialize;

pub struct KillShellTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KillShellInput {
    /// As its start named it: bash_1.
    shell_id: String,
}

#[async_trait]
impl Tool for KillShellTool {
    type Input = KillShellInput;

    fn name(&self) -> &'static str {
        "KillShell"
    }
    fn description(&self) -> &str {
        include_str!("kill_shell.md")
    }
    fn read_only(&self, _input: &KillShellInput) -> bool {
        false
    }
    fn access(&self, input: &KillShellInput, here: &ToolEnv) -> Result<Access, ToolError> {
        match here.shells.task(&input.shell_id) {
            Some(task) => Ok(Access::Kill { this_stay: here.shells.started_since_entry(&task.view()) }),
            None => Err(unknown_task("shell_id", &input.shell_id, here).into()),
        }
    }
    fn summary(&self, input: &KillShellInput) -> String {
        input.shell_id.clone()
    }
    async fn run(
        &self,
        input: KillShellInput,
        _rights: CallRights,
        here: &ToolEnv,
        _call: &CallContext,
    ) -> ToolOutcome {
        let Some(task) = here.shells.task(&input.shell_id) else {
            return ToolOutcome::error(unknown_task("shell_id", &input.shell_id, here));
        };
        let id = &task.id;
        let before = task.state();
        if before != TaskState::Running {
            return ToolOutcome::text(format!("{id} has ended already: {before}."));
        }
        task.kill();
        match tokio::time::timeout(KILL_TIMEOUT, task.wait_for_end()).await {
            Ok(state) => ToolOutcome::text(format!("{id}: {state}.")),
            Err(_) => ToolOutcome::error(format!(
                "{id} was killed, but some of its processes are not gone yet: they belong to another user or hang in the kernel."
            )),
        }
    }
}
