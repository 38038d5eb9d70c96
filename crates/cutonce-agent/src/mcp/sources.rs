//! Sources of server definitions, highest priority first: `--mcp-config`, managed settings,
//! `.cutonce/settings.local.json`, the project's `.mcp.json` and `.cutonce/settings.json`, the user's settings. Each
//! name is used once.

use super::approved_servers::ApprovedServers;
use super::tool::sanitize_and_truncate;
use crate::config::LoadedSettings;
use crate::storage::paths::read_bounded_text;
use cutonce_core::permission::rules::ConfigSource;
use serde_json::Value;
use std::path::Path;

/// A server definition and its source.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredServer {
    /// The defined name.
    pub name: String,
    /// Where it is defined.
    pub scope: ServerScope,
    /// The file, or `--mcp-config`.
    pub file: String,
    /// The unparsed definition; see `parse`.
    pub definition: Value,
}

/// Where a server is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServerScope {
    /// In the host's process.
    Host,
    /// `--mcp-config`, or servers passed by a host.
    CommandLine,
    /// The administrator's settings.
    Managed,
    /// `.cutonce/settings.local.json`
    Local,
    /// `.mcp.json` or `.cutonce/settings.json`
    Project,
    /// The user's settings.
    User,
}

impl DeclaredServer {
    /// Whether it still needs the user's approval.
    pub(crate) fn awaits_approval(&self, agreed: &ApprovedServers) -> bool {
        self.scope.needs_approval() && !agreed.is_approved(&self.name, &self.definition)
    }
}

impl ServerScope {
    /// The name in lists and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            ServerScope::Host => "host",
            ServerScope::CommandLine => "command line",
            ServerScope::Managed => "managed",
            ServerScope::Local => "local",
            ServerScope::Project => "project",
            ServerScope::User => "user",
        }
    }
    /// Whether it needs approval, because it is defined in the project's folder.
    pub fn needs_approval(self) -> bool {
        match self {
            ServerScope::Local | ServerScope::Project => true,
            ServerScope::Host | ServerScope::CommandLine | ServerScope::Managed | ServerScope::User => false,
        }
    }
}

/// The project's file with servers.
pub const FILE: &str = ".mcp.json";
/// Maximum size of a file with servers.
const MAX_FILE_SIZE: u64 = 1 << 20;

/// The effective servers, and problems of their sources. `given` are the values of `--mcp-config`; with `strict`,
/// only these are used. A server without approval never replaces one of the same name, so an untrusted folder can't
/// disable the user's own.
pub fn effective_servers(
    loaded: &LoadedSettings,
    project: &Path,
    (given, strict): (&[String], bool),
    agreed: &ApprovedServers,
) -> (Vec<DeclaredServer>, Vec<String>) {
    let (all, mut notices) = all_servers(loaded, project, given, strict);
    let mut kept: Vec<DeclaredServer> = Vec::new();
    for one in all {
        let Some(known) = kept.iter_mut().find(|known| known.name == one.name) else {
            kept.push(one);
            continue;
        };
        if known.awaits_approval(agreed) && !one.awaits_approval(agreed) {
            notices.push(format!(
                "{} also defines an MCP server {:?}; the one from {} is used. To replace it, with your rules applied to the other: cutonce mcp approve {}",
                known.file, sanitize_and_truncate(&one.name, 100), one.file, sanitize_and_truncate(&one.name, 100)
            ));
            *known = one;
        }
    }
    kept.sort_by(|a, b| (a.scope, &a.name).cmp(&(b.scope, &b.name)));
    (kept, notices)
}

/// All defined servers, highest priority first; names may repeat.
pub fn all_servers(
    loaded: &LoadedSettings,
    project: &Path,
    given: &[String],
    strict: bool,
) -> (Vec<DeclaredServer>, Vec<String>) {
    let (mut all, mut notices) = (Vec::new(), Vec::new());
    for text in given {
        match from_flag(text, project) {
            Ok((file, value)) => all.extend(servers_in_file(&value, ServerScope::CommandLine, &file, &mut notices)),
            Err(why) => notices.push(why),
        }
    }
    if !strict {
        for (source, file, value) in &loaded.mcp_servers {
            all.extend(servers_in_object(value, scope_of(*source), file));
        }
        let path = project.join(FILE);
        match if loaded.mcp_file { read_json_file(&path) } else { Ok(None) } {
            Ok(Some(value)) => {
                all.extend(servers_in_file(&value, ServerScope::Project, &path.display().to_string(), &mut notices))
            }
            Ok(None) => {}
            Err(why) => notices.push(format!("{}: {why}; its MCP servers are ignored", path.display())),
        }
    }
    // The sort is stable, so later flags win over earlier ones.
    all.reverse();
    all.sort_by_key(|one: &DeclaredServer| one.scope);
    (all, notices)
}

fn scope_of(source: ConfigSource) -> ServerScope {
    match source {
        ConfigSource::Managed => ServerScope::Managed,
        ConfigSource::CommandLine | ConfigSource::Session => ServerScope::CommandLine,
        ConfigSource::Local => ServerScope::Local,
        ConfigSource::Project => ServerScope::Project,
        ConfigSource::User => ServerScope::User,
    }
}

/// Parses a file's content: `{"mcpServers": {…}}`.
fn servers_in_file(value: &Value, scope: ServerScope, file: &str, notices: &mut Vec<String>) -> Vec<DeclaredServer> {
    match &value["mcpServers"] {
        servers @ Value::Object(_) => servers_in_object(servers, scope, file),
        Value::Null => {
            notices.push(format!("{file}: `mcpServers` is missing; the file is ignored"));
            Vec::new()
        }
        _ => {
            notices.push(format!("{file}: `mcpServers`: expected an object of servers by name; the file is ignored"));
            Vec::new()
        }
    }
}

fn servers_in_object(servers: &Value, scope: ServerScope, file: &str) -> Vec<DeclaredServer> {
    let one = |(name, definition): (&String, &Value)| DeclaredServer {
        name: name.clone(),
        scope,
        file: file.into(),
        definition: definition.clone(),
    };
    servers.as_object().into_iter().flatten().map(one).collect()
}

/// Parses a flag: JSON text, or the path of an existing file.
fn from_flag(given: &str, cwd: &Path) -> Result<(String, Value), String> {
    if given.trim_start().starts_with('{') {
        let value = serde_json::from_str(given).map_err(|error| format!("--mcp-config: not JSON: {error}"))?;
        return Ok(("--mcp-config".into(), value));
    }
    let path = cwd.join(given);
    let file = path.display().to_string();
    match read_json_file(&path) {
        Ok(Some(value)) => Ok((file, value)),
        Ok(None) => Err(format!("--mcp-config {file}: no such file")),
        Err(why) => Err(format!("--mcp-config {file}: {why}")),
    }
}

/// Reads a JSON file; `None` if it doesn't exist.
pub(super) fn read_json_file(path: &Path) -> Result<Option<Value>, String> {
    let text = read_bounded_text(path, MAX_FILE_SIZE).map_err(|error| error.to_string())?;
    let Some(text) = text else { return Ok(None) };
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text).map(Some).map_err(|error| format!("not JSON: {error}"))
}
