//! Frames for modes and plans: plan events under their PM-143 names, and the plan in a result.

use super::FrameBuilder;
use cutonce_core::plan::PlanEvent;
use cutonce_core::protocol::event::{EventKind, TurnSummary};
use serde_json::{Value, json};

impl FrameBuilder {
    /// Frames for a mode change or a plan event; none for other events.
    pub(super) fn mode_frames(&self, kind: &EventKind, at: u64) -> Vec<Value> {
        match kind {
            EventKind::ModeChanged { from, to, by } => {
                vec![self.plan_frame(&PlanEvent::ModeChanged { from: *from, to: *to, by: *by }, at)]
            }
            EventKind::Plan(event) => vec![self.plan_frame(event, at)],
            _ => Vec::new(),
        }
    }

    /// A plan event under its PM-143 name, with the time in milliseconds since 1970.
    fn plan_frame(&self, event: &PlanEvent, at: u64) -> Value {
        let mut fields = serde_json::to_value(event).unwrap_or_default();
        fields["time"] = at.into();
        let name = fields.as_object_mut().and_then(|fields| fields.shift_remove("type"));
        self.system_frame(name.as_ref().and_then(Value::as_str).unwrap_or("plan"), fields)
    }

    /// Adds the plan that the turn left. Without an approver, it is the result of the run (PM-76).
    pub(super) fn add_written(&self, fields: &mut Value, ended: &TurnSummary) {
        if let Some(report) = &ended.report {
            fields["report"] = json!(report);
        }
        let Some(plan) = &ended.plan else { return };
        let text = plan.content.text();
        if !self.host {
            fields["result"] = text.map_or(fields["result"].clone(), Value::from);
        }
        fields["plan"] = json!(text);
        fields["path"] = json!(plan.path);
        fields["slug"] = json!(plan.slug);
        fields["sha256"] = json!(plan.content.sha256());
        if let Some(contract) = &plan.contract {
            fields["contract"] = json!(contract);
        }
    }
}
