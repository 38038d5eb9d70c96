//! Settings of workers and jobs (FL-3, FL-5).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Workers take jobs; these settings belong to the machine of the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FleetSettings {
    /// Seconds between two signs of life of a worker for its job.
    pub heartbeat_seconds: u32,
    /// Seconds without a sign of life after which another worker gets the job.
    pub redelivery_seconds: u32,
    /// Jobs that this worker runs at once.
    pub jobs: u32,
    /// Jobs of one person that run at once in the whole fleet; 0: no limit.
    pub jobs_per_user: u32,
    /// Jobs on one repository that run at once in the whole fleet; 0: no limit.
    pub jobs_per_repository: u32,
    /// Starts of a job before it is put on the dead-letter list.
    pub attempts: u32,
    /// Minutes without a new transcript entry after which a job is ended.
    pub idle_minutes: u32,
    /// Minutes after which a job is ended in any case.
    pub job_minutes: u32,
    /// Branches that jobs may push to, if they ask for it: names, or beginnings that end with `*`. Empty: none.
    pub push: Vec<String>,
    /// Most that one job may cost in US dollars; a job may ask for less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
}

impl FleetSettings {
    /// Whether jobs may push to this branch.
    pub fn allows_push(&self, branch: &str) -> bool {
        self.push.iter().any(|allowed| match allowed.strip_suffix('*') {
            Some(beginning) => branch.starts_with(beginning),
            None => branch == allowed,
        })
    }
}

impl Default for FleetSettings {
    fn default() -> Self {
        Self {
            heartbeat_seconds: 5,
            redelivery_seconds: 30,
            jobs: 1,
            jobs_per_user: 0,
            jobs_per_repository: 0,
            attempts: 5,
            idle_minutes: 15,
            job_minutes: 120,
            push: Vec::new(),
            budget_usd: None,
        }
    }
}
