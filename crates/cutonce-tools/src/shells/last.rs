//! What a command in the background printed last (UI-14): told as it changes, no faster than anybody reads, and the last of it
//! always. A command that prints nothing costs nothing.

use super::task::lock;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Between two tellings of one command.
const EACH: Duration = Duration::from_millis(250);
/// Bytes of its output that are looked at.
const TAIL: usize = 1_000;
const LONGEST: usize = 200;

/// Told with the task's id and its last line.
pub(crate) type OnPrint = Arc<dyn Fn(&str, &str) + Send + Sync>;

pub(crate) struct Last {
    id: String,
    tell: Option<OnPrint>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    tail: Vec<u8>,
    told: Option<Instant>,
    /// Something waits to be told.
    due: bool,
}

impl Last {
    pub(crate) fn new(id: String, tell: Option<OnPrint>) -> Arc<Last> {
        Arc::new(Last { id, tell, state: Mutex::default() })
    }

    pub(crate) fn push(self: &Arc<Self>, bytes: &[u8]) {
        if self.tell.is_none() {
            return;
        }
        let mut state = lock(&self.state);
        state.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
        let over = state.tail.len().saturating_sub(TAIL);
        state.tail.drain(..over);
        if state.due {
            return;
        }
        let wait = state.told.map_or(Duration::ZERO, |told| EACH.saturating_sub(told.elapsed()));
        if wait.is_zero() {
            drop(state);
            return self.tell_now();
        }
        state.due = true;
        drop(state);
        let later = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            later.tell_now();
        });
    }

    fn tell_now(&self) {
        let mut state = lock(&self.state);
        (state.due, state.told) = (false, Some(Instant::now()));
        let line = line_of(&state.tail);
        drop(state);
        if let (Some(tell), Some(line)) = (&self.tell, line) {
            tell(&self.id, &line);
        }
    }
}

/// The last line with something in it; what overwrote itself counts as it was last.
fn line_of(tail: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(tail);
    let line = text.rsplit(['\n', '\r']).map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(LONGEST).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn ui_14_the_last_line_is_told_and_not_every_line() {
        let (sender, mut told) = tokio::sync::mpsc::unbounded_channel();
        let tell = move |id: &str, line: &str| drop(sender.send(format!("{id} {line}")));
        let last = Last::new("bash_1".into(), Some(Arc::new(tell)));
        last.push(b"first\n\n");
        for n in 0..1_000 {
            last.push(format!("\rprogress {n}").as_bytes());
        }
        assert_eq!(told.recv().await.as_deref(), Some("bash_1 first"));
        let mut between = 0;
        while told.recv().await.unwrap() != "bash_1 progress 999" {
            between += 1;
        }
        assert!(between < 500, "{between} lines were told");
    }

    #[test]
    fn ui_14_blank_lines_are_no_last_line_and_a_long_one_is_cut() {
        assert_eq!(line_of(b"one\ntwo\n  \n\n").as_deref(), Some("two"));
        assert_eq!(line_of(b"10%\r20%\r").as_deref(), Some("20%"));
        assert_eq!(line_of(b" \n"), None);
        assert_eq!(line_of(&[b'x'; 900]).map(|line| line.len()), Some(LONGEST));
    }
}
