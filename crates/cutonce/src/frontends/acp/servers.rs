//! Converts the editor's MCP servers to the format of `--mcp-config` (HO-6). From there on they are treated
//! like other servers from the command line. Their values are final: `${` in them is not expanded.

use agent_client_protocol::v1::schema::McpServer;
use serde_json::{Map, Value, json};

/// Returns `None` if there are no servers. Unsupported ones are left out and returned by name.
pub fn to_mcp_config(servers: &[McpServer]) -> (Option<String>, Vec<String>) {
    let (mut known, mut unknown) = (Map::new(), Vec::new());
    for server in servers {
        match server {
            McpServer::Stdio(server) => {
                let env: Map<String, Value> =
                    server.env.iter().map(|one| (one.name.clone(), one.value.clone().into())).collect();
                let definition = json!({"command": server.command, "args": server.args, "env": env, "literal": true});
                known.insert(server.name.clone(), definition);
            }
            McpServer::Http(server) => {
                let headers: Map<String, Value> =
                    server.headers.iter().map(|one| (one.name.clone(), one.value.clone().into())).collect();
                let definition = json!({"type": "http", "url": server.url, "headers": headers, "literal": true});
                known.insert(server.name.clone(), definition);
            }
            McpServer::Sse(server) => unknown.push(server.name.clone()),
            _ => unknown.push("a server of an unknown kind".into()),
        }
    }
    let config = (!known.is_empty()).then(|| json!({ "mcpServers": known }).to_string());
    (config, unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_5_editor_servers_become_mcp_config() {
        let given = json!([
            {"name": "files", "command": "/bin/files", "args": ["-x"], "env": [{"name": "A", "value": "a${b}c"}]},
            {"type": "http", "name": "web", "url": "http://h/mcp", "headers": [{"name": "K", "value": "v"}]},
            {"type": "sse", "name": "old", "url": "http://h/sse", "headers": []},
        ]);
        let servers: Vec<McpServer> = serde_json::from_value(given).unwrap();
        let (config, unknown) = to_mcp_config(&servers);
        let expected = json!({"mcpServers": {
            "files": {"command": "/bin/files", "args": ["-x"], "env": {"A": "a${b}c"}, "literal": true},
            "web": {"type": "http", "url": "http://h/mcp", "headers": {"K": "v"}, "literal": true},
        }});
        assert_eq!(serde_json::from_str::<Value>(&config.unwrap()).unwrap(), expected);
        assert_eq!(unknown, ["old"]);
    }
}
