//! A server's definition as `.mcp.json`, the settings and `--mcp-config` write it, and what its variables stand for.

use serde_json::{Map, Value};
use std::time::Duration;

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// How it is reached.
    pub reach: Reach,
    /// A call may take this long; else as the settings say.
    pub timeout: Option<Duration>,
    /// It is not started until it is switched on.
    pub disabled: bool,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// A program that speaks on its standard input and output.
    Stdio {
        /// The program.
        command: String,
        /// What it is given.
        args: Vec<String>,
        /// What its environment has besides.
        env: Vec<(String, String)>,
    },
    /// An address that takes the streamable HTTP transport.
    Http {
        /// Its address.
        url: String,
        /// Sent with every request.
        headers: Vec<(String, String)>,
    },
    /// It lives in the host's process.
    Sdk {
        /// As the host knows it.
        name: String,
    },
}

/// Looks up a variable.
pub(crate) type Lookup<'a> = &'a dyn Fn(&str) -> Result<Option<String>, String>;

impl Definition {
    /// What is wrong with it is said by field.
    pub fn parse(value: &Value) -> Result<Definition, String> {
        let object = value.as_object().ok_or("expected an object with `command` or `url`")?;
        let kind = match object.get("type") {
            None | Some(Value::Null) if object.contains_key("url") => "http",
            None | Some(Value::Null) => "stdio",
            Some(Value::String(kind)) => kind.as_str(),
            Some(_) => return Err("`type`: expected `stdio` or `http`".into()),
        };
        let reach = match kind {
            "stdio" => Reach::Stdio {
                command: text(object, "command")?.ok_or("`command` is missing")?,
                args: texts(object, "args")?,
                env: pairs(object, "env")?,
            },
            "http" | "streamable-http" | "streamableHttp" => {
                let url = text(object, "url")?.ok_or("`url` is missing")?;
                Reach::Http { url, headers: pairs(object, "headers")? }
            }
            "sdk" => Reach::Sdk { name: text(object, "name")?.unwrap_or_default() },
            "sse" => return Err("`type`: the old SSE transport is not spoken here; use the server's `http` one".into()),
            other => return Err(format!("`type`: expected `stdio` or `http`, got {other:?}")),
        };
        let timeout = match object.get("timeout") {
            None | Some(Value::Null) => None,
            Some(value) => match value.as_u64().filter(|ms| (1..=86_400_000).contains(ms)) {
                Some(ms) => Some(Duration::from_millis(ms)),
                None => return Err(format!("`timeout`: expected 1 to 86400000 milliseconds, got {value}")),
            },
        };
        Ok(Definition { reach, timeout, disabled: object.get("disabled") == Some(&Value::Bool(true)) })
    }

    /// The name of that on the wire: `stdio`, `http` or `sdk`.
    pub fn transport(&self) -> &'static str {
        match self.reach {
            Reach::Stdio { .. } => "stdio",
            Reach::Http { .. } => "http",
            Reach::Sdk { .. } => "sdk",
        }
    }

    /// What is started or asked, on one line, as it is written; values of variables and headers are not shown.
    pub fn target(&self) -> String {
        match &self.reach {
            Reach::Stdio { command, args, env } => {
                let env = env.iter().map(|(name, _)| format!("{name}=…"));
                env.chain(std::iter::once(quoted(command)))
                    .chain(args.iter().map(|arg| quoted(arg)))
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            Reach::Http { url, headers } => {
                let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
                if names.is_empty() { url.clone() } else { format!("{url} (with {})", names.join(", ")) }
            }
            Reach::Sdk { name } => name.clone(),
        }
    }

    /// With `${NAME}` and `${NAME:-default}` replaced.
    pub fn expanded(self, lookup: Lookup<'_>) -> Result<Definition, String> {
        let all = |pairs: Vec<(String, String)>| -> Result<Vec<(String, String)>, String> {
            pairs.into_iter().map(|(name, value)| Ok((name, expand(&value, lookup)?))).collect()
        };
        let reach = match self.reach {
            Reach::Stdio { command, args, env } => Reach::Stdio {
                command: expand(&command, lookup)?,
                args: args.iter().map(|arg| expand(arg, lookup)).collect::<Result<_, _>>()?,
                env: all(env)?,
            },
            Reach::Http { url, headers } => Reach::Http { url: expand(&url, lookup)?, headers: all(headers)? },
            sdk @ Reach::Sdk { .. } => sdk,
        };
        Ok(Definition { reach, ..self })
    }
}

fn text(object: &Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() || text.contains('\0') => {
            Err(format!("`{key}`: expected a text, got {text:?}"))
        }
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(format!("`{key}`: expected a text, got {other}")),
    }
}

fn texts(object: &Map<String, Value>, key: &str) -> Result<Vec<String>, String> {
    let list = match object.get(key) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(other) => return Err(format!("`{key}`: expected a list of texts, got {other}")),
    };
    let one = |item: &Value| item.as_str().filter(|text| !text.contains('\0')).map(str::to_string);
    list.iter().map(|item| one(item).ok_or_else(|| format!("`{key}`: expected texts, got {item}"))).collect()
}

/// Names with values; a list of `{name, value}` is taken too, as editors send it.
fn pairs(object: &Map<String, Value>, key: &str) -> Result<Vec<(String, String)>, String> {
    let wrong = |got: &Value| format!("`{key}`: expected names with texts, got {got}");
    let pair = |name: &str, value: &Value| -> Result<(String, String), String> {
        let value = value.as_str().filter(|value| !value.contains('\0')).ok_or_else(|| wrong(value))?;
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(format!("`{key}`: {name:?} can't be a name"));
        }
        Ok((name.to_string(), value.to_string()))
    };
    match object.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Object(map)) => map.iter().map(|(name, value)| pair(name, value)).collect(),
        Some(Value::Array(list)) => {
            list.iter().map(|item| pair(item["name"].as_str().unwrap_or_default(), &item["value"])).collect()
        }
        Some(other) => Err(wrong(other)),
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,${}".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_string() } else { format!("{word:?}") }
}

/// `${NAME}` must be set, `${NAME:-default}` need not; any other `$` stays as it is.
fn expand(given: &str, lookup: Lookup<'_>) -> Result<String, String> {
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
                (None, None) => return Err(format!("the variable {name} is not set; set it, or write ${{{name}:-…}}")),
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
    fn ho_6_definitions_as_users_of_other_agents_write_them() {
        let stdio = Definition::parse(&json!({"command": "node", "args": ["a b", "c"], "env": {"K": "V"}})).unwrap();
        assert_eq!((stdio.transport(), stdio.target().as_str()), ("stdio", "K=… node \"a b\" c"));
        let http = Definition::parse(&json!({"type": "http", "url": "http://x/mcp", "headers": {"A": "b"}})).unwrap();
        assert_eq!((http.transport(), http.target().as_str()), ("http", "http://x/mcp (with A)"));
        let listed = Definition::parse(&json!({"command": "x", "env": [{"name": "K", "value": "V"}]})).unwrap();
        assert_eq!(
            listed.reach,
            Reach::Stdio { command: "x".into(), args: vec![], env: vec![("K".into(), "V".into())] }
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
            let why = Definition::parse(&value).unwrap_err();
            assert!(why.starts_with(expected), "{value}: {why}");
        }
    }

    #[test]
    fn ho_6_variables_are_filled_in_once() {
        let lookup = |name: &str| match name {
            "A" => Ok(Some("${B}".to_string())),
            "EMPTY" => Ok(Some(String::new())),
            "KEY" => Err("no".to_string()),
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
            assert_eq!(expand(given, &lookup), expected.map(str::to_string).map_err(str::to_string), "{given}");
        }
    }
}
