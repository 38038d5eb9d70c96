//! Where servers are named, strongest first: `--mcp-config`, the managed settings, `.cutonce/settings.local.json`, the
//! project's `.mcp.json` and `.cutonce/settings.json`, the user's settings. A name counts once.

use super::agreed::Agreed;
use super::offered::bounded;
use crate::settings::Loaded;
use cutonce_core::rule::Source;
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// A server as somebody wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// The name it is defined under.
    pub name: String,
    /// Who names it.
    pub scope: Scope,
    /// The file, or `--mcp-config`.
    pub file: String,
    /// As it is written; [`super::definition::Definition::parse`] reads it.
    pub definition: Value,
}

/// Whose word it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// It lives in the host's process.
    Host,
    /// `--mcp-config`, or a host that passes servers.
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

impl Declared {
    /// It is a project's, and the user has not agreed to it as it is now.
    pub(crate) fn waits(&self, agreed: &Agreed) -> bool {
        self.scope.needs_agreement() && !agreed.has(&self.name, &self.definition)
    }
}

impl Scope {
    /// The name in lists and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Host => "host",
            Scope::CommandLine => "command line",
            Scope::Managed => "managed",
            Scope::Local => "local",
            Scope::Project => "project",
            Scope::User => "user",
        }
    }
    /// Written in the project's own folder: nothing of it starts before the user agreed to it.
    pub fn needs_agreement(self) -> bool {
        match self {
            Scope::Local | Scope::Project => true,
            Scope::Host | Scope::CommandLine | Scope::Managed | Scope::User => false,
        }
    }
}

/// The project's own file.
pub const FILE: &str = ".mcp.json";
/// No file of servers is longer.
const LONGEST: u64 = 1 << 20;

/// The servers that count, and what is wrong with the sources. `given` are the values of `--mcp-config`; `strict`: only these. One
/// that waits for the user's agreement takes no other's name: a folder that nobody trusts does not switch the user's own off.
pub fn declared(
    loaded: &Loaded,
    project: &Path,
    (given, strict): (&[String], bool),
    agreed: &Agreed,
) -> (Vec<Declared>, Vec<String>) {
    let (all, mut notices) = every(loaded, project, given, strict);
    let mut kept: Vec<Declared> = Vec::new();
    for one in all {
        let Some(known) = kept.iter_mut().find(|known| known.name == one.name) else {
            kept.push(one);
            continue;
        };
        if known.waits(agreed) && !one.waits(agreed) {
            notices.push(format!(
                "{} names an MCP server {:?} too; {} counts. To have the other in its place, with your rules for it: cutonce mcp agree {}",
                known.file, bounded(&one.name, 100), one.file, bounded(&one.name, 100)
            ));
            *known = one;
        }
    }
    kept.sort_by(|a, b| (a.scope, &a.name).cmp(&(b.scope, &b.name)));
    (kept, notices)
}

/// All that are named, strongest first; a name may come several times.
pub fn every(loaded: &Loaded, project: &Path, given: &[String], strict: bool) -> (Vec<Declared>, Vec<String>) {
    let (mut all, mut notices) = (Vec::new(), Vec::new());
    for text in given {
        match from_flag(text, project) {
            Ok((file, value)) => all.extend(servers_in(&value, Scope::CommandLine, &file, &mut notices)),
            Err(why) => notices.push(why),
        }
    }
    if !strict {
        for (source, file, value) in &loaded.mcp_servers {
            all.extend(entries(value, scope_of(*source), file));
        }
        let path = project.join(FILE);
        match if loaded.mcp_file { read(&path) } else { Ok(None) } {
            Ok(Some(value)) => {
                all.extend(servers_in(&value, Scope::Project, &path.display().to_string(), &mut notices))
            }
            Ok(None) => {}
            Err(why) => notices.push(format!("{}: {why}; none of its MCP servers count", path.display())),
        }
    }
    // Stable: what was given later on the command line wins over what was given before it.
    all.reverse();
    all.sort_by_key(|one: &Declared| one.scope);
    (all, notices)
}

fn scope_of(source: Source) -> Scope {
    match source {
        Source::Managed => Scope::Managed,
        Source::CommandLine | Source::Session => Scope::CommandLine,
        Source::Local => Scope::Local,
        Source::Project => Scope::Project,
        Source::User => Scope::User,
    }
}

/// A file's content: `{"mcpServers": {…}}`.
fn servers_in(value: &Value, scope: Scope, file: &str, notices: &mut Vec<String>) -> Vec<Declared> {
    match &value["mcpServers"] {
        servers @ Value::Object(_) => entries(servers, scope, file),
        Value::Null => {
            notices.push(format!("{file}: `mcpServers` is missing; no MCP server counts"));
            Vec::new()
        }
        _ => {
            notices.push(format!("{file}: `mcpServers`: expected servers by name; no MCP server counts"));
            Vec::new()
        }
    }
}

fn entries(servers: &Value, scope: Scope, file: &str) -> Vec<Declared> {
    let one = |(name, definition): (&String, &Value)| Declared {
        name: name.clone(),
        scope,
        file: file.into(),
        definition: definition.clone(),
    };
    servers.as_object().into_iter().flatten().map(one).collect()
}

/// JSON text, or the path of a file that must exist.
fn from_flag(given: &str, cwd: &Path) -> Result<(String, Value), String> {
    if given.trim_start().starts_with('{') {
        let value = serde_json::from_str(given).map_err(|error| format!("--mcp-config: not JSON: {error}"))?;
        return Ok(("--mcp-config".into(), value));
    }
    let path = cwd.join(given);
    let file = path.display().to_string();
    match read(&path) {
        Ok(Some(value)) => Ok((file, value)),
        Ok(None) => Err(format!("--mcp-config {file}: there is no such file")),
        Err(why) => Err(format!("--mcp-config {file}: {why}")),
    }
}

/// None where there is no such file.
pub(super) fn read(path: &Path) -> Result<Option<Value>, String> {
    let about = match std::fs::metadata(path) {
        Ok(about) => about,
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error.to_string()),
    };
    // A fifo or device in somebody's repository must not make us wait.
    if !about.is_file() || about.len() > LONGEST {
        return Err(format!("not a file of at most {LONGEST} bytes"));
    }
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    file.take(LONGEST).read_to_string(&mut text).map_err(|error| error.to_string())?;
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text).map(Some).map_err(|error| format!("not JSON: {error}"))
}
