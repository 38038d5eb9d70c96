//! Terminal setup and restore (UI-13). The terminal is always restored: at exit, on a panic, on a signal, for an
//! editor, and for Ctrl+Z. The saved state is in one static that the panic hook can reach.

pub mod ansi;
mod key_reader;
pub mod scrollback;
mod suspend;
mod typed_line;

pub use key_reader::{KeyReader, TimedInput};
pub use suspend::{suspend, was_stopped};
pub use typed_line::{EchoMode, TypedLineReader, has_input};

use cutonce_core::sync::LockUnpoisoned;
use std::io::{self, Write};
use std::sync::Mutex;

const BRACKETED_PASTE: &str = "\x1b[?2004h";
/// Saves the window title and enables bracketed paste.
const MODES_ON: &str = "\x1b[22;0t\x1b[?2004h";
/// Disables synchronised output and bracketed paste, resets colours, shows the cursor and restores the window title.
const MODES_OFF: &str = "\x1b[?2026l\x1b[?2004l\x1b[0m\x1b[?25h\x1b[23;0t";
const KITTY_ON: &str = "\x1b[>1u";
const KITTY_OFF: &str = "\x1b[<1u";
const ALTERNATE_ON: &str = "\x1b[?1049h\x1b[?1007h\x1b[H\x1b[2J";
const ALTERNATE_OFF: &str = "\x1b[?1007l\x1b[?1049l";

/// Resets modes that a crashed program may have left on: alternate screen (by 1047, which keeps the cursor position),
/// mouse, application keys, disabled wrapping, hidden cursor, colours.
const RESET_FOREIGN_MODES: &str =
    "\x1b[?1047l\x1b[?47l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1l\x1b>\x1b[?7h\x1b[?25h\x1b[0m";

/// Moves below everything on the screen, because a crashed program may have left the cursor anywhere.
pub const MOVE_BELOW: &str = "\x1b[999B\r\n";

/// Saved terminal state while the program owns the terminal.
static SAVED: Mutex<Option<SavedTerminalModes>> = Mutex::new(None);

#[derive(Clone, Copy)]
struct SavedTerminalModes {
    modes: libc::termios,
    kitty: bool,
    alternate: bool,
    /// Thread that draws. A panic on another thread does not restore the terminal.
    owner: std::thread::ThreadId,
}

/// Message of the latest panic on another thread.
static THREAD_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Takes the panic message of another thread, if there is a new one.
pub fn take_thread_panic() -> Option<String> {
    THREAD_PANIC.lock_unpoisoned().take()
}

fn saved_modes() -> std::sync::MutexGuard<'static, Option<SavedTerminalModes>> {
    SAVED.lock_unpoisoned()
}

/// Current terminal size in columns and rows, or 80x24 if unknown. Callers read it before each write.
pub fn size() -> (u16, u16) {
    // SAFETY: `winsize` is plain data, and the pointer is valid for the ioctl to fill.
    let (asked, size) = unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        (libc::ioctl(1, libc::TIOCGWINSZ, &raw mut size), size)
    };
    match (asked, size.ws_col, size.ws_row) {
        (0, columns @ 1.., rows @ 1..) => (columns, rows),
        _ => (80, 24),
    }
}

/// Columns of the terminal on standard output.
pub fn columns() -> usize {
    usize::from(size().0)
}

/// Writes all bytes to the terminal at once.
pub fn write(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Guard that owns the terminal and restores it on drop.
#[derive(Debug)]
pub struct TerminalGuard {
    kitty: bool,
}

impl TerminalGuard {
    pub fn acquire(kitty: bool) -> io::Result<TerminalGuard> {
        install_panic_hook();
        suspend::watch_resumes()?;
        enter_raw_mode(kitty)?;
        Ok(TerminalGuard { kitty })
    }

    /// Sets our modes again, after another program changed them.
    pub fn reapply_modes(&self) -> io::Result<()> {
        let Some(SavedTerminalModes { modes, .. }) = *saved_modes() else { return Ok(()) };
        set_raw_mode(modes)?;
        write(BRACKETED_PASTE.as_bytes())
    }

    /// Switches the alternate screen on or off.
    pub fn set_alternate(&self, on: bool) -> io::Result<()> {
        if let Some(taken) = saved_modes().as_mut() {
            if taken.alternate == on {
                return Ok(());
            }
            taken.alternate = on;
        }
        write(screen_switch(on, self.kitty).as_bytes())
    }

    /// Restores the terminal while `work` runs, for an editor, a shell command or a suspend.
    pub fn lend_to<T>(&self, work: impl FnOnce() -> T) -> io::Result<T> {
        restore_terminal();
        let done = {
            let _stoppable = suspend::DefaultStopAction::set();
            work()
        };
        // Clear the flag: the code below repairs what a suspend changed.
        was_stopped();
        write(RESET_FOREIGN_MODES.as_bytes())?;
        enter_raw_mode(self.kitty)?;
        Ok(done)
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        restore_terminal();
    }
}

fn enter_raw_mode(kitty: bool) -> io::Result<()> {
    // SAFETY: `termios` is plain data, and the pointer is valid for `tcgetattr` to fill.
    let modes = unsafe {
        let mut modes: libc::termios = std::mem::zeroed();
        if libc::tcgetattr(0, &raw mut modes) != 0 {
            return Err(io::Error::last_os_error());
        }
        modes
    };
    *saved_modes() = Some(SavedTerminalModes { modes, kitty, alternate: false, owner: std::thread::current().id() });
    set_raw_mode(modes)?;
    write(if kitty { format!("{MODES_ON}{KITTY_ON}") } else { MODES_ON.to_string() }.as_bytes())
}

/// Enables raw mode: keys arrive at once and are not echoed.
fn set_raw_mode(modes: libc::termios) -> io::Result<()> {
    let mut modes = modes;
    // SAFETY: both calls get a valid pointer to our own `termios` copy.
    let set = unsafe {
        libc::cfmakeraw(&raw mut modes);
        libc::tcsetattr(0, libc::TCSADRAIN, &raw const modes)
    };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Restores the terminal. Safe to call from anywhere and repeatedly. Errors are ignored: the terminal is closed then.
fn restore_terminal() {
    let Some(SavedTerminalModes { modes, kitty, alternate, .. }) = saved_modes().take() else { return };
    let _ = write(restore_sequence(kitty, alternate).as_bytes());
    // SAFETY: `modes` is a valid `termios` that `tcgetattr` filled.
    unsafe { libc::tcsetattr(0, libc::TCSADRAIN, &raw const modes) };
}

/// Gives the terminal its line mode back without writing to it: its output may be blocked.
pub fn restore_line_mode() {
    let Some(saved) = saved_modes().take() else { return };
    // SAFETY: `modes` is a valid `termios` that `tcgetattr` filled.
    unsafe { libc::tcsetattr(0, libc::TCSANOW, &raw const saved.modes) };
}

/// Sequence that switches the screen. Each screen has its own kitty keyboard stack, so a push is popped on the same
/// screen.
fn screen_switch(on: bool, kitty: bool) -> String {
    match (on, kitty) {
        (true, true) => format!("{ALTERNATE_ON}{KITTY_ON}"),
        (true, false) => ALTERNATE_ON.into(),
        (false, true) => format!("{KITTY_OFF}{ALTERNATE_OFF}"),
        (false, false) => ALTERNATE_OFF.into(),
    }
}

fn restore_sequence(kitty: bool, alternate: bool) -> String {
    let back = if alternate { screen_switch(false, kitty) } else { String::new() };
    format!("{back}{}{MODES_OFF}", if kitty { KITTY_OFF } else { "" })
}

/// Installs a panic hook that restores the terminal, so that the message is readable. A panic on another thread is
/// caught there (AG-6) and leaves the terminal to the drawing thread.
fn install_panic_hook() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let by = saved_modes().as_ref().map(|taken| taken.owner);
            if by.is_some_and(|by| by != std::thread::current().id()) {
                tracing::error!("{info}");
                *THREAD_PANIC.lock_unpoisoned() = Some(info.to_string());
                return;
            }
            if by.is_some() {
                let _ = write(b"\r\n");
                restore_terminal();
            }
            before(info);
        }));
    });
}

/// True if this terminal supports the kitty keyboard protocol or silently ignores it.
pub fn supports_kitty(term: &str) -> bool {
    !(term == "linux" || term.starts_with("screen") || term.starts_with("vt") || term == "dumb")
}

/// True if this terminal re-wraps lines when it gets narrower. On others, a line stays one row.
pub fn reflows(env: impl Fn(&str) -> Option<String>) -> bool {
    let term = env("TERM").unwrap_or_default();
    let old = ["linux", "xterm", "vt", "screen", "rxvt"].iter().any(|name| match *name {
        "xterm" => term == "xterm",
        name => term.starts_with(name),
    });
    env("TMUX").is_some() || (env("XTERM_VERSION").is_none() && env("STY").is_none() && !old)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_13_kitty_pushes_are_popped_per_screen() {
        for kitty in [false, true] {
            let all = format!(
                "{}{}{}",
                if kitty { KITTY_ON } else { "" },
                screen_switch(true, kitty),
                restore_sequence(kitty, true)
            );
            let (mut stacks, mut at) = ([0, 0], 0);
            for part in all.split_inclusive(['h', 'l', 'u']) {
                match part {
                    "\x1b[?1049h" => at = 1,
                    "\x1b[?1049l" => at = 0,
                    KITTY_ON => stacks[at] += 1,
                    KITTY_OFF => stacks[at] -= 1,
                    part if part.ends_with(KITTY_ON) => stacks[at] += 1,
                    _ => assert!(!part.ends_with('u'), "{part:?}"),
                }
            }
            assert_eq!((stacks, at), ([0, 0], 0), "{all:?}");
        }
    }

    #[test]
    fn ui_11_detects_terminals_that_reflow() {
        let check = |vars: &[(&str, &str)]| {
            reflows(|name| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string()))
        };
        assert!(check(&[("TERM", "xterm-256color")]));
        assert!(check(&[("TERM", "screen-256color"), ("TMUX", "/tmp/tmux-0/default,1,0")]));
        for old in [
            &[("TERM", "linux")][..],
            &[("TERM", "xterm")],
            &[("TERM", "xterm-256color"), ("XTERM_VERSION", "XTerm(390)")],
            &[("TERM", "screen"), ("STY", "1.pts-0")],
            &[("TERM", "vt100")],
        ] {
            assert!(!check(old), "{old:?}");
        }
    }
}
