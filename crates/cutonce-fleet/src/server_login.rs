//! The credentials of this machine at a remote's servers (FL-1): a NATS credentials file that stays where it is, or a
//! secret in the keyring.

use crate::FleetError;
use crate::remote_record::{RemoteRecord, remote_folder};
use cutonce_agent::config::secret_store::SecretStore;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use url::Url;

/// A login that is kept in the keyring. Its `Debug` shows no secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ServerLogin {
    Password {
        user: String,
        password: String,
    },
    Token(String),
    /// The content of a NATS credentials file.
    Credentials(String),
}

impl std::fmt::Debug for ServerLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ServerLogin(…)")
    }
}

/// How this machine reaches the servers of a remote.
#[derive(Debug, Clone, Default)]
pub struct ServerAccess {
    /// A NATS credentials file.
    pub creds: Option<PathBuf>,
    /// A certificate of the servers' authority.
    pub ca: Option<PathBuf>,
    pub login: Option<ServerLogin>,
}

impl ServerAccess {
    /// The access that a stored remote has.
    pub fn of(home: &Path, record: &RemoteRecord) -> Result<ServerAccess, FleetError> {
        let login = match record.has_login {
            true => Some(load_login(home, &record.name)?),
            false => None,
        };
        Ok(ServerAccess { creds: record.creds.clone(), ca: record.ca.clone(), login })
    }

    /// Notes this access in the record; a login goes to the keyring.
    pub fn store(&self, home: &Path, record: &mut RemoteRecord) -> Result<(), FleetError> {
        let store = login_store(home, &record.name)?;
        match &self.login {
            Some(login) => {
                let text = serde_json::to_string(login).map_err(|error| FleetError::Refused(error.to_string()))?;
                let saved = store.save(&SecretString::from(text));
                saved.map_err(|error| FleetError::file("store the credentials", &store.file(), &error))?;
            }
            None => {
                let deleted = store.delete();
                deleted.map_err(|error| FleetError::file("remove the credentials", &store.file(), &error))?;
            }
        }
        (record.creds, record.ca, record.has_login) = (self.creds.clone(), self.ca.clone(), self.login.is_some());
        Ok(())
    }
}

pub(crate) fn login_store(home: &Path, remote: &str) -> Result<SecretStore, FleetError> {
    Ok(SecretStore::new(remote_folder(home, remote)?.join("login"), format!("remote-{remote}")))
}

fn load_login(home: &Path, remote: &str) -> Result<ServerLogin, FleetError> {
    let found = login_store(home, remote)?.load();
    let login = found.and_then(|text| serde_json::from_str(text.expose_secret()).ok());
    login.ok_or_else(|| {
        FleetError::Refused(format!(
            "the credentials of {remote} are no longer in the keyring; give them again with `cutonce remote login {remote}`"
        ))
    })
}

/// Takes user names, passwords and tokens out of the addresses.
pub fn take_login(urls: Vec<String>) -> Result<(Vec<String>, Option<ServerLogin>), FleetError> {
    let mut found: Option<ServerLogin> = None;
    let mut plain = Vec::new();
    for text in urls {
        let parsed = Url::parse(&text).ok().filter(|url| !url.username().is_empty() || url.password().is_some());
        plain.push(crate::remote_record::without_password(&text));
        let Some(url) = parsed else { continue };
        let user = percent_decoded(url.username());
        let login = match url.password() {
            Some(password) => ServerLogin::Password { user, password: percent_decoded(password) },
            None => ServerLogin::Token(user),
        };
        if found.as_ref().is_some_and(|known| *known != login) {
            return Err(FleetError::Refused("the addresses have different passwords; give one for all servers".into()));
        }
        found = Some(login);
    }
    Ok((plain, found))
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let code = more.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = more.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_1_passwords_leave_the_addresses() {
        let urls = ["nats://a%40b:p%2Fw@h:1", "nats://g:2"].map(String::from).to_vec();
        let (plain, login) = take_login(urls).unwrap();
        assert_eq!(plain, ["nats://h:1", "nats://g:2"]);
        assert_eq!(login, Some(ServerLogin::Password { user: "a@b".into(), password: "p/w".into() }));
        let (_, token) = take_login(vec!["tls://tok@h".into()]).unwrap();
        assert_eq!(token, Some(ServerLogin::Token("tok".into())));
        let error = take_login(vec!["nats://a:secret@h".into(), "nats://a:other@g".into()]).unwrap_err().to_string();
        assert!(error.contains("different passwords") && !error.contains("secret"), "{error}");
        assert!(!format!("{login:?}").contains("p/w"));
    }
}
