//! The ignored folders of one command (PC-21): those that it writes directly, those that it may remove, and those that
//! are made for a build.

use crate::disk::FileAccess;
use crate::files::IgnoreRules;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What builds and package managers make, by the file that says so. Writing there through the layer takes longer.
const BUILD_FOLDERS: [(&str, &str); 5] = [
    ("Cargo.toml", "target"),
    ("package.json", "node_modules"),
    ("pom.xml", "target"),
    ("build.gradle", "build"),
    ("build.gradle.kts", "build"),
];
/// Commands that remove, rename or make a folder that they name.
const MOVERS: [&str; 4] = ["rm", "rmdir", "mv", "find"];

/// Which folders a command treats how.
#[derive(Default)]
pub(super) struct IgnoredFolderUse {
    /// Mounted: the command writes them directly, and can't remove them.
    pub through: Vec<PathBuf>,
    /// On the layer, because the command may remove or replace them; relative to the workspace.
    on_layer: Vec<PathBuf>,
    /// Made for this command.
    made: Vec<PathBuf>,
}

impl IgnoredFolderUse {
    /// `ignored`: the folders that git ignores.
    pub fn new(root: &Path, ignored: Vec<PathBuf>, rules: &IgnoreRules, command: &str) -> IgnoredFolderUse {
        let removal = FolderRemoval::new(command);
        let (removed, mut through): (Vec<PathBuf>, Vec<PathBuf>) =
            ignored.into_iter().partition(|folder| removal.may_concern(folder));
        let on_layer = removed.iter().filter_map(|folder| Some(folder.strip_prefix(root).ok()?.to_path_buf()));
        let built = BUILD_FOLDERS.iter().filter(|(file, _)| root.join(file).is_file()).map(|(_, name)| root.join(name));
        let built = built.filter(|folder| !removal.may_concern(folder) && folder.symlink_metadata().is_err());
        let is_ignored = |folder: &PathBuf| {
            let name = folder.strip_prefix(root).unwrap_or(folder);
            !rules.ignored_among([(name, true)]).is_empty()
        };
        // A folder that can't be made is written through the layer.
        let made: Vec<PathBuf> =
            built.filter(is_ignored).filter(|folder| FileAccess::make_folder(folder).is_ok()).collect();
        through.extend(made.iter().cloned());
        IgnoredFolderUse { through, on_layer: on_layer.collect(), made }
    }

    /// After the command: takes over what it removed or replaced, and removes what it did not need. True if the
    /// ignored folders are others now.
    pub fn settle(&self, upper: &Path, root: &Path) -> bool {
        let replaced = FileAccess::replace_folders(upper, root, &self.on_layer);
        let unused = self.made.iter().filter(|folder| FileAccess::remove_empty_folder(folder)).count();
        !replaced.is_empty() || unused < self.made.len()
    }
}

/// Whether a command may remove or rename a folder itself, by its words.
struct FolderRemoval<'a> {
    words: BTreeSet<&'a str>,
    any: bool,
}

impl<'a> FolderRemoval<'a> {
    fn new(command: &'a str) -> FolderRemoval<'a> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let words: BTreeSet<&str> = command.split(|c| !is_part(c)).filter(|word| !word.is_empty()).collect();
        let cleans = words.iter().any(|word| word.ends_with("clean") || *word == "rimraf");
        // With `-p` it does not matter whether the folder is there.
        let makes = words.contains("mkdir") && !words.contains("-p");
        let moves = makes || MOVERS.iter().any(|word| words.contains(word));
        let any = cleans || moves && command.contains('*');
        FolderRemoval { words: if moves { words } else { BTreeSet::new() }, any }
    }

    fn may_concern(&self, folder: &Path) -> bool {
        let name = folder.file_name().and_then(|name| name.to_str());
        self.any || name.is_some_and(|name| self.words.contains(name)) || name.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_21_commands_that_may_remove_a_folder() {
        let concerns = |command: &str| FolderRemoval::new(command).may_concern(Path::new("/w/web/dist"));
        for command in [
            "rm -rf web/dist && npm run build",
            "cd web; rm -r ./dist",
            "cargo clean",
            "make distclean",
            "rm -rf *",
            "mkdir dist",
        ] {
            assert!(concerns(command), "{command}");
        }
        for command in
            ["npm run build", "rm -f web/dist.map Cargo.lock", "cat dist/x", "ls *", "./rm-all", "mkdir -p dist"]
        {
            assert!(!concerns(command), "{command}");
        }
    }
}
