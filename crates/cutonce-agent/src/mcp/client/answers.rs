//! Answers requests of a server: it may list the workspace folders, but gets neither model access nor user input.
#![expect(deprecated, reason = "the protocol is about to drop roots and sampling; servers still ask for them")]

use super::super::remote::ChangeSignal;
use crate::file_url::file_url;
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ErrorCode, ErrorData,
    Implementation, ListRootsResult, Root, RootsCapabilities,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use std::path::PathBuf;
use std::sync::Arc;

pub(super) struct ClientAnswers {
    pub roots: Vec<PathBuf>,
    pub bell: Arc<ChangeSignal>,
}

impl ClientHandler for ClientAnswers {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        ClientConfig::new(capabilities, Implementation::new("cutonce", env!("CARGO_PKG_VERSION")))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.roots.iter().map(|root| Root::new(file_url(root))).collect()))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let why = "cutonce does not support sampling: MCP servers can't use its model";
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.bell.notify_changed();
    }
}
