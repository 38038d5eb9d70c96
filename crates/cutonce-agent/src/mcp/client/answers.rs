//! Answers requests of a server: it may list the workspace folders and ask the user (DU-10), but can't use the model.
#![expect(deprecated, reason = "the protocol is about to drop roots and sampling; servers still ask for them")]

use super::super::elicitation::{ElicitationPort, ElicitationReply};
use super::super::remote::ChangeSignal;
use super::traffic_meter::TrafficMeter;
use crate::file_url::file_url;
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, CustomRequest, CustomResult,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode, ErrorData,
    FormElicitationCapability, Implementation, ListRootsResult, Root, RootsCapabilities,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) struct ClientAnswers {
    pub server: String,
    pub roots: Vec<PathBuf>,
    pub bell: Arc<ChangeSignal>,
    pub elicitations: Arc<ElicitationPort>,
    pub meter: Arc<TrafficMeter>,
}

impl ClientAnswers {
    async fn elicit(&self, params: &Value, context: RequestContext<RoleClient>) -> Result<ElicitResult, ErrorData> {
        let is_flood = self.meter.add_question();
        let reply = self.elicitations.ask(&self.server, params, is_flood, context.ct).await;
        match reply.map_err(|why| ErrorData::invalid_params(format!("this form can't be shown: {why}"), None))? {
            ElicitationReply::Accept(values) => {
                Ok(ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(values)))
            }
            ElicitationReply::Decline => Ok(ElicitResult::new(ElicitationAction::Decline)),
            ElicitationReply::Cancel => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
    }
}

impl ClientHandler for ClientAnswers {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        capabilities.elicitation = Some(ElicitationCapability::new().with_form(FormElicitationCapability::new()));
        ClientConfig::new(capabilities, Implementation::new("cutonce", env!("CARGO_PKG_VERSION")))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.roots.iter().map(|root| Root::new(file_url(root))).collect()))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let params = serde_json::to_value(&request);
        self.elicit(&params.map_err(|error| ErrorData::invalid_params(error.to_string(), None))?, context).await
    }

    /// A form that `rmcp` can't read arrives here, too.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != "elicitation/create" {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None));
        }
        let result = self.elicit(&request.params.unwrap_or_default(), context).await?;
        let result = serde_json::to_value(&result);
        result.map(CustomResult::new).map_err(|error| ErrorData::internal_error(error.to_string(), None))
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
