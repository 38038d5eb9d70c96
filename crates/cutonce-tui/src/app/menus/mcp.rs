//! `/mcp` (HO-6): the session's servers as they are now, agreeing to a project's, switching them off and on, starting them anew.

use crate::app::{App, Note, tell};
use crate::overlay::menu::{Key, Menu, Row, Which};
use crate::overlay::pager::{Body, Item};
use crate::text;
use cutonce_agent::mcp::sources::Scope;
use cutonce_agent::mcp::{Servers, State, Status};
use std::fmt::Write as _;

const KEYS: &[Key] = &[
    Key::of('a', "agree and start"),
    Key::of('r', "start anew"),
    Key::of('d', "switch off"),
    Key::of('e', "switch on"),
    Key::of('x', "take your agreement back"),
];
/// Tools of a server that the preview lists.
const MOST_TOOLS: usize = 100;
const NONE: &str = "No MCP servers. `cutonce mcp add NAME -- COMMAND` adds one; a project names its own in .mcp.json.";

impl App {
    pub(in crate::app) fn show_mcp(&mut self, at: &str, notice: Option<String>) {
        let Some(servers) = self.session.as_ref().map(|session| session.mcp().clone()) else {
            return self.notice(cutonce_core::event::Level::Info, "The session is not open yet.");
        };
        let rows = rows(&servers);
        let look = Box::new(move || self::rows(&servers));
        let menu = Menu::new(Which::Mcp, "MCP servers of this session", rows, KEYS, self.theme);
        self.cover(Box::new(menu.empty(NONE).at(at).notice(notice).looking(look)), None);
    }

    pub(super) fn picked_server(&mut self, name: &str, key: char) {
        let Some(servers) = self.session.as_ref().map(|session| session.mcp().clone()) else { return };
        let done = match key {
            'a' => servers.agree(name),
            'r' => servers.reconnect(name),
            'd' => servers.disable(name),
            'e' => servers.enable(name),
            'x' => servers.refuse(name),
            _ => Ok(()),
        };
        self.listen_to_mcp();
        self.show_mcp(name, done.err());
    }

    /// What servers offer for the composer comes when they are there (HO-6): prompts as commands, resources as @mentions.
    pub(in crate::app) fn listen_to_mcp(&self) {
        let Some(servers) = self.session.as_ref().map(|session| session.mcp().clone()) else { return };
        if servers.called().is_empty() {
            return;
        }
        let notes = self.notes.clone();
        tokio::spawn(async move {
            servers.settled(None).await;
            let (prompts, resources) = tokio::join!(servers.prompts(), servers.resources());
            tell(&notes, Note::Mcp { prompts, resources });
        });
    }
}

fn rows(servers: &Servers) -> Vec<Row> {
    servers.status().iter().map(row).collect()
}

fn row(status: &Status) -> Row {
    let (note, warns) = match &status.state {
        State::Pending => ("is being started".to_string(), false),
        State::Connected => (format!("connected · {}", text::counted(status.tools.len(), "tool")), false),
        State::Failed(why) => (format!("failed: {why}"), true),
        State::NeedsAuth(why) => (format!("wants you to sign in: {why}"), true),
        State::NeedsAgreement => ("waits until you agree to it".to_string(), true),
        State::Disabled => ("switched off".to_string(), false),
    };
    Row {
        id: status.name.clone(),
        name: status.name.clone(),
        note,
        warns,
        moving: status.state == State::Pending,
        preview: vec![Item { title: String::new(), body: Body::Plain(about(status).into()) }],
        keys: keys(status),
    }
}

/// What can be done with it as it is.
fn keys(status: &Status) -> &'static str {
    let theirs = status.scope == Scope::Project;
    match (status.scope, &status.state) {
        (Scope::Host, _) => "",
        (_, State::NeedsAgreement) => "a",
        (_, State::Disabled) if theirs => "x",
        (_, State::Disabled) => "e",
        (_, State::Pending | State::Connected | State::Failed(_) | State::NeedsAuth(_)) if theirs => "rx",
        (_, State::Pending | State::Connected | State::Failed(_) | State::NeedsAuth(_)) => "rd",
    }
}

fn about(status: &Status) -> String {
    let mut about = format!("{}: {}\nfrom   {}\n", status.transport, status.target, status.scope.name());
    if let Some((name, version)) = &status.server {
        let _ = writeln!(about, "says   it is {name} {version}");
    }
    match &status.state {
        State::Failed(why) | State::NeedsAuth(why) => {
            let _ = writeln!(about, "\n{why}");
        }
        State::NeedsAgreement => {
            about.push_str(
                "\nThis project would start it on your machine, with your rights. Agree only to what you know.\n",
            );
        }
        State::Pending | State::Connected | State::Disabled => {}
    }
    for tool in status.tools.iter().take(MOST_TOOLS) {
        let reads = if tool.reads { " (reads)" } else { "" };
        let _ = write!(about, "\n{}{reads}: {}", tool.name, text::one_line(&tool.description));
    }
    if let more @ 1.. = status.tools.len().saturating_sub(MOST_TOOLS) {
        let _ = write!(about, "\n… {}", text::counted(more, "more tool"));
    }
    for note in &status.notes {
        let _ = write!(about, "\nnote: {note}");
    }
    about
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_6_each_state_says_what_it_is_and_offers_what_can_be_done() {
        let status = |scope, state| Status {
            name: "s".into(),
            called: "s".into(),
            scope,
            transport: "stdio",
            target: "prog".into(),
            state,
            server: None,
            tools: Vec::new(),
            notes: Vec::new(),
        };
        let shown = |scope, state| {
            let row = row(&status(scope, state));
            (row.note, row.keys)
        };
        assert_eq!(shown(Scope::Project, State::NeedsAgreement), ("waits until you agree to it".into(), "a"));
        assert_eq!(shown(Scope::Project, State::Connected), ("connected · 0 tools".into(), "rx"));
        assert_eq!(shown(Scope::User, State::Failed("no".into())), ("failed: no".into(), "rd"));
        assert_eq!(shown(Scope::User, State::Disabled), ("switched off".into(), "e"));
        assert_eq!(shown(Scope::Host, State::Connected).1, "");
        assert!(row(&status(Scope::User, State::Pending)).moving);
    }
}
