//! What a server may ask of us: the folders of the workspace. It gets no model to talk to and nobody to question.
#![expect(deprecated, reason = "the protocol is about to drop roots and sampling; servers still ask for them")]

use super::super::remote::Bell;
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ErrorCode, ErrorData,
    Implementation, ListRootsResult, Root, RootsCapabilities,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) struct Answers {
    pub roots: Vec<PathBuf>,
    pub bell: Arc<Bell>,
}

impl ClientHandler for Answers {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        ClientConfig::new(capabilities, Implementation::new("cutonce", env!("CARGO_PKG_VERSION")))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.roots.iter().map(|root| Root::new(address(root))).collect()))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let why = "cutonce lets no MCP server use its model: sampling is not offered";
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.bell.changed();
    }
}

/// `file://` and the path, its odd characters as the URL standard wants them.
fn address(path: &Path) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.~/".contains(byte);
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    let coded = bytes.map(|byte| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") });
    format!("file://{}", coded.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_6_folders_are_named_by_address() {
        assert_eq!(address(Path::new("/a b/ü#.d")), "file:///a%20b/%C3%BC%23.d");
    }
}
