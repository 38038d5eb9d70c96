//! Logs in to servers that need OAuth, during a session or for `cutonce mcp login` (DU-10).

use super::super::error::McpError;
use super::McpServers;
use std::ffi::OsString;
#[cfg(feature = "mcp")]
use {
    super::super::definition::{OauthClient, ServerTransport},
    super::super::login::{LoginError, LoginFlow, LoginOptions, LoginStore},
    super::super::status::McpServerState,
    crate::browser::open_in_browser,
};

/// A server that can be logged in to.
#[cfg(feature = "mcp")]
pub struct LoginTarget {
    /// The name used in rules, which is also the name of its login.
    pub name: String,
    /// The exact address.
    pub url: String,
    /// The client of its definition.
    pub client: OauthClient,
    /// Where its login is kept.
    pub store: LoginStore,
}

#[cfg(feature = "mcp")]
impl McpServers {
    /// The address and login of a server.
    pub fn login_target(&self, name: &str) -> Result<LoginTarget, McpError> {
        let (declared, called) = self.find(name)?;
        if !self.may_start(&declared) {
            return Err(McpError::NeedsApproval { name: name.to_string(), file: declared.file });
        }
        let definition = self.expanded_definition(&declared)?;
        match definition.transport {
            ServerTransport::Http { url, .. } => {
                let store = LoginStore::new(&self.0.home, &called, &url);
                Ok(LoginTarget { name: called, url, client: definition.oauth, store })
            }
            ServerTransport::Stdio { .. } | ServerTransport::Sdk { .. } => {
                Err(format!("{called} is a program, not a URL; it needs no login").into())
            }
        }
    }

    /// Logs in to a server in the background, in the browser that `env` names. The server restarts after the answer.
    pub fn log_in(&self, name: &str, env: Vec<(OsString, OsString)>) -> Result<(), McpError> {
        let target = self.login_target(name)?;
        let (servers, called) = (self.clone(), target.name.clone());
        let work = async move {
            let told = match servers.run_login(target, env).await {
                Ok(()) => return drop(servers.reconnect(&called)),
                Err(why) => format!("{why}; try again: cutonce mcp login {called}"),
            };
            servers.0.set_state(&called, McpServerState::NeedsAuth(told));
        };
        let called = self.find(name)?.1;
        self.0.update_entry(&called, |entry| {
            entry.stop();
            entry.state = McpServerState::NeedsAuth("waiting for the login in your browser".into());
        });
        let task = tokio::spawn(work);
        self.0.update_entry(&called, |entry| entry.task = Some(task.abort_handle()));
        Ok(())
    }

    async fn run_login(&self, target: LoginTarget, env: Vec<(OsString, OsString)>) -> Result<(), LoginError> {
        let LoginTarget { name, url, client, store } = target;
        let options = LoginOptions {
            client_id: client.id,
            scopes: client.scopes,
            callback_port: client.callback_port,
            ..LoginOptions::default()
        };
        let flow = LoginFlow::start(store, &name, &url, options).await?;
        if let Err(why) = open_in_browser(flow.browser_url(), env) {
            let told = format!("waiting for your login ({why}): open {}", flow.browser_url());
            self.0.update_entry(&name, |entry| entry.state = McpServerState::NeedsAuth(told));
        }
        flow.finish(None).await
    }
}

#[cfg(not(feature = "mcp"))]
impl McpServers {
    /// This build can't log in.
    pub fn log_in(&self, _: &str, _: Vec<(OsString, OsString)>) -> Result<(), McpError> {
        Err("this build has no MCP client".into())
    }
}
