//! The scopes of «don't ask again» (DU-2).

use super::submission::{RememberedRule, RuleDestination};
use crate::permission::{ALL_EDITS, RuleSuggestion, addition_label};

/// A scope of «don't ask again»: which rules, and how long they apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleScope {
    pub rules: Vec<String>,
    pub destination: RuleDestination,
}

impl RuleScope {
    /// The choice as users see it. `named` are the rules, shortened as the front end needs.
    pub fn label(&self, named: &str) -> String {
        addition_label(&self.rules)
            .unwrap_or_else(|| format!("yes, and don't ask again {} for {named}", self.describe()))
    }

    /// How long the rules apply, after «don't ask again».
    fn describe(&self) -> &'static str {
        match self.destination {
            RuleDestination::Session => "in this session",
            RuleDestination::Local | RuleDestination::Project => "here",
            RuleDestination::User => "anywhere",
        }
    }

    /// Where the rules are kept.
    pub fn place(&self) -> &'static str {
        match self.destination {
            RuleDestination::Session => "kept until the session ends",
            RuleDestination::Local => "stored in .cutonce/settings.local.json",
            RuleDestination::Project => "stored in .cutonce/settings.json",
            RuleDestination::User => "stored in ~/.cutonce/settings.json",
        }
    }

    /// The rules to remember, as part of an answer.
    pub fn remembered(&self) -> Vec<RememberedRule> {
        self.rules.iter().map(|rule| RememberedRule { rule: rule.clone(), where_to: self.destination }).collect()
    }
}

/// The scopes to choose from: narrowest rules first, each for this project and for this session. An addition to the
/// contract and the rule for all edits belong to the session alone.
pub fn rule_scopes(suggestions: &[RuleSuggestion]) -> Vec<RuleScope> {
    const BOTH: [RuleDestination; 2] = [RuleDestination::Local, RuleDestination::Session];
    let scopes = |suggestion: &RuleSuggestion| {
        let of_session = addition_label(&suggestion.rules).is_some() || suggestion.rules == [ALL_EDITS];
        let offered = if of_session { &BOTH[1..] } else { &BOTH[..] };
        let rules = suggestion.rules.clone();
        offered.iter().map(move |destination| RuleScope { rules: rules.clone(), destination: *destination })
    };
    suggestions.iter().flat_map(scopes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::rules::RuleBehavior;

    #[test]
    fn du_2_each_suggestion_has_two_scopes() {
        let suggest = |rule: &str| RuleSuggestion { rules: vec![rule.into()], behavior: RuleBehavior::Allow };
        let scopes = rule_scopes(&[suggest("Bash(git commit -m x)"), suggest("Bash(git commit:*)")]);
        let told: Vec<String> = scopes.iter().map(|scope| format!("{} {}", scope.describe(), scope.rules[0])).collect();
        let expected = [
            "here Bash(git commit -m x)",
            "in this session Bash(git commit -m x)",
            "here Bash(git commit:*)",
            "in this session Bash(git commit:*)",
        ];
        assert_eq!(told, expected);
        assert_eq!(scopes[3].remembered()[0].where_to, RuleDestination::Session);
        assert!(rule_scopes(&[]).is_empty());
        let all: Vec<_> = rule_scopes(&[suggest(ALL_EDITS)]).iter().map(|scope| scope.destination).collect();
        assert_eq!(all, [RuleDestination::Session], "all edits end with the session");
    }

    #[test]
    fn pc_24_addition_to_the_contract_has_one_scope() {
        let scopes = rule_scopes(&[crate::permission::suggest_additions(&["src/a.rs".to_string()])]);
        let labels: Vec<String> = scopes.iter().map(|scope| scope.label("x")).collect();
        assert_eq!(labels, ["yes, and add src/a.rs to the plan"]);
    }
}
