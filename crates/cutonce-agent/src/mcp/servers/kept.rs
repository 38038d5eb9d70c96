//! Switching a server off and on while the session runs, and taking an agreement back (HO-6): what `/mcp` does.
//!
//! What is the user's own stays off in its file. A project's server is not switched off in the project's file, which others
//! use as well: the user's agreement to it is taken back.

use super::super::edit;
use super::super::sources::{Declared, Scope};
use super::super::status::State;
use super::{Joining, Servers};
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::Ordering;

impl Servers {
    /// Stop it; its tools leave at the next turn.
    pub fn disable(&self, name: &str) -> Result<(), String> {
        let (declared, called) = self.named(name)?;
        match declared.scope {
            Scope::Project => return self.refuse(name),
            Scope::User | Scope::Local => self.keep_switched(&declared, &called, true)?,
            Scope::Host | Scope::CommandLine | Scope::Managed => {}
        }
        self.stop(&called, State::Disabled);
        Ok(())
    }

    /// Start it again.
    pub fn enable(&self, name: &str) -> Result<(), String> {
        let (declared, called) = self.named(name)?;
        match declared.scope {
            Scope::User | Scope::Local => self.keep_switched(&declared, &called, false)?,
            Scope::Project if declared.definition["disabled"] == true => {
                return Err(format!("{name} is switched off in {}", declared.file));
            }
            Scope::Project | Scope::Host | Scope::CommandLine | Scope::Managed => {}
        }
        self.reconnect(name)
    }

    /// The user does not agree any more: it stops, and waits for them.
    pub fn refuse(&self, name: &str) -> Result<(), String> {
        let (declared, called) = self.named(name)?;
        if !declared.scope.needs_agreement() {
            return Err(format!("{name} is not a project's: it needs no agreement"));
        }
        let agreed = self.0.agreed.as_ref().ok_or("agreements can't be kept here")?;
        agreed.remove(&declared.name).map_err(|error| error.to_string())?;
        self.stop(&called, State::NeedsAgreement);
        Ok(())
    }

    /// In the file that names it, and here. Who switches a local one has seen it: it stays agreed to.
    fn keep_switched(&self, declared: &Declared, called: &str, off: bool) -> Result<(), String> {
        let agreed = self.may_start(declared);
        let mut definition = declared.definition.clone();
        let object = definition.as_object_mut().ok_or("its definition is no object")?;
        match off {
            true => object.insert("disabled".into(), Value::Bool(true)),
            false => object.shift_remove("disabled"),
        };
        if definition != declared.definition {
            let replaced = edit::replace(Path::new(&declared.file), &declared.name, &declared.definition, &definition);
            if !replaced.map_err(|error| error.to_string())? {
                return Err(format!("{} says something else by now; start anew first", declared.file));
            }
        }
        if let (true, true, Some(agreements)) = (agreed, declared.scope.needs_agreement(), &self.0.agreed) {
            agreements.add(&declared.name, &definition).map_err(|error| error.to_string())?;
        }
        self.0.with(called, |entry| entry.declared.definition = definition);
        Ok(())
    }

    fn stop(&self, called: &str, state: State) {
        self.0.with(called, |entry| {
            entry.stop();
            if let Some(remote) = entry.remote.take() {
                tokio::spawn(async move { remote.close().await });
            }
            (entry.tools, entry.taken, entry.notes) = (Vec::new(), Vec::new(), Vec::new());
            (entry.joining, entry.state) = (Joining::Nothing, state);
        });
        self.0.removed.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::agreed::Agreed;
    use super::super::Setup;
    use super::*;
    use serde_json::json;

    fn file(path: &Path) -> Value {
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    #[tokio::test]
    async fn ho_6_the_users_server_stays_off_in_its_file_until_it_is_switched_on() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("settings.json");
        let definition = json!({"command": "x"});
        std::fs::write(&path, json!({"theme": "dark", "mcpServers": {"u": definition}}).to_string()).unwrap();
        let servers = Servers::new(Setup::default());
        let file_name = path.display().to_string();
        servers.add(Declared { name: "u".into(), scope: Scope::User, file: file_name, definition });
        servers.disable("u").unwrap();
        assert_eq!(servers.status()[0].state, State::Disabled);
        assert_eq!(file(&path), json!({"theme": "dark", "mcpServers": {"u": {"command": "x", "disabled": true}}}));
        servers.enable("u").unwrap();
        assert_ne!(servers.status()[0].state, State::Disabled);
        assert_eq!(file(&path), json!({"theme": "dark", "mcpServers": {"u": {"command": "x"}}}));
        // Somebody changed the file meanwhile: it is not overwritten.
        std::fs::write(&path, json!({"mcpServers": {"u": {"command": "y"}}}).to_string()).unwrap();
        assert!(servers.disable("u").unwrap_err().contains("something else"));
        assert_eq!(file(&path), json!({"mcpServers": {"u": {"command": "y"}}}));
    }

    #[tokio::test]
    async fn ho_6_a_projects_server_waits_again_and_its_file_stays() {
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let agreed = Agreed::new(home.path(), project.path());
        let definition = json!({"command": "x"});
        agreed.add("p", &definition).unwrap();
        let servers = Servers::new(Setup { agreed: Some(agreed.clone()), ..Setup::default() });
        let path = project.path().join(".mcp.json");
        let file_name = path.display().to_string();
        servers.add(Declared {
            name: "p".into(),
            scope: Scope::Project,
            file: file_name,
            definition: definition.clone(),
        });
        servers.disable("p").unwrap();
        assert_eq!(servers.status()[0].state, State::NeedsAgreement);
        assert!(!agreed.has("p", &definition) && !path.exists());
        assert!(servers.enable("p").unwrap_err().contains("waits until you agree"));
        servers.agree("p").unwrap();
        assert!(agreed.has("p", &definition));
    }
}
