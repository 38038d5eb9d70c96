//! Every version that was submitted (PM-46): the index beside the revision files.

use serde::{Deserialize, Serialize};

/// What became of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Nobody has answered yet.
    Submitted,
    Approved,
    Rejected,
    /// The user left plan mode and kept the plan.
    Left,
}

/// How a plan stands: its text now may be newer than what was submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Draft,
    Submitted,
    Approved,
    Rejected,
    Left,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Status::Draft => "draft",
            Status::Submitted => "submitted",
            Status::Approved => "approved",
            Status::Rejected => "rejected",
            Status::Left => "left",
        }
    }
}

impl Outcome {
    pub fn status(self) -> Status {
        match self {
            Outcome::Submitted => Status::Submitted,
            Outcome::Approved => Status::Approved,
            Outcome::Rejected => Status::Rejected,
            Outcome::Left => Status::Left,
        }
    }
    /// The word in the transcript's `plan` entry.
    pub fn name(self) -> &'static str {
        self.status().name()
    }
}

/// One line of the index. The text is in a file of its own, `Revision::file`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Revision {
    pub number: u32,
    pub sha256: String,
    /// RFC 3339.
    pub time: String,
    pub outcome: Outcome,
    /// The project's root.
    pub project: String,
    pub session: String,
    pub title: String,
}

impl Revision {
    /// The name of the file that holds its text.
    pub fn file(&self) -> String {
        format!("{:04}.md", self.number)
    }
}

/// The revisions of one plan, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Index {
    pub revisions: Vec<Revision>,
}

impl Index {
    pub fn last(&self) -> Option<&Revision> {
        self.revisions.last()
    }

    /// A plan is submitted. The same text again is the same revision, unless that one was approved: an approval stays on record.
    pub fn submit(&mut self, text: &str, time: &str, project: &str, session: &str) -> &Revision {
        let sha256 = super::sha256(text);
        let again =
            |last: &Revision| last.sha256 == sha256 && last.outcome != Outcome::Approved && last.session == session;
        if !self.last().is_some_and(again) {
            self.revisions.push(Revision {
                number: self.last().map_or(1, |last| last.number.saturating_add(1)),
                sha256,
                time: time.into(),
                outcome: Outcome::Submitted,
                project: project.into(),
                session: session.into(),
                title: super::title(text).unwrap_or_default(),
            });
        }
        let at = self.revisions.len() - 1;
        let last = &mut self.revisions[at];
        last.outcome = Outcome::Submitted;
        time.clone_into(&mut last.time);
        last
    }

    /// What became of a revision; false if there is none of this number.
    pub fn settle(&mut self, number: u32, outcome: Outcome) -> bool {
        let found = self.revisions.iter_mut().find(|revision| revision.number == number);
        found.map(|revision| revision.outcome = outcome).is_some()
    }

    /// The latest version that somebody approved.
    pub fn approved(&self) -> Option<&Revision> {
        self.revisions.iter().rev().find(|revision| revision.outcome == Outcome::Approved)
    }

    /// How the plan stands whose text now has this hash.
    pub fn status(&self, sha256: Option<&str>) -> Status {
        let current = self.last().filter(|last| Some(last.sha256.as_str()) == sha256);
        current.map_or(Status::Draft, |last| last.outcome.status())
    }
}
