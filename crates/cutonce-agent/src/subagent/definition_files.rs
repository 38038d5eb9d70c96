//! Custom agents (SA-3): the markdown files of `~/.cutonce/agents`, `.cutonce/agents` and `.claude/agents`, and the
//! list that `/agents` shows.

use crate::config::markdown_files::find_markdown_files;
use cutonce_core::subagent::{AgentCatalog, AgentDefinition, AgentFile, AgentSource};
use cutonce_tools::secret_files::leads_to_secret;
use serde::Serialize;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum size of an agent file.
const MAX_FILE_SIZE: u64 = 256 << 10;
/// Maximum number of agents per folder, including subfolders.
const MAX_AGENTS_PER_DIR: usize = 500;

/// The folders with agent files, lowest priority first.
pub(crate) fn agent_folders(home: &Path, user_home: Option<&Path>, project: &Path) -> Vec<(AgentSource, PathBuf)> {
    let own = project.join(".cutonce/agents");
    let user = [Some(home.join("agents")), user_home.map(|home| home.join(".claude/agents"))];
    let user = user.into_iter().flatten().map(|path| (AgentSource::User, path));
    let mut folders: Vec<(AgentSource, PathBuf)> = user.collect();
    for path in [own, project.join(".claude/agents")] {
        // In the user's home folder, the project's folder is the user's folder.
        let same = |known: &(AgentSource, PathBuf)| {
            known.1.canonicalize().ok().is_some_and(|a| path.canonicalize().ok() == Some(a))
        };
        if !folders.iter().any(same) {
            folders.push((AgentSource::Project, path));
        }
    }
    folders
}

/// Loads all agents and adds the given ones. `trusted`: the user trusts the project (PR-2).
pub fn load_agents(
    home: &Path,
    user_home: Option<&Path>,
    project: &Path,
    given: Vec<AgentDefinition>,
    trusted: bool,
) -> AgentCatalog {
    load_from(agent_folders(home, user_home, project), project, given, trusted)
}

/// Loads agents from the given folders only.
pub(crate) fn load_from(
    folders: Vec<(AgentSource, PathBuf)>,
    project: &Path,
    given: Vec<AgentDefinition>,
    trusted: bool,
) -> AgentCatalog {
    let mut files = Vec::new();
    for (source, folder) in folders {
        let within = |path: &PathBuf| source != AgentSource::Project || is_inside(path, project);
        let read = |path: PathBuf| AgentFile {
            source,
            text: if !within(&path) {
                Err("leads out of the project and was not read".into())
            } else if leads_to_secret(&path, None) {
                Err("leads to a file with keys or credentials and was not read".into())
            } else {
                read_text(&path)
            },
            path,
        };
        files.extend(find_markdown_files(&folder, MAX_AGENTS_PER_DIR).into_iter().map(read));
    }
    AgentCatalog::new(files, given, trusted)
}

/// A link in a repository must not include files from outside.
fn is_inside(path: &Path, project: &Path) -> bool {
    match (path.canonicalize(), project.canonicalize()) {
        (Ok(path), Ok(project)) => path.starts_with(project),
        (Err(_), _) | (_, Err(_)) => false,
    }
}

fn read_text(path: &Path) -> Result<String, String> {
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_SIZE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_FILE_SIZE {
        return Err(format!("it is longer than {} KB", MAX_FILE_SIZE >> 10));
    }
    String::from_utf8(bytes).map_err(|error| format!("not UTF-8 after byte {}", error.utf8_error().valid_up_to()))
}

/// One agent, as `/agents` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedAgent {
    /// The name the model uses.
    pub name: String,
    /// Where the agent is defined.
    pub source: AgentSource,
    /// The agent's description of when to use it.
    pub description: String,
    /// The allowed tools: `Read, Grep`, or `all but Bash`.
    pub tools: String,
    /// The model it runs on, or `inherit`.
    pub model: String,
    /// The file, for editing.
    pub path: Option<PathBuf>,
}

/// Lists all agents, and the errors of invalid agent files.
pub fn list_agents(catalog: &AgentCatalog) -> (Vec<ListedAgent>, Vec<String>) {
    let one = |agent: &AgentDefinition| ListedAgent {
        name: agent.name.clone(),
        source: agent.source,
        description: agent.description.clone(),
        tools: agent.describe_tools(),
        model: agent.model.name().to_string(),
        path: agent.path.clone(),
    };
    (catalog.agents().iter().map(one).collect(), catalog.problems().iter().map(ToString::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sa_3_agents_load_and_broken_files_are_reported() {
        let user = tempfile::tempdir().unwrap();
        let (home, project) = (user.path().join(".cutonce"), user.path().join("app"));
        let outside = user.path().join("outside.md");
        let agent = |name: &str| format!("---\nname: {name}\ndescription: d\n---\nDo.\n");
        let files = [
            (home.join("agents/one.md"), agent("one")),
            (user.path().join(".claude/agents/two.md"), agent("two")),
            (project.join(".cutonce/agents/deep/three.md"), agent("three")),
            (project.join(".claude/agents/four.md"), agent("four")),
            (project.join(".claude/agents/bad.md"), "---\nname: bad\ncolor: no\n---\n".into()),
            (project.join(".claude/agents/notes.txt"), "x".into()),
            (outside.clone(), agent("stolen")),
        ];
        for (path, text) in files {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        std::os::unix::fs::symlink(&outside, project.join(".claude/agents/link.md")).unwrap();
        let (listed, errors) = list_agents(&load_agents(&home, Some(user.path()), &project, vec![], true));
        let names: Vec<(&str, &str)> = listed.iter().map(|agent| (agent.name.as_str(), agent.source.name())).collect();
        let expected = [
            ("Explore", "built-in"),
            ("Plan", "built-in"),
            ("general-purpose", "built-in"),
            ("one", "user"),
            ("two", "user"),
            ("three", "project"),
            ("four", "project"),
        ];
        assert_eq!(names, expected);
        assert_eq!(listed[5].path, Some(project.join(".cutonce/agents/deep/three.md")));
        let bad = format!("{}: line 3: `color`: expected one of red", project.join(".claude/agents/bad.md").display());
        assert!(
            errors.len() == 2 && errors[0].starts_with(&bad) && errors[1].contains("leads out of the project"),
            "{errors:?}"
        );
    }
}
