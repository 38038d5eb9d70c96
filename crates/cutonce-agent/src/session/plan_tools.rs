//! EnterPlanMode and ExitPlanMode as the model sees them (PM-30 to PM-34, PM-70, PM-89). What they do is done by the session,
//! in `plan`; they never run by themselves.

use super::Hall;
use async_trait::async_trait;
use cutonce_core::conversation::{Block, ToolInput};
use cutonce_core::permission::{Access, Rights};
use cutonce_core::plan;
use cutonce_core::request::ToolSpec;
use cutonce_core::settings::plan::Eagerness;
use cutonce_tools::tool::{AnyTool, Call, CallContext, Here, Outcome};
use serde_json::{Value, json};
use std::sync::Arc;

struct PlanTool {
    name: &'static str,
    description: &'static str,
}

/// Both tools; EnterPlanMode only where it is offered (PM-32). The list is fixed at the start (PM-66).
pub(crate) fn plan_tools(eagerness: Eagerness, enter_offered: bool) -> Vec<Arc<dyn AnyTool>> {
    let enter = PlanTool { name: plan::ENTER, description: plan::enter_description(eagerness) };
    let exit = PlanTool { name: plan::EXIT, description: plan::exit_description() };
    let enter: Option<Arc<dyn AnyTool>> = enter_offered.then(|| Arc::new(enter) as Arc<dyn AnyTool>);
    enter.into_iter().chain([Arc::new(exit) as Arc<dyn AnyTool>]).collect()
}

impl AnyTool for PlanTool {
    fn spec(&self) -> ToolSpec {
        let description = self.description.trim().to_string();
        ToolSpec { name: self.name.into(), description, schema: plan::no_input_schema() }
    }
    fn name(&self) -> &str {
        self.name
    }
    fn parse(self: Arc<Self>, input: Value) -> Result<Box<dyn Call>, String> {
        plan::no_input(self.name, &input)?;
        Ok(Box::new(PlanCall { enter: self.name == plan::ENTER }))
    }
}

struct PlanCall {
    enter: bool,
}

#[async_trait]
impl Call for PlanCall {
    fn read_only(&self) -> bool {
        self.enter
    }
    fn parallel(&self) -> bool {
        false
    }
    fn summary(&self) -> String {
        String::new()
    }
    fn touches(&self, _here: &Here) -> Result<Access, String> {
        Ok(Access::Internal)
    }
    /// Only the session changes the mode: without it nothing is entered and nothing approved.
    async fn run(self: Box<Self>, _rights: Rights, _here: &Here, _call: &CallContext) -> Outcome {
        Outcome::error("The mode was not changed.")
    }
}

impl Hall {
    /// What faces see of an answer: ExitPlanMode takes nothing from the model, and shows the plan that it submits (PM-70). What a call
    /// before it may still write is not known yet: then it names the file alone.
    pub(super) fn blocks_for_faces(&self, blocks: &[Block]) -> Arc<[Block]> {
        if self.seat.is_some() || !self.mode.in_plan() {
            return blocks.into();
        }
        let mut first = true;
        let shown = |block: &Block| {
            let mut block = block.clone();
            if let Block::ToolUse(call) = &mut block {
                let alone = std::mem::take(&mut first);
                if call.name == plan::EXIT
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
