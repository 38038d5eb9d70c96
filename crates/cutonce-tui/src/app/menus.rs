//! Commands that open a list one can act on (UI-9): `/agents`, `/mcp`, `/permissions`, `/memory`, `/config`. Each row is made from
//! what is on disk or in the session now; after an act the list is shown anew.

mod agents;
mod mcp;
mod rules;

use super::App;
use crate::overlay::menu::{Key, Menu, Row, Which};
use crate::overlay::pager::{Body, Item};
use cutonce_agent::settings::{MANAGED, Places};
use cutonce_core::submission::RememberIn;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Of a file that is shown before it is edited.
const PREVIEW: u64 = 16 << 10;

const FILES: &[Key] = &[Key::of('⏎', "edit in $EDITOR")];

impl App {
    /// A key on a row of a list.
    pub(super) fn picked(&mut self, which: Which, id: &str, key: char, words: &str) {
        match which {
            Which::Agents => self.picked_agent(id, key, words),
            Which::Mcp => self.picked_server(id, key),
            Which::Permissions => self.picked_rule(id, key, words),
            Which::Tasks => self.end_task(id),
            Which::Memory => {
                let notice = self.edit_file(Path::new(id));
                self.show_memory(id, notice);
            }
            Which::Config => {
                let notice = self.edit_file(Path::new(id)).or_else(|| self.settings_wrong(id));
                self.show_config(id, notice);
            }
        }
    }

    pub(super) fn places(&self) -> Places {
        Places {
            managed: PathBuf::from(MANAGED),
            home: self.around.home.clone(),
            user_home: self.around.var("HOME").map(PathBuf::from),
            project: self.around.cwd.clone(),
            managed_flag: None,
        }
    }

    /// `/memory [NUMBER]`
    pub(super) fn memory(&mut self, which: &str) {
        let files = self.memory_files();
        match numbered(&files, which) {
            Some(file) => self.picked(Which::Memory, &file, '⏎', ""),
            None => self.show_memory("", None),
        }
    }

    fn memory_files(&self) -> Vec<PathBuf> {
        let user_home = self.around.var("HOME").map(PathBuf::from);
        let mut all = cutonce_agent::instructions::Instructions::new(&self.around.home, user_home, &self.around.cwd);
        let mut files: Vec<PathBuf> = all.load().into_iter().map(|one| one.path).collect();
        for usual in [self.around.cwd.join("AGENTS.md"), self.around.home.join("AGENTS.md")] {
            if !files.contains(&usual) {
                files.push(usual);
            }
        }
        files
    }

    fn show_memory(&mut self, at: &str, notice: Option<String>) {
        let rows = self.memory_files().iter().map(|path| file_row(path)).collect();
        let menu = Menu::new(Which::Memory, "Instructions that every session here is given", rows, FILES, self.theme);
        self.cover(Box::new(menu.at(at).notice(notice)), None);
    }

    /// `/config [NUMBER]`
    pub(super) fn config(&mut self, which: &str) {
        let files = self.config_files();
        match numbered(&files, which) {
            Some(file) => self.picked(Which::Config, &file, '⏎', ""),
            None => self.show_config("", None),
        }
    }

    fn config_files(&self) -> Vec<PathBuf> {
        let places = self.places();
        let own = [RememberIn::User, RememberIn::Project, RememberIn::Local];
        own.into_iter().filter_map(|place| places.file(place)).collect()
    }

    fn show_config(&mut self, at: &str, notice: Option<String>) {
        let rows = self.config_files().iter().map(|path| file_row(path)).collect();
        let title = "Settings; the last file wins; they count from the next session on";
        let menu = Menu::new(Which::Config, title, rows, FILES, self.theme);
        self.cover(Box::new(menu.at(at).notice(notice)), None);
    }

    /// What of a settings file does not count, and why.
    fn settings_wrong(&self, file: &str) -> Option<String> {
        let loaded = cutonce_agent::settings::load(&self.places(), None);
        loaded.warnings.iter().find(|warning| warning.file == file).map(ToString::to_string)
    }

    /// In the person's editor; what went wrong.
    fn edit_file(&mut self, path: &Path) -> Option<String> {
        if let Some(folder) = path.parent()
            && let Err(error) = std::fs::create_dir_all(folder)
        {
            return Some(format!("{} can't be made: {error}", folder.display()));
        }
        self.run_editor(path).err()
    }
}

/// `2`: the second of them.
fn numbered(files: &[PathBuf], which: &str) -> Option<String> {
    let at = which.parse::<usize>().ok()?.checked_sub(1)?;
    files.get(at).map(|file| file.display().to_string())
}

fn file_row(path: &Path) -> Row {
    let shown = path.display().to_string();
    let there = path.is_file();
    Row {
        name: shown.clone(),
        note: if there { String::new() } else { "not there yet".into() },
        preview: vec![Item { title: String::new(), body: Body::Plain(beginning(path).into()) }],
        keys: "⏎",
        id: shown,
        ..Row::default()
    }
}

/// The first of a file, as text.
fn beginning(path: &Path) -> String {
    let mut bytes = Vec::new();
    if path.is_file()
        && let Ok(file) = std::fs::File::open(path)
    {
        let _ = file.take(PREVIEW).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
