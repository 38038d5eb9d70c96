//! The TeamCreate tool (TM-1).

use crate::team::{Member, TeamHandle};
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights};
use cutonce_core::team::{LEAD_NAME, MAX_MESSAGE_BYTES, is_valid_name};
use cutonce_tools::env::{CallContext, ToolEnv};
use cutonce_tools::tool::{Tool, ToolError, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

pub(crate) struct TeamCreate(pub Arc<TeamHandle>);

/// Maximum number of members that a lead can coordinate.
const MAX_MEMBERS: usize = 16;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TeamCreateInput {
    /// Lower-case letters, digits, `-` and `_`.
    team_name: String,
    members: Vec<NewMember>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewMember {
    name: String,
    task: String,
    #[serde(default, rename = "planModeRequired")]
    planning_required: bool,
    #[serde(default)]
    own_process: bool,
    /// The user starts it elsewhere.
    #[serde(default)]
    started_by_user: bool,
    /// Another model than yours.
    model: Option<String>,
}

#[async_trait]
impl Tool for TeamCreate {
    type Input = TeamCreateInput;

    fn name(&self) -> &'static str {
        "TeamCreate"
    }
    fn description(&self) -> &str {
        include_str!("team_create.md")
    }
    fn read_only(&self, _input: &TeamCreateInput) -> bool {
        false
    }
    fn access(&self, input: &TeamCreateInput, _here: &ToolEnv) -> Result<Access, ToolError> {
        let invalid = |field: String, name: &str| {
            format!(
                "Invalid input: `{field}`: expected lower-case letters, digits, `-` and `_`, at most 40, got {name:?}"
            )
        };
        if !is_valid_name(&input.team_name) {
            return Err(invalid("teamName".into(), &input.team_name).into());
        }
        if input.members.is_empty() || input.members.len() > MAX_MEMBERS {
            return Err(
                format!("Invalid input: `members`: expected 1 to {MAX_MEMBERS}, got {}", input.members.len()).into()
            );
        }
        for (at, member) in input.members.iter().enumerate() {
            if !is_valid_name(&member.name) || member.name == LEAD_NAME {
                return Err(invalid(format!("members[{at}].name"), &member.name).into());
            }
            if member.task.trim().is_empty() || member.task.len() > MAX_MESSAGE_BYTES {
                return Err(format!(
                    "Invalid input: `members[{at}].task`: expected text of at most {MAX_MESSAGE_BYTES} bytes"
                )
                .into());
            }
            if input.members[..at].iter().any(|other| other.name == member.name) {
                return Err(format!("Invalid input: `members[{at}].name`: {} is listed twice", member.name).into());
            }
        }
        Ok(Access::Internal)
    }
    fn summary(&self, input: &TeamCreateInput) -> String {
        let names: Vec<&str> = input.members.iter().map(|member| member.name.as_str()).collect();
        format!("{}: {}", input.team_name, names.join(", "))
    }
    async fn run(
        &self,
        input: TeamCreateInput,
        _rights: CallRights,
        _here: &ToolEnv,
        _call: &CallContext,
    ) -> ToolOutcome {
        let handle = &self.0;
        let member = |new: NewMember| {
            let member = Member {
                name: new.name,
                planning_required: new.planning_required,
                own_process: new.own_process || new.started_by_user,
                started_by_user: new.started_by_user,
                model: new.model,
                mode: handle.mode().mode,
                bypass_available: handle.template.config.permissions.bypass_available,
            };
            (member, new.task)
        };
        let names: Vec<String> = input.members.iter().map(|member| member.name.clone()).collect();
        let by_user = input.members.iter().filter(|member| member.started_by_user);
        let by_user: String = by_user
            .map(|member| {
                format!(" The user starts {0} with: cutonce --team {1} --name {0}", member.name, input.team_name)
            })
            .collect();
        match handle.create_team(&input.team_name, input.members.into_iter().map(member).collect()).await {
            Ok(()) => ToolOutcome::text(format!(
                "The team {} is running: {}. Their messages arrive as they are sent; end your turn if there is nothing else to do.{by_user}",
                input.team_name,
                names.join(", ")
            )),
            Err(why) => ToolOutcome::error(format!("The team was not created completely: {why}.")),
        }
    }
}
