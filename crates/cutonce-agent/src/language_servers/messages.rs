//! The messages that are used, out of the protocol's hundreds. A small typed subset instead of the crate `lsp-types`:
//! a dozen messages need no further dependency, and a server that gets details wrong stays usable.

use super::definition::{LanguageServerDefinition, language_id};
use crate::file_url::file_url;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

pub(super) const PUBLISH: &str = "textDocument/publishDiagnostics";
pub(super) const PULL: &str = "textDocument/diagnostic";
/// rust-analyzer's way to say whether it is still loading the project.
pub(super) const STATUS: &str = "experimental/serverStatus";

/// A message of a server: request, notification or response.
#[derive(Debug, Deserialize)]
pub(super) struct ServerMessage {
    #[serde(default)]
    pub id: Option<Value>,
    #[serde(default)]
    pub method: Option<String>,
    #[serde(default)]
    pub params: Value,
    #[serde(default)]
    pub result: Value,
    #[serde(default)]
    pub error: Option<Value>,
}

pub(super) fn request(id: i64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(super) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// Parameters of the first request. The server has a process namespace of its own and could not watch our process, so
/// it gets no process id; it ends with us anyway.
pub(super) fn initialize(definition: &LanguageServerDefinition, root: &Path) -> Value {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    json!({
        "processId": null,
        "clientInfo": {"name": "cutonce", "version": env!("CARGO_PKG_VERSION")},
        "rootUri": file_url(root),
        "rootPath": root.to_string_lossy(),
        "workspaceFolders": [{"uri": file_url(root), "name": name}],
        "initializationOptions": definition.options,
        "capabilities": {
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": {
                "synchronization": {"didSave": true},
                "publishDiagnostics": {"versionSupport": true},
                "diagnostic": {"dynamicRegistration": true},
            },
            "workspace": {
                "configuration": true,
                "workspaceFolders": true,
                "didChangeWatchedFiles": {"dynamicRegistration": true},
                "diagnostics": {"refreshSupport": true},
            },
            "experimental": {"serverStatusNotification": true},
        },
    })
}

pub(super) fn opened(path: &Path, version: i64, text: &str) -> Value {
    let document = json!({"uri": file_url(path), "languageId": language_id(path), "version": version, "text": text});
    notification("textDocument/didOpen", json!({ "textDocument": document }))
}

pub(super) fn closed(path: &Path) -> Value {
    notification("textDocument/didClose", json!({"textDocument": {"uri": file_url(path)}}))
}

/// A change of the whole text, and that it is on disk: servers without watchers learn it only this way.
pub(super) fn changed(path: &Path, version: i64, text: &str) -> [Value; 3] {
    let uri = file_url(path);
    let document = json!({"uri": uri, "version": version});
    [
        notification("textDocument/didChange", json!({"textDocument": document, "contentChanges": [{"text": text}]})),
        notification("textDocument/didSave", json!({"textDocument": {"uri": uri}})),
        notification("workspace/didChangeWatchedFiles", json!({"changes": [{"uri": uri, "type": 2}]})),
    ]
}

/// A file that did not exist before.
pub(super) fn created(path: &Path) -> Value {
    let change = json!({"uri": file_url(path), "type": 1});
    notification("workspace/didChangeWatchedFiles", json!({ "changes": [change] }))
}

/// The answer to a request of a server; `None` if it is not supported.
pub(super) fn answer(
    method: &str,
    params: &Value,
    definition: &LanguageServerDefinition,
    root: &Path,
) -> Option<Value> {
    Some(match method {
        "workspace/configuration" => {
            let items = params.get("items").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            items.iter().take(100).map(|item| section(definition, item)).collect()
        }
        "workspace/workspaceFolders" => {
            json!([{"uri": file_url(root), "name": root.file_name().unwrap_or_default().to_string_lossy()}])
        }
        "workspace/applyEdit" => json!({"applied": false, "failureReason": "cutonce applies no edits of servers"}),
        "client/registerCapability"
        | "client/unregisterCapability"
        | "window/workDoneProgress/create"
        | "window/showMessageRequest"
        | "workspace/diagnostic/refresh" => Value::Null,
        _ => return None,
    })
}

/// The part of the options that a server asks for: `python.analysis` is that key, or `analysis` in `python`.
fn section(definition: &LanguageServerDefinition, item: &Value) -> Value {
    let Some(section) = item.get("section").and_then(Value::as_str).filter(|section| !section.is_empty()) else {
        return json!(definition.options);
    };
    if let Some(value) = definition.options.get(section) {
        return value.clone();
    }
    // A server asks for its whole configuration under its own name.
    if section == definition.name {
        return json!(definition.options);
    }
    let mut parts = section.split('.');
    let first = parts.next().and_then(|part| definition.options.get(part));
    parts.fold(first, |value, part| value?.get(part)).cloned().unwrap_or_default()
}

/// True if a server registers to answer requests for diagnostics.
pub(super) fn registers_pull(params: &Value) -> bool {
    let all = params.get("registrations").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    all.iter().any(|one| one.get("method").and_then(Value::as_str) == Some(PULL))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn du_11_servers_get_their_options() {
        let settings = json!({"lsp": {"x": {"command": "x", "extensions": [".x"],
            "options": {"python": {"analysis": {"mode": "strict"}}, "a.b": 1}}}});
        let settings = serde_json::from_value(settings).unwrap();
        let server = super::super::definition::definitions(&settings, &mut Vec::new()).remove(0);
        let ask =
            |items: Value| answer("workspace/configuration", &json!({ "items": items }), &server, Path::new("/w"));
        let sections = json!([{"section": "python.analysis"}, {"section": "a.b"}, {"section": "no"}, {"section": "x"}]);
        let given = ask(sections).unwrap();
        assert_eq!((&given[0]["mode"], &given[1], &given[2]), (&json!("strict"), &json!(1), &Value::Null));
        assert_eq!(given[3], json!(server.options));
        assert_eq!(ask(json!("nonsense")), Some(json!([])));
        assert_eq!(answer("workspace/applyEdit", &json!({}), &server, Path::new("/w")).unwrap()["applied"], false);
        assert_eq!(answer("shutdown/everything", &json!({}), &server, Path::new("/w")), None);
    }
}
