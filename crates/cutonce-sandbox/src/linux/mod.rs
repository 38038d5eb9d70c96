//! Linux: how a [`Spawn`] becomes a supervisor and a program under a profile, and how its end is waited for.

mod confine;
mod landlock;
mod launch;
mod mounts;
pub(crate) mod probe;
mod scratch;
mod seccomp;
mod supervisor;
mod sys;

use crate::layer::available_within;
use crate::profile::Profile;
use crate::spawn::{Ended, Spawn, SpawnError};
use confine::Confinement;
pub(crate) use launch::keep_only;
use launch::{Exec, Launch, Pointers, Program, Stage, Started};
use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use tokio::io::unix::AsyncFd;

/// The write end of the lifeline: closing it ends the family.
#[derive(Debug)]
pub(crate) struct Held {
    _lifeline: OwnedFd,
}

/// The supervisor. Reaped by `wait`, or behind our back when this is dropped.
#[derive(Debug)]
pub(crate) struct Child {
    watched: Option<AsyncFd<Started>>,
    scratch: Option<scratch::Folder>,
    /// The layer's folder on its way out; kept, so that a `wait` that was dropped meanwhile can be called again.
    removing: Option<tokio::task::JoinHandle<()>>,
    ended: Option<Ended>,
}

pub(crate) fn start(spawn: Spawn, stdio: [OwnedFd; 3]) -> Result<(Child, Held), SpawnError> {
    let scratch = folder_for_layers(&spawn.profile)?;
    let unheld = |why: String| SpawnError::Unheld { why };
    let confinement = match spawn.profile {
        Profile::Open => None,
        Profile::ReadOnly(_) | Profile::WorkspaceWrite(_) => {
            let layer = available_within(spawn.limits);
            Confinement::new(&spawn.profile, &layer, scratch.as_ref().map(scratch::Folder::path)).map_err(unheld)?
        }
    };
    let (program, cwd) = (spawn.program.clone(), spawn.cwd.clone());
    let failed = |error: io::Error| SpawnError::Failed { program: program.clone(), error };
    let exec = Program::Exec(exec(spawn, stdio).map_err(failed)?);
    let launch = Launch { program: exec, confinement };
    let (started, lifeline) = launch.start().map_err(|fault| {
        let error = io::Error::from_raw_os_error(fault.errno);
        match fault.stage {
            Stage::Folder => no_folder(cwd, error, &program),
            Stage::Program if fault.errno == libc::ENOENT => SpawnError::NoProgram(program.clone()),
            Stage::Program => SpawnError::Failed { program: program.clone(), error },
            Stage::Supervisor if launch.confinement.is_none() => failed(error),
            Stage::Supervisor
            | Stage::UserNamespace
            | Stage::Mounts
            | Stage::Capabilities
            | Stage::Landlock
            | Stage::Filter => SpawnError::Unheld { why: probe::explain(&launch, fault) },
        }
    })?;
    let held = Held { _lifeline: lifeline };
    // Safety: the descriptor stays open, and the same, for as long as `started` lives.
    match unsafe { AsyncFd::register(started) } {
        Ok(watched) => Ok((Child { watched: Some(watched), scratch, removing: None, ended: None }, held)),
        Err(refused) => {
            let (started, error) = refused.into_parts();
            drop(held);
            started.reap(0);
            Err(failed(error))
        }
    }
}

fn no_folder(cwd: PathBuf, error: io::Error, program: &std::path::Path) -> SpawnError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => SpawnError::NoFolder(cwd),
        _ => SpawnError::Failed { program: program.to_owned(), error },
    }
}

fn folder_for_layers(profile: &Profile) -> Result<Option<scratch::Folder>, SpawnError> {
    let Profile::ReadOnly(read_only) = profile else { return Ok(None) };
    let Some(wanted) = &read_only.scratch else { return Ok(None) };
    let at = wanted.layers.display();
    let why = |error: io::Error| SpawnError::Unheld { why: format!("no throwaway layer in {at}: {error}") };
    scratch::Folder::new(&wanted.layers).map(Some).map_err(why)
}

fn exec(spawn: Spawn, stdio: [OwnedFd; 3]) -> io::Result<Exec> {
    let text = |text: OsString| CString::new(text.into_vec()).map_err(io::Error::from);
    let name = spawn.called.unwrap_or_else(|| spawn.program.as_os_str().to_owned());
    let args = [name].into_iter().chain(spawn.args).map(text).collect::<io::Result<_>>()?;
    // The last of a name counts.
    let env: BTreeMap<OsString, OsString> = spawn.env.into_iter().collect();
    let pair = |(mut name, value): (OsString, OsString)| {
        name.push("=");
        name.push(value);
        text(name)
    };
    Ok(Exec {
        path: CString::new(spawn.program.as_os_str().as_bytes())?,
        args: Pointers::new(args),
        env: Pointers::new(env.into_iter().map(pair).collect::<io::Result<_>>()?),
        cwd: CString::new(spawn.cwd.as_os_str().as_bytes())?,
        stdio: above_standard(stdio)?,
        pass: spawn.pass,
    })
}

/// A descriptor below 3 would be overwritten by another of the three; that happens if ours were closed.
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

impl Child {
    /// Until the supervisor has ended, and with it all that the program started. May be dropped and called again.
    pub(crate) async fn wait(&mut self) -> io::Result<Ended> {
        if let Some(watched) = &self.watched {
            loop {
                let mut ready = watched.readable().await?;
                if watched.get_ref().reap(libc::WNOHANG) {
                    break;
                }
                ready.clear_ready();
            }
            let status = watched.get_ref().memory.report().status();
            self.ended = Some(match libc::WIFEXITED(status) {
                true => Ended::Exited(libc::WEXITSTATUS(status)),
                false => Ended::Signalled(libc::WTERMSIG(status)),
            });
            self.watched = None;
        }
        if let Some(folder) = self.scratch.take() {
            self.removing = Some(tokio::task::spawn_blocking(move || drop(folder)));
        }
        if let Some(removing) = &mut self.removing {
            let _ = removing.await;
            self.removing = None;
        }
        self.ended.ok_or_else(|| io::Error::other("the program's end was not seen"))
    }

    pub(crate) fn id(&self) -> Option<u32> {
        self.watched.as_ref().map(|watched| watched.get_ref().pid as u32)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let Some(watched) = self.watched.take() else { return };
        let (started, scratch) = (watched.into_inner(), self.scratch.take());
        // Its stack is in our memory: it must be gone before that goes.
        let reaping = std::thread::Builder::new().name("cutonce-reap".into());
        let _ = reaping.spawn(move || {
            started.reap(0);
            drop((started, scratch));
        });
    }
}
