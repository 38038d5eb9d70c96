//! Hooks (HO-7): the port through which a session tells somebody else what happens and hears whether to go on.
//!
//! [`Hook`] is the interface. Commands of the settings are one implementation ([`command`]); a host that answers over its own
//! protocol is another. What an answer means is decided in cutonce-core's `hook` and carried out in `session/hooks.rs`: a hook can
//! block, ask or add words, and can never approve a plan or lift a denial.

pub mod command;

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
pub struct Hooks(RwLock<Vec<Arc<dyn Hook>>>);

impl Hooks {
    pub fn new(hooks: Vec<Arc<dyn Hook>>) -> Self {
        Self(RwLock::new(hooks))
    }
    pub fn add(&self, hook: Arc<dyn Hook>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(hook);
    }
    /// Is there nobody at all? Then nothing needs to be made ready for them.
    pub fn is_empty(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
    pub fn wants(&self, moment: &Moment) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).iter().any(|hook| hook.wants(moment))
    }
    /// Ask all that want to know, at the same time; their answers together, the strictest counting.
    pub async fn fire(&self, input: &HookInput) -> Reply {
        let wanted: Vec<Arc<dyn Hook>> = {
            let hooks = self.0.read().unwrap_or_else(PoisonError::into_inner);
            hooks.iter().filter(|hook| hook.wants(&input.moment)).cloned().collect()
        };
        let replies = join_all(wanted.iter().map(|hook| hook.run(input))).await;
        replies.into_iter().fold(Reply::default(), Reply::and)
    }
}
