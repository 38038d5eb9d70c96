//! How a command is held in plan mode (PM-62, PM-63, SB-2): which profile it gets, which files are hidden from it, and when it
//! runs on a throwaway layer; and in other modes, where the user wants that (SB-4).

use super::git;
use crate::workspace::Workspace;
use cutonce_core::permission::{Held, is_secret};
use cutonce_core::shell::{self, Verdict};
use cutonce_sandbox::{
    Limits, PrivateFolder, Profile, ReadOnly, Scratch, Tier, WorkspaceWrite, available, scratch_works,
};
use ignore::{WalkBuilder, WalkState};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Caches that builds and tests must be able to write to; on the throwaway layer they write to a copy.
const CACHES: [&str; 6] = [".cargo", ".cache", ".npm", ".gradle", ".m2", "go"];
/// Credential stores below the home (SB-2).
const STORES: [&str; 12] = [
    ".ssh",
    ".aws",
    ".gnupg",
    ".azure",
    ".kube",
    ".netrc",
    ".pgpass",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".password-store",
    ".config/gcloud",
];

/// Git writes no index while it looks.
const GIT: [(&str, &str); 1] = [("GIT_OPTIONAL_LOCKS", "0")];
/// Doors to other programs; the kernel closes them, and there is no need to know them.
const SOCKETS: [&str; 3] = ["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST"];

/// The sandbox of a session's shell in plan mode.
pub struct Sandbox {
    /// Holds the private TMPDIR and the throwaway layers; gone with the session.
    folder: PrivateFolder,
    scratch: bool,
    /// Hidden beside the list of SB-2 (`sandbox.denyRead`).
    deny_read: Vec<PathBuf>,
    /// The plan files of the session and its agents: readable although they lie in the hidden home.
    readable: Mutex<Vec<PathBuf>>,
    /// Found by one walk on entering; None until the first command of a stay needs it.
    secrets: Mutex<Option<Vec<PathBuf>>>,
}

impl Sandbox {
    /// `scratch`: use throwaway layers where they work here (`plan.scratch`).
    pub fn new(scratch: bool, deny_read: Vec<PathBuf>, readable: Option<PathBuf>) -> std::io::Result<Sandbox> {
        let folder = private_folder()?;
        let (tmp, layers) = (folder.path().join("tmp"), folder.path().join("layers"));
        std::fs::create_dir(&tmp)?;
        std::fs::create_dir(&layers)?;
        let scratch = scratch && scratch_works(&layers, Limits::default()).is_ok();
        let readable = Mutex::new(readable.into_iter().collect());
        Ok(Sandbox { folder, scratch, deny_read, readable, secrets: Mutex::new(None) })
    }

    /// An agent shares it: its own file is readable, too (PM-42).
    pub fn also_readable(&self, path: &Path) {
        let mut readable = self.readable.lock().unwrap_or_else(PoisonError::into_inner);
        if !readable.iter().any(|known| known == path) {
            readable.push(path.to_path_buf());
        }
    }

    /// Do builds and tests run on a throwaway layer?
    pub fn has_scratch(&self) -> bool {
        self.scratch
    }

    /// Another stay in plan mode: look for secrets anew.
    pub(crate) fn entered(&self) {
        *self.secrets.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(crate) fn tmp(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    /// What holds this command. What is proven to read only needs no layer; all else may want to write, and gets one.
    pub(crate) fn profile(&self, command: &str, workspace: &Workspace) -> (Profile, bool) {
        let scratch = (self.scratch && !reads_only(command)).then(|| Scratch {
            root: workspace.root.clone(),
            also: workspace.home.iter().flat_map(|home| CACHES.map(|cache| home.join(cache))).collect(),
            layers: self.folder.path().join("layers"),
        });
        let on_scratch = scratch.is_some();
        let profile = ReadOnly {
            tmp: self.tmp(),
            hide: self.hidden(workspace),
            readable: self.readable.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            scratch,
        };
        (Profile::ReadOnly(profile), on_scratch)
    }

    /// The environment of a held command.
    pub(crate) fn env(&self, env: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
        // It does not open a hidden file only to find that it is unchanged.
        git::with(with_private(env, &self.tmp(), &GIT), "core.checkStat", "minimal")
    }

    fn hidden(&self, workspace: &Workspace) -> Vec<PathBuf> {
        let mut secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        let found = secrets.get_or_insert_with(|| walk(workspace));
        stores(workspace, &self.deny_read).into_iter().chain(found.iter().cloned()).collect()
    }
}

/// The sandbox of a session's shell in default, acceptEdits and auto mode (SB-4): it can change only the workspace, and read
/// no credential store. Files like `.env` stay readable: what the user runs while working needs them.
pub struct Workshop {
    folder: PrivateFolder,
    deny_read: Vec<PathBuf>,
    network: bool,
}

impl Workshop {
    pub fn new(deny_read: Vec<PathBuf>, network: bool) -> std::io::Result<Workshop> {
        Ok(Workshop { folder: private_folder()?, deny_read, network })
    }
    pub(crate) fn tmp(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }
    pub(crate) fn profile(&self, workspace: &Workspace) -> Profile {
        Profile::WorkspaceWrite(WorkspaceWrite {
            roots: workspace.folders(),
            tmp: self.tmp(),
            hide: stores(workspace, &self.deny_read),
            network: self.network,
        })
    }
    pub(crate) fn env(&self, env: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
        with_private(env, &self.tmp(), &[])
    }
}

/// What holds a command to the mode's word (PR-4, PR-5): outside plan mode one that runs unasked does so because it is proven
/// to read only, or to change files of the workspace only. The proof is a parser's, and shells are full of corners; where the
/// kernel can it sees to it that nothing else happens.
pub(crate) struct Word {
    folder: PrivateFolder,
    tier: Tier,
}

impl Word {
    /// None where nothing can hold it: then the proof stands alone. Seatbelt was never run with this.
    pub fn new() -> Option<Word> {
        let tier = available().tier;
        let holds = matches!(tier, Tier::Namespaces | Tier::Landlock);
        Some(Word { folder: private_folder().ok().filter(|_| holds)?, tier })
    }
    pub fn tmp(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }
    /// None: nothing here can hold this. Landlock alone would refuse `chmod` and `touch` in the workspace, too.
    pub fn profile(&self, held: Held, workspace: &Workspace) -> Option<Profile> {
        let stores = || stores_below(workspace.home.as_deref());
        match (held, self.tier) {
            (Held::Reads, _) => Some(Profile::ReadOnly(ReadOnly {
                tmp: self.tmp(),
                hide: stores().chain([workspace.cutonce_home.clone()]).filter(|path| path.exists()).collect(),
                readable: vec![workspace.own.clone()],
                scratch: None,
            })),
            (Held::Files, Tier::Namespaces) => Some(Profile::WorkspaceWrite(WorkspaceWrite {
                roots: workspace.folders(),
                tmp: self.tmp(),
                hide: stores().filter(|path| path.exists()).collect(),
                network: false,
            })),
            (Held::Parsed | Held::Sandbox | Held::Off | Held::Workspace | Held::Files, _) => None,
        }
    }
    pub fn env(&self, env: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
        git::with(with_private(env, &self.tmp(), &GIT), "core.checkStat", "minimal")
    }
}

fn stores_below(home: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    home.into_iter().flat_map(|home| STORES.map(|store| home.join(store)))
}

/// For the user alone: what commands leave in their TMPDIR is nobody else's to read.
fn private_folder() -> std::io::Result<PrivateFolder> {
    PrivateFolder::new(&std::env::temp_dir())
}

/// The environment of a held command: its own TMPDIR, no doors to other programs.
fn with_private(env: &[(OsString, OsString)], tmp: &Path, also: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    let tmp = [("TMPDIR", tmp.as_os_str().to_owned())].into_iter();
    let set: Vec<(&str, OsString)> = tmp.chain(also.iter().map(|(name, value)| (*name, value.into()))).collect();
    let ours = |name: &OsString| set.iter().any(|(ours, _)| name == ours) || SOCKETS.iter().any(|gone| name == gone);
    let kept: Vec<_> = env.iter().filter(|(name, _)| !ours(name)).cloned().collect();
    kept.into_iter().chain(set.into_iter().map(|(name, value)| (name.into(), value))).collect()
}

/// Credential stores, our own home, and what the user adds (SB-2).
fn stores(workspace: &Workspace, deny_read: &[PathBuf]) -> Vec<PathBuf> {
    let all = stores_below(workspace.home.as_deref())
        .chain([workspace.cutonce_home.clone()])
        .chain(deny_read.iter().cloned());
    all.filter(|path| path.exists()).collect()
}

fn reads_only(command: &str) -> bool {
    let parsed = shell::parse(command);
    parsed.unparsed.is_none() && parsed.parts.iter().all(|part| part.verdict == Verdict::ReadOnly)
}

/// Files with the name of a secret anywhere in the workspace (SB-2).
fn walk(workspace: &Workspace) -> Vec<PathBuf> {
    let mut builder = WalkBuilder::new(&workspace.root);
    workspace.added.list().iter().for_each(|folder| {
        builder.add(folder);
    });
    let found = Mutex::new(Vec::new());
    builder.standard_filters(false).hidden(false).build_parallel().run(|| {
        Box::new(|entry| {
            if let Ok(entry) = entry
                && is_secret_name(entry.path())
            {
                found.lock().unwrap_or_else(PoisonError::into_inner).push(entry.into_path());
            }
            WalkState::Continue
        })
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// By its own name: what is inside a hidden folder is hidden with it.
fn is_secret_name(path: &Path) -> bool {
    path.file_name().is_some_and(|name| is_secret(Path::new(name)))
}

/// What a model should know about a held command that failed: which part was refused, and by what.
pub(crate) fn refused(held: Held, output: &str) -> Option<&'static str> {
    let signs = match held {
        Held::Sandbox => &PLAN_SIGNS[..],
        Held::Workspace => &WORKSPACE_SIGNS[..],
        Held::Reads => &[("Read-only file system", NOT_A_READ), ("Network is unreachable", NOT_A_READ)][..],
        Held::Files => &[("Read-only file system", NOT_IN_THERE), ("Network is unreachable", NOT_IN_THERE)][..],
        Held::Parsed | Held::Off => return None,
    };
    signs.iter().find(|(sign, _)| output.contains(sign)).map(|(_, says)| *says)
}

const NOT_A_READ: &str = "It ran unasked because it only reads, and the sandbox held it to that.";
const NOT_IN_THERE: &str =
    "It ran unasked because it changes files of the workspace only, and the sandbox held it to that.";
const NO_NETWORK: &str = "Plan mode: the sandbox has no network.";
const NO_WRITE: &str = "Plan mode: the sandbox refused a write outside the project's scratch copy and $TMPDIR.";
const PLAN_SIGNS: [(&str, &str); 7] = [
    ("Read-only file system", NO_WRITE),
    ("Permission denied", "Plan mode: the sandbox refused a write outside $TMPDIR, or reading a secret."),
    (
        "Operation not permitted",
        "Plan mode: the sandbox refuses changes of files' modes, owners and times, signals and mounts.",
    ),
    ("Network is unreachable", NO_NETWORK),
    ("Could not resolve host", NO_NETWORK),
    ("name resolution", NO_NETWORK),
    ("EROFS", NO_WRITE),
];

const OUTSIDE: &str = "The sandbox (`sandbox.shell`) lets commands write to the workspace and $TMPDIR only.";
const NOT_ONLINE: &str = "The sandbox (`sandbox.shell`) has no network unless the user sets `sandbox.network`.";
const WORKSPACE_SIGNS: [(&str, &str); 7] = [
    ("Read-only file system", OUTSIDE),
    (
        "Permission denied",
        "The sandbox (`sandbox.shell`) refused a write outside the workspace and $TMPDIR, or reading a secret.",
    ),
    ("Operation not permitted", "The sandbox (`sandbox.shell`) refuses signals to other processes and mounts."),
    ("Network is unreachable", NOT_ONLINE),
    ("Could not resolve host", NOT_ONLINE),
    ("name resolution", NOT_ONLINE),
    ("EROFS", OUTSIDE),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn sb_2_the_private_folder_is_for_the_user_alone() {
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let sandbox = Sandbox::new(false, Vec::new(), None).unwrap();
        assert_eq!(mode(sandbox.folder.path()), 0o700);
        assert_eq!(mode(Workshop::new(Vec::new(), false).unwrap().folder.path()), 0o700);
    }
}
