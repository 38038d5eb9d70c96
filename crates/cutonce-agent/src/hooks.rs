//! Hooks (HO-7): the port through which a session tells somebody else what happens and hears whether to go on.
//!
//! [`Hook`] is the interface. Commands of the settings are one implementation (`command`); a host that answers over its own
//! protocol is another. What an answer means is decided in cutonce-core's `hook` and carried out in `session/hooks.rs`: a hook can
//! block, ask or add words, and can never approve a plan or lift a denial.

pub(crate) mod command;

use async_trait::async_trait;
use cutonce_core::hook::{HookInput, Moment, Reply};
use futures_util::future::join_all;
use std::sync::{Arc, PoisonError, RwLock};

/// Somebody who wants to be asked or told.
#[async_trait]
pub trait Hook: Send + Sync {
    /// Is this moment one of those it wants? Asked often: it must be quick and must not wait.
    fn wants(&self, moment: &Moment) -> bool;
    /// Told of the moment; gives its answer. It bounds its own time. A failure is an answer too: [`Reply::failed`]. Dropped when the
    /// person interrupts.
    async fn run(&self, input: &HookInput) -> Reply;
}

/// All hooks of a session; a host may add its own at any time.
#[derive(Default)]
pub struct Hooks {
    all: RwLock<Vec<Arc<dyn Hook>>>,
    /// So many of them, the first ones, are commands of the settings.
    of_settings: usize,
}

impl Hooks {
    pub(crate) fn new(of_settings: Vec<Arc<dyn Hook>>, of_hosts: Vec<Arc<dyn Hook>>) -> Self {
        let count = of_settings.len();
        Self { all: RwLock::new(of_settings.into_iter().chain(of_hosts).collect()), of_settings: count }
    }
    /// Those that no settings name: another session has them only if it is given them.
    pub(crate) fn of_hosts(&self) -> Vec<Arc<dyn Hook>> {
        self.all.read().unwrap_or_else(PoisonError::into_inner)[self.of_settings..].to_vec()
    }
    /// From now on this one is asked and told too.
    pub fn add(&self, hook: Arc<dyn Hook>) {
        self.all.write().unwrap_or_else(PoisonError::into_inner).push(hook);
    }
    /// Is there nobody at all? Then nothing needs to be made ready for them.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
    pub(crate) fn wants(&self, moment: &Moment) -> bool {
        self.all.read().unwrap_or_else(PoisonError::into_inner).iter().any(|hook| hook.wants(moment))
    }
    /// Ask all that want to know, at the same time; their answers together, the strictest counting.
    pub(crate) async fn fire(&self, input: &HookInput) -> Reply {
        let wanted: Vec<Arc<dyn Hook>> = {
            let hooks = self.all.read().unwrap_or_else(PoisonError::into_inner);
            hooks.iter().filter(|hook| hook.wants(&input.moment)).cloned().collect()
        };
        let replies = join_all(wanted.iter().map(|hook| hook.run(input))).await;
        replies.into_iter().fold(Reply::default(), Reply::and)
    }
}
