//! The tools that run commands, fetch pages, and speak with the person.

use crate::ask_user_question::AskUserQuestion;
use crate::bash::Bash;
pub use crate::bash::secrets::may_read_secret;
use crate::bash_output::BashOutput;
use crate::kill_shell::KillShell;
use crate::todo_write::TodoWrite;
use crate::tool::AnyTool;
use crate::web_fetch::WebFetch;
use std::sync::Arc;

/// In the order in which requests name them.
pub fn shell_tools() -> Vec<Arc<dyn AnyTool>> {
    vec![
        Arc::new(Bash),
        Arc::new(BashOutput),
        Arc::new(KillShell),
        Arc::new(WebFetch),
        Arc::new(TodoWrite),
        Arc::new(AskUserQuestion),
    ]
}
