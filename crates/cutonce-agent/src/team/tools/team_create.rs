//! TeamCreate (TM-1).

use crate::team::{Member, Seat};
use async_trait::async_trait;
use cutonce_core::mail::{LEAD, LONGEST_TEXT, valid_name};
use cutonce_core::permission::{Access, Rights};
use cutonce_tools::tool::{CallContext, Here, Outcome, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

pub(crate) struct TeamCreate(pub Arc<Seat>);

/// Beyond this a lead can't follow.
const MOST: usize = 16;

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
    /// As `teamName`.
    name: String,
    task: String,
    #[serde(default)]
    plan_mode_required: bool,
    /// Give it a process of its own.
    #[serde(default)]
    own_process: bool,
    /// The user starts it, in another terminal or on another machine.
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
    fn touches(&self, input: &TeamCreateInput, _here: &Here) -> Result<Access, String> {
        let invalid = |field: String, name: &str| {
            format!(
                "Invalid input: `{field}`: expected lower-case letters, digits, `-` and `_`, at most 40, got {name:?}"
            )
        };
        if !valid_name(&input.team_name) {
            return Err(invalid("teamName".into(), &input.team_name));
        }
        if input.members.is_empty() || input.members.len() > MOST {
            return Err(format!("Invalid input: `members`: expected 1 to {MOST}, got {}", input.members.len()));
        }
        for (at, member) in input.members.iter().enumerate() {
            if !valid_name(&member.name) || member.name == LEAD {
                return Err(invalid(format!("members[{at}].name"), &member.name));
            }
            if member.task.trim().is_empty() || member.task.len() > LONGEST_TEXT {
                return Err(format!(
                    "Invalid input: `members[{at}].task`: expected words, at most {LONGEST_TEXT} bytes"
                ));
            }
            if input.members[..at].iter().any(|other| other.name == member.name) {
                return Err(format!("Invalid input: `members[{at}].name`: {} is there twice", member.name));
            }
        }
        Ok(Access::Internal)
    }
    fn summary(&self, input: &TeamCreateInput) -> String {
        let names: Vec<&str> = input.members.iter().map(|member| member.name.as_str()).collect();
        format!("{}: {}", input.team_name, names.join(", "))
    }
    async fn run(&self, input: TeamCreateInput, _rights: Rights, _here: &Here, _call: &CallContext) -> Outcome {
        let seat = &self.0;
        let member = |new: NewMember| {
            let member = Member {
                name: new.name,
                plan_mode_required: new.plan_mode_required,
                own_process: new.own_process || new.started_by_user,
                started_by_user: new.started_by_user,
                model: new.model,
                mode: seat.mode().mode,
                bypass_available: seat.template.start.bypass_available,
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
        match seat.create(&input.team_name, input.members.into_iter().map(member).collect()).await {
            Ok(()) => Outcome::text(format!(
                "The team {} works: {}. Their messages come to you as they are sent; end your turn if there is nothing else to do.{by_user}",
                input.team_name,
                names.join(", ")
            )),
            Err(why) => Outcome::error(format!("The team was not made, or not whole: {why}.")),
        }
    }
}
