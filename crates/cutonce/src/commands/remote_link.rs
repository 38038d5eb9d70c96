//! What the commands about remotes share: which remote is meant, and telling its faults.

use crate::cli::usage::UsageError;
use crate::start;
use cutonce_agent::config::{self, MANAGED_FILE, SettingsPaths};
use cutonce_agent::storage::paths::user_home;
use cutonce_core::settings::Settings;
use cutonce_core::text::sanitize::sanitize;
use cutonce_fleet::FleetLink;
use cutonce_fleet::remote_record::RemoteRecord;

/// The settings of this folder and user.
pub fn settings(flag: Option<&str>) -> anyhow::Result<Settings> {
    let places = SettingsPaths {
        managed: MANAGED_FILE.into(),
        home: start::home_dir()?,
        user_home: user_home(&|name| std::env::var_os(name)),
        project: start::current_dir()?,
        managed_flag: None,
    };
    Ok(config::load_settings(&places, flag).settings)
}

/// The remote that is meant: as given, by the setting, or the only one.
pub fn remote_name(given: Option<&str>) -> anyhow::Result<String> {
    if let Some(name) = given {
        return Ok(name.to_string());
    }
    if let Some(name) = settings(None)?.remote {
        return Ok(name);
    }
    let known: Vec<String> =
        RemoteRecord::list(&start::home_dir()?).into_iter().flatten().map(|one| one.name).collect();
    match known.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(UsageError("no remote is configured; add one with `cutonce remote add NAME nats://…`".into()).into()),
        _ => Err(UsageError(format!("which remote? Use --remote with one of {}", known.join(", "))).into()),
    }
}

/// Connects to the remote that is meant.
pub async fn connect(given: Option<&str>) -> anyhow::Result<FleetLink> {
    let name = remote_name(given)?;
    Ok(FleetLink::connect(&start::home_dir()?, &name).await?)
}

/// Tells the user about messages that no member wrote.
pub fn tell_faults(link: &FleetLink) {
    for fault in link.take_faults() {
        eprintln!("cutonce: {}: {}", link.name(), sanitize(&fault));
    }
}

/// The name that other members see by default.
pub fn default_label() -> String {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let user = variable("USER").or_else(|| variable("LOGNAME")).unwrap_or_else(|| "user".into());
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|name| name.trim().to_string());
    let host = host.filter(|name| !name.is_empty()).or_else(|| variable("HOSTNAME")).unwrap_or_else(|| "host".into());
    let label: String = format!("{user}@{host}").chars().filter(|c| !c.is_control()).take(60).collect();
    label
}
