//! Detects which workspace files changed since plan mode was entered, by any program (PM-87).
//!
//! On entry, threads record size, times and inode of every file; on submission they check again. Files are never read
//! and symlinks never followed. Ignored and untracked files are included; changes inside a `.git` folder are reported
//! in one line. Other file systems mounted in the workspace are skipped, since one may hang; they and unreadable
//! folders are reported.

mod compare;
mod walk;

pub use compare::WorkspaceChanges;

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::oneshot;
use walk::WalkedTree;

/// The workspace on entry to plan mode. Dropping it stops its threads.
#[derive(Debug)]
pub struct WorkspaceSnapshot {
    inner: Arc<SnapshotState>,
}

#[derive(Debug)]
struct SnapshotState {
    roots: Vec<PathBuf>,
    /// Nanoseconds since 1970, like file times.
    entered: i64,
    stop: AtomicBool,
    /// `None` if the walk was stopped or no thread could be started.
    tree: OnceLock<Option<WalkedTree>>,
}

impl WorkspaceSnapshot {
    /// Starts recording everything below `roots` (resolved folders) and returns immediately. `entered` may be long
    /// ago: a file with a later ctime is reported as changed, so that a session resumed in plan mode also reports it.
    pub fn start(roots: Vec<PathBuf>, entered: SystemTime) -> WorkspaceSnapshot {
        let entered = entered.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let entered = i64::try_from(entered).unwrap_or(i64::MAX);
        let inner = SnapshotState { roots, entered, stop: AtomicBool::new(false), tree: OnceLock::new() };
        let inner = Arc::new(inner);
        let own = inner.clone();
        let started = spawn_thread("plan-snapshot", move || {
            let tree = walk::walk_roots(&own.roots, &|| own.stop.load(Ordering::Relaxed));
            let _ = own.tree.set(tree);
        });
        if !started {
            let _ = inner.tree.set(None);
        }
        WorkspaceSnapshot { inner }
    }

    /// Checks again and reports differences; await it with a timeout, so that a slow disk delays no dialog. Skips the
    /// paths in `except` and everything below: the plan file, and files the session writes (its transcript, if the
    /// home is in the workspace).
    pub fn start_comparison(&self, except: Vec<PathBuf>) -> RunningComparison {
        let (sender, receiver) = oneshot::channel();
        let (inner, stop) = (self.inner.clone(), Arc::new(AtomicBool::new(false)));
        let stopped = stop.clone();
        spawn_thread("plan-compare", move || {
            let stopped = || stopped.load(Ordering::Relaxed) || inner.stop.load(Ordering::Relaxed);
            let Some(before) = inner.tree.wait() else { return };
            let Some(after) = walk::walk_roots(&inner.roots, &stopped) else { return };
            let _ = sender.send(compare::compare_trees(before, &after, inner.entered, &inner.roots, &except));
        });
        RunningComparison { receiver, stop }
    }
}

impl Drop for WorkspaceSnapshot {
    fn drop(&mut self) {
        self.inner.stop.store(true, Ordering::Relaxed);
    }
}

/// A running comparison. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct RunningComparison {
    receiver: oneshot::Receiver<WorkspaceChanges>,
    stop: Arc<AtomicBool>,
}

/// Yields `None` if the comparison failed (no thread, or the snapshot was dropped).
impl Future for RunningComparison {
    type Output = Option<WorkspaceChanges>;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.receiver).poll(context).map(Result::ok)
    }
}

impl Drop for RunningComparison {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Spawns a thread outside the runtime, so that a hanging disk blocks nothing, not even the exit.
fn spawn_thread(name: &str, work: impl FnOnce() + Send + 'static) -> bool {
    let started = std::thread::Builder::new().name(name.into()).spawn(work);
    if let Err(error) = &started {
        tracing::warn!("can't check for changed files: {error}");
    }
    started.is_ok()
}

#[cfg(test)]
mod tests;
