//! A team on disk: its members and their keys. Written atomically and readable only by the user.

use super::join::{TeammateConfig, publish_signed};
use crate::storage::paths::{to_hex, write_private};
use crate::team::mailbox::{MailError, Mailbox, remove_folder};
use cutonce_core::mode::Mode;
use cutonce_core::team::{LeadMode, LeadScope, TeamKey, is_valid_name};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A team, as stored by its lead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TeamRecord {
    /// A unique id; names may be reused.
    pub id: String,
    /// The team's name.
    pub name: String,
    /// The id of the lead's session; resuming it resumes the lead (TM-2).
    pub lead_session: String,
    /// All members except the lead.
    pub members: Vec<Member>,
    /// Tasks that may not be in the members' mailboxes yet. A lead that resumes sends them again (TM-2).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pending_tasks: BTreeMap<String, String>,
}

/// One teammate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// The teammate's name.
    pub name: String,
    /// Whether its plan must be approved first (PM-131).
    #[serde(rename = "planModeRequired")]
    pub planning_required: bool,
    /// Whether it runs in its own process.
    pub own_process: bool,
    /// Only the user starts it, in another terminal or on another machine.
    #[serde(default)]
    pub started_by_user: bool,
    /// The model it runs on, if not the lead's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The lead's mode when the teammate was started; it begins with no more rights (PM-132).
    pub mode: Mode,
    /// Whether bypassPermissions may be entered.
    pub bypass_available: bool,
}

impl Member {
    /// The id of the member's session; the same after every restart.
    pub fn session_id(&self, team_id: &str) -> String {
        let hash = Sha256::digest(format!("{team_id}/{}", self.name));
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
    }
}

/// The team's folder, or `None` if the name is invalid.
pub fn team_folder(home: &Path, team: &str) -> Option<PathBuf> {
    is_valid_name(team).then(|| home.join("teams").join(team))
}

fn io_error(what: &'static str, path: &Path, error: std::io::Error) -> MailError {
    MailError::Io { what, path: path.to_path_buf(), error }
}

fn checked_team_folder(home: &Path, team: &str) -> Result<PathBuf, MailError> {
    team_folder(home, team).ok_or_else(|| MailError::Refused(format!("invalid team name {team:?}")))
}

impl TeamRecord {
    /// Loads the team with this name.
    pub fn load(home: &Path, team: &str) -> Result<Option<TeamRecord>, MailError> {
        let path = checked_team_folder(home, team)?.join("team.json");
        match std::fs::read(&path) {
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(record) => Ok(Some(record)),
                Err(error) => Err(io_error("read the team", &path, std::io::Error::other(error))),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io_error("read the team", &path, error)),
        }
    }

    /// Finds the team that this session leads.
    pub(crate) fn find_led_by(home: &Path, session: &str) -> Option<TeamRecord> {
        let names = std::fs::read_dir(home.join("teams")).into_iter().flatten().flatten();
        let records = names.filter_map(|entry| TeamRecord::load(home, entry.file_name().to_str()?).ok()?);
        records.into_iter().find(|record| record.lead_session == session)
    }

    /// Tells the user why a session leads no team any more.
    pub(crate) fn describe_lost(home: &Path) -> String {
        let names = std::fs::read_dir(home.join("teams")).into_iter().flatten().flatten();
        let damaged = names.filter_map(|entry| TeamRecord::load(home, entry.file_name().to_str()?).err());
        let why: Vec<String> = damaged.map(|error| error.to_string()).collect();
        let why = if why.is_empty() { "its file is missing".to_string() } else { why.join("; ") };
        format!("The team of this session was not resumed: {why}. Ask the model to create the team again.")
    }

    /// Saves the record atomically.
    pub fn save(&self, home: &Path) -> Result<(), MailError> {
        let path = checked_team_folder(home, &self.name)?.join("team.json");
        let bytes = serde_json::to_vec_pretty(self).map_err(|error| MailError::Refused(error.to_string()))?;
        write_private(&path, &bytes).map_err(|error| io_error("write the team", &path, error))
    }

    /// Deletes the record and its keys.
    pub fn remove(&self, home: &Path) -> Result<(), MailError> {
        let path = checked_team_folder(home, &self.name)?;
        remove_folder(&path).map_err(|error| io_error("remove the team", &path, error))
    }

    /// The id of the message with a member's task. It is always the same, so that the reader takes the task once.
    pub(crate) fn task_message_id(&self, member: &str) -> String {
        format!("task-{}-{member}", self.id)
    }

    /// The member with this name.
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// Publishes the data that members look up: their configuration and the lead's mode.
    pub async fn publish(
        &self,
        home: &Path,
        mailbox: &dyn Mailbox,
        lead: impl Fn() -> LeadMode + Send + Sync,
        scope: Option<&LeadScope>,
    ) -> Result<(), MailError> {
        for member in &self.members {
            let key = self.member_key(home, &member.name)?;
            let names = self.members.iter().map(|other| other.name.clone());
            let others = names.filter(|name| *name != member.name).collect();
            let (team_id, scope) = (self.id.clone(), scope.cloned());
            let card = TeammateConfig { team_id, member: member.clone(), others, scope };
            publish_signed(mailbox, &key, &self.name, "member", &member.name, &card).await?;
            publish_signed(mailbox, &key, &self.name, "lead", &member.name, &lead()).await?;
        }
        Ok(())
    }

    /// The member's key, created on first use.
    pub fn member_key(&self, home: &Path, member: &str) -> Result<TeamKey, MailError> {
        if let Some(key) = read_key(home, &self.name, member)? {
            return Ok(key);
        }
        let path = checked_team_folder(home, &self.name)?.join("keys").join(member);
        let random: Vec<u8> = (0..2).flat_map(|_| uuid::Uuid::new_v4().into_bytes()).collect();
        let mut bytes = [0; 32];
        // Version and variant bits of the ids are not random, so hash them.
        bytes.copy_from_slice(&Sha256::digest([random.as_slice(), self.id.as_bytes()].concat()));
        let key = TeamKey::new(bytes);
        write_private(&path, key.to_hex().as_bytes()).map_err(|error| io_error("write the key", &path, error))?;
        debug_assert_eq!(to_hex(&bytes), key.to_hex());
        Ok(key)
    }
}

pub(crate) fn read_key(home: &Path, team: &str, member: &str) -> Result<Option<TeamKey>, MailError> {
    if !is_valid_name(member) {
        return Err(MailError::Refused(format!("invalid member name {member:?}")));
    }
    let path = checked_team_folder(home, team)?.join("keys").join(member);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(TeamKey::parse(&text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error("read the key", &path, error)),
    }
}
