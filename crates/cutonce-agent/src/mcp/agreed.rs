//! Which servers of projects the user agreed to (HO-6). What was agreed to is this definition in this folder: a project that
//! changes a definition has to ask anew, whether its folder is trusted or not.

use crate::store::place::{create_private_dir, hex, private, write_private};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};

/// The agreements for one folder.
#[derive(Debug, Clone)]
pub struct Agreed {
    home: PathBuf,
    project: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct AgreedFile {
    #[serde(default)]
    agreed: Vec<Agreement>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Agreement {
    project: PathBuf,
    server: String,
    /// Of the definition.
    sha256: String,
}

impl Agreed {
    /// `home` is the cutonce home.
    pub fn new(home: &Path, project: &Path) -> Agreed {
        Agreed { home: home.to_path_buf(), project: project.canonicalize().unwrap_or_else(|_| project.to_path_buf()) }
    }

    /// A file that can't be read agrees to nothing.
    pub fn has(&self, server: &str, definition: &Value) -> bool {
        self.read().is_ok_and(|file| file.agreed.contains(&self.agreement(server, definition)))
    }

    /// Whether anything was agreed to under this name.
    pub fn knows(&self, server: &str) -> bool {
        let ours = |known: &Agreement| known.project == self.project && known.server == server;
        self.read().is_ok_and(|file| file.agreed.iter().any(ours))
    }

    /// The user agrees to this server as it is defined now; another definition asks again.
    pub fn add(&self, server: &str, definition: &Value) -> io::Result<()> {
        self.change(|agreed| {
            let new = self.agreement(server, definition);
            agreed.retain(|known| !(known.project == new.project && known.server == new.server));
            agreed.push(new);
        })
    }

    /// Take it back.
    pub fn remove(&self, server: &str) -> io::Result<()> {
        self.change(|agreed| agreed.retain(|known| !(known.project == self.project && known.server == server)))
    }

    fn agreement(&self, server: &str, definition: &Value) -> Agreement {
        let sha256 = hex(&Sha256::digest(canonical(definition).as_bytes()));
        Agreement { project: self.project.clone(), server: server.into(), sha256 }
    }

    fn change(&self, work: impl FnOnce(&mut Vec<Agreement>)) -> io::Result<()> {
        create_private_dir(&self.home)?;
        // Two processes may change it at the same time.
        let lock = private().write(true).create(true).truncate(false).open(self.home.join("mcp-agreed.lock"))?;
        lock.lock()?;
        let mut file = self.read()?;
        work(&mut file.agreed);
        write_private(&self.file(), (serde_json::to_string_pretty(&file)? + "\n").as_bytes())
    }

    fn file(&self) -> PathBuf {
        self.home.join("mcp-agreed.json")
    }

    fn read(&self) -> io::Result<AgreedFile> {
        let path = self.file();
        match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                io::Error::other(format!("{} is broken: {error}; repair or remove it", path.display()))
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(AgreedFile::default()),
            Err(error) => Err(error),
        }
    }
}

/// The same text for the same definition, in whatever order its keys are written.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<_> = object.iter().collect();
            keys.sort_by_key(|(key, _)| key.as_str());
            let inner = keys.iter().map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), canonical(value)));
            format!("{{{}}}", inner.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ho_6_an_agreement_is_for_one_definition_in_one_folder() {
        let home = tempfile::tempdir().unwrap();
        let (here, there) = (Agreed::new(home.path(), Path::new("/p/a")), Agreed::new(home.path(), Path::new("/p/b")));
        let definition = json!({"command": "x", "args": ["1"]});
        assert!(!here.has("s", &definition));
        here.add("s", &definition).unwrap();
        assert!(here.has("s", &json!({"args": ["1"], "command": "x"})), "the order of keys says nothing");
        assert!(!here.has("s", &json!({"command": "x", "args": ["2"]})));
        assert!(!here.has("t", &definition) && !there.has("s", &definition));
        here.add("s", &json!({"command": "y"})).unwrap();
        assert!(!here.has("s", &definition), "the older agreement is gone");
        here.remove("s").unwrap();
        assert!(!here.has("s", &json!({"command": "y"})));
    }

    #[test]
    fn ho_6_a_broken_file_agrees_to_nothing_and_is_not_overwritten() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("mcp-agreed.json"), "{").unwrap();
        let agreed = Agreed::new(home.path(), Path::new("/p"));
        assert!(!agreed.has("s", &json!({})) && agreed.add("s", &json!({})).is_err());
        assert_eq!(std::fs::read_to_string(home.path().join("mcp-agreed.json")).unwrap(), "{");
    }
}
