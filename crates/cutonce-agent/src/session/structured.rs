//! A turn whose answer must have a form (HO-1): it ends with a call of StructuredOutput, or after a bounded number of corrections.

use super::{Driver, Hall};
use crate::structured::{MOST, NONE_GIVEN, TOOL};
use cutonce_core::event::EndReason;
use cutonce_core::turn::{Happened, Said};

/// How often this turn was corrected.
#[derive(Debug, Default)]
pub(super) struct Corrections(u32);

impl Corrections {
    fn one_more(&mut self) -> bool {
        self.0 += 1;
        self.0 <= MOST
    }
}

fn none_given() -> EndReason {
    EndReason::Failed { message: NONE_GIVEN.into(), status: None }
}

impl Hall {
    /// A call is over: one that fits ends the turn, one too many that does not fit as well.
    pub(super) fn structured_call(&mut self, tool: &str, is_error: bool) {
        if tool != TOOL {
            return;
        }
        if !is_error {
            self.end_asked(EndReason::Completed);
        } else if !self.corrections.one_more() {
            self.end_asked(none_given());
        }
    }
}

impl Driver {
    /// The model would end its turn without the answer that was asked for.
    pub(super) fn demand_structured(&mut self, happened: Happened) -> Happened {
        let ends = matches!(&happened, Happened::Answered { calls, over_budget: false } if calls.is_empty());
        if !ends || self.hall.seat.is_some() || !self.hall.tools.contains_key(TOOL) {
            return happened;
        }
        if !self.hall.corrections.one_more() {
            return Happened::Failed { message: NONE_GIVEN.into(), status: None };
        }
        let text = format!("Hand over the final answer now: call {TOOL} with all that its input asks for.");
        // Queued while the request is open, it goes on in the same turn.
        self.hall.turn.step(Happened::Said(Said::meta(text)));
        happened
    }

    pub(super) fn begin_corrections(&mut self) {
        self.hall.corrections = Corrections::default();
    }
}
