//! Suspend and resume (UI-13). On SIGTSTP the program restores the terminal before it stops. On SIGSTOP it can't, so
//! SIGCONT sets a flag that is checked before the next frame.

use std::io;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by the SIGCONT handler. The kernel interrupts the main thread, which runs the loop, so its next check sees the
/// flag.
static CONTINUED: AtomicBool = AtomicBool::new(false);

/// Installs the SIGCONT handler.
pub fn watch_resumes() -> io::Result<()> {
    static ONCE: Once = Once::new();
    let mut watched = Ok(());
    ONCE.call_once(|| {
        let note = || CONTINUED.store(true, Ordering::SeqCst);
        // SAFETY: the handler only stores an atomic flag, which is async-signal-safe.
        watched = unsafe { signal_hook_registry::register(libc::SIGCONT, note) }.map(drop);
    });
    watched
}

/// True if the program was stopped since the last call.
pub fn was_stopped() -> bool {
    CONTINUED.swap(false, Ordering::SeqCst)
}

/// Guard that gives SIGTSTP its default action, so that Ctrl+Z also stops us while another program has the terminal.
pub struct DefaultStopAction(Option<libc::sigaction>);

impl DefaultStopAction {
    pub fn set() -> DefaultStopAction {
        DefaultStopAction(set_stop_action(libc::SIG_DFL))
    }
}

impl Drop for DefaultStopAction {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            // SAFETY: `before` is a valid action that the kernel filled earlier.
            unsafe { libc::sigaction(libc::SIGTSTP, before, std::ptr::null_mut()) };
        }
    }
}

/// Sets the action of SIGTSTP and returns the previous one.
fn set_stop_action(how: libc::sighandler_t) -> Option<libc::sigaction> {
    // SAFETY: both pointers are valid, one to read and one to fill.
    let (set, before) = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let mut before: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = how;
        (libc::sigaction(libc::SIGTSTP, &raw const action, &raw mut before), before)
    };
    (set == 0).then_some(before)
}

/// Suspends like any program at Ctrl+Z and returns after the resume. The rest of the process group is stopped first: a
/// group-wide signal could reach another thread while this one keeps running.
pub fn suspend() {
    set_stop_action(libc::SIG_IGN);
    // SAFETY: `kill` has no memory effects. It signals our own group, and we ignore the signal.
    unsafe { libc::kill(0, libc::SIGTSTP) };
    set_stop_action(libc::SIG_DFL);
    // SAFETY: `raise` has no memory effects. It stops the process before it returns.
    unsafe { libc::raise(libc::SIGTSTP) };
}
