//! The scope of an approved plan in the permission decision (PC-20). It only takes away: a call that the decision
//! denies stays denied, and no rule, hook or classifier widens a scope.

use super::rules::RuleBehavior;
use super::{Access, AllowedCall, AskCause, CallFacts, Decision, DeniedCall, PermissionAsk, RuleSuggestion, Why};
use crate::mode::Mode;
use crate::plan::scope::ScopeVerdict;
use crate::settings::plan::ScopeMode;
use crate::text::sanitize::one_line;

/// The reason of such a decision, as users see it.
pub const OUTSIDE_PLAN: &str = "outside the approved plan";

/// The suggestion of an ask about a write outside the plan: not a rule of the settings, but an addition to the contract
/// (PC-24). Front ends and hosts answer with it as with any suggestion.
pub fn suggest_additions(paths: &[String]) -> RuleSuggestion {
    let rules = paths.iter().map(|path| format!("Plan({path})")).collect();
    RuleSuggestion { rules, behavior: RuleBehavior::Allow }
}

/// The path that an answer adds to the contract; `None` for other rules.
pub fn added_path(rule: &str) -> Option<&str> {
    rule.strip_prefix("Plan(")?.strip_suffix(')').filter(|path| !path.is_empty())
}

/// The choice that adds a file to the contract, as users see it; `None` if these rules are rules of the settings.
pub fn addition_label(rules: &[String]) -> Option<String> {
    const MOST: usize = 3;
    let paths: Vec<String> = rules.iter().map(|rule| added_path(rule).map(one_line)).collect::<Option<_>>()?;
    let shown = paths.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    match paths.len() {
        0 => None,
        count if count > MOST => Some(format!("yes, and add {shown} and {} more to the plan", count - MOST)),
        _ => Some(format!("yes, and add {shown} to the plan")),
    }
}

impl Decision {
    /// The setting `plan.verify` wants the user to be asked about a check of the plan.
    pub fn ask_about_check(self, facts: &CallFacts) -> Decision {
        match self {
            Decision::Allow(_) => Decision::Ask(Box::new(PermissionAsk {
                facts: facts.clone(),
                why: Why::from_reason("checks of the plan need your OK (`plan.verify`)"),
                cause: AskCause::Rule,
                suggestions: vec![],
            })),
            other @ (Decision::Ask(_) | Decision::Deny(_)) => other,
        }
    }

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
                    "{} of {} is {OUTSIDE_PLAN}, so it was not run. Follow the plan, or amend it in plan mode: add the file to a step, and submit the plan again.",
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
