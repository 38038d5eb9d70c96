//! Confines shell commands: profile, hidden files and throwaway layer in plan mode (PM-62, PM-63, SB-2), and the
//! optional sandbox of other modes (SB-4).

use super::host_proxy::{NetworkAllowance, PROXY_PORT};
use super::process::git;
use crate::files::walk;
use crate::secret_files;
use crate::workspace::{Workspace, protected_places};
use cutonce_core::permission::ShellConfinement;
use cutonce_core::settings::network::AllowedHosts;
use cutonce_core::shell::{self, CommandVerdict};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_sandbox::{
    PrivateFolder, ReadOnlyProfile, ResourceLimits, SandboxLimits, SandboxProfile, SandboxTier, ThrowawayLayer,
    WorkspaceWriteProfile, check_throwaway_layer, sandbox_support,
};
use ignore::WalkState;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Caches that builds and tests must write to; on the throwaway layer they write to a copy.
const CACHES: [&str; 6] = [".cargo", ".cache", ".npm", ".gradle", ".m2", "go"];
/// Keeps git from writing its index while reading.
const GIT_ENV: [(&str, &str); 1] = [("GIT_OPTIONAL_LOCKS", "0")];
/// Variables with addresses of other programs; the kernel blocks the connections, so commands need not know them.
const SOCKETS: [&str; 3] = ["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST"];

/// Variables that name a proxy, also in lower case. Those of the user lead nowhere in the sandbox.
const PROXY_VARIABLES: [&str; 3] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/// Parts of the private folder.
const TMP: &str = "tmp";
const LAYERS: &str = "layers";
/// git's attributes of closed files.
const ATTRIBUTES: &str = "git-attributes";
/// Closed files that get a stand-in for git; each is a mount.
const MAX_STAND_INS: usize = 256;

/// How far the search for secrets in other projects goes: folders below the home, and entries in all.
const HOME_DEPTH: usize = 4;
const MAX_HOME_ENTRIES: usize = 20_000;

/// Why a command can't be confined now. A later command tries again.
#[derive(Debug, thiserror::Error)]
pub enum SandboxUnavailable {
    /// The kernel or this machine lacks what the sandbox needs.
    #[error("{0}")]
    Kernel(String),
    #[error("no private folder for its temporary files ({0}); TMPDIR must name a writable folder")]
    Folder(#[from] io::Error),
    #[error("no layer could be opened: {0}")]
    Layer(io::Error),
}

/// What a plan mode sandbox is made from.
#[derive(Debug, Clone, Default)]
pub struct PlanSandboxOptions {
    /// Use throwaway layers if they work here (`plan.scratch`).
    pub scratch: bool,
    /// Hidden in addition to the list of SB-2 (`sandbox.denyRead`).
    pub deny_read: Vec<PathBuf>,
    /// The plan file.
    pub readable: Option<PathBuf>,
    /// Hosts that commands may reach (`plan.network`).
    pub network: AllowedHosts,
}

/// Sandbox of a session's shell in plan mode.
pub struct PlanSandbox {
    /// Contains the private TMPDIR and the throwaway layers; removed with the session.
    folder: PrivateFolder,
    scratch: bool,
    /// A throwaway layer was made here. A failed attempt is repeated (SB-3).
    scratch_works: AtomicBool,
    deny_read: Vec<PathBuf>,
    /// Plan files of the session and its agents: readable although they are in the hidden home.
    readable: Mutex<Vec<PathBuf>>,
    /// Secret files found by one walk per plan mode visit; `None` until the first command needs them.
    secrets: Mutex<Option<FoundSecrets>>,
    /// Hosts that commands may reach, if any and if they can have a network of their own.
    network: Option<Arc<NetworkAllowance>>,
}

/// Secret files outside the known stores.
struct FoundSecrets {
    in_workspace: Vec<PathBuf>,
    in_home: Vec<PathBuf>,
}

impl PlanSandbox {
    /// Creates the sandbox; the error says why the kernel or the folder for temporary files does not allow it.
    pub fn new(options: PlanSandboxOptions) -> Result<PlanSandbox, SandboxUnavailable> {
        let PlanSandboxOptions { scratch, deny_read, readable, network } = options;
        let support = sandbox_support();
        if !support.can_confine() {
            return Err(SandboxUnavailable::Kernel(support.missing_reasons()));
        }
        let folder = private_folder()?;
        for part in [TMP, LAYERS] {
            folder.ready(part)?;
        }
        let (readable, secrets) = (Mutex::new(readable.into_iter().collect()), Mutex::new(None));
        let can_reach = !network.hosts.is_empty() && support.tier == SandboxTier::Namespaces;
        let network = can_reach.then(|| Arc::new(NetworkAllowance::new(network)));
        let scratch_works = AtomicBool::new(false);
        Ok(PlanSandbox { folder, scratch, scratch_works, deny_read, readable, secrets, network })
    }

    /// Makes an agent's plan file readable: agents share the sandbox (PM-42).
    pub fn add_readable(&self, path: &Path) {
        let mut readable = self.readable.lock_unpoisoned();
        if !readable.iter().any(|known| known == path) {
            readable.push(path.to_path_buf());
        }
    }

    /// True if builds and tests run on a throwaway layer.
    pub fn has_throwaway_layer(&self) -> bool {
        let works = || check_throwaway_layer(&self.folder.path().join(LAYERS), SandboxLimits::default()).is_ok();
        if self.scratch && !self.scratch_works.load(Ordering::Relaxed) && works() {
            self.scratch_works.store(true, Ordering::Relaxed);
        }
        self.scratch_works.load(Ordering::Relaxed)
    }

    /// The hosts that commands may reach, if any.
    pub(crate) fn network(&self) -> Option<Arc<NetworkAllowance>> {
        self.network.clone()
    }

    /// True if commands can reach listed hosts.
    pub fn has_network(&self) -> bool {
        self.network.is_some()
    }

    /// Returns the hosts that commands contacted, as `host:port` (PM-67).
    pub fn contacted_hosts(&self) -> Vec<String> {
        self.network.as_ref().map(|network| network.contacted()).unwrap_or_default()
    }

    /// Starts another plan mode visit: search for secrets again.
    pub(crate) fn start_visit(&self) {
        *self.secrets.lock_unpoisoned() = None;
    }

    pub(crate) fn tmp(&self) -> PathBuf {
        self.folder.path().join(TMP)
    }

    /// Chooses the profile of a command. Proven read-only commands get no layer; all others may write and get one.
    pub(crate) fn profile(
        &self,
        start: &StartRequest<'_>,
        workspace: &Workspace,
    ) -> Result<SandboxProfile, SandboxUnavailable> {
        let scratch = (!is_proven_read_only(start.command) && self.has_throwaway_layer()).then(|| ThrowawayLayer {
            root: workspace.root.clone(),
            extra_roots: workspace.home.iter().flat_map(|home| CACHES.map(|cache| home.join(cache))).collect(),
            storage: self.folder.path().join(LAYERS),
        });
        let hide = self.hidden(workspace);
        Ok(SandboxProfile::ReadOnly(ReadOnlyProfile {
            tmp: self.folder.ready(TMP)?,
            stand_ins: self.stand_ins(start.command, scratch.is_some()),
            hide,
            readable: self.readable.lock_unpoisoned().clone(),
            scratch,
            listener: self.network.as_ref().map(|_| PROXY_PORT),
            background: start.background,
            limits: start.limits,
        }))
    }

    /// Returns the environment of a confined command.
    pub(crate) fn env(&self, env: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
        // Keeps git from opening a hidden file only to find it unchanged.
        let mut env = layer_env(env, &self.tmp());
        env.retain(|(name, _)| !is_proxy_variable(name));
        if self.network.is_some() {
            let address = format!("http://127.0.0.1:{PROXY_PORT}");
            let names = PROXY_VARIABLES.iter().flat_map(|name| [name.to_string(), name.to_lowercase()]);
            env.extend(names.map(|name| (name.into(), address.clone().into())));
        }
        let attributes = self.folder.path().join(ATTRIBUTES);
        match attributes.to_str().filter(|_| attributes.exists()) {
            Some(attributes) => git::with_setting(env, "core.attributesFile", attributes),
            None => env,
        }
    }

    /// Closed files of the workspace that git can open, without their content: a tracked one may have changed. Call
    /// after `hidden`.
    fn stand_ins(&self, command: &str, layer: bool) -> Vec<PathBuf> {
        let secrets = self.secrets.lock_unpoisoned();
        let found = secrets.iter().flat_map(|found| &found.in_workspace).filter(|_| layer || command.contains("git"));
        found.take(MAX_STAND_INS).cloned().collect()
    }

    fn hidden(&self, workspace: &Workspace) -> Vec<PathBuf> {
        let mut secrets = self.secrets.lock_unpoisoned();
        let found = secrets.get_or_insert_with(|| {
            let in_workspace = find_secrets(workspace);
            let attributes = git::closed_attributes(&in_workspace, workspace.home.as_deref());
            // Without the file, git shows what it stored of these files earlier, as `git show` does anyway.
            let _ = self.folder.store(ATTRIBUTES, attributes.as_bytes());
            FoundSecrets { in_workspace, in_home: find_home_secrets(workspace) }
        });
        let found = found.in_workspace.iter().chain(&found.in_home).cloned();
        hidden_stores(workspace, &self.deny_read).into_iter().chain(found).collect()
    }
}

/// A command that is about to start.
pub(crate) struct StartRequest<'a> {
    pub command: &'a str,
    pub background: bool,
    pub limits: ResourceLimits,
}

/// Sandbox of a session's shell in default, acceptEdits and auto mode (SB-4): it can change only the workspace, except
/// its protected places, and can't read credential stores. Files like `.env` stay readable, because the user's
/// programs need them.
pub struct WorkspaceSandbox {
    folder: PrivateFolder,
    deny_read: Vec<PathBuf>,
    network: bool,
}

impl WorkspaceSandbox {
    pub fn new(deny_read: Vec<PathBuf>, network: bool) -> io::Result<WorkspaceSandbox> {
        Ok(WorkspaceSandbox { folder: private_folder()?, deny_read, network })
    }
    pub(crate) fn tmp(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }
    /// `protected`: places in subfolders that exist, and other names of protected files.
    pub(crate) fn profile(
        &self,
        limits: ResourceLimits,
        workspace: &Workspace,
        protected: &[PathBuf],
    ) -> Result<SandboxProfile, SandboxUnavailable> {
        let mut protect = protected_places(&workspace.folders(), true);
        protect.extend_from_slice(protected);
        protect.sort();
        protect.dedup();
        Ok(SandboxProfile::WorkspaceWrite(WorkspaceWriteProfile {
            roots: workspace.folders(),
            tmp: self.folder.ready("")?,
            hide: hidden_stores(workspace, &self.deny_read),
            protect,
            network: self.network,
            layer: None,
            limits,
        }))
    }
    pub(crate) fn env(&self, env: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
        private_env(env, &self.tmp(), &[])
    }
}

/// Sandbox for commands that run without asking outside plan mode: read-only or workspace-write, as the permission
/// table promised (PR-4, PR-5). The promise relies on a parser, and shells have many corner cases; the kernel
/// enforces it where it can.
pub(crate) struct AutoRunSandbox {
    folder: PrivateFolder,
    tier: SandboxTier,
}

impl AutoRunSandbox {
    /// `None` if this machine has no sandbox: then only the parser's proof remains. A trial that failed, and a folder
    /// that can't be used, are errors: the command does not run (SB-3). Not used with Seatbelt, which is untested.
    pub fn new() -> Result<Option<AutoRunSandbox>, SandboxUnavailable> {
        let support = sandbox_support();
        match support.tier {
            SandboxTier::Namespaces | SandboxTier::Landlock => {
                let folder = private_folder()?;
                Ok(Some(AutoRunSandbox { folder, tier: support.tier }))
            }
            SandboxTier::None if support.trial_failed => Err(SandboxUnavailable::Kernel(support.missing_reasons())),
            SandboxTier::None | SandboxTier::Seatbelt => Ok(None),
        }
    }
    pub fn tmp(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }
    /// `other_names`: hard links to protected files. `None` if this can't be enforced: Landlock alone would also refuse
    /// `chmod` and `touch` in the workspace.
    pub fn profile(
        &self,
        held: ShellConfinement,
        start: &StartRequest<'_>,
        workspace: &Workspace,
        other_names: &[PathBuf],
    ) -> Result<Option<SandboxProfile>, SandboxUnavailable> {
        let stores = || secret_files::existing_stores(workspace.home.as_deref()).into_iter();
        let tmp = self.folder.ready("")?;
        let (background, limits) = (start.background, start.limits);
        Ok(match (held, self.tier) {
            (ShellConfinement::AutoReadOnly, _) => Some(SandboxProfile::ReadOnly(ReadOnlyProfile {
                tmp,
                hide: stores().chain(Some(workspace.cutonce_home.clone()).filter(|home| home.exists())).collect(),
                stand_ins: Vec::new(),
                readable: vec![workspace.session_folder.clone()],
                scratch: None,
                listener: None,
                background,
                limits,
            })),
            (ShellConfinement::AutoWorkspace, SandboxTier::Namespaces) => {
                Some(SandboxProfile::WorkspaceWrite(WorkspaceWriteProfile {
                    roots: workspace.folders(),
                    tmp,
                    hide: stores().collect(),
                    protect: [protected_places(&workspace.folders(), false), other_names.to_vec()].concat(),
                    network: false,
                    layer: None,
                    limits,
                }))
            }
            (
                ShellConfinement::ParsedReadOnly
                | ShellConfinement::PlanSandbox
                | ShellConfinement::PlanReadOnly
                | ShellConfinement::Disabled
                | ShellConfinement::WorkspaceSandbox
                | ShellConfinement::AutoWorkspace,
                _,
            ) => None,
        })
    }
    pub fn env(&self, env: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
        layer_env(env, &self.tmp())
    }
}

/// Profile, environment and private folder of a command.
pub(crate) type ConfinedCommand = (SandboxProfile, Vec<(OsString, OsString)>, Option<PathBuf>);

/// Environment of a command on a layer: git neither writes its index while reading, nor reads files whose times differ.
pub(crate) fn layer_env(env: &[(OsString, OsString)], tmp: &Path) -> Vec<(OsString, OsString)> {
    git::with_setting(private_env(env, tmp, &GIT_ENV), "core.checkStat", "minimal")
}

/// Creates a folder for the user alone, so that no other user can read what commands write to TMPDIR.
pub(crate) fn private_folder() -> io::Result<PrivateFolder> {
    let usual = ["/tmp", "/var/tmp"].map(Path::new);
    let wanted = PrivateFolder::new(&std::env::temp_dir());
    wanted.or_else(|error| usual.into_iter().find_map(|folder| PrivateFolder::new(folder).ok()).ok_or(error))
}

/// Builds the environment of a confined command: its own TMPDIR, no addresses of other programs.
fn private_env(env: &[(OsString, OsString)], tmp: &Path, also: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    let tmp = [("TMPDIR", tmp.as_os_str().to_owned())].into_iter();
    let set: Vec<(&str, OsString)> = tmp.chain(also.iter().map(|(name, value)| (*name, value.into()))).collect();
    let ours = |name: &OsString| set.iter().any(|(ours, _)| name == ours) || SOCKETS.iter().any(|gone| name == gone);
    let kept: Vec<_> = env.iter().filter(|(name, _)| !ours(name)).cloned().collect();
    kept.into_iter().chain(set.into_iter().map(|(name, value)| (name.into(), value))).collect()
}

fn is_proxy_variable(name: &OsString) -> bool {
    let name = name.to_string_lossy().to_uppercase();
    name == "NO_PROXY" || PROXY_VARIABLES.contains(&name.as_str())
}

/// Lists credential stores, our own home, and the user's additions (SB-2, SB-6).
pub(super) fn hidden_stores(workspace: &Workspace, deny_read: &[PathBuf]) -> Vec<PathBuf> {
    let ours = [&workspace.cutonce_home].into_iter().chain(deny_read).filter(|path| path.exists()).cloned();
    secret_files::existing_stores(workspace.home.as_deref()).into_iter().chain(ours).collect()
}

fn is_proven_read_only(command: &str) -> bool {
    let parsed = shell::parse(command);
    parsed.unparsed.is_none() && parsed.parts.iter().all(|part| part.verdict == CommandVerdict::ReadOnly)
}

/// Commands that create only what they name, so that the parser saw every path.
const NAMED_TARGETS: [&str; 6] = ["mkdir", "touch", "rm", "rmdir", "chmod", "cd"];

/// True if a confined command could create protected names that no check has seen (SB-4).
pub(crate) fn may_create_protected(held: ShellConfinement, command: &str) -> bool {
    match held {
        ShellConfinement::WorkspaceSandbox => true,
        ShellConfinement::AutoWorkspace => {
            let is_named = |word: &Option<String>| word.as_deref().is_some_and(|name| NAMED_TARGETS.contains(&name));
            !shell::parse(command).parts.iter().all(|part| part.words.first().is_some_and(is_named))
        }
        ShellConfinement::ParsedReadOnly
        | ShellConfinement::PlanSandbox
        | ShellConfinement::PlanReadOnly
        | ShellConfinement::AutoReadOnly
        | ShellConfinement::Disabled => false,
    }
}

/// Finds files with the name of a secret anywhere in the workspace (SB-2).
pub(super) fn find_secrets(workspace: &Workspace) -> Vec<PathBuf> {
    let added = workspace.added_folders.list();
    let folders = [workspace.root.as_path()].into_iter().chain(added.iter().map(PathBuf::as_path));
    secret_files::find_below(folders, workspace.home.as_deref())
}

/// Finds secrets in the user's other projects: files with such a name near the top of the home folder. A home can be
/// large, so this is a limited search; what it does not find is closed to Read and Grep, but not to programs.
fn find_home_secrets(workspace: &Workspace) -> Vec<PathBuf> {
    let Some(home) = workspace.home.as_deref().filter(|home| workspace.folder_of(home).is_none()) else {
        return Vec::new();
    };
    let seen = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    walk::visit_home(home, HOME_DEPTH, |path| {
        if workspace.folder_of(path).is_some() {
            return WalkState::Skip;
        }
        if seen.fetch_add(1, Ordering::Relaxed) >= MAX_HOME_ENTRIES {
            return WalkState::Quit;
        }
        if path.parent() != Some(home) && secret_files::is_topmost(path, Some(home)) {
            found.lock_unpoisoned().push(path.to_path_buf());
        }
        WalkState::Continue
    });
    found.into_unpoisoned()
}

/// True if a program that printed nothing says by its exit code that it reached no server: curl and wget.
pub(crate) fn is_offline_exit(command: &str, exit_code: i32) -> bool {
    let runs = |name: &str| {
        let parsed = shell::parse(command);
        let is_it = |part: &shell::CommandPart| part.words.first().is_some_and(|word| word.as_deref() == Some(name));
        parsed.parts.iter().any(is_it)
    };
    match exit_code {
        5..=7 => runs("curl"),
        4 => runs("wget"),
        _ => false,
    }
}

/// Explains to the model why a confined command failed: which part was refused, and by what. `is_offline`: its exit
/// code says that it reached no server.
pub(crate) fn refusal_hint(held: ShellConfinement, output: &str, is_offline: bool) -> Option<&'static str> {
    let (offline, signs) = match held {
        ShellConfinement::PlanSandbox | ShellConfinement::PlanReadOnly => (NO_NETWORK, &PLAN_SIGNS[..]),
        ShellConfinement::WorkspaceSandbox => (NOT_ONLINE, &WORKSPACE_SIGNS[..]),
        ShellConfinement::AutoReadOnly => (READS_ENFORCED, &[("Read-only file system", READS_ENFORCED)][..]),
        ShellConfinement::AutoWorkspace => (WORKSPACE_ENFORCED, &[("Read-only file system", WORKSPACE_ENFORCED)][..]),
        ShellConfinement::ParsedReadOnly | ShellConfinement::Disabled => return None,
    };
    // The network comes first: a program that found none often prints other errors too.
    if is_offline || NETWORK_SIGNS.iter().any(|sign| output.contains(sign)) {
        return Some(offline);
    }
    LIMIT_SIGNS.iter().chain(signs).find(|(sign, _)| output.contains(sign)).map(|(_, says)| *says)
}

/// What a confined command wanted and did not get, as its output says: "network" or "files". The command may still have
/// ended well: a pipe hides the failure of its first part.
pub(crate) fn refused_access(held: ShellConfinement, output: &str, root: &Path) -> Option<&'static str> {
    if matches!(held, ShellConfinement::ParsedReadOnly | ShellConfinement::Disabled) {
        return None;
    }
    // A file of the workspace may lack a mode bit; that is no refusal.
    let is_outside = |word: &str| {
        let path = Path::new(word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '.'));
        path.is_absolute() && !path.starts_with(root)
    };
    let is_refused = |line: &str| {
        WRITE_SIGNS.iter().any(|sign| line.contains(sign))
            || (line.contains("Permission denied") && line.split_whitespace().any(is_outside))
    };
    match NETWORK_SIGNS.iter().any(|sign| output.contains(sign)) {
        true => Some("network"),
        false => output.lines().any(is_refused).then_some("files"),
    }
}

const WRITE_SIGNS: [&str; 2] = ["Read-only file system", "EROFS"];

/// Ended by the limit of a file's size: SIGXFSZ.
pub(crate) const FILE_LIMIT_SIGNAL: i32 = 25;
pub(crate) const FILE_LIMIT: &str = "A file reached the sandbox's size limit (`sandbox.limits.fileMb`).";
const MEMORY_LIMIT: &str = "A process may have reached the sandbox's memory limit (`sandbox.limits.memoryMb`).";
const PROCESS_LIMIT: &str = "The command may have reached the sandbox's process limit (`sandbox.limits.processes`).";
/// What a shell prints when the kernel refuses a process.
pub(crate) const FORK_REFUSED: [&str; 2] = ["fork: retry", "fork: Resource temporarily unavailable"];
const LIMIT_SIGNS: [(&str, &str); 6] = [
    ("File size limit exceeded", FILE_LIMIT),
    ("File too large", FILE_LIMIT),
    ("Cannot allocate memory", MEMORY_LIMIT),
    ("MemoryError", MEMORY_LIMIT),
    ("fork: retry", PROCESS_LIMIT),
    ("Resource temporarily unavailable", PROCESS_LIMIT),
];
const READS_ENFORCED: &str = "It ran without asking because it only reads, and the sandbox enforced that.";
const WORKSPACE_ENFORCED: &str =
    "It ran without asking because it changes files of the workspace only, and the sandbox enforced that.";
const NO_NETWORK: &str = "Plan mode has no network. Work with what is on this machine, or put this step into the plan.";
const NOT_LISTED: &str = "Plan mode reaches only the hosts that the user listed in `plan.network`.";
const NO_WRITE: &str = "Plan mode: the sandbox refused a write outside the project's scratch copy and $TMPDIR.";
const PLAN_SIGNS: [(&str, &str); 6] = [
    ("CONNECT tunnel failed", NOT_LISTED),
    ("is not listed in plan.network", NOT_LISTED),
    ("Read-only file system", NO_WRITE),
    ("Permission denied", "Plan mode: the sandbox refused a write outside $TMPDIR, or reading a secret."),
    (
        "Operation not permitted",
        "Plan mode: the sandbox refuses changes of files' modes, owners and times, signals and mounts.",
    ),
    ("EROFS", NO_WRITE),
];

/// What common programs print if there is no network: curl, git, cargo, npm, node, Python, go, wget, ssh, Java, Ruby.
const NETWORK_SIGNS: [&str; 16] = [
    "Network is unreachable",
    "network is unreachable",
    "Could not resolve host",
    "Couldn't resolve host",
    "could not resolve host",
    "name resolution",
    "Name or service not known",
    "nodename nor servname",
    "unable to resolve host",
    "Temporary failure resolving",
    "EAI_AGAIN",
    "ENOTFOUND",
    "ENETUNREACH",
    "no such host",
    "UnknownHostException",
    "Failed to establish a new connection",
];

const OUTSIDE: &str = "The sandbox (`sandbox.shell`) lets commands write to the workspace and $TMPDIR only.";
const NOT_ONLINE: &str = "The sandbox (`sandbox.shell`) has no network unless the user sets `sandbox.network`.";
const WORKSPACE_SIGNS: [(&str, &str); 4] = [
    ("Read-only file system", OUTSIDE),
    (
        "Permission denied",
        "The sandbox (`sandbox.shell`) refused a write outside the workspace and $TMPDIR, or reading a secret.",
    ),
    ("Operation not permitted", "The sandbox (`sandbox.shell`) refuses signals to other processes and mounts."),
    ("EROFS", OUTSIDE),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn rh_2_refused_parts_of_commands_are_known() {
        let of = |output: &str| refused_access(ShellConfinement::WorkspaceSandbox, output, Path::new("/p/ws"));
        assert_eq!(of("npm error code EAI_AGAIN\n"), Some("network"));
        assert_eq!(of("cat: /home/u/.ssh/id_rsa: Permission denied\nrc=1\n"), Some("files"));
        assert_eq!(of("touch: cannot touch '../x': Read-only file system"), Some("files"));
        for own in ["bash: ./x.sh: Permission denied", "bash: line 1: /p/ws/x.sh: Permission denied", "1 test failed"] {
            assert_eq!(of(own), None, "{own}");
        }
        assert_eq!(refused_access(ShellConfinement::Disabled, "EAI_AGAIN", Path::new("/")), None);
    }

    #[test]
    fn pm_62_missing_network_is_named_for_common_tools() {
        let outputs = [
            "curl: (6) Could not resolve host: example.org",
            "fatal: unable to access 'https://x/': Could not resolve host: x",
            "npm error code EAI_AGAIN\nnpm error syscall getaddrinfo\nnpm error EROFS: read-only file system",
            "socket.gaierror: [Errno -3] Temporary failure in name resolution",
            "urllib3: [Errno -2] Name or service not known",
            "[6] Couldn't resolve host name (index.crates.io)",
            "dial tcp: lookup proxy.golang.org: connect: network is unreachable",
            "dial tcp: lookup proxy.golang.org on 127.0.0.53:53: no such host",
            "wget: unable to resolve host address 'x'",
        ];
        for output in outputs {
            let hint = refusal_hint(ShellConfinement::PlanSandbox, output, false).unwrap();
            assert!(hint.contains("Plan mode has no network"), "{output}");
            assert_eq!(refusal_hint(ShellConfinement::ParsedReadOnly, output, false), None);
        }
        let write = refusal_hint(ShellConfinement::PlanSandbox, "touch: Read-only file system", false).unwrap();
        assert!(write.contains("refused a write"));
        assert_eq!(refusal_hint(ShellConfinement::PlanSandbox, "1 test failed", false), None);
        let silent = refusal_hint(ShellConfinement::PlanSandbox, "", is_offline_exit("cd x && curl -s https://h", 6));
        assert!(silent.unwrap().contains("Plan mode has no network"));
        assert!(!is_offline_exit("make", 6) && !is_offline_exit("curl -s https://h", 22));
    }

    #[test]
    fn sb_6_secrets_of_other_projects_are_hidden() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        let files = [
            "ws/.env",
            "shop/.env",
            "work/api/config/secrets.yml",
            "shop/node_modules/x/key.pem",
            "shop/a.rs",
            "shop/.aws/credentials",
            ".config/x/creds.json",
            ".cache/x/key.pem",
        ];
        for file in files {
            std::fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
            std::fs::write(home.join(file), "x").unwrap();
        }
        let workspace = |root: &str| {
            Workspace::new(&home.join(root), &[], Some(&home), &home.join(".cutonce"), &home.join(".cutonce/own"))
                .unwrap()
        };
        let mut found = find_home_secrets(&workspace("ws"));
        found.sort();
        let expected = [".config/x/creds.json", "shop/.aws", "shop/.env", "work/api/config/secrets.yml"];
        assert_eq!(found, expected.map(|path| home.join(path)));
        let sandbox = PlanSandbox::new(PlanSandboxOptions::default()).unwrap();
        let hidden = sandbox.hidden(&workspace("ws"));
        assert!(["ws/.env", "shop/.env"].iter().all(|file| hidden.contains(&home.join(file))), "{hidden:?}");
        assert!(find_home_secrets(&workspace("")).is_empty(), "the walk of the workspace finds them");
    }

    #[test]
    fn sb_2_private_folder_is_for_the_user_only() {
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let sandbox = PlanSandbox::new(PlanSandboxOptions::default()).unwrap();
        assert_eq!(mode(sandbox.folder.path()), 0o700);
        assert_eq!(mode(WorkspaceSandbox::new(Vec::new(), false).unwrap().folder.path()), 0o700);
    }
}
