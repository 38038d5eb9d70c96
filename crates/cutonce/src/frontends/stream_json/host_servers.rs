//! MCP servers inside the host's process (HO-1): their messages travel as control requests. Names, limits,
//! permissions and plan mode work as for every server.

use super::peer::HostPeer;
use async_trait::async_trait;
use cutonce_agent::mcp::{RemoteError, RemoteServer, ServerInfo};
use cutonce_core::sync::LockUnpoisoned;
use serde_json::{Value, json};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio_util::sync::CancellationToken;

const PROTOCOL: &str = "2025-06-18";
/// Maximum number of pages in a list, against misbehaving servers.
const MOST_PAGES: usize = 50;

pub struct HostServer {
    name: String,
    peer: HostPeer,
    next: AtomicU64,
    about: Mutex<ServerInfo>,
}

/// Servers of this kind from `--mcp-config` and from `initialize`.
pub fn host_server_names(config: &[String], initialize: &[String]) -> Vec<String> {
    let mut names: Vec<String> = initialize.to_vec();
    for text in config {
        let given = serde_json::from_str::<Value>(text).ok();
        let given = given.or_else(|| serde_json::from_slice(&std::fs::read(text).ok()?).ok()).unwrap_or_default();
        let servers = given["mcpServers"].as_object().into_iter().flatten();
        names.extend(servers.filter(|(_, server)| server["type"] == "sdk").map(|(name, _)| name.clone()));
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

impl HostServer {
    pub fn new(name: &str, peer: &HostPeer) -> Self {
        Self { name: name.into(), peer: peer.clone(), next: AtomicU64::new(0), about: Mutex::default() }
    }

    async fn send_message(&self, message: Value) -> Result<Value, RemoteError> {
        let request = json!({"subtype": "mcp_message", "server_name": self.name, "message": message});
        let answer =
            self.peer.send_request(request).await.map_err(|error| RemoteError::Unavailable(error.to_string()))?;
        Ok(answer["mcp_response"].clone())
    }

    async fn send_request(&self, id: u64, method: &str, params: Value) -> Result<Value, RemoteError> {
        let answer = self.send_message(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        match (answer.get("error"), answer.get("result")) {
            (Some(error), _) => Err(RemoteError::Refused {
                code: error["code"].as_i64().unwrap_or_default(),
                message: error["message"].as_str().unwrap_or("no reason given").chars().take(2000).collect(),
            }),
            (None, Some(result)) => Ok(result.clone()),
            (None, None) => Err(RemoteError::InvalidAnswer(format!("it gave no result to {method}"))),
        }
    }

    fn next_id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    async fn connect(&self) -> Result<(), RemoteError> {
        let client = json!({"name": "cutonce", "version": env!("CARGO_PKG_VERSION")});
        let params = json!({"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client});
        let said = self.send_request(self.next_id(), "initialize", params).await?;
        let text = |value: &Value| value.as_str().map(|text| text.chars().take(4000).collect::<String>());
        *self.about.lock_unpoisoned() = ServerInfo {
            name: text(&said["serverInfo"]["name"]),
            version: text(&said["serverInfo"]["version"]),
            instructions: text(&said["instructions"]),
            ..ServerInfo::default()
        };
        // The host acknowledges a notification with an empty answer.
        self.send_message(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await.map(|_| ())
    }
}

#[async_trait]
impl RemoteServer for HostServer {
    async fn list_tools(&self) -> Result<Vec<Value>, RemoteError> {
        self.connect().await?;
        let (mut tools, mut params) = (Vec::new(), json!({}));
        for _ in 0..MOST_PAGES {
            let page = self.send_request(self.next_id(), "tools/list", params).await?;
            tools.extend(page["tools"].as_array().into_iter().flatten().cloned());
            match page["nextCursor"].as_str() {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => return Ok(tools),
            }
        }
        Err(RemoteError::InvalidAnswer(format!("its list of tools has more than {MOST_PAGES} pages")))
    }

    async fn call(&self, tool: &str, input: Value, stop: &CancellationToken) -> Result<Value, RemoteError> {
        let id = self.next_id();
        tokio::select! {
            result = self.send_request(id, "tools/call", json!({"name": tool, "arguments": input})) => result,
            // Dropping the request withdraws it; the server gets a cancellation as well.
            () = stop.cancelled() => {
                let params = json!({"requestId": id, "reason": "the user interrupted"});
                let told = self.send_message(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
                let _ = tokio::time::timeout(std::time::Duration::from_secs(1), told).await;
                Err(RemoteError::Stopped)
            }
        }
    }

    fn server_info(&self) -> ServerInfo {
        self.about.lock_unpoisoned().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_1_host_servers_come_from_flag_or_initialize() {
        let config = [r#"{"mcpServers":{"calc":{"type":"sdk","name":"calc"},"other":{"command":"x"}}}"#.to_string()];
        assert_eq!(host_server_names(&config, &["calc".into(), "mail".into()]), ["calc", "mail"]);
        assert_eq!(host_server_names(&["/no/such/file".into()], &[]), [""; 0]);
    }
}
