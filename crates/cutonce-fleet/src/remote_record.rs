//! A remote as this machine knows it (FL-1): servers, credentials, own keys, the group's keys. One private file each.

use crate::FleetError;
use crate::envelope::{EpochKey, GroupKeys};
use crate::hex;
use crate::member_keys::{MemberId, MemberPublicKeys, MemberSecret, random_bytes};
use cutonce_agent::storage::paths::write_private;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use url::Url;

const MAX_NAME: usize = 40;
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
    /// A certificate of the servers' authority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
    /// Names the group on the server.
    pub group: String,
    pub founder: MemberPublicKeys,
    /// What other members see.
    pub label: String,
    seed: String,
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
            ca: None,
            group: hex::text(&random_bytes::<8>()?),
            founder: secret.public(),
            label: label.into(),
            seed: secret.seed_hex(),
            epochs: BTreeMap::from([(1, hex::text(&random_bytes::<32>()?))]),
            head: String::new(),
        })
    }

    /// Membership in an existing group, with new keys of this machine.
    pub fn join(
        name: &str,
        urls: Vec<String>,
        group: &str,
        founder: MemberPublicKeys,
        epochs: BTreeMap<u32, String>,
        label: &str,
    ) -> Result<RemoteRecord, FleetError> {
        let new = RemoteRecord::found(name, urls, label)?;
        Ok(RemoteRecord { group: group.into(), founder, epochs, ..new })
    }

    pub fn secret(&self) -> Result<MemberSecret, FleetError> {
        MemberSecret::parse(&self.seed).ok_or_else(|| self.damaged("the key"))
    }
    pub fn replace_secret(&mut self, secret: &MemberSecret) {
        self.seed = secret.seed_hex();
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
    pub fn exists(home: &Path, name: &str) -> bool {
        record_path(home, name).is_ok_and(|path| path.exists())
    }
    pub fn remove(home: &Path, name: &str) -> Result<(), FleetError> {
        RemoteRecord::load(home, name)?;
        let path = record_path(home, name)?;
        std::fs::remove_file(&path).map_err(|error| FleetError::file("remove the remote", &path, &error))
    }
    /// All remotes by name, and the names of those that can't be read.
    pub fn list(home: &Path) -> Vec<Result<RemoteRecord, FleetError>> {
        let entries = std::fs::read_dir(remotes_dir(home)).into_iter().flatten().flatten();
        let stem = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_string());
        let is_record = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
        let mut names: Vec<_> = entries.map(|entry| entry.path()).filter(is_record).filter_map(stem).collect();
        names.sort();
        names.iter().map(|name| RemoteRecord::load(home, name)).collect()
    }
}

/// The folder with all remotes.
pub fn remotes_dir(home: &Path) -> PathBuf {
    home.join("remotes")
}

fn record_path(home: &Path, name: &str) -> Result<PathBuf, FleetError> {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > MAX_NAME || name.starts_with('-') || !name.chars().all(fine) {
        let what = format!("invalid remote name {name:?}: use at most {MAX_NAME} letters, digits, `-` and `_`");
        return Err(FleetError::Refused(what));
    }
    Ok(remotes_dir(home).join(format!("{name}.json")))
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
        let path = remotes_dir(home.path()).join("team.json");
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
