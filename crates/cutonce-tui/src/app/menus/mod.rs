//! Commands that open a menu (UI-9): `/agents`, `/mcp`, `/permissions`, `/memory`, `/config`. Rows show the
//! current state on disk or in the session, and are reloaded after each action.

mod agents;
mod mcp;
mod pickers;
mod rules;
mod trust;

use super::App;
use crate::overlays::menu::{Menu, MenuKey, MenuKind, MenuRow};
use crate::overlays::pager::{PagerContent, PagerItem};
use cutonce_agent::config::{MANAGED_FILE, SettingsPaths};
use cutonce_core::commands::SlashCommand;
use cutonce_core::protocol::submission::RuleDestination;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum number of bytes in a file preview.
const MAX_PREVIEW: u64 = 16 << 10;

const FILE_KEYS: &[MenuKey] = &[MenuKey::new('⏎', "edit in $EDITOR")];

impl App {
    /// Performs the action of a key on a menu row.
    pub(super) fn on_menu_key(&mut self, which: MenuKind, id: &str, key: char, words: &str) {
        match which {
            MenuKind::Agents => self.on_agent_key(id, key, words),
            MenuKind::Mcp => self.on_server_key(id, key),
            MenuKind::Permissions => self.on_rule_key(id, key, words),
            MenuKind::Tasks => self.stop_task(id),
            MenuKind::Submissions => self.on_submission_key(id, key),
            MenuKind::Trust => self.on_trust_key(key, words),
            MenuKind::Model => self.show_or_set_model(id),
            MenuKind::Effort => self.choose_effort(id),
            MenuKind::Mode => self.run_mode_command(SlashCommand::Mode, id, &[]),
            MenuKind::Theme => self.set_theme(id),
            MenuKind::Memory => {
                let notice = self.edit_file(Path::new(id));
                self.show_memory(id, notice);
            }
            MenuKind::Config => {
                let notice = self.edit_file(Path::new(id)).or_else(|| self.settings_warning(id));
                self.show_config(id, notice);
            }
        }
    }

    pub(super) fn settings_paths(&self) -> SettingsPaths {
        SettingsPaths {
            managed: PathBuf::from(MANAGED_FILE),
            home: self.environment.home.clone(),
            user_home: self.environment.env_var("HOME").map(PathBuf::from),
            project: self.environment.cwd.clone(),
            managed_flag: None,
        }
    }

    /// `/memory [NUMBER]`
    pub(super) fn open_memory(&mut self, which: &str) {
        let files = self.memory_files();
        match nth_file(&files, which) {
            Some(file) => self.on_menu_key(MenuKind::Memory, &file, '⏎', ""),
            None => self.show_memory("", None),
        }
    }

    fn memory_files(&self) -> Vec<PathBuf> {
        let user_home = self.environment.env_var("HOME").map(PathBuf::from);
        let mut all = cutonce_agent::config::instructions::InstructionLoader::new(
            &self.environment.home,
            user_home,
            &self.environment.cwd,
        );
        let mut files: Vec<PathBuf> = all.load().into_iter().map(|one| one.path).collect();
        for usual in [self.environment.cwd.join("AGENTS.md"), self.environment.home.join("AGENTS.md")] {
            if !files.contains(&usual) {
                files.push(usual);
            }
        }
        files
    }

    fn show_memory(&mut self, at: &str, notice: Option<String>) {
        let rows = self.memory_files().iter().map(|path| file_row(path)).collect();
        let menu =
            Menu::new(MenuKind::Memory, "Instruction files for sessions in this folder", rows, FILE_KEYS, self.theme);
        self.open_overlay(Box::new(menu.with_selected(at).with_notice(notice)), None);
    }

    /// `/config [NUMBER]`
    pub(super) fn open_config(&mut self, which: &str) {
        let files = self.config_files();
        match nth_file(&files, which) {
            Some(file) => self.on_menu_key(MenuKind::Config, &file, '⏎', ""),
            None => self.show_config("", None),
        }
    }

    fn config_files(&self) -> Vec<PathBuf> {
        let places = self.settings_paths();
        let own = [RuleDestination::User, RuleDestination::Project, RuleDestination::Local];
        own.into_iter().filter_map(|place| places.rule_file(place)).collect()
    }

    fn show_config(&mut self, at: &str, notice: Option<String>) {
        let rows = self.config_files().iter().map(|path| file_row(path)).collect();
        let title = "Settings files; the last one wins; applied from the next session";
        let menu = Menu::new(MenuKind::Config, title, rows, FILE_KEYS, self.theme);
        self.open_overlay(Box::new(menu.with_selected(at).with_notice(notice)), None);
    }

    /// Returns the first warning about a settings file.
    fn settings_warning(&self, file: &str) -> Option<String> {
        let loaded = cutonce_agent::config::load_settings(&self.settings_paths(), None);
        loaded.warnings.iter().find(|warning| warning.file == file).map(ToString::to_string)
    }

    /// Opens a file in the user's editor. Returns an error message on failure.
    fn edit_file(&mut self, path: &Path) -> Option<String> {
        if let Some(folder) = path.parent()
            && let Err(error) = std::fs::create_dir_all(folder)
        {
            return Some(format!("Can't create {}: {error}", folder.display()));
        }
        self.run_editor(path).err().map(|why| why.to_string())
    }
}

/// Path of the file with this 1-based number.
fn nth_file(files: &[PathBuf], which: &str) -> Option<String> {
    let at = which.parse::<usize>().ok()?.checked_sub(1)?;
    files.get(at).map(|file| file.display().to_string())
}

fn file_row(path: &Path) -> MenuRow {
    let shown = path.display().to_string();
    let there = path.is_file();
    MenuRow {
        name: shown.clone(),
        note: if there { String::new() } else { "does not exist yet".into() },
        preview: vec![PagerItem { title: String::new(), body: PagerContent::Plain(read_preview(path).into()) }],
        keys: "⏎",
        id: shown,
        ..MenuRow::default()
    }
}

/// Reads the beginning of a file as text.
fn read_preview(path: &Path) -> String {
    let mut bytes = Vec::new();
    if path.is_file()
        && let Ok(file) = std::fs::File::open(path)
    {
        let _ = file.take(MAX_PREVIEW).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
