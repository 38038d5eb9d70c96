//! Resources (mentioned as `@server:uri`) and prompts (called as `/mcp__server__prompt`) of servers.

use super::super::call_result;
use super::super::error::McpError;
use super::super::names;
use super::super::remote::{RemoteServer, ServerInfo};
use super::super::status::McpServerState;
use super::super::tool::sanitize_and_truncate;
use super::McpServers;
use cutonce_tools::spill::OptionalRedactor;
use futures_util::future::join_all;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// Timeout for lists and contents.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_LISTED: usize = 500;

/// A resource of a server, mentioned as `@server:uri`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpResource {
    /// The server's name, as used in rules.
    pub server: String,
    /// The resource's URI.
    pub uri: String,
    /// The sanitized name.
    pub name: String,
    /// The server's description.
    pub description: String,
}

impl McpResource {
    /// The text of a mention in a message.
    pub fn mention(&self) -> String {
        format!("@{}:{}", self.server, self.uri)
    }
}

/// A prompt template of a server, called as `/mcp__server__name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpPrompt {
    /// `mcp__server__prompt`: the command after the `/`.
    pub command: String,
    /// The server's description.
    pub description: String,
    /// Argument names, and whether they are required.
    pub arguments: Vec<(String, bool)>,
    server: String,
    server_prompt: String,
}

impl McpServers {
    /// Lists the resources of all connected servers.
    pub async fn list_resources(&self) -> Vec<McpResource> {
        let asked = self.connected_with(|about| about.resources).into_iter().map(|(server, remote)| async move {
            let listed = tokio::time::timeout(REQUEST_TIMEOUT, remote.list_resources()).await;
            let listed = listed.ok().and_then(Result::ok).unwrap_or_default();
            listed.iter().take(MAX_LISTED).filter_map(|value| parse_resource(&server, value)).collect::<Vec<_>>()
        });
        join_all(asked).await.into_iter().flatten().collect()
    }

    /// Reads a resource as text; bytes and long text go to a file, with secrets redacted.
    pub async fn read_resource(&self, server: &str, uri: &str, redact: OptionalRedactor) -> Result<String, McpError> {
        let remote = self.remote(server)?;
        let read = tokio::time::timeout(REQUEST_TIMEOUT, remote.read_resource(uri)).await;
        let read = read.map_err(|_| timed_out(server))?;
        let result = read.map_err(|error| sanitize_and_truncate(&error.to_string(), 1_000))?;
        let blocks: Vec<Value> = result["contents"].as_array().into_iter().flatten().map(embed_resource).collect();
        Ok(call_result::blocks_to_text(&blocks, &self.0.own, &format!("mcp__{server}__resource"), redact))
    }

    /// Lists the prompts of all connected servers.
    pub async fn list_prompts(&self) -> Vec<McpPrompt> {
        let asked = self.connected_with(|about| about.prompts).into_iter().map(|(server, remote)| async move {
            let listed = tokio::time::timeout(REQUEST_TIMEOUT, remote.list_prompts()).await;
            let listed = listed.ok().and_then(Result::ok).unwrap_or_default();
            listed.iter().take(MAX_LISTED).filter_map(|value| parse_prompt(&server, value)).collect::<Vec<_>>()
        });
        join_all(asked).await.into_iter().flatten().collect()
    }

    /// Returns the text of a prompt. Words fill its arguments in order; the last argument takes the rest.
    pub async fn get_prompt(&self, called: &str, words: &str, redact: OptionalRedactor) -> Result<String, McpError> {
        let found = self.list_prompts().await.into_iter().find(|prompt| prompt.command == called);
        let prompt = found.ok_or_else(|| format!("no prompt named /{}", sanitize_and_truncate(called, 100)))?;
        let arguments = fill_arguments(&prompt.arguments, words)?;
        let remote = self.remote(&prompt.server)?;
        let got = tokio::time::timeout(REQUEST_TIMEOUT, remote.get_prompt(&prompt.server_prompt, arguments)).await;
        let got = got.map_err(|_| timed_out(&prompt.server))?;
        let result = got.map_err(|error| sanitize_and_truncate(&error.to_string(), 1_000))?;
        let blocks: Vec<Value> =
            result["messages"].as_array().into_iter().flatten().map(|message| message["content"].clone()).collect();
        Ok(call_result::blocks_to_text(&blocks, &self.0.own, &prompt.command, redact))
    }

    fn connected_with(&self, has: impl Fn(&ServerInfo) -> bool) -> Vec<(String, Arc<dyn RemoteServer>)> {
        let entries = self.0.lock_entries();
        let live = entries.iter().filter(|entry| entry.state == McpServerState::Connected);
        let all = live.filter_map(|entry| Some((entry.name.clone(), entry.remote.clone()?)));
        all.filter(|(_, remote)| has(&remote.server_info())).collect()
    }

    fn remote(&self, server: &str) -> Result<Arc<dyn RemoteServer>, McpError> {
        let entries = self.0.lock_entries();
        let entry = entries.iter().find(|entry| entry.name == server);
        entry.and_then(|entry| entry.remote.clone()).ok_or_else(|| McpError::NotConnected(server.to_string()))
    }
}

fn timed_out(server: &str) -> McpError {
    McpError::Timeout { server: server.to_string(), seconds: REQUEST_TIMEOUT.as_secs() }
}

/// Wraps a resource's content as an embedded block, as in results.
fn embed_resource(content: &Value) -> Value {
    serde_json::json!({"type": "resource", "resource": content})
}

fn parse_resource(server: &str, value: &Value) -> Option<McpResource> {
    let text = |key: &str| sanitize_and_truncate(value[key].as_str().unwrap_or_default(), 300);
    let uri = value["uri"].as_str().filter(|uri| uri.len() <= 1_000 && !uri.contains(char::is_whitespace))?;
    let plain = !uri.chars().any(char::is_control);
    plain.then(|| McpResource {
        server: server.into(),
        uri: uri.into(),
        name: text("name"),
        description: text("description"),
    })
}

fn parse_prompt(server: &str, value: &Value) -> Option<McpPrompt> {
    let given = value["name"].as_str()?;
    let argument = |argument: &Value| Some((argument["name"].as_str()?.to_string(), argument["required"] == true));
    Some(McpPrompt {
        command: names::tool_name(server, given)?,
        description: sanitize_and_truncate(value["description"].as_str().unwrap_or_default(), 300),
        arguments: value["arguments"].as_array().into_iter().flatten().take(20).filter_map(argument).collect(),
        server: server.into(),
        server_prompt: given.into(),
    })
}

fn fill_arguments(arguments: &[(String, bool)], words: &str) -> Result<Map<String, Value>, McpError> {
    let (mut filled, mut rest) = (Map::new(), words.trim());
    for (at, (name, required)) in arguments.iter().enumerate() {
        let (word, after) = match rest.split_once(char::is_whitespace) {
            Some((word, after)) if at + 1 < arguments.len() => (word, after.trim_start()),
            Some(_) | None => (rest, ""),
        };
        match word {
            "" if *required => {
                return Err(format!("the argument {} is missing", sanitize_and_truncate(name, 100)).into());
            }
            "" => {}
            word => drop(filled.insert(name.clone(), word.into())),
        }
        rest = after;
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_6_words_fill_prompt_arguments() {
        let arguments = [("city".to_string(), true), ("state".to_string(), false)];
        let text = |words: &str| fill_arguments(&arguments, words).map(|map| Value::Object(map).to_string());
        assert_eq!(text("Graz").unwrap(), r#"{"city":"Graz"}"#);
        assert_eq!(text(" Graz  upper  Styria ").unwrap(), r#"{"city":"Graz","state":"upper  Styria"}"#);
        assert_eq!(text("").unwrap_err().to_string(), "the argument city is missing");
        assert_eq!(fill_arguments(&[], "ignored").unwrap().len(), 0);
    }
}
