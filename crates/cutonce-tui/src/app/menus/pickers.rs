//! Pickers (DU-5): `/model`, `/effort`, `/mode` and `/theme` without an argument list the choices.

use crate::app::App;
use crate::app::commands::DEFAULT_EFFORT;
use crate::overlays::menu::{Menu, MenuKey, MenuKind, MenuRow};
use crate::render::theme::ThemeName;
use cutonce_agent::models::ModelError;
use cutonce_core::model_request::Effort;
use cutonce_core::settings::{ModelInfo, Settings};
use cutonce_core::sync::LockUnpoisoned;
use std::sync::{Arc, Mutex};

/// The provider's list, once it has answered.
type ProviderModels = Arc<Mutex<Option<Result<Vec<String>, ModelError>>>>;

const PICK_KEYS: &[MenuKey] = &[MenuKey::new('⏎', "use it")];

impl App {
    pub(in crate::app) fn pick_model(&mut self) {
        let now = self.status.view.model.clone();
        let known = self.session.settings.known_models();
        let current = known.iter().find(|(name, info)| *name == now || info.id == now).map(|(name, _)| name.clone());
        let rows: Vec<MenuRow> = known.iter().map(|(name, info)| pick_row(name, model_note(name, info))).collect();
        let title = format!("Model: {now}; /model PROVIDER/NAME takes any other");
        let listed = self.ask_provider(now);
        let settings = self.session.settings.clone();
        let look = move || {
            let more = match &*listed.lock_unpoisoned() {
                None => vec![provider_row("asking the provider for its list", true)],
                Some(Err(why)) => vec![provider_row(&why.to_string(), false)],
                Some(Ok(names)) => names.iter().map(|name| pick_row(name, listed_note(&settings, name))).collect(),
            };
            rows.iter().cloned().chain(more).collect()
        };
        let menu = Menu::new(MenuKind::Model, title, look(), PICK_KEYS, self.theme);
        let menu = menu.with_selected(&current.unwrap_or_default()).with_loader(Box::new(look));
        self.open_overlay(Box::new(menu), None);
    }

    /// Asks the provider of this model for its list. The result appears in the returned cell.
    fn ask_provider(&self, model: String) -> ProviderModels {
        let listed = ProviderModels::default();
        match self.session.handle.clone() {
            Some(session) => {
                let cell = listed.clone();
                tokio::spawn(async move {
                    let names = session.provider_models(&model).await;
                    *cell.lock_unpoisoned() = Some(names);
                });
            }
            None => *listed.lock_unpoisoned() = Some(Ok(Vec::new())),
        }
        listed
    }

    pub(in crate::app) fn pick_effort(&mut self) {
        let note = |effort: Effort| match effort {
            Effort::Low => "answers soonest and costs least",
            Effort::Medium => "between low and high",
            Effort::High => "thinks longer before it answers",
            Effort::Max => "thinks as long as the model allows",
        };
        let efforts = [Effort::Low, Effort::Medium, Effort::High, Effort::Max];
        let mut rows = vec![pick_row(DEFAULT_EFFORT, "as the settings or the model choose".into())];
        rows.extend(efforts.map(|effort| pick_row(effort.name(), note(effort).into())));
        let now = self.status.effort.map_or(DEFAULT_EFFORT, Effort::name);
        self.show_picker(MenuKind::Effort, "Effort of the model in this session", rows, now);
    }

    pub(in crate::app) fn pick_mode(&mut self) {
        let now = self.status.view.mode;
        let rows =
            self.session.modes.iter().map(|mode| pick_row(mode.name(), mode.describe_defaults().into())).collect();
        self.show_picker(MenuKind::Mode, "Permission mode", rows, now.name());
    }

    pub(in crate::app) fn pick_theme(&mut self) {
        let note = |name: ThemeName| match name {
            ThemeName::Dark => "for a dark screen",
            ThemeName::Light => "for a light screen",
            ThemeName::Ansi => "the terminal's own sixteen colours",
        };
        let rows = ThemeName::ALL.map(|name| pick_row(name.as_str(), note(name).into())).into();
        self.show_picker(
            MenuKind::Theme,
            "Theme for this run; `theme` in the settings keeps it",
            rows,
            self.theme.name.as_str(),
        );
    }

    fn show_picker(&mut self, kind: MenuKind, title: &str, rows: Vec<MenuRow>, now: &str) {
        let menu = Menu::new(kind, title, rows, PICK_KEYS, self.theme).with_selected(now);
        self.open_overlay(Box::new(menu), None);
    }
}

fn pick_row(name: &str, note: String) -> MenuRow {
    MenuRow { id: name.into(), name: name.into(), note, keys: "⏎", ..MenuRow::default() }
}

/// A row about the provider's list that can't be chosen.
fn provider_row(note: &str, is_changing: bool) -> MenuRow {
    MenuRow { name: "…".into(), note: note.into(), is_changing, is_warning: !is_changing, ..MenuRow::default() }
}

/// What is known of a model that the provider lists.
fn listed_note(settings: &Settings, name: &str) -> String {
    let info = settings.model_info(name);
    if info.known { model_note(&info.id.clone(), &info) } else { "listed by the provider".into() }
}

fn model_note(name: &str, info: &ModelInfo) -> String {
    let id = if info.id == name { String::new() } else { format!("{} · ", info.id) };
    let price = match &info.price {
        Some(price) => format!(" · ${} in, ${} out per million tokens", price.input, price.output),
        None => String::new(),
    };
    let window = match info.context % 1_000_000 {
        0 => format!("{}M", info.context / 1_000_000),
        _ => format!("{}k", info.context / 1_000),
    };
    format!("{id}{window} window{price}")
}
