//! TeamDelete (TM-1).

use crate::team::Seat;
use async_trait::async_trait;
use cutonce_core::permission::{Access, Rights};
use cutonce_tools::tool::{CallContext, Here, Outcome, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

pub(crate) struct TeamDelete(pub Arc<Seat>);

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
    fn touches(&self, _input: &TeamDeleteInput, _here: &Here) -> Result<Access, String> {
        Ok(Access::Internal)
    }
    fn summary(&self, _input: &TeamDeleteInput) -> String {
        self.0.record().map(|record| record.name).unwrap_or_default()
    }
    async fn run(&self, _input: TeamDeleteInput, _rights: Rights, _here: &Here, _call: &CallContext) -> Outcome {
        match self.0.delete().await {
            Ok(team) => Outcome::text(format!("The team {team} is over.")),
            Err(why) => Outcome::error(format!("The team was not ended: {why}.")),
        }
    }
}
