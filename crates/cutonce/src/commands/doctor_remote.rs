//! `cutonce doctor --remote NAME`: what is wrong with a remote (FL-1). Each problem is one line with the next step.

use super::doctor::{CheckState, DoctorCheck};
use super::remote_link::remote_name;
use crate::start;
use cutonce_core::text::sanitize::{sanitize, without_os_codes};
use cutonce_fleet::inspection::ServerInspection;
use cutonce_fleet::job::JobState;
use cutonce_fleet::remote_record::RemoteRecord;
use cutonce_fleet::streams::FleetStream;
use cutonce_fleet::{ConnectionFault, FleetError, FleetLink};
use std::path::Path;

/// Checks one remote. A failure ends the report: what follows would only repeat it.
pub async fn checks(given: &str) -> anyhow::Result<Vec<DoctorCheck>> {
    let (home, name) = (start::home_dir()?, remote_name(Some(given))?);
    let record = match RemoteRecord::load(&home, &name) {
        Ok(record) => record,
        Err(error) => return Ok(vec![broken("remote", &error)]),
    };
    let tls = if record.is_loopback() { "on this machine, no TLS needed" } else { "TLS required" };
    let mut checks = vec![line("remote", CheckState::Works, format!("{} ({tls})", record.shown_urls()))];
    let inspection = match FleetLink::inspect(&home, &record).await {
        Ok(inspection) => inspection,
        Err(error) => {
            checks.push(broken(part_of(&error), &error));
            return Ok(checks);
        }
    };
    let milliseconds = inspection.latency.as_millis();
    let told = format!("{}, answers within {milliseconds} ms", inspection.server);
    checks.push(line("server", CheckState::Works, told));
    checks.push(match inspection.skew_text() {
        None => line("clock", CheckState::Works, "agrees with the server's".into()),
        Some(text) => line("clock", CheckState::Note, text),
    });
    if let Some(lost) = lost_log(&record, &inspection) {
        checks.push(line("streams", CheckState::Broken, lost));
        return Ok(checks);
    }
    checks.extend(missing_streams(&record, &inspection));
    match FleetLink::connect(&home, &name).await {
        Ok(link) => checks.extend(group_checks(&home, &link).await),
        Err(error) => checks.push(broken("group", &error)),
    }
    Ok(checks)
}

fn line(what: &'static str, state: CheckState, detail: String) -> DoctorCheck {
    DoctorCheck { what, state, detail: sanitize(&without_os_codes(&detail)).into_owned() }
}

fn broken(what: &'static str, error: &FleetError) -> DoctorCheck {
    line(what, CheckState::Broken, error.to_string())
}

/// The part of the remote that a failed connection is about.
fn part_of(error: &FleetError) -> &'static str {
    match error {
        FleetError::Connection { fault, .. } => match fault {
            ConnectionFault::Unreachable | ConnectionFault::UnknownHost | ConnectionFault::SmallMessages => "server",
            ConnectionFault::NoTls | ConnectionFault::Certificate => "tls",
            ConnectionFault::Credentials | ConnectionFault::Permissions => "login",
            ConnectionFault::NoJetStream => "jetstream",
        },
        FleetError::File { .. } | FleetError::Refused(_) | FleetError::Key(_) => "login",
        FleetError::Server { .. } => "server",
    }
}

/// A group whose member log is gone can't be repaired from here.
fn lost_log(record: &RemoteRecord, inspection: &ServerInspection) -> Option<String> {
    let lost = inspection.missing.contains(&FleetStream::Members) && !record.head.is_empty();
    lost.then(|| {
        format!(
            "the server has no member log of {}, which this machine has seen before: the store was removed, or the \
             address leads to another server; restore the store, or `cutonce remote remove {}` and found a new group",
            record.name, record.name
        )
    })
}

fn missing_streams(record: &RemoteRecord, inspection: &ServerInspection) -> Option<DoctorCheck> {
    let missing: Vec<&str> = inspection.missing.iter().map(|stream| stream.key()).collect();
    // Before the first connection there is nothing to miss.
    if missing.is_empty() || record.head.is_empty() {
        return None;
    }
    let detail = format!(
        "the server had lost {}; created again, empty: what was in them is gone unless you restore the server's store",
        missing.join(", ")
    );
    Some(line("streams", CheckState::Note, detail))
}

async fn group_checks(home: &Path, link: &FleetLink) -> Vec<DoctorCheck> {
    let mut checks = vec![match link.require_member() {
        Ok(member) => {
            let count = link.members().members().filter(|member| member.revoked.is_none()).count();
            let detail = format!("{} as {}, {count} members", member.card.label, member.role.name());
            line("member", CheckState::Works, detail)
        }
        Err(error) => {
            let next = "ask the owner for an invitation and join under another --name";
            line("member", CheckState::Broken, format!("{error}; {next}"))
        }
    }];
    for stream in FleetStream::ALL {
        checks.push(match link.stream_summary(stream).await {
            Ok(text) => line("stream", CheckState::Works, format!("{}: {text}", stream.key())),
            Err(error) => line("stream", CheckState::Broken, format!("{}: {error}", stream.key())),
        });
    }
    checks.push(match link.job_board().await {
        Ok(board) => {
            let count = |state| board.jobs().filter(|job| job.state == state).count();
            let [queued, running, waiting] = [JobState::Queued, JobState::Running, JobState::Waiting].map(count);
            let detail = format!("{queued} queued, {running} running, {waiting} waiting for a review");
            line("jobs", CheckState::Works, detail)
        }
        Err(error) => broken("jobs", &error),
    });
    checks.push(key_file_check(home, &link.record()));
    let faults = link.take_faults();
    let state = if faults.is_empty() { CheckState::Works } else { CheckState::Note };
    let detail = if faults.is_empty() { "no foreign messages".into() } else { faults.join("; ") };
    checks.push(line("messages", state, detail));
    checks
}

/// Where the credentials and keys of this machine are.
fn key_file_check(home: &Path, record: &RemoteRecord) -> DoctorCheck {
    let keys = RemoteRecord::path(home, &record.name).map(|path| path.display().to_string()).unwrap_or_default();
    let login = match (&record.creds, record.has_login) {
        (Some(path), _) => format!("credentials in {}", path.display()),
        (None, true) => "credentials in the keyring".to_string(),
        (None, false) => "no credentials".to_string(),
    };
    line("keys", CheckState::Works, format!("{keys}; only you can read it; {login}"))
}
