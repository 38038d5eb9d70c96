//! Resources (mentioned as `@server:uri`) and prompts (called as `/mcp__server__prompt`): what there is, and its text.

use super::super::names;
use super::super::offered::bounded;
use super::super::outcome;
use super::super::remote::{About, Remote};
use super::super::status::State;
use super::Servers;
use cutonce_tools::spill::Redacting;
use futures_util::future::join_all;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// A list or a text that takes longer is left out.
const PATIENCE: Duration = Duration::from_secs(10);
const MOST: usize = 500;

/// Something a server has to read, named `@server:uri`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// As rules name it.
    pub server: String,
    /// Its address there.
    pub uri: String,
    /// Its name, made harmless.
    pub name: String,
    /// What it is, as the server says.
    pub description: String,
}

impl Resource {
    /// As it is written in a message.
    pub fn mention(&self) -> String {
        format!("@{}:{}", self.server, self.uri)
    }
}

/// Words a server has ready, called `/mcp__server__name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// `mcp__server__prompt`: as it is typed after the `/`.
    pub called: String,
    /// What it is for, as the server says.
    pub description: String,
    /// Names of its arguments, and whether they must be given.
    pub arguments: Vec<(String, bool)>,
    server: String,
    given: String,
}

impl Servers {
    /// Resources of all servers that are connected.
    pub async fn resources(&self) -> Vec<Resource> {
        let asked = self.connected(|about| about.resources).into_iter().map(|(server, remote)| async move {
            let listed = tokio::time::timeout(PATIENCE, remote.list_resources()).await;
            let listed = listed.ok().and_then(Result::ok).unwrap_or_default();
            listed.iter().take(MOST).filter_map(|value| resource(&server, value)).collect::<Vec<_>>()
        });
        join_all(asked).await.into_iter().flatten().collect()
    }

    /// The content of a resource, as text; bytes and what is long are kept in a file, without secrets.
    pub async fn resource(&self, server: &str, uri: &str, redact: Redacting) -> Result<String, String> {
        let remote = self.remote_of(server)?;
        let read = tokio::time::timeout(PATIENCE, remote.read_resource(uri)).await;
        let read = read.map_err(|_| format!("{server} did not answer within {} seconds", PATIENCE.as_secs()))?;
        let result = read.map_err(|error| bounded(&error.to_string(), 1_000))?;
        let blocks: Vec<Value> = result["contents"].as_array().into_iter().flatten().map(embedded).collect();
        Ok(outcome::text_of(&blocks, &self.0.own, &format!("mcp__{server}__resource"), redact))
    }

    /// Prompts of all servers that are connected.
    pub async fn prompts(&self) -> Vec<Prompt> {
        let asked = self.connected(|about| about.prompts).into_iter().map(|(server, remote)| async move {
            let listed = tokio::time::timeout(PATIENCE, remote.list_prompts()).await;
            let listed = listed.ok().and_then(Result::ok).unwrap_or_default();
            listed.iter().take(MOST).filter_map(|value| prompt(&server, value)).collect::<Vec<_>>()
        });
        join_all(asked).await.into_iter().flatten().collect()
    }

    /// The text of a prompt. Words fill its arguments in their order; the last one takes all that is left.
    pub async fn prompt(&self, called: &str, words: &str, redact: Redacting) -> Result<String, String> {
        let found = self.prompts().await.into_iter().find(|prompt| prompt.called == called);
        let prompt = found.ok_or_else(|| format!("there is no prompt /{}", bounded(called, 100)))?;
        let arguments = filled(&prompt.arguments, words)?;
        let remote = self.remote_of(&prompt.server)?;
        let got = tokio::time::timeout(PATIENCE, remote.get_prompt(&prompt.given, arguments)).await;
        let got = got.map_err(|_| format!("{} did not answer within {} seconds", prompt.server, PATIENCE.as_secs()))?;
        let result = got.map_err(|error| bounded(&error.to_string(), 1_000))?;
        let blocks: Vec<Value> =
            result["messages"].as_array().into_iter().flatten().map(|message| message["content"].clone()).collect();
        Ok(outcome::text_of(&blocks, &self.0.own, &prompt.called, redact))
    }

    fn connected(&self, has: impl Fn(&About) -> bool) -> Vec<(String, Arc<dyn Remote>)> {
        let entries = self.0.entries();
        let live = entries.iter().filter(|entry| entry.state == State::Connected);
        let all = live.filter_map(|entry| Some((entry.called.clone(), entry.remote.clone()?)));
        all.filter(|(_, remote)| has(&remote.about())).collect()
    }

    fn remote_of(&self, server: &str) -> Result<Arc<dyn Remote>, String> {
        let entries = self.0.entries();
        let entry = entries.iter().find(|entry| entry.called == server);
        entry.and_then(|entry| entry.remote.clone()).ok_or_else(|| format!("there is no MCP server {server} to ask"))
    }
}

/// The contents of a resource come bare; results embed them.
fn embedded(content: &Value) -> Value {
    serde_json::json!({"type": "resource", "resource": content})
}

fn resource(server: &str, value: &Value) -> Option<Resource> {
    let text = |key: &str| bounded(value[key].as_str().unwrap_or_default(), 300);
    let uri = value["uri"].as_str().filter(|uri| uri.len() <= 1_000 && !uri.contains(char::is_whitespace))?;
    let plain = !uri.chars().any(char::is_control);
    plain.then(|| Resource {
        server: server.into(),
        uri: uri.into(),
        name: text("name"),
        description: text("description"),
    })
}

fn prompt(server: &str, value: &Value) -> Option<Prompt> {
    let given = value["name"].as_str()?;
    let argument = |argument: &Value| Some((argument["name"].as_str()?.to_string(), argument["required"] == true));
    Some(Prompt {
        called: names::tool(server, given)?,
        description: bounded(value["description"].as_str().unwrap_or_default(), 300),
        arguments: value["arguments"].as_array().into_iter().flatten().take(20).filter_map(argument).collect(),
        server: server.into(),
        given: given.into(),
    })
}

fn filled(arguments: &[(String, bool)], words: &str) -> Result<Map<String, Value>, String> {
    let (mut filled, mut rest) = (Map::new(), words.trim());
    for (at, (name, required)) in arguments.iter().enumerate() {
        let (word, after) = match rest.split_once(char::is_whitespace) {
            Some((word, after)) if at + 1 < arguments.len() => (word, after.trim_start()),
            Some(_) | None => (rest, ""),
        };
        match word {
            "" if *required => return Err(format!("the argument {} is missing", bounded(name, 100))),
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
    fn ho_6_words_fill_the_arguments_of_a_prompt() {
        let arguments = [("city".to_string(), true), ("state".to_string(), false)];
        let text = |words: &str| filled(&arguments, words).map(|map| Value::Object(map).to_string());
        assert_eq!(text("Graz").unwrap(), r#"{"city":"Graz"}"#);
        assert_eq!(text(" Graz  upper  Styria ").unwrap(), r#"{"city":"Graz","state":"upper  Styria"}"#);
        assert_eq!(text("").unwrap_err(), "the argument city is missing");
        assert_eq!(filled(&[], "ignored").unwrap().len(), 0);
    }
}
