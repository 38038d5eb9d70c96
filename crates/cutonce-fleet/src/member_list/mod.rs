//! The members of a group (FL-2): a log of signed records that every member replays. The founder's key is the root.
//! Each record names the hash of the one before it, so that none can be dropped, moved or repeated.

use crate::envelope::{EnvelopeFault, OpenedEnvelope};
use crate::hex;
use crate::member_keys::{MemberId, MemberPublicKeys, MemberSecret};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};

/// How long an invitation works.
pub const INVITE_SECONDS: u64 = 600;
/// Longer labels are refused.
const MAX_LABEL: usize = 100;

/// What a member may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemberRole {
    /// Invites and locks out; everything else too.
    Owner,
    /// Answers reviews and submits jobs.
    Approve,
    /// Sends comments and asks for changes.
    Comment,
    /// Takes jobs and publishes their results.
    Worker,
}

impl MemberRole {
    pub fn name(self) -> &'static str {
        match self {
            MemberRole::Owner => "owner",
            MemberRole::Approve => "approve",
            MemberRole::Comment => "comment",
            MemberRole::Worker => "worker",
        }
    }
    pub fn may_approve(self) -> bool {
        matches!(self, MemberRole::Owner | MemberRole::Approve)
    }
    pub fn may_comment(self) -> bool {
        self != MemberRole::Worker
    }
    pub fn may_submit(self) -> bool {
        self.may_approve()
    }
    pub fn may_work(self) -> bool {
        matches!(self, MemberRole::Owner | MemberRole::Worker)
    }
}

/// A member's keys and the name that others see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberCard {
    pub keys: MemberPublicKeys,
    pub label: String,
}

/// One record of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "camelCase")]
pub enum MemberRecord {
    /// The first record: the owner.
    Founded { card: MemberCard },
    /// One person or machine may join with this key, for ten minutes.
    Invited { invite: String, keys: MemberPublicKeys, role: MemberRole },
    /// A new member, signed by itself; `proof` is the invitation's signature over the card.
    Joined { invite: String, card: MemberCard, proof: String },
    /// A new member whose SSH signature the owner checked; `proof` is its own signature over the card.
    Admitted { card: MemberCard, role: MemberRole, signer: String, proof: String },
    /// A member is locked out.
    Revoked { member: MemberId },
    /// A new key of the group, sealed for each member.
    Rekeyed { epoch: u32, keys: BTreeMap<MemberId, String> },
    /// The author replaces its own keys.
    Replaced { card: MemberCard, proof: String },
}

/// A record with its place in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberLogEntry {
    pub prev: String,
    #[serde(flatten)]
    pub record: MemberRecord,
}

/// A member as the log describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetMember {
    pub id: MemberId,
    pub card: MemberCard,
    pub role: MemberRole,
    /// The name of its SSH key in the owner's file of allowed signers.
    pub signer: Option<String>,
    /// Server time of joining, in milliseconds.
    pub since: u64,
    /// Server time of the lockout.
    pub revoked: Option<u64>,
    /// The member has newer keys: these were not locked out by an owner.
    pub replaced: bool,
}

impl FleetMember {
    /// Names the person: machines with the same SSH key are one approver.
    pub fn person(&self) -> &str {
        self.signer.as_deref().unwrap_or(self.id.as_str())
    }
    /// Whether it was not locked out before `at` (server time).
    pub fn is_active_at(&self, at: u64) -> bool {
        self.revoked.is_none_or(|revoked| at <= revoked)
    }
}

#[derive(Debug, Clone)]
struct OpenInvite {
    keys: MemberPublicKeys,
    role: MemberRole,
    expires: u64,
    used: bool,
}

/// The state of the log after its valid records.
#[derive(Debug, Clone, Default)]
pub struct MemberList {
    members: BTreeMap<MemberId, FleetMember>,
    invites: HashMap<String, OpenInvite>,
    /// Hashes of all valid records, oldest first.
    hashes: Vec<String>,
    epoch: u32,
    sealed_keys: BTreeMap<u32, BTreeMap<MemberId, String>>,
}

impl MemberList {
    /// The hash that the next record must name.
    pub fn head(&self) -> &str {
        self.hashes.last().map_or("", String::as_str)
    }
    pub fn len(&self) -> usize {
        self.hashes.len()
    }
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }
    /// Whether the log once ended with this hash. If not, the server has removed records.
    pub fn contains(&self, hash: &str) -> bool {
        self.hashes.iter().any(|known| known == hash)
    }
    pub fn members(&self) -> impl Iterator<Item = &FleetMember> {
        self.members.values()
    }
    pub fn get(&self, id: &MemberId) -> Option<&FleetMember> {
        self.members.get(id)
    }
    /// The member, unless it was locked out before `at` (server time).
    pub fn active_at(&self, id: &MemberId, at: u64) -> Option<&FleetMember> {
        self.get(id).filter(|member| member.is_active_at(at))
    }
    /// Finds a member by id, start of its id, or label.
    pub fn find(&self, name: &str) -> Vec<&FleetMember> {
        let exact: Vec<_> = self.members().filter(|member| member.id.as_str() == name).collect();
        if !exact.is_empty() {
            return exact;
        }
        let fits = |member: &&FleetMember| {
            member.card.label == name || (name.len() >= 4 && member.id.as_str().starts_with(name))
        };
        self.members().filter(fits).collect()
    }
    /// The newest epoch of the group's key.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }
    /// The group's keys that were sealed for this member.
    pub fn sealed_keys_for(&self, id: &MemberId) -> impl Iterator<Item = (u32, &str)> {
        self.sealed_keys.iter().filter_map(move |(epoch, keys)| Some((*epoch, keys.get(id)?.as_str())))
    }
    /// Whether this invitation was neither used nor withdrawn.
    pub fn is_unused(&self, invite: &str) -> bool {
        self.invites.get(invite).is_some_and(|open| !open.used)
    }

    /// Applies a decrypted record, if it is valid here. `published` is the server's time in milliseconds.
    pub fn apply(
        &mut self,
        subject: &str,
        envelope: &OpenedEnvelope,
        published: u64,
        founder: &MemberPublicKeys,
    ) -> Result<(), EnvelopeFault> {
        let entry: MemberLogEntry = serde_json::from_slice(&envelope.body).map_err(|_| EnvelopeFault::Content)?;
        let hash = record_hash(&envelope.body);
        if self.contains(&hash) || entry.prev != self.head() {
            return Err(EnvelopeFault::Replayed);
        }
        let keys = match &entry.record {
            MemberRecord::Founded { card } if self.is_empty() && card.keys == *founder => card.keys.clone(),
            MemberRecord::Founded { .. } => return Err(EnvelopeFault::Author),
            MemberRecord::Joined { card, .. } => card.keys.clone(),
            _ => self.active_at(&envelope.author, published).ok_or(EnvelopeFault::Author)?.card.keys.clone(),
        };
        envelope.verify(subject, &keys)?;
        self.apply_verified(entry.record, &envelope.author, published)?;
        self.hashes.push(hash);
        Ok(())
    }

    fn apply_verified(&mut self, record: MemberRecord, author: &MemberId, published: u64) -> Result<(), EnvelopeFault> {
        let is_owner = self.get(author).is_some_and(|member| member.role == MemberRole::Owner);
        match record {
            MemberRecord::Founded { card } => {
                self.epoch = 1;
                self.add(card, MemberRole::Owner, None, published)
            }
            MemberRecord::Admitted { card, role, signer, proof } if is_owner && role != MemberRole::Owner => {
                require_proof(&card, &proof)?;
                self.add(card, role, Some(signer), published)
            }
            MemberRecord::Joined { invite, card, proof } => self.join(&invite, card, &proof, published),
            MemberRecord::Replaced { card, proof } => self.replace(author, card, &proof, published),
            MemberRecord::Revoked { member } if is_owner || member == *author => {
                let member = self.members.get_mut(&member).ok_or(EnvelopeFault::Content)?;
                member.revoked.get_or_insert(published);
                Ok(())
            }
            // A second owner can lock out a lost machine of the first one.
            MemberRecord::Invited { invite, keys, role } if is_owner => {
                // Both times are the server's, so that the clocks of members do not matter.
                let expires = published + INVITE_SECONDS * 1000;
                self.invites.insert(invite, OpenInvite { keys, role, expires, used: false });
                Ok(())
            }
            MemberRecord::Rekeyed { epoch, keys } if is_owner && epoch == self.epoch + 1 => {
                self.epoch = epoch;
                self.sealed_keys.insert(epoch, keys);
                // An open invitation carries the old key: it ends here.
                self.invites.values_mut().for_each(|invite| invite.used = true);
                Ok(())
            }
            MemberRecord::Revoked { .. }
            | MemberRecord::Invited { .. }
            | MemberRecord::Admitted { .. }
            | MemberRecord::Rekeyed { .. } => Err(EnvelopeFault::Author),
        }
    }

    fn join(&mut self, invite: &str, card: MemberCard, proof: &str, published: u64) -> Result<(), EnvelopeFault> {
        let open = self.invites.get(invite).filter(|open| !open.used && published <= open.expires);
        let open = open.ok_or(EnvelopeFault::Author)?;
        let proof = hex::parse::<64>(proof).ok_or(EnvelopeFault::Content)?;
        if !open.keys.verifies(&card_bytes(&card), &proof) {
            return Err(EnvelopeFault::Signature);
        }
        let role = open.role;
        self.add(card, role, None, published)?;
        self.invites.entry(invite.to_string()).and_modify(|open| open.used = true);
        Ok(())
    }

    /// The old keys sign the record, the new ones the proof.
    fn replace(&mut self, old: &MemberId, card: MemberCard, proof: &str, at: u64) -> Result<(), EnvelopeFault> {
        require_proof(&card, proof)?;
        let before = self.get(old).ok_or(EnvelopeFault::Author)?;
        let (role, signer) = (before.role, before.signer.clone());
        self.add(card, role, signer, at)?;
        self.members.entry(old.clone()).and_modify(|member| (member.revoked, member.replaced) = (Some(at), true));
        Ok(())
    }

    fn add(
        &mut self,
        card: MemberCard,
        role: MemberRole,
        signer: Option<String>,
        since: u64,
    ) -> Result<(), EnvelopeFault> {
        let id = card.keys.id();
        let is_valid = is_valid_label(&card.label) && signer.as_deref().is_none_or(is_valid_label);
        if self.members.contains_key(&id) || !is_valid {
            return Err(EnvelopeFault::Content);
        }
        self.members.insert(id.clone(), FleetMember { id, card, role, signer, since, revoked: None, replaced: false });
        Ok(())
    }
}

/// A label is one short line of visible text.
pub fn is_valid_label(label: &str) -> bool {
    !label.trim().is_empty() && label.len() <= MAX_LABEL && !label.chars().any(char::is_control)
}

fn record_hash(body: &[u8]) -> String {
    hex::text(&Sha256::digest(body))
}

/// The bytes that a proof signs.
fn card_bytes(card: &MemberCard) -> Vec<u8> {
    format!("cutonce fleet card\n{}\n{}\n{}", card.keys.signing, card.keys.sealing, card.label).into_bytes()
}

/// The card's own keys must have signed it.
fn require_proof(card: &MemberCard, proof: &str) -> Result<(), EnvelopeFault> {
    let proof = hex::parse::<64>(proof).ok_or(EnvelopeFault::Content)?;
    let valid = card.keys.verifies(&card_bytes(card), &proof);
    valid.then_some(()).ok_or(EnvelopeFault::Signature)
}

/// Proves that the holder of `secret` accepts this card.
pub fn card_proof(secret: &MemberSecret, card: &MemberCard) -> String {
    hex::text(&secret.sign(&card_bytes(card)))
}

#[cfg(test)]
mod tests;
