//! Finds skills (HO-8): folders with a SKILL.md in the cutonce home, in `~/.claude/skills`, and in `.cutonce/skills`
//! and `.claude/skills` of the project. Project skills require trust (PR-2), because their text reaches the model.

use cutonce_core::skills::{self, Skill};
use cutonce_tools::interactive::skill::read_skill;
use std::path::{Path, PathBuf};

/// Maximum number of skills per folder.
const MAX_SKILLS_PER_DIR: usize = 200;

/// Where skills are, and which of these sources count.
#[derive(Debug, Clone, Copy)]
pub struct SkillSources<'a> {
    /// The cutonce home.
    pub home: &'a Path,
    /// $HOME.
    pub user_home: Option<&'a Path>,
    /// The user's skills count.
    pub user: bool,
    /// The project's folder.
    pub project: &'a Path,
    /// The project's skills count.
    pub projects: bool,
}

/// All skills, sorted by name; unusable ones are reported. The user's skills hide the project's of the same name.
pub fn find_skills(sources: SkillSources<'_>, trusted: bool, notices: &mut Vec<String>) -> Vec<Skill> {
    let SkillSources { home, user_home, user, project, projects } = sources;
    let mut skills: Vec<Skill> = Vec::new();
    let mut waiting = 0;
    let counts = |is_projects: bool| if is_projects { projects } else { user };
    for (place, is_projects) in
        skill_places(home, user_home, project).into_iter().filter(|(_, is_projects)| counts(*is_projects))
    {
        for folder in skill_folders(&place) {
            if is_projects && !trusted {
                waiting += 1;
                continue;
            }
            match load_skill(&folder, is_projects, project) {
                Ok(skill) => match skills.iter().find(|known| known.name == skill.name) {
                    Some(known) => notices.push(format!(
                        "The skill {} in {} is hidden by the one in {}",
                        skill.name,
                        folder.display(),
                        known.folder.display()
                    )),
                    None => skills.push(skill),
                },
                Err(why) => {
                    notices.push(format!("The skill in {} can't be used: SKILL.md: {why}", folder.display()));
                }
            }
        }
    }
    if waiting > 0 {
        let skills = if waiting == 1 { "1 skill" } else { &format!("{waiting} skills") };
        notices
            .push(format!("Ignored until you trust this folder: {skills}. Trust it with /trust or `cutonce trust`."));
    }
    skills.sort_by(|a, b| a.name.cmp(&b.name));
    skills
}

/// The folders with skills, highest priority first. In the user's home, the project's folder is the user's.
fn skill_places(home: &Path, user_home: Option<&Path>, project: &Path) -> Vec<(PathBuf, bool)> {
    let own: Vec<PathBuf> =
        [Some(home.join("skills")), user_home.map(|home| home.join(".claude/skills"))].into_iter().flatten().collect();
    let real = |path: &PathBuf| path.canonicalize().ok();
    let same = |path: &PathBuf| real(path).is_some_and(|path| own.iter().any(|own| real(own).as_ref() == Some(&path)));
    let projects = [project.join(".cutonce/skills"), project.join(".claude/skills")];
    let projects: Vec<(PathBuf, bool)> =
        projects.into_iter().filter(|path| !same(path)).map(|path| (path, true)).collect();
    own.into_iter().map(|path| (path, false)).chain(projects).collect()
}

fn skill_folders(place: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> =
        entries.filter(|path| path.join("SKILL.md").exists()).take(MAX_SKILLS_PER_DIR).collect();
    folders.sort();
    folders
}

fn load_skill(folder: &Path, is_projects: bool, project: &Path) -> Result<Skill, String> {
    let folder = folder.canonicalize().map_err(|error| error.to_string())?;
    let file = folder.join("SKILL.md").canonicalize().map_err(|error| error.to_string())?;
    let root = project.canonicalize().unwrap_or_else(|_| project.to_path_buf());
    // A repository must not include files from outside.
    if is_projects && !(folder.starts_with(&root) && file.starts_with(&root)) {
        return Err("it leads out of the project and was not read".into());
    }
    let (name, description, _) = skills::parse_skill(&read_skill(&file)?)?;
    Ok(Skill { name, description, folder, from_project: is_projects })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, text: &str) {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
    }
    fn text(name: &str, description: &str) -> String {
        format!("---\nname: {name}\ndescription: {description}\n---\nBody of {name}.\n")
    }

    #[test]
    fn ho_8_project_skills_need_trust() {
        let world = tempfile::tempdir().unwrap();
        let (home, project) = (world.path().join("home"), world.path().join("project"));
        put(&home.join("skills/review"), &text("review", "mine"));
        put(&world.path().join(".claude/skills/from-claude"), &text("from-claude", "mine too"));
        put(&project.join(".cutonce/skills/deploy"), &text("deploy", "theirs"));
        put(&project.join(".claude/skills/review"), &text("review", "theirs"));
        put(&project.join(".claude/skills/broken"), "---\nname: broken\n---\n");
        std::fs::create_dir_all(project.join(".claude/skills/empty")).unwrap();
        put(&world.path().join("elsewhere"), &text("elsewhere", "outside"));
        std::os::unix::fs::symlink(world.path().join("elsewhere"), project.join(".cutonce/skills/link")).unwrap();
        let found = |trusted: bool| {
            let mut notices = Vec::new();
            let sources = SkillSources {
                home: &home,
                user_home: Some(world.path()),
                user: true,
                project: &project,
                projects: true,
            };
            let skills = find_skills(sources, trusted, &mut notices);
            let named = skills.into_iter().map(|skill| format!("{}: {}", skill.name, skill.description));
            (named.collect::<Vec<_>>(), notices.join("\n"))
        };
        let (skills, notices) = found(false);
        assert_eq!(skills, ["from-claude: mine too", "review: mine"]);
        assert!(notices.contains("Ignored until you trust this folder: 4 skills."), "{notices}");
        let (skills, notices) = found(true);
        assert_eq!(skills, ["deploy: theirs", "from-claude: mine too", "review: mine"]);
        for words in [
            "broken can't be used: SKILL.md: line 1: `description` is missing",
            "leads out of the project",
            "review in",
        ] {
            assert!(notices.contains(words), "{words}: {notices}");
        }
    }
}
