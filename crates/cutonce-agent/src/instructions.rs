//! Project instructions (CL-5): AGENTS.md and CLAUDE.md of the user, the project and its folders, with what they import.
//!
//! A file in somebody's repository must not bring in what lies outside of it: what is read here goes to the model.

mod import;

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// Of one file, and of all together.
const LONGEST: usize = 64 << 10;
const MOST: usize = 200 << 10;
const DEEPEST: usize = 5;

/// One file of instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// The file.
    pub path: PathBuf,
    /// Whose it is.
    pub scope: Scope,
    /// What it says, with its imports.
    pub text: String,
}

/// Whose words they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The user's, for every project.
    User,
    /// Of the project: its root, and folders from there down to the working folder.
    Project,
    /// Of a folder further down; given when something there is read.
    Nested,
}

/// Finds instructions, each of them once a session.
#[derive(Debug, Clone)]
pub struct Instructions {
    cutonce_home: PathBuf,
    user_home: Option<PathBuf>,
    cwd: PathBuf,
    /// The repository's root, or the working folder where there is none: nothing outside belongs to the project.
    root: PathBuf,
    seen: HashSet<PathBuf>,
    said: HashSet<String>,
    left: usize,
    notes: Vec<String>,
    /// The user's, and the project's, are wanted.
    wanted: (bool, bool),
    silent: bool,
}

impl Instructions {
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
            said: HashSet::new(),
            left: MOST,
            notes: Vec::new(),
            wanted: (true, true),
            silent: false,
        }
    }

    /// Leave out the user's, or the project's.
    pub fn only(self, user: bool, project: bool) -> Self {
        Self { wanted: (user, project), ..self }
    }

    /// For an agent that is given none: nothing more is found.
    pub fn none(mut self) -> Self {
        self.silent = true;
        self
    }

    /// What holds from the start: the user's, then from the repository's root down to the working folder.
    pub fn load(&mut self) -> Vec<Instruction> {
        let mut found = Vec::new();
        let user = self.user_home.as_ref().map(|home| home.join(".claude/CLAUDE.md"));
        self.read_folder(&self.cutonce_home.clone(), Scope::User, &mut found);
        if let Some(path) = user {
            self.read(&path, Scope::User, 0, &mut found);
        }
        let (root, cwd) = (self.root.clone(), self.cwd.clone());
        for dir in folders_between(&root, &cwd) {
            self.read_folder(&dir, Scope::Project, &mut found);
        }
        found
    }

    /// What holds for a file that was read, beyond what was given already: the folders from the working folder to it.
    pub(crate) fn nested_for(&mut self, path: &Path) -> Vec<Instruction> {
        let Some(dir) = path.parent().and_then(|dir| dir.canonicalize().ok()) else { return Vec::new() };
        let (mut found, cwd) = (Vec::new(), self.cwd.clone());
        if dir.starts_with(&cwd) && !self.silent {
            for dir in folders_between(&cwd, &dir).into_iter().skip(1) {
                self.read_folder(&dir, Scope::Nested, &mut found);
            }
        }
        found
    }

    /// For the user: what was cut or left out, and why. Empties the list.
    pub(crate) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    fn read_folder(&mut self, dir: &Path, scope: Scope, found: &mut Vec<Instruction>) {
        for name in NAMES {
            self.read(&dir.join(name), scope, 0, found);
        }
    }

    /// Read one file and what it imports, after it. A missing file is no news.
    fn read(&mut self, path: &Path, scope: Scope, depth: usize, found: &mut Vec<Instruction>) {
        let wanted = match scope {
            Scope::User => self.wanted.0,
            Scope::Project | Scope::Nested => self.wanted.1,
        };
        let Some(real) = path.canonicalize().ok().filter(|_| wanted) else { return };
        if !self.seen.insert(real.clone()) {
            return;
        }
        if scope != Scope::User && !real.starts_with(&self.root) {
            self.note(path, "leads out of the project and was not read");
            return;
        }
        let text = match bounded_text(&real) {
            Ok((text, false)) => text,
            Ok((text, true)) => {
                self.note(path, &format!("is longer than {} KB and was cut", LONGEST >> 10));
                text
            }
            Err(error) => return self.note(path, &error.to_string()),
        };
        // AGENTS.md and CLAUDE.md are often copies of each other.
        if text.trim().is_empty() || !self.said.insert(text.trim().to_string()) {
            return;
        }
        let Some(text) = self.within_bounds(path, text) else { return };
        let imports = import::imports(&text);
        // A CLAUDE.md that only says `@AGENTS.md` has nothing to say itself.
        if !import::is_only_imports(&text) {
            found.push(Instruction { path: path.to_path_buf(), scope, text });
        }
        for import in imports {
            self.import(&import, &real, scope, depth + 1, found);
        }
    }

    fn import(&mut self, import: &str, from: &Path, scope: Scope, depth: usize, found: &mut Vec<Instruction>) {
        let Some(path) = self.locate(import, from) else { return };
        if depth > DEEPEST {
            return self.note(&path, &format!("is imported more than {DEEPEST} levels deep and was not read"));
        }
        if looks_secret(&path) {
            return self.note(&path, "looks like it holds secrets and was not imported");
        }
        self.read(&path, scope, depth, found);
    }

    /// The file that an import means, if there is one: `@` also stands before names of people and packages.
    fn locate(&self, import: &str, from: &Path) -> Option<PathBuf> {
        let place = |import: &str| match (import.strip_prefix("~/"), &self.user_home) {
            (Some(rest), Some(home)) => Some(home.join(rest)),
            (Some(_), None) => None,
            (None, _) => Some(from.parent()?.join(import)),
        };
        // A sentence may end with an import.
        let shorter = import.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
        [import, shorter].into_iter().filter_map(place).find(|path| path.is_file())
    }

    fn within_bounds(&mut self, path: &Path, mut text: String) -> Option<String> {
        if self.left == 0 {
            self.note(path, &format!("was left out: all instructions together are over {} KB", MOST >> 10));
            return None;
        }
        if text.len() > self.left {
            text.truncate(floor_char_boundary(&text, self.left));
            self.note(path, &format!("was cut: all instructions together are over {} KB", MOST >> 10));
            self.left = 0;
        } else {
            self.left -= text.len();
        }
        Some(text)
    }

    fn note(&mut self, path: &Path, what: &str) {
        self.notes.push(format!("{} {what}", path.display()));
    }
}

/// From `top` down to `bottom`, both included.
fn folders_between(top: &Path, bottom: &Path) -> Vec<PathBuf> {
    let inside = bottom.ancestors().take_while(|dir| dir.starts_with(top));
    let mut folders: Vec<PathBuf> = inside.map(Path::to_path_buf).collect();
    folders.reverse();
    folders
}

/// At most [`LONGEST`] bytes of a text file, and whether there was more.
fn bounded_text(path: &Path) -> io::Result<(String, bool)> {
    // A fifo or device must not make us wait.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("is not a file and was not read"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LONGEST as u64 + 1).read_to_end(&mut bytes)?;
    let cut = bytes.len() > LONGEST;
    bytes.truncate(LONGEST);
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // Cut in the middle of a character.
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

/// Files that nobody means to give to a model, whatever an instruction file says.
fn looks_secret(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let example = ["example", "sample", "template"].iter().any(|word| name.contains(word));
    let env = (name == ".env" || name.starts_with(".env.")) && !example;
    let key = [".pem", ".key", ".p12", ".pfx"].iter().any(|end| name.ends_with(end));
    let hidden_folder = [".ssh", ".aws", ".gnupg", ".git"];
    let in_hidden = path.components().any(|part| hidden_folder.iter().any(|dir| part.as_os_str() == *dir));
    env || key || in_hidden || [".netrc", ".npmrc", ".pypirc", "id_rsa", "id_ed25519"].contains(&name.as_str())
}

#[cfg(test)]
mod tests;
