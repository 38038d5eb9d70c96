//! A server's definition from `.mcp.json`, the settings or `--mcp-config`, and the expansion of its variables.

use crate::text_error::text_error;
use serde_json::{Map, Value};
use std::time::Duration;

/// The definition of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerDefinition {
    /// The transport.
    pub transport: ServerTransport,
    /// Timeout of a call; defaults to the settings.
    pub timeout: Option<Duration>,
    /// Not started until the user enables it.
    pub disabled: bool,
    /// For the login of a URL.
    pub oauth: OauthClient,
}

/// The OAuth client that a definition gives for a server's login (DU-10).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OauthClient {
    /// The id of a client that the user registered.
    pub id: Option<String>,
    /// The loopback port that was registered with it.
    pub callback_port: Option<u16>,
    /// The scopes to ask for.
    pub scopes: Vec<String>,
}

/// How to connect to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerTransport {
    /// A program that communicates over stdin and stdout.
    Stdio {
        /// The program.
        command: String,
        /// The program's arguments.
        args: Vec<String>,
        /// Additional environment variables.
        env: Vec<(String, String)>,
    },
    /// A URL with the streamable HTTP transport.
    Http {
        /// The URL.
        url: String,
        /// Headers sent with every request.
        headers: Vec<(String, String)>,
    },
    /// A server in the host's process.
    Sdk {
        /// The host's name for it.
        name: String,
    },
}

text_error! {
    /// Why a server's definition can't be used; names the invalid field.
    pub DefinitionError
}

/// Looks up a variable.
pub(crate) type VariableLookup<'a> = &'a dyn Fn(&str) -> Result<Option<String>, DefinitionError>;

impl ServerDefinition {
    /// Parses a definition; errors name the invalid field.
    pub fn parse(value: &Value) -> Result<ServerDefinition, DefinitionError> {
        let object = value.as_object().ok_or("expected an object with `command` or `url`")?;
        let kind = match object.get("type") {
            None | Some(Value::Null) if object.contains_key("url") => "http",
            None | Some(Value::Null) => "stdio",
            Some(Value::String(kind)) => kind.as_str(),
            Some(_) => return Err("`type`: expected `stdio` or `http`".into()),
        };
        let reach = match kind {
            "stdio" => ServerTransport::Stdio {
                command: string_field(object, "command")?.ok_or("`command` is missing")?,
                args: string_list_field(object, "args")?,
                env: pairs_field(object, "env")?,
            },
            "http" | "streamable-http" | "streamableHttp" => {
                let url = string_field(object, "url")?.ok_or("`url` is missing")?;
                ServerTransport::Http { url, headers: pairs_field(object, "headers")? }
            }
            "sdk" => ServerTransport::Sdk { name: string_field(object, "name")?.unwrap_or_default() },
            "sse" => return Err("`type`: the old SSE transport is not supported; use the server's `http` one".into()),
            other => return Err(format!("`type`: expected `stdio` or `http`, got {other:?}").into()),
        };
        let timeout = match object.get("timeout") {
            None | Some(Value::Null) => None,
            Some(value) => match value.as_u64().filter(|ms| (1..=86_400_000).contains(ms)) {
                Some(ms) => Some(Duration::from_millis(ms)),
                None => return Err(format!("`timeout`: expected 1 to 86400000 milliseconds, got {value}").into()),
            },
        };
        let disabled = object.get("disabled") == Some(&Value::Bool(true));
        Ok(ServerDefinition { transport: reach, timeout, disabled, oauth: oauth_field(object)? })
    }

    /// The transport's name: `stdio`, `http` or `sdk`.
    pub fn transport_name(&self) -> &'static str {
        match self.transport {
            ServerTransport::Stdio { .. } => "stdio",
            ServerTransport::Http { .. } => "http",
            ServerTransport::Sdk { .. } => "sdk",
        }
    }

    /// The command line or URL on one line; values of variables and headers are hidden.
    pub fn describe_target(&self) -> String {
        match &self.transport {
            ServerTransport::Stdio { command, args, env } => {
                let env = env.iter().map(|(name, _)| format!("{name}=…"));
                env.chain(std::iter::once(quote_arg(command)))
                    .chain(args.iter().map(|arg| quote_arg(arg)))
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            ServerTransport::Http { url, headers } => {
                let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
                if names.is_empty() { url.clone() } else { format!("{url} (with {})", names.join(", ")) }
            }
            ServerTransport::Sdk { name } => name.clone(),
        }
    }

    /// Replaces `${NAME}` and `${NAME:-default}`.
    pub(crate) fn expand_variables(self, lookup: VariableLookup<'_>) -> Result<ServerDefinition, DefinitionError> {
        let all = |pairs: Vec<(String, String)>| -> Result<Vec<(String, String)>, DefinitionError> {
            pairs.into_iter().map(|(name, value)| Ok((name, expand_text(&value, lookup)?))).collect()
        };
        let reach = match self.transport {
            ServerTransport::Stdio { command, args, env } => ServerTransport::Stdio {
                command: expand_text(&command, lookup)?,
                args: args.iter().map(|arg| expand_text(arg, lookup)).collect::<Result<_, _>>()?,
                env: all(env)?,
            },
            ServerTransport::Http { url, headers } => {
                ServerTransport::Http { url: expand_text(&url, lookup)?, headers: all(headers)? }
            }
            sdk @ ServerTransport::Sdk { .. } => sdk,
        };
        Ok(ServerDefinition { transport: reach, ..self })
    }
}

fn oauth_field(object: &Map<String, Value>) -> Result<OauthClient, DefinitionError> {
    let given = match object.get("oauth") {
        None | Some(Value::Null) => return Ok(OauthClient::default()),
        Some(Value::Object(given)) => given,
        Some(other) => return Err(format!("`oauth`: expected an object, got {other}").into()),
    };
    let callback_port = match given.get("callbackPort") {
        None | Some(Value::Null) => None,
        Some(value) => match value.as_u64().and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0) {
            Some(port) => Some(port),
            None => return Err(format!("`oauth.callbackPort`: expected a port number, got {value}").into()),
        },
    };
    Ok(OauthClient { id: string_field(given, "clientId")?, callback_port, scopes: string_list_field(given, "scopes")? })
}

fn string_field(object: &Map<String, Value>, key: &str) -> Result<Option<String>, DefinitionError> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() || text.contains('\0') => {
            Err(format!("`{key}`: expected a text, got {text:?}").into())
        }
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(format!("`{key}`: expected a text, got {other}").into()),
    }
}

fn string_list_field(object: &Map<String, Value>, key: &str) -> Result<Vec<String>, DefinitionError> {
    let list = match object.get(key) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(other) => return Err(format!("`{key}`: expected a list of texts, got {other}").into()),
    };
    let one = |item: &Value| item.as_str().filter(|text| !text.contains('\0')).map(str::to_string);
    list.iter().map(|item| one(item).ok_or_else(|| format!("`{key}`: expected texts, got {item}").into())).collect()
}

/// Parses name-value pairs; editors send a list of `{name, value}`.
fn pairs_field(object: &Map<String, Value>, key: &str) -> Result<Vec<(String, String)>, DefinitionError> {
    let wrong = |got: &Value| format!("`{key}`: expected names with texts, got {got}");
    let pair = |name: &str, value: &Value| -> Result<(String, String), DefinitionError> {
        let value = value.as_str().filter(|value| !value.contains('\0')).ok_or_else(|| wrong(value))?;
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(format!("`{key}`: {name:?} can't be a name").into());
        }
        Ok((name.to_string(), value.to_string()))
    };
    match object.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Object(map)) => map.iter().map(|(name, value)| pair(name, value)).collect(),
        Some(Value::Array(list)) => {
            list.iter().map(|item| pair(item["name"].as_str().unwrap_or_default(), &item["value"])).collect()
        }
        Some(other) => Err(wrong(other).into()),
    }
}

fn quote_arg(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,${}".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_string() } else { format!("{word:?}") }
}

/// `${NAME}` must be set, `${NAME:-default}` need not; any other `$` is kept.
fn expand_text(given: &str, lookup: VariableLookup<'_>) -> Result<String, DefinitionError> {
    let (mut out, mut rest) = (String::new(), given);
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let Some((inner, end)) = after.split_once('}') else {
            out.push_str("${");
            rest = after;
            continue;
        };
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        if !is_name(name) {
            out.push_str(&format!("${{{inner}}}"));
        } else {
            let value = lookup(name)?.filter(|value| !value.is_empty() || default.is_none());
            match (value, default) {
                (Some(value), _) => out.push_str(&value),
                (None, Some(default)) => out.push_str(default),
                (None, None) => {
                    return Err(format!("the variable {name} is not set; set it, or write ${{{name}:-…}}").into());
                }
            }
        }
        rest = end;
    }
    Ok(out + rest)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ho_6_definitions_of_other_agents_are_accepted() {
        let stdio =
            ServerDefinition::parse(&json!({"command": "node", "args": ["a b", "c"], "env": {"K": "V"}})).unwrap();
        assert_eq!((stdio.transport_name(), stdio.describe_target().as_str()), ("stdio", "K=… node \"a b\" c"));
        let http =
            ServerDefinition::parse(&json!({"type": "http", "url": "http://x/mcp", "headers": {"A": "b"}})).unwrap();
        assert_eq!((http.transport_name(), http.describe_target().as_str()), ("http", "http://x/mcp (with A)"));
        let listed = ServerDefinition::parse(&json!({"command": "x", "env": [{"name": "K", "value": "V"}]})).unwrap();
        assert_eq!(
            listed.transport,
            ServerTransport::Stdio { command: "x".into(), args: vec![], env: vec![("K".into(), "V".into())] }
        );
        let wrong = [
            (json!([]), "expected an object"),
            (json!({}), "`command` is missing"),
            (json!({"command": 7}), "`command`: expected a text, got 7"),
            (json!({"command": "x", "args": "y"}), "`args`: expected a list"),
            (json!({"command": "x", "env": {"A=B": "c"}}), "`env`: \"A=B\" can't be a name"),
            (json!({"type": "sse", "url": "x"}), "`type`: the old SSE"),
            (json!({"type": "smoke"}), "`type`: expected `stdio` or `http`, got \"smoke\""),
            (json!({"command": "x", "timeout": 0}), "`timeout`: expected 1 to"),
        ];
        for (value, expected) in wrong {
            let why = ServerDefinition::parse(&value).unwrap_err();
            assert!(why.to_string().starts_with(expected), "{value}: {why}");
        }
    }

    #[test]
    fn ho_6_variables_are_expanded_once() {
        let lookup = |name: &str| match name {
            "A" => Ok(Some("${B}".to_string())),
            "EMPTY" => Ok(Some(String::new())),
            "KEY" => Err("no".into()),
            _ => Ok(None),
        };
        let cases = [
            ("x${A}y", Ok("x${B}y")),
            ("${NONE:-d}${EMPTY:-e}${EMPTY}", Ok("de")),
            ("$A ${ ${1x} ${A", Ok("$A ${ ${1x} ${A")),
            ("${NONE}", Err("the variable NONE is not set; set it, or write ${NONE:-…}")),
            ("${KEY}", Err("no")),
        ];
        for (given, expected) in cases {
            assert_eq!(
                expand_text(given, &lookup),
                expected.map(str::to_string).map_err(DefinitionError::from),
                "{given}"
            );
        }
    }
}
