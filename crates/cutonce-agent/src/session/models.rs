//! Which model answers the next request: the main one, or in plan mode its own (PM-110 to PM-112). The table is in
//! cutonce-core's `models`.

use super::Driver;
use super::options::{Connect, Connected};
use cutonce_core::event::{EventKind, Level};
use cutonce_core::mode::Mode;
use cutonce_core::models::{ModelFor, may_switch, model_for};
use cutonce_core::settings::Settings;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub struct Models {
    connect: Arc<dyn Connect>,
    settings: Arc<Settings>,
    /// The session's main model, and the one in use, by name.
    main: String,
    using: String,
    made: HashMap<String, Connected>,
    /// Could not be connected: told once, not tried at every request.
    failed: HashSet<String>,
}

impl Models {
    pub fn new(connect: Arc<dyn Connect>, settings: Arc<Settings>, main: String, connected: Connected) -> Self {
        let made = HashMap::from([(main.clone(), connected)]);
        Self { connect, settings, using: main.clone(), main, made, failed: HashSet::new() }
    }
    /// The person or a host chose another main model; it answers from the next request on that allows it.
    pub fn choose(&mut self, name: String) {
        let choice = &mut Arc::make_mut(&mut self.settings).model;
        choice.choose(&name);
        self.main = choice.main.clone().unwrap_or(name);
        self.failed.remove(&self.main);
    }
    /// Who judges in auto mode (PM-120), and how it is reached.
    pub fn judge(&self) -> (Arc<dyn Connect>, String) {
        (self.connect.clone(), cutonce_core::auto::model(&self.settings, &self.main))
    }
    async fn get(&mut self, name: &str) -> Result<Connected, cutonce_models::ModelError> {
        if let Some(known) = self.made.get(name) {
            return Ok(known.clone());
        }
        let connected = self.connect.connect(name).await?;
        self.made.insert(name.to_string(), connected.clone());
        Ok(connected)
    }
}

impl Driver {
    /// Switch if another model is due; true: the conversation must be compacted first (PM-111).
    pub(super) async fn choose_model(&mut self) -> bool {
        let hall = &mut self.hall;
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
                let thinks = connected.thinking != cutonce_core::request::Thinking::Off;
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
