//! Stops and what comes after them (UI-13). A stop by SIGTSTP is ours to make: the terminal is given back first. One by SIGSTOP is
//! not: what we learn is that we were continued, and that before anything more is drawn.

use std::io;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by the handler of SIGCONT itself. The loop runs on the main thread, which is the one that the kernel interrupts: its next
/// look at this is after it.
static CONTINUED: AtomicBool = AtomicBool::new(false);

/// From now on it is known when we were stopped.
pub fn watch() -> io::Result<()> {
    static ONCE: Once = Once::new();
    let mut watched = Ok(());
    ONCE.call_once(|| {
        let note = || CONTINUED.store(true, Ordering::SeqCst);
        // Safety: all that it does is to store a flag.
        watched = unsafe { signal_hook_registry::register(libc::SIGCONT, note) }.map(drop);
    });
    watched
}

/// Were we stopped since this was last asked?
pub fn was_stopped() -> bool {
    CONTINUED.swap(false, Ordering::SeqCst)
}

/// While it lives SIGTSTP does to us what it does to any program: whoever has the terminal now is stopped together with us.
pub struct ByDefault(Option<libc::sigaction>);

impl ByDefault {
    pub fn take() -> ByDefault {
        ByDefault(dispose(libc::SIG_DFL))
    }
}

impl Drop for ByDefault {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            // Safety: what the kernel gave us.
            unsafe { libc::sigaction(libc::SIGTSTP, before, std::ptr::null_mut()) };
        }
    }
}

/// What SIGTSTP does from now on; returns what it did.
fn dispose(how: libc::sighandler_t) -> Option<libc::sigaction> {
    // Safety: two live values that the kernel reads and fills.
    let (set, before) = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let mut before: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = how;
        (libc::sigaction(libc::SIGTSTP, &raw const action, &raw mut before), before)
    };
    (set == 0).then_some(before)
}

/// Stop like any other program at Ctrl+Z; returns when somebody brings us back. The others of our group first: what is sent to
/// them all could reach another thread of ours, while this one went on.
pub fn stop() {
    dispose(libc::SIG_IGN);
    // Safety: sends a signal to our own group, which a shell waits for; we do not hear it.
    unsafe { libc::kill(0, libc::SIGTSTP) };
    dispose(libc::SIG_DFL);
    // Safety: stops this thread, and with it the process, before it returns.
    unsafe { libc::raise(libc::SIGTSTP) };
}
