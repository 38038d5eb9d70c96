//! `cutonce mcp`: lists, adds, removes and approves MCP servers (HO-6).

use crate::cli::args::{McpAdd, McpArgs, McpCommand, McpScope, McpTransport};
use crate::cli::usage::UsageError;
use crate::start::{current_dir, home_dir};
use anyhow::{Context, bail};
use cutonce_agent::builder::tool_env;
use cutonce_agent::config::{self, LoadedSettings, SettingsPaths};
use cutonce_agent::mcp::approved_servers::ApprovedServers;
use cutonce_agent::mcp::definition::{ServerDefinition, ServerTransport};
use cutonce_agent::mcp::sources::{DeclaredServer, ServerScope, all_servers, effective_servers};
use cutonce_agent::mcp::{McpOptions, McpServerState, McpServerStatus, McpServers, edit_files, names, open_selected};
use cutonce_core::exit_code;
use cutonce_core::text::sanitize::sanitize;
use serde_json::{Value, json};
use std::path::Path;

pub async fn run(args: McpArgs) -> anyhow::Result<u8> {
    let desk = McpConfigEditor::new()?;
    match args.command.unwrap_or_default() {
        McpCommand::List { json, no_check } => desk.print_list(json, !no_check).await,
        McpCommand::Get { name } => desk.print_server(&name).await,
        McpCommand::Add(add) => desk.add_server(&add.name, &parse_definition(&add)?, add.scope.into()),
        McpCommand::AddJson { name, json, scope } => {
            let value = serde_json::from_str(&json).map_err(|error| UsageError(format!("invalid JSON: {error}")))?;
            desk.add_server(&name, &value, scope.into())
        }
        McpCommand::Remove { name, scope } => desk.remove_server(&name, scope.map(ServerScope::from)),
        #[cfg(feature = "mcp")]
        McpCommand::Login(login) => super::mcp_login::log_in(desk.open_stopped()?, login).await,
        #[cfg(feature = "mcp")]
        McpCommand::Logout { name, url } => super::mcp_login::log_out(&desk.open_stopped()?, &name, url.as_deref()),
        McpCommand::Approve { name } => desk.approve_server(&name),
        McpCommand::Deny { name } => desk.revoke_approval(&name),
    }
}

impl From<McpScope> for ServerScope {
    fn from(scope: McpScope) -> ServerScope {
        match scope {
            McpScope::Local => ServerScope::Local,
            McpScope::Project => ServerScope::Project,
            McpScope::User => ServerScope::User,
        }
    }
}

/// Builds a server definition from the flags.
fn parse_definition(add: &McpAdd) -> anyhow::Result<Value> {
    let pairs = |given: &[String], mark: char, what: &str| -> anyhow::Result<Value> {
        let mut all = serde_json::Map::new();
        for pair in given {
            let split = pair.split_once(mark).filter(|(name, _)| !name.trim().is_empty());
            let (name, value) = split.ok_or_else(|| UsageError(format!("{pair:?}: expected {what}")))?;
            all.insert(name.trim().into(), value.trim_start().into());
        }
        Ok(Value::Object(all))
    };
    let [first, rest @ ..] = add.target.as_slice() else {
        return Err(UsageError("missing a command or a URL".into()).into());
    };
    let is_url = first.starts_with("http://") || first.starts_with("https://");
    if add.transport.is_none() && !is_url && first.contains("://") {
        return Err(UsageError(format!("{first:?}: expected a command, or a URL with http:// or https://")).into());
    }
    let transport = add.transport.unwrap_or(if is_url { McpTransport::Http } else { McpTransport::Stdio });
    let mut value = match transport {
        McpTransport::Http if !rest.is_empty() || !add.env.is_empty() => {
            return Err(
                UsageError("an http server takes one URL and --header, no arguments and no --env".into()).into()
            );
        }
        McpTransport::Http => json!({"type": "http", "url": first}),
        McpTransport::Stdio if !add.header.is_empty() => {
            return Err(UsageError("--header is for http servers; a command takes --env".into()).into());
        }
        McpTransport::Stdio => json!({"type": "stdio", "command": first, "args": rest}),
    };
    if !add.env.is_empty() {
        value["env"] = pairs(&add.env, '=', "KEY=VALUE")?;
    }
    if !add.header.is_empty() {
        value["headers"] = pairs(&add.header, ':', "\"Name: value\"")?;
    }
    Ok(value)
}

/// Settings and approvals of the current folder.
struct McpConfigEditor {
    places: SettingsPaths,
    loaded: LoadedSettings,
    approvals: ApprovedServers,
}

impl McpConfigEditor {
    fn new() -> anyhow::Result<McpConfigEditor> {
        let project = current_dir()?;
        let home = home_dir()?;
        let places = SettingsPaths::new(&|name| std::env::var_os(name), &project).context("there is no home folder")?;
        let loaded = config::load_settings(&places, None);
        Ok(McpConfigEditor { approvals: ApprovedServers::new(&home, &project), places, loaded })
    }

    fn declared_servers(&self) -> Vec<DeclaredServer> {
        let (all, wrong) = effective_servers(&self.loaded, &self.places.project, (&[], false), &self.approvals);
        for notice in wrong {
            eprintln!("cutonce: {}", sanitize(&notice));
        }
        all
    }

    fn find_server(&self, name: &str) -> anyhow::Result<DeclaredServer> {
        let found = self.declared_servers().into_iter().find(|one| one.name == name);
        found.with_context(|| format!("no MCP server is called {name:?}; `cutonce mcp list` lists them"))
    }

    /// Starts the servers that may start, and waits until each is connected or has failed.
    async fn check_servers(&self, wanted: impl Fn(&str) -> bool, check: bool) -> anyhow::Result<Vec<McpServerStatus>> {
        let own = tempfile::tempdir()?;
        let servers = self.open_servers(own.path(), wanted, check);
        if check {
            servers.wait_until_started(None).await;
        }
        for notice in servers.take_notices() {
            eprintln!("cutonce: {}", sanitize(&notice));
        }
        let status = servers.status();
        servers.close().await;
        Ok(status)
    }

    /// The servers, of which none is started.
    #[cfg(feature = "mcp")]
    fn open_stopped(&self) -> anyhow::Result<(McpServers, std::path::PathBuf)> {
        let own = tempfile::tempdir()?;
        Ok((self.open_servers(own.path(), |_| true, false), self.places.home.clone()))
    }

    fn open_servers(&self, own: &Path, wanted: impl Fn(&str) -> bool, start: bool) -> McpServers {
        let env: Vec<_> = std::env::vars_os().collect();
        let opening = McpOptions {
            home: &self.places.home,
            project: &self.places.project,
            loaded: &self.loaded,
            settings: &self.loaded.settings,
            tool_env: tool_env(&env, &self.loaded.settings),
            env,
            roots: vec![self.places.project.clone()],
            own: own.to_path_buf(),
            given: &[],
            strict: false,
        };
        let (servers, wrong): (McpServers, _) = open_selected(opening, wanted, start);
        for notice in wrong {
            eprintln!("cutonce: {}", sanitize(&notice));
        }
        servers
    }

    async fn print_list(&self, as_json: bool, check: bool) -> anyhow::Result<u8> {
        let status = self.check_servers(|_| true, check).await?;
        if status.is_empty() && !as_json {
            println!("No MCP servers. Add one with: cutonce mcp add NAME -- COMMAND ARGS…");
        }
        for one in &status {
            if as_json {
                let tools: Vec<&str> = one.tools.iter().map(|tool| tool.name.as_str()).collect();
                println!(
                    "{}",
                    json!({"name": one.name, "scope": one.scope.name(), "transport": one.transport, "target": one.target,
                        "status": status_name(&one.state), "why": failure_reason(&one.state), "tools": tools})
                );
            } else {
                let (name, target) = (&one.name, sanitize(&one.target));
                println!("{name}: {target} ({}, {}) - {}", one.transport, one.scope.name(), status_text(one, check));
            }
        }
        Ok(exit_code::SUCCESS)
    }

    async fn print_server(&self, name: &str) -> anyhow::Result<u8> {
        let declared = self.find_server(name)?;
        let status = self.check_servers(|one| one == name, true).await?;
        let one = status.first().with_context(|| format!("{name:?} is not a valid MCP server name"))?;
        println!("{}", one.name);
        println!("  from: {} ({})", sanitize(&declared.file), one.scope.name());
        println!("  {}: {}", one.transport, sanitize(&one.target));
        println!("  status: {}", status_text(one, true));
        if let Some((server, version)) = &one.server {
            println!("  server: {server} {version}");
        }
        for tool in &one.tools {
            println!("  {}{}", tool.name, if tool.read_only { " (reads)" } else { "" });
        }
        for note in &one.notes {
            println!("  note: {note}");
        }
        Ok(exit_code::SUCCESS)
    }

    fn add_server(&self, name: &str, value: &Value, scope: ServerScope) -> anyhow::Result<u8> {
        if names::server_name(name).is_none() {
            return Err(
                UsageError(format!("{name:?} is not a valid MCP server name: use letters, digits, - and _")).into()
            );
        }
        let definition = ServerDefinition::parse(value).map_err(|error| UsageError(error.to_string()))?;
        if let ServerTransport::Http { url, .. } = &definition.transport
            && !["http://", "https://", "${"].iter().any(|start| url.starts_with(start))
        {
            return Err(UsageError(format!("`url`: expected an http or https URL, got {url:?}")).into());
        }
        // Tools and rules could not distinguish the two servers.
        if let Some(other) = self
            .declared_servers()
            .iter()
            .find(|one| one.name != name && names::server_name(&one.name) == names::server_name(name))
        {
            return Err(UsageError(format!(
                "{name:?} is too similar to {:?} in {}; choose another name",
                other.name, other.file
            ))
            .into());
        }
        let path = edit_files::scope_file(&self.places, scope).context("this scope has no settings file")?;
        if !edit_files::add_server(&path, name, value)? {
            bail!("{} already has an MCP server {name:?}; remove it first", path.display());
        }
        // Adding a server on the command line is also the approval.
        if scope.needs_approval() {
            self.approvals.approve(name, value)?;
        }
        println!(
            "Added {name} ({}: {}) to {}",
            definition.transport_name(),
            definition.describe_target(),
            path.display()
        );
        Ok(exit_code::SUCCESS)
    }

    fn remove_server(&self, name: &str, scope: Option<ServerScope>) -> anyhow::Result<u8> {
        let scopes = scope
            .map_or_else(|| vec![ServerScope::Local, ServerScope::Project, ServerScope::User], |scope| vec![scope]);
        // Within a scope, the first file that defines the server applies.
        let holding =
            |scope| edit_files::scope_files(&self.places, scope).into_iter().find(|path| file_defines(path, name));
        let places: Vec<_> = scopes.into_iter().filter_map(holding).collect();
        match places.as_slice() {
            [] => bail!("no settings file here defines an MCP server {name:?}; `cutonce mcp list` lists them"),
            [path] => {
                edit_files::remove_server(path, name)?;
                self.approvals.revoke(name)?;
                println!("Removed {name} from {}", path.display());
                Ok(exit_code::SUCCESS)
            }
            several => {
                let shown: Vec<String> = several.iter().map(|path| path.display().to_string()).collect();
                Err(UsageError(format!("{name:?} is defined in {}; choose one with --scope", shown.join(" and ")))
                    .into())
            }
        }
    }

    fn approve_server(&self, name: &str) -> anyhow::Result<u8> {
        let counts = self.find_server(name)?;
        // A server that waits for approval is hidden if the user has another one of the same name.
        let (all, _) = all_servers(&self.loaded, &self.places.project, &[], false);
        let declared = all.into_iter().find(|one| one.name == name && one.scope.needs_approval());
        let hidden = declared.as_ref().map(|_| counts.clone()).filter(|counts| !counts.scope.needs_approval());
        let declared = declared.unwrap_or(counts);
        let definition =
            ServerDefinition::parse(&declared.definition).map_err(|why| anyhow::anyhow!("{name}: {why}"))?;
        if !declared.scope.needs_approval() {
            println!("{name} is your own server ({}) and needs no approval.", declared.scope.name());
            return Ok(exit_code::SUCCESS);
        }
        self.approvals.approve(name, &declared.definition)?;
        let (kind, exactly) = (definition.transport_name(), declared.definition.to_string());
        println!("Approved: {name} ({kind}) may start in this folder as long as its definition does not change:");
        println!("{}", sanitize(&exactly));
        if let Some(own) = hidden {
            let called = names::server_name(name).unwrap_or_default();
            println!("It replaces your server in {}; your rules for mcp__{called} apply to it.", sanitize(&own.file));
        }
        Ok(exit_code::SUCCESS)
    }

    fn revoke_approval(&self, name: &str) -> anyhow::Result<u8> {
        if !self.approvals.has_name(name) {
            self.find_server(name)?;
        }
        self.approvals.revoke(name)?;
        println!("{name} will not start in this folder until you approve it again.");
        Ok(exit_code::SUCCESS)
    }
}

fn file_defines(path: &Path, name: &str) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    value["mcpServers"].get(name).is_some()
}

/// Describes a server's state for the user.
pub fn status_text(status: &McpServerStatus, checked: bool) -> String {
    match &status.state {
        McpServerState::Pending if !checked => "not checked".into(),
        McpServerState::Pending => "still starting".into(),
        McpServerState::Connected => format!("connected, {} tools", status.tools.len()),
        McpServerState::Failed(why) => format!("failed: {}", sanitize(why)),
        McpServerState::NeedsAuth(why) => sanitize(why).into_owned(),
        McpServerState::NeedsApproval => format!("needs approval: cutonce mcp approve {}", status.name),
        McpServerState::Disabled => "disabled".into(),
    }
}

/// Status name for programs. Keeps "needs approval" apart from "disabled".
fn status_name(state: &McpServerState) -> &'static str {
    match state {
        McpServerState::NeedsApproval => "needs-agreement",
        other => other.name(),
    }
}

fn failure_reason(state: &McpServerState) -> Option<&str> {
    match state {
        McpServerState::Failed(why) | McpServerState::NeedsAuth(why) => Some(why),
        McpServerState::Pending
        | McpServerState::Connected
        | McpServerState::NeedsApproval
        | McpServerState::Disabled => None,
    }
}
