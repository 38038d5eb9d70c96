//! A server that is started anew, switched off or on while the session works (HO-1, HO-6).

use super::super::sources::Scope;
use super::super::status::State;
use super::{Entry, Joining, Servers};
use std::sync::atomic::Ordering;

impl Servers {
    /// Start a server anew.
    pub fn reconnect(&self, name: &str) -> Result<(), String> {
        let (declared, called) = self.named(name)?;
        if !self.may_start(&declared) {
            return Err(format!("{name} comes from {} and waits until you agree to it", declared.file));
        }
        let mut old = None;
        self.0.with(&called, |entry| {
            entry.stop();
            entry.state = State::Pending;
            // The tools that the session has lead to the old one, even if the new one's are the same.
            if !entry.tools.is_empty() && entry.joining == Joining::Nothing {
                entry.joining = Joining::Changed;
            }
            old = entry.remote.take();
        });
        match (declared.scope, old) {
            // It lives in the host: it is asked again, and the host starts it or does not.
            (Scope::Host, Some(remote)) => self.run(&called, remote),
            (Scope::Host, None) => return Err(format!("{name} lives in the host: only the host can start it")),
            (_, old) => {
                if let Some(old) = old {
                    tokio::spawn(async move { old.close().await });
                }
                self.begin(&called);
            }
        }
        Ok(())
    }

    /// Switch a server off for this session, or on again. Off: it is ended, and its tools leave with the next turn.
    pub async fn switch(&self, name: &str, on: bool) -> Result<(), String> {
        if on {
            return self.reconnect(name);
        }
        let (declared, called) = self.named(name)?;
        let mut ended = None;
        self.0.with(&called, |entry| {
            switch_off(entry);
            // One of the host's is kept for the way back; it is only not asked any more.
            ended = if declared.scope == Scope::Host { None } else { entry.remote.take() };
        });
        self.0.removed.store(true, Ordering::Relaxed);
        if let Some(remote) = ended {
            remote.close().await;
        }
        Ok(())
    }

    /// Wait until it is started, or say why it is not.
    pub async fn started(&self, name: &str) -> Result<(), String> {
        let (_, called) = self.named(name)?;
        self.settled(Some(std::slice::from_ref(&called))).await;
        let state = self.status().into_iter().find(|one| one.called == called).map(|one| one.state);
        match state {
            Some(State::Connected) => Ok(()),
            Some(State::Failed(why) | State::NeedsAuth(why)) => Err(why),
            Some(State::Pending | State::NeedsAgreement | State::Disabled) | None => {
                Err(format!("{called} is not running"))
            }
        }
    }
}

fn switch_off(entry: &mut Entry) {
    entry.stop();
    entry.state = State::Disabled;
    entry.joining = Joining::Nothing;
    entry.tools.clear();
    entry.taken.clear();
}
