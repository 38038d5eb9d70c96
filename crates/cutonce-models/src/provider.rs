//! Which provider a model's name means, and where it is (MO-1). Reads no file and no environment by itself.

use crate::endpoint::{Endpoint, connect, is_local};
use crate::scenario::Scripted;
use crate::{FaultKind, Model, ModelError};
use cutonce_core::conversation::Wire;
use std::path::PathBuf;
use std::sync::Arc;

/// A provider that is built in.
#[derive(Debug)]
pub struct Provider {
    pub name: &'static str,
    pub wire: Wire,
    pub base_url: &'static str,
    /// The variable that moves it elsewhere.
    pub base_env: Option<&'static str>,
    pub key_env: Option<&'static str>,
    pub key_needed: bool,
    /// Taken when no model is named.
    pub default_model: Option<&'static str>,
}

/// In the order in which they are asked for a key.
pub const PROVIDERS: &[Provider] = &[
    Provider {
        name: "anthropic",
        wire: Wire::Anthropic,
        base_url: "https://api.anthropic.com",
        base_env: Some("ANTHROPIC_BASE_URL"),
        key_env: Some("ANTHROPIC_API_KEY"),
        key_needed: true,
        default_model: Some("claude-sonnet-4-6"),
    },
    Provider {
        name: "openai",
        wire: Wire::Responses,
        base_url: "https://api.openai.com/v1",
        base_env: Some("OPENAI_BASE_URL"),
        key_env: Some("OPENAI_API_KEY"),
        key_needed: true,
        default_model: Some("gpt-5.1"),
    },
    remote("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", None),
    remote("deepseek", "https://api.deepseek.com", "DEEPSEEK_API_KEY", Some("deepseek-chat")),
    remote("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", None),
    remote("xai", "https://api.x.ai/v1", "XAI_API_KEY", None),
    Provider {
        name: "openai-chat",
        wire: Wire::Chat,
        base_url: "https://api.openai.com/v1",
        base_env: Some("OPENAI_BASE_URL"),
        key_env: Some("OPENAI_API_KEY"),
        key_needed: true,
        default_model: None,
    },
    local("ollama", "http://localhost:11434/v1", Some("OLLAMA_HOST")),
    local("llamacpp", "http://localhost:8080/v1", None),
    local("lmstudio", "http://localhost:1234/v1", None),
    local("vllm", "http://localhost:8000/v1", None),
];

const fn remote(
    name: &'static str,
    base_url: &'static str,
    key_env: &'static str,
    default_model: Option<&'static str>,
) -> Provider {
    let (wire, key_env) = (Wire::Chat, Some(key_env));
    Provider { name, wire, base_url, base_env: None, key_env, key_needed: true, default_model }
}

const fn local(name: &'static str, base_url: &'static str, base_env: Option<&'static str>) -> Provider {
    let wire = Wire::Chat;
    Provider { name, wire, base_url, base_env, key_env: None, key_needed: false, default_model: None }
}

/// A provider of the user's own, from the settings. Its name hides a built-in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomProvider {
    pub name: String,
    pub wire: Wire,
    pub base_url: String,
    pub key_env: Option<String>,
}

/// What a name came to.
#[derive(Debug, Clone)]
pub struct Choice {
    pub provider: String,
    pub model: String,
    pub target: Target,
}

#[derive(Debug, Clone)]
pub enum Target {
    Http(Endpoint),
    /// A scenario file, played on loopback in this wire format (MO-5).
    Scripted {
        wire: Wire,
        path: PathBuf,
    },
}

impl Choice {
    /// How often a failed request is sent again, and the first wait (MO-3).
    pub fn set_retries(&mut self, max: u32, first: std::time::Duration) {
        match &mut self.target {
            Target::Http(endpoint) => {
                endpoint.retry.max = max;
                endpoint.retry.base = first;
            }
            Target::Scripted { .. } => {}
        }
    }
    pub fn connect(self) -> Result<Arc<dyn Model>, ModelError> {
        match self.target {
            Target::Http(endpoint) => connect(endpoint),
            Target::Scripted { wire, path } => Ok(Arc::new(Scripted::open(wire, &path)?)),
        }
    }
}

type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// `provider/model`, a model's name alone, or nothing: then the provider that has a key decides.
pub fn resolve(spec: &str, lookup: Lookup<'_>, custom: &[CustomProvider]) -> Result<Choice, ModelError> {
    let spec = spec.trim();
    let env = |name: &str| lookup(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    if let Some((name, model)) = spec.split_once('/') {
        if let Some(wire) = scripted(name) {
            let target = Target::Scripted { wire, path: PathBuf::from(model) };
            return Ok(Choice { provider: name.to_owned(), model: "scripted".to_owned(), target });
        }
        if let Some(entry) = find(name, custom) {
            if model.is_empty() {
                return Err(no_model(format!("No model is named in `{spec}`. Write {name}/MODEL.")));
            }
            return entry.choice(model, &env);
        }
    } else if let Some(entry) = find(spec, custom).filter(|_| !spec.is_empty()) {
        return match entry.default_model() {
            Some(model) => entry.choice(model, &env),
            None => Err(no_model(format!("`{spec}` is a provider. Name a model of it: {spec}/MODEL."))),
        };
    }
    bare(spec, &env, custom)
}

/// The provider that `spec` is for: named in it, or the maker of a well-known model. None: whoever has a key.
pub fn meant<'a>(spec: &'a str, custom: &[CustomProvider]) -> Option<&'a str> {
    let spec = spec.trim();
    let named = spec.split_once('/').map_or(spec, |(name, _)| name);
    find(named, custom).filter(|_| !named.is_empty()).map_or_else(|| made_by(spec), |_| Some(named))
}

fn made_by(spec: &str) -> Option<&'static str> {
    match spec {
        _ if spec.starts_with("claude") => Some("anthropic"),
        _ if crate::responses::reasons(spec).is_some() && !spec.starts_with("gpt-oss") => Some("openai"),
        _ if spec.contains('/') => Some("openrouter"),
        _ => None,
    }
}

/// A name without a known provider: the makers of well-known models first, then whoever has a key.
fn bare(spec: &str, env: Lookup<'_>, custom: &[CustomProvider]) -> Result<Choice, ModelError> {
    let all = || custom.iter().map(Entry::Custom).chain(PROVIDERS.iter().map(Entry::BuiltIn));
    let maker = made_by(spec).and_then(|name| find(name, custom));
    if let Some(choice) = maker.and_then(|entry| entry.choice(spec, env).ok()) {
        return Ok(choice);
    }
    for entry in all().filter(|entry| entry.has_key(env)) {
        match (spec, entry.default_model()) {
            ("", Some(model)) => return entry.choice(model, env),
            ("", None) => {}
            _ => return entry.choice(spec, env),
        }
    }
    let names: Vec<String> = all().map(|entry| entry.name().to_owned()).collect();
    let what = if spec.is_empty() { "No model is chosen".to_owned() } else { format!("No key for the model `{spec}`") };
    let set =
        maker.and_then(|entry| entry.key_env()).unwrap_or_else(|| "ANTHROPIC_API_KEY or OPENAI_API_KEY".to_owned());
    let known = names.join(", ");
    let message = format!(
        "{what}. Set {set}, or choose one with --model provider/name, such as --model ollama/qwen3.\nProviders: {known}."
    );
    Err(ModelError { message, status: None, kind: FaultKind::Key })
}

fn scripted(name: &str) -> Option<Wire> {
    match name {
        "scripted" | "scripted+anthropic" => Some(Wire::Anthropic),
        "scripted+responses" => Some(Wire::Responses),
        "scripted+chat" => Some(Wire::Chat),
        _ => None,
    }
}

fn no_model(message: String) -> ModelError {
    ModelError { message, status: None, kind: FaultKind::NotFound }
}

fn find<'a>(name: &str, custom: &'a [CustomProvider]) -> Option<Entry<'a>> {
    let own = custom.iter().find(|provider| provider.name == name).map(Entry::Custom);
    own.or_else(|| PROVIDERS.iter().find(|provider| provider.name == name).map(Entry::BuiltIn))
}

#[derive(Clone, Copy)]
enum Entry<'a> {
    BuiltIn(&'static Provider),
    Custom(&'a CustomProvider),
}

impl Entry<'_> {
    fn name(&self) -> &str {
        match self {
            Entry::BuiltIn(provider) => provider.name,
            Entry::Custom(provider) => &provider.name,
        }
    }

    fn wire(&self) -> Wire {
        match self {
            Entry::BuiltIn(provider) => provider.wire,
            Entry::Custom(provider) => provider.wire,
        }
    }

    fn key_env(&self) -> Option<String> {
        match self {
            Entry::BuiltIn(provider) => provider.key_env.map(str::to_owned),
            Entry::Custom(provider) => provider.key_env.clone(),
        }
    }

    fn default_model(&self) -> Option<&'static str> {
        match self {
            Entry::BuiltIn(provider) => provider.default_model,
            Entry::Custom(_) => None,
        }
    }

    fn key_needed(&self) -> bool {
        match self {
            Entry::BuiltIn(provider) => provider.key_needed,
            Entry::Custom(provider) => provider.key_env.is_some(),
        }
    }

    fn base_url(&self, env: Lookup<'_>) -> String {
        match self {
            Entry::BuiltIn(provider) => match provider.base_env.and_then(env) {
                Some(host) if provider.base_env == Some("OLLAMA_HOST") => ollama_url(&host),
                Some(url) => url,
                None => provider.base_url.to_owned(),
            },
            Entry::Custom(provider) => provider.base_url.clone(),
        }
    }

    /// The key, and whether it goes as a bearer token although the wire has its own header.
    fn key(&self, env: Lookup<'_>) -> Option<(String, bool)> {
        if let Some(key) = self.key_env().as_deref().and_then(env) {
            return Some((key, false));
        }
        let token = matches!(self, Entry::BuiltIn(provider) if provider.name == "anthropic");
        token.then(|| env("ANTHROPIC_AUTH_TOKEN")).flatten().map(|token| (token, true))
    }

    fn has_key(&self, env: Lookup<'_>) -> bool {
        self.key(env).is_some()
    }

    fn choice(&self, model: &str, env: Lookup<'_>) -> Result<Choice, ModelError> {
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
        Ok(Choice { provider: self.name().to_owned(), model: model.to_owned(), target: Target::Http(endpoint) })
    }
}

/// Ollama's own variable may be `host`, `host:port` or a URL, and may name the address it listens on.
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
