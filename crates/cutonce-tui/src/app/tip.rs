//! The greeting of the first session (ON-3) and the tip about plan mode, shown at most once in 20 sessions (PM-141).
//! A file in the home folder counts the sessions, under a lock: of two terminals that open together, only one shows
//! them.

use crate::render::theme::Theme;
use cutonce_agent::storage::paths::{create_private_dir, private_options, read_bounded_text, write_private};
use cutonce_core::mode::Mode;
use ratatui::text::{Line, Span};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// First session that may show the tip; new users see enough new things before.
const FIRST_TIP_SESSION: u64 = 3;
const TIP_INTERVAL: u64 = 20;
/// Most bytes of the file that counts sessions.
const MAX_COUNTER: u64 = 4 << 10;

#[derive(Debug, Default, Serialize, Deserialize)]
struct TipCounter {
    sessions: u64,
    /// Number of the session that last showed the tip.
    shown: Option<u64>,
    #[serde(default)]
    greeted: bool,
}

/// What a new session shows besides the conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StartHints {
    pub greeting: bool,
    pub tip: bool,
}

/// The key presses that lead to plan mode (ON-5). `modes` are those that Shift+Tab goes through.
pub fn keys_to_planning(from: Mode, modes: &[Mode]) -> String {
    match from.presses_to_planning(modes) {
        0 | 1 => "shift+tab".into(),
        2 => "shift+tab twice".into(),
        more => format!("shift+tab {more} times"),
    }
}

pub fn tip_text(from: Mode, modes: &[Mode]) -> String {
    format!("Tip: press {} for plan mode: see a plan before anything changes", keys_to_planning(from, modes))
}

/// What the greeting names.
pub struct GreetingText<'a> {
    pub version: &'a str,
    pub folder: &'a str,
    pub model: &'a str,
    pub mode: Mode,
    pub modes: &'a [Mode],
}

impl GreetingText<'_> {
    pub fn lines(&self, theme: &Theme) -> Vec<Line<'static>> {
        let about = format!("{} · {} · {} mode", self.folder, self.model, self.mode);
        let hint = match self.mode.presses_to_planning(self.modes) {
            0 => "Plan mode is on: the agent reads and plans; nothing changes until you approve the plan.".into(),
            _ => format!("For a plan before anything changes, press {}.", keys_to_planning(self.mode, self.modes)),
        };
        let title = vec![Span::styled("cutonce ", theme.heading), Span::styled(self.version.to_string(), theme.dim)];
        vec![
            Line::from(title),
            Line::styled(about, theme.dim),
            Line::styled(hint, theme.planning),
            Line::styled("Type a task and press Enter. /help lists commands and keys.", theme.dim),
        ]
    }
}

/// Counts a new session and returns what it shows. A greeting or tip that does not fit now stays due.
pub fn take_hints(home: &Path, fits: StartHints) -> StartHints {
    count_session(home, fits).unwrap_or_default()
}

fn count_session(home: &Path, fits: StartHints) -> std::io::Result<StartHints> {
    create_private_dir(home)?;
    let lock = private_options().write(true).create(true).truncate(false).open(home.join("tips.lock"))?;
    lock.lock()?;
    let file = home.join("tips.json");
    // A damaged file may mean that the tip was just shown.
    let damaged = TipCounter { sessions: 0, shown: Some(0), greeted: true };
    let mut counted = match read_bounded_text(&file, MAX_COUNTER) {
        Ok(Some(text)) => serde_json::from_str(&text).unwrap_or(damaged),
        Ok(None) => TipCounter::default(),
        Err(_) => damaged,
    };
    counted.sessions = counted.sessions.saturating_add(1);
    let due = match counted.shown {
        None => counted.sessions >= FIRST_TIP_SESSION,
        Some(at) => counted.sessions >= at.saturating_add(TIP_INTERVAL),
    };
    // Users of earlier versions have seen the program.
    let greeting = fits.greeting && !counted.greeted && counted.sessions == 1;
    let tip = due && fits.tip;
    if tip {
        counted.shown = Some(counted.sessions);
    }
    counted.greeted |= greeting;
    write_private(&file, &serde_json::to_vec(&counted)?)?;
    Ok(StartHints { greeting, tip })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_due_tip(home: &Path, tip: bool) -> bool {
        take_hints(home, StartHints { greeting: false, tip }).tip
    }

    #[test]
    fn on_5_tip_names_keys_from_the_current_mode() {
        let usual = [Mode::Default, Mode::AcceptEdits, Mode::Plan];
        assert_eq!(keys_to_planning(Mode::Default, &usual), "shift+tab twice");
        assert_eq!(keys_to_planning(Mode::AcceptEdits, &usual), "shift+tab");
        assert_eq!(keys_to_planning(Mode::BypassPermissions, &Mode::ALL), "shift+tab 3 times");
        assert!(tip_text(Mode::AcceptEdits, &usual).starts_with("Tip: press shift+tab for plan mode"));
    }

    #[test]
    fn on_3_only_the_first_session_greets() {
        let home = tempfile::tempdir().unwrap();
        let greets = || take_hints(home.path(), StartHints { greeting: true, tip: false }).greeting;
        assert_eq!([greets(), greets()], [true, false]);
        let theme = Theme::default();
        let lines =
            GreetingText { version: "1.2.3", folder: "~/shop", model: "m", mode: Mode::Default, modes: &Mode::ALL };
        let text: Vec<String> = lines.lines(&theme).iter().map(crate::render::text::plain_text).collect();
        assert_eq!(text[..2], ["cutonce 1.2.3", "~/shop · m · default mode"]);
        assert!(text[2].ends_with("press shift+tab twice."), "{text:?}");
    }

    #[test]
    fn pm_141_tip_shows_once_in_20_sessions() {
        let home = tempfile::tempdir().unwrap();
        let shown: Vec<usize> = (1..=70).filter(|_| take_due_tip(home.path(), true)).collect();
        assert_eq!(shown, [3, 23, 43, 63]);
    }

    #[test]
    fn pm_141_unshown_tip_stays_due() {
        let home = tempfile::tempdir().unwrap();
        assert!((1..=9).all(|_| !take_due_tip(home.path(), false)));
        assert!(take_due_tip(home.path(), true));
        assert!((1..=19).all(|_| !take_due_tip(home.path(), true)));
        assert!(take_due_tip(home.path(), true));
    }

    #[test]
    fn pm_141_concurrent_sessions_show_it_once() {
        let home = tempfile::tempdir().unwrap();
        let opened = std::thread::scope(|scope| {
            let open = || scope.spawn(|| take_due_tip(home.path(), true));
            let all: Vec<_> = (0..19).map(|_| open()).collect();
            all.into_iter().filter_map(|one| one.join().ok()).filter(|shown| *shown).count()
        });
        assert_eq!(opened, 1);
        std::fs::write(home.path().join("tips.json"), "{").unwrap();
        assert!((1..=19).all(|_| !take_due_tip(home.path(), true)));
        assert!(take_due_tip(home.path(), true));
    }
}
