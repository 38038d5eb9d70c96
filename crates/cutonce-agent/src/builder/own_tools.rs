//! Tools of the embedding program (HO-4): rules may name them, and none may pose as a built-in tool.

use super::{SessionBuilder, StartError};
use crate::structured_output;
use cutonce_core::permission::rules::check_own_tool_name;

impl SessionBuilder {
    /// Returns their names, or an error for the first invalid one.
    pub(super) fn own_tool_names(&self) -> Result<Vec<String>, StartError> {
        let mut names: Vec<String> = Vec::new();
        for tool in self.host.tools.iter().filter(|tool| tool.name() != structured_output::TOOL) {
            let name: String = tool.name().chars().filter(|c| !c.is_control()).take(80).collect();
            let taken = || names.contains(&name).then(|| "another tool has that name".to_string());
            if let Some(why) = check_own_tool_name(tool.name()).err().map(|why| why.to_string()).or_else(taken) {
                return Err(StartError::Tool { name, why });
            }
            names.push(name);
        }
        Ok(names)
    }
}
