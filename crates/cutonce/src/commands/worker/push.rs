//! Pushes the result of a job (FL-3): only if the job asks for it and this worker's settings allow the branch. Git uses
//! the worker's own credentials, and never the job's clone: its settings may name programs that git would run.

use super::work_folder::WorkFolder;
use crate::commands::program_run::require_branch;
use cutonce_core::settings::FleetSettings;
use cutonce_fleet::job::{FleetJob, PushedBranch, RepoSource, time_text};
use std::ffi::OsStr;

/// Marks the commit of a job, so that another attempt finds its own.
const TRAILER: &str = "Cutonce-Job";
/// Where the branch is looked at before it is pushed to.
const BEFORE: &str = "refs/cutonce/before";
/// Longest title of the commit.
const MAX_TITLE: usize = 72;

/// Fails before any work if the result could not be pushed.
pub fn require_push_allowed(settings: &FleetSettings, job: &FleetJob) -> anyhow::Result<()> {
    match &job.spec.push {
        Some(branch) if !settings.allows_push(branch) => anyhow::bail!(
            "this worker may not push to {branch}; its setting fleet.push names the branches that it may push to"
        ),
        Some(_) if !matches!(job.spec.repo, RepoSource::Url(_)) => anyhow::bail!("a bundle has no place to push to"),
        _ => Ok(()),
    }
}

impl WorkFolder {
    /// Pushes all changes as one commit on top of the job's base. It never replaces the work of others: the branch is
    /// new, or it moves forward, or an earlier attempt of this job pushed it.
    pub async fn push(&self, job: &FleetJob, branch: &str) -> anyhow::Result<PushedBranch> {
        require_branch(branch).await?;
        let RepoSource::Url(url) = &job.spec.repo else { anyhow::bail!("a bundle has no place to push to") };
        let commit = self.commit(job).await?;
        let reference = format!("refs/heads/{branch}");
        let pushed = PushedBranch { branch: branch.to_string(), commit: commit.clone() };
        let listed = self.git_text(&["ls-remote", "--", url, &reference]).await?;
        let before = listed.split_whitespace().next().unwrap_or_default().to_string();
        if before == commit {
            return Ok(pushed);
        }
        if !before.is_empty() {
            let fetch = format!("+{reference}:{BEFORE}");
            self.git_text(&["fetch", "-q", "--no-tags", "--no-recurse-submodules", "--", url, &fetch]).await?;
            let moves_forward = self.git_text(&["merge-base", "--is-ancestor", BEFORE, &commit]).await.is_ok();
            let format = format!("--format=%(trailers:key={TRAILER},valueonly)");
            let is_own = self.git_text(&["log", "-1", &format, BEFORE]).await? == job.spec.id;
            anyhow::ensure!(moves_forward || is_own, "the branch {branch} has other commits; ask for another branch");
        }
        // The server refuses if the branch moved since it was looked at.
        let lease = format!("--force-with-lease={reference}:{before}");
        self.git_text(&["push", "-q", "--no-recurse-submodules", &lease, "--", url, &format!("{commit}:{reference}")])
            .await?;
        Ok(pushed)
    }

    /// Equal files of one job give the same commit.
    async fn commit(&self, job: &FleetJob) -> anyhow::Result<String> {
        let tree = self.git_text(&["write-tree"]).await?;
        let same = self.git_text(&["rev-parse", &format!("{}^{{tree}}", self.base)]).await?;
        anyhow::ensure!(tree != same, "the job changed nothing");
        let known = self.git_text(&["config", "user.email"]).await.is_ok();
        let identity = ["-c", "user.name=cutonce", "-c", "user.email=cutonce@localhost"];
        let title: String = one_title(job).chars().take(MAX_TITLE).collect();
        let sha256 = job.spec.sha256.as_deref().unwrap_or_default();
        let message = format!("{title}\n\nCutonce-Plan: {sha256}\n{TRAILER}: {}", job.spec.id);
        let commit = ["commit-tree", &tree, "-p", &self.base, "-m", &message];
        let args = if known { commit.to_vec() } else { [&identity[..], &commit].concat() };
        let when = time_text(job.submitted);
        let dates = [("GIT_AUTHOR_DATE", OsStr::new(&when)), ("GIT_COMMITTER_DATE", OsStr::new(&when))];
        Ok(String::from_utf8(self.own_git(&args, &dates).await?)?.trim().to_string())
    }

    async fn git_text(&self, args: &[&str]) -> anyhow::Result<String> {
        Ok(String::from_utf8(self.own_git(args, &[]).await?)?.trim().to_string())
    }
}

/// The commit is named after the approved text.
fn one_title(job: &FleetJob) -> String {
    use cutonce_fleet::blob::StoredText;
    let heading = match &job.spec.text {
        Some(StoredText::Inline(text)) => text.lines().find_map(|line| line.strip_prefix("# ")),
        _ => None,
    };
    let heading = heading.map(str::trim).filter(|heading| !heading.is_empty());
    heading.map_or_else(|| format!("Job {}", job.spec.id), str::to_string)
}
