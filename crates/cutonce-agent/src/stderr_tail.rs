//! The end of what a server wrote to stderr, to explain why it failed.

use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::text::sanitize::{one_line, sanitize};
use std::sync::{Arc, Mutex};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

/// How many bytes of stderr to keep.
const STDERR_TAIL: usize = 2_048;
/// Characters of the last line that are shown.
const LAST_LINE: usize = 200;

/// The tail of a process's stderr.
#[derive(Default)]
pub(crate) struct StderrTail(Mutex<Vec<u8>>);

impl StderrTail {
    fn push(&self, more: &[u8]) {
        let mut kept = self.0.lock_unpoisoned();
        kept.extend_from_slice(more);
        let over = kept.len().saturating_sub(STDERR_TAIL);
        kept.drain(..over);
    }
    #[cfg_attr(not(feature = "mcp"), expect(dead_code, reason = "only MCP servers need all of it"))]
    pub(crate) fn describe(&self) -> String {
        let kept = self.0.lock_unpoisoned();
        let text = String::from_utf8_lossy(&kept).trim().to_string();
        if text.is_empty() { String::new() } else { format!("; its last output: {}", sanitize(&text)) }
    }
    /// Like `describe`, but only the last line.
    pub(crate) fn describe_last_line(&self) -> String {
        let kept = self.0.lock_unpoisoned();
        let text = String::from_utf8_lossy(&kept);
        match text.lines().map(str::trim).rfind(|line| !line.is_empty()) {
            Some(line) => format!("; its last output: {}", one_line(&line.chars().take(LAST_LINE).collect::<String>())),
            None => String::new(),
        }
    }
}

/// Reads stderr to its end, so that the process never blocks on it.
pub(crate) async fn read_stderr(mut stderr: pipe::Receiver, tail: Arc<StderrTail>) {
    let mut chunk = vec![0; 8_192];
    while let Ok(n @ 1..) = stderr.read(&mut chunk).await {
        tail.push(chunk.get(..n).unwrap_or_default());
    }
}
