//! MCP servers inside the host's own process (HO-1): their messages travel as control requests. Everything else about them (names,
//! bounds, permissions, plan mode) is what it is for every server.

use super::peer::Peer;
use async_trait::async_trait;
use cutonce_agent::mcp::{About, Remote, RemoteError};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

const PROTOCOL: &str = "2025-06-18";
/// Pages of a list; a server that has more is playing with us.
const MOST_PAGES: usize = 50;

pub struct HostServer {
    name: String,
    peer: Peer,
    next: AtomicU64,
    about: Mutex<About>,
}

/// The servers of this kind that `--mcp-config` names, and those that `initialize` named.
pub fn named(config: &[String], initialize: &[String]) -> Vec<String> {
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
    pub fn new(name: &str, peer: &Peer) -> Self {
        Self { name: name.into(), peer: peer.clone(), next: AtomicU64::new(0), about: Mutex::default() }
    }

    async fn send(&self, message: Value) -> Result<Value, RemoteError> {
        let request = json!({"subtype": "mcp_message", "server_name": self.name, "message": message});
        let answer = self.peer.request(request).await.map_err(RemoteError::Gone)?;
        Ok(answer["mcp_response"].clone())
    }

    async fn ask(&self, id: u64, method: &str, params: Value) -> Result<Value, RemoteError> {
        let answer = self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        match (answer.get("error"), answer.get("result")) {
            (Some(error), _) => Err(RemoteError::Refused {
                code: error["code"].as_i64().unwrap_or_default(),
                message: error["message"].as_str().unwrap_or("no reason given").chars().take(2000).collect(),
            }),
            (None, Some(result)) => Ok(result.clone()),
            (None, None) => Err(RemoteError::Failed(format!("it gave no result to {method}"))),
        }
    }

    fn id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    async fn connect(&self) -> Result<(), RemoteError> {
        let client = json!({"name": "cutonce", "version": env!("CARGO_PKG_VERSION")});
        let params = json!({"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client});
        let said = self.ask(self.id(), "initialize", params).await?;
        let text = |value: &Value| value.as_str().map(|text| text.chars().take(4000).collect::<String>());
        *self.about.lock().unwrap_or_else(PoisonError::into_inner) = About {
            name: text(&said["serverInfo"]["name"]),
            version: text(&said["serverInfo"]["version"]),
            instructions: text(&said["instructions"]),
            ..About::default()
        };
        // The host acknowledges a notification with an empty answer.
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await.map(|_| ())
    }
}

#[async_trait]
impl Remote for HostServer {
    async fn list_tools(&self) -> Result<Vec<Value>, RemoteError> {
        self.connect().await?;
        let (mut tools, mut params) = (Vec::new(), json!({}));
        for _ in 0..MOST_PAGES {
            let page = self.ask(self.id(), "tools/list", params).await?;
            tools.extend(page["tools"].as_array().into_iter().flatten().cloned());
            match page["nextCursor"].as_str() {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => return Ok(tools),
            }
        }
        Err(RemoteError::Failed(format!("its list of tools has more than {MOST_PAGES} pages")))
    }

    async fn call(&self, tool: &str, input: Value, stop: &CancellationToken) -> Result<Value, RemoteError> {
        let id = self.id();
        tokio::select! {
            result = self.ask(id, "tools/call", json!({"name": tool, "arguments": input})) => result,
            // The dropped question takes itself back; the server is told as well.
            () = stop.cancelled() => {
                let params = json!({"requestId": id, "reason": "the user interrupted"});
                let told = self.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
                let _ = tokio::time::timeout(std::time::Duration::from_secs(1), told).await;
                Err(RemoteError::Stopped)
            }
        }
    }

    fn about(&self) -> About {
        self.about.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_1_servers_of_the_host_are_named_by_flag_or_by_initialize() {
        let config = [r#"{"mcpServers":{"calc":{"type":"sdk","name":"calc"},"other":{"command":"x"}}}"#.to_string()];
        assert_eq!(named(&config, &["calc".into(), "mail".into()]), ["calc", "mail"]);
        assert_eq!(named(&["/no/such/file".into()], &[]), [""; 0]);
    }
}
