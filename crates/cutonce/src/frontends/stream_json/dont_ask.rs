//! `dontAsk` (HO-1): the SDK mode that denies whatever would ask. Here it is default mode plus a flag of the
//! host connection: the session still asks, and the answer is no.

use super::{SdkHost, permission};
use cutonce_core::mode::Mode;
use cutonce_core::protocol::event::AskView;

/// Name in `permissionMode`.
pub const NAME: &str = "dontAsk";

impl SdkHost {
    /// Denies an ask without sending it to the host. A plan is still sent, because no rule can approve one in
    /// advance.
    pub(super) fn deny_without_asking(&self, ask: &AskView) -> Option<permission::AnswerEffects> {
        (ask.exit_request().is_none() && self.frames.dont_ask()).then(|| permission::asking_disabled(ask))
    }

    /// Applies a mode set by an answer of the host. Sends a status frame if the session itself has no change
    /// to report.
    pub(super) fn apply_dont_ask(&mut self, wanted: Option<bool>) {
        let Some(on) = wanted.filter(|on| *on != self.frames.dont_ask()) else { return };
        self.frames.set_dont_ask(on);
        if self.frames.is_in(Mode::Default) {
            self.peer.write(&self.frames.status_frame());
        }
    }
}
