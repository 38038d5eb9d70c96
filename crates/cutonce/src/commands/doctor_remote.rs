//! `cutonce doctor --remote NAME`: what is wrong with a remote (FL-1).

use super::doctor::{CheckState, DoctorCheck};
use super::remote_link::remote_name;
use crate::start;
use cutonce_core::text::sanitize::sanitize;
use cutonce_fleet::FleetLink;
use cutonce_fleet::job::JobState;
use cutonce_fleet::remote_record::RemoteRecord;
use cutonce_fleet::streams::FleetStream;
use std::time::Instant;

/// Checks one remote; each problem says what to do.
pub async fn checks(given: &str) -> anyhow::Result<Vec<DoctorCheck>> {
    let (home, name) = (start::home_dir()?, remote_name(Some(given))?);
    let line = |what, state, detail: String| DoctorCheck { what, state, detail: sanitize(&detail).into_owned() };
    let record = match RemoteRecord::load(&home, &name) {
        Ok(record) => record,
        Err(error) => return Ok(vec![line("remote", CheckState::Broken, error.to_string())]),
    };
    let tls = if record.is_loopback() { "on this machine, no TLS needed" } else { "TLS required" };
    let mut checks = vec![line("remote", CheckState::Works, format!("{} ({tls})", record.shown_urls()))];
    let began = Instant::now();
    let link = match FleetLink::connect(&home, &name).await {
        Ok(link) => link,
        Err(error) => {
            checks.push(line("server", CheckState::Broken, format!("{error}; is it running with JetStream (-js)?")));
            return Ok(checks);
        }
    };
    checks.push(line("server", CheckState::Works, format!("answers within {} ms", began.elapsed().as_millis())));
    checks.push(match link.require_member() {
        Ok(member) => {
            let count = link.members().members().filter(|member| member.revoked.is_none()).count();
            line(
                "member",
                CheckState::Works,
                format!("{} as {}, {count} members", member.card.label, member.role.name()),
            )
        }
        Err(error) => line("member", CheckState::Broken, error.to_string()),
    });
    for stream in FleetStream::ALL {
        checks.push(match link.stream_summary(stream).await {
            Ok(text) => line("stream", CheckState::Works, format!("{}: {text}", stream.key())),
            Err(error) => line("stream", CheckState::Broken, format!("{}: {error}", stream.key())),
        });
    }
    match link.job_board().await {
        Ok(board) => {
            let count = |state| board.jobs().filter(|job| job.state == state).count();
            let [queued, running, waiting] = [JobState::Queued, JobState::Running, JobState::Waiting].map(count);
            let detail = format!("{queued} queued, {running} running, {waiting} waiting for a review");
            checks.push(line("jobs", CheckState::Works, detail));
        }
        Err(error) => checks.push(line("jobs", CheckState::Broken, error.to_string())),
    }
    let faults = link.take_faults();
    let state = if faults.is_empty() { CheckState::Works } else { CheckState::Note };
    let detail = if faults.is_empty() { "no foreign messages".into() } else { faults.join("; ") };
    checks.push(line("messages", state, detail));
    Ok(checks)
}
