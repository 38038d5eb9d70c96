//! Reports the last output line of a background command (UI-14): throttled while it changes, and always the final
//! one. A silent command costs nothing.

use cutonce_core::sync::LockUnpoisoned;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Minimum interval between two reports of one command.
const REPORT_INTERVAL: Duration = Duration::from_millis(250);
/// Bytes of output to look at.
const TAIL: usize = 1_000;
const MAX_LINE: usize = 200;

/// Callback with the task's id and its last line.
pub(crate) type OnPrint = Arc<dyn Fn(&str, &str) + Send + Sync>;

pub(crate) struct LastLine {
    id: String,
    on_print: Option<OnPrint>,
    state: Mutex<LastLineState>,
}

#[derive(Default)]
struct LastLineState {
    tail: Vec<u8>,
    reported: Option<Instant>,
    /// True if a change is waiting to be reported.
    due: bool,
}

impl LastLine {
    pub(crate) fn new(id: String, tell: Option<OnPrint>) -> Arc<LastLine> {
        Arc::new(LastLine { id, on_print: tell, state: Mutex::default() })
    }

    pub(crate) fn push(self: &Arc<Self>, bytes: &[u8]) {
        if self.on_print.is_none() {
            return;
        }
        let mut state = self.state.lock_unpoisoned();
        state.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
        let over = state.tail.len().saturating_sub(TAIL);
        state.tail.drain(..over);
        if state.due {
            return;
        }
        let wait = state.reported.map_or(Duration::ZERO, |told| REPORT_INTERVAL.saturating_sub(told.elapsed()));
        if wait.is_zero() {
            drop(state);
            return self.report_now();
        }
        state.due = true;
        drop(state);
        let later = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            later.report_now();
        });
    }

    fn report_now(&self) {
        let mut state = self.state.lock_unpoisoned();
        (state.due, state.reported) = (false, Some(Instant::now()));
        let line = last_line(&state.tail);
        drop(state);
        if let (Some(tell), Some(line)) = (&self.on_print, line) {
            tell(&self.id, &line);
        }
    }
}

/// Returns the last non-blank line; for text overwritten by `\r`, the latest version.
fn last_line(tail: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(tail);
    let line = text.rsplit(['\n', '\r']).map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(MAX_LINE).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn ui_14_last_line_is_reported_not_every_line() {
        let (sender, mut told) = tokio::sync::mpsc::unbounded_channel();
        let tell = move |id: &str, line: &str| drop(sender.send(format!("{id} {line}")));
        let last = LastLine::new("bash_1".into(), Some(Arc::new(tell)));
        last.push(b"first\n\n");
        for n in 0..1_000 {
            last.push(format!("\rprogress {n}").as_bytes());
        }
        assert_eq!(told.recv().await.as_deref(), Some("bash_1 first"));
        let mut between = 0;
        while told.recv().await.unwrap() != "bash_1 progress 999" {
            between += 1;
        }
        assert!(between < 500, "{between} lines were reported");
    }

    #[test]
    fn ui_14_last_line_skips_blanks_and_is_cut() {
        assert_eq!(last_line(b"one\ntwo\n  \n\n").as_deref(), Some("two"));
        assert_eq!(last_line(b"10%\r20%\r").as_deref(), Some("20%"));
        assert_eq!(last_line(b" \n"), None);
        assert_eq!(last_line(&[b'x'; 900]).map(|line| line.len()), Some(MAX_LINE));
    }
}
