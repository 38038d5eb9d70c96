//! Starts bash with a folder and environment, and reads its final folder.

use crate::disk::FileAccess;
use crate::shell::host_proxy::NetworkAllowance;
use crate::shell::protected_record::ProtectedWatch;
use crate::shell::reached_limit::ReachedLimit;
use crate::tool::ToolError;
use crate::workspace::Workspace;
use cutonce_sandbox::{ProcessExit, ResourceLimits, RunningProcess, SandboxProfile, SpawnSpec};
use std::ffi::OsString;
use std::io::{self, Seek, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::task::JoinSet;

/// Maximum capacity of a pipe: more data must come from a process we did not start, and is not read.
const MAX_PIPE: usize = 1 << 20;

/// A running bash.
pub(crate) struct RunningBash {
    pub(crate) running: RunningProcess,
    pub(crate) output: pipe::Receiver,
    folder: Option<pipe::Receiver>,
    /// The named file that makes bash report its folder; removed with the command.
    _report_file: Option<tempfile::NamedTempFile>,
    /// Serves its connections to listed hosts; ends with it.
    _proxy: JoinSet<()>,
    /// True if its changes of the project are discarded when it ends.
    pub(crate) scratch: bool,
    /// Finds the protected names that it creates.
    pub(crate) protected: Option<ProtectedWatch>,
    limits: ResourceLimits,
}

/// Everything needed to start bash, except the command.
pub(crate) struct BashStart {
    pub(crate) bash: PathBuf,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) folder: PathBuf,
    pub(crate) profile: SandboxProfile,
    /// Private folder of a confined command: the only place where it may open a file of ours.
    pub(crate) tmp: Option<PathBuf>,
    /// Hosts that it may reach through our proxy, if any.
    pub(crate) network: Option<Arc<NetworkAllowance>>,
    pub(crate) protected: Option<ProtectedWatch>,
    pub(crate) limits: ResourceLimits,
}

impl BashStart {
    /// Starts the command. `reports`: report the final folder (through a file in the workspace's own folder).
    pub(crate) fn spawn_bash(self, command: &str, reports: Option<&Workspace>) -> Result<RunningBash, ToolError> {
        let (mut env, tmp, mut protected) = (self.env, self.tmp, self.protected);
        // It runs on a throwaway layer (PM-63).
        let scratch = matches!(&self.profile, SandboxProfile::ReadOnly(profile) if profile.scratch.is_some());
        env.retain(|(name, _)| name != "PWD");
        env.push(("PWD".into(), self.folder.clone().into()));
        let args = ["--norc", "--noprofile", "-c", command];
        let mut spawn = SpawnSpec::new(self.bash, self.folder, env).argv0("bash").args(args).profile(self.profile);
        if let Some(watch) = &protected {
            let file = watch.held_file().map_err(|error| format!("The command was not started: {error}"))?;
            spawn = spawn.hold_until_end(file);
        }
        let folder = match reports {
            Some(workspace) => Some(request_final_folder(&mut spawn, workspace, tmp.as_deref()).map_err(|error| {
                format!("The command was not started: a temporary file could not be written: {error}")
            })?),
            None => None,
        };
        let mut running = spawn.start().map_err(|error| format!("The command was not started: {error}."))?;
        if let Some(watch) = &mut protected {
            watch.mark_started();
        }
        let output = running.stdout.take().ok_or("The command was started without output.")?;
        let mut proxy = JoinSet::new();
        if let (Some(network), Some(listener)) = (self.network, running.take_listener()) {
            proxy.spawn(network.serve(listener));
        }
        let (folder, asks) = folder.unzip();
        let (_report_file, _proxy, limits) = (asks.flatten(), proxy, self.limits);
        Ok(RunningBash { running, output, folder, _report_file, _proxy, scratch, protected, limits })
    }
}

/// Makes bash report its final folder. Bash reads the file in BASH_ENV before the command, so the command stays
/// unchanged, with its own line numbers and `$0`, and it works however the command exits.
fn request_final_folder(
    spawn: &mut SpawnSpec,
    workspace: &Workspace,
    tmp: Option<&Path>,
) -> io::Result<(pipe::Receiver, Option<tempfile::NamedTempFile>)> {
    let (reader, writer) = io::pipe()?;
    let to = spawn.pass_fd(writer.into());
    let reader = pipe::Receiver::from_owned_fd(reader.into())?;
    let report = format!("trap 'builtin pwd -P 2>/dev/null >&{to}' EXIT\n");
    if let Some(tmp) = tmp {
        // A confined command can't reopen our descriptor, but it can open a file in its own folder.
        let mut file = tempfile::NamedTempFile::new_in(tmp)?;
        write!(file, "unset BASH_ENV\n{report}")?;
        spawn.env.push(("BASH_ENV".into(), file.path().into()));
        return Ok((reader, Some(file)));
    }
    let mut file = tempfile::tempfile_in(&workspace.session_folder).or_else(|_| tempfile::tempfile())?;
    let from = std::os::fd::AsRawFd::as_raw_fd(&file);
    write!(file, "unset BASH_ENV\nexec {from}<&-\n{report}")?;
    file.rewind()?;
    spawn.pass_fd(file.into());
    spawn.env.push(("BASH_ENV".into(), format!("/dev/fd/{from}").into()));
    Ok((reader, None))
}

impl RunningBash {
    /// The limit of the sandbox that ended it.
    pub(crate) fn over_limit(&self) -> Option<ReachedLimit> {
        self.running.over_limit().map(|kind| ReachedLimit::new(kind, self.limits))
    }

    /// The limits that the sandbox sets it.
    pub(crate) fn limits(&self) -> ResourceLimits {
        self.limits
    }

    /// Renames protected names that it created, after it has ended; returns notes for the model (SB-4).
    pub(crate) async fn set_protected_aside(&mut self, disk: &FileAccess, except: Vec<String>) -> Vec<String> {
        match self.protected.take() {
            Some(watch) => watch.set_aside_new(disk, except).await,
            None => Vec::new(),
        }
    }

    /// Passes its output on until it has ended. Cancel-safe: may be dropped and called again.
    pub(crate) async fn pump_output(&mut self, mut each: impl FnMut(&[u8])) -> io::Result<ProcessExit> {
        let mut buffer = vec![0; 64 * 1024];
        let mut open = true;
        loop {
            tokio::select! {
                read = self.output.read(&mut buffer), if open => match read {
                    Ok(0) | Err(_) => open = false,
                    Ok(length) => each(buffer.get(..length).unwrap_or_default()),
                },
                ended = self.running.wait() => {
                    // All writers are gone, so the rest can be read without waiting.
                    let mut left = MAX_PIPE;
                    while let Ok(length @ 1..) = self.output.try_read(&mut buffer) {
                        each(buffer.get(..length).unwrap_or_default());
                        left = left.saturating_sub(length);
                        if left == 0 {
                            break;
                        }
                    }
                    return ended;
                }
            }
        }
    }

    /// Returns the folder in which it ended, if it reported one.
    pub(crate) fn final_folder(&self) -> Option<PathBuf> {
        let mut buffer = vec![0; 8 * 1024];
        let length = self.folder.as_ref()?.try_read(&mut buffer).ok()?;
        buffer.truncate(length);
        buffer.pop_if(|byte| *byte == b'\n')?;
        Some(PathBuf::from(OsString::from_vec(buffer)))
    }
}
