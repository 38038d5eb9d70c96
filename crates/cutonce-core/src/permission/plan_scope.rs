//! The scope of an approved plan in the permission decision (PC-20). It only takes away: a call that the decision
//! denies stays denied, and no rule, hook or classifier widens a scope.

use super::{Access, AllowedCall, AskCause, CallFacts, Decision, DeniedCall, PermissionAsk, Why};
use crate::mode::Mode;
use crate::plan::scope::ScopeVerdict;
use crate::settings::plan::ScopeMode;

/// The reason of such a decision, as users see it.
pub const OUTSIDE_PLAN: &str = "outside the approved plan";

impl Decision {
    /// Applies the scope to the decision about a file tool's write. `verdict` is the fact about its path.
    pub fn within_scope(self, mode: Mode, facts: &CallFacts, scope: ScopeMode, verdict: ScopeVerdict) -> Decision {
        let Access::Write(target) = &facts.access else { return self };
        if scope == ScopeMode::Off || verdict != ScopeVerdict::Outside || mode == Mode::Plan {
            return self;
        }
        match (self, scope) {
            (denied @ Decision::Deny(_), _) => denied,
            (_, ScopeMode::Enforce) => {
                let message = format!(
                    "{} of {} is {OUTSIDE_PLAN}, so it was not run. Follow the plan, or amend it: call EnterPlanMode, add the file to a step, and submit the plan again.",
                    facts.tool, target.given
                );
                Decision::Deny(DeniedCall { why: Why::from_reason(OUTSIDE_PLAN), message })
            }
            // The user chose to be asked nothing: the report names the file.
            (Decision::Allow(allowed), _) if mode == Mode::BypassPermissions => {
                let reason = format!("{}; {OUTSIDE_PLAN}", allowed.why.reason);
                Decision::Allow(AllowedCall { why: Why { reason, ..allowed.why }, rights: allowed.rights })
            }
            (Decision::Ask(mut ask), _) => {
                ask.why.reason = format!("{OUTSIDE_PLAN}; {}", ask.why.reason);
                // A rule can't widen the scope, so none is offered.
                (ask.cause, ask.suggestions) = (AskCause::OutOfScope, vec![]);
                Decision::Ask(ask)
            }
            (Decision::Allow(_), _) => Decision::Ask(Box::new(PermissionAsk {
                facts: facts.clone(),
                why: Why::from_reason(OUTSIDE_PLAN),
                cause: AskCause::OutOfScope,
                suggestions: vec![],
            })),
        }
    }
}
