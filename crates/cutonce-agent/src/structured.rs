//! The answer in a form that a host asked for (HO-1): a tool whose input is that form. The turn ends with a call that fits; one that does not
//! fit is told what is wrong, and a turn that would end without one is told to make it, both a bounded number of times.

use async_trait::async_trait;
use cutonce_core::permission::{Access, Rights};
use cutonce_core::request::ToolSpec;
use cutonce_core::schema;
use cutonce_tools::tool::{AnyTool, Call, CallContext, Here, Outcome};
use serde_json::{Value, json};
use std::sync::Arc;

/// The name of the tool.
pub const TOOL: &str = "StructuredOutput";
/// Why a turn failed that never gave one.
pub const NONE_GIVEN: &str = "The model gave no answer in the form that was asked for.";
/// Corrections in one turn.
pub(crate) const MOST: u32 = 5;

/// The tool for one schema.
#[derive(Debug, Clone)]
pub struct StructuredOutput {
    schema: Value,
    /// Tools take objects: another form is the one field of one.
    wrapped: bool,
}

impl StructuredOutput {
    /// The error says what is wrong with the schema.
    pub fn new(schema: Value) -> Result<Self, String> {
        if let Some(wrong) = schema::wrong(&schema) {
            return Err(format!("the schema of the answer can't be used: {wrong}"));
        }
        let wrapped = schema["type"] != "object";
        Ok(Self { schema, wrapped })
    }

    fn input(&self) -> Value {
        if !self.wrapped {
            return self.schema.clone();
        }
        let mut inner = self.schema.clone();
        // References count from the root of what is sent.
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
        let description = include_str!("structured.md").trim().to_string();
        ToolSpec { name: TOOL.into(), description, schema: self.input() }
    }
    fn name(&self) -> &str {
        TOOL
    }
    fn parse(self: Arc<Self>, input: Value) -> Result<Box<dyn Call>, String> {
        let faults = schema::faults(&self.input(), &input);
        if !faults.is_empty() {
            return Err(format!("Invalid input: {}", faults.join("; ")));
        }
        let given = if self.wrapped { input["value"].clone() } else { input };
        Ok(Box::new(Given(given)))
    }
}

struct Given(Value);

#[async_trait]
impl Call for Given {
    fn read_only(&self) -> bool {
        true
    }
    fn parallel(&self) -> bool {
        false
    }
    fn summary(&self) -> String {
        "the answer in the form that was asked for".into()
    }
    fn touches(&self, _here: &Here) -> Result<Access, String> {
        Ok(Access::Internal)
    }
    async fn run(self: Box<Self>, _rights: Rights, _here: &Here, _call: &CallContext) -> Outcome {
        Outcome::text("The answer was handed over.").with_display(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_1_a_form_that_is_no_object_is_the_field_of_one() {
        let tool = Arc::new(
            StructuredOutput::new(
                json!({"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "number"}}}),
            )
            .unwrap(),
        );
        assert!(tool.clone().parse(json!({"value": [1, 2]})).is_ok());
        let wrong = tool.parse(json!({"value": ["x"]})).err().unwrap();
        assert_eq!(wrong, "Invalid input: `value[0]`: expected number, got \"x\"");
        assert!(StructuredOutput::new(json!("no schema")).is_err());
    }
}
