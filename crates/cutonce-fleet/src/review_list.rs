//! The plans of a remote that wait, without their texts (FL-7). Each machine keeps what it has read and verified, so a
//! list reads only what is new on the server.

use crate::link::FleetRecord;
use crate::member_keys::MemberId;
use crate::member_list::MemberList;
use crate::newest_records::subject_id;
use crate::remote_record::remotes_dir;
use crate::retry::while_server_fails;
use crate::review::{ReviewRecord, SharedReview, SharedReviews};
use crate::streams::FleetStream;
use crate::{FleetError, FleetLink};
use cutonce_agent::storage::paths::write_private;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// New records that are worth a write.
const WORTH_SAVING: usize = 100;

/// A plan of a session, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedReview {
    pub ask_id: String,
    pub session: String,
    pub project: String,
    pub sha256: String,
    /// Server time of the request, in milliseconds.
    pub requested: u64,
    /// Sequence number of the request in the stream.
    sequence: u64,
    /// The member whose session asks; only it closes the request.
    owner: MemberId,
    is_closed: bool,
    /// How others see the owner.
    #[serde(skip)]
    pub author: String,
}

/// All plans of sessions that the server still has.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewList {
    /// Names the stream: one that was deleted and created again has other messages.
    stream: String,
    /// The last message that was read.
    last: u64,
    reviews: BTreeMap<String, ListedReview>,
}

impl ReviewList {
    /// Requests that wait, newest first.
    pub fn open(&self) -> Vec<&ListedReview> {
        let mut open: Vec<&ListedReview> = self.reviews.values().filter(|review| !review.is_closed).collect();
        open.sort_by_key(|review| std::cmp::Reverse(review.sequence));
        open
    }
    /// Finds requests by their id or the start of it, closed ones too.
    pub fn find(&self, id: &str) -> Vec<&ListedReview> {
        let is_meant = |review: &&ListedReview| review.ask_id == id || (id.len() >= 4 && review.ask_id.starts_with(id));
        self.reviews.values().filter(is_meant).collect()
    }

    fn load(path: &Path, stream: String, state: &async_nats::jetstream::stream::State) -> ReviewList {
        let stored = std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice::<ReviewList>(&bytes).ok());
        match stored.filter(|list| list.stream == stream && list.last <= state.last_sequence) {
            Some(mut list) => {
                list.reviews.retain(|_, review| review.sequence >= state.first_sequence);
                list
            }
            None => ReviewList { stream, ..ReviewList::default() },
        }
    }

    fn apply(&mut self, record: &FleetRecord<ReviewRecord>) {
        self.last = self.last.max(record.sequence);
        let Some(ask_id) = subject_id(&record.subject).map(str::to_string) else { return };
        match &record.body {
            ReviewRecord::Requested { session, project, sha256, .. } => {
                self.reviews.entry(ask_id.clone()).or_insert_with(|| ListedReview {
                    ask_id,
                    session: session.clone(),
                    project: project.clone(),
                    sha256: sha256.clone(),
                    requested: record.published,
                    sequence: record.sequence,
                    owner: record.author.id.clone(),
                    is_closed: false,
                    author: String::new(),
                });
            }
            ReviewRecord::Closed { .. } => {
                if let Some(review) = self.reviews.get_mut(&ask_id).filter(|review| review.owner == record.author.id) {
                    review.is_closed = true;
                }
            }
            _ => {}
        }
    }

    /// Names the owners. Requests of members that were locked out before are left out.
    fn name_owners(&mut self, members: &MemberList) {
        self.reviews.retain(|_, review| match members.active_at(&review.owner, review.requested) {
            Some(member) => {
                review.author.clone_from(&member.card.label);
                true
            }
            None => false,
        });
    }

    fn save(&self, path: &Path) {
        let stored = serde_json::to_vec(self).map_err(std::io::Error::other);
        if let Err(error) = stored.and_then(|bytes| write_private(path, &bytes)) {
            tracing::warn!("{}: {error}", path.display());
        }
    }
}

impl FleetLink {
    /// The plans of sessions as this machine read and verified them last.
    pub async fn stored_reviews(&self) -> Result<ReviewList, FleetError> {
        let stream = while_server_fails!(self.connection(), self.stream(FleetStream::Reviews).await)?;
        let info = stream.cached_info();
        let created = format!("{} {}", info.config.name, info.created.unix_timestamp_nanos());
        Ok(ReviewList::load(&self.review_list_path(), created, &info.state))
    }

    /// The newest plans, if reading all that is new since `stored` takes time; else none.
    pub async fn newest_listed(&self, stored: &ReviewList) -> Result<ReviewList, FleetError> {
        let mut list = ReviewList::default();
        self.newest_reviews(stored.last).await?.iter().for_each(|record| list.apply(record));
        list.name_owners(&self.members());
        Ok(list)
    }

    /// Adds what is new on the server.
    pub async fn complete_reviews(&self, mut list: ReviewList) -> Result<ReviewList, FleetError> {
        let records = self.replay_from::<ReviewRecord>(FleetStream::Reviews, ">", list.last + 1).await?;
        records.iter().for_each(|record| list.apply(record));
        if records.len() >= WORTH_SAVING {
            list.save(&self.review_list_path());
        }
        list.name_owners(&self.members());
        Ok(list)
    }

    /// All plans of sessions, without their texts.
    pub async fn list_reviews(&self) -> Result<ReviewList, FleetError> {
        self.complete_reviews(self.stored_reviews().await?).await
    }

    fn review_list_path(&self) -> PathBuf {
        remotes_dir(self.home()).join(self.name()).join("reviews.json")
    }

    /// One request with its text and everything that followed.
    pub async fn read_review(&self, ask_id: &str) -> Result<Option<SharedReview>, FleetError> {
        let mut reviews = SharedReviews::default();
        for record in self.replay::<ReviewRecord>(FleetStream::Reviews, ask_id).await? {
            reviews.apply(&record);
        }
        Ok(reviews.get(ask_id).cloned())
    }
}
