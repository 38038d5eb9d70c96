//! Selects the model for the next request: the main one, the one of plan mode, or a fallback (PM-110 to PM-112). The
//! table is in cutonce-core's `models`.

use super::SessionState;
use super::events::TaskResult;
use super::parts::{Connect, Connected};
use cutonce_core::mode::Mode;
use cutonce_core::model_request::{Effort, Thinking};
use cutonce_core::model_selection::{ModelSelection, can_switch_model, model_switch_message, select_model};
use cutonce_core::protocol::event::{EventKind, NoticeLevel};
use cutonce_core::settings::{Settings, ThinkingSettings};
use cutonce_core::turn::{TurnEvent, UserInput};
use cutonce_models::{FaultKind, ModelError};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub(crate) struct SessionModels {
    connect: Arc<dyn Connect>,
    settings: Arc<Settings>,
    /// Names of the session's main model and of the one in use.
    main: String,
    using: String,
    made: HashMap<String, Connected>,
    /// A fallback answers for the rest of this turn, and how many were tried.
    fallen: bool,
    tried: usize,
    /// The thinking that a host set (HO-1), and whether it still has to be applied.
    thinking: Option<ThinkingSettings>,
    rethink: bool,
    /// Models that could not be connected: reported once, not tried at every request.
    failed: HashSet<String>,
    /// The mode changed by an approval or by the model: the next request goes to the model of that mode (PM-112).
    switch_now: bool,
    /// The model whose turn comes with the next message, if a notice said so.
    waiting: Option<String>,
}

impl SessionModels {
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
            switch_now: false,
            waiting: None,
        }
    }
    /// Sets another main model; it answers from the next request that allows a switch.
    pub fn choose(&mut self, name: String) {
        let choice = &mut Arc::make_mut(&mut self.settings).model;
        choice.set_main_model(&name);
        self.main = choice.main.clone().unwrap_or(name);
        self.failed.remove(&self.main);
    }
    /// The next request goes to the model that is due, even inside a tool loop (PM-112).
    pub fn switch_with_next_request(&mut self) {
        self.switch_now = true;
    }
    /// Sets the thinking budget of a host; `None`: as the session was started.
    pub fn set_thinking(&mut self, budget: Option<u32>) {
        let effort = self.settings.thinking.effort;
        self.thinking = budget.map(|budget| ThinkingSettings { effort, budget: Some(budget) });
        self.rethink = true;
    }
    /// Sets the effort (PC-12, DU-5), `None`: as the session was started. It applies to the next model that is
    /// connected or switched to, and from the next turn on.
    pub fn set_effort(&mut self, effort: Option<Effort>) {
        self.thinking = effort.map(|effort| ThinkingSettings { effort: Some(effort), budget: None });
        self.rethink = true;
    }
    /// The model with the thinking that the host set last.
    fn with_thinking(&self, mut connected: Connected) -> Connected {
        if let Some(choice) = &self.thinking {
            connected.thinking = choice.for_kind(connected.info.thinking);
        }
        connected
    }
    /// The classifier's model in auto mode (PM-120).
    pub fn classifier(&self) -> (Arc<dyn Connect>, String) {
        (self.connect.clone(), cutonce_core::classifier::classifier_model(&self.settings, &self.main))
    }
    pub fn main(&self) -> &str {
        &self.main
    }
    fn known(&self, name: &str) -> Option<Connected> {
        self.made.get(name).cloned().map(|known| self.with_thinking(known))
    }
    fn connected(&mut self, name: &str, connected: Connected) -> Connected {
        self.made.insert(name.to_string(), connected.clone());
        self.with_thinking(connected)
    }
    /// The next fallback that this turn has not tried; each is tried once, in order.
    fn next_fallback(&mut self) -> Option<String> {
        let names = self.settings.model.fallback.clone().unwrap_or_default();
        let mut names = names.split(',').map(str::trim).filter(|name| !name.is_empty()).skip(self.tried);
        names.by_ref().inspect(|_| self.tried += 1).find(|name| *name != self.using).map(str::to_string)
    }
}

impl SessionState {
    /// Switches to the model that is due. `None`: a task connects it, and the preparation continues afterwards.
    /// `Some(true)`: the conversation must be compacted first (PM-111).
    pub(super) fn select_model(&mut self) -> Option<bool> {
        let selection = &self.model.selection;
        if selection.fallen {
            return Some(false);
        }
        // A subagent keeps its own model in every mode (SA-2).
        let mode = if self.subagent.is_some() { Mode::Default } else { self.mode.mode() };
        let name = match select_model(&selection.settings, &selection.main, mode, self.conversation.counted) {
            ModelSelection::Use(name) => name,
            ModelSelection::CompactFirst => return Some(true),
        };
        if name == selection.using || selection.failed.contains(&name) {
            let due = selection.switch_now && selection.rethink;
            if let Some(connected) = selection.known(&selection.using).filter(|_| due) {
                self.switch_model(self.model.selection.using.clone(), connected);
                self.model.selection.rethink = false;
            }
            self.model.selection.switch_now = false;
            return Some(false);
        }
        if let Some(connected) = selection.known(&name) {
            self.switch_model(name, connected);
            self.model.selection.switch_now = false;
            return Some(false);
        }
        let connect = selection.connect.clone();
        self.start_task(async move {
            let connected = connect.connect(&name).await;
            TaskResult::ModelConnected { name, connected }
        });
        None
    }

    pub(super) fn model_connected(&mut self, name: String, connected: Result<Connected, ModelError>) {
        match connected {
            Ok(connected) => {
                self.model.selection.connected(&name, connected);
            }
            Err(error) => {
                let using = &self.model.selection.using;
                self.notice(
                    NoticeLevel::Error,
                    &format!("Can't use the model {name}: {error} {using} answers instead."),
                );
                self.model.selection.failed.insert(name);
            }
        }
        self.prepare_request();
    }

    /// PM-112: the model that began a tool loop with its thinking finishes it. After an approval, or if the model
    /// entered plan mode, a message ends the loop, so that the other model takes over at once.
    fn switch_model(&mut self, name: String, connected: Connected) {
        let start = self.conversation.turn_start.min(self.conversation.messages.len());
        let thinks = connected.thinking != Thinking::Off;
        let accepted = can_switch_model(&self.conversation.messages[start..], connected.model.wire(), thinks);
        if !accepted && !self.model.selection.switch_now {
            return self.report_waiting_model(name, connected.model.name());
        }
        if !accepted {
            self.record_input(UserInput::meta(model_switch_message(self.mode.mode())));
            self.conversation.turn_start = self.conversation.messages.len();
        }
        self.emit(EventKind::ModelChanged { model: connected.model.name().to_string() });
        self.model.connected = connected;
        self.model.selection.using = name;
    }

    fn report_waiting_model(&mut self, name: String, model: &str) {
        if self.model.selection.waiting.as_ref() != Some(&name) {
            let text = format!("Model: {model}, from your next message. The current one finishes its tool calls.");
            self.notice(NoticeLevel::Info, &text);
            self.model.selection.waiting = Some(name);
        }
    }

    /// The request failed for good. If the settings or the host name a fallback, it answers for the rest of the turn.
    pub(super) fn fall_back(&mut self, failed: ModelError) {
        let replaceable = matches!(failed.kind, FaultKind::Exhausted | FaultKind::NotFound);
        let Some(name) = replaceable.then(|| self.model.selection.next_fallback()).flatten() else {
            let ModelError { message, status, .. } = failed;
            return self.pending.push_back(TurnEvent::Failed { message, status });
        };
        if let Some(connected) = self.model.selection.known(&name) {
            return self.replace_model(name, connected, &failed);
        }
        let connect = self.model.selection.connect.clone();
        self.start_task(async move {
            let connected = connect.connect(&name).await;
            TaskResult::FallbackConnected { name, connected, failed }
        });
    }

    pub(super) fn fallback_connected(
        &mut self,
        name: String,
        connected: Result<Connected, ModelError>,
        failed: ModelError,
    ) {
        match connected {
            Ok(connected) => {
                let connected = self.model.selection.connected(&name, connected);
                self.replace_model(name, connected, &failed);
            }
            Err(why) => {
                self.notice(NoticeLevel::Error, &format!("The fallback model {name} can't be used either: {why}"));
                self.fall_back(failed);
            }
        }
    }

    fn replace_model(&mut self, name: String, mut connected: Connected, error: &ModelError) {
        let begun = self.conversation.messages.len() > self.conversation.turn_start + 1;
        // Another model's thinking must not appear inside a tool loop (PM-112).
        if begun {
            connected.thinking = Thinking::Off;
        }
        self.notice(NoticeLevel::Warning, &format!("{error} {name} answers for the rest of this turn."));
        (self.model.selection.fallen, self.model.selection.using) = (true, name);
        self.emit(EventKind::ModelChanged { model: connected.model.name().to_string() });
        self.model.connected = connected;
        self.pending.push_back(TurnEvent::ModelReplaced);
    }

    /// Applies a changed thinking budget; between turns only, because inside a tool loop it must stay the same
    /// (PM-112).
    pub(super) fn apply_thinking(&mut self) {
        let selection = &mut self.model.selection;
        (selection.fallen, selection.tried) = (false, 0);
        (selection.switch_now, selection.waiting) = (false, None);
        if std::mem::take(&mut selection.rethink)
            && let Some(connected) = selection.known(&selection.using)
        {
            self.model.connected = connected;
        }
    }
}
