//! Hooks (HO-7): other programs observe a session, and may block or annotate its actions.
//!
//! [`Hook`] is the interface. Commands of the settings implement it (`command`), and so do hosts with their own
//! protocol. cutonce-core's `hook` decides what a reply means; `session/hooks.rs` applies it. A hook can block, ask
//! or add context, but can't approve a plan or lift a denial.

pub(crate) mod command;

use async_trait::async_trait;
use cutonce_core::hooks::{HookAnswer, HookInput, HookPayload};
use cutonce_core::sync::RwLockUnpoisoned;
use futures_util::future::join_all;
use std::sync::{Arc, RwLock};

/// A hook that observes a session and may block its actions.
#[async_trait]
pub trait Hook: Send + Sync {
    /// Whether the hook handles this event. Called often: must be fast and must not block.
    fn wants(&self, moment: &HookPayload) -> bool;
    /// Handles the event and replies. The hook limits its own run time; a failure is also a reply
    /// (`failed`). The future is dropped when the user interrupts.
    async fn run(&self, input: &HookInput) -> HookAnswer;
}

/// All hooks of a session; a host may add more at any time.
#[derive(Default)]
pub struct HookSet {
    all: RwLock<Vec<Arc<dyn Hook>>>,
    /// How many of the hooks, from the first, are commands of the settings.
    settings_count: usize,
}

impl HookSet {
    pub(crate) fn new(of_settings: Vec<Arc<dyn Hook>>, of_hosts: Vec<Arc<dyn Hook>>) -> Self {
        let count = of_settings.len();
        Self { all: RwLock::new(of_settings.into_iter().chain(of_hosts).collect()), settings_count: count }
    }
    /// The hooks that don't come from settings; other sessions must be given them explicitly.
    pub(crate) fn host_hooks(&self) -> Vec<Arc<dyn Hook>> {
        self.all.read_unpoisoned()[self.settings_count..].to_vec()
    }
    /// Adds a hook; it sees every event from now on.
    pub fn add(&self, hook: Arc<dyn Hook>) {
        self.all.write_unpoisoned().push(hook);
    }
    /// True if there are no hooks, so that no payload needs to be built.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.read_unpoisoned().is_empty()
    }
    pub(crate) fn wants(&self, moment: &HookPayload) -> bool {
        self.all.read_unpoisoned().iter().any(|hook| hook.wants(moment))
    }
    /// Runs all interested hooks concurrently and combines their replies; the strictest wins.
    pub(crate) async fn run_all(&self, input: &HookInput) -> HookAnswer {
        let wanted: Vec<Arc<dyn Hook>> = {
            let hooks = self.all.read_unpoisoned();
            hooks.iter().filter(|hook| hook.wants(&input.payload)).cloned().collect()
        };
        let replies = join_all(wanted.iter().map(|hook| hook.run(input))).await;
        replies.into_iter().fold(HookAnswer::default(), HookAnswer::merge)
    }
}
