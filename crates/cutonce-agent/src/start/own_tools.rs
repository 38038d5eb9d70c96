//! Tools of the embedding program (HO-4): rules may name them, and none may pass for one of ours.

use super::{Start, StartError};
use crate::structured;
use cutonce_core::rule::own_tool_name;

impl Start {
    /// Their names, or the one that can't be.
    pub(super) fn own_tools(&self) -> Result<Vec<String>, StartError> {
        let mut names: Vec<String> = Vec::new();
        for tool in self.tools.iter().filter(|tool| tool.name() != structured::TOOL) {
            let name: String = tool.name().chars().filter(|c| !c.is_control()).take(80).collect();
            let taken = || names.contains(&name).then(|| "another tool has that name".to_string());
            if let Some(why) = own_tool_name(tool.name()).err().or_else(taken) {
                return Err(StartError::Tool { name, why });
            }
            names.push(name);
        }
        Ok(names)
    }
}
