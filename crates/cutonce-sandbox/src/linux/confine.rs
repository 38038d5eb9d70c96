//! From a profile to what the kernel is told: namespaces and mounts, capabilities, Landlock, the filter (SB-2, SB-4).

use super::landlock::{self, Access, Rules};
use super::launch::Stage;
use super::mounts::{Step, layer_options};
use super::seccomp::{Gaps, filter};
use super::sys::sys;
use crate::layer::{Layer, Tier};
use crate::profile::{Profile, ReadOnly, Scratch, WorkspaceWrite};
use libc::{c_int, sock_filter};
use std::ffi::CString;
use std::fs::{Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A profile made ready: nothing is left to be looked up, allocated or decided in the new processes.
#[derive(Debug)]
pub(crate) struct Confinement {
    /// Flags of `clone`.
    pub(crate) namespaces: c_int,
    identity: Identity,
    steps: Vec<Step>,
    rules: Rules,
    /// Rules on folders that are there only after mounting.
    late: Vec<(CString, u64)>,
    filter: Vec<sock_filter>,
}

/// Who we are stays who we are inside.
#[derive(Debug)]
struct Identity {
    users: CString,
    groups: CString,
}

/// Everything the new processes see of the profile, before the kernel is asked for anything.
#[derive(Debug, Default)]
struct Outline {
    write: Vec<PathBuf>,
    hide: Vec<PathBuf>,
    readable: Vec<PathBuf>,
    layers: Vec<Laid>,
    /// A private folder in the place of /dev/shm.
    shm: Option<PathBuf>,
    /// Where files that nobody may read can be made, to be in the place of hidden ones.
    closed: Option<PathBuf>,
    read_only: bool,
    network: bool,
    /// A network namespace with nobody else in it.
    loopback: bool,
}

/// A throwaway layer over a folder.
#[derive(Debug, Clone)]
pub(crate) struct Laid {
    pub(crate) over: PathBuf,
    pub(crate) upper: PathBuf,
    pub(crate) work: PathBuf,
}

/// The network is not among them: nothing can open a socket, and making one takes longer than all the others together.
const NAMESPACES: c_int =
    libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;

/// Devices that hold nothing of anybody's.
const DEVICES: &[(&str, Access)] = &[
    ("/dev/null", Access::Use),
    ("/dev/zero", Access::Use),
    ("/dev/full", Access::Use),
    ("/dev/random", Access::Read),
    ("/dev/urandom", Access::Read),
    ("/dev/shm", Access::Read),
];

/// Can't be applied: why.
pub(crate) type Refusal = String;

impl Confinement {
    /// None if the profile confines nothing. `scratch`: the folder made for the layers of this command.
    pub(crate) fn new(profile: &Profile, layer: &Layer, scratch: Option<&Path>) -> Result<Option<Self>, Refusal> {
        let outline = match profile {
            Profile::Open => return Ok(None),
            Profile::ReadOnly(read_only) => of_read_only(read_only, scratch)?,
            Profile::WorkspaceWrite(write) => of_workspace_write(write, layer)?,
        };
        Self::of(&outline, layer).map(Some)
    }

    /// The least that each tier must be able to do.
    pub(crate) fn trial(tier: Tier, abi: u32) -> Result<Self, Refusal> {
        let layer = Layer { tier, landlock: Some(abi), missing: Vec::new() };
        Self::of(&Outline { read_only: true, ..Outline::default() }, &layer)
    }

    /// A throwaway layer, over a folder made for the purpose.
    pub(crate) fn layer_trial(laid: Laid, abi: u32) -> Result<Self, Refusal> {
        let layer = Layer { tier: Tier::Namespaces, landlock: Some(abi), missing: Vec::new() };
        let outline = Outline { layers: vec![laid], read_only: true, loopback: true, ..Outline::default() };
        Self::of(&outline, &layer)
    }

    fn of(outline: &Outline, layer: &Layer) -> Result<Self, Refusal> {
        let namespaces = layer.tier == Tier::Namespaces;
        let abi = layer.landlock.unwrap_or(0);
        if layer.tier == Tier::None || abi < landlock::OLDEST && !namespaces || abi == 0 {
            return Err(layer.why());
        }
        let inside = inside_writable(outline);
        if !namespaces && (!inside.is_empty() || !outline.layers.is_empty()) {
            return Err("hiding files inside a writable folder, or a throwaway layer, needs user namespaces".into());
        }
        let rules = rules(outline, abi, namespaces).map_err(|error| format!("Landlock: {error}"))?;
        let late = late_rules(outline, &rules, namespaces)?;
        let gaps = Gaps {
            metadata: !namespaces && outline.read_only,
            signals: !namespaces && abi < landlock::HOLDS_SIGNALS,
            processes: !namespaces,
            internet: outline.network || outline.loopback && namespaces,
            ioctl_listed_only: outline.read_only && outline.layers.is_empty(),
        };
        let net = if outline.loopback { libc::CLONE_NEWNET } else { 0 };
        Ok(Self {
            namespaces: if namespaces { NAMESPACES | net } else { 0 },
            identity: Identity::ours(),
            steps: if namespaces { steps(outline, &inside)? } else { Vec::new() },
            rules,
            late,
            filter: filter(gaps),
        })
    }

    /// In the supervisor: the view of the file system.
    pub(crate) unsafe fn enter_namespaces(&self) -> Result<(), (Stage, usize, i32)> {
        if self.namespaces == 0 {
            return Ok(());
        }
        unsafe {
            self.identity.take_on().map_err(|errno| (Stage::UserNamespace, 0, errno))?;
            for (at, step) in self.steps.iter().enumerate() {
                step.take().map_err(|errno| (Stage::Mounts, at, errno))?;
            }
        }
        Ok(())
    }

    /// In the program, as the last thing before exec.
    pub(crate) unsafe fn take_on(&self) -> Result<(), (Stage, usize, i32)> {
        unsafe {
            drop_rights().map_err(|errno| (Stage::Capabilities, 0, errno))?;
            for (path, access) in &self.late {
                landlock::add_late(self.rules.as_raw(), path, *access).map_err(|errno| (Stage::Landlock, 0, errno))?;
            }
            landlock::take_on(self.rules.as_raw()).map_err(|errno| (Stage::Landlock, 0, errno))?;
            let program = libc::sock_fprog { len: self.filter.len() as u16, filter: self.filter.as_ptr().cast_mut() };
            let mode_filter = 1;
            sys!(SYS_seccomp, mode_filter, 0, &raw const program).map_err(|errno| (Stage::Filter, 0, errno))?;
        }
        Ok(())
    }

    /// What failed, in words.
    pub(crate) fn step_name(&self, at: usize) -> String {
        self.steps.get(at).map_or_else(|| "mounting".into(), Step::name)
    }
}

fn of_read_only(profile: &ReadOnly, scratch: Option<&Path>) -> Result<Outline, Refusal> {
    let layers = match (&profile.scratch, scratch) {
        (Some(wanted), Some(folder)) => lay(wanted, folder)?,
        (Some(_), None) => return Err("no folder for the throwaway layer".into()),
        (None, _) => Vec::new(),
    };
    let shm = scratch.map(|folder| folder.join("shm")).filter(|_| Path::new("/dev/shm").is_dir());
    Ok(Outline {
        write: vec![existing(&profile.tmp)?],
        hide: resolved(&profile.hide),
        readable: resolved(&profile.readable),
        loopback: !layers.is_empty(),
        shm,
        closed: scratch.map(Path::to_owned),
        layers,
        read_only: true,
        network: false,
    })
}

fn of_workspace_write(profile: &WorkspaceWrite, layer: &Layer) -> Result<Outline, Refusal> {
    let write = profile.roots.iter().chain([&profile.tmp]).map(|root| existing(root)).collect::<Result<_, _>>()?;
    Ok(Outline {
        write,
        hide: resolved(&profile.hide),
        network: profile.network,
        loopback: !profile.network && layer.tier == Tier::Namespaces,
        ..Outline::default()
    })
}

fn lay(scratch: &Scratch, folder: &Path) -> Result<Vec<Laid>, Refusal> {
    let mut over = vec![existing(&scratch.root)?];
    over.extend(scratch.also.iter().filter_map(|also| also.canonicalize().ok()).filter(|also| also.is_dir()));
    // A layer over a folder inside another's would hide the outer one's.
    let outermost = |path: &PathBuf| !over.iter().any(|other| other != path && path.starts_with(other));
    let mut kept: Vec<PathBuf> = over.iter().filter(|path| outermost(path)).cloned().collect();
    kept.dedup();
    let laid = kept.into_iter().enumerate().map(|(number, over)| {
        let (upper, work) = (folder.join(format!("upper{number}")), folder.join(format!("work{number}")));
        for made in [&upper, &work] {
            std::fs::create_dir(made).map_err(|error| format!("{}: {error}", made.display()))?;
        }
        // The layer's own folder stands for the one below: it has its mode.
        let mode = std::fs::metadata(&over).map(|meta| meta.permissions());
        mode.and_then(|mode| std::fs::set_permissions(&upper, mode))
            .map_err(|error| format!("{}: {error}", upper.display()))?;
        Ok(Laid { over, upper, work })
    });
    laid.collect()
}

/// A folder that must be there, without links in its path.
fn existing(path: &Path) -> Result<PathBuf, Refusal> {
    match path.canonicalize() {
        Ok(path) if path.is_dir() => Ok(path),
        Ok(path) => Err(format!("{} is not a folder", path.display())),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Without links in their paths; a name that is not there yet stays hidden in its folder.
fn resolved(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for path in paths {
        let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
        if let (Some(parent), Some(name)) = (parent, path.file_name()) {
            all.push(parent.join(name));
        }
        all.extend(path.canonicalize());
    }
    all.sort();
    all.dedup();
    all
}

/// What is hidden but lies where the program may write: Landlock can't take it out of what it allows there.
fn inside_writable(outline: &Outline) -> Vec<PathBuf> {
    let writable = || outline.write.iter().chain(outline.layers.iter().map(|laid| &laid.over));
    let inside = |path: &&PathBuf| writable().any(|root| path.starts_with(root));
    outline.hide.iter().filter(inside).cloned().collect()
}

fn rules(outline: &Outline, abi: u32, namespaces: bool) -> io::Result<Rules> {
    let rules = Rules::new(abi, outline.network || outline.loopback)?;
    let mut hidden = outline.hide.clone();
    hidden.push("/dev".into());
    if namespaces {
        // The one from outside is not what will be there.
        hidden.push("/proc".into());
    }
    rules.allow(Path::new("/"), Access::List)?;
    for (path, folder) in landlock::neighbours(&hidden) {
        rules.allow_one(&path, Access::Read, folder)?;
    }
    for (device, access) in DEVICES {
        rules.allow(Path::new(device), *access)?;
    }
    for path in &outline.readable {
        rules.allow(path, Access::Read)?;
    }
    for path in &outline.write {
        rules.allow(path, Access::Write)?;
    }
    Ok(rules)
}

fn late_rules(outline: &Outline, rules: &Rules, namespaces: bool) -> Result<Vec<(CString, u64)>, Refusal> {
    let mut late = Vec::new();
    if namespaces {
        late.push((c"/proc".into(), rules.bits(Access::Read, true)));
    }
    for laid in &outline.layers {
        late.push((c_path(&laid.over)?, rules.bits(Access::Write, true)));
    }
    if outline.shm.is_some() {
        late.push((c"/dev/shm".into(), rules.bits(Access::Write, true)));
    }
    Ok(late)
}

/// In the order in which they work: layers and masks need a place to be mounted, the sweep makes all of them
/// read-only, and then some are writable again.
fn steps(outline: &Outline, inside: &[PathBuf]) -> Result<Vec<Step>, Refusal> {
    let mut steps = vec![Step::Private];
    for laid in &outline.layers {
        let at = c_path(&laid.over)?;
        let options = layer_options(&at, &c_path(&laid.upper)?, &c_path(&laid.work)?);
        steps.push(Step::Layer { at, options });
    }
    for path in &outline.write {
        steps.push(Step::Apart(c_path(path)?));
    }
    if let Some(shm) = &outline.shm {
        steps.push(Step::Show { what: c_path(shm)?, at: c"/dev/shm".into() });
    }
    for (number, path) in inside.iter().enumerate() {
        match std::fs::symlink_metadata(path) {
            Ok(meta) if meta.is_dir() => steps.push(Step::MaskFolder(c_path(path)?)),
            Ok(meta) if meta.is_file() => {
                let with = match &outline.closed {
                    Some(folder) => closed_file(&folder.join(format!("closed{number}")), &meta)?,
                    None => c"/dev/null".into(),
                };
                steps.push(Step::MaskFile { at: c_path(path)?, with });
            }
            Ok(_) | Err(_) => {}
        }
    }
    steps.push(Step::ReadOnly);
    for path in outline.write.iter().chain(outline.layers.iter().map(|laid| &laid.over)) {
        steps.push(Step::Writable(c_path(path)?));
    }
    if outline.shm.is_some() {
        steps.push(Step::Writable(c"/dev/shm".into()));
    }
    steps.push(Step::Proc);
    if outline.loopback {
        steps.push(Step::Loopback);
    }
    Ok(steps)
}

/// As long and as old as the hidden one, so that git need not look into it (with `core.checkStat=minimal`).
fn closed_file(path: &Path, like: &Metadata) -> Result<CString, Refusal> {
    let make = || {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o000).open(path)?;
        file.set_len(like.len())?;
        file.set_modified(like.modified()?)
    };
    make().map_err(|error: io::Error| format!("{}: {error}", path.display()))?;
    c_path(path)
}

fn c_path(path: &Path) -> Result<CString, Refusal> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| format!("{} has a zero byte in its name", path.display()))
}

impl Identity {
    fn ours() -> Self {
        // Safety: plain questions.
        let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
        let map = |id: u32| CString::new(format!("{id} {id} 1")).unwrap_or_default();
        Self { users: map(user), groups: map(group) }
    }

    unsafe fn take_on(&self) -> Result<(), i32> {
        unsafe {
            // Of a process that nobody may look into (MO-4), these belong to root. It lasts until the exec that follows.
            sys!(SYS_prctl, libc::PR_SET_DUMPABLE, 1, 0, 0, 0)?;
            write(c"/proc/self/setgroups".as_ptr(), c"deny".to_bytes())?;
            write(c"/proc/self/uid_map".as_ptr(), self.users.as_bytes())?;
            write(c"/proc/self/gid_map".as_ptr(), self.groups.as_bytes())
        }
    }
}

unsafe fn write(path: *const libc::c_char, text: &[u8]) -> Result<(), i32> {
    unsafe {
        let file = sys!(SYS_openat, libc::AT_FDCWD, path, libc::O_WRONLY | libc::O_CLOEXEC)?;
        sys!(SYS_write, file, text.as_ptr(), text.len())?;
        sys!(SYS_close, file).map(drop)
    }
}

/// No capability, none to be had by any exec, and no core file or core handler.
unsafe fn drop_rights() -> Result<(), i32> {
    unsafe {
        sys!(SYS_prctl, libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)?;
        for capability in 0..64 {
            // Refused where there is none to drop.
            let _ = sys!(SYS_prctl, libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
        let _ = sys!(SYS_prctl, libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        let version_3 = [0x2008_0522u32, 0];
        let none = [0u32; 6];
        sys!(SYS_capset, version_3.as_ptr(), none.as_ptr())?;
        // One byte: too little for a file, and the one value that stops a handler too.
        let limit = [1u64, 1];
        let _ = sys!(SYS_prlimit64, 0, libc::RLIMIT_CORE, limit.as_ptr(), 0);
    }
    Ok(())
}
