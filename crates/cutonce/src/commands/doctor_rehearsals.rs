//! What `cutonce doctor` says about rehearsals (RH-8).

use super::doctor::{CheckState, DoctorCheck};
use cutonce_agent::plan::rehearsal::describe_ground;
use cutonce_core::settings::Settings;
use std::path::Path;

/// Reports what rehearsals work on, and what a copy costs (RH-8).
pub fn check(home: &Path, cwd: &Path, settings: &Settings) -> DoctorCheck {
    let env: Vec<_> = std::env::vars_os().collect();
    let describe = || match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(describe_ground(home, cwd, &env, settings.plan.rehearsal)),
        Err(error) => (format!("can't be tried: {error}"), false),
    };
    // The terminal program asks from inside its own runtime.
    let described = std::thread::scope(|scope| scope.spawn(describe).join());
    let (detail, is_layer) = described.unwrap_or_else(|_| ("can't be tried".into(), false));
    DoctorCheck { what: "rehearsal", state: if is_layer { CheckState::Works } else { CheckState::Note }, detail }
}
