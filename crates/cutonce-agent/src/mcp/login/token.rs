//! The access token of a connection, renewed when it expires or the server refuses it.

use super::flow::{client_for, discover};
use super::store::{CredentialPart, StoredLogin};
use super::{LoginError, LoginStore, explain};
use crate::storage::redact::Redactor;
use rmcp::transport::auth::{AuthError, OAuthClientConfig};
use secrecy::SecretString;
use serde_json::Value;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A token that expires sooner than this is renewed first.
const RENEW_BEFORE_SECONDS: u64 = 30;

/// Gives a connection the token of its login.
pub(in crate::mcp) struct ServerToken {
    store: LoginStore,
    url: String,
    /// Learns each token, so that a server can't bring one into the conversation (MO-4).
    redactor: Option<Arc<Redactor>>,
    /// The login in use. One renewal at a time.
    login: tokio::sync::Mutex<Option<StoredLogin>>,
}

impl ServerToken {
    pub(in crate::mcp) fn new(store: LoginStore, url: &str, redactor: Option<Arc<Redactor>>) -> ServerToken {
        ServerToken { store, url: url.to_string(), redactor, login: tokio::sync::Mutex::default() }
    }

    /// The current token; `None` without a login.
    pub(in crate::mcp) async fn current(&self) -> Result<Option<SecretString>, LoginError> {
        let mut login = self.login.lock().await;
        if login.is_none() {
            *login = self.load().await;
        }
        if login.as_ref().is_some_and(expires_soon) {
            *login = self.renew(login.take()).await?;
        }
        Ok(login.as_ref().and_then(|login| self.access_token(login)))
    }

    /// A new token after the server refused this one; `None` if the user must log in again.
    pub(in crate::mcp) async fn after_refusal(
        &self,
        refused: &SecretString,
    ) -> Result<Option<SecretString>, LoginError> {
        let mut login = self.login.lock().await;
        // Another process may have renewed it.
        *login = self.load().await;
        let same = |login: &StoredLogin| {
            let token = self.access_token(login);
            token.as_ref().map(expose) == Some(expose(refused))
        };
        if login.as_ref().is_some_and(same) {
            *login = self.renew(login.take()).await?;
        }
        Ok(login.as_ref().filter(|login| !same(login)).and_then(|login| self.access_token(login)))
    }

    /// Reads the login on another thread: a keyring may ask the user.
    async fn load(&self) -> Option<StoredLogin> {
        let store = self.store.clone();
        tokio::task::spawn_blocking(move || store.load()).await.ok().flatten()
    }

    /// Fetches a new token; `None` if the authorization server wants the user.
    async fn renew(&self, old: Option<StoredLogin>) -> Result<Option<StoredLogin>, LoginError> {
        let Some(old) = old else { return Ok(None) };
        let (server, http) = client_for(&self.url)?;
        let (mut manager, _) = discover(&server, &http).await?;
        let client_secret = old.client_secret.clone();
        let part = CredentialPart { store: self.store.clone(), server: old.server.clone(), client_secret };
        manager.set_credential_store(part);
        let failed = |error: AuthError| {
            let why = http.take_failure().unwrap_or_else(|| explain(&error));
            LoginError::Server(format!("the login could not be renewed: {why}"))
        };
        // Compares the issuer with the one of the login, and forgets the login if it is another.
        if !manager.initialize_from_store().await.map_err(failed)? {
            return Ok(None);
        }
        if let Some(secret) = &old.client_secret {
            let config = OAuthClientConfig::new(&old.credentials.client_id, &self.url).with_client_secret(&secret.0);
            manager.configure_client(config).map_err(failed)?;
        }
        match manager.refresh_token().await {
            Ok(_) => Ok(self.load().await),
            Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    fn access_token(&self, login: &StoredLogin) -> Option<SecretString> {
        let tokens = token_fields(login);
        if let Some(redactor) = &self.redactor {
            for field in ["access_token", "refresh_token", "id_token"] {
                redactor.add_secret("MCP_LOGIN", tokens[field].as_str().unwrap_or_default());
            }
        }
        tokens["access_token"].as_str().map(SecretString::from)
    }
}

fn expose(token: &SecretString) -> &str {
    secrecy::ExposeSecret::expose_secret(token)
}

/// The token answer as JSON; its type belongs to a crate that `rmcp` hides.
fn token_fields(login: &StoredLogin) -> Value {
    serde_json::to_value(&login.credentials.token_response).unwrap_or_default()
}

fn expires_soon(login: &StoredLogin) -> bool {
    let (lifetime, received) = (token_fields(login)["expires_in"].as_u64(), login.credentials.token_received_at);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    lifetime.zip(received).is_some_and(|(life, received)| received.saturating_add(life) < now + RENEW_BEFORE_SECONDS)
}
