//! Session paths: `<home>/projects/<project>/<id>.jsonl`, and a folder `<id>/` next to it for the session's files.

use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Longer project names are shortened and get a hash: file systems allow 255 bytes.
const MAX_PROJECT_NAME: usize = 200;

/// The cutonce home (CL-4): $CUTONCE_HOME, or `.cutonce` in the user's home. If a host sets $CLAUDE_CONFIG_DIR, it is
/// the subfolder `cutonce` of that folder (HO-1).
pub fn cutonce_home(env: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("CUTONCE_HOME")
        .or_else(|| set("CLAUDE_CONFIG_DIR").map(|dir| dir.join("cutonce")))
        .or_else(|| Some(user_home(env)?.join(".cutonce")))
}

/// The user's home folder with links resolved, because rules about `~/` must match resolved paths (PR-1).
pub fn user_home(env: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let home = env("HOME").filter(|value| !value.is_empty()).map(PathBuf::from)?;
    Some(home.canonicalize().unwrap_or(home))
}

/// Reads a text file of at most `max` bytes; `None` if it doesn't exist.
pub(crate) fn read_bounded_text(path: &Path, max: u64) -> io::Result<Option<String>> {
    let about = match fs::metadata(path) {
        Ok(about) => about,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    // While a command runs in the sandbox, an empty folder takes the place of a missing protected file.
    if about.is_dir() && cutonce_sandbox::is_placeholder(path) {
        return Ok(None);
    }
    // Reject fifos and devices, which could block reading.
    if !about.is_file() {
        return Err(io::Error::other("not a file"));
    }
    if about.len() > max {
        return Err(io::Error::other(format!("longer than {max} bytes")));
    }
    let mut text = String::new();
    fs::File::open(path)?.take(max).read_to_string(&mut text)?;
    Ok(Some(text))
}

/// The sessions of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectSessions {
    home: PathBuf,
    cwd: PathBuf,
}

impl ProjectSessions {
    /// `home` is the cutonce home, `cwd` the resolved working folder.
    pub fn new(home: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        Self { home: home.into(), cwd: cwd.into() }
    }
    /// The project's folder.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }
    /// The folder of all projects.
    pub(crate) fn projects_dir(&self) -> PathBuf {
        self.home.join("projects")
    }
    /// The folder with the project's transcripts.
    pub fn dir(&self) -> PathBuf {
        self.projects_dir().join(project_name(&self.cwd))
    }
    /// The path of a session's transcript, which may not exist.
    pub fn transcript(&self, id: &str) -> PathBuf {
        self.dir().join(format!("{id}.jsonl"))
    }
}

/// The folder name of a project: every character but letters and digits becomes `-`.
pub fn project_name(cwd: &Path) -> String {
    let path = cwd.to_string_lossy();
    let name: String = path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    if name.len() <= MAX_PROJECT_NAME {
        return name;
    }
    let hash = to_hex(&Sha256::digest(cwd.as_os_str().as_encoded_bytes()));
    format!("{}-{}", &name[..MAX_PROJECT_NAME], &hash[..16])
}

/// Whether the id is valid as a session id and file name.
pub fn valid_id(id: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !id.is_empty() && id.len() <= 100 && !id.starts_with('-') && id.chars().all(fine)
}

/// The folder for the session's files: versions and spilled output.
pub fn own_dir(transcript: &Path) -> PathBuf {
    transcript.with_extension("")
}

/// Creates a folder and its parents, accessible only to the user (SE-1).
pub fn create_private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let missing: Vec<&Path> = dir.ancestors().take_while(|folder| !folder.exists()).collect();
    builder.create(dir)?;
    // The name of a new folder is durable only after its parent was synced.
    for parent in missing.into_iter().filter_map(Path::parent) {
        sync_dir(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })?;
    }
    Ok(())
}

/// Options for creating files that only the user can read (SE-1), without following links.
pub fn private_options() -> fs::OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = fs::OpenOptions::new();
    options.mode(0o600).custom_flags(libc::O_NOFOLLOW);
    options
}

/// Opens an existing file of ours. Links, pipes and devices are rejected.
pub(crate) fn open_own(options: &mut fs::OpenOptions, path: &Path) -> io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    let refused =
        |what: &str| io::Error::other(format!("it is {what}, not a regular file; replace it with the file itself"));
    let opened = options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => refused("a symbolic link"),
        _ => error,
    })?;
    if !file.metadata()?.is_file() {
        return Err(refused("a pipe, device or folder"));
    }
    Ok(file)
}

/// Writes a small file atomically, readable only by the user.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write;
    let dir = path.parent().unwrap_or(Path::new("."));
    create_private_dir(dir)?;
    let mut temp = tempfile::Builder::new().prefix(".cutonce-").tempfile_in(dir)?;
    temp.write_all(bytes)?;
    temp.as_file().sync_all()?;
    temp.persist(path).map_err(|error| error.error)?;
    sync_dir(dir)
}

/// Syncs a folder; a new file name is durable only after that.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    fs::File::open(dir)?.sync_all()
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cl_4_home_is_variable_or_default_folder() {
        let check = |set: &[(&str, &str)], expected: Option<&str>| {
            let env = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
            assert_eq!(cutonce_home(&env), expected.map(PathBuf::from), "{set:?}");
        };
        check(&[("CUTONCE_HOME", "/x"), ("HOME", "/u")], Some("/x"));
        check(&[("CUTONCE_HOME", ""), ("HOME", "/u")], Some("/u/.cutonce"));
        check(&[("CLAUDE_CONFIG_DIR", "/c"), ("HOME", "/u")], Some("/c/cutonce"));
        check(&[("CLAUDE_CONFIG_DIR", "/c"), ("CUTONCE_HOME", "/x")], Some("/x"));
        check(&[], None);
    }

    #[test]
    fn se_1_project_names_are_readable_and_limited() {
        assert_eq!(project_name(Path::new("/home/ä b/my.app")), "-home---b-my-app");
        let long = |end: &str| project_name(Path::new(&format!("/{}{end}", "x".repeat(300))));
        assert_eq!(long("a").len(), MAX_PROJECT_NAME + 17);
        assert_ne!(long("a"), long("b"));
    }

    #[test]
    fn se_1_ids_that_leave_the_folder_are_rejected() {
        for bad in ["", "..", "a/b", "-rf", "a b", "ä", &"x".repeat(101)] {
            assert!(!valid_id(bad), "{bad}");
        }
        assert!(valid_id("0192f3a1-7c1b-7000-8000-000000000000"));
    }
}
