//! Structured output requested by a host (HO-1): a tool whose input schema is the requested schema. A valid call ends
//! the turn. Invalid calls and turns without a call get a limited number of corrections.

use crate::internal_call::InternalCall;
use cutonce_core::json_schema;
use cutonce_core::model_request::ToolSpec;
use cutonce_tools::tool::{AnyTool, ToolCall, ToolError, ToolOutcome};
use serde_json::{Value, json};
use std::sync::Arc;

/// The name of the tool.
pub const TOOL: &str = "StructuredOutput";
/// The error of a turn without structured output.
pub const NO_OUTPUT: &str = "The model gave no answer in the requested format.";
/// Maximum number of corrections per turn.
pub(crate) const MAX_CORRECTIONS: u32 = 5;

/// The tool for one schema.
#[derive(Debug, Clone)]
pub struct StructuredOutput {
    schema: Value,
    /// Tool inputs are objects: another type is wrapped in the field `value`.
    wrapped: bool,
}

impl StructuredOutput {
    /// The error says what is wrong with the schema.
    pub fn new(schema: Value) -> Result<Self, String> {
        if let Some(wrong) = json_schema::schema_problem(&schema) {
            return Err(format!("the output schema can't be used: {wrong}"));
        }
        let wrapped = schema["type"] != "object";
        Ok(Self { schema, wrapped })
    }

    fn input_schema(&self) -> Value {
        if !self.wrapped {
            return self.schema.clone();
        }
        let mut inner = self.schema.clone();
        // References are relative to the root of the sent schema.
        let mut take = |key: &str| inner.as_object_mut().and_then(|fields| fields.shift_remove(key));
        let definitions = ["$defs", "definitions"].map(|key| (key, take(key)));
        let mut outer = json!({"type": "object", "properties": {"value": inner}, "required": ["value"], "additionalProperties": false});
        for (key, found) in definitions {
            if let Some(found) = found {
                outer[key] = found;
            }
        }
        outer
    }
}

impl AnyTool for StructuredOutput {
    fn spec(&self) -> ToolSpec {
        let description = include_str!("structured_output.md").trim().to_string();
        ToolSpec { name: TOOL.into(), description, schema: self.input_schema() }
    }
    fn name(&self) -> &str {
        TOOL
    }
    fn parse(self: Arc<Self>, input: Value) -> Result<Box<dyn ToolCall>, ToolError> {
        let faults = json_schema::schema_errors(&self.input_schema(), &input);
        if !faults.is_empty() {
            return Err(format!("Invalid input: {}", faults.join("; ")).into());
        }
        let given = if self.wrapped { input["value"].clone() } else { input };
        let outcome = ToolOutcome::text("The answer was delivered.").with_display(given);
        Ok(Box::new(InternalCall { read_only: true, summary: "structured output", outcome }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_1_non_object_schema_is_wrapped() {
        let tool = Arc::new(
            StructuredOutput::new(
                json!({"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "number"}}}),
            )
            .unwrap(),
        );
        assert!(tool.clone().parse(json!({"value": [1, 2]})).is_ok());
        let wrong = tool.parse(json!({"value": ["x"]})).err().unwrap();
        assert_eq!(wrong, "Invalid input: `value[0]`: expected number, got \"x\"".into());
        assert!(StructuredOutput::new(json!("no schema")).is_err());
    }
}
