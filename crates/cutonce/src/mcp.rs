//! `cutonce mcp`: which MCP servers there are and how they are, adding and removing them, agreeing to a project's (HO-6).

use crate::cli::{Mcp, McpAdd, McpScope, McpTransport, McpWhat};
use crate::start::{Usage, cwd, home};
use anyhow::{Context, bail};
use cutonce_agent::mcp::agreed::Agreed;
use cutonce_agent::mcp::definition::{Definition, Reach};
use cutonce_agent::mcp::sources::{Declared, Scope, declared, every};
use cutonce_agent::mcp::{Opening, Servers, State, Status, edit, names, only};
use cutonce_agent::settings::{self, Loaded, Places};
use cutonce_agent::start::tool_env;
use cutonce_core::harmless::harmless;
use serde_json::{Value, json};
use std::path::Path;

pub async fn run(args: Mcp) -> anyhow::Result<u8> {
    let desk = Desk::new()?;
    match args.what.unwrap_or_default() {
        McpWhat::List { json, no_check } => desk.list(json, !no_check).await,
        McpWhat::Get { name } => desk.get(&name).await,
        McpWhat::Add(add) => desk.add(&add.name, &definition(&add)?, add.scope.into()),
        McpWhat::AddJson { name, json, scope } => {
            let value = serde_json::from_str(&json).map_err(|error| Usage(format!("no JSON: {error}")))?;
            desk.add(&name, &value, scope.into())
        }
        McpWhat::Remove { name, scope } => desk.remove(&name, scope.map(Scope::from)),
        McpWhat::Agree { name } => desk.agree(&name),
        McpWhat::Refuse { name } => desk.refuse(&name),
    }
}

impl From<McpScope> for Scope {
    fn from(scope: McpScope) -> Scope {
        match scope {
            McpScope::Local => Scope::Local,
            McpScope::Project => Scope::Project,
            McpScope::User => Scope::User,
        }
    }
}

/// What was typed, as a definition.
fn definition(add: &McpAdd) -> anyhow::Result<Value> {
    let pairs = |given: &[String], mark: char, what: &str| -> anyhow::Result<Value> {
        let mut all = serde_json::Map::new();
        for pair in given {
            let split = pair.split_once(mark).filter(|(name, _)| !name.trim().is_empty());
            let (name, value) = split.ok_or_else(|| Usage(format!("{pair:?}: write it as {what}")))?;
            all.insert(name.trim().into(), value.trim_start().into());
        }
        Ok(Value::Object(all))
    };
    let [first, rest @ ..] = add.target.as_slice() else {
        return Err(Usage("a command or a URL is missing".into()).into());
    };
    let is_url = first.starts_with("http://") || first.starts_with("https://");
    if add.transport.is_none() && !is_url && first.contains("://") {
        return Err(Usage(format!("{first:?}: expected a command, or an address with http:// or https://")).into());
    }
    let transport = add.transport.unwrap_or(if is_url { McpTransport::Http } else { McpTransport::Stdio });
    let mut value = match transport {
        McpTransport::Http if !rest.is_empty() || !add.env.is_empty() => {
            return Err(Usage("an http server takes one URL and --header, no arguments and no --env".into()).into());
        }
        McpTransport::Http => json!({"type": "http", "url": first}),
        McpTransport::Stdio if !add.header.is_empty() => {
            return Err(Usage("--header is for http servers; a command takes --env".into()).into());
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

/// Where servers are named, from here.
struct Desk {
    places: Places,
    loaded: Loaded,
    agreed: Agreed,
}

impl Desk {
    fn new() -> anyhow::Result<Desk> {
        let project = cwd()?;
        let home = home()?;
        let places = Places::new(&|name| std::env::var_os(name), &project).context("there is no home folder")?;
        let loaded = settings::load(&places, None);
        Ok(Desk { agreed: Agreed::new(&home, &project), places, loaded })
    }

    fn all(&self) -> Vec<Declared> {
        let (all, wrong) = declared(&self.loaded, &self.places.project, (&[], false), &self.agreed);
        for notice in wrong {
            eprintln!("cutonce: {}", harmless(&notice));
        }
        all
    }

    fn find(&self, name: &str) -> anyhow::Result<Declared> {
        let found = self.all().into_iter().find(|one| one.name == name);
        found.with_context(|| format!("there is no MCP server {name:?}; `cutonce mcp list` lists them"))
    }

    /// Start those that may start, and wait until each is connected or has failed.
    async fn checked(&self, wanted: impl Fn(&str) -> bool, check: bool) -> anyhow::Result<Vec<Status>> {
        let env: Vec<_> = std::env::vars_os().collect();
        let own = tempfile::tempdir()?;
        let opening = Opening {
            home: &self.places.home,
            project: &self.places.project,
            loaded: &self.loaded,
            settings: &self.loaded.settings,
            tool_env: tool_env(&env, &self.loaded.settings),
            env,
            roots: vec![self.places.project.clone()],
            own: own.path().to_path_buf(),
            given: &[],
            strict: false,
        };
        let (servers, wrong): (Servers, _) = only(opening, wanted, check);
        for notice in wrong {
            eprintln!("cutonce: {}", harmless(&notice));
        }
        if check {
            servers.settled(None).await;
        }
        for notice in servers.take_notices() {
            eprintln!("cutonce: {}", harmless(&notice));
        }
        let status = servers.status();
        servers.close().await;
        Ok(status)
    }

    async fn list(&self, as_json: bool, check: bool) -> anyhow::Result<u8> {
        let status = self.checked(|_| true, check).await?;
        if status.is_empty() && !as_json {
            println!("No MCP servers. To add one: cutonce mcp add NAME -- COMMAND ARGS…");
        }
        for one in &status {
            if as_json {
                let tools: Vec<&str> = one.tools.iter().map(|tool| tool.name.as_str()).collect();
                println!(
                    "{}",
                    json!({"name": one.name, "scope": one.scope.name(), "transport": one.transport, "target": one.target,
                        "status": word(&one.state), "why": why(&one.state), "tools": tools})
                );
            } else {
                let (name, target) = (&one.name, harmless(&one.target));
                println!("{name}: {target} ({}, {}) - {}", one.transport, one.scope.name(), told(one, check));
            }
        }
        Ok(0)
    }

    async fn get(&self, name: &str) -> anyhow::Result<u8> {
        let declared = self.find(name)?;
        let status = self.checked(|one| one == name, true).await?;
        let one = status.first().with_context(|| format!("{name:?} can't be the name of an MCP server"))?;
        println!("{}", one.name);
        println!("  from: {} ({})", harmless(&declared.file), one.scope.name());
        println!("  {}: {}", one.transport, harmless(&one.target));
        println!("  status: {}", told(one, true));
        if let Some((server, version)) = &one.server {
            println!("  says it is: {server} {version}");
        }
        for tool in &one.tools {
            println!("  {}{}", tool.name, if tool.reads { " (reads)" } else { "" });
        }
        for note in &one.notes {
            println!("  note: {note}");
        }
        Ok(0)
    }

    fn add(&self, name: &str, value: &Value, scope: Scope) -> anyhow::Result<u8> {
        if names::server(name).is_none() {
            return Err(
                Usage(format!("{name:?} can't be the name of an MCP server: use letters, digits, - and _")).into()
            );
        }
        let definition = Definition::parse(value).map_err(Usage)?;
        if let Reach::Http { url, .. } = &definition.reach
            && !["http://", "https://", "${"].iter().any(|start| url.starts_with(start))
        {
            return Err(Usage(format!("`url`: expected an http or https address, got {url:?}")).into());
        }
        // Tools and rules could not tell the two apart.
        if let Some(other) =
            self.all().iter().find(|one| one.name != name && names::server(&one.name) == names::server(name))
        {
            return Err(Usage(format!(
                "{name:?} reads like {:?}, which is in {}; choose another name",
                other.name, other.file
            ))
            .into());
        }
        let path = edit::file(&self.places, scope).context("this scope has no file")?;
        if !edit::add(&path, name, value)? {
            bail!("{} has an MCP server {name:?} already; remove it first", path.display());
        }
        // Whoever adds it here agrees to it.
        if scope.needs_agreement() {
            self.agreed.add(name, value)?;
        }
        println!("Added {name} ({}: {}) to {}", definition.transport(), definition.target(), path.display());
        Ok(0)
    }

    fn remove(&self, name: &str, scope: Option<Scope>) -> anyhow::Result<u8> {
        let scopes = scope.map_or_else(|| vec![Scope::Local, Scope::Project, Scope::User], |scope| vec![scope]);
        // Within a scope the first counts.
        let holding = |scope| edit::files(&self.places, scope).into_iter().find(|path| holds(path, name));
        let places: Vec<_> = scopes.into_iter().filter_map(holding).collect();
        match places.as_slice() {
            [] => bail!("no file here names an MCP server {name:?}; `cutonce mcp list` lists them"),
            [path] => {
                edit::remove(path, name)?;
                self.agreed.remove(name)?;
                println!("Removed {name} from {}", path.display());
                Ok(0)
            }
            several => {
                let shown: Vec<String> = several.iter().map(|path| path.display().to_string()).collect();
                Err(Usage(format!("{name:?} is in {}: say which with --scope", shown.join(" and "))).into())
            }
        }
    }

    fn agree(&self, name: &str) -> anyhow::Result<u8> {
        let counts = self.find(name)?;
        // One that waits does not count yet, where the user has another of its name.
        let (all, _) = every(&self.loaded, &self.places.project, &[], false);
        let declared = all.into_iter().find(|one| one.name == name && one.scope.needs_agreement());
        let hidden = declared.as_ref().map(|_| counts.clone()).filter(|counts| !counts.scope.needs_agreement());
        let declared = declared.unwrap_or(counts);
        let definition = Definition::parse(&declared.definition).map_err(|why| anyhow::anyhow!("{name}: {why}"))?;
        if !declared.scope.needs_agreement() {
            println!("{name} is yours ({}): it needs no agreement.", declared.scope.name());
            return Ok(0);
        }
        self.agreed.add(name, &declared.definition)?;
        let (kind, exactly) = (definition.transport(), declared.definition.to_string());
        println!("Agreed: {name} ({kind}) may start in this folder as long as its definition stays as it is:");
        println!("{}", harmless(&exactly));
        if let Some(own) = hidden {
            let called = names::server(name).unwrap_or_default();
            println!(
                "It takes the place of yours in {}: your rules for mcp__{called} count for it.",
                harmless(&own.file)
            );
        }
        Ok(0)
    }

    fn refuse(&self, name: &str) -> anyhow::Result<u8> {
        if !self.agreed.knows(name) {
            self.find(name)?;
        }
        self.agreed.remove(name)?;
        println!("{name} does not start in this folder until you agree to it again.");
        Ok(0)
    }
}

fn holds(path: &Path, name: &str) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    value["mcpServers"].get(name).is_some()
}

/// How a server is, in words.
pub fn told(status: &Status, checked: bool) -> String {
    match &status.state {
        State::Pending if !checked => "not checked".into(),
        State::Pending => "still starting".into(),
        State::Connected => format!("connected, {} tools", status.tools.len()),
        State::Failed(why) => format!("failed: {}", harmless(why)),
        State::NeedsAuth(why) => format!("needs authorization: {}", harmless(why)),
        State::NeedsAgreement => format!("waits for you: cutonce mcp agree {}", status.name),
        State::Disabled => "disabled".into(),
    }
}

/// For programs: what waits for the user is not what is switched off.
fn word(state: &State) -> &'static str {
    match state {
        State::NeedsAgreement => "needs-agreement",
        other => other.name(),
    }
}

fn why(state: &State) -> Option<&str> {
    match state {
        State::Failed(why) | State::NeedsAuth(why) => Some(why),
        State::Pending | State::Connected | State::NeedsAgreement | State::Disabled => None,
    }
}
