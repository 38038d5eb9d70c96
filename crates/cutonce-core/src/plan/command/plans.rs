//! The arguments of `/plans` (PC-41).

/// What `/plans` does. Names are as typed: a plan's name, or its number in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanListCommand {
    List,
    /// Review it again, without the model.
    Review(String),
    /// Make it the session's plan.
    Switch(String),
    Park(String),
    Delete(String),
    /// Show the report of its last implementation.
    Report(String),
}

/// How `/plans` is used.
pub const PLANS_USAGE: &str = "/plans, or /plans review|switch|park|delete|report NAME";

impl PlanListCommand {
    /// Parses the arguments of `/plans`; `None` if they are no command.
    pub fn parse(words: &str) -> Option<PlanListCommand> {
        let (word, name) = words.trim().split_once(char::is_whitespace).unwrap_or((words.trim(), ""));
        let name = name.trim().to_string();
        let command: fn(String) -> PlanListCommand = match word {
            "" => return Some(PlanListCommand::List),
            "review" => PlanListCommand::Review,
            "switch" => PlanListCommand::Switch,
            "park" => PlanListCommand::Park,
            "delete" => PlanListCommand::Delete,
            "report" => PlanListCommand::Report,
            _ => return None,
        };
        (!name.is_empty()).then(|| command(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_41_words_after_plans_name_a_plan() {
        assert_eq!(PlanListCommand::parse(" "), Some(PlanListCommand::List));
        assert_eq!(PlanListCommand::parse("review a-b-c"), Some(PlanListCommand::Review("a-b-c".into())));
        assert_eq!(PlanListCommand::parse("delete  2 "), Some(PlanListCommand::Delete("2".into())));
        for none in ["review", "remove a-b-c", "a-b-c"] {
            assert_eq!(PlanListCommand::parse(none), None, "{none}");
        }
    }
}
