//! The lists: one probe per line, as JSON; lines that begin with `#` are headings. In strings, `@WS@` is the
//! workspace, `@HOME@` the home, `@OUT@` a folder outside both, `@PORT@` a listening TCP port, `@SOCK@` and
//! `@ABSTRACT@` listening unix sockets, `@PID@` a bystander process, `@PLAN@` the plan file, `@TAG@` a word
//! unique to this run.

use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    pub id: String,
    /// A command line for Bash; else `tool` and `input`.
    #[serde(default)]
    pub sh: Option<String>,
    #[serde(default)]
    pub tool: Option<String>,
    #[serde(default)]
    pub input: Value,
    /// Output of a useful command; without it the probe is an escape and must change nothing.
    #[serde(default)]
    pub out: Option<String>,
    /// Required text in the result of an escape.
    #[serde(default)]
    pub says: Option<String>,
    /// A program that the case needs.
    #[serde(default)]
    pub needs: Option<String>,
    /// A command that runs in the background until the session ends.
    #[serde(default)]
    pub stays: bool,
}

impl Probe {
    pub fn works(&self) -> bool {
        self.out.is_some()
    }

    /// True if it is about the plan file or the throwaway copy, which only plan mode has.
    pub fn needs_plan_mode(&self) -> bool {
        let names_plan = self.sh.iter().any(|sh| sh.contains("@PLAN")) || self.input.to_string().contains("@PLAN");
        names_plan || self.out.as_deref() == Some("scratch copy")
    }

    /// The tool and its input, with placeholders filled in.
    pub fn call(&self, names: &[(&str, String)]) -> (String, Value) {
        let input = match &self.sh {
            Some(command) => serde_json::json!({"command": command, "description": "a probe"}),
            None => self.input.clone(),
        };
        (self.tool.clone().unwrap_or_else(|| "Bash".into()), filled(input, names))
    }
}

fn filled(value: Value, names: &[(&str, String)]) -> Value {
    match value {
        Value::String(text) => Value::String(names.iter().fold(text, |text, (name, value)| text.replace(name, value))),
        Value::Array(list) => list.into_iter().map(|value| filled(value, names)).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, filled(value, names))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// Each list by the name of its file, which names its clauses.
pub fn read(folder: &Path) -> Vec<(String, Vec<Probe>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let lists = files.iter().map(|file| {
        let text = std::fs::read_to_string(file).unwrap();
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let probe = |(at, line)| {
            let place = || format!("{}:{}", file.display(), at + 1);
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}", place()))
        };
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        (name, lines.map(probe).collect())
    });
    lists.collect()
}
