//! Inviting, joining, locking out and rotating keys (FL-2).

use crate::FleetError;
use crate::envelope::EpochKey;
use crate::invite_code::{InviteCode, InvitePackage};
use crate::link::FleetLink;
use crate::member_keys::{MemberSecret, random_bytes};
use crate::member_list::{FleetMember, MemberCard, MemberList, MemberRecord, MemberRole, card_proof, is_valid_label};
use crate::remote_record::RemoteRecord;
use crate::retry::while_server_fails;
use crate::server_connection::connect_server;
use crate::server_login::ServerAccess;
use crate::streams::FleetStream;
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::stream::RawMessageErrorKind;
use async_nats::jetstream::{Context, ErrorCode};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::collections::BTreeMap;
use std::path::Path;

/// How `remote join` names and reaches the remote.
#[derive(Debug, Default)]
pub struct JoinRequest {
    pub name: Option<String>,
    pub label: String,
    pub access: ServerAccess,
}

impl JoinRequest {
    /// The name of the remote on this machine, if it is free.
    pub(crate) fn free_name(&self, home: &Path, given: &str) -> Result<String, FleetError> {
        let name = self.name.clone().unwrap_or_else(|| given.to_string());
        if RemoteRecord::exists(home, &name) {
            return Err(FleetError::Refused(format!(
                "there is already a remote {name:?}; choose another name with --name"
            )));
        }
        if !is_valid_label(&self.label) {
            return Err(FleetError::Refused(format!("invalid label {:?}: use one short line", self.label)));
        }
        Ok(name)
    }
}

impl FleetLink {
    pub(crate) fn require_owner(&self) -> Result<(), FleetError> {
        match self.require_member()?.role {
            MemberRole::Owner => Ok(()),
            _ => Err(FleetError::Refused("only an owner of the remote can do this".into())),
        }
    }

    /// Creates a code with which one person or machine can join (FL-2).
    pub async fn invite(&self, role: MemberRole) -> Result<InviteCode, FleetError> {
        self.require_owner()?;
        let record = self.record();
        let code = InviteCode::new(record.place())?;
        let keys = code.signing_secret()?.public();
        let invite = code.id();
        let make = |_: &MemberList| Ok(MemberRecord::Invited { invite: invite.clone(), keys: keys.clone(), role });
        self.append_member_record(make).await?;
        self.publish_package(&code.id(), code.seal_package(&self.package())?).await?;
        Ok(code)
    }

    /// What a new member needs.
    pub(crate) fn package(&self) -> InvitePackage {
        let record = self.record();
        let (founder, epochs) = (record.founder.clone(), record.epochs().clone());
        InvitePackage { founder, epochs, head: self.members().head().to_string() }
    }

    /// Joins a group with a code and stores the remote (FL-2).
    pub async fn join(home: &Path, code: &InviteCode, request: JoinRequest) -> Result<FleetLink, FleetError> {
        let name = request.free_name(home, &code.place.name)?;
        let founder = code.signing_secret()?.public();
        // The package on the server names the founder; until then the code's own key stands in.
        let probe = RemoteRecord::join(&name, code.place.clone(), founder, BTreeMap::new(), &request.label)?;
        let package = fetch_package(&probe, &request.access, code).await?;
        let InvitePackage { founder, epochs, head } = package;
        let mut record = RemoteRecord::join(&name, code.place.clone(), founder, epochs, &request.label)?;
        record.head = head;
        let stored = request.access.store(home, &mut record).and_then(|()| record.save(home));
        let joined = match stored {
            Ok(()) => FleetLink::join_with(home, record, code).await,
            Err(error) => Err(error),
        };
        if joined.is_err() {
            // It was stored on the way; without membership it is useless.
            let _ = RemoteRecord::forget(home, &name);
        }
        joined
    }

    async fn join_with(home: &Path, record: RemoteRecord, code: &InviteCode) -> Result<FleetLink, FleetError> {
        let link = FleetLink::connect_record(home, record).await?;
        let card = MemberCard { keys: link.secret().public(), label: link.record().label };
        let proof = card_proof(&code.signing_secret()?, &card);
        let invite = code.id();
        let make = |list: &MemberList| match list.is_unused(&invite) {
            true => Ok(MemberRecord::Joined { invite: invite.clone(), card: card.clone(), proof: proof.clone() }),
            false => Err(used_code()),
        };
        link.append_member_record(make).await?;
        // Another machine may have used the code at the same moment.
        link.require_member().map_err(|_| used_code())?;
        let stream = link.stream(FleetStream::Invites).await?;
        let purged = stream.purge().filter(link.subject(FleetStream::Invites, &code.id())).await;
        purged.map(drop).unwrap_or_else(|error| tracing::warn!("{error}"));
        Ok(link)
    }

    /// Locks a member out and changes the group's key.
    pub async fn revoke(&self, name: &str) -> Result<FleetMember, FleetError> {
        self.require_owner()?;
        let list = self.members();
        let found: Vec<FleetMember> =
            list.find(name).into_iter().filter(|member| member.revoked.is_none()).cloned().collect();
        let member = match found.as_slice() {
            [] => {
                return Err(FleetError::Refused(format!("no member is named {name:?}; see `cutonce remote members`")));
            }
            [member] if member.id == *self.member_id() => {
                let what = "a machine can't lock itself out; another owner can, or remove the remote here";
                return Err(FleetError::Refused(what.into()));
            }
            [member] => member.clone(),
            _ => return Err(FleetError::Refused(format!("several members are named {name:?}; use the id"))),
        };
        let id = member.id.clone();
        self.append_member_record(|_| Ok(MemberRecord::Revoked { member: id.clone() })).await?;
        self.rotate_group_key().await?;
        Ok(member)
    }

    /// Gives the group a new key, which only active members can open. Open invitations end.
    pub async fn rotate_group_key(&self) -> Result<u32, FleetError> {
        self.require_owner()?;
        let key = EpochKey(random_bytes()?);
        let make = |list: &MemberList| {
            let mut keys = BTreeMap::new();
            for member in list.members().filter(|member| member.revoked.is_none()) {
                let sealed = member.card.keys.seal(&key.0);
                let sealed =
                    sealed.ok_or_else(|| FleetError::Refused(format!("the key of {} is invalid", member.id)))?;
                keys.insert(member.id.clone(), STANDARD.encode(sealed));
            }
            Ok(MemberRecord::Rekeyed { epoch: list.epoch() + 1, keys })
        };
        self.append_member_record(make).await?;
        let epoch = self.members().epoch();
        self.add_epoch(epoch, &key)?;
        let stream = self.stream(FleetStream::Invites).await?;
        stream.purge().await.map(drop).unwrap_or_else(|error| tracing::warn!("{error}"));
        Ok(epoch)
    }

    /// Replaces this member's own keys.
    pub async fn rotate_own_keys(self) -> Result<(), FleetError> {
        let member = self.require_member()?;
        if self.record().is_founder() {
            let what = "the founder's key is the root of the group and can't be replaced; invite a second owner, who \
                        can lock this machine out";
            return Err(FleetError::Refused(what.into()));
        }
        let secret = MemberSecret::generate()?;
        let card = MemberCard { keys: secret.public(), label: member.card.label };
        let proof = card_proof(&secret, &card);
        // Both keys are stored until the log says which ones count.
        self.update_record(|record| record.begin_rotation(&secret))?;
        let make = |_: &MemberList| Ok(MemberRecord::Replaced { card: card.clone(), proof: proof.clone() });
        self.append_member_record(make).await?;
        self.update_record(RemoteRecord::finish_rotation)
    }
}

fn used_code() -> FleetError {
    FleetError::Refused("this code was used, withdrawn or is older than ten minutes; ask for a new one".into())
}

/// The servers as an invitation may carry them: a password stays here.
async fn fetch_package(
    record: &RemoteRecord,
    access: &ServerAccess,
    code: &InviteCode,
) -> Result<InvitePackage, FleetError> {
    let connection = connect_server(record, access).await?;
    while_server_fails!(&connection, try_fetch_package(record, &connection.context, code).await)
}

/// The first message for this code that its holder can open. Others may be in the way: anyone who may write to the
/// server sees the subject.
async fn try_fetch_package(
    record: &RemoteRecord,
    context: &Context,
    code: &InviteCode,
) -> Result<InvitePackage, FleetError> {
    let failed = |error: &dyn std::fmt::Display| FleetError::Server {
        servers: record.shown_urls(),
        what: "read the invitation",
        why: error.to_string(),
    };
    let stream = match context.get_stream(FleetStream::Invites.name(&code.place.group)).await {
        Ok(stream) => stream,
        Err(error) if is_missing(&error.kind()) => return Err(used_code()),
        Err(error) => return Err(failed(&error)),
    };
    let (subject, mut next) = (FleetStream::Invites.subject(&code.place.group, &code.id()), 1);
    loop {
        let message = match stream.get_first_raw_message_by_subject(&subject, next).await {
            Ok(message) => message,
            Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => return Err(used_code()),
            Err(error) => return Err(failed(&error)),
        };
        if let Some(package) = code.open_package(&message.payload) {
            return Ok(package);
        }
        next = message.sequence + 1;
    }
}

fn is_missing(kind: &GetStreamErrorKind) -> bool {
    matches!(kind, GetStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND)
}
