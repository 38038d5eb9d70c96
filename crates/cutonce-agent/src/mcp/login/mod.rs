//! Logins for MCP servers that need OAuth (DU-10), based on the auth support of the crate `rmcp`.
//!
//! A login is bound to a server's name and exact address, so a changed definition never receives another server's
//! token. Tokens go to the server and its authorization server, and to no other place.

mod callback;
mod flow;
mod http_client;
mod store;
mod token;

pub use flow::{LoginFlow, LoginOptions};
pub use store::LoginStore;
pub(super) use token::ServerToken;

use rmcp::transport::auth::AuthError;

/// Why a login failed; says what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// The server's address can't be used for a login.
    #[error("{0}")]
    Address(String),
    /// The server publishes nothing about OAuth.
    #[error("{0} offers no OAuth login. If it needs a token, add it as a header to the server's definition")]
    NotOffered(String),
    /// The authorization server can't be used.
    #[error("the authorization server can't be used: {0}")]
    Server(String),
    /// The authorization server registers no clients.
    #[error("{0}. Register cutonce there yourself, then: cutonce mcp login NAME --client-id ID")]
    Registration(String),
    /// The browser came back with an error or a forged answer.
    #[error("the login was not completed: {0}")]
    Answer(String),
    /// The browser did not come back.
    #[error("no answer from the browser within {0} minutes; nothing was stored. Run the login again")]
    TimedOut(u64),
    /// The login can't be stored or read.
    #[error("the login can't be stored: {0}")]
    Store(String),
}

/// Maximum length of another server's text in an error.
const MAX_TEXT: usize = 300;

/// Explains an error of the crate `rmcp` in one line.
fn explain(error: &AuthError) -> String {
    let text = match error {
        AuthError::PkceUnsupported => "it does not support PKCE with S256, which a safe login needs".to_string(),
        AuthError::AuthorizationServerMismatch { expected_issuer, received_issuer } => {
            format!("it calls itself {received_issuer}, but {expected_issuer} was expected")
        }
        AuthError::AuthorizationServerMissingIssuer { expected_issuer } => {
            format!("its answer does not name its issuer, and {expected_issuer} was expected")
        }
        AuthError::TokenExchangeFailed(text)
        | AuthError::TokenRefreshFailed(text)
        | AuthError::TokenRefreshRejected(text)
        | AuthError::MetadataError(text)
        | AuthError::RegistrationFailed(text)
        | AuthError::AuthorizationFailed(text)
        | AuthError::OAuthError(text)
        | AuthError::CredentialStoreError(text) => text.clone(),
        other => other.to_string(),
    };
    super::tool::sanitize_and_truncate(&cutonce_core::text::sanitize::one_line(&text), MAX_TEXT)
}
