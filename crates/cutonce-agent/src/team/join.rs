//! Joining a team as a teammate: `cutonce --team T --name N`, also on another machine (TM-1). The team's mailbox
//! contains everything the teammate needs, signed with the key it shares with the lead.

use crate::team::handle::Membership;
use crate::team::mailbox::{self, MailError, Mailbox};
use crate::team::record::{Member, read_key, team_folder};
use cutonce_core::team::{LEAD_NAME, LeadMode, LeadScope, TeamKey, is_valid_name};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// Environment variable with the key of a teammate on another machine, where the key file is missing.
pub(crate) const KEY_VARIABLE: &str = "CUTONCE_TEAM_KEY";

/// The team to join and the member to join as (TM-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamJoin {
    /// The team's name.
    pub team: String,
    /// The member's name.
    pub name: String,
}

/// Why joining a team failed.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// The name of the team or member is invalid.
    #[error("invalid name {0:?}: use at most 40 lower-case letters, digits, `-` and `_`")]
    Name(String),
    #[error(
        "there is no key for {name} in the team {team}: the lead creates it with TeamCreate; on another machine set {KEY_VARIABLE} to the content of the lead's file teams/{team}/keys/{name}"
    )]
    /// The member's key was not found.
    Key {
        /// The team's name.
        team: String,
        /// The member's name.
        name: String,
    },
    /// The team has no such member.
    #[error("the team {team} does not know {name}: its lead has not added it, or has deleted the team")]
    Unknown {
        /// The team's name.
        team: String,
        /// The unknown member's name.
        name: String,
    },
    /// The published data is not signed with the member's key.
    #[error("the mailbox data about {name} was not signed by the lead of {team} and is rejected")]
    Forged {
        /// The team's name.
        team: String,
        /// The member's name.
        name: String,
    },
    /// The mailbox can't be used.
    #[error(transparent)]
    Mail(#[from] MailError),
}

/// A member's configuration, published by the lead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TeammateConfig {
    pub(crate) team_id: String,
    pub member: Member,
    pub others: Vec<String>,
    /// The lead's scope (PC-23).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<LeadScope>,
}

impl TeamJoin {
    pub(crate) async fn join(
        &self,
        home: &Path,
        env: &[(OsString, OsString)],
        url: Option<&str>,
    ) -> Result<(Arc<Membership>, LeadMode), JoinError> {
        let TeamJoin { team, name } = self.clone();
        let Some(folder) = team_folder(home, &team) else { return Err(JoinError::Name(team)) };
        if !is_valid_name(&name) || name == LEAD_NAME {
            return Err(JoinError::Name(name));
        }
        let given =
            env.iter().find(|(key, _)| key == KEY_VARIABLE).and_then(|(_, value)| TeamKey::parse(value.to_str()?));
        let key = match given {
            Some(key) => key,
            None => read_key(home, &team, &name)?
                .ok_or_else(|| JoinError::Key { team: team.clone(), name: name.clone() })?,
        };
        let mailbox = mailbox::open_mailbox(url, &folder, &team).await?;
        let card: TeammateConfig = look_up_signed(&*mailbox, &key, &team, "member", &name).await?;
        let lead: LeadMode = look_up_signed(&*mailbox, &key, &team, "lead", &name).await?;
        Ok((Membership::for_teammate(&team, card, key, mailbox), lead))
    }
}

/// Publishes a value for one member, signed by the lead.
pub(super) async fn publish_signed(
    mailbox: &dyn Mailbox,
    key: &TeamKey,
    team: &str,
    what: &str,
    name: &str,
    value: &impl Serialize,
) -> Result<(), MailError> {
    let refused = |error: serde_json::Error| MailError::Refused(error.to_string());
    let text = serde_json::to_string(value).map_err(refused)?;
    let mac = key.mac(&signed_text(team, what, name, &text));
    let sealed = serde_json::to_string(&SignedValue { text, mac }).map_err(refused)?;
    mailbox.publish(&format!("{what}.{name}"), &sealed).await
}

pub(super) async fn look_up_signed<T: DeserializeOwned>(
    mailbox: &dyn Mailbox,
    key: &TeamKey,
    team: &str,
    what: &str,
    name: &str,
) -> Result<T, JoinError> {
    let (team_name, member) = (team.to_string(), name.to_string());
    let Some(value) = mailbox.look_up(&format!("{what}.{name}")).await? else {
        return Err(JoinError::Unknown { team: team_name, name: member });
    };
    let sealed: Option<SignedValue> = serde_json::from_str(&value).ok();
    let believed = sealed.filter(|sealed| key.verifies(&signed_text(team, what, name, &sealed.text), &sealed.mac));
    let read = believed.and_then(|sealed| serde_json::from_str(&sealed.text).ok());
    read.ok_or(JoinError::Forged { team: team_name, name: member })
}

#[derive(Serialize, Deserialize)]
struct SignedValue {
    text: String,
    mac: String,
}

fn signed_text(team: &str, what: &str, name: &str, text: &str) -> String {
    format!("{what}\n{team}\n{name}\n{text}")
}
