//! MCP control requests of the host: status, set, reconnect, enable and disable (HO-1, HO-6). Slow work runs
//! in the background and is answered when done.

use super::SdkHost;
use super::host_servers::HostServer;
use super::peer::HostPeer;
use cutonce_agent::mcp::sources::{DeclaredServer, ServerScope};
use cutonce_agent::mcp::{McpServerState, McpServers};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How long an answer waits for servers that are starting; later ones join later.
const START_TIMEOUT: Duration = Duration::from_secs(5);

impl SdkHost {
    pub(super) fn mcp_status(&self) -> Value {
        let servers = self.session.mcp().status();
        let told = servers.iter().map(|one| {
            let tools =
                one.tools.iter().map(|tool| json!({"name": tool.server_name, "annotations": tool.hints.to_json()}));
            let mut told = json!({"name": one.name, "status": one.state.name(), "scope": one.scope.name(),
                "source": one.transport, "tools": tools.collect::<Vec<_>>()});
            if let Some((name, version)) = &one.server {
                told["serverInfo"] = json!({"name": name, "version": version});
            }
            if let McpServerState::Failed(why) | McpServerState::NeedsAuth(why) = &one.state {
                told["error"] = why.clone().into();
            }
            told
        });
        json!({"mcpServers": told.collect::<Vec<_>>()})
    }

    /// Restarts a server; an error if it does not start.
    pub(super) fn reconnect_server(&mut self, id: &Value, name: &Value) {
        let (servers, name) = (self.session.mcp().clone(), server_name(name));
        self.reply_later(id, async move {
            servers.reconnect(&name)?;
            servers.wait_until_running(&name).await?;
            Ok(json!({}))
        });
    }

    pub(super) fn toggle_server(&mut self, id: &Value, name: &Value, enabled: &Value) {
        let Some(on) = enabled.as_bool() else {
            return self.peer.send_reply(id, Err("`enabled` must be true or false".into()));
        };
        let (servers, name) = (self.session.mcp().clone(), server_name(name));
        self.reply_later(id, async move {
            servers.set_enabled(&name, on).await?;
            if on {
                servers.wait_until_running(&name).await?;
            }
            Ok(json!({}))
        });
    }

    /// Replaces the servers set this way before and those inside the host. Servers from files and flags stay.
    pub(super) fn set_servers(&mut self, id: &Value, given: &Value) {
        let Some(given) = given.as_object() else {
            return self.peer.send_reply(id, Err("`servers` must be an object of servers by name".into()));
        };
        let before = std::mem::replace(&mut self.host_servers, given.clone().into_iter().collect());
        let change = ServerChange::from_difference(&before, given);
        let (servers, peer) = (self.session.mcp().clone(), self.peer.clone());
        self.reply_later(id, async move { Ok(change.apply(&servers, &peer).await) });
    }

    fn reply_later(&self, id: &Value, work: impl Future<Output = Result<Value, String>> + Send + 'static) {
        let (peer, id) = (self.peer.clone(), id.clone());
        tokio::spawn(async move { peer.send_reply(&id, work.await) });
    }
}

fn server_name(name: &Value) -> String {
    name.as_str().unwrap_or_default().to_string()
}

#[derive(Debug, PartialEq)]
struct ServerChange {
    removed: Vec<String>,
    added: Vec<(String, Value)>,
}

impl ServerChange {
    /// Computes the difference; a server with an unchanged definition stays.
    fn from_difference(before: &BTreeMap<String, Value>, given: &Map<String, Value>) -> ServerChange {
        let removed = before.keys().filter(|name| !given.contains_key(*name)).cloned().collect();
        let added = given.iter().filter(|(name, definition)| before.get(*name) != Some(definition));
        ServerChange { removed, added: added.map(|(name, definition)| (name.clone(), definition.clone())).collect() }
    }

    async fn apply(self, servers: &McpServers, peer: &HostPeer) -> Value {
        for name in &self.removed {
            servers.remove(name).await;
        }
        let mut errors = Map::new();
        let mut added = Vec::new();
        for (name, definition) in self.added {
            servers.remove(&name).await;
            if definition["type"] == "sdk" {
                if let Err(why) = servers.add_remote(&name, Arc::new(HostServer::new(&name, peer))) {
                    errors.insert(name, why.to_string().into());
                    continue;
                }
            } else {
                let (scope, file) = (ServerScope::CommandLine, "the host".to_string());
                servers.add(DeclaredServer { name: name.clone(), scope, file, definition });
            }
            added.push(name);
        }
        for name in &added {
            if let Ok(Err(why)) = tokio::time::timeout(START_TIMEOUT, servers.wait_until_running(name)).await {
                errors.insert(name.clone(), why.to_string().into());
            }
        }
        added.retain(|name| !errors.contains_key(name));
        json!({"added": added, "removed": self.removed, "errors": errors})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_1_unchanged_servers_stay_connected() {
        let before = BTreeMap::from([("a".into(), json!({"command": "x"})), ("b".into(), json!({"type": "sdk"}))]);
        let given = json!({"a": {"command": "x"}, "c": {"command": "y"}});
        let change = ServerChange::from_difference(&before, given.as_object().unwrap());
        assert_eq!(
            change,
            ServerChange { removed: vec!["b".into()], added: vec![("c".into(), json!({"command": "y"}))] }
        );
    }
}
