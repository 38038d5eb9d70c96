//! Removes folders of ended commands on a thread of its own: a file system can take milliseconds for it, and no
//! command needs to wait (PC-21). Removals happen in their order; what a killed program leaves, the next one sweeps.

use crate::remove_tree::remove_tree;
use std::fs::File;
use std::path::PathBuf;
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};

enum RemovalOrder {
    /// The lock is held until the folder is gone, so that no other process takes it for abandoned.
    Remove(PathBuf, Option<File>),
    /// Answers when everything before it is removed.
    Report(Sender<()>),
}

static REMOVER: Mutex<Option<Sender<RemovalOrder>>> = Mutex::new(None);

/// Removes a folder soon, without waiting for it.
pub(crate) fn remove_later(folder: PathBuf, lock: Option<File>) {
    if let Some(RemovalOrder::Remove(folder, _lock)) = send(RemovalOrder::Remove(folder, lock)) {
        // There is no thread for it. What can't be removed now, the next process removes.
        let _ = remove_tree(&folder);
    }
}

/// Waits until all folders that were to be removed are gone.
pub fn finish_removals() {
    let (done, removed) = mpsc::channel();
    if send(RemovalOrder::Report(done)).is_none() {
        let _ = removed.recv();
    }
}

/// Returns the order if no thread can carry it out.
fn send(order: RemovalOrder) -> Option<RemovalOrder> {
    let mut remover = REMOVER.lock().unwrap_or_else(PoisonError::into_inner);
    if remover.is_none() {
        let (sender, orders) = mpsc::channel();
        let thread = std::thread::Builder::new().name("cutonce-remove".into());
        let carry_out = move || orders.into_iter().for_each(RemovalOrder::carry_out);
        *remover = thread.spawn(carry_out).is_ok().then_some(sender);
    }
    match remover.as_ref() {
        Some(sender) => sender.send(order).err().map(|failed| failed.0),
        None => Some(order),
    }
}

impl RemovalOrder {
    fn carry_out(self) {
        match self {
            // What can't be removed now, the next process removes.
            RemovalOrder::Remove(folder, _lock) => drop(remove_tree(&folder)),
            RemovalOrder::Report(done) => drop(done.send(())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pc_21_folders_are_removed_in_their_order() {
        let dir = tempfile::tempdir().unwrap();
        let [outer, inner] = ["layer", "layer/work"].map(|name| dir.path().join(name));
        std::fs::create_dir_all(inner.join("deep")).unwrap();
        remove_later(inner, None);
        remove_later(outer.clone(), Some(File::open(&outer).unwrap()));
        finish_removals();
        assert!(!outer.exists());
    }
}
