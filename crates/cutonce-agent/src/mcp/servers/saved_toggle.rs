//! Permanently disables and enables servers and revokes approvals (HO-6), for `/mcp`.
//!
//! A user's own server is disabled in its file. Others share a project's file, so disabling a project's server
//! revokes the user's approval instead.

use super::super::edit_files;
use super::super::error::McpError;
use super::super::sources::{DeclaredServer, ServerScope};
use super::super::status::McpServerState;
use super::{McpServers, PendingTools};
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::Ordering;

impl McpServers {
    /// Disables a server; its tools leave with the next turn.
    pub fn disable(&self, name: &str) -> Result<(), McpError> {
        let (declared, called) = self.find(name)?;
        match declared.scope {
            ServerScope::Project => return self.revoke_approval(name),
            ServerScope::User | ServerScope::Local => self.save_disabled(&declared, &called, true)?,
            ServerScope::Host | ServerScope::CommandLine | ServerScope::Managed => {}
        }
        self.stop_server(&called, McpServerState::Disabled);
        Ok(())
    }

    /// Enables a server and starts it.
    pub fn enable(&self, name: &str) -> Result<(), McpError> {
        let (declared, called) = self.find(name)?;
        match declared.scope {
            ServerScope::User | ServerScope::Local => self.save_disabled(&declared, &called, false)?,
            ServerScope::Project if declared.definition["disabled"] == true => {
                return Err(format!("{name} is disabled in {}", declared.file).into());
            }
            ServerScope::Project | ServerScope::Host | ServerScope::CommandLine | ServerScope::Managed => {}
        }
        self.reconnect(name)
    }

    /// Revokes the user's approval and stops the server.
    pub fn revoke_approval(&self, name: &str) -> Result<(), McpError> {
        let (declared, called) = self.find(name)?;
        if !declared.scope.needs_approval() {
            return Err(format!("{name} is not a project's server and needs no approval").into());
        }
        let agreed = self.0.approved.as_ref().ok_or("approvals can't be saved here")?;
        agreed.revoke(&declared.name).map_err(|error| error.to_string())?;
        self.stop_server(&called, McpServerState::NeedsApproval);
        Ok(())
    }

    /// Writes the switch to the server's file. A local server stays approved, because the user has seen it.
    fn save_disabled(&self, declared: &DeclaredServer, called: &str, off: bool) -> Result<(), McpError> {
        let agreed = self.may_start(declared);
        let mut definition = declared.definition.clone();
        let object = definition.as_object_mut().ok_or("its definition is not an object")?;
        match off {
            true => object.insert("disabled".into(), Value::Bool(true)),
            false => object.shift_remove("disabled"),
        };
        if definition != declared.definition {
            let replaced = edit_files::replace_server(
                Path::new(&declared.file),
                &declared.name,
                &declared.definition,
                &definition,
            );
            if !replaced.map_err(|error| error.to_string())? {
                return Err(format!("{} has changed meanwhile; restart cutonce first", declared.file).into());
            }
        }
        if let (true, true, Some(agreements)) = (agreed, declared.scope.needs_approval(), &self.0.approved) {
            agreements.approve(&declared.name, &definition).map_err(|error| error.to_string())?;
        }
        self.0.update_entry(called, |entry| entry.declared.definition = definition);
        Ok(())
    }

    fn stop_server(&self, called: &str, state: McpServerState) {
        self.0.update_entry(called, |entry| {
            entry.stop();
            if let Some(remote) = entry.remote.take() {
                tokio::spawn(async move { remote.close().await });
            }
            (entry.tools, entry.session_tools, entry.notes) = (Vec::new(), Vec::new(), Vec::new());
            (entry.pending_tools, entry.state) = (PendingTools::Nothing, state);
        });
        self.0.removed.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::approved_servers::ApprovedServers;
    use super::super::ServersSetup;
    use super::*;
    use serde_json::json;

    fn file(path: &Path) -> Value {
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    }

    #[tokio::test]
    async fn ho_6_user_server_stays_disabled_in_its_file() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("settings.json");
        let definition = json!({"command": "x"});
        std::fs::write(&path, json!({"theme": "dark", "mcpServers": {"u": definition}}).to_string()).unwrap();
        let servers = McpServers::new(ServersSetup::default());
        let file_name = path.display().to_string();
        servers.add(DeclaredServer { name: "u".into(), scope: ServerScope::User, file: file_name, definition });
        servers.disable("u").unwrap();
        assert_eq!(servers.status()[0].state, McpServerState::Disabled);
        assert_eq!(file(&path), json!({"theme": "dark", "mcpServers": {"u": {"command": "x", "disabled": true}}}));
        servers.enable("u").unwrap();
        assert_ne!(servers.status()[0].state, McpServerState::Disabled);
        assert_eq!(file(&path), json!({"theme": "dark", "mcpServers": {"u": {"command": "x"}}}));
        // The file changed meanwhile and is not overwritten.
        std::fs::write(&path, json!({"mcpServers": {"u": {"command": "y"}}}).to_string()).unwrap();
        assert!(servers.disable("u").unwrap_err().to_string().contains("has changed meanwhile"));
        assert_eq!(file(&path), json!({"mcpServers": {"u": {"command": "y"}}}));
    }

    #[tokio::test]
    async fn ho_6_disabling_a_project_server_revokes_its_approval() {
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let agreed = ApprovedServers::new(home.path(), project.path());
        let definition = json!({"command": "x"});
        agreed.approve("p", &definition).unwrap();
        let servers = McpServers::new(ServersSetup { approved: Some(agreed.clone()), ..ServersSetup::default() });
        let path = project.path().join(".mcp.json");
        let file_name = path.display().to_string();
        servers.add(DeclaredServer {
            name: "p".into(),
            scope: ServerScope::Project,
            file: file_name,
            definition: definition.clone(),
        });
        servers.disable("p").unwrap();
        assert_eq!(servers.status()[0].state, McpServerState::NeedsApproval);
        assert!(!agreed.is_approved("p", &definition) && !path.exists());
        assert!(servers.enable("p").unwrap_err().to_string().contains("needs your approval"));
        servers.approve("p").unwrap();
        assert!(agreed.is_approved("p", &definition));
    }
}
