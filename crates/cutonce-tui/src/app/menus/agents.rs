//! `/agents` (SA-3): lists the agents and the problems of invalid agent files; edits files and creates new
//! ones.

use crate::app::App;
use crate::overlays::menu::{Menu, MenuKey, MenuKind, MenuRow};
use crate::overlays::pager::{PagerContent, PagerItem};
use cutonce_agent::subagent::definition_files;
use cutonce_core::subagent::{AgentCatalog, AgentDefinition, AgentSource};
use cutonce_core::text::offered::keep_offered;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const AGENT_KEYS: &[MenuKey] = &[
    MenuKey::new('⏎', "edit in $EDITOR"),
    MenuKey::with_prompt('n', "new (user)", "name of an agent for all your projects"),
    MenuKey::with_prompt('p', "new (project)", "name of an agent for this project"),
];
/// Template of a new agent file.
const AGENT_TEMPLATE: &str = include_str!("../../prompts/agent.md");
const APPLIES_LATER: &str = "Agents are loaded when a session starts; this applies from the next session.";

impl App {
    pub(in crate::app) fn show_agents(&mut self, at: &str, notice: Option<String>) {
        let rows = agent_rows(&self.load_agents());
        let menu = Menu::new(MenuKind::Agents, "Agents", rows, AGENT_KEYS, self.theme);
        self.open_overlay(Box::new(menu.with_selected(at).with_notice(notice)), None);
    }

    /// Loads the current agent files and adds agents passed in by the host.
    fn load_agents(&self) -> AgentCatalog {
        let given = self.session.handle.as_ref().map(|session| session.agents().agents().to_vec()).unwrap_or_default();
        let given = given.into_iter().filter(|agent| agent.source == AgentSource::Host).collect();
        let user_home = self.environment.env_var("HOME").map(PathBuf::from);
        definition_files::load_agents(
            &self.environment.home,
            user_home.as_deref(),
            &self.environment.cwd,
            given,
            self.folder_is_trusted(),
        )
    }

    pub(super) fn on_agent_key(&mut self, id: &str, key: char, words: &str) {
        let folder = match key {
            'n' => self.environment.home.join("agents"),
            'p' => self.environment.cwd.join(".cutonce/agents"),
            _ => {
                let notice = self.edit_agent(Path::new(id));
                return self.show_agents(id, Some(notice));
            }
        };
        match create_agent_file(&folder, words) {
            Ok(path) => {
                let notice = self.edit_agent(&path);
                self.show_agents(&path.display().to_string(), Some(notice));
            }
            Err(why) => self.show_agents(id, Some(why.to_string())),
        }
    }

    /// Opens an agent file in the editor. Returns a message for the menu.
    fn edit_agent(&mut self, path: &Path) -> String {
        if let Err(why) = self.run_editor(path) {
            return why.to_string();
        }
        let catalog = self.load_agents();
        let trouble = catalog.problems().iter().find(|trouble| trouble.path.as_deref() == Some(path));
        let shown = path.file_name().unwrap_or_default().to_string_lossy();
        trouble.map_or_else(|| APPLIES_LATER.to_string(), |trouble| format!("{shown}: {}", trouble.message))
    }
}

/// Why an agent file was not created.
#[derive(Debug, thiserror::Error)]
enum AgentSaveError {
    #[error("A name may contain letters, digits, - and _, at most 64 characters.")]
    Name,
    #[error("{} is a symlink; nothing was written.", .0.display())]
    Symlink(PathBuf),
    #[error("Can't create {name}.md: {source}")]
    Create { name: String, source: std::io::Error },
}

/// Creates an agent file from the template. Never overwrites a file.
fn create_agent_file(folder: &Path, name: &str) -> Result<PathBuf, AgentSaveError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
        return Err(AgentSaveError::Name);
    }
    if folder.is_symlink() || folder.parent().is_some_and(Path::is_symlink) {
        return Err(AgentSaveError::Symlink(folder.to_path_buf()));
    }
    let failed = |source| AgentSaveError::Create { name: name.to_string(), source };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let path = folder.join(format!("{name}.md"));
    let mut file = std::fs::File::create_new(&path).map_err(failed)?;
    std::io::Write::write_all(&mut file, AGENT_TEMPLATE.replace("{name}", name).as_bytes()).map_err(failed)?;
    Ok(path)
}

/// Menu rows: agents first, then invalid files with their problem.
fn agent_rows(catalog: &AgentCatalog) -> Vec<MenuRow> {
    let mut rows: Vec<MenuRow> = catalog.agents().iter().map(agent_row).collect();
    for trouble in catalog.problems() {
        let path = trouble.path.clone().unwrap_or_default();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let id = path.display().to_string();
        let about = format!("{id}\n\n{}", trouble.message);
        if let (true, Some(row)) = (trouble.is_warning, rows.iter_mut().find(|row| row.id == id)) {
            // The agent is usable despite the problem.
            row.is_warning = true;
            row.note = format!("{} · {}", row.note, trouble.message);
            continue;
        }
        rows.push(MenuRow {
            name: if file.is_empty() { "agents".into() } else { file },
            note: trouble.message.clone(),
            is_warning: true,
            preview: vec![PagerItem { title: String::new(), body: PagerContent::Plain(about.into()) }],
            keys: if trouble.path.is_some() { "⏎" } else { "" },
            id,
            ..MenuRow::default()
        });
    }
    rows
}

fn agent_row(agent: &AgentDefinition) -> MenuRow {
    let mut about =
        format!("{}\n\ntools  {}\nmodel  {}\n", agent.description, agent.describe_tools(), agent.model.name());
    match &agent.path {
        Some(path) => {
            let _ = writeln!(about, "file   {}", path.display());
        }
        None if agent.source == AgentSource::BuiltIn => {
            about.push_str("built in; an agent of yours with the same name replaces it\n");
        }
        None => about.push_str("from the command line or the host\n"),
    }
    let _ = write!(about, "\n{}", keep_offered(&agent.prompt, &|_| true));
    MenuRow {
        id: agent.path.as_ref().map_or_else(|| agent.name.clone(), |path| path.display().to_string()),
        name: agent.name.clone(),
        note: format!("{} · {}", agent.source.name(), agent.model.name()),
        preview: vec![PagerItem { title: String::new(), body: PagerContent::Plain(about.into()) }],
        keys: if agent.path.is_some() { "⏎" } else { "" },
        ..MenuRow::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sa_3_menu_lists_agents_and_invalid_files() {
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = create_agent_file(&home.path().join("agents"), "fast-look").unwrap();
        assert!(
            create_agent_file(&home.path().join("agents"), "fast-look")
                .unwrap_err()
                .to_string()
                .contains("Can't create")
        );
        for bad in ["", "a/b", "../x", "a b", &"x".repeat(65)] {
            assert!(create_agent_file(home.path(), bad).is_err(), "{bad}");
        }
        let broken = home.path().join("agents/bad.md");
        std::fs::write(&broken, "---\nname: bad\ncolor: no\n---\nx\n").unwrap();
        let catalog = definition_files::load_agents(home.path(), None, project.path(), Vec::new(), false);
        let rows = agent_rows(&catalog);
        let named =
            |name: &str| rows.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("{name}: {rows:#?}"));
        assert_eq!(named("Explore").keys, "", "built-in agents can't be edited");
        let own = named("fast-look");
        assert_eq!((own.keys, own.id.as_str()), ("⏎", path.display().to_string().as_str()));
        let bad = named("bad.md");
        assert!(bad.is_warning && bad.keys == "⏎" && !bad.note.is_empty(), "{bad:?}");
    }
}
