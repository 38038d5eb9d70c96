//! FL-2: who becomes a member, and who stays one.

use super::*;
use crate::envelope::{EpochKey, GroupKeys, open, seal};

const SUBJECT: &str = "cutonce.g.members";

struct Log {
    keys: GroupKeys,
    owner: MemberSecret,
    list: MemberList,
}

fn card(secret: &MemberSecret, label: &str) -> MemberCard {
    MemberCard { keys: secret.public(), label: label.into() }
}

impl Log {
    fn new() -> Log {
        let mut keys = GroupKeys::default();
        keys.insert(1, EpochKey([3; 32]));
        let mut log = Log { keys, owner: MemberSecret::generate().unwrap(), list: MemberList::default() };
        let founded = MemberRecord::Founded { card: card(&log.owner, "ann") };
        log.write_as_owner(founded, 0).unwrap();
        log
    }
    fn sealed(&self, author: &MemberSecret, record: MemberRecord) -> Vec<u8> {
        let entry = MemberLogEntry { prev: self.list.head().into(), record };
        seal(&self.keys, author, SUBJECT, &serde_json::to_vec(&entry).unwrap()).unwrap()
    }
    fn apply(&mut self, sealed: &[u8], at: u64) -> Result<(), EnvelopeFault> {
        let opened = open(&self.keys, SUBJECT, sealed)?;
        self.list.apply(SUBJECT, &opened, at, &self.owner.public())
    }
    fn write(&mut self, author: &MemberSecret, record: MemberRecord, at: u64) -> Result<(), EnvelopeFault> {
        self.apply(&self.sealed(author, record), at)
    }
    fn write_as_owner(&mut self, record: MemberRecord, at: u64) -> Result<(), EnvelopeFault> {
        let sealed = self.sealed(&self.owner, record);
        self.apply(&sealed, at)
    }
    fn invite(&mut self, role: MemberRole, at: u64) -> MemberSecret {
        let code = MemberSecret::generate().unwrap();
        let record = MemberRecord::Invited { invite: "i".into(), keys: code.public(), role };
        self.write_as_owner(record, at).unwrap();
        code
    }
}

fn joined(code: &MemberSecret, new: &MemberSecret) -> MemberRecord {
    let card = card(new, "bob");
    MemberRecord::Joined { invite: "i".into(), proof: card_proof(code, &card), card }
}

#[test]
fn fl_2_invitation_works_once_and_ten_minutes() {
    let mut log = Log::new();
    let code = log.invite(MemberRole::Approve, 0);
    let (bob, eve) = (MemberSecret::generate().unwrap(), MemberSecret::generate().unwrap());
    assert!(log.write(&eve, joined(&eve, &eve), 1).is_err(), "without the code");
    assert!(log.list.is_unused("i"));
    let late = INVITE_SECONDS * 1000 + 1;
    assert_eq!(log.write(&bob, joined(&code, &bob), late), Err(EnvelopeFault::Author), "too late");
    log.write(&bob, joined(&code, &bob), late - 1).unwrap();
    assert!(!log.list.is_unused("i"));
    assert_eq!(log.list.get(&bob.public().id()).unwrap().role, MemberRole::Approve);
    assert_eq!(log.write(&eve, joined(&code, &eve), 2), Err(EnvelopeFault::Author), "used");
}

#[test]
fn fl_2_only_the_owner_manages_members() {
    let mut log = Log::new();
    let code = log.invite(MemberRole::Worker, 0);
    let bob = MemberSecret::generate().unwrap();
    log.write(&bob, joined(&code, &bob), 1).unwrap();
    let owner = log.owner.public().id();
    assert_eq!(log.write(&bob, MemberRecord::Revoked { member: owner }, 2), Err(EnvelopeFault::Author));
    let keys = bob.public();
    let invited = MemberRecord::Invited { invite: "j".into(), keys, role: MemberRole::Approve };
    assert_eq!(log.write(&bob, invited, 2), Err(EnvelopeFault::Author));
    let rekeyed = MemberRecord::Rekeyed { epoch: 2, keys: BTreeMap::new() };
    assert_eq!(log.write(&bob, rekeyed, 2), Err(EnvelopeFault::Author));
    let id = bob.public().id();
    log.write_as_owner(MemberRecord::Revoked { member: id.clone() }, 5).unwrap();
    assert!(log.list.active_at(&id, 5).is_some() && log.list.active_at(&id, 6).is_none());
}

#[test]
fn fl_2_second_owner_locks_out_the_founder() {
    let mut log = Log::new();
    let code = log.invite(MemberRole::Owner, 0);
    let (bob, founder) = (MemberSecret::generate().unwrap(), log.owner.public().id());
    log.write(&bob, joined(&code, &bob), 1).unwrap();
    log.write(&bob, MemberRecord::Revoked { member: founder.clone() }, 5).unwrap();
    assert!(log.list.active_at(&founder, 6).is_none());
    let back = log.write_as_owner(MemberRecord::Revoked { member: bob.public().id() }, 6);
    assert_eq!(back, Err(EnvelopeFault::Author), "the first lockout counts");
    log.write(&bob, MemberRecord::Rekeyed { epoch: 2, keys: BTreeMap::new() }, 7).unwrap();
}

#[test]
fn fl_2_log_can_not_be_reordered_or_repeated() {
    let mut log = Log::new();
    let code = MemberSecret::generate().unwrap();
    let keys = code.public();
    let invited = MemberRecord::Invited { invite: "i".into(), keys, role: MemberRole::Worker };
    let sealed = log.sealed(&log.owner, invited);
    log.apply(&sealed, 1).unwrap();
    assert_eq!(log.apply(&sealed, 2), Err(EnvelopeFault::Replayed));
    let head = log.list.head().to_string();
    let (bob, old) = (
        MemberSecret::generate().unwrap(),
        log.sealed(&log.owner, MemberRecord::Revoked { member: code.public().id() }),
    );
    log.write(&bob, joined(&code, &bob), 3).unwrap();
    assert_eq!(log.apply(&old, 4), Err(EnvelopeFault::Replayed), "written for another place");
    assert!(log.list.contains(&head) && !log.list.contains("x"));
    let imposter = MemberSecret::generate().unwrap();
    let founded = MemberRecord::Founded { card: card(&imposter, "eve") };
    assert_eq!(log.write(&imposter, founded, 5), Err(EnvelopeFault::Author));
}

#[test]
fn fl_2_replaced_keys_lock_out_the_old() {
    let mut log = Log::new();
    let code = log.invite(MemberRole::Approve, 0);
    let (old, new) = (MemberSecret::generate().unwrap(), MemberSecret::generate().unwrap());
    log.write(&old, joined(&code, &old), 1).unwrap();
    let card = card(&new, "bob");
    let record = MemberRecord::Replaced { proof: card_proof(&new, &card), card };
    log.write(&old, record, 9).unwrap();
    assert!(log.list.active_at(&old.public().id(), 10).is_none());
    assert_eq!(log.list.active_at(&new.public().id(), 10).map(|member| member.role), Some(MemberRole::Approve));
}

#[test]
fn fl_2_only_the_owner_admits_ssh_keys() {
    let mut log = Log::new();
    let (bob, eve) = (MemberSecret::generate().unwrap(), MemberSecret::generate().unwrap());
    let admitted = |new: &MemberSecret, by: &MemberSecret, role: MemberRole| {
        let card = card(new, "bob");
        MemberRecord::Admitted { proof: card_proof(by, &card), card, role, signer: "bob@example.com".into() }
    };
    let signature = log.write_as_owner(admitted(&bob, &eve, MemberRole::Approve), 1);
    assert_eq!(signature, Err(EnvelopeFault::Signature), "the keys must be those of the new member");
    let owner = log.write_as_owner(admitted(&bob, &bob, MemberRole::Owner), 1);
    assert_eq!(owner, Err(EnvelopeFault::Author), "an SSH key makes no owner");
    log.write_as_owner(admitted(&bob, &bob, MemberRole::Approve), 1).unwrap();
    assert_eq!(log.write(&bob, admitted(&eve, &eve, MemberRole::Worker), 2), Err(EnvelopeFault::Author));
    let again = log.write_as_owner(admitted(&bob, &bob, MemberRole::Approve), 3);
    assert_eq!(again, Err(EnvelopeFault::Content), "an old request admits no member again");
    // New keys of the same person are the same approver.
    let new = MemberSecret::generate().unwrap();
    let new_card = card(&new, "bob");
    log.write(&bob, MemberRecord::Replaced { proof: card_proof(&new, &new_card), card: new_card }, 4).unwrap();
    assert_eq!(log.list.get(&new.public().id()).unwrap().person(), "bob@example.com");
}
