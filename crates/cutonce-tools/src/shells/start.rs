//! Starting bash: with which folder and environment, and how it tells where it ended up.

use crate::workspace::Workspace;
use cutonce_sandbox::{Ended, Profile, Running, Spawn};
use std::ffi::OsString;
use std::io::{self, Seek, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

/// The most that a pipe can hold: more than this, printed by nobody we started, is not waited for.
const PIPE: usize = 1 << 20;

/// A running bash.
pub(crate) struct Bash {
    pub(crate) running: Running,
    pub(crate) output: pipe::Receiver,
    folder: Option<pipe::Receiver>,
    /// The file that asks for the folder, where it has a name: gone with the command.
    _asks: Option<tempfile::NamedTempFile>,
    /// What it changes in the project is gone when it has ended.
    pub(crate) scratch: bool,
}

/// How bash is started, but for the command.
pub(crate) struct Start {
    pub(crate) bash: PathBuf,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) folder: PathBuf,
    pub(crate) profile: Profile,
    /// On a throwaway layer (PM-63).
    pub(crate) scratch: bool,
    /// The private folder of a held command: the only place where it may open a file of ours.
    pub(crate) tmp: Option<PathBuf>,
}

impl Start {
    /// `reports`: tell in which folder it ended (the file that asks for it is kept in the workspace's own folder).
    pub(crate) fn run(self, command: &str, reports: Option<&Workspace>) -> Result<Bash, String> {
        let (mut env, scratch, tmp) = (self.env, self.scratch, self.tmp);
        env.retain(|(name, _)| name != "PWD");
        env.push(("PWD".into(), self.folder.clone().into()));
        let args = ["--norc", "--noprofile", "-c", command];
        let mut spawn = Spawn::new(self.bash, self.folder, env).called("bash").args(args).profile(self.profile);
        let folder = match reports {
            Some(workspace) => Some(ask_for_folder(&mut spawn, workspace, tmp.as_deref()).map_err(|error| {
                format!("The command was not started: a temporary file could not be written: {error}")
            })?),
            None => None,
        };
        let mut running = spawn.start().map_err(|error| format!("The command was not started: {error}."))?;
        let output = running.stdout.take().ok_or("The command was started without output.")?;
        let (folder, asks) = folder.unzip();
        Ok(Bash { running, output, folder, _asks: asks.flatten(), scratch })
    }
}

/// Bash reads the file named by BASH_ENV before the command. That leaves the command itself as it is, with its
/// own line numbers and `$0`, and works however it exits.
fn ask_for_folder(
    spawn: &mut Spawn,
    workspace: &Workspace,
    tmp: Option<&Path>,
) -> io::Result<(pipe::Receiver, Option<tempfile::NamedTempFile>)> {
    let (reader, writer) = io::pipe()?;
    let to = spawn.pass(writer.into());
    let reader = pipe::Receiver::from_owned_fd(reader.into())?;
    let report = format!("trap 'builtin pwd -P 2>/dev/null >&{to}' EXIT\n");
    if let Some(tmp) = tmp {
        // A held command can't open a descriptor of ours again; a file in its own folder it can.
        let mut file = tempfile::NamedTempFile::new_in(tmp)?;
        write!(file, "unset BASH_ENV\n{report}")?;
        spawn.env.push(("BASH_ENV".into(), file.path().into()));
        return Ok((reader, Some(file)));
    }
    let mut file = tempfile::tempfile_in(&workspace.own).or_else(|_| tempfile::tempfile())?;
    let from = std::os::fd::AsRawFd::as_raw_fd(&file);
    write!(file, "unset BASH_ENV\nexec {from}<&-\n{report}")?;
    file.rewind()?;
    spawn.pass(file.into());
    spawn.env.push(("BASH_ENV".into(), format!("/dev/fd/{from}").into()));
    Ok((reader, None))
}

impl Bash {
    /// Give its output away until it has ended. May be dropped and called again.
    pub(crate) async fn pump(&mut self, mut each: impl FnMut(&[u8])) -> io::Result<Ended> {
        let mut buffer = vec![0; 64 * 1024];
        let mut open = true;
        loop {
            tokio::select! {
                read = self.output.read(&mut buffer), if open => match read {
                    Ok(0) | Err(_) => open = false,
                    Ok(length) => each(buffer.get(..length).unwrap_or_default()),
                },
                ended = self.running.wait() => {
                    // All that could write is gone, so all there is can be read without waiting.
                    let mut left = PIPE;
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

    /// In which folder it ended, if it said so.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        let mut buffer = vec![0; 8 * 1024];
        let length = self.folder.as_ref()?.try_read(&mut buffer).ok()?;
        buffer.truncate(length);
        buffer.pop_if(|byte| *byte == b'\n')?;
        Some(PathBuf::from(OsString::from_vec(buffer)))
    }
}
