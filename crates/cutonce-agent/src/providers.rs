//! Models by name: provider, key and connection, from the settings and the environment (MO-1, MO-4).

use crate::keys::Keys;
use crate::redact::Redactor;
use crate::session::{Connect, Connected};
use cutonce_core::settings::{ModelInfo, Settings};
use cutonce_models::provider::{self, Choice, CustomProvider};
use cutonce_models::{FaultKind, ModelError};
use secrecy::ExposeSecret;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Makes models by name, with keys from the environment, the helper or the keyring (MO-1, MO-4).
pub(crate) struct Providers {
    settings: Arc<Settings>,
    custom: Vec<CustomProvider>,
    env: Vec<(OsString, OsString)>,
    keys: Keys,
    redactor: Arc<Redactor>,
}

impl Providers {
    pub fn new(settings: &Arc<Settings>, env: &[(OsString, OsString)], cwd: &Path, redactor: Arc<Redactor>) -> Self {
        let custom = settings.providers.iter().map(|(name, given)| CustomProvider {
            name: name.clone(),
            wire: given.wire,
            base_url: given.base_url.clone(),
            key_env: given.key_env.clone(),
        });
        let keys = Keys::new(env.to_vec(), settings.api_key_helper.clone(), cwd);
        Self { settings: settings.clone(), custom: custom.collect(), env: env.to_vec(), keys, redactor }
    }

    fn variable(&self, name: &str) -> Option<String> {
        let (_, value) = self.env.iter().find(|(key, _)| key == name)?;
        value.to_str().map(str::to_string)
    }

    /// The environment first: it costs nothing. Helper and keyring are asked only where a key is missing.
    async fn resolve(&self, spec: &str) -> Result<Choice, ModelError> {
        let first = provider::resolve(spec, &|name| self.variable(name), &self.custom);
        match first {
            Err(error) if error.kind == FaultKind::Key => {}
            done => return done,
        }
        let wanted = provider::meant(spec, &self.custom);
        let built_in = provider::PROVIDERS.iter().map(|known| (known.name, known.key_env));
        let custom = self.custom.iter().map(|custom| (custom.name.as_str(), custom.key_env.as_deref()));
        let mut found = HashMap::new();
        for (name, key_env) in custom.chain(built_in) {
            let Some(key_env) = key_env.filter(|_| wanted.is_none_or(|wanted| wanted == name)) else { continue };
            let key = self.keys.lookup(key_env).await.map_err(|error| ModelError {
                message: format!("No key for {name}: {error}"),
                status: None,
                kind: FaultKind::Key,
            })?;
            if let Some(key) = key {
                self.redactor.learn(key_env, key.expose_secret());
                found.insert(key_env.to_string(), key);
            }
            if !found.is_empty() {
                break;
            }
        }
        let lookup = |name: &str| {
            let key = found.get(name).map(|key| key.expose_secret().to_string());
            key.or_else(|| self.variable(name))
        };
        provider::resolve(spec, &lookup, &self.custom)
    }
}

#[async_trait::async_trait]
impl Connect for Providers {
    async fn connect(&self, name: &str) -> Result<Connected, ModelError> {
        let settings = &self.settings;
        let name = if name.is_empty() { settings.model.main.as_deref().unwrap_or_default() } else { name };
        let info = settings.model_info(name);
        let mut choice = self.resolve(&spec_of(name, &info)).await?;
        let first_wait = Duration::from_millis(settings.retry_delay_ms.get().into());
        choice.set_retries(settings.max_retries.get(), first_wait);
        let info =
            if info.known { info } else { settings.model_info(&format!("{}/{}", choice.provider, choice.model)) };
        let thinking = settings.thinking.of(info.thinking);
        let spec = if name.is_empty() { format!("{}/{}", choice.provider, choice.model) } else { name.to_string() };
        Ok(Connected { model: choice.connect()?, info, thinking, spec })
    }
}

/// What the provider is asked for: an alias stands for an id, maybe with its provider.
fn spec_of(name: &str, info: &ModelInfo) -> String {
    match (&info.provider, info.known) {
        (Some(provider), true) if !info.id.contains('/') => format!("{provider}/{}", info.id),
        (None, true) if !name.contains('/') => info.id.clone(),
        _ => name.to_string(),
    }
}
