//! Translates a profile for the kernel: namespaces and mounts, capabilities, Landlock, system call filter (SB-2,
//! SB-4).

use super::inner_listener::ListenerChannel;
use super::landlock::{self, LandlockAccess, LandlockRules};
use super::launch::LaunchStage;
use super::mounts::{MountStep, overlay_options};
use super::protected::ProtectedPlaces;
use super::seccomp::{FilterGaps, build_filter};
use super::stand_in::{create_stand_in, put_on_layers};
use super::sys::sys;
use super::user_namespace::shared_user_namespace;
use super::watch::count_own_tasks;
use crate::layer::{SandboxSupport, SandboxTier};
use crate::profile::{LayerMount, ReadOnlyProfile, ResourceLimits, SandboxProfile, WorkspaceWriteProfile};
use libc::{c_int, sock_filter};
use std::collections::BTreeSet;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A prepared profile: the new processes need no lookup, allocation or decision.
#[derive(Debug)]
pub(crate) struct KernelConfinement {
    /// Flags of `clone`.
    pub(crate) namespaces: c_int,
    user_namespace: Option<Arc<OwnedFd>>,
    steps: Vec<MountStep>,
    /// `None` on a kernel without Landlock: then the mounts hide and close everything.
    rules: Option<LandlockRules>,
    /// Rules for folders that exist only after mounting.
    late_rules: Vec<(CString, u64)>,
    /// Empty for a program that is not confined.
    filter: Vec<sock_filter>,
    limits: ResourceLimits,
    listener: Option<ListenerChannel>,
}

/// Everything the new processes see of the profile, before any kernel call.
#[derive(Debug, Default)]
struct ProfileOutline {
    write: Vec<PathBuf>,
    hide: Vec<PathBuf>,
    readable: Vec<PathBuf>,
    layers: Vec<OverlayLayer>,
    /// Folders inside a layer that are written directly.
    through: Option<ThroughFolders>,
    /// A private folder mounted over /dev/shm.
    shm: Option<PathBuf>,
    /// Folder for the stand-ins that cover hidden files.
    stand_in_folder: Option<PathBuf>,
    /// Hidden files that get a stand-in although Landlock could refuse them.
    stand_ins: Vec<PathBuf>,
    /// A layer's own storage. A mount covers it: rules for all its neighbours would cost every command more.
    storage: Option<PathBuf>,
    /// Hidden files that a stand-in on a layer covers; they need no mount.
    closed_on_layers: BTreeSet<PathBuf>,
    /// Places inside writable folders that stay read-only; each exists.
    protect: Vec<PathBuf>,
    /// Links inside writable folders that must not be replaced.
    protect_links: Vec<PathBuf>,
    read_only: bool,
    network: bool,
    /// Uses an empty network namespace of its own.
    loopback: bool,
    background: bool,
    limits: ResourceLimits,
    listener: Option<u16>,
}

/// A throwaway layer over one folder.
#[derive(Debug, Clone)]
pub(crate) struct OverlayLayer {
    pub(crate) covered: PathBuf,
    pub(crate) upper: PathBuf,
    pub(crate) work: PathBuf,
}

/// Folders inside a layer's root that are not layered. A layer covers the folders themselves, so they are reached
/// through a second mount of the root.
#[derive(Debug, Clone)]
struct ThroughFolders {
    root: PathBuf,
    /// An empty folder for the second mount.
    below: PathBuf,
    folders: Vec<PathBuf>,
}

/// Namespaces of a confined command, inside the user namespace of them all. No network namespace: the filter blocks
/// sockets, and creating one takes longer than all the others together.
const CONFINED_NAMESPACES: c_int = libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;

/// Devices without any user data.
const DEVICES: &[(&str, LandlockAccess)] = &[
    ("/dev/null", LandlockAccess::ReadWriteExisting),
    ("/dev/zero", LandlockAccess::ReadWriteExisting),
    ("/dev/full", LandlockAccess::ReadWriteExisting),
    ("/dev/random", LandlockAccess::Read),
    ("/dev/urandom", LandlockAccess::Read),
    ("/dev/shm", LandlockAccess::Read),
];

/// Why a profile can't be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefusalReason {
    pub(crate) why: String,
    /// A resource was short: the next attempt may succeed (SB-3).
    pub(crate) passing: bool,
}

impl RefusalReason {
    pub(crate) fn from_error(what: &str, error: &io::Error) -> Self {
        let passing = error.raw_os_error().is_some_and(is_passing);
        Self { why: format!("{what}: {}", describe_error(error)), passing }
    }
}

impl From<String> for RefusalReason {
    fn from(why: String) -> Self {
        Self { why, passing: false }
    }
}

impl From<&str> for RefusalReason {
    fn from(why: &str) -> Self {
        why.to_string().into()
    }
}

fn no_user_namespace(error: &io::Error) -> RefusalReason {
    let refused = RefusalReason::from_error("making a user namespace", error);
    match error.raw_os_error() {
        Some(libc::ENOSPC) => RefusalReason {
            why: "making a user namespace: the limit in /proc/sys/user/max_user_namespaces is reached".into(),
            ..refused
        },
        _ => refused,
    }
}

/// Describes an error without its number, which means nothing to a user.
pub(crate) fn describe_error(error: &io::Error) -> String {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(number) => text.replace(&format!(" (os error {number})"), ""),
        None => text,
    }
}

/// True for errors that say nothing about what the kernel can do: a resource was short at that moment.
pub(crate) fn is_passing(errno: i32) -> bool {
    match errno {
        libc::EAGAIN | libc::ENOMEM | libc::EMFILE | libc::ENFILE | libc::EINTR | libc::EDQUOT => true,
        // Also the answer where the administrator allows no user namespace at all.
        libc::ENOSPC => {
            std::fs::read_to_string("/proc/sys/user/max_user_namespaces").is_ok_and(|most| most.trim() != "0")
        }
        _ => false,
    }
}

impl KernelConfinement {
    /// Prepares a profile; `None` if it confines nothing. `scratch` is the folder for this command's layers.
    pub(crate) fn new(
        profile: &SandboxProfile,
        layer: &SandboxSupport,
        scratch: Option<&Path>,
        protected: &ProtectedPlaces,
    ) -> Result<Option<Self>, RefusalReason> {
        let outline = match profile {
            SandboxProfile::Unconfined => return Ok(None),
            SandboxProfile::ReadOnly(read_only) => outline_read_only(read_only, layer, scratch)?,
            SandboxProfile::WorkspaceWrite(write) => outline_workspace_write(write, layer, scratch, protected)?,
            SandboxProfile::Layered(mount) => return Self::only_layer(mount, layer, scratch).map(Some),
        };
        Self::from_outline(&outline, layer).map(Some)
    }

    /// A program that is not confined, on a layer.
    fn only_layer(mount: &LayerMount, layer: &SandboxSupport, scratch: Option<&Path>) -> Result<Self, RefusalReason> {
        if layer.tier != SandboxTier::Namespaces {
            return Err(format!("layers need user namespaces: {}", layer.missing_reasons()).into());
        }
        let mut outline = ProfileOutline::default();
        outline_layer(&mut outline, mount, scratch)?;
        let namespace = shared_user_namespace();
        let mut steps = vec![MountStep::Private];
        add_layer_steps(&outline, &mut steps)?;
        steps.extend([MountStep::MaskFolder(c_path(&mount.storage)?), MountStep::WritableProc]);
        Ok(Self {
            namespaces: libc::CLONE_NEWNS | libc::CLONE_NEWPID,
            user_namespace: Some(
                namespace.map_err(|error| RefusalReason::from_error("making a user namespace", &error))?,
            ),
            steps,
            rules: None,
            late_rules: Vec::new(),
            filter: Vec::new(),
            limits: ResourceLimits::default(),
            listener: None,
        })
    }

    /// The minimum that each tier must support, for probing.
    pub(crate) fn for_tier_probe(tier: SandboxTier, abi: Option<u32>) -> Result<Self, RefusalReason> {
        let layer = SandboxSupport { tier, landlock: abi, missing: Vec::new(), trial_failed: false };
        Self::from_outline(&ProfileOutline { read_only: true, ..ProfileOutline::default() }, &layer)
    }

    /// A throwaway layer over a folder made for probing.
    pub(crate) fn for_scratch_probe(laid: OverlayLayer, abi: Option<u32>) -> Result<Self, RefusalReason> {
        let tier = SandboxTier::Namespaces;
        let layer = SandboxSupport { tier, landlock: abi, missing: Vec::new(), trial_failed: false };
        let outline =
            ProfileOutline { layers: vec![laid], read_only: true, loopback: true, ..ProfileOutline::default() };
        Self::from_outline(&outline, &layer)
    }

    fn from_outline(outline: &ProfileOutline, layer: &SandboxSupport) -> Result<Self, RefusalReason> {
        let namespaces = layer.tier == SandboxTier::Namespaces;
        let abi = layer.landlock.filter(|abi| *abi > 0);
        if layer.tier == SandboxTier::None || !namespaces && abi.is_none_or(|abi| abi < landlock::MIN_VERSION) {
            return Err(layer.missing_reasons().into());
        }
        let masked = match abi {
            Some(_) => inside_writable(outline).into_iter().chain(outline.stand_ins.clone()).collect(),
            None => masked_by_mounts(outline),
        };
        let masked: BTreeSet<PathBuf> = BTreeSet::from_iter(masked);
        let masked: Vec<PathBuf> = masked.difference(&outline.closed_on_layers).cloned().collect();
        if !outline.layers.is_empty() && !namespaces {
            return Err("layers need user namespaces".into());
        }
        if outline.listener.is_some() && !namespaces {
            return Err("a network of its own needs user namespaces".into());
        }
        let channel = outline.listener.map(|port| ListenerChannel::new().map(|channel| (port, channel))).transpose();
        let channel = channel.map_err(|error| RefusalReason::from_error("making a socket", &error))?;
        let mut steps = if namespaces { build_steps(outline, &masked, abi.is_none())? } else { Vec::new() };
        steps.extend(
            channel.iter().map(|(port, channel)| MountStep::Listen { port: *port, channel: channel.sending_end() }),
        );
        let rules = abi.map(|abi| build_rules(outline, abi, namespaces)).transpose();
        let rules = rules.map_err(|error| RefusalReason::from_error("Landlock", &error))?;
        let late = rules.as_ref().map_or(Ok(Vec::new()), |rules| late_rules(outline, rules, namespaces))?;
        let gaps = FilterGaps {
            metadata: !namespaces && outline.read_only,
            signals: !namespaces && abi.is_none_or(|abi| abi < landlock::SIGNALS_SINCE),
            processes: !namespaces,
            internet: outline.network || outline.loopback && namespaces,
            ioctl_listed_only: outline.read_only && outline.layers.is_empty(),
            locks: outline.background && outline.layers.is_empty(),
        };
        let net = if outline.loopback { libc::CLONE_NEWNET } else { 0 };
        let user_namespace = namespaces.then(shared_user_namespace).transpose();
        Ok(Self {
            namespaces: if namespaces { CONFINED_NAMESPACES | net } else { 0 },
            user_namespace: user_namespace.map_err(|error| no_user_namespace(&error))?,
            steps,
            rules,
            late_rules: late,
            filter: build_filter(gaps),
            limits: ResourceLimits { processes: process_limit(outline.limits.processes, namespaces), ..outline.limits },
            listener: channel.map(|(_, channel)| channel),
        })
    }

    /// Joins the user namespace, in the process that then clones the supervisor.
    ///
    /// # Safety
    /// Call only in a process with one thread, between clone and exec.
    pub(crate) unsafe fn join_user_namespace(&self) -> Result<(), i32> {
        let Some(namespace) = &self.user_namespace else { return Ok(()) };
        // SAFETY: the call takes plain numbers; the descriptor is open for as long as `self` lives.
        unsafe { sys!(SYS_setns, namespace.as_raw_fd(), libc::CLONE_NEWUSER) }.map(drop)
    }

    /// Sets up the namespaces' view of the file system, in the supervisor.
    ///
    /// # Safety
    /// Call only in the supervisor, between clone and exec, in the namespaces that `self.namespaces` names.
    pub(crate) unsafe fn enter_namespaces(&self) -> Result<(), (LaunchStage, usize, i32)> {
        if self.namespaces == 0 {
            return Ok(());
        }
        // SAFETY: this is the supervisor in its own namespaces; all strings belong to `self`.
        unsafe {
            for (at, step) in self.steps.iter().enumerate() {
                step.perform().map_err(|errno| (LaunchStage::Mounts, at, errno))?;
            }
        }
        Ok(())
    }

    /// Applies capabilities, Landlock rules and the filter, in the program right before exec.
    ///
    /// # Safety
    /// Call only in the program process, between clone and exec: the restrictions can't be undone.
    pub(crate) unsafe fn restrict_program(&self) -> Result<(), (LaunchStage, usize, i32)> {
        // SAFETY: this is the program process before exec. `rules` is an open Landlock descriptor;
        // `program` and the filter it points to outlive the call.
        unsafe {
            drop_rights(self.filter.is_empty()).map_err(|errno| (LaunchStage::Capabilities, 0, errno))?;
            apply_limits(self.limits).map_err(|errno| (LaunchStage::Capabilities, 0, errno))?;
            if let Some(rules) = &self.rules {
                for (path, access) in &self.late_rules {
                    landlock::add_rule_at(rules.as_raw(), path, *access)
                        .map_err(|errno| (LaunchStage::Landlock, 0, errno))?;
                }
                landlock::restrict_self(rules.as_raw()).map_err(|errno| (LaunchStage::Landlock, 0, errno))?;
            }
            if self.filter.is_empty() {
                return Ok(());
            }
            let program = libc::sock_fprog { len: self.filter.len() as u16, filter: self.filter.as_ptr().cast_mut() };
            let mode_filter = 1;
            sys!(SYS_seccomp, mode_filter, 0, &raw const program).map_err(|errno| (LaunchStage::Filter, 0, errno))?;
        }
        Ok(())
    }

    /// Receives the listener in the program's network, after the launch.
    pub(crate) fn take_listener(&self) -> Option<OwnedFd> {
        self.listener.as_ref().and_then(ListenerChannel::receive)
    }

    /// Names the failed step for the error text.
    pub(crate) fn step_name(&self, at: usize) -> String {
        self.steps.get(at).map_or_else(|| "mounting".into(), MountStep::describe)
    }
}

fn outline_read_only(
    profile: &ReadOnlyProfile,
    layer: &SandboxSupport,
    scratch: Option<&Path>,
) -> Result<ProfileOutline, RefusalReason> {
    let replaces = layer.tier == SandboxTier::Namespaces && scratch.is_some();
    let is_file = |path: &PathBuf| path.symlink_metadata().is_ok_and(|about| about.is_file());
    let layers = match (&profile.scratch, scratch) {
        (Some(wanted), Some(folder)) => {
            let root = [require_folder(&wanted.root)?].into_iter();
            create_overlays(root.chain(existing_folders(&wanted.extra_roots)).collect(), folder)?
        }
        (Some(_), None) => return Err("no folder for the throwaway layer".into()),
        (None, _) => Vec::new(),
    };
    let readable = resolve_links(&profile.readable);
    let hide = resolve_links(&profile.hide);
    let closed_on_layers = put_on_layers(&layers, &hide, &readable)?;
    let on_layer = |path: &PathBuf| layers.iter().any(|laid| path.starts_with(&laid.covered));
    let stand_ins = resolve_links(&profile.stand_ins);
    let stand_ins = stand_ins.into_iter().filter(|path| replaces && is_file(path) && !on_layer(path)).collect();
    let has_shm = !layers.is_empty() && Path::new("/dev/shm").is_dir();
    let shm = scratch.map(|folder| folder.join("shm")).filter(|_| has_shm);
    Ok(ProfileOutline {
        write: vec![require_folder(&profile.tmp)?],
        hide,
        readable,
        loopback: !layers.is_empty() || profile.listener.is_some(),
        listener: profile.listener,
        shm,
        stand_in_folder: scratch.map(Path::to_owned),
        stand_ins,
        closed_on_layers,
        layers,
        storage: None,
        through: None,
        protect: Vec::new(),
        protect_links: Vec::new(),
        read_only: true,
        network: false,
        background: profile.background,
        limits: profile.limits,
    })
}

fn outline_workspace_write(
    profile: &WorkspaceWriteProfile,
    layer: &SandboxSupport,
    scratch: Option<&Path>,
    protected: &ProtectedPlaces,
) -> Result<ProfileOutline, RefusalReason> {
    let layered = profile.layer.as_ref().map(|mount| require_folder(&mount.root)).transpose()?;
    let write: Vec<PathBuf> =
        profile.roots.iter().chain([&profile.tmp]).map(|root| require_folder(root)).collect::<Result<_, _>>()?;
    let mut outline = ProfileOutline {
        write: write.into_iter().filter(|root| Some(root) != layered.as_ref()).collect(),
        hide: resolve_links(&profile.hide),
        protect: protected.paths().to_vec(),
        protect_links: protected.links().to_vec(),
        limits: profile.limits,
        network: profile.network,
        loopback: !profile.network && layer.tier == SandboxTier::Namespaces,
        ..ProfileOutline::default()
    };
    if let Some(mount) = &profile.layer {
        outline_layer(&mut outline, mount, scratch)?;
    }
    Ok(outline)
}

/// Adds a kept layer. Each command gets its own work folder: the kernel refuses to use one of a volatile layer twice.
fn outline_layer(
    outline: &mut ProfileOutline,
    mount: &LayerMount,
    scratch: Option<&Path>,
) -> Result<(), RefusalReason> {
    let scratch = scratch.ok_or("no folder for the layer")?;
    let (root, upper, storage) =
        (require_folder(&mount.root)?, require_folder(&mount.upper)?, require_folder(&mount.storage)?);
    let (work, below) = (scratch.join("work"), scratch.join("below"));
    for made in [&work, &below] {
        std::fs::create_dir(made).map_err(|error| RefusalReason::from_error(&made.display().to_string(), &error))?;
    }
    // A link on the way would open another folder than the one that the caller chose.
    let is_itself = |path: &&PathBuf| path.is_dir() && path.canonicalize().is_ok_and(|real| real == **path);
    let below_root = |path: &&PathBuf| path.starts_with(&root) && **path != root;
    let folders: Vec<PathBuf> = mount.through.iter().filter(below_root).filter(is_itself).cloned().collect();
    let apart = |path: &PathBuf| !root.starts_with(path) && !path.starts_with(&root);
    let discarded = existing_folders(&mount.throwaway).filter(apart).collect();
    outline.layers.extend(create_overlays(discarded, scratch)?);
    outline.through = (!folders.is_empty()).then(|| ThroughFolders { root: root.clone(), below, folders });
    outline.layers.push(OverlayLayer { covered: root, upper, work });
    outline.shm = Some(scratch.join("shm")).filter(|_| Path::new("/dev/shm").is_dir());
    outline.stand_in_folder = Some(scratch.to_path_buf());
    outline.storage = Some(storage);
    Ok(())
}

/// Those of the paths that are folders, resolved.
fn existing_folders(paths: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    paths.iter().filter_map(|path| path.canonicalize().ok()).filter(|path| path.is_dir())
}

/// Puts an empty layer over each of these folders; what is written to it is in `folder`.
fn create_overlays(over: Vec<PathBuf>, folder: &Path) -> Result<Vec<OverlayLayer>, RefusalReason> {
    // A layer inside another layer would be hidden by the outer one.
    let outermost = |path: &PathBuf| !over.iter().any(|other| other != path && path.starts_with(other));
    let mut kept: Vec<PathBuf> = over.iter().filter(|path| outermost(path)).cloned().collect();
    kept.dedup();
    let laid = kept.into_iter().enumerate().map(|(number, over)| {
        let (upper, work) = (folder.join(format!("upper{number}")), folder.join(format!("work{number}")));
        for made in [&upper, &work] {
            std::fs::create_dir(made)
                .map_err(|error| RefusalReason::from_error(&made.display().to_string(), &error))?;
        }
        // The layer's own folder replaces the one below, so it gets the same mode.
        let mode = std::fs::metadata(&over).map(|meta| meta.permissions());
        mode.and_then(|mode| std::fs::set_permissions(&upper, mode))
            .map_err(|error| RefusalReason::from_error(&upper.display().to_string(), &error))?;
        Ok(OverlayLayer { covered: over, upper, work })
    });
    laid.collect()
}

/// Resolves a folder that must exist.
fn require_folder(path: &Path) -> Result<PathBuf, RefusalReason> {
    match path.canonicalize() {
        Ok(path) if path.is_dir() => Ok(path),
        Ok(path) => Err(format!("{} is not a folder", path.display()).into()),
        Err(error) => Err(RefusalReason::from_error(&path.display().to_string(), &error)),
    }
}

/// Resolves links in the paths. A name that does not exist yet stays hidden in its folder.
fn resolve_links(paths: &[PathBuf]) -> Vec<PathBuf> {
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

/// Hidden paths inside writable folders: Landlock can't exclude them from what it allows there.
fn inside_writable(outline: &ProfileOutline) -> Vec<PathBuf> {
    let writable = || outline.write.iter().chain(outline.layers.iter().map(|laid| &laid.covered));
    let inside = |path: &&PathBuf| writable().any(|root| path.starts_with(root));
    outline.hide.iter().filter(inside).cloned().collect()
}

/// Hidden paths on a kernel without Landlock, where mounts must cover all of them. Around a readable file inside a
/// hidden folder its neighbours are covered, one by one.
fn masked_by_mounts(outline: &ProfileOutline) -> Vec<PathBuf> {
    let mut masked = Vec::new();
    outline.hide.iter().for_each(|hidden| mask_around(hidden, &outline.readable, &mut masked));
    masked
}

fn mask_around(path: &Path, readable: &[PathBuf], masked: &mut Vec<PathBuf>) {
    if readable.iter().any(|open| path.starts_with(open)) {
        return;
    }
    let contains_readable = readable.iter().any(|open| open.starts_with(path));
    match std::fs::read_dir(path) {
        Ok(entries) if contains_readable => {
            entries.flatten().for_each(|entry| mask_around(&entry.path(), readable, masked));
        }
        Ok(_) | Err(_) => masked.push(path.to_path_buf()),
    }
}

fn build_rules(outline: &ProfileOutline, abi: u32, namespaces: bool) -> io::Result<LandlockRules> {
    let rules = LandlockRules::new(abi, outline.network || outline.loopback)?;
    let mut hidden: BTreeSet<PathBuf> = outline.hide.iter().cloned().collect();
    hidden.insert("/dev".into());
    if namespaces {
        // A new /proc replaces the one from outside.
        hidden.insert("/proc".into());
    }
    rules.allow(Path::new("/"), LandlockAccess::List)?;
    for (path, folder) in landlock::open_below(Path::new("/"), &hidden) {
        rules.allow_known_kind(&path, LandlockAccess::Read, folder)?;
    }
    for (device, access) in DEVICES {
        rules.allow(Path::new(device), *access)?;
    }
    for path in &outline.readable {
        rules.allow(path, LandlockAccess::Read)?;
    }
    // Mounts close what is hidden or protected inside a writable folder. Without them only its neighbours are writable.
    let closed: BTreeSet<PathBuf> = match namespaces {
        true => BTreeSet::new(),
        false => outline.hide.iter().chain(&outline.protect).chain(&outline.protect_links).cloned().collect(),
    };
    for folder in &outline.write {
        for (path, is_folder) in landlock::open_below(folder, &closed) {
            rules.allow_known_kind(&path, LandlockAccess::Write, is_folder)?;
        }
    }
    Ok(rules)
}

fn late_rules(
    outline: &ProfileOutline,
    rules: &LandlockRules,
    namespaces: bool,
) -> Result<Vec<(CString, u64)>, RefusalReason> {
    let mut late = Vec::new();
    if namespaces {
        late.push((c"/proc".into(), rules.bits(LandlockAccess::Read, true)));
    }
    for laid in &outline.layers {
        late.push((c_path(&laid.covered)?, rules.bits(LandlockAccess::Write, true)));
    }
    if outline.shm.is_some() {
        late.push((c"/dev/shm".into(), rules.bits(LandlockAccess::Write, true)));
    }
    for path in &outline.stand_ins {
        late.push((c_path(path)?, rules.bits(LandlockAccess::Read, false)));
    }
    Ok(late)
}

fn add_layer_steps(outline: &ProfileOutline, steps: &mut Vec<MountStep>) -> Result<(), RefusalReason> {
    if let Some(through) = &outline.through {
        steps.push(MountStep::BindOver { what: c_path(&through.root)?, at: c_path(&through.below)? });
    }
    for laid in &outline.layers {
        let at = c_path(&laid.covered)?;
        let options = overlay_options(&at, &c_path(&laid.upper)?, &c_path(&laid.work)?);
        steps.push(MountStep::Overlay { at, options });
    }
    for (through, folder) in
        outline.through.iter().flat_map(|through| through.folders.iter().map(move |at| (through, at)))
    {
        let inside = folder.strip_prefix(&through.root).unwrap_or(folder);
        steps.push(MountStep::BindOver { what: c_path(&through.below.join(inside))?, at: c_path(folder)? });
    }
    Ok(())
}

/// Builds the mount steps in working order: layers and masks first, then everything becomes read-only, then some
/// folders become writable again. `close_devices`: also allow only the devices that Landlock would.
fn build_steps(
    outline: &ProfileOutline,
    masked: &[PathBuf],
    close_devices: bool,
) -> Result<Vec<MountStep>, RefusalReason> {
    let mut steps = vec![MountStep::Private];
    add_layer_steps(outline, &mut steps)?;
    let devices: Vec<&str> = DEVICES.iter().map(|(device, _)| *device).filter(|_| close_devices).collect();
    let devices: Vec<&Path> =
        devices.into_iter().map(Path::new).filter(|path| path.exists() && !path.is_dir()).collect();
    let around = folders_around_protected(outline);
    // What is mounted onto itself here stays read-only, unless it becomes writable below.
    let own_mounts = outline.write.iter().chain(&around).chain(&outline.protect);
    let own_mounts = own_mounts.map(PathBuf::as_path).chain(devices.iter().copied());
    for path in own_mounts {
        steps.push(MountStep::BindSelf(c_path(path)?));
    }
    for link in &outline.protect_links {
        steps.push(MountStep::PinLink(c_path(link)?));
    }
    if let Some(shm) = &outline.shm {
        steps.push(MountStep::BindOver { what: c_path(shm)?, at: c"/dev/shm".into() });
    }
    for (number, path) in masked.iter().enumerate() {
        match std::fs::symlink_metadata(path) {
            Ok(meta) if meta.is_dir() => steps.push(MountStep::MaskFolder(c_path(path)?)),
            Ok(meta) if meta.is_file() => {
                let with = match &outline.stand_in_folder {
                    Some(folder) => c_path(&create_stand_in(&folder.join(format!("closed{number}")), &meta)?)?,
                    None => c"/dev/null".into(),
                };
                steps.push(MountStep::MaskFile { at: c_path(path)?, with });
            }
            Ok(_) | Err(_) => {}
        }
    }
    // The stand-ins are in it, so it is covered last.
    if let Some(storage) = &outline.storage {
        steps.push(MountStep::MaskFolder(c_path(storage)?));
    }
    steps.push(if close_devices { MountStep::ReadOnlyNoDevices } else { MountStep::ReadOnly });
    for device in devices {
        steps.push(MountStep::Device(c_path(device)?));
    }
    let through = outline.through.iter().flat_map(|through| &through.folders);
    for path in
        outline.write.iter().chain(&around).chain(outline.layers.iter().map(|laid| &laid.covered)).chain(through)
    {
        steps.push(MountStep::Writable(c_path(path)?));
    }
    if outline.shm.is_some() {
        steps.push(MountStep::Writable(c"/dev/shm".into()));
    }
    steps.push(MountStep::Proc);
    if outline.loopback {
        steps.push(MountStep::Loopback);
    }
    Ok(steps)
}

/// Folders between a writable folder and a protected place in it, outermost first. A folder that is a mount can't be
/// renamed; otherwise a program could move one away, with the protected place, and put another one there.
fn folders_around_protected(outline: &ProfileOutline) -> Vec<PathBuf> {
    let writable = || outline.write.iter().chain(outline.layers.iter().map(|laid| &laid.covered));
    let is_inside = |path: &&Path| writable().any(|root| path.starts_with(root) && *path != root);
    let above =
        |place: &PathBuf| place.ancestors().skip(1).take_while(is_inside).map(Path::to_owned).collect::<Vec<_>>();
    let is_protected = |path: &PathBuf| outline.protect.iter().any(|place| path.starts_with(place));
    let around: BTreeSet<PathBuf> = outline.protect.iter().chain(&outline.protect_links).flat_map(above).collect();
    around.into_iter().filter(|path| !is_protected(path)).collect()
}

fn c_path(path: &Path) -> Result<CString, RefusalReason> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| format!("{} has a zero byte in its name", path.display()).into())
}

/// Root needs it to make a user namespace of its own, in which it keeps its id (user_namespaces(7)).
const CAP_SETFCAP: u32 = 31;

/// Drops all capabilities, blocks new ones at exec, and disables core files and core handlers. `may_nest`: keeps
/// what a program needs to confine others.
///
/// # Safety
/// Call only in the program process, between clone and exec: the rights can't be regained.
unsafe fn drop_rights(may_nest: bool) -> Result<(), i32> {
    // SAFETY: the calls take plain numbers or pointers to local arrays of the sizes that the kernel expects.
    unsafe {
        sys!(SYS_prctl, libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)?;
        for capability in (0..64).filter(|capability| !may_nest || *capability != CAP_SETFCAP) {
            // Fails harmlessly for a capability that is already gone.
            let _ = sys!(SYS_prctl, libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
        let _ = sys!(SYS_prctl, libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        let version_3 = [0x2008_0522u32, 0];
        let kept = if may_nest { 1u32 << CAP_SETFCAP } else { 0 };
        // Effective, permitted and inheritable, first the low and then the high words.
        let rights = [kept, kept, 0, 0, 0, 0];
        sys!(SYS_capset, version_3.as_ptr(), rights.as_ptr())?;
        // One byte: too small for a file, and the only value that also stops a core handler.
        let limit = [1u64, 1];
        let _ = sys!(SYS_prlimit64, 0, libc::RLIMIT_CORE, limit.as_ptr(), 0);
    }
    Ok(())
}

/// Returns the process limit for the kernel. Without a user namespace it counts all processes of the user.
fn process_limit(most: Option<u64>, namespaces: bool) -> Option<u64> {
    most.map(|most| if namespaces { most } else { most.saturating_add(count_own_tasks()) })
}

/// Sets the limits of the program and all it starts.
///
/// # Safety
/// Call only in the program process, between clone and exec: hard limits can't be raised again.
unsafe fn apply_limits(limits: ResourceLimits) -> Result<(), i32> {
    let wanted = [
        (libc::RLIMIT_NPROC, limits.processes),
        (libc::RLIMIT_DATA, limits.memory),
        (libc::RLIMIT_FSIZE, limits.file_size),
    ];
    for (resource, most) in wanted {
        let Some(most) = most else { continue };
        let mut now = [0u64; 2];
        // SAFETY: the kernel reads and writes two 64-bit numbers, in locals of that size.
        unsafe {
            sys!(SYS_prlimit64, 0, resource, 0, now.as_mut_ptr())?;
            let [_, hard] = now;
            let limit = [most.min(hard); 2];
            sys!(SYS_prlimit64, 0, resource, limit.as_ptr(), 0)?;
        }
    }
    Ok(())
}
