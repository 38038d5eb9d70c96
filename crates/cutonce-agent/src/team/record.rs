//! A team on disk: its members and their keys. Written whole or not at all, for the user alone.

use super::join::{Card, tell};
use crate::mailbox::{MailError, Mailbox, remove_folder};
use crate::store::place::{hex, write_private};
use cutonce_core::mail::{Key, LeadMode, valid_name};
use cutonce_core::mode::Mode;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A team, as its lead keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// A name may be used again; an id is not.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Whose session leads it: resumed, it leads again (TM-2).
    pub lead_session: String,
    /// Who is in it, besides the lead.
    pub members: Vec<Member>,
}

/// One teammate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// Its name.
    pub name: String,
    /// It must have its plan approved first (PM-131).
    pub plan_mode_required: bool,
    /// It runs in a process of its own.
    pub own_process: bool,
    /// Nobody starts it but the user: in a terminal of its own, or on another machine.
    #[serde(default)]
    pub started_by_user: bool,
    /// The model it runs on, if not the lead's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The lead's mode when it was started; it begins with no more (PM-132).
    pub mode: Mode,
    /// bypassPermissions may be entered.
    pub bypass_available: bool,
}

impl Member {
    /// The session of this member: the same after every restart.
    pub fn session_id(&self, team_id: &str) -> String {
        let hash = Sha256::digest(format!("{team_id}/{}", self.name));
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
    }
}

/// The team's own folder; None if it can't be a name.
pub fn folder(home: &Path, team: &str) -> Option<PathBuf> {
    valid_name(team).then(|| home.join("teams").join(team))
}

fn io(what: &'static str, path: &Path, error: std::io::Error) -> MailError {
    MailError::Io { what, path: path.to_path_buf(), error }
}

fn place(home: &Path, team: &str) -> Result<PathBuf, MailError> {
    folder(home, team).ok_or_else(|| MailError::Refused(format!("{team:?} can't be the name of a team")))
}

impl Record {
    /// The team of this name.
    pub fn load(home: &Path, team: &str) -> Result<Option<Record>, MailError> {
        let path = place(home, team)?.join("team.json");
        match std::fs::read(&path) {
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(record) => Ok(Some(record)),
                Err(error) => Err(io("read the team", &path, std::io::Error::other(error))),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io("read the team", &path, error)),
        }
    }

    /// The team that this session leads.
    pub(crate) fn led_by(home: &Path, session: &str) -> Option<Record> {
        let names = std::fs::read_dir(home.join("teams")).into_iter().flatten().flatten();
        let records = names.filter_map(|entry| Record::load(home, entry.file_name().to_str()?).ok()?);
        records.into_iter().find(|record| record.lead_session == session)
    }

    /// Keep it, in one step.
    pub fn save(&self, home: &Path) -> Result<(), MailError> {
        let path = place(home, &self.name)?.join("team.json");
        let bytes = serde_json::to_vec_pretty(self).map_err(|error| MailError::Refused(error.to_string()))?;
        write_private(&path, &bytes).map_err(|error| io("write the team", &path, error))
    }

    /// Forget it, with its keys.
    pub fn remove(&self, home: &Path) -> Result<(), MailError> {
        let path = place(home, &self.name)?;
        remove_folder(&path).map_err(|error| io("remove the team", &path, error))
    }

    /// The member of this name.
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// All that members look up: what they are, and what the lead may at that moment.
    pub async fn publish(
        &self,
        home: &Path,
        mailbox: &dyn Mailbox,
        lead: impl Fn() -> LeadMode + Send + Sync,
    ) -> Result<(), MailError> {
        for member in &self.members {
            let key = self.key(home, &member.name)?;
            let names = self.members.iter().map(|other| other.name.clone());
            let others = names.filter(|name| *name != member.name).collect();
            let card = Card { team_id: self.id.clone(), member: member.clone(), others };
            tell(mailbox, &key, &self.name, "member", &member.name, &card).await?;
            tell(mailbox, &key, &self.name, "lead", &member.name, &lead()).await?;
        }
        Ok(())
    }

    /// The key of a member, made when it is first asked for.
    pub fn key(&self, home: &Path, member: &str) -> Result<Key, MailError> {
        if let Some(key) = read_key(home, &self.name, member)? {
            return Ok(key);
        }
        let path = place(home, &self.name)?.join("keys").join(member);
        let random: Vec<u8> = (0..2).flat_map(|_| uuid::Uuid::new_v4().into_bytes()).collect();
        let mut bytes = [0; 32];
        // Version and variant bits of the two ids are not random; hashed, all bits are alike.
        bytes.copy_from_slice(&Sha256::digest([random.as_slice(), self.id.as_bytes()].concat()));
        let key = Key::new(bytes);
        write_private(&path, key.to_hex().as_bytes()).map_err(|error| io("write the key", &path, error))?;
        debug_assert_eq!(hex(&bytes), key.to_hex());
        Ok(key)
    }
}

pub(crate) fn read_key(home: &Path, team: &str, member: &str) -> Result<Option<Key>, MailError> {
    if !valid_name(member) {
        return Err(MailError::Refused(format!("{member:?} can't be a name in a team")));
    }
    let path = place(home, team)?.join("keys").join(member);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Key::parse(&text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io("read the key", &path, error)),
    }
}
