//! Users' own agents (SA-3): the markdown files of `~/.cutonce/agents`, `.cutonce/agents` and `.claude/agents`, and the list
//! that `/agents` shows.

use cutonce_core::agent::{Catalog, Definition, Found, Source};
use serde::Serialize;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A longer file is no agent.
const LONGEST: u64 = 256 << 10;
/// Of one folder, with all below it.
const MOST: usize = 500;
const DEEPEST: usize = 3;

/// Where agents are looked for, weakest first.
pub fn folders(home: &Path, user_home: Option<&Path>, project: &Path) -> Vec<(Source, PathBuf)> {
    let own = project.join(".cutonce/agents");
    let user = [Some(home.join("agents")), user_home.map(|home| home.join(".claude/agents"))];
    let user = user.into_iter().flatten().map(|path| (Source::User, path));
    let mut folders: Vec<(Source, PathBuf)> = user.collect();
    for path in [own, project.join(".claude/agents")] {
        // In the user's own home the project's folder is the user's folder.
        let same = |known: &(Source, PathBuf)| {
            known.1.canonicalize().ok().is_some_and(|a| path.canonicalize().ok() == Some(a))
        };
        if !folders.iter().any(same) {
            folders.push((Source::Project, path));
        }
    }
    folders
}

/// Read them all, and add what a host gave. `trusted`: the user trusts the project (PR-2).
pub fn load(home: &Path, user_home: Option<&Path>, project: &Path, given: Vec<Definition>, trusted: bool) -> Catalog {
    load_from(folders(home, user_home, project), project, given, trusted)
}

/// The same of some folders only.
pub(crate) fn load_from(
    folders: Vec<(Source, PathBuf)>,
    project: &Path,
    given: Vec<Definition>,
    trusted: bool,
) -> Catalog {
    let mut files = Vec::new();
    for (source, folder) in folders {
        let mut paths = Vec::new();
        below(&folder, 0, &mut paths);
        paths.sort();
        let within = |path: &PathBuf| source != Source::Project || inside(path, project);
        let read = |path: PathBuf| Found {
            source,
            text: if within(&path) { text(&path) } else { Err("leads out of the project and was not read".into()) },
            path,
        };
        files.extend(paths.into_iter().map(read));
    }
    Catalog::new(files, given, trusted)
}

fn below(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if paths.len() >= MOST {
            return;
        }
        let path = entry.path();
        match path.metadata() {
            Ok(meta) if meta.is_dir() && depth < DEEPEST => below(&path, depth + 1, paths),
            Ok(meta) if meta.is_file() && path.extension().is_some_and(|end| end == "md") => paths.push(path),
            Ok(_) | Err(_) => {}
        }
    }
}

/// A link in somebody's repository must not bring in what lies outside of it.
fn inside(path: &Path, project: &Path) -> bool {
    match (path.canonicalize(), project.canonicalize()) {
        (Ok(path), Ok(project)) => path.starts_with(project),
        (Err(_), _) | (_, Err(_)) => false,
    }
}

fn text(path: &Path) -> Result<String, String> {
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("it is longer than {} KB", LONGEST >> 10));
    }
    String::from_utf8(bytes).map_err(|error| format!("not UTF-8 after byte {}", error.utf8_error().valid_up_to()))
}

/// One agent as `/agents` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// As the model calls it.
    pub name: String,
    /// Who gave it.
    pub source: Source,
    /// When to use it, in its own words.
    pub description: String,
    /// `Read, Grep`, or `all but Bash`.
    pub tools: String,
    /// The model it runs on, or what it takes over.
    pub model: String,
    /// The file, for editing.
    pub path: Option<PathBuf>,
}

/// All agents, and what is wrong with files that define none.
pub fn list(catalog: &Catalog) -> (Vec<Listed>, Vec<String>) {
    let one = |agent: &Definition| Listed {
        name: agent.name.clone(),
        source: agent.source,
        description: agent.description.clone(),
        tools: agent.tools_told(),
        model: agent.model.name().to_string(),
        path: agent.path.clone(),
    };
    (catalog.agents().iter().map(one).collect(), catalog.troubles().iter().map(ToString::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sa_3_agents_are_found_in_all_their_places_and_broken_ones_are_named() {
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
        let (listed, errors) = list(&load(&home, Some(user.path()), &project, vec![], true));
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
