//! The project servers that the user approved (HO-6). An approval covers one definition in one folder: a changed
//! definition needs a new approval, even in a trusted folder.

use crate::storage::paths::{create_private_dir, private_options, read_own_json, to_hex, write_private};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};

/// The approvals for one folder.
#[derive(Debug, Clone)]
pub struct ApprovedServers {
    home: PathBuf,
    project: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct ApprovedServersFile {
    #[serde(default)]
    agreed: Vec<ServerApproval>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ServerApproval {
    project: PathBuf,
    server: String,
    /// Hash of the definition.
    sha256: String,
}

impl ApprovedServers {
    /// `home` is the cutonce home.
    pub fn new(home: &Path, project: &Path) -> ApprovedServers {
        ApprovedServers {
            home: home.to_path_buf(),
            project: project.canonicalize().unwrap_or_else(|_| project.to_path_buf()),
        }
    }

    /// Whether this definition is approved. An unreadable file approves nothing.
    pub(crate) fn is_approved(&self, server: &str, definition: &Value) -> bool {
        self.read_file().is_ok_and(|file| file.agreed.contains(&self.approval_for(server, definition)))
    }

    /// Whether any definition was approved under this name.
    pub fn has_name(&self, server: &str) -> bool {
        let ours = |known: &ServerApproval| known.project == self.project && known.server == server;
        self.read_file().is_ok_and(|file| file.agreed.iter().any(ours))
    }

    /// Approves this definition of the server; a different definition needs a new approval.
    pub fn approve(&self, server: &str, definition: &Value) -> io::Result<()> {
        self.update(|agreed| {
            let new = self.approval_for(server, definition);
            agreed.retain(|known| !(known.project == new.project && known.server == new.server));
            agreed.push(new);
        })
    }

    /// Revokes the approval.
    pub fn revoke(&self, server: &str) -> io::Result<()> {
        self.update(|agreed| agreed.retain(|known| !(known.project == self.project && known.server == server)))
    }

    fn approval_for(&self, server: &str, definition: &Value) -> ServerApproval {
        let sha256 = to_hex(&Sha256::digest(canonical_json(definition).as_bytes()));
        ServerApproval { project: self.project.clone(), server: server.into(), sha256 }
    }

    fn update(&self, work: impl FnOnce(&mut Vec<ServerApproval>)) -> io::Result<()> {
        create_private_dir(&self.home)?;
        // Lock the file, because several processes may change it.
        let lock =
            private_options().write(true).create(true).truncate(false).open(self.home.join("mcp-agreed.lock"))?;
        lock.lock()?;
        let mut file = self.read_file()?;
        work(&mut file.agreed);
        write_private(&self.file_path(), (serde_json::to_string_pretty(&file)? + "\n").as_bytes())
    }

    fn file_path(&self) -> PathBuf {
        self.home.join("mcp-agreed.json")
    }

    fn read_file(&self) -> io::Result<ApprovedServersFile> {
        read_own_json(&self.file_path())
    }
}

/// Serializes a definition independently of its key order.
fn canonical_json(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<_> = object.iter().collect();
            keys.sort_by_key(|(key, _)| key.as_str());
            let inner =
                keys.iter().map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), canonical_json(value)));
            format!("{{{}}}", inner.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(canonical_json).collect::<Vec<_>>().join(",")),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ho_6_approval_covers_one_definition_in_one_folder() {
        let home = tempfile::tempdir().unwrap();
        let (here, there) = (
            ApprovedServers::new(home.path(), Path::new("/p/a")),
            ApprovedServers::new(home.path(), Path::new("/p/b")),
        );
        let definition = json!({"command": "x", "args": ["1"]});
        assert!(!here.is_approved("s", &definition));
        here.approve("s", &definition).unwrap();
        assert!(here.is_approved("s", &json!({"args": ["1"], "command": "x"})), "key order is irrelevant");
        assert!(!here.is_approved("s", &json!({"command": "x", "args": ["2"]})));
        assert!(!here.is_approved("t", &definition) && !there.is_approved("s", &definition));
        here.approve("s", &json!({"command": "y"})).unwrap();
        assert!(!here.is_approved("s", &definition), "the older approval was replaced");
        here.revoke("s").unwrap();
        assert!(!here.is_approved("s", &json!({"command": "y"})));
    }

    #[test]
    fn ho_6_broken_approval_file_is_ignored_and_kept() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("mcp-agreed.json"), "{").unwrap();
        let agreed = ApprovedServers::new(home.path(), Path::new("/p"));
        assert!(!agreed.is_approved("s", &json!({})) && agreed.approve("s", &json!({})).is_err());
        assert_eq!(std::fs::read_to_string(home.path().join("mcp-agreed.json")).unwrap(), "{");
    }
}
