//! MCP servers in the session: their tools join at a request, a call waits for a server that is still starting, and
//! resources and prompts that a message mentions are added (HO-6).
//!
//! The prompt's prefix stays the same bytes (AG-7), with one exception: a server's tools join once, with the first
//! request after they are known, and the model gets a reminder; a list that changes later applies from the next turn
//! on. Tools of a server that went down stay in the list.

use super::SessionState;
use super::events::TaskResult;
use super::model_request::unknown_servers;
use super::parts::without_denied;
use crate::mcp::{JoinedServer, McpError, McpServers, McpTool, names};
use cutonce_core::conversation::{ContentBlock, Message, SharedMessage};
use cutonce_core::model_request::PromptPrefix;
use cutonce_core::protocol::event::NoticeLevel;
use cutonce_core::subagent::AgentDefinition;
use cutonce_core::text::template::fill_template;
use cutonce_core::transcript::{self, EntryBody};
use cutonce_tools::spill::OptionalRedactor;
use cutonce_tools::tool::AnyTool;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// The MCP servers of a session and what they still have to add.
pub(super) struct McpState {
    pub servers: McpServers,
    /// Names of the servers' tools that are offered.
    offered: BTreeSet<String>,
    /// How long the first request may still wait.
    first_wait: Duration,
    /// Messages whose mentions were not looked for yet, and mentions that were not resolved yet.
    messages: Vec<String>,
    mentions: VecDeque<Mention>,
    /// The main thread runs as this agent, which may have only some of the tools (HO-1).
    agent: Option<Arc<AgentDefinition>>,
}

impl McpState {
    pub fn new(servers: McpServers, first_wait: Duration) -> Self {
        Self {
            servers,
            offered: BTreeSet::new(),
            first_wait,
            messages: Vec::new(),
            mentions: VecDeque::new(),
            agent: None,
        }
    }
    pub(super) fn only_for(self, agent: Option<Arc<AgentDefinition>>) -> Self {
        Self { agent, ..self }
    }
    fn has(&self, tool: &str) -> bool {
        self.agent.as_ref().is_none_or(|agent| agent.offers_in_main_thread(tool))
    }
    /// Notes a message that may mention a resource (`@server:uri`) or a prompt (`/mcp__server__prompt words`).
    pub fn note_mentions(&mut self, text: &str) {
        if text.contains('@') || text.starts_with("/mcp__") {
            self.messages.push(text.to_string());
        }
    }
    pub fn forget_mentions(&mut self) {
        (self.messages, self.mentions) = Default::default();
    }
    fn next_mention(&mut self) -> Option<Mention> {
        for text in std::mem::take(&mut self.messages) {
            let resources = mentions(&text, &self.servers.names());
            self.mentions.extend(resources.into_iter().map(|(server, uri)| Mention::Resource { server, uri }));
            let prompt = text.strip_prefix('/').filter(|line| line.starts_with("mcp__"));
            self.mentions.extend(prompt.map(|line| Mention::Prompt(line.to_string())));
        }
        self.mentions.pop_front()
    }
}

/// Something of a server that a message mentions.
enum Mention {
    Resource {
        server: String,
        uri: String,
    },
    /// The prompt's name and its arguments.
    Prompt(String),
}

impl Mention {
    /// The name of the mentioned resource for the user, and its text for the model.
    async fn read(self, servers: &McpServers, redact: OptionalRedactor) -> (String, Result<String, McpError>) {
        match self {
            Mention::Resource { server, uri } => {
                servers.wait_until_started(Some(std::slice::from_ref(&server))).await;
                let text = servers.read_resource(&server, &uri, redact).await;
                let head = fill_template(include_str!("mcp_resource.md").trim(), &[("server", &server), ("uri", &uri)]);
                (format!("@{server}:{uri}"), text.map(|text| format!("{head}\n{text}")))
            }
            Mention::Prompt(line) => {
                let (called, words) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
                let asked: Vec<String> = names::server_of(called).map(str::to_string).into_iter().collect();
                servers.wait_until_started(Some(&asked)).await;
                let text = servers.get_prompt(called, words, redact).await;
                (format!("/{called}"), text.map(|text| format!("{}\n{text}", include_str!("mcp_prompt.md").trim())))
            }
        }
    }
}

const REMINDER: &str = "mcp";

impl SessionState {
    /// Before the first request: waits for servers that are starting, in a task. False if there is nothing to wait for.
    pub(super) fn await_servers(&mut self) -> bool {
        let wait = std::mem::take(&mut self.tools.mcp.first_wait);
        if wait.is_zero() {
            return false;
        }
        let servers = self.tools.mcp.servers.clone();
        self.start_task(async move {
            servers.wait_while_starting(wait).await;
            TaskResult::ServersReady
        });
        true
    }

    /// Tools that arrived join, then mentions are resolved, one in each task. False if none is left.
    pub(super) fn read_next_mention(&mut self) -> bool {
        let answered = |message: &SharedMessage| matches!(**message, Message::Assistant { .. });
        let asked_before = self.conversation.messages.iter().any(answered);
        if let Some(text) = self.take_arrived(asked_before) {
            self.remind_of(&text);
        }
        let Some(mention) = self.tools.mcp.next_mention() else { return false };
        let (servers, redact) = (self.tools.mcp.servers.clone(), self.context.env.shells.redactor());
        self.start_task(async move {
            let (mention, text) = mention.read(&servers, redact).await;
            TaskResult::MentionRead { mention, text }
        });
        true
    }

    pub(super) fn mention_read(&mut self, mention: &str, text: Result<String, McpError>) {
        match text {
            Ok(text) => self.remind_of(&text),
            Err(why) => self.notice(NoticeLevel::Warning, &format!("{mention}: {why}")),
        }
        self.prepare_request();
    }

    /// The model called tools of servers that were still starting; the request waited for them.
    pub(super) fn join_called_servers(&mut self, blocks: &[ContentBlock]) {
        let known: BTreeSet<String> = self.tools.by_name.keys().cloned().collect();
        if unknown_servers(blocks, &known).is_empty() {
            return;
        }
        if let Some(text) = self.take_arrived(true) {
            self.memory.reminders.push((REMINDER.into(), text.replace("</system-reminder", "<\\/system-reminder")));
        }
    }

    /// Offers what arrived. Returns the reminder for the model, which needs one if it was `asked_before`.
    fn take_arrived(&mut self, asked_before: bool) -> Option<String> {
        let turn_begins = self.turn.requests() == 0;
        let news = self.tools.mcp.servers.take_updates(turn_begins);
        for notice in &news.notices {
            self.notice(NoticeLevel::Warning, notice);
        }
        self.offer(news.tools?);
        joined_reminder(&news.joined, asked_before)
    }

    /// Rebuilds the prefix: our own tools as they were, then those of the servers, by name.
    fn offer(&mut self, tools: Vec<Arc<McpTool>>) {
        let before = self.conversation.prefix_size();
        let offered = std::mem::take(&mut self.tools.mcp.offered);
        self.tools.by_name.retain(|name, _| !offered.contains(name));
        let mut specs: Vec<_> =
            self.conversation.prefix.tools.iter().filter(|spec| !offered.contains(&spec.name)).cloned().collect();
        let mut tools: Vec<_> = tools
            .into_iter()
            .filter(|tool| self.tools.mcp.has(tool.name()) && !self.permissions.rules.denies_tool(tool.name()))
            .filter(|tool| !self.tools.by_name.contains_key(tool.name()))
            .collect();
        tools.sort_by(|a, b| a.name().cmp(b.name()));
        let hidden: Vec<String> =
            tools.iter().filter(|tool| tool.is_hidden_in_planning()).map(|tool| tool.name().to_string()).collect();
        for tool in tools {
            specs.push(tool.spec());
            self.tools.mcp.offered.insert(tool.name().to_string());
            self.tools.by_name.insert(tool.name().to_string(), tool);
        }
        let prefix = PromptPrefix { system: self.conversation.prefix.system.clone(), tools: specs };
        if self.conversation.planning_prefix.is_some() {
            let mut reduced = without_denied(&prefix);
            reduced.tools.retain(|spec| !hidden.contains(&spec.name));
            self.conversation.planning_prefix = Some(Arc::new(reduced));
        }
        self.conversation.prefix = Arc::new(prefix);
        self.conversation.uncounted += self.conversation.prefix_size().saturating_sub(before);
    }

    fn remind_of(&mut self, text: &str) {
        // A server's text must not end its reminder.
        let (kind, text) = (REMINDER.to_string(), text.replace("</system-reminder", "<\\/system-reminder"));
        self.append(EntryBody::Reminder { kind, form: None, path: None, exists: None, text: text.clone() });
        self.conversation.push(transcript::reminder_message(&text));
    }

    /// Reports what happened to servers, between turns.
    pub(super) fn report_servers(&mut self) {
        for notice in self.tools.mcp.servers.take_notices() {
            self.notice(NoticeLevel::Warning, &notice);
        }
    }
}

/// The reminder about servers that joined: that they did, if the model was asked without them before, and their
/// instructions.
fn joined_reminder(joined: &[JoinedServer], later: bool) -> Option<String> {
    let servers: Vec<&str> = joined.iter().map(|one| one.server.as_str()).collect();
    let mut text = match (later, servers.is_empty()) {
        (true, false) => fill_template(include_str!("mcp_joined.md").trim(), &[("servers", &servers.join(", "))]),
        (false, _) | (true, true) => String::new(),
    };
    for one in joined {
        let Some(words) = &one.instructions else { continue };
        let said = fill_template(include_str!("mcp_instructions.md").trim(), &[("server", &one.server)]);
        text = format!("{text}\n{said}\n{words}").trim().to_string();
    }
    Some(text).filter(|text| !text.is_empty())
}

/// Finds `@server:uri` of known servers. The address ends at white space, without punctuation of the sentence.
fn mentions(said: &str, servers: &[String]) -> Vec<(String, String)> {
    const MOST: usize = 20;
    let mut found = Vec::new();
    for word in said.split_whitespace() {
        let Some((server, uri)) = word.strip_prefix('@').and_then(|rest| rest.split_once(':')) else { continue };
        let uri = uri.trim_end_matches(['.', ',', ';', '!', '?', ')', '"', '\'']);
        if servers.iter().any(|known| known == server) && !uri.is_empty() && found.len() < MOST {
            found.push((server.to_string(), uri.to_string()));
        }
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_6_mentions_name_known_servers() {
        let servers = ["docs".to_string(), "a".to_string()];
        let found = mentions("See @docs:file:///x.md, @other:y and mail a@docs:z or @a:b?c=1.", &servers);
        let expected = [("docs", "file:///x.md"), ("a", "b?c=1")];
        assert_eq!(found, expected.map(|(server, uri)| (server.to_string(), uri.to_string())));
    }

    #[test]
    fn ag_7_model_is_reminded_only_of_new_tools() {
        let joined = |instructions: Option<&str>| {
            vec![JoinedServer { server: "s".into(), instructions: instructions.map(str::to_string) }]
        };
        assert_eq!(joined_reminder(&joined(None), false), None);
        assert!(joined_reminder(&joined(None), true).unwrap().contains("s"));
        let words = joined_reminder(&joined(Some("Use me.")), false).unwrap();
        assert!(words.ends_with("\nUse me."), "{words}");
        assert_eq!(joined_reminder(&[], true), None);
    }
}
