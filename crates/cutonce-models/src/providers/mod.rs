//! Resolves a model name to its provider and address (MO-1). Reads no file and no environment by itself.

pub(crate) mod endpoint;
mod model_list;
mod web_search;

pub use model_list::{LocalServer, ModelListError, find_local_servers, list_endpoint_models, list_models};
pub use web_search::{SearchAnswer, SearchError, SearchSource, can_search, search_web};

use crate::providers::endpoint::{Endpoint, connect, is_local};
use crate::scripted::ScriptedModel;
use crate::{FaultKind, Model, ModelError};
use cutonce_core::conversation::WireFormat;
use cutonce_core::text::nearest_name::nearest_name;
use cutonce_core::text::sanitize::one_line;
use std::path::PathBuf;
use std::sync::Arc;

/// A built-in provider.
#[derive(Debug)]
pub struct BuiltInProvider {
    pub name: &'static str,
    pub wire: WireFormat,
    pub base_url: &'static str,
    /// Variable that overrides the base URL.
    pub base_env: Option<&'static str>,
    pub key_env: Option<&'static str>,
    pub key_needed: bool,
    /// Used when the user names no model.
    pub default_model: Option<&'static str>,
}

/// All built-in providers, in the order in which they are checked for a key.
pub const PROVIDERS: &[BuiltInProvider] = &[
    BuiltInProvider {
        name: "anthropic",
        wire: WireFormat::Anthropic,
        base_url: "https://api.anthropic.com",
        base_env: Some("ANTHROPIC_BASE_URL"),
        key_env: Some("ANTHROPIC_API_KEY"),
        key_needed: true,
        default_model: Some("claude-sonnet-5-5"),
    },
    BuiltInProvider {
        name: "openai",
        wire: WireFormat::Responses,
        base_url: "https://api.openai.com/v1",
        base_env: Some("OPENAI_BASE_URL"),
        key_env: Some("OPENAI_API_KEY"),
        key_needed: true,
        default_model: Some("gpt-5.1"),
    },
    remote_provider("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", None),
    remote_provider("deepseek", "https://api.deepseek.com", "DEEPSEEK_API_KEY", Some("deepseek-chat")),
    remote_provider("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", None),
    remote_provider("xai", "https://api.x.ai/v1", "XAI_API_KEY", None),
    BuiltInProvider {
        name: "openai-chat",
        wire: WireFormat::Chat,
        base_url: "https://api.openai.com/v1",
        base_env: Some("OPENAI_BASE_URL"),
        key_env: Some("OPENAI_API_KEY"),
        key_needed: true,
        default_model: None,
    },
    local_provider("ollama", "http://localhost:11434/v1", "OLLAMA_HOST"),
    local_provider("llamacpp", "http://localhost:8080/v1", "LLAMACPP_BASE_URL"),
    local_provider("lmstudio", "http://localhost:1234/v1", "LMSTUDIO_BASE_URL"),
    local_provider("vllm", "http://localhost:8000/v1", "VLLM_BASE_URL"),
];

const fn remote_provider(
    name: &'static str,
    base_url: &'static str,
    key_env: &'static str,
    default_model: Option<&'static str>,
) -> BuiltInProvider {
    let (wire, key_env) = (WireFormat::Chat, Some(key_env));
    BuiltInProvider { name, wire, base_url, base_env: None, key_env, key_needed: true, default_model }
}

const fn local_provider(name: &'static str, base_url: &'static str, base_env: &'static str) -> BuiltInProvider {
    let (wire, base_env) = (WireFormat::Chat, Some(base_env));
    BuiltInProvider { name, wire, base_url, base_env, key_env: None, key_needed: false, default_model: None }
}

/// A provider from the user's settings. Its name overrides a built-in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomProvider {
    pub name: String,
    pub wire: WireFormat,
    pub base_url: String,
    pub key_env: Option<String>,
}

/// A resolved model name.
#[derive(Debug, Clone)]
pub struct ResolvedModel {
    pub provider: String,
    pub model: String,
    pub target: ModelTarget,
}

#[derive(Debug, Clone)]
pub enum ModelTarget {
    Http(Endpoint),
    /// A scenario file, played on loopback in this wire format (MO-5).
    Scripted {
        wire: WireFormat,
        path: PathBuf,
    },
}

impl ResolvedModel {
    /// Whether the provider takes a key and has none yet: a gateway on this machine may work without.
    pub fn takes_a_key(&self) -> bool {
        matches!(&self.target, ModelTarget::Http(endpoint) if endpoint.key.is_none() && endpoint.key_env.is_some())
    }

    /// Sets the number of retries and the first pause (MO-3).
    pub fn set_retries(&mut self, max: u32, first: std::time::Duration) {
        match &mut self.target {
            ModelTarget::Http(endpoint) => {
                endpoint.retry.max = max;
                endpoint.retry.base = first;
            }
            ModelTarget::Scripted { .. } => {}
        }
    }
    /// Sets how long the provider may stay silent (MO-3).
    pub fn set_idle_timeout(&mut self, most: std::time::Duration) {
        match &mut self.target {
            ModelTarget::Http(endpoint) => endpoint.idle_timeout = most,
            ModelTarget::Scripted { .. } => {}
        }
    }
    pub fn connect(self) -> Result<Arc<dyn Model>, ModelError> {
        match self.target {
            ModelTarget::Http(endpoint) => connect(endpoint),
            ModelTarget::Scripted { wire, path } => Ok(Arc::new(ScriptedModel::open(wire, &path)?)),
        }
    }
}

type EnvLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Resolves `provider/model`, a model name alone, or nothing: then the first provider with a key is used.
pub fn resolve(spec: &str, lookup: EnvLookup<'_>, custom: &[CustomProvider]) -> Result<ResolvedModel, ModelError> {
    let spec = spec.trim();
    let env = |name: &str| lookup(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    if let Some((name, model)) = spec.split_once('/') {
        if let Some(wire) = scripted_wire(name) {
            let target = ModelTarget::Scripted { wire, path: PathBuf::from(model) };
            return Ok(ResolvedModel { provider: name.to_owned(), model: "scripted".to_owned(), target });
        }
        if let Some(entry) = find_provider(name, custom) {
            if model.is_empty() {
                return Err(no_model_error(format!("`{spec}` names no model. Write {name}/MODEL.")));
            }
            return usable_name(spec).and_then(|()| entry.resolve_model(model, &env));
        }
        let names: Vec<String> = all_providers(custom).map(|entry| entry.name().to_owned()).collect();
        // OpenRouter's names begin with a vendor, some of which resemble a provider: only one letter may differ.
        if let Some(meant) = nearest_name(name, names.iter().map(String::as_str), 1) {
            return Err(no_model_error(format!("Unknown provider `{name}`. Did you mean {meant}/{model}?")));
        }
    } else if let Some(entry) = find_provider(spec, custom).filter(|_| !spec.is_empty()) {
        return match entry.default_model() {
            Some(model) => entry.resolve_model(model, &env),
            None => Err(no_model_error(format!("`{spec}` is a provider. Name one of its models: {spec}/MODEL."))),
        };
    }
    usable_name(spec).and_then(|()| resolve_bare_name(spec, &env, custom))
}

/// Rejects text that can't be the name of a model.
fn usable_name(spec: &str) -> Result<(), ModelError> {
    match spec.chars().any(|c| c.is_whitespace() || c.is_control()) {
        true => Err(no_model_error(format!("`{}` is not a model: a name has no spaces.", one_line(spec)))),
        false => Ok(()),
    }
}

fn all_providers(custom: &[CustomProvider]) -> impl Iterator<Item = ProviderEntry<'_>> {
    custom.iter().map(ProviderEntry::Custom).chain(PROVIDERS.iter().map(ProviderEntry::BuiltIn))
}

/// Returns the provider that `spec` names or implies by a well-known model; `None` if the keys decide.
pub fn provider_of<'a>(spec: &'a str, custom: &[CustomProvider]) -> Option<&'a str> {
    let spec = spec.trim();
    let named = spec.split_once('/').map_or(spec, |(name, _)| name);
    find_provider(named, custom).filter(|_| !named.is_empty()).map_or_else(|| maker_of(spec), |_| Some(named))
}

fn maker_of(spec: &str) -> Option<&'static str> {
    match spec {
        _ if spec.starts_with("claude") => Some("anthropic"),
        _ if crate::wire::responses::is_reasoning_model(spec).is_some() && !spec.starts_with("gpt-oss") => {
            Some("openai")
        }
        _ if spec.contains('/') => Some("openrouter"),
        _ => None,
    }
}

/// Resolves a name without a known provider: makers of well-known models first, then any provider with a key.
fn resolve_bare_name(spec: &str, env: EnvLookup<'_>, custom: &[CustomProvider]) -> Result<ResolvedModel, ModelError> {
    let maker = maker_of(spec).and_then(|name| find_provider(name, custom));
    if let Some(choice) = maker.and_then(|entry| entry.resolve_model(spec, env).ok()) {
        return Ok(choice);
    }
    // A name with a slash belongs to OpenRouter; no other provider knows it.
    for entry in all_providers(custom).filter(|entry| entry.has_key(env) && !spec.contains('/')) {
        match (spec, entry.default_model()) {
            ("", Some(model)) => return entry.resolve_model(model, env),
            ("", None) => {}
            _ => return entry.resolve_model(spec, env),
        }
    }
    let names: Vec<String> = all_providers(custom).map(|entry| entry.name().to_owned()).collect();
    let what = match spec.split_once('/') {
        _ if spec.is_empty() => "No model is configured".to_owned(),
        Some((provider, _)) => format!("`{provider}` is not a provider here, and OpenRouter has no key"),
        None => format!("No key for the model `{spec}`"),
    };
    let set =
        maker.and_then(|entry| entry.key_env()).unwrap_or_else(|| "ANTHROPIC_API_KEY or OPENAI_API_KEY".to_owned());
    let known = names.join(", ");
    let message = format!(
        "{what}. Set {set}, run `cutonce setup`, or choose one with --model provider/name, such as --model ollama/qwen3.\n\
         Providers: {known}."
    );
    Err(ModelError { message, status: None, kind: FaultKind::Key })
}

fn scripted_wire(name: &str) -> Option<WireFormat> {
    match name {
        "scripted" | "scripted+anthropic" => Some(WireFormat::Anthropic),
        "scripted+responses" => Some(WireFormat::Responses),
        "scripted+chat" => Some(WireFormat::Chat),
        _ => None,
    }
}

fn no_model_error(message: String) -> ModelError {
    ModelError { message, status: None, kind: FaultKind::NotFound }
}

fn find_provider<'a>(name: &str, custom: &'a [CustomProvider]) -> Option<ProviderEntry<'a>> {
    let own = custom.iter().find(|provider| provider.name == name).map(ProviderEntry::Custom);
    own.or_else(|| PROVIDERS.iter().find(|provider| provider.name == name).map(ProviderEntry::BuiltIn))
}

#[derive(Clone, Copy)]
enum ProviderEntry<'a> {
    BuiltIn(&'static BuiltInProvider),
    Custom(&'a CustomProvider),
}

impl ProviderEntry<'_> {
    fn name(&self) -> &str {
        match self {
            ProviderEntry::BuiltIn(provider) => provider.name,
            ProviderEntry::Custom(provider) => &provider.name,
        }
    }

    fn wire(&self) -> WireFormat {
        match self {
            ProviderEntry::BuiltIn(provider) => provider.wire,
            ProviderEntry::Custom(provider) => provider.wire,
        }
    }

    fn key_env(&self) -> Option<String> {
        match self {
            ProviderEntry::BuiltIn(provider) => provider.key_env.map(str::to_owned),
            ProviderEntry::Custom(provider) => provider.key_env.clone(),
        }
    }

    fn default_model(&self) -> Option<&'static str> {
        match self {
            ProviderEntry::BuiltIn(provider) => provider.default_model,
            ProviderEntry::Custom(_) => None,
        }
    }

    fn key_needed(&self) -> bool {
        match self {
            ProviderEntry::BuiltIn(provider) => provider.key_needed,
            ProviderEntry::Custom(provider) => provider.key_env.is_some(),
        }
    }

    fn base_url(&self, env: EnvLookup<'_>) -> String {
        match self {
            ProviderEntry::BuiltIn(provider) => match provider.base_env.and_then(env) {
                Some(host) if provider.base_env == Some("OLLAMA_HOST") => ollama_url(&host),
                Some(url) => url,
                None => provider.base_url.to_owned(),
            },
            ProviderEntry::Custom(provider) => provider.base_url.clone(),
        }
    }

    /// Returns the key, and whether it is sent as a bearer token although the wire format has its own header.
    fn key(&self, env: EnvLookup<'_>) -> Option<(String, bool)> {
        if let Some(key) = self.key_env().as_deref().and_then(env) {
            return Some((key, false));
        }
        let token = matches!(self, ProviderEntry::BuiltIn(provider) if provider.name == "anthropic");
        token.then(|| env("ANTHROPIC_AUTH_TOKEN")).flatten().map(|token| (token, true))
    }

    fn has_key(&self, env: EnvLookup<'_>) -> bool {
        self.key(env).is_some()
    }

    fn resolve_model(&self, model: &str, env: EnvLookup<'_>) -> Result<ResolvedModel, ModelError> {
        let mut endpoint = Endpoint::new(self.name(), self.wire(), self.base_url(env), model);
        endpoint.key_env = self.key_env();
        match self.key(env) {
            Some((key, bearer)) => {
                endpoint.key = Some(key.into());
                endpoint.bearer = bearer;
            }
            None if self.key_needed() && !is_local(&endpoint.base_url) => {
                let set = endpoint.key_env.as_deref().unwrap_or("its key");
                let message = format!("No key for {}: set {set}, or choose another model.", self.name());
                return Err(ModelError { message, status: None, kind: FaultKind::Key });
            }
            None => {}
        }
        Ok(ResolvedModel {
            provider: self.name().to_owned(),
            model: model.to_owned(),
            target: ModelTarget::Http(endpoint),
        })
    }
}

/// Builds a URL from Ollama's variable: `host`, `host:port` or a URL, possibly an address to listen on.
fn ollama_url(host: &str) -> String {
    let with_scheme = if host.contains("://") { host.to_owned() } else { format!("http://{host}") };
    let Ok(mut url) = url::Url::parse(&with_scheme) else { return with_scheme };
    if matches!(url.host(), Some(url::Host::Ipv4(ip)) if ip.is_unspecified()) {
        let _ = url.set_host(Some("127.0.0.1"));
    }
    if url.port().is_none() && url.scheme() == "http" {
        let _ = url.set_port(Some(11434));
    }
    let base = url.as_str().trim_end_matches('/').to_owned();
    if base.ends_with("/v1") { base } else { format!("{base}/v1") }
}

#[cfg(test)]
mod tests;
