//! The model table (PM-110): aliases, class, context, output, thinking, price. Settings add to it.

use super::Settings;
use crate::conversation::TokenUsage;
use crate::text::nearest_name::nearest_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// One row of the table; missing values come from shorter prefixes of the same name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ModelEntry {
    /// The provider that serves it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The provider's model id; makes this row an alias.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// A haiku-class main model is raised to the sonnet class in plan mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<ModelClass>,
    /// Context size in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// Maximum number of output tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u32>,
    /// How thinking is requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<ThinkingKind>,
    /// Price in dollars per million tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<ModelPrice>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModelClass {
    Haiku,
    Sonnet,
    Opus,
    #[default]
    Other,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingKind {
    /// Thinking is not supported.
    #[default]
    None,
    /// A number of tokens.
    Budget,
    /// An effort level.
    Effort,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelPrice {
    pub input: f64,
    pub output: f64,
    /// Input read from the provider's cache; like `input` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Input written to the cache; like `input` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// The price of a request whose input is longer than a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<LongPrice>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LongPrice {
    /// Input tokens above which this price applies to the whole request.
    pub above: u64,
    pub input: f64,
    pub output: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

impl ModelInfo {
    /// Cost of one response in dollars; 0 if no price is known.
    pub fn cost(&self, usage: &TokenUsage) -> f64 {
        self.price.as_ref().map_or(0.0, |price| price.cost_of(usage))
    }
}

impl ModelPrice {
    /// Cost of one response in dollars.
    pub fn cost_of(&self, usage: &TokenUsage) -> f64 {
        let read = usage.sent_tokens();
        let (input, output, cache_read, cache_write) = match self.long {
            Some(long) if read > long.above => (long.input, long.output, long.cache_read, long.cache_write),
            Some(_) | None => (self.input, self.output, self.cache_read, self.cache_write),
        };
        let sum = usage.input_tokens as f64 * input
            + usage.output_tokens as f64 * output
            + usage.cache_read_input_tokens as f64 * cache_read.unwrap_or(input)
            + usage.cache_creation_input_tokens as f64 * cache_write.unwrap_or(input);
        sum / 1_000_000.0
    }
}

/// A model with all values resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelInfo {
    /// `None`: chosen by the present API key (MO-1).
    pub provider: Option<String>,
    pub id: String,
    pub class: ModelClass,
    pub context: u64,
    pub max_output: u32,
    pub thinking: ThinkingKind,
    pub price: Option<ModelPrice>,
    /// False if the table has no row for the name: context and output are guesses.
    pub known: bool,
}

/// Providers on the user's own machine: small contexts, no price.
pub const LOCAL_PROVIDERS: [&str; 6] = ["ollama", "llamacpp", "llama.cpp", "lmstudio", "vllm", "local"];
const UNKNOWN_CONTEXT: u64 = 128_000;
const LOCAL_CONTEXT: u64 = 32_000;
const UNKNOWN_MAX_OUTPUT: u32 = 8_192;

const BUILT_IN_JSON: &str = include_str!("models.json");
static BUILT_IN_MODELS: LazyLock<BTreeMap<String, ModelEntry>> =
    LazyLock::new(|| serde_json::from_str(BUILT_IN_JSON).unwrap_or_default());

impl Settings {
    /// Looks up `name`: an alias, an id, or `provider/id`. The user's rows come before the built-in ones.
    pub fn model_info(&self, name: &str) -> ModelInfo {
        let (provider, mut id) = self.split_provider(name);
        let mut rows: Vec<&ModelEntry> = Vec::new();
        // An alias may refer to another one; more than a few steps are a cycle.
        for _ in 0..4 {
            let Some((row, target)) = self.resolve_alias(&id) else { break };
            rows.push(row);
            id = target;
        }
        rows.extend(self.matching_rows(&id));
        let provider = provider.or_else(|| rows.iter().find_map(|row| row.provider.clone()));
        let local = provider.as_deref().is_some_and(|provider| LOCAL_PROVIDERS.contains(&provider));
        let unknown_context = if local { LOCAL_CONTEXT } else { UNKNOWN_CONTEXT };
        ModelInfo {
            provider,
            class: rows.iter().find_map(|row| row.class).unwrap_or_default(),
            context: rows.iter().find_map(|row| row.context).unwrap_or(unknown_context),
            max_output: rows.iter().find_map(|row| row.max_output).unwrap_or(UNKNOWN_MAX_OUTPUT),
            thinking: rows.iter().find_map(|row| row.thinking).unwrap_or_default(),
            price: rows.iter().find_map(|row| row.price).filter(|_| !local),
            known: !rows.is_empty(),
            id,
        }
    }

    /// The names to choose from, the user's own first: aliases and models with a row of their own (DU-5).
    pub fn known_models(&self) -> Vec<(String, ModelInfo)> {
        let listed = |name: &&String| !name.ends_with('*');
        let own = self.models.keys().filter(listed);
        let built_in = BUILT_IN_MODELS.keys().filter(listed).filter(|name| !self.models.contains_key(*name));
        own.chain(built_in).map(|name| (name.clone(), self.model_info(name))).collect()
    }

    /// The alias that a mistyped name probably means.
    pub fn nearest_alias(&self, typed: &str) -> Option<&str> {
        let rows = self.models.iter().chain(BUILT_IN_MODELS.iter());
        nearest_name(typed, rows.filter(|(_, row)| row.id.is_some()).map(|(name, _)| name.as_str()), 2)
    }

    /// Splits `provider/id`; an id may contain slashes itself (OpenRouter).
    fn split_provider(&self, name: &str) -> (Option<String>, String) {
        if self.models.contains_key(name) {
            return (None, name.into());
        }
        match name.split_once('/') {
            Some((provider, id)) if !provider.is_empty() && !id.is_empty() => (Some(provider.into()), id.into()),
            Some(_) | None => (None, name.into()),
        }
    }

    fn resolve_alias(&self, name: &str) -> Option<(&ModelEntry, String)> {
        let row = self.models.get(name).filter(|row| row.id.is_some()).or_else(|| BUILT_IN_MODELS.get(name))?;
        let id = row.id.clone().filter(|id| id != name)?;
        Some((row, id))
    }

    /// Matching rows: the user's before the built-in ones, exact ones before prefixes, long prefixes before short ones.
    /// An OpenRouter-style id (`anthropic/claude-…`) is also looked up by its last part.
    fn matching_rows(&self, id: &str) -> Vec<&ModelEntry> {
        let last = id.rsplit('/').next().unwrap_or(id);
        let mut rows = matching_entries(&self.models, id);
        if last != id {
            rows.extend(matching_entries(&self.models, last));
        }
        rows.extend(matching_entries(&BUILT_IN_MODELS, last));
        rows
    }
}

fn matching_entries<'a>(table: &'a BTreeMap<String, ModelEntry>, id: &str) -> Vec<&'a ModelEntry> {
    let mut prefixes: Vec<_> = table
        .iter()
        .filter_map(|(key, row)| {
            key.strip_suffix('*').filter(|prefix| id.starts_with(prefix)).map(|prefix| (prefix, row))
        })
        .collect();
    prefixes.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
    table.get(id).into_iter().chain(prefixes.into_iter().map(|(_, row)| row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(models: serde_json::Value) -> Settings {
        serde_json::from_value(serde_json::json!({ "models": models })).unwrap()
    }

    #[test]
    fn built_in_aliases_lead_to_known_models() {
        let table: BTreeMap<String, ModelEntry> = serde_json::from_str(BUILT_IN_JSON).unwrap();
        let settings = Settings::default();
        for (name, row) in &table {
            if let Some(id) = &row.id {
                let info = settings.model_info(name);
                assert_eq!(&info.id, id);
                assert!(info.known && info.price.is_some() && info.context > 0, "{name}: {info:?}");
            }
        }
    }

    #[test]
    fn pm_110_classes_come_from_the_table() {
        let settings = Settings::default();
        let check = |name: &str, class: ModelClass, context: u64| {
            let info = settings.model_info(name);
            assert_eq!((info.class, info.context), (class, context), "{name}");
        };
        check("haiku", ModelClass::Haiku, 1_000_000);
        check("claude-haiku-4-5-20251001", ModelClass::Haiku, 200_000);
        check("anthropic/claude-opus-4-1-20250805", ModelClass::Opus, 200_000);
        check("claude-opus-4-20250514", ModelClass::Opus, 200_000);
        check("claude-opus-9", ModelClass::Opus, 1_000_000);
        check("openrouter/anthropic/claude-sonnet-4-5", ModelClass::Sonnet, 200_000);
        check("gpt-5-mini-2025-08-07", ModelClass::Other, 400_000);
        check("something-else", ModelClass::Other, 128_000);
        check("ollama/qwen3", ModelClass::Other, 32_000);
        assert_eq!(settings.model_info("ollama/gpt-5").price, None, "a local server costs nothing");
        assert!(!settings.model_info("something-else").known);
    }

    #[test]
    fn du_5_known_models_are_aliases_and_own_rows() {
        let settings = with(serde_json::json!({"mine": {"provider": "ollama", "id": "qwen3"}, "opus": {"context": 9}}));
        let names: Vec<String> = settings.known_models().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names[..2], ["mine".to_string(), "opus".to_string()]);
        assert!(names.contains(&"sonnet".to_string()) && !names.iter().any(|name| name.contains('*')), "{names:?}");
        assert_eq!(names.iter().filter(|name| *name == "opus").count(), 1);
    }

    #[test]
    fn pm_110_user_rows_override_the_table() {
        let settings = with(serde_json::json!({
            "claude-opus-5-5": { "context": 150000 },
            "mine": { "provider": "ollama", "id": "qwen3:32b", "context": 65536, "class": "haiku" },
            "qwen3*": { "maxOutput": 4096 },
            "a": { "id": "b" }, "b": { "id": "a" },
        }));
        let opus = settings.model_info("opus");
        assert_eq!((opus.context, opus.max_output, opus.class), (150_000, 128_000, ModelClass::Opus));
        let mine = settings.model_info("mine");
        assert_eq!((mine.provider.as_deref(), mine.id.as_str()), (Some("ollama"), "qwen3:32b"));
        assert_eq!((mine.context, mine.max_output, mine.class), (65_536, 4096, ModelClass::Haiku));
        settings.model_info("a");
    }

    #[test]
    fn cost_includes_each_token_kind_and_long_tier() {
        let price = Settings::default().model_info("haiku").price.unwrap();
        let usage = |input, read| TokenUsage {
            input_tokens: input,
            output_tokens: 1_000_000,
            cache_read_input_tokens: read,
            ..TokenUsage::default()
        };
        assert!((price.cost_of(&usage(100_000, 0)) - 0.51).abs() < 1e-9);
        assert!((price.cost_of(&usage(100_000, 100_000)) - (0.05 + 0.005 + 2.5)).abs() < 1e-9);
    }
}
