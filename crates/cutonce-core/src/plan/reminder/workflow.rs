//! Planning instructions for the model: phases or interview, length, number of agents (PM-95 to PM-99).

use crate::plan::PlanningTools;
use crate::settings::PlanSettings;
use crate::settings::plan::{PlanLength, PlanWorkflow};
use crate::text::offered::keep_offered;
use crate::text::template::fill_template;

/// Instructions of the full reminder, in addition to the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanInstructions {
    pub workflow: PlanWorkflow,
    pub length: PlanLength,
    pub explore_agents: u8,
    pub plan_agents: u8,
    pub tools: PlanningTools,
    /// Custom text of the user or host instead of the workflow, or the reason why it can't be read.
    pub custom_text: Option<Result<String, String>>,
    /// The project's own template for plans (PC-5).
    pub template: Option<String>,
}

impl PlanInstructions {
    pub fn new(workflow: PlanWorkflow, length: PlanLength, counts: &PlanAgentLimits) -> PlanInstructions {
        let (explore_agents, plan_agents) = (counts.explore_agents, counts.plan_agents);
        let tools = PlanningTools::ALL;
        PlanInstructions { workflow, length, explore_agents, plan_agents, tools, custom_text: None, template: None }
    }

    /// An interview needs a user who can be asked.
    fn usable_workflow(&self) -> PlanWorkflow {
        if self.tools.questions { self.workflow } else { PlanWorkflow::Phases }
    }

    /// The tools that end a turn, for the short texts.
    pub(super) fn ending_tools(&self) -> &'static str {
        if self.tools.questions { "AskUserQuestion or ExitPlanMode" } else { "ExitPlanMode" }
    }

    pub(super) fn full_text(&self, path: &str, exists: bool) -> Result<String, String> {
        let plan_file = if exists {
            include_str!("../texts/plan_file_exists.md")
        } else {
            include_str!("../texts/plan_file_new.md")
        };
        let plan_file = keep_offered(plan_file.trim_end(), &|tool| self.tools.writes_with(tool));
        let plan_file = fill_template(&plan_file, &[("path", path)]);
        let mut workflow = self.workflow_text()?;
        if let Some(template) = &self.template {
            workflow.push_str(&format!("\n\n## The project's template for plans\n{}", template.trim()));
        }
        let end = match self.tools.questions {
            true => include_str!("../texts/end_ask.md").trim_end(),
            false => include_str!("../texts/end_exit.md").trim_end(),
        };
        let values = [("plan_file", plan_file.as_str()), ("workflow", workflow.as_str()), ("end", end)];
        Ok(fill_template(include_str!("../texts/plan_mode.md").trim_end(), &values))
    }

    pub(super) fn sparse_text(&self, path: &str) -> String {
        let workflow = match (&self.custom_text, self.usable_workflow()) {
            (Some(_), _) => "Follow the workflow you were given.",
            (None, PlanWorkflow::Phases) => "Follow the five phases: understand, design, review, write the plan, exit.",
            (None, PlanWorkflow::Interview) => {
                "Continue in rounds: explore, update the plan file, ask with AskUserQuestion until nothing is open."
            }
        };
        let values = [("path", path), ("workflow", workflow), ("end", self.ending_tools())];
        fill_template(include_str!("../texts/sparse.md").trim_end(), &values)
    }

    fn workflow_text(&self) -> Result<String, String> {
        let template = match (&self.custom_text, self.usable_workflow()) {
            (Some(Err(why)), _) => {
                return Err(format!(
                    "Your own plan mode instructions can't be used: {why}. The model got a short reminder."
                ));
            }
            (Some(Ok(text)), _) if text.trim().is_empty() => {
                return Err("Your own plan mode instructions are empty. The model got a short reminder.".into());
            }
            (Some(Ok(text)), _) => text.trim(),
            (None, PlanWorkflow::Phases) => include_str!("../texts/phases.md").trim_end(),
            (None, PlanWorkflow::Interview) => include_str!("../texts/interview.md").trim_end(),
        };
        let length = match self.length {
            PlanLength::Full => include_str!("../texts/length_full.md"),
            PlanLength::Trim => include_str!("../texts/length_trim.md"),
            PlanLength::Cut => include_str!("../texts/length_cut.md"),
            PlanLength::Cap => include_str!("../texts/length_cap.md"),
        };
        // The form of PC-5, so that the program can follow the plan.
        let length = format!("{} {}", length.trim_end(), include_str!("../texts/form.md").trim_end());
        let (explore_agents, plan_agents) = (self.explore_agents.to_string(), self.plan_agents.to_string());
        let (explore, design) = (self.explore_text(&explore_agents), self.design_text(&plan_agents));
        let open = match self.tools.questions {
            true => include_str!("../texts/open_ask.md"),
            false => include_str!("../texts/open_decide.md"),
        };
        let values = [
            ("explore", explore.as_str()),
            ("design", &design),
            ("open", open.trim_end()),
            ("explore_agents", &explore_agents),
            ("plan_agents", &plan_agents),
            ("length", &length),
        ];
        Ok(fill_template(template, &values))
    }

    fn explore_text(&self, most: &str) -> String {
        let text = match (self.tools.explore_agents, self.explore_agents) {
            (false, _) => include_str!("../texts/explore_alone.md"),
            (true, 1) => include_str!("../texts/explore_one_agent.md"),
            (true, _) => include_str!("../texts/explore_agents.md"),
        };
        fill_template(text.trim_end(), &[("explore_agents", most)])
    }

    fn design_text(&self, most: &str) -> String {
        let text = match (self.tools.plan_agents, self.plan_agents) {
            (false, _) => include_str!("../texts/design_alone.md"),
            (true, 1) => include_str!("../texts/design_one_agent.md"),
            (true, _) => include_str!("../texts/design_agents.md"),
        };
        fill_template(text.trim_end(), &[("plan_agents", most)])
    }
}

/// Number of agents the model may use, and warnings to show once (PM-99).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanAgentLimits {
    pub explore_agents: u8,
    pub plan_agents: u8,
    pub warnings: Vec<String>,
}

/// Limits from `CUTONCE_PLAN_EXPLORE_AGENTS` and `CUTONCE_PLAN_AGENTS`, else from the settings with their
/// defaults.
pub fn plan_agent_limits(
    explore_variable: Option<&str>,
    plan_variable: Option<&str>,
    settings: &PlanSettings,
) -> PlanAgentLimits {
    let mut warnings = Vec::new();
    let mut count =
        |name: &str, value: Option<&str>, otherwise: u8| match value.map(|value| (value, parse_agent_limit(value))) {
            None => otherwise,
            Some((_, Some(number))) => number,
            Some((value, None)) => {
                warnings.push(format!("{name}: expected a number from 1 to 10, got `{value}`; using {otherwise}."));
                otherwise
            }
        };
    PlanAgentLimits {
        explore_agents: count("CUTONCE_PLAN_EXPLORE_AGENTS", explore_variable, settings.explore_agents.get()),
        plan_agents: count("CUTONCE_PLAN_AGENTS", plan_variable, settings.plan_agents.get()),
        warnings,
    }
}

fn parse_agent_limit(text: &str) -> Option<u8> {
    let digits = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().filter(|number| (1..=10).contains(number))
}

const TRUE: [&str; 4] = ["1", "true", "yes", "on"];
const FALSE: [&str; 4] = ["0", "false", "no", "off"];

/// The workflow: `CUTONCE_PLAN_INTERVIEW` overrides the setting if it is a true or false word (PM-97).
pub fn effective_workflow(variable: Option<&str>, setting: PlanWorkflow) -> PlanWorkflow {
    let word = variable.unwrap_or_default().trim().to_ascii_lowercase();
    match (TRUE.contains(&word.as_str()), FALSE.contains(&word.as_str())) {
        (true, _) => PlanWorkflow::Interview,
        (_, true) => PlanWorkflow::Phases,
        (false, false) => setting,
    }
}
