//! Keeps logins, one secret per server name and address.

use super::LoginError;
use crate::config::secret_store::SecretStore;
use crate::storage::paths::{create_private_dir, private_options, to_hex};
use async_trait::async_trait;
use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

/// Where the login of one server is kept.
#[derive(Debug, Clone)]
pub struct LoginStore(SecretStore);

/// A stored login. Its `Debug` shows no token.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredLogin {
    /// Only for the user who looks into the file.
    pub server: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<ClientSecret>,
    pub credentials: StoredCredentials,
}

/// The secret of a client; never printed.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ClientSecret(pub String);

impl std::fmt::Debug for ClientSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClientSecret(…)")
    }
}

impl LoginStore {
    /// The store for the server `name` at exactly this address; `home` is the cutonce home.
    pub fn new(home: &Path, name: &str, url: &str) -> LoginStore {
        let hash = to_hex(&Sha256::digest(format!("{name}\n{url}").as_bytes()));
        let short = hash.get(..32).unwrap_or_default();
        LoginStore(SecretStore::new(home.join("mcp-logins").join(short), format!("mcp-login-{short}")))
    }

    /// The stored login, if there is one. A damaged one is treated as missing.
    pub(super) fn load(&self) -> Option<StoredLogin> {
        serde_json::from_str(self.0.load()?.expose_secret()).ok()
    }

    pub(super) fn save(&self, login: &StoredLogin) -> Result<(), LoginError> {
        let text = serde_json::to_string(login).map_err(|error| LoginError::Store(error.to_string()))?;
        self.0.save(&text.into()).map(drop).map_err(|error| LoginError::Store(error.to_string()))
    }

    /// Deletes the login; false if there was none.
    pub fn delete(&self) -> Result<bool, LoginError> {
        self.0.delete().map_err(|error| LoginError::Store(error.to_string()))
    }

    #[cfg(test)]
    fn has_login(&self) -> bool {
        self.load().is_some()
    }

    /// Where the login is, for the user.
    pub fn place(&self) -> String {
        if self.0.file().exists() {
            format!("{}; only you can read it", self.0.file().display())
        } else {
            "the keyring".into()
        }
    }
}

/// The part of a stored login that `rmcp` reads and writes.
pub(super) struct CredentialPart {
    pub store: LoginStore,
    pub server: String,
    pub client_secret: Option<ClientSecret>,
}

#[async_trait]
impl CredentialStore for CredentialPart {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(self.store.load().map(|login| login.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let login = StoredLogin { server: self.server.clone(), client_secret: self.client_secret.clone(), credentials };
        self.store.save(&login).map_err(|error| AuthError::CredentialStoreError(error.to_string()))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        let deleted = self.store.delete();
        deleted.map(drop).map_err(|error| AuthError::CredentialStoreError(error.to_string()))
    }

    /// Several processes may renew at once, and a refresh token often works only once.
    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let folder = self.store.0.folder().to_path_buf();
        let lock = move || {
            create_private_dir(&folder)?;
            let file = private_options().create(true).write(true).truncate(false).open(folder.join("lock"))?;
            file.lock().map(|()| file)
        };
        let failed = |error: String| AuthError::CredentialStoreError(error);
        let locked = tokio::task::spawn_blocking(lock).await.map_err(|error| failed(error.to_string()))?;
        locked.map(|file| Some(CredentialRefreshGuard::new(file))).map_err(|error| failed(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login(token: &str) -> StoredLogin {
        let tokens = serde_json::json!({"access_token": token, "token_type": "bearer", "refresh_token": "r-s3cr3t"});
        let tokens = serde_json::from_value(tokens).unwrap();
        let credentials = StoredCredentials::new("client".into(), Some(tokens), Vec::new(), Some(1));
        StoredLogin { server: "s".into(), client_secret: Some(ClientSecret("c-s3cr3t".into())), credentials }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn du_10_logins_are_private_and_bound_to_an_address() {
        let home = tempfile::tempdir().unwrap();
        let store = LoginStore::new(home.path(), "s", "https://a/mcp");
        assert!(!store.has_login() && !store.delete().unwrap());
        store.save(&login("a-s3cr3t")).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(store.0.file()).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
        assert!(cutonce_tools::secret_files::leads_to_secret(&store.0.file(), None));
        assert!(store.has_login());
        assert!(!LoginStore::new(home.path(), "s", "https://b/mcp").has_login());
        assert!(!LoginStore::new(home.path(), "t", "https://a/mcp").has_login());
        assert!(!format!("{:?}", store.load().unwrap()).contains("s3cr3t"));
        std::fs::write(store.0.file(), "{ broken").unwrap();
        assert!(!store.has_login() && store.delete().unwrap());
    }
}
