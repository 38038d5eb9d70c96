//! Reconnects, disables and enables servers during a session (HO-1, HO-6).

use super::super::error::McpError;
use super::super::sources::ServerScope;
use super::super::status::McpServerState;
use super::{McpServers, PendingTools, ServerEntry};
use std::sync::atomic::Ordering;

impl McpServers {
    /// Restarts a server.
    pub fn reconnect(&self, name: &str) -> Result<(), McpError> {
        let (declared, called) = self.find(name)?;
        if !self.may_start(&declared) {
            return Err(McpError::NeedsApproval { name: name.to_string(), file: declared.file });
        }
        let mut old = None;
        self.0.update_entry(&called, |entry| {
            entry.stop();
            entry.state = McpServerState::Pending;
            // The session's tools still use the old connection, even if the new tools are the same.
            if !entry.tools.is_empty() && entry.pending_tools == PendingTools::Nothing {
                entry.pending_tools = PendingTools::Changed;
            }
            old = entry.remote.take();
        });
        match (declared.scope, old) {
            // The host's server is listed again; the host starts it or not.
            (ServerScope::Host, Some(remote)) => self.spawn_listing(&called, remote),
            (ServerScope::Host, None) => {
                return Err(format!("{name} runs inside the host; only the host can start it").into());
            }
            (_, old) => {
                if let Some(old) = old {
                    tokio::spawn(async move { old.close().await });
                }
                self.connect_and_run(&called);
            }
        }
        Ok(())
    }

    /// Disables or enables a server for this session. A disabled server ends, and its tools leave with the next turn.
    pub async fn set_enabled(&self, name: &str, on: bool) -> Result<(), McpError> {
        if on {
            return self.reconnect(name);
        }
        let (declared, called) = self.find(name)?;
        let mut ended = None;
        self.0.update_entry(&called, |entry| {
            switch_off(entry);
            // Keep a host's server for enabling it again.
            ended = if declared.scope == ServerScope::Host { None } else { entry.remote.take() };
        });
        self.0.removed.store(true, Ordering::Relaxed);
        if let Some(remote) = ended {
            remote.close().await;
        }
        Ok(())
    }

    /// Waits until the server has started, or returns why it has not.
    pub async fn wait_until_running(&self, name: &str) -> Result<(), McpError> {
        let (_, called) = self.find(name)?;
        self.wait_until_started(Some(std::slice::from_ref(&called))).await;
        let state = self.status().into_iter().find(|one| one.short_name == called).map(|one| one.state);
        match state {
            Some(McpServerState::Connected) => Ok(()),
            Some(McpServerState::Failed(why) | McpServerState::NeedsAuth(why)) => Err(why.into()),
            Some(McpServerState::Pending | McpServerState::NeedsApproval | McpServerState::Disabled) | None => {
                Err(format!("{called} is not running").into())
            }
        }
    }
}

fn switch_off(entry: &mut ServerEntry) {
    entry.stop();
    entry.state = McpServerState::Disabled;
    entry.pending_tools = PendingTools::Nothing;
    entry.tools.clear();
    entry.session_tools.clear();
}
