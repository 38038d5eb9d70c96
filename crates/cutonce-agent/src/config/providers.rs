//! Connects models by name, using the settings and the environment (MO-1, MO-4).

use crate::config::keys::KeySource;
use crate::session::{Connect, Connected};
use crate::storage::redact::Redactor;
use cutonce_core::settings::{ModelInfo, Settings};
use cutonce_core::text::sanitize::one_line;
use cutonce_models::providers::{self, CustomProvider, ModelTarget, ResolvedModel, SearchAnswer, SearchError};
use cutonce_models::{FaultKind, ModelError};
use secrecy::ExposeSecret;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Connects models by name, with keys from the environment, the helper or the keyring (MO-1, MO-4).
pub(crate) struct ProviderConnector {
    settings: Arc<Settings>,
    custom: Vec<CustomProvider>,
    env: Vec<(OsString, OsString)>,
    keys: KeySource,
    redactor: Arc<Redactor>,
}

impl ProviderConnector {
    /// `home` has the key file; `cwd` is the folder of the key helper.
    pub fn new(
        settings: &Arc<Settings>,
        env: &[(OsString, OsString)],
        (home, cwd): (&Path, &Path),
        redactor: Arc<Redactor>,
    ) -> Self {
        let custom = settings.providers.iter().map(|(name, given)| CustomProvider {
            name: name.clone(),
            wire: given.wire,
            base_url: given.base_url.clone(),
            key_env: given.key_env.clone(),
        });
        let keys = KeySource::new(env.to_vec(), settings.api_key_helper.clone(), cwd).with_key_file(home);
        Self { settings: settings.clone(), custom: custom.collect(), env: env.to_vec(), keys, redactor }
    }

    fn env_var(&self, name: &str) -> Option<String> {
        let (_, value) = self.env.iter().find(|(key, _)| key == name)?;
        value.to_str().map(str::to_string)
    }

    /// Tries the environment first. The helper and the keyring are used only if a key is missing. A gateway on this
    /// machine works without a key and gets one if there is one.
    async fn resolve_model(&self, spec: &str) -> Result<ResolvedModel, ModelError> {
        let first = providers::resolve(spec, &|name| self.env_var(name), &self.custom);
        let keyless_provider = match &first {
            Err(error) if error.kind == FaultKind::Key => None,
            Ok(choice) if choice.takes_a_key() => Some(choice.provider.as_str()),
            Ok(_) | Err(_) => return first,
        };
        let wanted = keyless_provider.or_else(|| providers::provider_of(spec, &self.custom));
        let built_in = providers::PROVIDERS.iter().map(|known| (known.name, known.key_env));
        let custom = self.custom.iter().map(|custom| (custom.name.as_str(), custom.key_env.as_deref()));
        let mut found = HashMap::new();
        for (name, key_env) in custom.chain(built_in) {
            let Some(key_env) = key_env.filter(|_| wanted.is_none_or(|wanted| wanted == name)) else { continue };
            let key = self.keys.find_key(key_env).await.map_err(|error| ModelError {
                message: format!("No key for {name}: {error}"),
                status: None,
                // The key helper failed: another key would not be used.
                kind: FaultKind::Refused,
            })?;
            if let Some(key) = key {
                self.redactor.add_secret(key_env, key.expose_secret());
                found.insert(key_env.to_string(), key);
            }
            if !found.is_empty() {
                break;
            }
        }
        let lookup = |name: &str| {
            let key = found.get(name).map(|key| key.expose_secret().to_string());
            key.or_else(|| self.env_var(name))
        };
        providers::resolve(spec, &lookup, &self.custom)
    }
}

#[async_trait::async_trait]
impl Connect for ProviderConnector {
    async fn connect(&self, name: &str) -> Result<Connected, ModelError> {
        let settings = &self.settings;
        let name = if name.is_empty() { settings.model.main.as_deref().unwrap_or_default() } else { name };
        let info = settings.model_info(name);
        if let Some(meant) = (!info.known && !name.contains('/')).then(|| settings.nearest_alias(name)).flatten() {
            let message = format!("Unknown model `{}`. Did you mean {meant}?", one_line(name));
            return Err(ModelError { message, status: None, kind: FaultKind::NotFound });
        }
        let mut choice = self.resolve_model(&expand_alias(name, &info)).await?;
        let first_wait = Duration::from_millis(settings.retry_delay_ms.get().into());
        choice.set_retries(settings.max_retries.get(), first_wait);
        if let Some(seconds) = settings.model.idle_timeout_seconds {
            choice.set_idle_timeout(Duration::from_secs(seconds.get().into()));
        }
        let info =
            if info.known { info } else { settings.model_info(&format!("{}/{}", choice.provider, choice.model)) };
        let thinking = settings.thinking.for_kind(info.thinking);
        let spec = if name.is_empty() { format!("{}/{}", choice.provider, choice.model) } else { name.to_string() };
        Ok(Connected { model: choice.connect()?, info, thinking, spec })
    }

    async fn search_web(&self, like: &str, query: &str) -> Result<(SearchAnswer, f64), SearchError> {
        let like = if like.is_empty() { self.settings.model.main.as_deref().unwrap_or_default() } else { like };
        let spec = expand_alias(like, &self.settings.model_info(like));
        let choice = self.resolve_model(&spec).await?;
        match &choice.target {
            ModelTarget::Http(endpoint) if providers::can_search(endpoint) => {
                let answer = providers::search_web(endpoint, query).await?;
                let info = self.settings.model_info(&format!("{}/{}", choice.provider, choice.model));
                let cost = info.cost(&answer.usage) + answer.search_cost();
                Ok((answer, cost))
            }
            ModelTarget::Http(_) | ModelTarget::Scripted { .. } => {
                Err(SearchError::NotOffered { provider: choice.provider })
            }
        }
    }

    async fn list_models(&self, like: &str) -> Result<Vec<String>, ModelError> {
        let spec = expand_alias(like, &self.settings.model_info(like));
        let choice = self.resolve_model(&spec).await?;
        let ModelTarget::Http(endpoint) = &choice.target else { return Ok(Vec::new()) };
        let listed = providers::list_endpoint_models(endpoint).await?;
        Ok(listed.into_iter().map(|id| format!("{}/{id}", choice.provider)).collect())
    }
}

/// The model to request: an alias expands to an id, maybe with its provider.
fn expand_alias(name: &str, info: &ModelInfo) -> String {
    match (&info.provider, info.known) {
        (Some(provider), true) if !info.id.contains('/') => format!("{provider}/{}", info.id),
        (None, true) if !name.contains('/') => info.id.clone(),
        _ => name.to_string(),
    }
}
