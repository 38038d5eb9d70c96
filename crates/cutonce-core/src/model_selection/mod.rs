//! Selects the model for the next request (PM-110, PM-111) and decides when a switch is possible (PM-112).

mod planning_model;

use crate::conversation::{ContentBlock, Message, SharedMessage, WireFormat};
use crate::mode::Mode;
use crate::settings::{ModelClass, Settings};
use crate::subagent::AgentModel;
use crate::text::template::fill_template;
use planning_model::planning_model;

/// Alias that a haiku-class main model is raised to.
const SONNET_ALIAS: &str = "sonnet";
/// Alias of a small model.
const HAIKU_ALIAS: &str = "haiku";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSelection {
    /// A name from the settings' table: alias, id, or `provider/id`.
    Use(String),
    /// The conversation fits into no suitable model: compact it, then select again.
    CompactFirst,
}

/// Selects the model for a mode. `main` is the session's model (`model.main`, a flag, or chosen by the
/// present key);
/// `context` is the context size after the last response, 0 before the first.
pub fn select_model(settings: &Settings, main: &str, mode: Mode, context: u64) -> ModelSelection {
    let name = if mode.is_read_only() { planning_model(settings, main, context) } else { main.to_string() };
    if settings.model_info(&name).context > context { ModelSelection::Use(name) } else { ModelSelection::CompactFirst }
}

/// The id of the model that would answer next if the user chose `name` as the main model.
pub fn model_after_choice(settings: &Settings, name: &str, mode: Mode, context: u64) -> String {
    let mut chosen = settings.clone();
    chosen.model.set_main_model(name);
    let main = chosen.model.main.clone().unwrap_or_else(|| name.to_string());
    match select_model(&chosen, &main, mode, context) {
        ModelSelection::Use(name) => chosen.model_info(&name).id,
        ModelSelection::CompactFirst => chosen.model_info(&main).id,
    }
}

/// Raises a haiku-class model to the sonnet class of the same provider, because another one may have no key.
/// A row of the user comes before the built-in alias.
fn raise_haiku_class(settings: &Settings, main: &str) -> String {
    let info = settings.model_info(main);
    if info.class != ModelClass::Haiku {
        return main.to_string();
    }
    let mut names =
        settings.models.keys().map(String::as_str).filter(|name| !name.ends_with('*')).chain([SONNET_ALIAS]);
    let fits = |name: &&str| {
        let other = settings.model_info(name);
        other.class == ModelClass::Sonnet && other.provider == info.provider
    };
    names.find(fits).unwrap_or(main).to_string()
}

/// The model of a subagent; `inherited` is the current model of its parent (SA-2).
pub fn agent_model(settings: &Settings, inherited: &str, wish: &AgentModel) -> String {
    match wish.configured(&settings.model) {
        Some(name) => name,
        None if *wish == AgentModel::Small => small_model(settings, inherited),
        None => inherited.to_string(),
    }
}

/// The haiku-class model of the same provider, because another one may have no key.
fn small_model(settings: &Settings, inherited: &str) -> String {
    let provider = settings.model_info(inherited).provider;
    let mut names = settings.models.keys().map(String::as_str).filter(|name| !name.ends_with('*')).chain([HAIKU_ALIAS]);
    let fits = |name: &&str| {
        let other = settings.model_info(name);
        other.class == ModelClass::Haiku && provider.is_some() && other.provider == provider
    };
    names.find(fits).unwrap_or(inherited).to_string()
}

/// Message that ends a tool loop, so that another model can continue (PM-112).
pub fn model_switch_message(mode: Mode) -> String {
    fill_template(include_str!("model_switch.md").trim_end(), &[("mode", mode.name())])
}

/// True if the next request of this turn may go to another model. `turn` is the conversation since the turn
/// began; `to` and `thinks` describe the other model. Between turns a switch is always possible. Inside a
/// tool loop, a provider wants its own thinking back from the same model, and Anthropic's wire format wants
/// every call of the loop to begin with thinking if thinking is on. Otherwise the model that began the turn
/// finishes it.
pub fn can_switch_model(turn: &[SharedMessage], to: WireFormat, thinks: bool) -> bool {
    let mut answers = turn.iter().filter_map(|message| match &**message {
        Message::Assistant { blocks, .. } => Some(blocks),
        Message::User { .. } | Message::Tool(_) => None,
    });
    answers.all(|blocks| {
        let bound = blocks.iter().any(|block| matches!(block, ContentBlock::Thinking { opaque: Some(_), .. }));
        match to {
            WireFormat::Anthropic => !bound && !thinks,
            WireFormat::Responses | WireFormat::Chat => !bound,
        }
    })
}

#[cfg(test)]
mod tests;
