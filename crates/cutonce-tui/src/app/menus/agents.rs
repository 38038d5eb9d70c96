//! `/agents` (SA-3): which kinds there are, what is wrong with files that define none, editing them and making new ones.

use crate::app::App;
use crate::overlay::menu::{Key, Menu, Row, Which};
use crate::overlay::pager::{Body, Item};
use cutonce_agent::agents::files;
use cutonce_core::agent::{Catalog, Definition, Source};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const KEYS: &[Key] = &[
    Key::of('⏎', "edit in $EDITOR"),
    Key::asking('n', "new, yours", "name of an agent for all your projects"),
    Key::asking('p', "new, this project's", "name of an agent for this project"),
];
/// What a new file begins with.
const NEW: &str = include_str!("../../prompts/agent.md");
const LATER: &str = "Agents are read when a session begins: this counts from the next one on.";

impl App {
    pub(in crate::app) fn show_agents(&mut self, at: &str, notice: Option<String>) {
        let rows = rows(&self.agents_now());
        let menu = Menu::new(Which::Agents, "Agents", rows, KEYS, self.theme);
        self.cover(Box::new(menu.at(at).notice(notice)), None);
    }

    /// As the files are now, and what the session was given besides.
    fn agents_now(&self) -> Catalog {
        let given = self.session.as_ref().map(|session| session.agents().agents().to_vec()).unwrap_or_default();
        let given = given.into_iter().filter(|agent| agent.source == Source::Host).collect();
        let user_home = self.around.var("HOME").map(PathBuf::from);
        files::load(&self.around.home, user_home.as_deref(), &self.around.cwd, given, self.trusted())
    }

    pub(super) fn picked_agent(&mut self, id: &str, key: char, words: &str) {
        let folder = match key {
            'n' => self.around.home.join("agents"),
            'p' => self.around.cwd.join(".cutonce/agents"),
            _ => {
                let notice = self.edit_agent(Path::new(id));
                return self.show_agents(id, Some(notice));
            }
        };
        match made(&folder, words) {
            Ok(path) => {
                let notice = self.edit_agent(&path);
                self.show_agents(&path.display().to_string(), Some(notice));
            }
            Err(why) => self.show_agents(id, Some(why)),
        }
    }

    /// What became of it.
    fn edit_agent(&mut self, path: &Path) -> String {
        if let Err(why) = self.run_editor(path) {
            return why;
        }
        let catalog = self.agents_now();
        let trouble = catalog.troubles().iter().find(|trouble| trouble.path.as_deref() == Some(path));
        let shown = path.file_name().unwrap_or_default().to_string_lossy();
        trouble.map_or_else(|| LATER.to_string(), |trouble| format!("{shown}: {}", trouble.what))
    }
}

/// A new file, never over one that is there.
fn made(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
        return Err("a name has letters, digits, - and _, at most 64 of them".into());
    }
    if folder.is_symlink() || folder.parent().is_some_and(Path::is_symlink) {
        return Err(format!("{} is a symlink; nothing was written", folder.display()));
    }
    let told = |error: std::io::Error| format!("{name}.md was not made: {error}");
    std::fs::create_dir_all(folder).map_err(told)?;
    let path = folder.join(format!("{name}.md"));
    let mut file = std::fs::File::create_new(&path).map_err(told)?;
    std::io::Write::write_all(&mut file, NEW.replace("{name}", name).as_bytes()).map_err(told)?;
    Ok(path)
}

/// Files that define no agent come last, each with what is wrong.
fn rows(catalog: &Catalog) -> Vec<Row> {
    let mut rows: Vec<Row> = catalog.agents().iter().map(row).collect();
    for trouble in catalog.troubles() {
        let path = trouble.path.clone().unwrap_or_default();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let id = path.display().to_string();
        let about = format!("{id}\n\n{}", trouble.what);
        if let (true, Some(row)) = (trouble.mild, rows.iter_mut().find(|row| row.id == id)) {
            // It is there all the same.
            row.warns = true;
            row.note = format!("{} · {}", row.note, trouble.what);
            continue;
        }
        rows.push(Row {
            name: if file.is_empty() { "agents".into() } else { file },
            note: trouble.what.clone(),
            warns: true,
            preview: vec![Item { title: String::new(), body: Body::Plain(about.into()) }],
            keys: if trouble.path.is_some() { "⏎" } else { "" },
            id,
            ..Row::default()
        });
    }
    rows
}

fn row(agent: &Definition) -> Row {
    let mut about = format!("{}\n\ntools  {}\nmodel  {}\n", agent.description, agent.tools_told(), agent.model.name());
    match &agent.path {
        Some(path) => {
            let _ = writeln!(about, "file   {}", path.display());
        }
        None if agent.source == Source::BuiltIn => {
            about.push_str("built in; an agent of yours with this name takes its place\n");
        }
        None => about.push_str("given by the command line or the host\n"),
    }
    let _ = write!(about, "\n{}", agent.prompt);
    Row {
        id: agent.path.as_ref().map_or_else(|| agent.name.clone(), |path| path.display().to_string()),
        name: agent.name.clone(),
        note: format!("{} · {}", agent.source.name(), agent.model.name()),
        preview: vec![Item { title: String::new(), body: Body::Plain(about.into()) }],
        keys: if agent.path.is_some() { "⏎" } else { "" },
        ..Row::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sa_3_the_list_has_all_agents_and_names_what_is_wrong_with_a_file() {
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = made(&home.path().join("agents"), "fast-look").unwrap();
        assert!(made(&home.path().join("agents"), "fast-look").unwrap_err().contains("was not made"));
        for bad in ["", "a/b", "../x", "a b", &"x".repeat(65)] {
            assert!(made(home.path(), bad).is_err(), "{bad}");
        }
        let broken = home.path().join("agents/bad.md");
        std::fs::write(&broken, "---\nname: bad\ncolor: no\n---\nx\n").unwrap();
        let catalog = files::load(home.path(), None, project.path(), Vec::new(), false);
        let rows = rows(&catalog);
        let named =
            |name: &str| rows.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("{name}: {rows:#?}"));
        assert_eq!(named("Explore").keys, "", "what is built in can't be edited");
        let own = named("fast-look");
        assert_eq!((own.keys, own.id.as_str()), ("⏎", path.display().to_string().as_str()));
        let bad = named("bad.md");
        assert!(bad.warns && bad.keys == "⏎" && !bad.note.is_empty(), "{bad:?}");
    }
}
