//! Where sessions are: `<home>/projects/<project>/<id>.jsonl`, and beside it a folder `<id>/` for what belongs to one.

use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Longer folder names are cut and told apart by a hash: file systems end at 255 bytes.
const LONGEST_PROJECT: usize = 200;

/// The cutonce home (CL-4): $CUTONCE_HOME, else `.cutonce` in the user's home. A host that keeps its agent in a folder of
/// its own says so with $CLAUDE_CONFIG_DIR; then all is below that, in a folder that is only ours (HO-1).
pub fn home(env: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("CUTONCE_HOME")
        .or_else(|| set("CLAUDE_CONFIG_DIR").map(|dir| dir.join("cutonce")))
        .or_else(|| Some(user_home(env)?.join(".cutonce")))
}

/// The user's own home folder, links resolved: rules about `~/` must fit the resolved paths that calls lead to (PR-1).
pub fn user_home(env: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let home = env("HOME").filter(|value| !value.is_empty()).map(PathBuf::from)?;
    Some(home.canonicalize().unwrap_or(home))
}

/// The sessions of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sessions {
    home: PathBuf,
    cwd: PathBuf,
}

impl Sessions {
    /// `home` is the cutonce home, `cwd` the resolved folder that the session works in.
    pub fn new(home: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        Self { home: home.into(), cwd: cwd.into() }
    }
    /// The folder whose sessions these are.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }
    /// Of all projects.
    pub(crate) fn projects_dir(&self) -> PathBuf {
        self.home.join("projects")
    }
    /// Where their transcripts are.
    pub fn dir(&self) -> PathBuf {
        self.projects_dir().join(project_name(&self.cwd))
    }
    /// The transcript of this session, whether it is there or not.
    pub fn transcript(&self, id: &str) -> PathBuf {
        self.dir().join(format!("{id}.jsonl"))
    }
}

/// The folder name of a project: every character but letters and digits becomes `-`.
pub fn project_name(cwd: &Path) -> String {
    let path = cwd.to_string_lossy();
    let name: String = path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    if name.len() <= LONGEST_PROJECT {
        return name;
    }
    let hash = hex(&Sha256::digest(cwd.as_os_str().as_encoded_bytes()));
    format!("{}-{}", &name[..LONGEST_PROJECT], &hash[..16])
}

/// May a session be called so? Ids become file names.
pub fn valid_id(id: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !id.is_empty() && id.len() <= 100 && !id.starts_with('-') && id.chars().all(fine)
}

/// The folder that belongs to the session of this transcript: versions, spilled output.
pub fn own_dir(transcript: &Path) -> PathBuf {
    transcript.with_extension("")
}

/// Make a folder and those above it, for the user alone (SE-1).
pub fn create_private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Options that make a new file readable for the user alone (SE-1), and that follow no link to a file of somebody else's.
pub fn private() -> fs::OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = fs::OpenOptions::new();
    options.mode(0o600).custom_flags(libc::O_NOFOLLOW);
    options
}

/// Open a file of ours that exists. A link, a pipe or a device under its name leads elsewhere: refused.
pub(crate) fn open_own(options: &mut fs::OpenOptions, path: &Path) -> io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    let refused =
        |what: &str| io::Error::other(format!("it is {what}, not a file of its own; put the file itself there"));
    let opened = options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path);
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(libc::ELOOP) => refused("a symbolic link"),
        _ => error,
    })?;
    if !file.metadata()?.is_file() {
        return Err(refused("no regular file"));
    }
    Ok(file)
}

/// Write a small file whole or not at all, for the user alone.
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

/// A new name in a folder is only safe once the folder is synced.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    fs::File::open(dir)?.sync_all()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cl_4_home_is_the_variable_or_the_folder_in_the_users_home() {
        let check = |set: &[(&str, &str)], expected: Option<&str>| {
            let env = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
            assert_eq!(home(&env), expected.map(PathBuf::from), "{set:?}");
        };
        check(&[("CUTONCE_HOME", "/x"), ("HOME", "/u")], Some("/x"));
        check(&[("CUTONCE_HOME", ""), ("HOME", "/u")], Some("/u/.cutonce"));
        check(&[("CLAUDE_CONFIG_DIR", "/c"), ("HOME", "/u")], Some("/c/cutonce"));
        check(&[("CLAUDE_CONFIG_DIR", "/c"), ("CUTONCE_HOME", "/x")], Some("/x"));
        check(&[], None);
    }

    #[test]
    fn se_1_projects_have_readable_names_of_bounded_length() {
        assert_eq!(project_name(Path::new("/home/ä b/my.app")), "-home---b-my-app");
        let long = |end: &str| project_name(Path::new(&format!("/{}{end}", "x".repeat(300))));
        assert_eq!(long("a").len(), LONGEST_PROJECT + 17);
        assert_ne!(long("a"), long("b"));
    }

    #[test]
    fn ids_that_would_leave_the_folder_are_refused() {
        for bad in ["", "..", "a/b", "-rf", "a b", "ä", &"x".repeat(101)] {
            assert!(!valid_id(bad), "{bad}");
        }
        assert!(valid_id("0192f3a1-7c1b-7000-8000-000000000000"));
    }
}
