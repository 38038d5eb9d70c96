//! A call that accesses nothing and whose result is known once its input is parsed: the session does the rest.

use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights};
use cutonce_tools::env::{CallContext, ToolEnv};
use cutonce_tools::tool::{ToolCall, ToolError, ToolOutcome};

/// A call for the session itself, which runs alone.
pub(crate) struct InternalCall {
    pub read_only: bool,
    pub summary: &'static str,
    pub outcome: ToolOutcome,
}

#[async_trait]
impl ToolCall for InternalCall {
    fn read_only(&self) -> bool {
        self.read_only
    }
    fn parallel(&self) -> bool {
        false
    }
    fn summary(&self) -> String {
        self.summary.into()
    }
    fn access(&self, _here: &ToolEnv) -> Result<Access, ToolError> {
        Ok(Access::Internal)
    }
    async fn run(self: Box<Self>, _rights: CallRights, _here: &ToolEnv, _call: &CallContext) -> ToolOutcome {
        self.outcome
    }
}
