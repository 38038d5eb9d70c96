//! The review page in a real Chromium, against real sessions on terminals (RV-1 to RV-7). Only the model is scripted.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on must fail")]

#[path = "../stories/pty.rs"]
#[allow(dead_code, reason = "shared with the stories")]
mod pty;

#[cfg(feature = "nats")]
#[path = "../fleet/cluster.rs"]
#[allow(dead_code, reason = "shared with the tests of the fleet")]
mod cluster;
mod failures;
#[cfg(feature = "nats")]
#[path = "../fleet/load.rs"]
#[allow(dead_code, reason = "shared with the tests of the fleet")]
mod fleet_load;
#[cfg(feature = "nats")]
#[path = "../fleet/stage.rs"]
#[allow(dead_code, reason = "shared with the tests of the fleet")]
mod fleet_stage;
mod http;
mod plan_rehearsals;
mod plan_stories;
mod races;
#[cfg(feature = "nats")]
mod remote_plans;
mod review_stories;
mod security;
#[cfg(feature = "nats")]
#[path = "../mailbox/server.rs"]
#[allow(dead_code, reason = "shared with the tests of the mailboxes")]
mod server;
mod stage;
#[path = "../support/test_program.rs"]
mod test_program;
#[cfg(feature = "nats")]
#[path = "../fleet/waiting.rs"]
#[allow(dead_code, reason = "shared with the tests of the fleet")]
mod waiting;
mod webdriver;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let stories = [plan_stories::tests(), review_stories::tests(), plan_rehearsals::tests()].concat();
    let mut tests = [stories, security::tests(), races::tests(), failures::tests()].concat();
    #[cfg(feature = "nats")]
    tests.extend(remote_plans::tests());
    let as_written = tests.into_iter().map(|(name, test)| trial(name.to_string(), test, false));
    // Rehearsals have the same results on a private copy (RH-8).
    let copied =
        plan_rehearsals::tests().into_iter().filter(|(name, _)| name.contains("rehearsal") || name.contains("rh_"));
    let copied = copied.map(|(name, test)| trial(format!("{name} on a private copy"), test, true));
    let trials = as_written.chain(copied);
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials.collect());
    webdriver::close_browser();
    conclusion.exit();
}

fn trial(name: String, test: fn(), on_copies: bool) -> Trial {
    Trial::test(name, move || {
        stage::rehearse_on_copies(on_copies);
        test();
        Ok(())
    })
}

/// A list of tests with their names.
#[macro_export]
macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        pub fn tests() -> Vec<(&'static str, fn())> {
            vec![$((stringify!($name), $name as fn())),*]
        }
    };
}
