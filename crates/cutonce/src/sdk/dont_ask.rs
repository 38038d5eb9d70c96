//! `dontAsk` (HO-1): the SDKs' mode in which what would ask is denied. Here that is default mode and a state of the host's, which it
//! can enter and leave: the session goes on asking, and the answer is no.

use super::{Host, permission};
use cutonce_core::event::{AskKind, AskView};
use cutonce_core::mode::Mode;

/// Its name in `permissionMode`.
pub const NAME: &str = "dontAsk";

impl Host {
    /// The answer to an ask that the host does not want to see. A plan is put before it all the same: nobody can
    /// allow one beforehand.
    pub(super) fn denied_unasked(&self, ask: &AskView) -> Option<permission::Meant> {
        let asks = match &ask.kind {
            AskKind::Plan { .. } => false,
            AskKind::Permission { .. } | AskKind::Questions(_) | AskKind::EnterPlan => true,
        };
        (asks && self.frames.dont_ask()).then(|| permission::nobody_asked(ask))
    }

    /// An answer of the host's set the mode; the frame tells it where the session itself has nothing to tell.
    pub(super) fn settle_dont_ask(&mut self, wanted: Option<bool>) {
        let Some(on) = wanted.filter(|on| *on != self.frames.dont_ask()) else { return };
        self.frames.set_dont_ask(on);
        if self.frames.is_in(Mode::Default) {
            self.peer.write(&self.frames.status());
        }
    }
}
