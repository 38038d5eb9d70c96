//! Becoming a teammate: `cutonce --team T --name N`, also on another machine (TM-1). All that it needs to know lies in the team's
//! mailbox, sealed with the key that it shares with the lead.

use crate::mailbox::{self, MailError, Mailbox};
use crate::team::record::{Member, folder, read_key};
use crate::team::seat::Joined;
use cutonce_core::mail::{Key, LEAD, LeadMode, valid_name};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// Holds the key of a teammate that has no file for it: on another machine.
pub(crate) const KEY_VARIABLE: &str = "CUTONCE_TEAM_KEY";

/// Which member of which team to be (TM-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Join {
    /// The team.
    pub team: String,
    /// The member.
    pub name: String,
}

/// Why a team does not take somebody.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// It is no name of a team or member.
    #[error("{0:?} can't be a name: lower-case letters, digits, `-` and `_`, at most 40")]
    Name(String),
    #[error(
        "there is no key for {name} in the team {team}: the lead makes it with TeamCreate; on another machine set {KEY_VARIABLE} to the content of the lead's file teams/{team}/keys/{name}"
    )]
    /// There is no key of this member here.
    Key {
        /// The team.
        team: String,
        /// The member.
        name: String,
    },
    /// The team has no such member.
    #[error("the team {team} does not know {name}: its lead has not added it, or has deleted the team")]
    Unknown {
        /// The team.
        team: String,
        /// The name that it does not have.
        name: String,
    },
    /// What the lead published is not signed with the member's key.
    #[error("what the mailbox says about {name} was not written by the lead of {team}: it is not believed")]
    Forged {
        /// The team.
        team: String,
        /// The member.
        name: String,
    },
    /// The mailbox can't be used.
    #[error(transparent)]
    Mail(#[from] MailError),
}

/// What the lead tells a member about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Card {
    pub(crate) team_id: String,
    pub member: Member,
    pub others: Vec<String>,
}

impl Join {
    pub(crate) async fn join(
        &self,
        home: &Path,
        env: &[(OsString, OsString)],
        url: Option<&str>,
    ) -> Result<(Arc<Joined>, LeadMode), JoinError> {
        let Join { team, name } = self.clone();
        let Some(folder) = folder(home, &team) else { return Err(JoinError::Name(team)) };
        if !valid_name(&name) || name == LEAD {
            return Err(JoinError::Name(name));
        }
        let given = env.iter().find(|(key, _)| key == KEY_VARIABLE).and_then(|(_, value)| Key::parse(value.to_str()?));
        let key = match given {
            Some(key) => key,
            None => read_key(home, &team, &name)?
                .ok_or_else(|| JoinError::Key { team: team.clone(), name: name.clone() })?,
        };
        let mailbox = mailbox::open(url, &folder, &team).await?;
        let card: Card = look_up(&*mailbox, &key, &team, "member", &name).await?;
        let lead: LeadMode = look_up(&*mailbox, &key, &team, "lead", &name).await?;
        Ok((Joined::teammate(&team, card, key, mailbox), lead))
    }
}

/// Publish something for one member, so that it can tell that the lead wrote it.
pub(super) async fn tell(
    mailbox: &dyn Mailbox,
    key: &Key,
    team: &str,
    what: &str,
    name: &str,
    value: &impl Serialize,
) -> Result<(), MailError> {
    let refused = |error: serde_json::Error| MailError::Refused(error.to_string());
    let text = serde_json::to_string(value).map_err(refused)?;
    let mac = key.mac(&proof(team, what, name, &text));
    let sealed = serde_json::to_string(&Sealed { text, mac }).map_err(refused)?;
    mailbox.publish(&format!("{what}.{name}"), &sealed).await
}

pub(super) async fn look_up<T: DeserializeOwned>(
    mailbox: &dyn Mailbox,
    key: &Key,
    team: &str,
    what: &str,
    name: &str,
) -> Result<T, JoinError> {
    let (team_name, member) = (team.to_string(), name.to_string());
    let Some(value) = mailbox.published(&format!("{what}.{name}")).await? else {
        return Err(JoinError::Unknown { team: team_name, name: member });
    };
    let sealed: Option<Sealed> = serde_json::from_str(&value).ok();
    let believed = sealed.filter(|sealed| key.proves(&proof(team, what, name, &sealed.text), &sealed.mac));
    let read = believed.and_then(|sealed| serde_json::from_str(&sealed.text).ok());
    read.ok_or(JoinError::Forged { team: team_name, name: member })
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    text: String,
    mac: String,
}

fn proof(team: &str, what: &str, name: &str, text: &str) -> String {
    format!("{what}\n{team}\n{name}\n{text}")
}
