//! Which model answers the next request: the main one, or in plan mode its own (PM-110 to PM-112). The table is in
//! cutonce-core's `models`.

use super::Driver;
use super::options::{Connect, Connected};
use cutonce_core::event::{EventKind, Level};
use cutonce_core::mode::Mode;
use cutonce_core::models::{ModelFor, may_switch, model_for};
use cutonce_core::request::Thinking;
use cutonce_core::settings::{Settings, ThinkingChoice};
use cutonce_models::{FaultKind, ModelError};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub(crate) struct Models {
    connect: Arc<dyn Connect>,
    settings: Arc<Settings>,
    /// The session's main model, and the one in use, by name.
    main: String,
    using: String,
    made: HashMap<String, Connected>,
    /// A fallback answers for the rest of this turn; how many of them were tried.
    fallen: bool,
    tried: usize,
    /// A host's word on thinking (HO-1), and whether a turn began since.
    thinking: Option<ThinkingChoice>,
    rethink: bool,
    /// Could not be connected: told once, not tried at every request.
    failed: HashSet<String>,
}

impl Models {
    pub fn new(connect: Arc<dyn Connect>, settings: Arc<Settings>, main: String, connected: Connected) -> Self {
        let made = HashMap::from([(main.clone(), connected)]);
        Self {
            connect,
            settings,
            using: main.clone(),
            main,
            made,
            fallen: false,
            tried: 0,
            thinking: None,
            rethink: false,
            failed: HashSet::new(),
        }
    }
    /// The person or a host chose another main model; it answers from the next request on that allows it.
    pub fn choose(&mut self, name: String) {
        let choice = &mut Arc::make_mut(&mut self.settings).model;
        choice.choose(&name);
        self.main = choice.main.clone().unwrap_or(name);
        self.failed.remove(&self.main);
    }
    /// A host sets how much is thought; None: as it was at the start.
    pub fn think(&mut self, budget: Option<u32>) {
        let effort = self.settings.thinking.effort;
        self.thinking = budget.map(|budget| ThinkingChoice { effort, budget: Some(budget) });
        self.rethink = true;
    }
    /// The model, thinking as the host said last.
    fn thinking_as_told(&self, mut connected: Connected) -> Connected {
        if let Some(choice) = &self.thinking {
            connected.thinking = choice.of(connected.info.thinking);
        }
        connected
    }
    /// Who judges in auto mode (PM-120), and how it is reached.
    pub fn judge(&self) -> (Arc<dyn Connect>, String) {
        (self.connect.clone(), cutonce_core::auto::model(&self.settings, &self.main))
    }
    pub fn main(&self) -> &str {
        &self.main
    }
    async fn get(&mut self, name: &str) -> Result<Connected, ModelError> {
        if let Some(known) = self.made.get(name) {
            return Ok(self.thinking_as_told(known.clone()));
        }
        let connected = self.connect.connect(name).await?;
        self.made.insert(name.to_string(), connected.clone());
        Ok(self.thinking_as_told(connected))
    }
}

impl Driver {
    /// The model failed for good: another one, if the settings or the host name some, answers for the rest of the turn. They are
    /// tried in their order, each once a turn.
    pub(super) async fn fall_back(&mut self, error: &ModelError) -> bool {
        if !matches!(error.kind, FaultKind::Exhausted | FaultKind::NotFound) {
            return false;
        }
        let models = &mut self.hall.models;
        let named = models.settings.model.fallback.clone().unwrap_or_default();
        let names = named.split(',').map(str::trim).filter(|name| !name.is_empty());
        for name in names.skip(models.tried).map(str::to_string).collect::<Vec<_>>() {
            let models = &mut self.hall.models;
            models.tried += 1;
            if name == models.using {
                continue;
            }
            match models.get(&name).await {
                Ok(connected) => {
                    self.fall_to(name, connected, error);
                    return true;
                }
                Err(why) => {
                    self.hall.notice(Level::Error, &format!("The fallback model {name} can't be used either: {why}"));
                }
            }
        }
        false
    }

    fn fall_to(&mut self, name: String, mut connected: Connected, error: &ModelError) {
        let begun = self.talk.conversation.len() > self.talk.turn_start + 1;
        // Inside a tool loop another model's thinking has no place (PM-112).
        if begun {
            connected.thinking = Thinking::Off;
        }
        self.hall.notice(Level::Warning, &format!("{error} {name} answers for the rest of this turn."));
        (self.hall.models.fallen, self.hall.models.using) = (true, name);
        self.hall.hub.emit(EventKind::ModelChanged { model: connected.model.name().to_string() });
        self.talk.connected = connected;
    }

    /// Between turns only: inside a tool loop thinking must go on as it began (PM-112).
    pub(super) fn change_thinking(&mut self) {
        let models = &mut self.hall.models;
        (models.fallen, models.tried) = (false, 0);
        if std::mem::take(&mut models.rethink)
            && let Some(known) = models.made.get(&models.using)
        {
            self.talk.connected = models.thinking_as_told(known.clone());
        }
    }

    /// Switch if another model is due; true: the conversation must be compacted first (PM-111).
    pub(super) async fn choose_model(&mut self) -> bool {
        let hall = &mut self.hall;
        if hall.models.fallen {
            return false;
        }
        // An agent's model is its own in every mode (SA-2).
        let mode = if hall.seat.is_some() { Mode::Default } else { hall.mode.mode() };
        let name = match model_for(&hall.models.settings, &hall.models.main, mode, self.talk.counted) {
            ModelFor::Use(name) => name,
            ModelFor::CompactFirst => return true,
        };
        if name == hall.models.using || hall.models.failed.contains(&name) {
            return false;
        }
        match hall.models.get(&name).await {
            Ok(connected) => {
                let turn = &self.talk.conversation[self.talk.turn_start.min(self.talk.conversation.len())..];
                let thinks = connected.thinking != Thinking::Off;
                // PM-112: the model that began a tool loop with its thinking finishes it.
                if may_switch(turn, connected.model.wire(), thinks) {
                    hall.hub.emit(EventKind::ModelChanged { model: connected.model.name().to_string() });
                    self.talk.connected = connected;
                    hall.models.using = name;
                }
            }
            Err(error) => {
                hall.notice(
                    Level::Error,
                    &format!("The model {name} can't be used, {} goes on: {error}", hall.models.using),
                );
                hall.models.failed.insert(name);
            }
        }
        false
    }
}
