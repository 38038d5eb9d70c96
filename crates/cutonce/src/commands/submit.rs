//! `cutonce submit`: gives a job to the workers of a remote (FL-3).

use super::approval;
use super::program_run::{git_output, require_branch};
use super::remote_link::{connect, settings, tell_faults};
use crate::cli::fleet_args::{SubmitArgs, SubmitCommand, SubmitTarget, SubmitText};
use anyhow::Context;
use cutonce_core::exit_code;
use cutonce_core::settings::Settings;
use cutonce_core::text::sanitize::sanitize;
use cutonce_fleet::FleetLink;
use cutonce_fleet::blob::{MAX_BLOB, StoredText};
use cutonce_fleet::job::{JobKind, JobSpec, RepoSource};
use cutonce_fleet::server_login::{ServerLogin, take_login};
use serde_json::json;
use std::path::Path;

/// Longest task; more belongs into a file of the repository.
const MAX_TASK: usize = 256 << 10;

pub async fn run(args: SubmitArgs) -> anyhow::Result<u8> {
    let settings = settings(None)?;
    let (target, job) = match args.what {
        SubmitCommand::Planning { task, then, quorum, push, target } => {
            if task.trim().is_empty() || task.len() > MAX_TASK {
                anyhow::bail!("the task must have 1 to {MAX_TASK} bytes");
            }
            let quorum = quorum.unwrap_or_else(|| quorum_of(&settings));
            (
                target,
                JobRequest {
                    kind: JobKind::Planning,
                    task: Some(task),
                    quorum,
                    then_implement: then.is_some(),
                    text: None,
                    push,
                },
            )
        }
        SubmitCommand::Rehearse { text, target } => (target, approved_job(JobKind::Rehearsal, &text, None)?),
        SubmitCommand::Implement { text, push, target } => {
            (target, approved_job(JobKind::Implementation, &text, push)?)
        }
    };
    if let Some(branch) = &job.push {
        require_branch(branch).await?;
        anyhow::ensure!(
            !Path::new(&target.repo).exists(),
            "--push needs the address of a repository; a folder or bundle has no place to push to"
        );
    }
    let link = connect(target.remote.as_deref()).await?;
    let spec = job.into_spec(&link, &target).await?;
    link.submit_job(&spec).await?;
    tell_faults(&link);
    match target.json {
        true => println!("{}", json!({"id": spec.id})),
        false => println!("{}", spec.id),
    }
    Ok(exit_code::SUCCESS)
}

fn quorum_of(settings: &Settings) -> u32 {
    approval::required_approvers(settings)
}

struct JobRequest {
    kind: JobKind,
    task: Option<String>,
    /// The approved text with its hash.
    text: Option<(String, String)>,
    then_implement: bool,
    quorum: u32,
    push: Option<String>,
}

/// Finds the text and checks that it is the approved one.
fn approved_job(kind: JobKind, given: &SubmitText, push: Option<String>) -> anyhow::Result<JobRequest> {
    let chosen = approval::choose(&given.what, Some(&given.sha256))?;
    let text = Some((chosen.text, given.sha256.trim().to_lowercase()));
    Ok(JobRequest { kind, task: None, text, then_implement: false, quorum: 1, push })
}

impl JobRequest {
    async fn into_spec(self, link: &FleetLink, target: &SubmitTarget) -> anyhow::Result<JobSpec> {
        let (text, sha256): (Option<StoredText>, Option<String>) = match self.text {
            Some((text, sha256)) => (Some(link.put_text(&text).await?), Some(sha256)),
            None => (None, None),
        };
        Ok(JobSpec {
            id: cutonce_agent::new_id(),
            kind: self.kind,
            repo: repo_source(link, &target.repo).await?,
            task: self.task,
            text,
            sha256,
            then_implement: self.then_implement,
            quorum: self.quorum.max(1),
            model: target.model.clone(),
            budget_usd: target.max_budget_usd,
            push: self.push,
            follows: None,
        })
    }
}

/// A file is a bundle, a folder is sent as one, everything else is an address.
async fn repo_source(link: &FleetLink, given: &str) -> anyhow::Result<RepoSource> {
    let path = Path::new(given);
    if path.is_file() {
        let size = path.metadata()?.len();
        if size > MAX_BLOB as u64 {
            anyhow::bail!(
                "{given} has {} MB; bundles may have {} MB: use an address instead",
                size >> 20,
                MAX_BLOB >> 20
            );
        }
        let bytes = std::fs::read(path).with_context(|| format!("can't read {given}"))?;
        if !bytes.starts_with(b"# v") {
            anyhow::bail!("{given} is not a git bundle; create one with `git bundle create FILE HEAD --branches`");
        }
        return Ok(RepoSource::Bundle { shown: given.into(), blob: link.put_blob(&bytes).await? });
    }
    if path.is_dir() {
        let folder = tempfile::Builder::new().prefix("cutonce-bundle-").tempdir()?;
        let file = folder.path().join("repo.bundle");
        let name = file.to_string_lossy();
        let created = git_output(path, &["bundle", "create", "-q", &name, "HEAD", "--branches"]).await;
        created.with_context(|| format!("can't send {} as a bundle", sanitize(given)))?;
        let blob = link.put_blob(&std::fs::read(&file)?).await?;
        return Ok(RepoSource::Bundle { shown: path.canonicalize()?.display().to_string(), blob });
    }
    if !RepoSource::is_address(given) {
        anyhow::bail!("{given:?} is neither an address for git, nor a bundle file, nor a folder");
    }
    // Every member sees the address.
    if matches!(take_login(vec![given.to_string()])?, (_, Some(ServerLogin::Password { .. }))) {
        anyhow::bail!("the address contains a password; leave it out: workers use their own credentials");
    }
    Ok(RepoSource::Url(given.into()))
}
