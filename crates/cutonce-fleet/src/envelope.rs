//! Messages between members as the server sees them (FL-2): encrypted with the group's key, signed by the author.
//!
//! The subject is part of what is encrypted and signed, so a message is worth nothing on another subject. The server
//! sees size and time, not the author.
//!
//! ```text
//! version 1 | epoch 4 | salt 24 | encrypted: signature 64 | author 8 | body
//! ```

use crate::member_keys::{
    KeyFault, MemberId, MemberPublicKeys, MemberSecret, SIGNATURE_BYTES, derive_key, random_bytes,
};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

const VERSION: u8 = 1;
const SALT_BYTES: usize = 24;
const HEADER_BYTES: usize = 1 + 4 + SALT_BYTES;
const AUTHOR_BYTES: usize = 8;
/// Larger bodies travel through the object store; NATS accepts 1 MiB by default.
pub const MAX_BODY: usize = 700 << 10;
/// The largest message of a member.
pub(crate) const MAX_MESSAGE: usize = MAX_BODY + HEADER_BYTES + 1024;

/// The keys of a group by epoch. Each revocation starts a new epoch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupKeys(BTreeMap<u32, EpochKey>);

/// The key of one epoch.
#[derive(Clone, PartialEq, Eq)]
pub struct EpochKey(pub [u8; 32]);

impl std::fmt::Debug for EpochKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EpochKey(…)")
    }
}

impl GroupKeys {
    pub fn insert(&mut self, epoch: u32, key: EpochKey) {
        self.0.insert(epoch, key);
    }
    pub fn get(&self, epoch: u32) -> Option<&EpochKey> {
        self.0.get(&epoch)
    }
    /// The newest epoch; 0 without keys.
    pub fn newest(&self) -> u32 {
        self.0.keys().next_back().copied().unwrap_or(0)
    }
    pub fn iter(&self) -> impl Iterator<Item = (u32, &EpochKey)> {
        self.0.iter().map(|(epoch, key)| (*epoch, key))
    }
}

/// Why a message is not from a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeFault {
    #[error("it is too large")]
    Oversized,
    #[error("it is too short or has another format")]
    Malformed,
    #[error("it uses an unknown key of the group")]
    UnknownEpoch,
    #[error("it was not written with the group's key for this subject")]
    Forged,
    #[error("its signature is wrong")]
    Signature,
    #[error("its author is not a member, or was locked out")]
    Author,
    #[error("its content is invalid")]
    Content,
    #[error("it repeats an earlier message")]
    Replayed,
    #[error("it is not at its place in the order")]
    Misplaced,
}

/// A decrypted message. Its author is proven only by [`OpenedEnvelope::verify`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedEnvelope {
    pub author: MemberId,
    pub body: Vec<u8>,
    signature: [u8; SIGNATURE_BYTES],
}

/// Names a signature together with what it signs and whose it is.
pub type SignatureDigest = [u8; 16];

impl OpenedEnvelope {
    pub fn digest(&self, subject: &str, keys: &MemberPublicKeys) -> SignatureDigest {
        let mut hash = Sha256::new();
        for part in [keys.id().as_str().as_bytes(), keys.signing.as_bytes(), &self.signature] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hash.update(self.author.as_str());
        hash.update(signed_bytes(subject, &self.body));
        let mut digest = SignatureDigest::default();
        digest.copy_from_slice(&hash.finalize()[..16]);
        digest
    }

    pub fn verify(&self, subject: &str, keys: &MemberPublicKeys) -> Result<(), EnvelopeFault> {
        if keys.id() != self.author {
            return Err(EnvelopeFault::Author);
        }
        let valid = keys.verifies(&signed_bytes(subject, &self.body), &self.signature);
        valid.then_some(()).ok_or(EnvelopeFault::Signature)
    }
}

/// Encrypts and signs a body for the group.
pub fn seal(keys: &GroupKeys, author: &MemberSecret, subject: &str, body: &[u8]) -> Result<Vec<u8>, KeyFault> {
    if body.len() > MAX_BODY {
        return Err(KeyFault("the message is too large for the server"));
    }
    let epoch = keys.newest();
    let key = keys.get(epoch).ok_or(KeyFault("the group has no key"))?;
    let author_id = author.public().id().to_bytes().ok_or(KeyFault("the member's id is invalid"))?;
    let salt: [u8; SALT_BYTES] = random_bytes()?;
    let header = [&[VERSION][..], &epoch.to_be_bytes(), &salt].concat();
    let mut content = [&author.sign(&signed_bytes(subject, body))[..], &author_id, body].concat();
    let cipher = message_cipher(key, &salt)?;
    let aad = Aad::from([&header, subject.as_bytes()].concat());
    cipher
        .seal_in_place_append_tag(zero_nonce(), aad, &mut content)
        .map_err(|_| KeyFault("the message could not be encrypted"))?;
    Ok([header, content].concat())
}

/// Decrypts a message.
pub fn open(keys: &GroupKeys, subject: &str, bytes: &[u8]) -> Result<OpenedEnvelope, EnvelopeFault> {
    if bytes.len() > MAX_MESSAGE {
        return Err(EnvelopeFault::Oversized);
    }
    let (header, content) = bytes.split_at_checked(HEADER_BYTES).ok_or(EnvelopeFault::Malformed)?;
    let (epoch, salt) = (header.get(1..5), header.get(5..));
    let (Some(VERSION), Some(epoch), Some(salt)) = (header.first().copied(), epoch, salt) else {
        return Err(EnvelopeFault::Malformed);
    };
    let epoch = u32::from_be_bytes(epoch.try_into().map_err(|_| EnvelopeFault::Malformed)?);
    let key = keys.get(epoch).ok_or(EnvelopeFault::UnknownEpoch)?;
    let cipher = message_cipher(key, salt).map_err(|_| EnvelopeFault::Malformed)?;
    let aad = Aad::from([header, subject.as_bytes()].concat());
    let mut content = content.to_vec();
    let plain = cipher.open_in_place(zero_nonce(), aad, &mut content).map_err(|_| EnvelopeFault::Forged)?;
    let (signature, rest) = plain.split_at_checked(SIGNATURE_BYTES).ok_or(EnvelopeFault::Malformed)?;
    let (author, body) = rest.split_at_checked(AUTHOR_BYTES).ok_or(EnvelopeFault::Malformed)?;
    let signature = signature.try_into().map_err(|_| EnvelopeFault::Malformed)?;
    let author = author.try_into().map_err(|_| EnvelopeFault::Malformed)?;
    Ok(OpenedEnvelope { author: MemberId::from_bytes(author), body: body.to_vec(), signature })
}

/// A key that is used for one message only, so that its nonce may be constant.
fn message_cipher(key: &EpochKey, salt: &[u8]) -> Result<LessSafeKey, KeyFault> {
    let key = derive_key(&key.0, salt, "cutonce fleet message")?;
    let key = UnboundKey::new(&CHACHA20_POLY1305, &key).map_err(|_| KeyFault("the group's key is unusable"))?;
    Ok(LessSafeKey::new(key))
}

fn zero_nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; 12])
}

fn signed_bytes(subject: &str, body: &[u8]) -> Vec<u8> {
    [b"cutonce fleet 1\n", subject.as_bytes(), b"\n", body].concat()
}

/// Encrypts bytes with a one-time key, for invitations and stored objects. `context` is authenticated with them.
pub fn encrypt(secret: &[u8], context: &str, bytes: &[u8]) -> Result<Vec<u8>, KeyFault> {
    let salt: [u8; SALT_BYTES] = random_bytes()?;
    let cipher = one_time_cipher(secret, &salt, context)?;
    let mut content = bytes.to_vec();
    cipher
        .seal_in_place_append_tag(zero_nonce(), Aad::from(context.as_bytes()), &mut content)
        .map_err(|_| KeyFault("the content could not be encrypted"))?;
    Ok([&salt[..], &content].concat())
}

/// Decrypts what [`encrypt`] returned; `None` if anything differs.
pub fn decrypt(secret: &[u8], context: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let (salt, content) = bytes.split_at_checked(SALT_BYTES)?;
    let cipher = one_time_cipher(secret, salt, context).ok()?;
    let mut content = content.to_vec();
    let plain = cipher.open_in_place(zero_nonce(), Aad::from(context.as_bytes()), &mut content).ok()?;
    Some(plain.to_vec())
}

fn one_time_cipher(secret: &[u8], salt: &[u8], context: &str) -> Result<LessSafeKey, KeyFault> {
    let key = derive_key(secret, salt, context)?;
    let key = UnboundKey::new(&CHACHA20_POLY1305, &key).map_err(|_| KeyFault("the key is unusable"))?;
    Ok(LessSafeKey::new(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group() -> (GroupKeys, MemberSecret) {
        let mut keys = GroupKeys::default();
        keys.insert(1, EpochKey([7; 32]));
        (keys, MemberSecret::generate().unwrap())
    }

    #[test]
    fn fl_2_changed_messages_are_refused() {
        let (keys, ann) = group();
        let sealed = seal(&keys, &ann, "a.b", b"body").unwrap();
        let opened = open(&keys, "a.b", &sealed).unwrap();
        assert_eq!((opened.body.as_slice(), opened.verify("a.b", &ann.public())), (&b"body"[..], Ok(())));
        assert_eq!(open(&keys, "a.c", &sealed), Err(EnvelopeFault::Forged), "another subject");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(open(&keys, "a.b", &changed).is_err(), "byte {at}");
            assert!(open(&keys, "a.b", &sealed[..at]).is_err(), "cut at {at}");
        }
        assert_eq!(open(&keys, "a.b", &vec![1; MAX_BODY * 2]), Err(EnvelopeFault::Oversized));
        assert!(seal(&keys, &ann, "a.b", &vec![1; MAX_BODY + 1]).is_err());
    }

    #[test]
    fn fl_2_members_can_not_write_as_others() {
        let (keys, ann) = group();
        let bob = MemberSecret::generate().unwrap();
        let opened = open(&keys, "s", &seal(&keys, &bob, "s", b"x").unwrap()).unwrap();
        assert_eq!(opened.verify("s", &ann.public()), Err(EnvelopeFault::Author));
        let claimed = OpenedEnvelope { author: ann.public().id(), ..opened };
        assert_eq!(claimed.verify("s", &ann.public()), Err(EnvelopeFault::Signature));
        let mut other = GroupKeys::default();
        other.insert(2, EpochKey([7; 32]));
        assert_eq!(open(&other, "s", &seal(&keys, &ann, "s", b"x").unwrap()), Err(EnvelopeFault::UnknownEpoch));
    }

    #[test]
    fn fl_2_one_time_encryption_is_bound_to_context() {
        let sealed = encrypt(b"secret", "here", b"content").unwrap();
        assert_eq!(decrypt(b"secret", "here", &sealed).as_deref(), Some(&b"content"[..]));
        assert_eq!(decrypt(b"secret", "there", &sealed), None);
        assert_eq!(decrypt(b"Secret", "here", &sealed), None);
    }
}
