//! Project instructions (CL-5): AGENTS.md and CLAUDE.md of the user, the project and its folders, with their imports.
//!
//! A repository must not include files from outside, because the text goes to the model.

mod import;

use cutonce_core::permission::is_secret;
use std::collections::HashSet;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// Maximum size of one file, and of all files together.
const MAX_FILE_SIZE: usize = 64 << 10;
const MAX_TOTAL_SIZE: usize = 200 << 10;
const MAX_IMPORT_DEPTH: usize = 5;

/// One file with instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionFile {
    /// The file.
    pub path: PathBuf,
    /// Where it comes from.
    pub scope: InstructionScope,
    /// The text.
    pub text: String,
}

/// Where instructions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstructionScope {
    /// The user's, for every project.
    User,
    /// The project's: from its root down to the working folder.
    Project,
    /// From a subfolder; loaded when a file there is read.
    Nested,
}

/// Finds instructions, each once per session.
#[derive(Debug, Clone)]
pub struct InstructionLoader {
    cutonce_home: PathBuf,
    user_home: Option<PathBuf>,
    cwd: PathBuf,
    /// The repository's root, or the working folder without one: everything else is outside the project.
    root: PathBuf,
    seen: HashSet<PathBuf>,
    seen_texts: HashSet<String>,
    remaining: usize,
    notes: Vec<String>,
    /// Whether the user's and the project's instructions are enabled.
    enabled: (bool, bool),
    disabled: bool,
}

impl InstructionLoader {
    /// `cwd` is the resolved working folder.
    pub fn new(cutonce_home: impl Into<PathBuf>, user_home: Option<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        let cwd = cwd.into();
        let root = cwd.ancestors().find(|dir| dir.join(".git").exists()).unwrap_or(&cwd).to_path_buf();
        Self {
            cutonce_home: cutonce_home.into(),
            user_home,
            cwd,
            root,
            seen: HashSet::new(),
            seen_texts: HashSet::new(),
            remaining: MAX_TOTAL_SIZE,
            notes: Vec::new(),
            enabled: (true, true),
            disabled: false,
        }
    }

    /// Enables or disables the user's and the project's instructions.
    pub(crate) fn with_sources(self, user: bool, project: bool) -> Self {
        Self { enabled: (user, project), ..self }
    }

    /// Disables instructions, for an agent without project instructions.
    pub fn disable(mut self) -> Self {
        self.disabled = true;
        self
    }

    /// Loads the initial instructions: the user's, then from the repository's root down to the working folder.
    pub fn load(&mut self) -> Vec<InstructionFile> {
        let mut found = Vec::new();
        let user = self.user_home.as_ref().map(|home| home.join(".claude/CLAUDE.md"));
        self.read_folder(&self.cutonce_home.clone(), InstructionScope::User, &mut found);
        if let Some(path) = user {
            self.read_with_imports(&path, InstructionScope::User, 0, &mut found);
        }
        let (root, cwd) = (self.root.clone(), self.cwd.clone());
        for dir in folders_between(&root, &cwd) {
            self.read_folder(&dir, InstructionScope::Project, &mut found);
        }
        found
    }

    /// Loads new instructions for a file that was read: from the folders between the working folder and the file.
    pub(crate) fn nested_for(&mut self, path: &Path) -> Vec<InstructionFile> {
        let Some(dir) = path.parent().and_then(|dir| dir.canonicalize().ok()) else { return Vec::new() };
        let (mut found, cwd) = (Vec::new(), self.cwd.clone());
        if dir.starts_with(&cwd) && !self.disabled {
            for dir in folders_between(&cwd, &dir).into_iter().skip(1) {
                self.read_folder(&dir, InstructionScope::Nested, &mut found);
            }
        }
        found
    }

    /// Takes the notes for the user: what was shortened or left out, and why.
    pub(crate) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    fn read_folder(&mut self, dir: &Path, scope: InstructionScope, found: &mut Vec<InstructionFile>) {
        for name in NAMES {
            self.read_with_imports(&dir.join(name), scope, 0, found);
        }
    }

    /// Reads one file, followed by its imports. A missing file is ignored.
    fn read_with_imports(
        &mut self,
        path: &Path,
        scope: InstructionScope,
        depth: usize,
        found: &mut Vec<InstructionFile>,
    ) {
        let wanted = match scope {
            InstructionScope::User => self.enabled.0,
            InstructionScope::Project | InstructionScope::Nested => self.enabled.1,
        };
        let is_there = |real: &PathBuf| wanted && !cutonce_sandbox::is_placeholder(real);
        let Some(real) = path.canonicalize().ok().filter(is_there) else { return };
        if !self.seen.insert(real.clone()) {
            return;
        }
        if scope != InstructionScope::User && !real.starts_with(&self.root) {
            return self.add_note(path, "leads out of the project and was not read");
        }
        if let Some(why) = self.closed_reason(path, &real) {
            return self.add_note(path, why);
        }
        if scope != InstructionScope::User && has_other_name(&real) {
            return self.add_note(path, OTHER_NAME);
        }
        let text = match read_limited_text(&real) {
            Ok((text, false)) => text,
            Ok((text, true)) => {
                self.add_note(path, &format!("is longer than {} KB and was cut", MAX_FILE_SIZE >> 10));
                text
            }
            Err(error) => return self.add_note(path, &error.to_string()),
        };
        // AGENTS.md and CLAUDE.md are often copies of each other.
        if text.trim().is_empty() || !self.seen_texts.insert(text.trim().to_string()) {
            return;
        }
        let Some(text) = self.limit_total(path, text) else { return };
        let imports = import::find_imports(&text);
        // A CLAUDE.md that only contains `@AGENTS.md` adds nothing itself.
        if !import::is_only_imports(&text) {
            found.push(InstructionFile { path: path.to_path_buf(), scope, text });
        }
        for import in imports {
            self.read_import(&import, &real, scope, depth + 1, found);
        }
    }

    fn read_import(
        &mut self,
        import: &str,
        from: &Path,
        scope: InstructionScope,
        depth: usize,
        found: &mut Vec<InstructionFile>,
    ) {
        let Some(path) = self.resolve_import(import, from) else { return };
        if depth > MAX_IMPORT_DEPTH {
            return self
                .add_note(&path, &format!("is imported more than {MAX_IMPORT_DEPTH} levels deep and was not read"));
        }
        self.read_with_imports(&path, scope, depth, found);
    }

    /// The file an import refers to, if it exists: `@` is also used for people and packages.
    fn resolve_import(&self, import: &str, from: &Path) -> Option<PathBuf> {
        let place = |import: &str| match (import.strip_prefix("~/"), &self.user_home) {
            (Some(rest), Some(home)) => Some(home.join(rest)),
            (Some(_), None) => None,
            (None, _) => Some(from.parent()?.join(import)),
        };
        // An import may end a sentence.
        let shorter = import.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
        [import, shorter].into_iter().filter_map(place).find(|path| path.is_file())
    }

    fn limit_total(&mut self, path: &Path, mut text: String) -> Option<String> {
        if self.remaining == 0 {
            self.add_note(
                path,
                &format!("was left out: all instructions together are over {} KB", MAX_TOTAL_SIZE >> 10),
            );
            return None;
        }
        if text.len() > self.remaining {
            text.truncate(floor_char_boundary(&text, self.remaining));
            self.add_note(path, &format!("was cut: all instructions together are over {} KB", MAX_TOTAL_SIZE >> 10));
            self.remaining = 0;
        } else {
            self.remaining -= text.len();
        }
        Some(text)
    }

    /// Why this file must not go to a model, whatever its name in the project is (SB-6).
    fn closed_reason(&self, path: &Path, real: &Path) -> Option<&'static str> {
        let in_git = |path: &Path| path.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"));
        let inner = real.strip_prefix(&self.root).unwrap_or(real);
        let home = self.user_home.as_ref().and_then(|home| home.canonicalize().ok());
        if is_secret(real, home.as_deref()) || is_secret(path, self.user_home.as_deref()) {
            Some("is or leads to a file with keys or credentials and was not read")
        } else if in_git(inner) {
            Some("is or leads to a file of git, which may contain credentials, and was not read")
        } else {
            None
        }
    }

    fn add_note(&mut self, path: &Path, what: &str) {
        self.notes.push(format!("{} {what}", path.display()));
    }
}

/// Says why a hard link is not read: its file may have the name of a secret somewhere else.
const OTHER_NAME: &str = "has another name (a hard link), which may be a file with keys, and was not read; replace it with a copy or a symbolic link";

/// True if the file has names (hard links) besides those of instruction files in its folder.
fn has_other_name(real: &Path) -> bool {
    let Ok(meta) = real.metadata() else { return false };
    let is_same = |name: &&&str| {
        let other = real.with_file_name(name).symlink_metadata();
        other.is_ok_and(|other| (other.dev(), other.ino()) == (meta.dev(), meta.ino()))
    };
    let explained = NAMES.iter().filter(is_same).count().max(1);
    meta.is_file() && meta.nlink() > explained as u64
}

/// The folders from `top` down to `bottom`, both included.
fn folders_between(top: &Path, bottom: &Path) -> Vec<PathBuf> {
    let inside = bottom.ancestors().take_while(|dir| dir.starts_with(top));
    let mut folders: Vec<PathBuf> = inside.map(Path::to_path_buf).collect();
    folders.reverse();
    folders
}

/// Reads at most [`LONGEST`] bytes of a text file; also returns whether there was more.
fn read_limited_text(path: &Path) -> io::Result<(String, bool)> {
    // Fifos and devices could block reading.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("is not a file and was not read"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_FILE_SIZE as u64 + 1).read_to_end(&mut bytes)?;
    let cut = bytes.len() > MAX_FILE_SIZE;
    bytes.truncate(MAX_FILE_SIZE);
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // The limit may split a character.
        Err(error) if cut && error.utf8_error().error_len().is_none() => {
            let end = error.utf8_error().valid_up_to();
            String::from_utf8_lossy(&error.as_bytes()[..end]).into_owned()
        }
        Err(_) => return Err(io::Error::other("is not UTF-8 and was not read")),
    };
    if text.contains('\0') {
        return Err(io::Error::other("is not text and was not read"));
    }
    Ok((text.trim_start_matches('\u{feff}').to_string(), cut))
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
