//! Index of all submitted plan revisions (PM-46).

use serde::{Deserialize, Serialize};

/// Outcome of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RevisionOutcome {
    /// Not answered yet.
    Submitted,
    Approved,
    Rejected,
    /// The user left plan mode and kept the plan.
    Left,
}

/// Status of a plan; its current text may be newer than the last submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanStatus {
    Draft,
    Submitted,
    Approved,
    Rejected,
    Left,
    /// Set aside by the user, whatever its last submission became (PC-41).
    Parked,
}

impl PlanStatus {
    pub fn name(self) -> &'static str {
        match self {
            PlanStatus::Draft => "draft",
            PlanStatus::Submitted => "submitted",
            PlanStatus::Approved => "approved",
            PlanStatus::Rejected => "rejected",
            PlanStatus::Left => "left",
            PlanStatus::Parked => "parked",
        }
    }
}

impl RevisionOutcome {
    pub fn status(self) -> PlanStatus {
        match self {
            RevisionOutcome::Submitted => PlanStatus::Submitted,
            RevisionOutcome::Approved => PlanStatus::Approved,
            RevisionOutcome::Rejected => PlanStatus::Rejected,
            RevisionOutcome::Left => PlanStatus::Left,
        }
    }
    /// Name in the transcript's `plan` entry.
    pub fn name(self) -> &'static str {
        self.status().name()
    }
}

/// One line of the index. The text is in its own file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Revision {
    pub number: u32,
    pub sha256: String,
    /// Time in RFC 3339.
    pub time: String,
    pub outcome: RevisionOutcome,
    /// The project's root.
    pub project: String,
    pub session: String,
    pub title: String,
}

impl Revision {
    /// Name of the file with its text.
    pub fn file_name(&self) -> String {
        format!("{:04}.md", self.number)
    }
}

/// The revisions of one plan, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RevisionIndex {
    pub revisions: Vec<Revision>,
    /// The user set the plan aside; its next submission ends that (PC-41).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub parked: bool,
}

impl RevisionIndex {
    pub fn last(&self) -> Option<&Revision> {
        self.revisions.last()
    }

    /// Number of the revision that a submission of this text gets. The same text is the same revision, unless
    /// that one was approved: approvals stay on record.
    pub fn number_for(&self, text: &str, session: &str) -> u32 {
        let Some(last) = self.last() else { return 1 };
        let again = last.sha256 == super::sha256_hex(text)
            && last.outcome != RevisionOutcome::Approved
            && last.session == session;
        if again { last.number } else { last.number.saturating_add(1) }
    }

    /// Records a submission.
    pub fn submit(&mut self, text: &str, time: &str, project: &str, session: &str) -> &Revision {
        self.parked = false;
        let number = self.number_for(text, session);
        if self.last().is_none_or(|last| last.number != number) {
            self.revisions.push(Revision {
                number,
                sha256: super::sha256_hex(text),
                time: time.into(),
                outcome: RevisionOutcome::Submitted,
                project: project.into(),
                session: session.into(),
                title: super::plan_title(text).unwrap_or_default(),
            });
        }
        let at = self.revisions.len() - 1;
        let last = &mut self.revisions[at];
        last.outcome = RevisionOutcome::Submitted;
        time.clone_into(&mut last.time);
        last
    }

    /// Sets the outcome of a revision; false if there is none with this number.
    pub fn set_outcome(&mut self, number: u32, outcome: RevisionOutcome) -> bool {
        let found = self.revisions.iter_mut().find(|revision| revision.number == number);
        found.map(|revision| revision.outcome = outcome).is_some()
    }

    /// The latest approved revision.
    pub fn last_approved(&self) -> Option<&Revision> {
        self.revisions.iter().rev().find(|revision| revision.outcome == RevisionOutcome::Approved)
    }

    /// Status of the plan if its current text has this hash.
    pub fn status(&self, sha256: Option<&str>) -> PlanStatus {
        if self.parked {
            return PlanStatus::Parked;
        }
        let current = self.last().filter(|last| Some(last.sha256.as_str()) == sha256);
        current.map_or(PlanStatus::Draft, |last| last.outcome.status())
    }
}
