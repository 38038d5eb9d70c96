//! A tip about Shift+Tab, at most once in 20 sessions (PM-141). How many there were is counted in a file of the home, under a
//! lock: two terminals that open at once are two sessions, and only one of them shows it.

use cutonce_agent::store::place::{create_private_dir, private, write_private};
use serde::{Deserialize, Serialize};
use std::path::Path;

pub const TIP: &str = "Tip: shift+tab goes to plan mode: you see a plan before anything changes";

/// The first two sessions have enough that is new.
const FIRST: u64 = 3;
const EVERY: u64 = 20;

#[derive(Debug, Default, Serialize, Deserialize)]
struct Counted {
    sessions: u64,
    /// The session that showed it last.
    shown: Option<u64>,
}

/// A session begins: is the tip due in it? `fits`: it could be shown now; if not, it stays due.
pub fn due(home: &Path, fits: bool) -> bool {
    counted(home, fits).unwrap_or(false)
}

fn counted(home: &Path, fits: bool) -> std::io::Result<bool> {
    create_private_dir(home)?;
    let lock = private().write(true).create(true).truncate(false).open(home.join("tips.lock"))?;
    lock.lock()?;
    let file = home.join("tips.json");
    let mut counted = match std::fs::read(&file) {
        // What can't be understood may have been shown a moment ago.
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or(Counted { sessions: 0, shown: Some(0) }),
        Err(_) => Counted::default(),
    };
    counted.sessions = counted.sessions.saturating_add(1);
    let due = match counted.shown {
        None => counted.sessions >= FIRST,
        Some(at) => counted.sessions >= at.saturating_add(EVERY),
    };
    if due && fits {
        counted.shown = Some(counted.sessions);
    }
    write_private(&file, &serde_json::to_vec(&counted)?)?;
    Ok(due && fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pm_141_the_tip_comes_at_most_once_in_20_sessions() {
        let home = tempfile::tempdir().unwrap();
        let shown: Vec<usize> = (1..=70).filter(|_| due(home.path(), true)).collect();
        assert_eq!(shown, [3, 23, 43, 63]);
    }

    #[test]
    fn pm_141_a_session_that_can_t_show_it_leaves_it_to_the_next() {
        let home = tempfile::tempdir().unwrap();
        assert!((1..=9).all(|_| !due(home.path(), false)));
        assert!(due(home.path(), true));
        assert!((1..=19).all(|_| !due(home.path(), true)));
        assert!(due(home.path(), true));
    }

    #[test]
    fn pm_141_sessions_that_open_at_once_and_a_broken_count_show_it_once() {
        let home = tempfile::tempdir().unwrap();
        let opened = std::thread::scope(|scope| {
            let open = || scope.spawn(|| due(home.path(), true));
            let all: Vec<_> = (0..19).map(|_| open()).collect();
            all.into_iter().filter_map(|one| one.join().ok()).filter(|shown| *shown).count()
        });
        assert_eq!(opened, 1);
        std::fs::write(home.path().join("tips.json"), "{").unwrap();
        assert!((1..=19).all(|_| !due(home.path(), true)));
        assert!(due(home.path(), true));
    }
}
