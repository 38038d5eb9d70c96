//! MCP servers as the host sees and changes them: how they are, which there are, one anew, one off or on (HO-1, HO-6).
//! What takes time is done beside the session and answered when it is done.

use super::Host;
use super::peer::Peer;
use super::servers::HostServer;
use cutonce_agent::mcp::sources::{Declared, Scope};
use cutonce_agent::mcp::{Servers, State};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How long an answer waits for servers that are being started; who is later joins later.
const PATIENCE: Duration = Duration::from_secs(5);

impl Host {
    pub(super) fn mcp_status(&self) -> Value {
        let servers = self.session.mcp().status();
        let told = servers.iter().map(|one| {
            let tools = one.tools.iter().map(|tool| json!({"name": tool.given, "annotations": tool.hints.to_json()}));
            let mut told = json!({"name": one.name, "status": one.state.name(), "scope": one.scope.name(),
                "source": one.transport, "tools": tools.collect::<Vec<_>>()});
            if let Some((name, version)) = &one.server {
                told["serverInfo"] = json!({"name": name, "version": version});
            }
            if let State::Failed(why) | State::NeedsAuth(why) = &one.state {
                told["error"] = why.clone().into();
            }
            told
        });
        json!({"mcpServers": told.collect::<Vec<_>>()})
    }

    /// An error where it does not start.
    pub(super) fn reconnect(&mut self, id: &Value, name: &Value) {
        let (servers, name) = (self.session.mcp().clone(), text(name));
        self.beside(id, async move {
            servers.reconnect(&name)?;
            servers.started(&name).await.map(|()| json!({}))
        });
    }

    pub(super) fn toggle(&mut self, id: &Value, name: &Value, enabled: &Value) {
        let Some(on) = enabled.as_bool() else {
            return self.peer.reply(id, Err("`enabled` must be true or false".into()));
        };
        let (servers, name) = (self.session.mcp().clone(), text(name));
        self.beside(id, async move {
            servers.switch(&name, on).await?;
            if on {
                servers.started(&name).await?;
            }
            Ok(json!({}))
        });
    }

    /// These instead of the ones that came this way before and of those inside the host; what files and flags name stays.
    pub(super) fn set_servers(&mut self, id: &Value, given: &Value) {
        let Some(given) = given.as_object() else {
            return self.peer.reply(id, Err("`servers` must be an object of servers by name".into()));
        };
        let before = std::mem::replace(&mut self.given, given.clone().into_iter().collect());
        let change = Change::between(&before, given);
        let (servers, peer) = (self.session.mcp().clone(), self.peer.clone());
        self.beside(id, async move { Ok(change.carry_out(&servers, &peer).await) });
    }

    fn beside(&self, id: &Value, work: impl Future<Output = Result<Value, String>> + Send + 'static) {
        let (peer, id) = (self.peer.clone(), id.clone());
        tokio::spawn(async move { peer.reply(&id, work.await) });
    }
}

fn text(name: &Value) -> String {
    name.as_str().unwrap_or_default().to_string()
}

#[derive(Debug, PartialEq)]
struct Change {
    removed: Vec<String>,
    added: Vec<(String, Value)>,
}

impl Change {
    /// One that is defined as before stays as it is.
    fn between(before: &BTreeMap<String, Value>, given: &Map<String, Value>) -> Change {
        let removed = before.keys().filter(|name| !given.contains_key(*name)).cloned().collect();
        let added = given.iter().filter(|(name, definition)| before.get(*name) != Some(definition));
        Change { removed, added: added.map(|(name, definition)| (name.clone(), definition.clone())).collect() }
    }

    async fn carry_out(self, servers: &Servers, peer: &Peer) -> Value {
        for name in &self.removed {
            servers.remove(name).await;
        }
        let mut errors = Map::new();
        let mut added = Vec::new();
        for (name, definition) in self.added {
            servers.remove(&name).await;
            if definition["type"] == "sdk" {
                if let Err(why) = servers.add_remote(&name, Arc::new(HostServer::new(&name, peer))) {
                    errors.insert(name, why.into());
                    continue;
                }
            } else {
                let (scope, file) = (Scope::CommandLine, "the host".to_string());
                servers.add(Declared { name: name.clone(), scope, file, definition });
            }
            added.push(name);
        }
        for name in &added {
            if let Ok(Err(why)) = tokio::time::timeout(PATIENCE, servers.started(name)).await {
                errors.insert(name.clone(), why.into());
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
    fn ho_1_servers_that_are_given_again_stay() {
        let before = BTreeMap::from([("a".into(), json!({"command": "x"})), ("b".into(), json!({"type": "sdk"}))]);
        let given = json!({"a": {"command": "x"}, "c": {"command": "y"}});
        let change = Change::between(&before, given.as_object().unwrap());
        assert_eq!(change, Change { removed: vec!["b".into()], added: vec![("c".into(), json!({"command": "y"}))] });
    }
}
