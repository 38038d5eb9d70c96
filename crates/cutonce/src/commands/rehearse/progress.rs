//! What a rehearsal does, on standard error: a line per call with `--verbose`, else one line on a terminal.

use crate::cli::args::RehearseArgs;
use crate::frontends::print::progress_line::{HeadlessProgress, TICK};
use cutonce_core::sync::LockUnpoisoned;
use cutonce_core::text::sanitize::one_line;
use std::sync::Mutex;

pub struct RehearsalProgress {
    verbose: bool,
    line: Mutex<Option<HeadlessProgress>>,
}

impl RehearsalProgress {
    pub fn new(args: &RehearseArgs) -> RehearsalProgress {
        let line = HeadlessProgress::new(!args.verbose && !args.json);
        RehearsalProgress { verbose: args.verbose, line: Mutex::new(line) }
    }

    /// The agent makes a call.
    pub fn on_call(&self, call: &str, number: u32) {
        if self.verbose {
            eprintln!("● {}", one_line(call));
        }
        self.with_line(|line| line.on_call(call, number));
    }

    /// Waits for the rehearsal and shows the time that passes.
    pub async fn follow<T>(&self, rehearsal: impl Future<Output = T>) -> T {
        let mut rehearsal = std::pin::pin!(rehearsal);
        loop {
            tokio::select! {
                ended = &mut rehearsal => {
                    self.with_line(HeadlessProgress::erase);
                    return ended;
                }
                () = tokio::time::sleep(TICK) => self.with_line(HeadlessProgress::draw),
            }
        }
    }

    fn with_line(&self, change: impl FnOnce(&mut HeadlessProgress)) {
        if let Some(line) = &mut *self.line.lock_unpoisoned() {
            change(line);
        }
    }
}
