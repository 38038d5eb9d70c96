//! The TeamDelete tool (TM-1).

use crate::team::TeamHandle;
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights};
use cutonce_tools::env::{CallContext, ToolEnv};
use cutonce_tools::tool::{Tool, ToolError, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

pub(crate) struct TeamDelete(pub Arc<TeamHandle>);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TeamDeleteInput {}

#[async_trait]
impl Tool for TeamDelete {
    type Input = TeamDeleteInput;

    fn name(&self) -> &'static str {
        "TeamDelete"
    }
    fn description(&self) -> &str {
        include_str!("team_delete.md")
    }
    fn read_only(&self, _input: &TeamDeleteInput) -> bool {
        false
    }
    fn access(&self, _input: &TeamDeleteInput, _here: &ToolEnv) -> Result<Access, ToolError> {
        Ok(Access::Internal)
    }
    fn summary(&self, _input: &TeamDeleteInput) -> String {
        self.0.record().map(|record| record.name).unwrap_or_default()
    }
    async fn run(
        &self,
        _input: TeamDeleteInput,
        _rights: CallRights,
        _here: &ToolEnv,
        _call: &CallContext,
    ) -> ToolOutcome {
        match self.0.delete_team().await {
            Ok(team) => ToolOutcome::text(format!("The team {team} was deleted.")),
            Err(why) => ToolOutcome::error(format!("The team was not deleted: {why}.")),
        }
    }
}
