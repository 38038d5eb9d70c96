//! Which model answers the next request (PM-110, PM-111), and when another one may take over (PM-112).

use crate::agent::ModelWish;
use crate::conversation::{Block, Message, Shared, Wire};
use crate::mode::Mode;
use crate::settings::{Class, Settings};

/// Above this context plan mode leaves its own model.
const LARGE_CONTEXT: u64 = 200_000;
/// The alias that a haiku-class main model is raised to.
const RAISED_TO: &str = "sonnet";
/// The alias of a small model.
const SMALL: &str = "haiku";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelFor {
    /// A name of the settings' table: alias, id, or `provider/id`.
    Use(String),
    /// No model that should answer can hold the conversation: compact it, then ask again.
    CompactFirst,
}

/// `main` is the session's model (`model.main`, a flag, or by which key is present); `context` is what the last
/// response left in the context, 0 before the first.
pub fn model_for(settings: &Settings, main: &str, mode: Mode, context: u64) -> ModelFor {
    let name = match mode {
        Mode::Plan => plan_model(settings, main, context),
        Mode::Default | Mode::AcceptEdits | Mode::Auto | Mode::BypassPermissions => main.to_string(),
    };
    if settings.model_info(&name).context > context { ModelFor::Use(name) } else { ModelFor::CompactFirst }
}

fn plan_model(settings: &Settings, main: &str, context: u64) -> String {
    match &settings.model.plan {
        Some(plan) if context <= LARGE_CONTEXT => plan.clone(),
        Some(_) => settings.model.large.clone().unwrap_or_else(|| main.to_string()),
        None => raised(settings, main),
    }
}

/// A haiku-class model is raised to the sonnet class of the same provider: another one may have no key. Your own
/// row of that class comes before the built-in alias.
fn raised(settings: &Settings, main: &str) -> String {
    let info = settings.model_info(main);
    if info.class != Class::Haiku {
        return main.to_string();
    }
    let mut names = settings.models.keys().map(String::as_str).filter(|name| !name.ends_with('*')).chain([RAISED_TO]);
    let fits = |name: &&str| {
        let other = settings.model_info(name);
        other.class == Class::Sonnet && other.provider == info.provider
    };
    names.find(fits).unwrap_or(main).to_string()
}

/// The model of a subagent; `inherited` is the one that whoever starts it uses now (SA-2).
pub fn agent_model(settings: &Settings, inherited: &str, wish: &ModelWish) -> String {
    match wish {
        ModelWish::Inherit => inherited.to_string(),
        ModelWish::Plan => settings.model.plan.clone().unwrap_or_else(|| inherited.to_string()),
        ModelWish::Small => settings.model.small.clone().unwrap_or_else(|| small(settings, inherited)),
        ModelWish::Named(name) => name.clone(),
    }
}

/// The haiku class of the same provider: another one may have no key.
fn small(settings: &Settings, inherited: &str) -> String {
    let provider = settings.model_info(inherited).provider;
    let mut names = settings.models.keys().map(String::as_str).filter(|name| !name.ends_with('*')).chain([SMALL]);
    let fits = |name: &&str| {
        let other = settings.model_info(name);
        other.class == Class::Haiku && provider.is_some() && other.provider == provider
    };
    names.find(fits).unwrap_or(inherited).to_string()
}

/// May the next request of this turn go to another model? `turn` is the conversation since the turn began; `to` and
/// `thinks` are of the other model. Between turns always. Inside a tool loop a provider wants its own thinking back
/// from the model that thought it, and Anthropic's wire wants every call of the loop to begin with thinking if
/// thinking is on. Where it may not, the model that began the turn finishes it.
pub fn may_switch(turn: &[Shared], to: Wire, thinks: bool) -> bool {
    let mut answers = turn.iter().filter_map(|message| match &**message {
        Message::Assistant { blocks, .. } => Some(blocks),
        Message::User { .. } | Message::Tool(_) => None,
    });
    answers.all(|blocks| {
        let bound = blocks.iter().any(|block| matches!(block, Block::Thinking { opaque: Some(_), .. }));
        match to {
            Wire::Anthropic => !bound && !thinks,
            Wire::Responses | Wire::Chat => !bound,
        }
    })
}

#[cfg(test)]
mod tests;
