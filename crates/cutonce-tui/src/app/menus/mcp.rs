//! `/mcp` (HO-6): shows the session's MCP servers and lets the user approve, disable, enable and restart
//! them.

use crate::app::{App, AppMessage, send_to_app};
use crate::overlays::menu::{Menu, MenuKey, MenuKind, MenuRow};
use crate::overlays::pager::{PagerContent, PagerItem};
use crate::render::text;
use cutonce_agent::mcp::sources::ServerScope;
use cutonce_agent::mcp::{McpServerState, McpServerStatus, McpServers};
use std::fmt::Write as _;

const SERVER_KEYS: &[MenuKey] = &[
    MenuKey::new('a', "approve and start"),
    MenuKey::new('l', "log in"),
    MenuKey::new('r', "restart"),
    MenuKey::new('d', "disable"),
    MenuKey::new('e', "enable"),
    MenuKey::new('x', "revoke approval"),
];
/// Maximum number of tools in the preview of a server.
const MAX_TOOLS: usize = 100;
const NO_SERVERS: &str =
    "No MCP servers. Add one with `cutonce mcp add NAME -- COMMAND`; a project lists its own in .mcp.json.";

impl App {
    pub(in crate::app) fn show_mcp(&mut self, at: &str, notice: Option<String>) {
        let Some(servers) = self.session.handle.as_ref().map(|session| session.mcp().clone()) else {
            return self
                .print_notice(cutonce_core::protocol::event::NoticeLevel::Info, "The session is still starting.");
        };
        let rows = server_rows(&servers);
        let look = Box::new(move || self::server_rows(&servers));
        let menu = Menu::new(MenuKind::Mcp, "MCP servers of this session", rows, SERVER_KEYS, self.theme);
        self.open_overlay(
            Box::new(menu.with_empty_text(NO_SERVERS).with_selected(at).with_notice(notice).with_loader(look)),
            None,
        );
    }

    pub(super) fn on_server_key(&mut self, name: &str, key: char) {
        let Some(servers) = self.session.handle.as_ref().map(|session| session.mcp().clone()) else { return };
        let done = match key {
            'a' => servers.approve(name),
            'l' => servers.log_in(name, self.environment.env.clone()),
            'r' => servers.reconnect(name),
            'd' => servers.disable(name),
            'e' => servers.enable(name),
            'x' => servers.revoke_approval(name),
            _ => Ok(()),
        };
        self.load_mcp_offers();
        self.show_mcp(name, done.err().map(|error| error.to_string()));
    }

    /// Loads the servers' prompts (as commands) and resources (as @mentions) once they are connected (HO-6).
    pub(in crate::app) fn load_mcp_offers(&self) {
        let Some(servers) = self.session.handle.as_ref().map(|session| session.mcp().clone()) else { return };
        if servers.names().is_empty() {
            return;
        }
        let notes = self.messages.clone();
        tokio::spawn(async move {
            servers.wait_until_started(None).await;
            let (prompts, resources) = tokio::join!(servers.list_prompts(), servers.list_resources());
            send_to_app(&notes, AppMessage::McpOffers { prompts, resources });
        });
    }
}

fn server_rows(servers: &McpServers) -> Vec<MenuRow> {
    servers.status().iter().map(server_row).collect()
}

fn server_row(status: &McpServerStatus) -> MenuRow {
    let (note, warns) = match &status.state {
        McpServerState::Pending => ("starting".to_string(), false),
        McpServerState::Connected => (format!("connected · {}", text::count_noun(status.tools.len(), "tool")), false),
        McpServerState::Failed(why) => (format!("failed: {why}"), true),
        McpServerState::NeedsAuth(why) => (why.clone(), true),
        McpServerState::NeedsApproval => ("waiting for your approval".to_string(), true),
        McpServerState::Disabled => ("disabled".to_string(), false),
    };
    MenuRow {
        id: status.name.clone(),
        name: status.name.clone(),
        note,
        is_warning: warns,
        is_changing: matches!(status.state, McpServerState::Pending | McpServerState::NeedsAuth(_)),
        preview: vec![PagerItem { title: String::new(), body: PagerContent::Plain(describe_server(status).into()) }],
        keys: server_keys(status),
    }
}

/// Keys that apply to a server in its current state.
fn server_keys(status: &McpServerStatus) -> &'static str {
    let theirs = status.scope == ServerScope::Project;
    match (status.scope, &status.state) {
        (ServerScope::Host, _) => "",
        (_, McpServerState::NeedsApproval) => "a",
        (_, McpServerState::Disabled) if theirs => "x",
        (_, McpServerState::Disabled) => "e",
        (_, McpServerState::NeedsAuth(_)) if theirs => "lrx",
        (_, McpServerState::NeedsAuth(_)) => "lrd",
        (_, McpServerState::Pending | McpServerState::Connected | McpServerState::Failed(_)) if theirs => "rx",
        (_, McpServerState::Pending | McpServerState::Connected | McpServerState::Failed(_)) => "rd",
    }
}

fn describe_server(status: &McpServerStatus) -> String {
    let mut about = format!("{}: {}\nfrom   {}\n", status.transport, status.target, status.scope.name());
    if let Some((name, version)) = &status.server {
        let _ = writeln!(about, "name   {name} {version}");
    }
    match &status.state {
        McpServerState::Failed(why) | McpServerState::NeedsAuth(why) => {
            let _ = writeln!(about, "\n{why}");
        }
        McpServerState::NeedsApproval => {
            about.push_str(
                "\nThis project wants to run it on your machine with your permissions. Approve only servers you trust.\n",
            );
        }
        McpServerState::Pending | McpServerState::Connected | McpServerState::Disabled => {}
    }
    for tool in status.tools.iter().take(MAX_TOOLS) {
        let reads = if tool.read_only { " (read-only)" } else { "" };
        let _ = write!(about, "\n{}{reads}: {}", tool.name, text::one_line(&tool.description));
    }
    if let more @ 1.. = status.tools.len().saturating_sub(MAX_TOOLS) {
        let _ = write!(about, "\n… {}", text::count_noun(more, "more tool"));
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
    fn ho_6_each_server_state_offers_its_keys() {
        let status = |scope, state| McpServerStatus {
            name: "s".into(),
            short_name: "s".into(),
            scope,
            transport: "stdio",
            target: "prog".into(),
            state,
            server: None,
            tools: Vec::new(),
            notes: Vec::new(),
        };
        let shown = |scope, state| {
            let row = server_row(&status(scope, state));
            (row.note, row.keys)
        };
        assert_eq!(
            shown(ServerScope::Project, McpServerState::NeedsApproval),
            ("waiting for your approval".into(), "a")
        );
        assert_eq!(shown(ServerScope::Project, McpServerState::Connected), ("connected · 0 tools".into(), "rx"));
        assert_eq!(shown(ServerScope::User, McpServerState::Failed("no".into())), ("failed: no".into(), "rd"));
        assert_eq!(shown(ServerScope::User, McpServerState::Disabled), ("disabled".into(), "e"));
        let login = || McpServerState::NeedsAuth("needs login: cutonce mcp login s".into());
        assert_eq!(shown(ServerScope::User, login()), ("needs login: cutonce mcp login s".into(), "lrd"));
        assert_eq!(shown(ServerScope::Host, McpServerState::Connected).1, "");
        assert!(server_row(&status(ServerScope::User, McpServerState::Pending)).is_changing);
    }
}
