//! KillShell (TL-8): end a background command and all it started.

use crate::bash_output::unknown;
use crate::shells::{DYING, TaskState};
use crate::tool::{CallContext, Here, Outcome, Tool};
use async_trait::async_trait;
use cutonce_core::permission::{Access, Rights};
use schemars::JsonSchema;
use serde::Deserialize;

pub struct KillShell;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KillShellInput {
    /// As Bash named it: bash_1.
    shell_id: String,
}

#[async_trait]
impl Tool for KillShell {
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
    fn touches(&self, input: &KillShellInput, here: &Here) -> Result<Access, String> {
        match here.shells.task(&input.shell_id) {
            Some(task) => Ok(Access::Kill { this_stay: here.shells.in_this_stay(&task.view()) }),
            None => Err(unknown("shell_id", &input.shell_id, here)),
        }
    }
    fn summary(&self, input: &KillShellInput) -> String {
        input.shell_id.clone()
    }
    async fn run(&self, input: KillShellInput, _rights: Rights, here: &Here, _call: &CallContext) -> Outcome {
        let Some(task) = here.shells.task(&input.shell_id) else {
            return Outcome::error(unknown("shell_id", &input.shell_id, here));
        };
        let id = &task.id;
        let before = task.state();
        if before != TaskState::Running {
            return Outcome::text(format!("{id} has ended already: {before}."));
        }
        task.kill();
        match tokio::time::timeout(DYING, task.ended()).await {
            Ok(state) => Outcome::text(format!("{id}: {state}.")),
            Err(_) => Outcome::error(format!(
                "{id} was killed, but some of its processes are not gone yet: they belong to another user or hang in the kernel."
            )),
        }
    }
}
