//! EnterPlanMode and ExitPlanMode as the model sees them (PM-30 to PM-34, PM-70, PM-89). What they do is done by the
//! session, in `plan`; they never run by themselves.

use super::SessionState;
use async_trait::async_trait;
use cutonce_core::conversation::{ContentBlock, ToolInput};
use cutonce_core::model_request::ToolSpec;
use cutonce_core::permission::{Access, CallRights};
use cutonce_core::plan::{self, PlanningTools};
use cutonce_core::settings::plan::PlanEagerness;
use cutonce_tools::env::{CallContext, ToolEnv};
use cutonce_tools::tool::{AnyTool, ToolCall, ToolError, ToolOutcome};
use serde_json::{Value, json};
use std::sync::Arc;

struct PlanTool {
    name: &'static str,
    description: String,
}

/// ExitPlanMode, and EnterPlanMode if it is offered (PM-32). The list is fixed at the start (PM-66).
pub(crate) fn plan_tools(eagerness: PlanEagerness, enter_offered: bool, tools: PlanningTools) -> Vec<Arc<dyn AnyTool>> {
    let enter = PlanTool { name: plan::ENTER_PLAN_MODE, description: plan::enter_description(eagerness, tools) };
    let exit = PlanTool { name: plan::EXIT_PLAN_MODE, description: plan::exit_description(tools) };
    let enter: Option<Arc<dyn AnyTool>> = enter_offered.then(|| Arc::new(enter) as Arc<dyn AnyTool>);
    enter.into_iter().chain([Arc::new(exit) as Arc<dyn AnyTool>]).collect()
}

impl AnyTool for PlanTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: self.name.into(), description: self.description.clone(), schema: plan::empty_input_schema() }
    }
    fn name(&self) -> &str {
        self.name
    }
    fn parse(self: Arc<Self>, input: Value) -> Result<Box<dyn ToolCall>, ToolError> {
        plan::check_no_input(self.name, &input)?;
        Ok(Box::new(PlanCall { enter: self.name == plan::ENTER_PLAN_MODE }))
    }
}

struct PlanCall {
    enter: bool,
}

#[async_trait]
impl ToolCall for PlanCall {
    fn read_only(&self) -> bool {
        self.enter
    }
    fn parallel(&self) -> bool {
        false
    }
    fn summary(&self) -> String {
        String::new()
    }
    fn access(&self, _here: &ToolEnv) -> Result<Access, ToolError> {
        Ok(Access::Internal)
    }
    /// Never called: the session performs plan tools itself.
    async fn run(self: Box<Self>, _rights: CallRights, _here: &ToolEnv, _call: &CallContext) -> ToolOutcome {
        ToolOutcome::error("The mode was not changed.")
    }
}

impl SessionState {
    /// The answer as front ends see it: ExitPlanMode shows the plan that it submits (PM-70). If an earlier call of the
    /// same answer may still change the plan, it names the file only.
    pub(super) fn blocks_for_faces(&self, blocks: &[ContentBlock]) -> Arc<[ContentBlock]> {
        if self.subagent.is_some() || !self.mode.in_plan() {
            return blocks.into();
        }
        let mut first = true;
        let shown = |block: &ContentBlock| {
            let mut block = block.clone();
            if let ContentBlock::ToolUse(call) = &mut block {
                let alone = std::mem::take(&mut first);
                if call.name == plan::EXIT_PLAN_MODE
                    && matches!(&call.input, ToolInput::Json(Value::Object(given)) if given.is_empty())
                {
                    let mut input = json!({"planFilePath": self.planner.path()});
                    if let Some(text) = self.planner.found().text().filter(|_| alone) {
                        input["plan"] = text.into();
                    }
                    call.input = ToolInput::Json(input);
                }
            }
            block
        };
        blocks.iter().map(shown).collect()
    }
}
