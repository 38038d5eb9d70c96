//! Joining with an SSH key instead of a code (FL-2). The owner has a file of allowed signers; a new machine signs its
//! own keys with its user's SSH key and asks; the owner checks the signature and admits it.
//!
//! The address of a group is public: it names the servers and the owner's keys, so that the new machine knows whom it
//! joins. A request is sealed for the owner, the answer for the new machine. The server can read neither.

use crate::FleetError;
use crate::inspection::{clock_difference, clock_skew};
use crate::invite_code::{GroupPlace, InvitePackage, parse_checked_text, to_checked_text};
use crate::link::{FleetLink, now_ms};
use crate::member_keys::{MemberPublicKeys, SIGNATURE_BYTES};
use crate::member_list::{
    FleetMember, INVITE_SECONDS, MemberCard, MemberRecord, MemberRole, card_proof, is_valid_label,
};
use crate::membership::JoinRequest;
use crate::record_reader::RawRecord;
use crate::remote_record::RemoteRecord;
use crate::server_connection::connect_server;
use crate::streams::FleetStream;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::stream::Stream;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PREFIX: &str = "cutonce1g-";
/// An SSH signature is much shorter, except with a large certificate.
const MAX_REQUEST: usize = 64 << 10;
/// Difference between two clocks that a request tolerates.
const CLOCK_SKEW: Duration = Duration::from_secs(120);

/// Where a group is, and whose it is. Nothing in it is secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupAddress {
    #[serde(flatten)]
    pub place: GroupPlace,
    #[serde(rename = "f")]
    pub founder: MemberPublicKeys,
}

impl GroupAddress {
    pub fn to_text(&self) -> String {
        to_checked_text(PREFIX, self)
    }
    /// Parses an address; `None` if it was mistyped.
    pub fn parse(text: &str) -> Option<GroupAddress> {
        parse_checked_text(PREFIX, text)
    }
}

/// A machine that asks to join, with the SSH signature of its user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedRequest {
    pub card: MemberCard,
    /// The asker's clock, in milliseconds.
    at: u64,
    proof: String,
    /// The output of `ssh-keygen -Y sign`.
    pub signature: String,
}

impl SignedRequest {
    /// The text that the SSH key signs.
    pub fn text(&self, group: &str) -> String {
        let MemberCard { keys, label } = &self.card;
        let MemberPublicKeys { signing, sealing } = keys;
        format!("cutonce fleet request\ngroup {group}\nsign {signing}\nseal {sealing}\nat {}\nlabel {label}\n", self.at)
    }

    /// Whether it was signed just now, by the clock of this machine.
    pub fn is_recent(&self) -> bool {
        is_tolerated(now_ms().abs_diff(self.at))
    }
}

fn is_tolerated(milliseconds: u64) -> bool {
    let longest = Duration::from_secs(INVITE_SECONDS) + CLOCK_SKEW;
    u128::from(milliseconds) <= longest.as_millis()
}

impl FleetLink {
    /// The address with which new machines find this group.
    pub fn address(&self) -> GroupAddress {
        let record = self.record();
        GroupAddress { place: record.place(), founder: record.founder }
    }

    /// Follows the requests of machines that want to join.
    pub async fn follow_requests(&self) -> Result<RequestReader<'_>, FleetError> {
        self.require_owner()?;
        if !self.record().is_founder() {
            let what =
                "only the founder's machine admits SSH keys: the group's address names its key; invite with a code";
            return Err(FleetError::Refused(what.into()));
        }
        let subject = self.subject(FleetStream::Invites, "request.*");
        let messages = follow(&self.stream(FleetStream::Invites).await?, subject).await;
        let messages = messages.map_err(|why| self.server_error("follow requests", &why))?;
        Ok(RequestReader { link: self, messages })
    }

    /// Admits a machine whose SSH signature the caller has checked; `signer` is the name of the SSH key.
    pub async fn admit(
        &self,
        request: &SignedRequest,
        role: MemberRole,
        signer: &str,
    ) -> Result<FleetMember, FleetError> {
        self.require_owner()?;
        let id = request.card.keys.id();
        if !is_valid_label(&request.card.label) || !is_valid_label(signer) {
            return Err(FleetError::Refused("its name is not one short line".into()));
        }
        let make = |list: &crate::member_list::MemberList| match list.get(&id) {
            Some(_) => Err(FleetError::Refused("this machine is a member already, or was locked out".into())),
            None => Ok(MemberRecord::Admitted {
                card: request.card.clone(),
                role,
                signer: signer.to_string(),
                proof: request.proof.clone(),
            }),
        };
        self.append_member_record(make).await?;
        let member = self.members().get(&id).cloned();
        let member = member.ok_or_else(|| FleetError::Refused("its own signature is wrong".into()))?;
        let text = serde_json::to_vec(&self.package()).map_err(|error| FleetError::Refused(error.to_string()))?;
        let sealed = request.card.keys.seal(&text);
        let sealed = sealed.ok_or_else(|| FleetError::Refused("its key is invalid".into()))?;
        let signature = self.secret().sign(&answer_bytes(id.as_str(), &sealed));
        self.publish_package(&format!("admitted.{id}"), [&signature[..], &sealed].concat()).await?;
        Ok(member)
    }
}

/// Requests as they arrive.
pub struct RequestReader<'a> {
    link: &'a FleetLink,
    messages: pull::Ordered,
}

impl RequestReader<'_> {
    /// Waits for the next request. What was not sealed for this owner is left out.
    pub async fn next(&mut self) -> Result<SignedRequest, FleetError> {
        loop {
            let failed = |why: &dyn std::fmt::Display| self.link.server_error("follow requests", why);
            let Some(next) = self.messages.next().await else { return Err(failed(&"the stream ended")) };
            let message = next.map_err(|error| failed(&error))?;
            let Ok(raw) = RawRecord::new(&message) else { continue };
            let plain = self.link.secret().unseal(&raw.payload).filter(|plain| plain.len() <= MAX_REQUEST);
            match plain.and_then(|plain| serde_json::from_slice(&plain).ok()) {
                Some(request) => return Ok(request),
                None => self.link.report(FleetStream::Invites, &raw, crate::envelope::EnvelopeFault::Malformed),
            }
        }
    }
}

/// This machine while it waits for its admission.
pub struct PendingJoin {
    home: PathBuf,
    record: RemoteRecord,
    access: crate::server_login::ServerAccess,
    context: Context,
    request: SignedRequest,
}

impl PendingJoin {
    /// Creates keys for this machine and connects. Nothing is stored yet.
    pub async fn open(home: &Path, address: &GroupAddress, request: JoinRequest) -> Result<PendingJoin, FleetError> {
        let name = request.free_name(home, &address.place.name)?;
        let GroupAddress { place, founder } = address.clone();
        let record = RemoteRecord::join(&name, place, founder, BTreeMap::new(), &request.label)?;
        let context = connect_server(&record, &request.access).await?.context;
        let skew = clock_skew(&context, FleetStream::Invites, &record.group).await;
        if let Some(skew) = skew.filter(|skew| !is_tolerated(skew.unsigned_abs())) {
            let clock = clock_difference(skew);
            return Err(FleetError::Refused(format!(
                "{clock}; the owner would refuse the request: set the clock, then try again"
            )));
        }
        let secret = record.secret()?;
        let card = MemberCard { keys: secret.public(), label: request.label };
        let proof = card_proof(&secret, &card);
        let signed = SignedRequest { card, at: now_ms(), proof, signature: String::new() };
        Ok(PendingJoin { home: home.to_path_buf(), record, access: request.access, context, request: signed })
    }

    /// The text that the user's SSH key must sign.
    pub fn text(&self) -> String {
        self.request.text(&self.record.group)
    }

    /// Asks with this signature, and waits until the owner admits this machine.
    pub async fn join(mut self, signature: String) -> Result<FleetLink, FleetError> {
        self.request.signature = signature;
        let group = self.record.group.clone();
        let failed = |what, why: String| FleetError::Server { servers: self.record.shown_urls(), what, why };
        let stream = self.context.get_stream(FleetStream::Invites.name(&group)).await;
        let stream = stream.map_err(|error| failed("find the group", error.to_string()))?;
        let id = self.request.card.keys.id();
        let subject = |kind: &str| FleetStream::Invites.subject(&group, &format!("{kind}.{id}"));
        let answers = follow(&stream, subject("admitted")).await.map_err(|why| failed("wait for the owner", why))?;
        let text = serde_json::to_vec(&self.request).map_err(|error| FleetError::Refused(error.to_string()))?;
        let sealed = self.record.founder.seal(&text);
        let sealed = sealed.ok_or_else(|| FleetError::Refused("the address has an invalid key".into()))?;
        let stored = match self.context.publish(subject("request"), sealed.into()).await {
            Ok(sent) => sent.await,
            Err(error) => Err(error),
        };
        stored.map_err(|error| failed("ask the owner", error.to_string()))?;
        let package = self.wait(answers).await?;
        let purged = stream.purge().filter(subject("*")).await;
        purged.map(drop).unwrap_or_else(|error| tracing::warn!("{error}"));
        self.finish(package).await
    }

    async fn wait(&self, mut answers: pull::Ordered) -> Result<InvitePackage, FleetError> {
        let (secret, id) = (self.record.secret()?, self.request.card.keys.id());
        let mine = |payload: &[u8]| {
            let (signature, sealed) = payload.split_at_checked(SIGNATURE_BYTES)?;
            let valid = self.record.founder.verifies(&answer_bytes(id.as_str(), sealed), signature);
            let plain = secret.unseal(sealed).filter(|_| valid)?;
            serde_json::from_slice(&plain).ok()
        };
        let answer = async {
            while let Some(Ok(message)) = answers.next().await {
                if let Some(package) = mine(&message.payload) {
                    return Some(package);
                }
            }
            None
        };
        let late = "the owner did not admit this machine within ten minutes; ask the owner to run \
                    `cutonce remote invite NAME --role ROLE --signers FILE`, then try again";
        let answer = tokio::time::timeout(Duration::from_secs(INVITE_SECONDS), answer).await;
        answer.ok().flatten().ok_or_else(|| FleetError::Refused(late.into()))
    }

    /// Stores the remote, now that this machine is a member.
    async fn finish(mut self, package: InvitePackage) -> Result<FleetLink, FleetError> {
        if package.founder != self.record.founder {
            return Err(FleetError::Refused("the answer is of another group; nothing was joined".into()));
        }
        self.record.take_package(package);
        let stored = self.access.store(&self.home, &mut self.record).and_then(|()| self.record.save(&self.home));
        let joined = match stored {
            Ok(()) => FleetLink::connect_record(&self.home, self.record.clone()).await,
            Err(error) => Err(error),
        };
        match joined.and_then(|link| link.require_member().map(|_| link)) {
            Ok(link) => Ok(link),
            Err(error) => {
                let _ = RemoteRecord::forget(&self.home, &self.record.name);
                Err(error)
            }
        }
    }
}

async fn follow(stream: &Stream, subject: String) -> Result<pull::Ordered, String> {
    let config = pull::OrderedConfig { filter_subject: subject, ..Default::default() };
    let consumer = stream.create_consumer(config).await.map_err(|error| error.to_string())?;
    consumer.messages().await.map_err(|error| error.to_string())
}

fn answer_bytes(id: &str, sealed: &[u8]) -> Vec<u8> {
    [b"cutonce fleet admitted\n", id.as_bytes(), b"\n", sealed].concat()
}
