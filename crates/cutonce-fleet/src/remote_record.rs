//! A remote as this machine knows it (FL-1): servers, credentials, own keys, the group's keys. One private file each.

use crate::FleetError;
use crate::envelope::{EpochKey, GroupKeys};
use crate::hex;
use crate::invite_code::GroupPlace;
use crate::invite_code::InvitePackage;
use crate::member_keys::{MemberId, MemberPublicKeys, MemberSecret, random_bytes};
use crate::server_login::login_store;
use cutonce_agent::storage::paths::{private_options, write_private};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use url::Url;

const MAX_NAME: usize = 40;
/// The record contains keys: the list of secret files has this name, so that no tool reads it (SB-6).
const FILE: &str = "auth.json";
const MAX_SERVERS: usize = 16;

/// A remote with this machine's secrets.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteRecord {
    pub name: String,
    pub urls: Vec<String>,
    /// A NATS credentials file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creds: Option<PathBuf>,
    /// A password, a token or credentials are in the keyring.
    #[serde(default)]
    pub has_login: bool,
    /// A certificate of the servers' authority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
    /// Names the group on the server.
    pub group: String,
    pub founder: MemberPublicKeys,
    /// What other members see.
    pub label: String,
    seed: String,
    /// Keys that replace these as soon as the member log has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_seed: Option<String>,
    epochs: BTreeMap<u32, String>,
    /// The last record of the member log that was seen. A log without it was rolled back.
    #[serde(default)]
    pub head: String,
}

impl RemoteRecord {
    /// A new group with this machine as its owner.
    pub fn found(name: &str, urls: Vec<String>, label: &str) -> Result<RemoteRecord, FleetError> {
        let secret = MemberSecret::generate()?;
        Ok(RemoteRecord {
            name: name.into(),
            urls,
            creds: None,
            has_login: false,
            ca: None,
            group: hex::text(&random_bytes::<8>()?),
            founder: secret.public(),
            label: label.into(),
            seed: secret.seed_hex(),
            next_seed: None,
            epochs: BTreeMap::from([(1, hex::text(&random_bytes::<32>()?))]),
            head: String::new(),
        })
    }

    /// Where the group is, as others may know it.
    pub fn place(&self) -> GroupPlace {
        let urls = self.urls.iter().map(|url| without_password(url)).collect();
        GroupPlace { name: self.name.clone(), urls, group: self.group.clone() }
    }

    /// Membership in an existing group, with new keys of this machine.
    pub fn join(
        name: &str,
        place: GroupPlace,
        founder: MemberPublicKeys,
        epochs: BTreeMap<u32, String>,
        label: &str,
    ) -> Result<RemoteRecord, FleetError> {
        let new = RemoteRecord::found(name, place.urls, label)?;
        Ok(RemoteRecord { group: place.group, founder, epochs, ..new })
    }

    pub fn secret(&self) -> Result<MemberSecret, FleetError> {
        MemberSecret::parse(&self.seed).ok_or_else(|| self.damaged("the key"))
    }
    pub(crate) fn begin_rotation(&mut self, secret: &MemberSecret) {
        self.next_seed = Some(secret.seed_hex());
    }
    pub(crate) fn next_secret(&self) -> Option<MemberSecret> {
        self.next_seed.as_deref().and_then(MemberSecret::parse)
    }
    pub(crate) fn finish_rotation(&mut self) {
        if let Some(next) = self.next_seed.take() {
            self.seed = next;
        }
    }
    pub fn member_id(&self) -> Result<MemberId, FleetError> {
        Ok(self.secret()?.public().id())
    }
    pub fn is_founder(&self) -> bool {
        self.secret().is_ok_and(|secret| secret.public() == self.founder)
    }
    pub fn group_keys(&self) -> GroupKeys {
        let mut keys = GroupKeys::default();
        for (epoch, key) in self.epochs.iter().filter_map(|(epoch, key)| Some((*epoch, hex::parse(key)?))) {
            keys.insert(epoch, EpochKey(key));
        }
        keys
    }
    pub fn epochs(&self) -> &BTreeMap<u32, String> {
        &self.epochs
    }
    /// Takes over what the owner sends to a new member.
    pub(crate) fn take_package(&mut self, package: InvitePackage) {
        (self.epochs, self.head) = (package.epochs, package.head);
    }
    pub fn add_epoch(&mut self, epoch: u32, key: &EpochKey) {
        self.epochs.insert(epoch, hex::text(&key.0));
    }
    fn damaged(&self, what: &str) -> FleetError {
        let name = &self.name;
        FleetError::Refused(format!("{what} of the remote {name} is damaged; remove the remote and join again"))
    }

    /// True if all servers are on this machine.
    pub fn is_loopback(&self) -> bool {
        self.urls.iter().all(|url| is_loopback_url(url))
    }
    /// The servers without user names and passwords.
    pub fn shown_urls(&self) -> String {
        self.urls.iter().map(|url| without_password(url)).collect::<Vec<_>>().join(",")
    }

    pub fn save(&self, home: &Path) -> Result<(), FleetError> {
        let path = record_path(home, &self.name)?;
        let text = serde_json::to_vec_pretty(self).map_err(|error| FleetError::Refused(error.to_string()))?;
        write_private(&path, &text).map_err(|error| FleetError::file("store the remote", &path, &error))
    }
    pub fn load(home: &Path, name: &str) -> Result<RemoteRecord, FleetError> {
        let path = record_path(home, name)?;
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let what = format!("there is no remote {name:?}; `cutonce remote list` lists them");
                return Err(FleetError::Refused(what));
            }
            Err(error) => return Err(FleetError::file("read the remote", &path, &error)),
        };
        serde_json::from_slice(&text).map_err(|error| FleetError::file("read the remote", &path, &error))
    }
    /// Changes the stored record; `None` if it was removed. Processes of this machine take turns.
    pub(crate) fn update(
        home: &Path,
        name: &str,
        change: impl FnOnce(&mut RemoteRecord),
    ) -> Result<Option<RemoteRecord>, FleetError> {
        if !RemoteRecord::exists(home, name) {
            return Ok(None);
        }
        let path = remote_folder(home, name)?.join("lock");
        let failed = |error: std::io::Error| FleetError::file("lock the remote", &path, &error);
        let turn = private_options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        turn.lock().map_err(failed)?;
        let mut record = RemoteRecord::load(home, name)?;
        change(&mut record);
        record.save(home)?;
        Ok(Some(record))
    }
    /// The file with the keys of this machine.
    pub fn path(home: &Path, name: &str) -> Result<PathBuf, FleetError> {
        record_path(home, name)
    }
    pub fn exists(home: &Path, name: &str) -> bool {
        record_path(home, name).is_ok_and(|path| path.exists())
    }
    pub fn remove(home: &Path, name: &str) -> Result<(), FleetError> {
        RemoteRecord::load(home, name)?;
        RemoteRecord::forget(home, name)
    }
    /// Removes what is stored of a remote, complete or not.
    pub(crate) fn forget(home: &Path, name: &str) -> Result<(), FleetError> {
        let folder = remote_folder(home, name)?;
        let failed = |error: &dyn std::fmt::Display| FleetError::file("remove the remote", &folder, error);
        login_store(home, name)?.delete().map_err(|error| failed(&error))?;
        std::fs::remove_dir_all(&folder).map_err(|error| failed(&error))
    }
    /// All remotes by name, and the names of those that can't be read.
    pub fn list(home: &Path) -> Vec<Result<RemoteRecord, FleetError>> {
        let entries = std::fs::read_dir(remotes_dir(home)).into_iter().flatten().flatten();
        let has_record = |entry: &std::fs::DirEntry| entry.path().join(FILE).exists();
        let name = |entry: std::fs::DirEntry| entry.file_name().into_string().ok();
        let mut names: Vec<_> = entries.filter(has_record).filter_map(name).collect();
        names.sort();
        names.iter().map(|name| RemoteRecord::load(home, name)).collect()
    }
}

/// The folder with all remotes.
pub fn remotes_dir(home: &Path) -> PathBuf {
    home.join("remotes")
}

/// The folder with everything about one remote.
pub(crate) fn remote_folder(home: &Path, name: &str) -> Result<PathBuf, FleetError> {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > MAX_NAME || name.starts_with('-') || !name.chars().all(fine) {
        let what = format!("invalid remote name {name:?}: use at most {MAX_NAME} letters, digits, `-` and `_`");
        return Err(FleetError::Refused(what));
    }
    Ok(remotes_dir(home).join(name))
}

fn record_path(home: &Path, name: &str) -> Result<PathBuf, FleetError> {
    Ok(remote_folder(home, name)?.join(FILE))
}

/// Parses `nats://a,nats://b`. Later servers may omit the scheme.
pub fn parse_servers(text: &str) -> Result<Vec<String>, FleetError> {
    let refused = |url: &str, why: &str| {
        let url = without_password(url);
        FleetError::Refused(format!(
            "{url:?} is no server address: {why}; expected nats://host:port or tls://host:port"
        ))
    };
    let mut urls = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let full = if part.contains("://") { part.to_string() } else { format!("nats://{part}") };
        let url = Url::parse(&full).map_err(|error| refused(part, &error.to_string()))?;
        if !matches!(url.scheme(), "nats" | "tls") {
            return Err(refused(part, "the scheme is unknown"));
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(refused(part, "the host is missing"));
        }
        if !urls.contains(&full) {
            urls.push(full);
        }
    }
    match urls.len() {
        0 => Err(refused(text, "it is empty")),
        1..=MAX_SERVERS => Ok(urls),
        _ => Err(FleetError::Refused(format!("more than {MAX_SERVERS} servers were given"))),
    }
}

fn is_loopback_url(url: &str) -> bool {
    match Url::parse(url).ok().as_ref().and_then(Url::host_str) {
        Some("localhost") => true,
        Some(host) => {
            let host = host.trim_start_matches('[').trim_end_matches(']');
            host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        None => false,
    }
}

/// The address without user and password.
pub fn without_password(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        _ => url.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_1_server_lists_are_checked() {
        let urls = parse_servers("nats://a:4222, nats://b,c:4223").unwrap();
        assert_eq!(urls, ["nats://a:4222", "nats://b", "nats://c:4223"]);
        for bad in ["", ",", "http://a", "nats://", "ftp://u:secret@x"] {
            let error = parse_servers(bad).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn fl_1_tls_is_required_off_loopback() {
        let remote = |urls: &str| RemoteRecord::found("x", parse_servers(urls).unwrap(), "me").unwrap();
        assert!(remote("nats://127.0.0.1:1,nats://[::1]:2,nats://localhost").is_loopback());
        assert!(!remote("nats://127.0.0.1:1,nats://10.0.0.1").is_loopback());
        assert!(!remote("nats://localhost.example.com").is_loopback());
    }

    #[test]
    fn fl_1_remotes_are_private_files() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let remote = RemoteRecord::found("team", vec!["nats://u:pw@h".into()], "ann").unwrap();
        remote.save(home.path()).unwrap();
        let path = remotes_dir(home.path()).join("team/auth.json");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let loaded = RemoteRecord::load(home.path(), "team").unwrap();
        assert_eq!(
            (loaded.member_id().unwrap(), loaded.shown_urls()),
            (remote.member_id().unwrap(), "nats://h".into())
        );
        assert!(loaded.is_founder() && RemoteRecord::list(home.path()).len() == 1);
        assert!(["", "../x", "a/b", "-x", "a b"].iter().all(|name| RemoteRecord::load(home.path(), name).is_err()));
        RemoteRecord::remove(home.path(), "team").unwrap();
        assert!(RemoteRecord::load(home.path(), "team").is_err());
    }
}
