//! One login: finds the authorization server, registers, sends the user to the browser, and stores the tokens.

use super::callback::{CallbackAnswer, CallbackListener, parse_answer};
use super::http_client::{LoginHttpClient, check_address};
use super::store::{ClientSecret, CredentialPart};
use super::{LoginError, LoginStore, explain};
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, AuthorizationMetadataSource, OAuthClientConfig,
};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// How long the user may take in the browser.
const BROWSER_MINUTES: u64 = 10;

/// Choices for a login.
#[derive(Debug, Clone, Default)]
pub struct LoginOptions {
    /// A client that the user registered; without it, cutonce registers itself.
    pub client_id: Option<String>,
    /// The secret of that client.
    pub client_secret: Option<secrecy::SecretString>,
    /// Scopes to ask for; by default those that the server names.
    pub scopes: Vec<String>,
    /// The loopback port for the browser's answer; by default a free one.
    pub callback_port: Option<u16>,
}

/// A login that waits for the browser.
pub struct LoginFlow {
    manager: AuthorizationManager,
    http: Arc<LoginHttpClient>,
    listener: CallbackListener,
    browser_url: String,
    state: String,
}

impl LoginFlow {
    /// Prepares a login for the server `name` at `url`.
    pub async fn start(
        store: LoginStore,
        name: &str,
        url: &str,
        options: LoginOptions,
    ) -> Result<LoginFlow, LoginError> {
        let (server, http) = client_for(url)?;
        let listener = CallbackListener::bind(options.callback_port).await?;
        let (mut manager, metadata) = discover(&server, &http).await?;
        let scopes = match options.scopes.is_empty() {
            true => manager.select_initial_scopes(&[]).await,
            false => options.scopes.clone(),
        };
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let config = client_config(&mut manager, &metadata, &options, &listener, &scopes, &http).await?;
        let client_secret = config.client_secret.clone().map(ClientSecret);
        manager.set_credential_store(CredentialPart { store, server: name.to_string(), client_secret });
        let unusable = |error: AuthError| LoginError::Server(explain(&error));
        manager.configure_client(config).map_err(unusable)?;
        let browser_url = manager.get_authorization_url(&scopes).await.map_err(unusable)?;
        let parsed = Url::parse(&browser_url).map_err(|error| LoginError::Server(error.to_string()))?;
        check_address(&parsed, &server).map_err(|error| LoginError::Server(error.to_string()))?;
        let state = parsed.query_pairs().find(|(key, _)| key == "state").map(|(_, value)| value.into_owned());
        let state = state.ok_or_else(|| LoginError::Server("its address for the browser is damaged".into()))?;
        Ok(LoginFlow { manager, http, listener, browser_url, state })
    }

    /// The address to open in the browser.
    pub fn browser_url(&self) -> &str {
        &self.browser_url
    }

    /// Waits for the browser's answer, fetches the tokens and stores them. `pasted` gives addresses that the user
    /// typed, for a browser on another machine.
    pub async fn finish(self, pasted: Option<tokio::sync::mpsc::Receiver<String>>) -> Result<(), LoginError> {
        let LoginFlow { manager, http, listener, state, .. } = self;
        let browser = listener.wait(&state);
        let typed = typed_answer(pasted, &state);
        futures_util::pin_mut!(browser, typed);
        let first = futures_util::future::select(browser, typed);
        let limit = Duration::from_secs(BROWSER_MINUTES * 60);
        let first = tokio::time::timeout(limit, first).await.map_err(|_| LoginError::TimedOut(BROWSER_MINUTES))?;
        let CallbackAnswer { code, issuer } = first.factor_first().0?;
        let exchanged = manager.exchange_code_for_token_with_issuer(&code, &state, issuer.as_deref()).await;
        exchanged.map(drop).map_err(|error| match error {
            AuthError::CredentialStoreError(why) => LoginError::Store(why),
            AuthError::TokenExchangeFailed(why) => {
                LoginError::Answer(format!("no token was received: {}", http.take_failure().unwrap_or(why)))
            }
            error => LoginError::Answer(explain(&error)),
        })
    }
}

/// The first pasted address that belongs to this login; waits forever if nothing can be pasted.
async fn typed_answer(
    pasted: Option<tokio::sync::mpsc::Receiver<String>>,
    state: &str,
) -> Result<CallbackAnswer, LoginError> {
    let Some(mut pasted) = pasted else { return std::future::pending().await };
    while let Some(line) = pasted.recv().await {
        if let Ok(address) = Url::parse(line.trim()) {
            return parse_answer(&address, state);
        }
    }
    std::future::pending().await
}

/// Checks the server's address and makes a client for its login.
pub(super) fn client_for(url: &str) -> Result<(Url, Arc<LoginHttpClient>), LoginError> {
    let server = Url::parse(url).map_err(|error| LoginError::Address(format!("`url`: {error}")))?;
    // The token must not cross a network in plain text.
    check_address(&server, &server).map_err(|why| LoginError::Address(format!("{why}; a login needs HTTPS")))?;
    let http = LoginHttpClient::new(&server)?;
    Ok((server, http))
}

/// Finds the authorization server that the MCP server names.
pub(super) async fn discover(
    server: &Url,
    http: &Arc<LoginHttpClient>,
) -> Result<(AuthorizationManager, AuthorizationMetadata), LoginError> {
    let unusable = |error: AuthError| LoginError::Server(http.take_failure().unwrap_or_else(|| explain(&error)));
    let made = AuthorizationManager::new_with_oauth_http_client(server.clone(), http.clone()).await;
    let mut manager = made.map_err(unusable)?;
    let mut found = manager.resolve_metadata().await.map_err(unusable)?;
    if found.source == AuthorizationMetadataSource::LegacyEndpointFallback {
        return Err(LoginError::NotOffered(server.host_str().unwrap_or_default().to_string()));
    }
    for endpoint in [&found.metadata.authorization_endpoint, &found.metadata.token_endpoint] {
        let address = Url::parse(endpoint).map_err(|error| LoginError::Server(error.to_string()))?;
        check_address(&address, server).map_err(|error| LoginError::Server(error.to_string()))?;
    }
    prefer_secret_in_body(&mut found.metadata);
    manager.set_metadata(found.metadata.clone());
    Ok((manager, found.metadata))
}

/// Some servers (PyPI's `mcp`) want the client's id in the body even if the header has it.
fn prefer_secret_in_body(metadata: &mut AuthorizationMetadata) {
    let methods = metadata.additional_fields.get_mut("token_endpoint_auth_methods_supported");
    if let Some(methods) = methods.and_then(serde_json::Value::as_array_mut)
        && methods.iter().any(|method| method == "client_secret_post")
    {
        methods.retain(|method| method != "client_secret_basic");
    }
}

/// The user's own client, or one that is registered now.
async fn client_config(
    manager: &mut AuthorizationManager,
    metadata: &AuthorizationMetadata,
    options: &LoginOptions,
    listener: &CallbackListener,
    scopes: &[&str],
    http: &LoginHttpClient,
) -> Result<OAuthClientConfig, LoginError> {
    if let Some(client_id) = &options.client_id {
        let config = OAuthClientConfig::new(client_id, listener.redirect_uri());
        let secret = options.client_secret.as_ref().map(secrecy::ExposeSecret::expose_secret);
        return Ok(match secret {
            Some(secret) => config.with_client_secret(secret),
            None => config,
        });
    }
    if metadata.registration_endpoint.is_none() {
        return Err(LoginError::Registration("the authorization server registers no clients by itself".into()));
    }
    let registered = manager.register_client("cutonce", listener.redirect_uri(), scopes).await;
    registered.map_err(|error| match error {
        AuthError::PkceUnsupported => LoginError::Server(explain(&error)),
        error => {
            let why = http.take_failure().unwrap_or_else(|| explain(&error));
            LoginError::Registration(format!("the authorization server did not register cutonce: {why}"))
        }
    })
}
