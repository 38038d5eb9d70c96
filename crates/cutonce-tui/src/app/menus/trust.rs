//! The trust question (ON-4, PR-2): shows what the folder's own settings would loosen, and lets the user decide.

use crate::app::App;
use crate::overlays::menu::{Menu, MenuKey, MenuKind, MenuRow};
use crate::overlays::pager::{PagerContent, PagerItem};
use cutonce_agent::builder::SessionSelector;
use cutonce_agent::config::{self, SetAside, trust};
use cutonce_core::protocol::event::NoticeLevel;
use std::path::Path;

const TRUST_KEYS: &[MenuKey] = &[
    // A letter that was meant for the composer must not trust anything: the user types a word.
    MenuKey::with_prompt('t', "trust this folder", "type yes to trust this folder and use its settings"),
    MenuKey::without_row('n', "ignore them, don't ask again"),
];

impl App {
    /// Asks once if a new session opens in a folder whose settings would loosen something.
    pub(in crate::app) fn ask_for_trust(&mut self) {
        let busy = !self.prompt.composer.is_empty() || !self.session.early_submissions.is_empty();
        let loaded = config::load_settings(&self.settings_paths(), None);
        let matters = loaded.set_aside.iter().any(|one| one.path != "mcpServers");
        if matters && !busy && !trust::is_declined(&self.environment.home, &self.environment.cwd) {
            self.show_trust(&loaded.set_aside);
        }
    }

    /// `/trust`
    pub(in crate::app) fn open_trust(&mut self) {
        let loaded = config::load_settings(&self.settings_paths(), None);
        if loaded.trusted {
            return self.print_notice(NoticeLevel::Info, "This folder is trusted; its settings are in use.");
        }
        self.show_trust(&loaded.set_aside);
    }

    fn show_trust(&mut self, aside: &[SetAside]) {
        let rows = aside.iter().map(|one| trust_row(one, &self.environment.cwd)).collect();
        let title = match aside {
            [] => "Trust this folder?",
            _ => "Trust this folder? Its settings would loosen permissions or run programs",
        };
        let menu = Menu::new(MenuKind::Trust, title, rows, TRUST_KEYS, self.theme);
        let none = "This folder brings no settings that need trust. Its own commands, skills and agents do: press t to use them.";
        self.open_overlay(Box::new(menu.with_empty_text(none).with_esc_label("not now")), None);
    }

    pub(super) fn on_trust_key(&mut self, key: char, words: &str) {
        if key == 't' && !words.eq_ignore_ascii_case("yes") {
            return self.print_notice(NoticeLevel::Info, "Not trusted. /trust asks again.");
        }
        let (home, cwd) = (self.environment.home.clone(), self.environment.cwd.clone());
        let user_home = self.settings_paths().user_home;
        let done = match key {
            't' => trust::trust_folder(&home, user_home.as_deref(), &cwd),
            _ => trust::decline_folder(&home, &cwd),
        };
        match (done, key) {
            (Err(error), _) => self.print_notice(NoticeLevel::Warning, &format!("Not stored: {error}")),
            (Ok(()), 't') if self.log.has_user_message() => {
                self.print_notice(
                    NoticeLevel::Info,
                    "This folder is now trusted. Its settings apply from the next session.",
                );
            }
            (Ok(()), 't') => {
                self.print_notice(NoticeLevel::Info, "This folder is now trusted. Its settings apply now.");
                self.switch_session(SessionSelector::New, false);
            }
            (Ok(()), _) => {
                self.print_notice(NoticeLevel::Info, "Its settings stay ignored. /trust asks again.");
            }
        }
    }
}

fn trust_row(one: &SetAside, cwd: &Path) -> MenuRow {
    let value = serde_json::to_string_pretty(&one.value).unwrap_or_default();
    let file = Path::new(&one.file).strip_prefix(cwd).map_or(one.file.clone(), |file| file.display().to_string());
    MenuRow {
        id: format!("{} {}", one.file, one.path),
        name: one.describe().to_string(),
        note: file.clone(),
        preview: vec![PagerItem {
            title: String::new(),
            body: PagerContent::Plain(format!("{} in {file}\n\n{value}", one.path).into()),
        }],
        keys: "tn",
        ..MenuRow::default()
    }
}
