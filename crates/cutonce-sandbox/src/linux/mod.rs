//! Linux: turns a [`Spawn`] into a supervisor and a confined program, and waits for its end.

mod cgroup;
mod confine;
mod inner_listener;
mod landlock;
mod launch;
mod mounts;
pub(crate) mod probe;
mod protected;
mod scratch;
mod seccomp;
mod stand_in;
mod supervisor;
mod sys;
mod user_namespace;
mod watch;

use crate::layer::{SandboxSupport, SandboxTier, sandbox_support_within};
use crate::profile::{ResourceKind, ResourceLimits, SandboxProfile, WorkspaceWriteProfile};
use crate::spawn::{ProcessExit, SpawnError, SpawnSpec};
use cgroup::CommandGroup;
use confine::KernelConfinement;
pub(crate) use launch::close_on_exec_except;
use launch::{CStringArray, ExecArgs, LaunchSpec, LaunchStage, LaunchTarget, StartedSupervisor};
use protected::ProtectedPlaces;
pub use protected::{is_placeholder, remove_placeholders};
use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::unix::AsyncFd;
use watch::LimitWatch;

/// Keeps the process tree alive: dropping it kills the tree.
#[derive(Debug)]
pub(crate) struct FamilyLifeline {
    lifeline: Arc<LifelinePipe>,
}

impl Drop for FamilyLifeline {
    fn drop(&mut self) {
        self.lifeline.kill();
    }
}

/// Write end of the lifeline pipe: a byte kills the process tree, and so does our end, which closes it.
#[derive(Debug)]
struct LifelinePipe(OwnedFd);

impl LifelinePipe {
    fn kill(&self) {
        // A closed pipe belongs to a supervisor that has ended.
        // SAFETY: the kernel reads one byte of a constant; the descriptor is open for as long as `self` lives.
        let _ = unsafe { libc::write(self.0.as_raw_fd(), b"x".as_ptr().cast(), 1) };
    }
}

/// The supervisor process. Reaped by `wait`, or by a background thread after drop.
#[derive(Debug)]
pub(crate) struct SupervisedChild {
    supervisor: Option<AsyncFd<StartedSupervisor>>,
    scratch: Option<scratch::ScratchFolder>,
    protected: ProtectedPlaces,
    /// What the command is held to beyond rlimits, and how it is ended.
    watch: Option<LimitWatch>,
    group: Option<CommandGroup>,
    listener: Option<OwnedFd>,
    /// Removal of the scratch folder; stored so that a dropped `wait` can be called again.
    removing: Option<tokio::task::JoinHandle<()>>,
    ended: Option<ProcessExit>,
    over: Option<ResourceKind>,
}

pub(crate) fn start(
    mut spawn: SpawnSpec,
    stdio: [OwnedFd; 3],
) -> Result<(SupervisedChild, FamilyLifeline), SpawnError> {
    let support = match spawn.profile {
        // No trial for a program that needs no sandbox.
        SandboxProfile::Unconfined => SandboxSupport::none(),
        SandboxProfile::ReadOnly(_) | SandboxProfile::WorkspaceWrite(_) | SandboxProfile::Layered(_) => {
            sandbox_support_within(spawn.limits)
        }
    };
    let scratch = create_scratch_folder(&spawn.profile, &support)?;
    let protected = find_protected_places(&spawn.profile)?;
    let confinement = match spawn.profile {
        SandboxProfile::Unconfined => None,
        SandboxProfile::ReadOnly(_) | SandboxProfile::WorkspaceWrite(_) | SandboxProfile::Layered(_) => {
            let folder = scratch.as_ref().map(scratch::ScratchFolder::path);
            KernelConfinement::new(&spawn.profile, &support, folder, &protected)
                .map_err(|refused| SpawnError::NotConfined { why: refused.why })?
        }
    };
    let (limits, folders) = limited_folders(&spawn.profile, scratch.as_ref());
    let group = confinement.as_ref().and_then(|_| CommandGroup::new(limits));
    let (program, cwd) = (spawn.program.clone(), spawn.cwd.clone());
    let failed = |error: io::Error| SpawnError::Failed { program: program.clone(), error };
    let held_file = spawn.held_file.take();
    let exec = LaunchTarget::Exec(exec_args(spawn, stdio).map_err(failed)?);
    let launch = LaunchSpec { program: exec, confinement, group: group.as_ref().map(CommandGroup::members), held_file };
    let (started, lifeline) = launch.start().map_err(|fault| {
        let error = io::Error::from_raw_os_error(fault.errno);
        match fault.stage {
            LaunchStage::Folder => folder_error(cwd, error, &program),
            LaunchStage::Program if fault.errno == libc::ENOENT => SpawnError::ProgramMissing(program.clone()),
            LaunchStage::Program => SpawnError::Failed { program: program.clone(), error },
            LaunchStage::Supervisor if launch.confinement.is_none() => failed(error),
            LaunchStage::Supervisor
            | LaunchStage::UserNamespace
            | LaunchStage::Mounts
            | LaunchStage::Capabilities
            | LaunchStage::Landlock
            | LaunchStage::Filter => SpawnError::NotConfined { why: probe::explain_fault(&launch, fault) },
        }
    })?;
    let listener = launch.confinement.as_ref().and_then(KernelConfinement::take_listener);
    let lifeline = Arc::new(LifelinePipe(lifeline));
    let held = FamilyLifeline { lifeline: lifeline.clone() };
    let watch = launch.confinement.as_ref().map(|_| LimitWatch::new(limits, folders, started.pid as u32, lifeline));
    // SAFETY: `started` owns the descriptor, which stays open and unchanged for as long as `started` lives.
    match unsafe { AsyncFd::register(started) } {
        Ok(watched) => {
            let supervisor = Some(watched);
            let (removing, ended, over) = (None, None, None);
            Ok((
                SupervisedChild { supervisor, scratch, protected, watch, group, listener, removing, ended, over },
                held,
            ))
        }
        Err(refused) => {
            let (started, error) = refused.into_parts();
            drop(held);
            started.reap(0);
            Err(failed(error))
        }
    }
}

/// Returns the limits of a profile, and the folders that count for them.
fn limited_folders(
    profile: &SandboxProfile,
    scratch: Option<&scratch::ScratchFolder>,
) -> (ResourceLimits, Vec<PathBuf>) {
    let layer = scratch.map(|folder| folder.path().to_path_buf());
    match profile {
        SandboxProfile::Unconfined | SandboxProfile::Layered(_) => (ResourceLimits::default(), Vec::new()),
        // Without a layer the scratch folder, if any, is inside the private one.
        SandboxProfile::ReadOnly(profile) => {
            let layer = layer.filter(|_| profile.scratch.is_some());
            (profile.limits, [profile.tmp.clone()].into_iter().chain(layer).collect())
        }
        SandboxProfile::WorkspaceWrite(profile) => {
            let kept = profile.layer.as_ref().map(|mount| mount.upper.clone());
            (profile.limits, [profile.tmp.clone()].into_iter().chain(kept).collect())
        }
    }
}

fn folder_error(cwd: PathBuf, error: io::Error, program: &std::path::Path) -> SpawnError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => SpawnError::FolderMissing(cwd),
        _ => SpawnError::Failed { program: program.to_owned(), error },
    }
}

fn find_protected_places(profile: &SandboxProfile) -> Result<ProtectedPlaces, SpawnError> {
    let SandboxProfile::WorkspaceWrite(write) = profile else { return Ok(ProtectedPlaces::default()) };
    let why = |error: io::Error| format!("protected files can't be kept read-only: {error}");
    ProtectedPlaces::new(&write.protect, &write.roots).map_err(|error| SpawnError::NotConfined { why: why(error) })
}

fn create_scratch_folder(
    profile: &SandboxProfile,
    support: &SandboxSupport,
) -> Result<Option<scratch::ScratchFolder>, SpawnError> {
    let storage = match profile {
        SandboxProfile::ReadOnly(read_only) => match &read_only.scratch {
            Some(wanted) => &wanted.storage,
            // Mounts cover hidden files with stand-ins, which must be somewhere.
            None if support.landlock.is_none() && !read_only.hide.is_empty() => &read_only.tmp,
            None if support.tier == SandboxTier::Namespaces && !read_only.stand_ins.is_empty() => &read_only.tmp,
            None => return Ok(None),
        },
        SandboxProfile::WorkspaceWrite(WorkspaceWriteProfile { layer: Some(mount), .. })
        | SandboxProfile::Layered(mount) => {
            return scratch::ScratchFolder::in_layer(&mount.storage).map(Some).map_err(no_folder(&mount.storage));
        }
        SandboxProfile::WorkspaceWrite(_) | SandboxProfile::Unconfined => return Ok(None),
    };
    scratch::ScratchFolder::new(storage).map(Some).map_err(no_folder(storage))
}

fn no_folder(storage: &std::path::Path) -> impl Fn(io::Error) -> SpawnError {
    let at = storage.display();
    move |error| SpawnError::NotConfined { why: format!("no folder of its own in {at}: {error}") }
}

fn exec_args(spawn: SpawnSpec, stdio: [OwnedFd; 3]) -> io::Result<ExecArgs> {
    let text = |text: OsString| CString::new(text.into_vec()).map_err(io::Error::from);
    let name = spawn.argv0.unwrap_or_else(|| spawn.program.as_os_str().to_owned());
    let args = [name].into_iter().chain(spawn.args).map(text).collect::<io::Result<_>>()?;
    // The last value of a name wins.
    let env: BTreeMap<OsString, OsString> = spawn.env.into_iter().collect();
    let pair = |(mut name, value): (OsString, OsString)| {
        name.push("=");
        name.push(value);
        text(name)
    };
    Ok(ExecArgs {
        path: CString::new(spawn.program.as_os_str().as_bytes())?,
        args: CStringArray::new(args),
        env: CStringArray::new(env.into_iter().map(pair).collect::<io::Result<_>>()?),
        cwd: CString::new(spawn.cwd.as_os_str().as_bytes())?,
        stdio: above_standard(stdio)?,
        pass: spawn.passed_fds,
    })
}

/// Moves the descriptors above 2, where none of the three overwrites another. Needed if our own were closed.
fn above_standard(stdio: [OwnedFd; 3]) -> io::Result<[OwnedFd; 3]> {
    use std::os::fd::AsRawFd;
    match stdio.iter().all(|fd| fd.as_raw_fd() > 2) {
        true => Ok(stdio),
        // The duplicates avoid the standard three.
        false => {
            let [a, b, c] = stdio;
            Ok([a.try_clone()?, b.try_clone()?, c.try_clone()?])
        }
    }
}

impl SupervisedChild {
    /// Waits until the supervisor has ended, and with it everything the program started. Cancel-safe.
    pub(crate) async fn wait(&mut self) -> io::Result<ProcessExit> {
        if let Some(watched) = &self.supervisor {
            loop {
                let mut ready = tokio::select! {
                    ready = watched.readable() => ready?,
                    over = watch::until_over(&mut self.watch) => {
                        self.over = Some(over);
                        continue;
                    }
                };
                if watched.get_ref().reap(libc::WNOHANG) {
                    break;
                }
                ready.clear_ready();
            }
            self.over = self.over.or_else(|| self.group.as_ref().and_then(CommandGroup::limit_hit));
            (self.watch, self.group) = (None, None);
            let status = watched.get_ref().memory.report().status();
            self.ended = Some(match libc::WIFEXITED(status) {
                true => ProcessExit::Exited(libc::WEXITSTATUS(status)),
                false => ProcessExit::Signalled(libc::WTERMSIG(status)),
            });
            self.supervisor = None;
        }
        self.protected = ProtectedPlaces::default();
        // A folder in a layer is removed without waiting for it.
        self.scratch.take_if(|folder| folder.is_in_layer());
        if let Some(folder) = self.scratch.take() {
            self.removing = Some(tokio::task::spawn_blocking(move || drop(folder)));
        }
        if let Some(removing) = &mut self.removing {
            let _ = removing.await;
            self.removing = None;
        }
        self.ended.ok_or_else(|| io::Error::other("the program's end was not seen"))
    }

    pub(crate) fn take_listener(&mut self) -> Option<OwnedFd> {
        self.listener.take()
    }

    pub(crate) fn over_limit(&self) -> Option<ResourceKind> {
        self.over
    }

    pub(crate) fn id(&self) -> Option<u32> {
        self.supervisor.as_ref().map(|watched| watched.get_ref().pid as u32)
    }
}

impl Drop for SupervisedChild {
    fn drop(&mut self) {
        let Some(watched) = self.supervisor.take() else { return };
        let (started, scratch) = (watched.into_inner(), self.scratch.take());
        let (protected, group) = (std::mem::take(&mut self.protected), self.group.take());
        // The supervisor's stack is in our memory: it must end before the memory is freed.
        let reaping = std::thread::Builder::new().name("cutonce-reap".into());
        let _ = reaping.spawn(move || {
            started.reap(0);
            drop((started, scratch, protected, group));
        });
    }
}
