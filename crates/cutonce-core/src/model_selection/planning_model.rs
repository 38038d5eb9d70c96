//! The model of plan mode (PM-110, PM-111), and what an agent's wish for a model means in the settings.

use super::raise_haiku_class;
use crate::settings::{ModelSettings, Settings};
use crate::subagent::AgentModel;

/// The model while plan mode is on: `model.plan` if the conversation fits into it, else `model.large`.
pub(super) fn planning_model(settings: &Settings, main: &str, context: u64) -> String {
    match &settings.model.plan {
        Some(plan) if settings.model_info(plan).context > context => plan.clone(),
        Some(_) => settings.model.large.clone().unwrap_or_else(|| main.to_string()),
        None => raise_haiku_class(settings, main),
    }
}

impl AgentModel {
    /// The model that the settings or the agent itself name for this wish; `None` if nothing names one.
    pub fn configured(&self, models: &ModelSettings) -> Option<String> {
        match self {
            AgentModel::Inherit => None,
            AgentModel::Small => models.small.clone(),
            AgentModel::Plan => models.plan.clone(),
            AgentModel::Named(name) => Some(name.clone()),
        }
    }
}
