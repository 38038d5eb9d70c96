//! Pickers (DU-5): `/model`, `/mode` and `/theme` without an argument list the choices.

use crate::app::App;
use crate::overlays::menu::{Menu, MenuKey, MenuKind, MenuRow};
use crate::render::theme::ThemeName;
use cutonce_core::settings::ModelInfo;

const PICK_KEYS: &[MenuKey] = &[MenuKey::new('⏎', "use it")];

impl App {
    pub(in crate::app) fn pick_model(&mut self) {
        let now = self.status.view.model.clone();
        let known = self.session.settings.known_models();
        let current = known.iter().find(|(name, info)| *name == now || info.id == now).map(|(name, _)| name.clone());
        let rows = known.iter().map(|(name, info)| pick_row(name, model_note(name, info))).collect();
        let title = format!("Model: {now}; /model PROVIDER/NAME takes any other");
        self.show_picker(MenuKind::Model, &title, rows, &current.unwrap_or_default());
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

fn model_note(name: &str, info: &ModelInfo) -> String {
    let id = if info.id == name { String::new() } else { format!("{} · ", info.id) };
    let price = match &info.price {
        Some(price) => format!(" · ${} in, ${} out per million tokens", price.input, price.output),
        None => String::new(),
    };
    format!("{id}{}k window{price}", info.context / 1_000)
}
