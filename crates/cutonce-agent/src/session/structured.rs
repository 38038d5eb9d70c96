//! A turn whose answer must have a form (HO-1): it ends with a call of StructuredOutput, or after a limited number of
//! corrections.

use super::SessionState;
use crate::structured_output::{MAX_CORRECTIONS, NO_OUTPUT, TOOL};
use cutonce_core::protocol::event::EndReason;
use cutonce_core::turn::TurnEvent;

/// How often the model was corrected in this turn.
#[derive(Debug, Default)]
pub(super) struct Corrections(u32);

impl Corrections {
    fn one_more(&mut self) -> bool {
        self.0 += 1;
        self.0 <= MAX_CORRECTIONS
    }
}

impl SessionState {
    /// A call finished: a valid StructuredOutput ends the turn, and so does one invalid call too many.
    pub(super) fn structured_call(&mut self, tool: &str, is_error: bool) {
        if tool != TOOL {
            return;
        }
        if !is_error {
            self.end_with_batch(EndReason::Completed);
        } else if !self.model.corrections.one_more() {
            self.end_with_batch(EndReason::Failed { message: NO_OUTPUT.into(), status: None });
        }
    }

    /// The model would end its turn without the structured output; `None` if the session wants none.
    pub(super) fn demand_structured_output(&mut self) -> Option<TurnEvent> {
        if self.subagent.is_some() || !self.tools.by_name.contains_key(TOOL) {
            return None;
        }
        if !self.model.corrections.one_more() {
            return Some(TurnEvent::Failed { message: NO_OUTPUT.into(), status: None });
        }
        let message = format!("Return the final answer now: call {TOOL} with every field that its input requires.");
        Some(TurnEvent::EndRefused { message })
    }

    pub(super) fn begin_corrections(&mut self) {
        self.model.corrections = Corrections::default();
    }
}
