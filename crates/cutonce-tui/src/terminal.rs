//! The terminal itself: taken once, and always given back (UI-13): at the end, on a panic, on a signal, for an editor, for
//! Ctrl+Z. What it was before is kept in one place that a panic hook can reach.

mod reader;
mod stopping;

pub use reader::{Arrived, Reader};
pub use stopping::{stop, was_stopped};

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Keys that the terminal shall tell apart, pastes in brackets, no cursor of its own while we draw.
const TAKE: &str = "\x1b[?2004h";
/// Everything that we may have switched on, off; the kitty protocol's stack popped.
const GIVE: &str = "\x1b[?2026l\x1b[?2004l\x1b[0m\x1b[?25h";
const KITTY_ON: &str = "\x1b[>1u";
const KITTY_OFF: &str = "\x1b[<1u";
const ALTERNATE_ON: &str = "\x1b[?1049h\x1b[?1007h\x1b[H\x1b[2J";
const ALTERNATE_OFF: &str = "\x1b[?1007l\x1b[?1049l";

/// What a program that crashed may have left on: the other screen (by 1047, which leaves the cursor where it is), the mouse,
/// keys of the application kind, no wrapping, no cursor, colours.
const MEND: &str =
    "\x1b[?1047l\x1b[?47l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1l\x1b>\x1b[?7h\x1b[?25h\x1b[0m";

/// Below all that is on the screen: where a program died nobody knows where it left the cursor.
pub const BELOW: &str = "\x1b[999B\r\n";

/// What was changed and how it was, while we have the terminal.
static TAKEN: Mutex<Option<Taken>> = Mutex::new(None);

#[derive(Clone, Copy)]
struct Taken {
    modes: libc::termios,
    kitty: bool,
    alternate: bool,
    /// Who draws: what fails on another thread is not the terminal's end.
    by: std::thread::ThreadId,
}

/// What the latest panic on another thread said.
static FAILED_ELSEWHERE: Mutex<Option<String>> = Mutex::new(None);

/// What failed on another thread since this was asked last.
pub fn failed_elsewhere() -> Option<String> {
    FAILED_ELSEWHERE.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn taken() -> std::sync::MutexGuard<'static, Option<Taken>> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Columns and rows, asked anew before each write; 80x24 where nobody knows.
pub fn size() -> (u16, u16) {
    // Safety: the kernel fills it, or says that there is none.
    let (asked, size) = unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        (libc::ioctl(1, libc::TIOCGWINSZ, &raw mut size), size)
    };
    match (asked, size.ws_col, size.ws_row) {
        (0, columns @ 1.., rows @ 1..) => (columns, rows),
        _ => (80, 24),
    }
}

/// Write all of it to the terminal in one go.
pub fn write(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// While it lives, the terminal is ours.
#[derive(Debug)]
pub struct Terminal {
    kitty: bool,
}

impl Terminal {
    pub fn take(kitty: bool) -> io::Result<Terminal> {
        install_hook();
        stopping::watch()?;
        enter(kitty)?;
        Ok(Terminal { kitty })
    }

    /// As we had it, after somebody else changed its modes without asking.
    pub fn again(&self) -> io::Result<()> {
        let Some(Taken { modes, .. }) = *taken() else { return Ok(()) };
        raw(modes)?;
        write(TAKE.as_bytes())
    }

    /// The alternate screen, for what takes the whole of it.
    pub fn alternate(&self, on: bool) -> io::Result<()> {
        if let Some(taken) = taken().as_mut() {
            if taken.alternate == on {
                return Ok(());
            }
            taken.alternate = on;
        }
        write(other_screen(on, self.kitty).as_bytes())
    }

    /// The terminal is given back while `work` runs: an editor, a shell line, a stop.
    pub fn lend<T>(&self, work: impl FnOnce() -> T) -> io::Result<T> {
        give_back();
        let done = {
            let _stoppable = stopping::ByDefault::take();
            work()
        };
        // What a stop meanwhile has changed is put right here.
        was_stopped();
        write(MEND.as_bytes())?;
        enter(self.kitty)?;
        Ok(done)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

fn enter(kitty: bool) -> io::Result<()> {
    // Safety: the kernel fills it, or says that standard input is no terminal.
    let modes = unsafe {
        let mut modes: libc::termios = std::mem::zeroed();
        if libc::tcgetattr(0, &raw mut modes) != 0 {
            return Err(io::Error::last_os_error());
        }
        modes
    };
    *taken() = Some(Taken { modes, kitty, alternate: false, by: std::thread::current().id() });
    raw(modes)?;
    write(if kitty { format!("{TAKE}{KITTY_ON}") } else { TAKE.to_string() }.as_bytes())
}

/// Each key as it is pressed, none of them shown by the kernel.
fn raw(modes: libc::termios) -> io::Result<()> {
    let mut modes = modes;
    // Safety: changes our copy only; then the kernel reads it.
    let set = unsafe {
        libc::cfmakeraw(&raw mut modes);
        libc::tcsetattr(0, libc::TCSADRAIN, &raw const modes)
    };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// May be called from anywhere and more than once. What fails here can't be helped: the terminal is gone.
fn give_back() {
    let Some(Taken { modes, kitty, alternate, .. }) = taken().take() else { return };
    let _ = write(all_off(kitty, alternate).as_bytes());
    // Safety: modes that the kernel gave us.
    unsafe { libc::tcsetattr(0, libc::TCSADRAIN, &raw const modes) };
}

/// Each screen has a stack of its own for kitty's keys: what was pushed on one is popped there.
fn other_screen(on: bool, kitty: bool) -> String {
    match (on, kitty) {
        (true, true) => format!("{ALTERNATE_ON}{KITTY_ON}"),
        (true, false) => ALTERNATE_ON.into(),
        (false, true) => format!("{KITTY_OFF}{ALTERNATE_OFF}"),
        (false, false) => ALTERNATE_OFF.into(),
    }
}

fn all_off(kitty: bool, alternate: bool) -> String {
    let back = if alternate { other_screen(false, kitty) } else { String::new() };
    format!("{back}{}{GIVE}", if kitty { KITTY_OFF } else { "" })
}

/// A panic's words must stand on a terminal that shows them: it is given back first. One on another thread is caught there
/// (AG-6) and must not take the terminal from under who draws.
fn install_hook() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let by = taken().as_ref().map(|taken| taken.by);
            if by.is_some_and(|by| by != std::thread::current().id()) {
                tracing::error!("{info}");
                *FAILED_ELSEWHERE.lock().unwrap_or_else(PoisonError::into_inner) = Some(info.to_string());
                return;
            }
            if by.is_some() {
                let _ = write(b"\r\n");
                give_back();
            }
            before(info);
        }));
    });
}

/// Does this terminal know kitty's keys, or at least not print what asks for them?
pub fn knows_kitty(term: &str) -> bool {
    !(term == "linux" || term.starts_with("screen") || term.starts_with("vt") || term == "dumb")
}

/// Does this terminal wrap its lines anew when it gets narrower? On one that does not, a line stays one row.
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
    fn ui_13_what_was_pushed_on_a_screen_is_popped_on_that_screen() {
        for kitty in [false, true] {
            let all =
                format!("{}{}{}", if kitty { KITTY_ON } else { "" }, other_screen(true, kitty), all_off(kitty, true));
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
    fn ui_11_which_terminals_wrap_anew() {
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
