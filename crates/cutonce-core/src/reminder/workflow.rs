//! How the model is told to plan: phases or interview, how long, with how many agents (PM-95 to PM-99).

use crate::settings::Plan;
use crate::settings::plan::{Length, Workflow};
use crate::template::fill;

/// What the full reminder says beyond the rules themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instructions {
    pub workflow: Workflow,
    pub length: Length,
    pub explore_agents: u8,
    pub plan_agents: u8,
    /// The user's or host's own text in place of the workflow, or why it could not be read.
    pub instead: Option<Result<String, String>>,
}

impl Instructions {
    pub fn new(workflow: Workflow, length: Length, counts: &Counts) -> Instructions {
        let (explore_agents, plan_agents) = (counts.explore_agents, counts.plan_agents);
        Instructions { workflow, length, explore_agents, plan_agents, instead: None }
    }

    pub(super) fn full(&self, path: &str, exists: bool) -> Result<String, String> {
        let plan_file = if exists {
            include_str!("../reminders/plan_file_exists.md")
        } else {
            include_str!("../reminders/plan_file_new.md")
        };
        let plan_file = fill(plan_file.trim_end(), &[("path", path)]);
        let workflow = self.steps()?;
        let values = [("plan_file", plan_file.as_str()), ("workflow", workflow.as_str())];
        Ok(fill(include_str!("../reminders/plan_mode.md").trim_end(), &values))
    }

    pub(super) fn sparse(&self, path: &str) -> String {
        let workflow = match (&self.instead, self.workflow) {
            (Some(_), _) => "Follow the workflow you were given.",
            (None, Workflow::Phases) => "Follow the five phases: understand, design, review, write the plan, exit.",
            (None, Workflow::Interview) => {
                "Go on in rounds: explore, update the plan file, ask with AskUserQuestion until nothing is open."
            }
        };
        fill(include_str!("../reminders/sparse.md").trim_end(), &[("path", path), ("workflow", workflow)])
    }

    fn steps(&self) -> Result<String, String> {
        let template = match (&self.instead, self.workflow) {
            (Some(Err(why)), _) => {
                return Err(format!(
                    "Your own plan mode instructions can't be used: {why}. The model got a short reminder."
                ));
            }
            (Some(Ok(text)), _) if text.trim().is_empty() => {
                return Err("Your own plan mode instructions are empty. The model got a short reminder.".into());
            }
            (Some(Ok(text)), _) => text.trim(),
            (None, Workflow::Phases) => include_str!("../reminders/phases.md").trim_end(),
            (None, Workflow::Interview) => include_str!("../reminders/interview.md").trim_end(),
        };
        let length = match self.length {
            Length::Full => include_str!("../reminders/length_full.md"),
            Length::Trim => include_str!("../reminders/length_trim.md"),
            Length::Cut => include_str!("../reminders/length_cut.md"),
            Length::Cap => include_str!("../reminders/length_cap.md"),
        };
        let (explore, plan) = (self.explore_agents.to_string(), self.plan_agents.to_string());
        let values = [("explore_agents", explore.as_str()), ("plan_agents", &plan), ("length", length.trim_end())];
        Ok(fill(template, &values))
    }
}

/// How many agents the model may use, and what to warn about, once (PM-99).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    pub explore_agents: u8,
    pub plan_agents: u8,
    pub warnings: Vec<String>,
}

/// The values of `CUTONCE_PLAN_EXPLORE_AGENTS` and `CUTONCE_PLAN_AGENTS`, then the settings with their defaults.
pub fn counts(explore_variable: Option<&str>, plan_variable: Option<&str>, settings: &Plan) -> Counts {
    let mut warnings = Vec::new();
    let mut count = |name: &str, value: Option<&str>, otherwise: u8| match value.map(|value| (value, number(value))) {
        None => otherwise,
        Some((_, Some(number))) => number,
        Some((value, None)) => {
            warnings.push(format!("{name}: expected a number from 1 to 10, got `{value}`; using {otherwise}."));
            otherwise
        }
    };
    Counts {
        explore_agents: count("CUTONCE_PLAN_EXPLORE_AGENTS", explore_variable, settings.explore_agents.get()),
        plan_agents: count("CUTONCE_PLAN_AGENTS", plan_variable, settings.plan_agents.get()),
        warnings,
    }
}

fn number(text: &str) -> Option<u8> {
    let digits = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().filter(|number| (1..=10).contains(number))
}

const TRUE: [&str; 4] = ["1", "true", "yes", "on"];
const FALSE: [&str; 4] = ["0", "false", "no", "off"];

/// The value of `CUTONCE_PLAN_INTERVIEW` wins over the setting, if it is a true or false word (PM-97).
pub fn workflow(variable: Option<&str>, setting: Workflow) -> Workflow {
    let word = variable.unwrap_or_default().trim().to_ascii_lowercase();
    match (TRUE.contains(&word.as_str()), FALSE.contains(&word.as_str())) {
        (true, _) => Workflow::Interview,
        (_, true) => Workflow::Phases,
        (false, false) => setting,
    }
}
