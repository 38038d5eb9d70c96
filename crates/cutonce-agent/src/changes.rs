//! Which files of the workspace differ from the moment plan mode was entered, whoever changed them (PM-87).
//!
//! At entering, every file is noted by size, times and inode, on threads of its own; at the submission they are looked at
//! again. Files are never read and symlinks never followed. Ignored and untracked files count like all others; those
//! inside a `.git` folder count too, but are told in one line. Other disks that are mounted inside the workspace are not
//! entered (one of them may never answer), and a folder that can't be read can't be compared: both are told.

mod compare;
mod walk;

pub use compare::Changes;

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::oneshot;
use walk::Tree;

/// The workspace as it was at entering. Dropping it stops its threads.
#[derive(Debug)]
pub struct Snapshot {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    roots: Vec<PathBuf>,
    /// Nanoseconds since 1970, as files tell their times.
    entered: i64,
    stop: AtomicBool,
    /// None when the walk was stopped or no thread could be started.
    tree: OnceLock<Option<Tree>>,
}

impl Snapshot {
    /// Starts to look at everything below `roots` (resolved folders) and returns at once. `entered` is the moment that
    /// counts, which may be long ago: a file whose ctime is later counts as changed although it is seen only now, so
    /// that a session that was resumed in plan mode is told the truth too.
    pub fn start(roots: Vec<PathBuf>, entered: SystemTime) -> Snapshot {
        let entered = entered.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let entered = i64::try_from(entered).unwrap_or(i64::MAX);
        let inner = Inner { roots, entered, stop: AtomicBool::new(false), tree: OnceLock::new() };
        let inner = Arc::new(inner);
        let own = inner.clone();
        let started = thread("plan-snapshot", move || {
            let tree = walk::walk(&own.roots, &|| own.stop.load(Ordering::Relaxed));
            let _ = own.tree.set(tree);
        });
        if !started {
            let _ = inner.tree.set(None);
        }
        Snapshot { inner }
    }

    /// Looks again and tells what differs; await it with a bound, so that no dialog waits for a slow disk. Left out are
    /// the paths in `except` and all below them: the plan file, and what the session itself writes (its transcript,
    /// where the home lies inside the workspace).
    pub fn compare(&self, except: Vec<PathBuf>) -> Comparison {
        let (sender, receiver) = oneshot::channel();
        let (inner, stop) = (self.inner.clone(), Arc::new(AtomicBool::new(false)));
        let stopped = stop.clone();
        thread("plan-compare", move || {
            let stopped = || stopped.load(Ordering::Relaxed) || inner.stop.load(Ordering::Relaxed);
            let Some(before) = inner.tree.wait() else { return };
            let Some(after) = walk::walk(&inner.roots, &stopped) else { return };
            let _ = sender.send(compare::compare(before, &after, inner.entered, &inner.roots, &except));
        });
        Comparison { receiver, stop }
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        self.inner.stop.store(true, Ordering::Relaxed);
    }
}

/// A comparison under way. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct Comparison {
    receiver: oneshot::Receiver<Changes>,
    stop: Arc<AtomicBool>,
}

/// None: it could not be made (no thread, or the snapshot was dropped), so nothing is known.
impl Future for Comparison {
    type Output = Option<Changes>;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.receiver).poll(context).map(Result::ok)
    }
}

impl Drop for Comparison {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Not one of the runtime's threads: a disk that hangs must hold up nothing else, not even the exit.
fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> bool {
    let started = std::thread::Builder::new().name(name.into()).spawn(work);
    if let Err(error) = &started {
        tracing::warn!("can't look for changed files: {error}");
    }
    started.is_ok()
}

#[cfg(test)]
mod tests;
