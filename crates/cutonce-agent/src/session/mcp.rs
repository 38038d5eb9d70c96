//! MCP servers in the session: their tools join at a request, a call waits for a server that is still being started,
//! and what a message mentions of them is added (HO-6).
//!
//! The prompt's prefix stays the same bytes (AG-7) but for this: a server's tools join once, with the first request after
//! they are known, and the model is told; a list that changes later counts from the next turn on. Tools of a server that
//! went down stay in the list.

use super::options::without_denied;
use super::{Driver, Hall};
use crate::mcp::{Joined, McpTool, Servers, names};
use cutonce_core::agent::Definition;
use cutonce_core::conversation::{Block, Message};
use cutonce_core::event::Level;
use cutonce_core::request::Prefix;
use cutonce_core::submission::Submission;
use cutonce_core::template::fill;
use cutonce_core::transcript::{self, Body};
use cutonce_core::turn::Happened;
use cutonce_tools::tool::AnyTool;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// What the session keeps of its servers.
pub(super) struct Joining {
    pub servers: Servers,
    /// Names of their tools that are offered.
    offered: BTreeSet<String>,
    /// What is left of the wait before the first request.
    first_wait: Duration,
    /// Messages of the person whose mentions were not looked at yet.
    said: Vec<String>,
    /// The main thread is this agent, which may have only some of the tools (HO-1).
    agent: Option<Arc<Definition>>,
}

impl Joining {
    pub fn new(servers: Servers, first_wait: Duration) -> Self {
        Self { servers, offered: BTreeSet::new(), first_wait, said: Vec::new(), agent: None }
    }
    pub(super) fn only_for(self, agent: Option<Arc<Definition>>) -> Self {
        Self { agent, ..self }
    }
    fn has(&self, tool: &str) -> bool {
        self.agent.as_ref().is_none_or(|agent| agent.offers_main(tool))
    }
    pub fn said(&mut self, text: &str) {
        if text.contains('@') || text.starts_with("/mcp__") {
            self.said.push(text.to_string());
        }
    }
}

const REMINDER: &str = "mcp";

impl Driver {
    /// Before a request goes out: tools that arrived join, mentions are filled in. None: the person interrupted.
    pub(super) async fn join_servers(&mut self) -> Option<()> {
        let wait = std::mem::take(&mut self.hall.mcp.first_wait);
        if !wait.is_zero() {
            let servers = self.hall.mcp.servers.clone();
            self.hall.meanwhile(servers.ready(wait)).await?;
        }
        let asked_before = self.talk.conversation.iter().any(|message| matches!(**message, Message::Assistant { .. }));
        if let Some(text) = self.take_arrived(asked_before) {
            self.remind_of(&text);
        }
        for said in std::mem::take(&mut self.hall.mcp.said) {
            self.fill_in(&said).await?;
        }
        Some(())
    }

    /// The model called tools of servers that are still being started: wait until they are, or have failed.
    pub(super) async fn await_called_servers(&mut self, blocks: &[Block]) {
        let servers = self.hall.mcp.servers.clone();
        let called = blocks.iter().filter_map(|block| match block {
            Block::ToolUse(call) if !self.hall.tools.contains_key(&call.name) => names::server_of(&call.name),
            Block::ToolUse(_) | Block::Text { .. } | Block::Thinking { .. } | Block::Image(_) => None,
        });
        let called: Vec<String> = called.map(str::to_string).collect();
        if called.is_empty() {
            return;
        }
        if self.hall.meanwhile(servers.settled(Some(&called))).await.is_none() {
            self.hall.pending.push_back(Happened::Interrupted);
        }
        if let Some(text) = self.take_arrived(true) {
            self.hall.reminders.push((REMINDER.into(), text.replace("</system-reminder", "<\\/system-reminder")));
        }
    }

    /// What arrived is offered from now on; the words for the model, which has to be told where it was `asked_before`.
    fn take_arrived(&mut self, asked_before: bool) -> Option<String> {
        let turn_begins = self.hall.turn.requests() == 0;
        let news = self.hall.mcp.servers.take_news(turn_begins);
        for notice in &news.notices {
            self.hall.notice(Level::Warning, notice);
        }
        self.offer(news.tools?);
        told(&news.joined, asked_before)
    }

    /// Rebuild the prefix: our own tools as they were, then all of the servers, by name.
    fn offer(&mut self, tools: Vec<Arc<McpTool>>) {
        let before = self.talk.prefix_size();
        let (hall, talk) = (&mut self.hall, &mut self.talk);
        let offered = std::mem::take(&mut hall.mcp.offered);
        hall.tools.retain(|name, _| !offered.contains(name));
        let mut specs: Vec<_> =
            talk.prefix.tools.iter().filter(|spec| !offered.contains(&spec.name)).cloned().collect();
        let mut tools: Vec<_> = tools
            .into_iter()
            .filter(|tool| hall.mcp.has(tool.name()) && !hall.rules.denies_tool(tool.name()))
            .filter(|tool| !hall.tools.contains_key(tool.name()))
            .collect();
        tools.sort_by(|a, b| a.name().cmp(b.name()));
        let hidden: Vec<String> =
            tools.iter().filter(|tool| tool.denied_in_plan()).map(|tool| tool.name().to_string()).collect();
        for tool in tools {
            specs.push(tool.spec());
            hall.mcp.offered.insert(tool.name().to_string());
            hall.tools.insert(tool.name().to_string(), tool);
        }
        let prefix = Prefix { system: talk.prefix.system.clone(), tools: specs };
        if talk.plan_prefix.is_some() {
            let mut plan = without_denied(&prefix);
            plan.tools.retain(|spec| !hidden.contains(&spec.name));
            talk.plan_prefix = Some(Arc::new(plan));
        }
        talk.prefix = Arc::new(prefix);
        talk.uncounted += talk.prefix_size().saturating_sub(before);
    }

    fn remind_of(&mut self, text: &str) {
        // What a server says stays inside its reminder.
        let (kind, text) = (REMINDER.to_string(), text.replace("</system-reminder", "<\\/system-reminder"));
        self.hall.append(Body::Reminder { kind, form: None, path: None, exists: None, text: text.clone() });
        self.talk.push(transcript::reminder_message(&text));
    }

    /// `@server:uri` adds the resource, a message `/mcp__server__prompt words` the prompt's text.
    async fn fill_in(&mut self, said: &str) -> Option<()> {
        let (servers, redact) = (self.hall.mcp.servers.clone(), self.hall.here.shells.redact());
        for (server, uri) in mentions(said, &servers.called()) {
            let asked = [server.clone()];
            let read = async {
                servers.settled(Some(&asked)).await;
                servers.resource(&server, &uri, redact.clone()).await
            };
            let read = self.hall.meanwhile(read).await?;
            let values: &[(&str, &str)] = &[("server", &server), ("uri", &uri)];
            match read {
                Ok(text) => {
                    self.remind_of(&format!("{}\n{text}", fill(include_str!("mcp_resource.md").trim(), values)))
                }
                Err(why) => self.hall.notice(Level::Warning, &format!("@{server}:{uri}: {why}")),
            }
        }
        let Some(line) = said.strip_prefix('/').filter(|line| line.starts_with("mcp__")) else { return Some(()) };
        let (called, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let asked: Vec<String> = names::server_of(called).map(str::to_string).into_iter().collect();
        let read = async {
            servers.settled(Some(&asked)).await;
            servers.prompt(called, words, redact).await
        };
        match self.hall.meanwhile(read).await? {
            Ok(text) => self.remind_of(&format!("{}\n{text}", include_str!("mcp_prompt.md").trim())),
            Err(why) => self.hall.notice(Level::Warning, &format!("/{called}: {why}")),
        }
        Some(())
    }
}

impl Hall {
    /// Wait for something while still listening to the person; None if they interrupt.
    async fn meanwhile<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return Some(done),
                submission = self.inbox.recv(), if self.inbox_open => match submission {
                    None => self.inbox_open = false,
                    Some(Submission::Interrupt) => {
                        self.stop_agents();
                        return None;
                    }
                    Some(submission) => self.while_requesting(submission),
                },
            }
        }
    }

    /// Between turns: what became of servers.
    pub(super) fn tell_servers(&mut self) {
        for notice in self.mcp.servers.take_notices() {
            self.notice(Level::Warning, &notice);
        }
    }
}

/// What the model is told: that tools joined, if it was asked without them before; and what servers say of themselves.
fn told(joined: &[Joined], later: bool) -> Option<String> {
    let servers: Vec<&str> = joined.iter().map(|one| one.server.as_str()).collect();
    let mut text = match (later, servers.is_empty()) {
        (true, false) => fill(include_str!("mcp_joined.md").trim(), &[("servers", &servers.join(", "))]),
        (false, _) | (true, true) => String::new(),
    };
    for one in joined {
        let Some(words) = &one.instructions else { continue };
        let said = fill(include_str!("mcp_instructions.md").trim(), &[("server", &one.server)]);
        text = format!("{text}\n{said}\n{words}").trim().to_string();
    }
    Some(text).filter(|text| !text.is_empty())
}

/// `@server:uri` for the servers there are; the address ends at white space, and not with the sentence's own marks.
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
    fn ho_6_mentions_name_a_server_that_is_there() {
        let servers = ["docs".to_string(), "a".to_string()];
        let found = mentions("See @docs:file:///x.md, @other:y and mail a@docs:z or @a:b?c=1.", &servers);
        let expected = [("docs", "file:///x.md"), ("a", "b?c=1")];
        assert_eq!(found, expected.map(|(server, uri)| (server.to_string(), uri.to_string())));
    }

    #[test]
    fn ag_7_the_model_is_told_only_what_it_did_not_have() {
        let joined = |instructions: Option<&str>| {
            vec![Joined { server: "s".into(), instructions: instructions.map(str::to_string) }]
        };
        assert_eq!(told(&joined(None), false), None);
        assert!(told(&joined(None), true).unwrap().contains("s"));
        let words = told(&joined(Some("Use me.")), false).unwrap();
        assert!(words.ends_with("\nUse me."), "{words}");
        assert_eq!(told(&[], true), None);
    }
}
