//! The tools TeamCreate, TeamDelete and SendMessage (TM-1). A teammate only has SendMessage.

mod send_message;
mod team_create;
mod team_delete;

use super::TeamHandle;
use cutonce_tools::tool::AnyTool;
use std::sync::Arc;

pub(crate) fn team_tools(handle: &Arc<TeamHandle>) -> Vec<Arc<dyn AnyTool>> {
    let send: Arc<dyn AnyTool> = Arc::new(send_message::SendMessage(handle.clone()));
    if handle.membership().is_some_and(|joined| !joined.is_lead()) {
        return vec![send];
    }
    vec![Arc::new(team_create::TeamCreate(handle.clone())), Arc::new(team_delete::TeamDelete(handle.clone())), send]
}
