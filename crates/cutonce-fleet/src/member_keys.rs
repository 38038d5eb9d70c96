//! The keys of one member (FL-2): a pair that signs, and a pair that receives the group's key. Both come from one seed,
//! which never leaves the machine.

use crate::hex;
use crypto_box::aead::OsRng;
use crypto_box::{PublicKey, SecretKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Bytes of a signature.
pub const SIGNATURE_BYTES: usize = 64;

/// Random bytes from the operating system.
pub fn random_bytes<const N: usize>() -> Result<[u8; N], KeyFault> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| KeyFault("the system gives no random bytes"))?;
    Ok(bytes)
}

/// Derives a key for one purpose from a secret.
pub fn derive_key(secret: &[u8], salt: &[u8], purpose: &str) -> Result<[u8; 32], KeyFault> {
    let mut key = [0; 32];
    let fault = |_| KeyFault("a key could not be derived");
    let parts = [purpose.as_bytes()];
    let derived = Salt::new(HKDF_SHA256, salt).extract(secret);
    derived.expand(&parts, HKDF_SHA256).map_err(fault)?.fill(&mut key).map_err(fault)?;
    Ok(key)
}

/// Why a key can't be made or used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct KeyFault(pub &'static str);

/// The secret keys of a member, or of an invitation.
pub struct MemberSecret {
    seed: [u8; 32],
    signing: Ed25519KeyPair,
    sealing: SecretKey,
}

impl std::fmt::Debug for MemberSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MemberSecret(…)")
    }
}

impl MemberSecret {
    pub fn generate() -> Result<MemberSecret, KeyFault> {
        MemberSecret::from_seed(random_bytes()?)
    }
    pub fn from_seed(seed: [u8; 32]) -> Result<MemberSecret, KeyFault> {
        let signing = derive_key(&seed, b"cutonce fleet member", "sign")?;
        let signing =
            Ed25519KeyPair::from_seed_unchecked(&signing).map_err(|_| KeyFault("the signing key is unusable"))?;
        let sealing = SecretKey::from(derive_key(&seed, b"cutonce fleet member", "seal")?);
        Ok(MemberSecret { seed, signing, sealing })
    }
    pub fn parse(seed: &str) -> Option<MemberSecret> {
        MemberSecret::from_seed(hex::parse(seed)?).ok()
    }
    pub fn seed_hex(&self) -> String {
        hex::text(&self.seed)
    }
    pub fn public(&self) -> MemberPublicKeys {
        MemberPublicKeys {
            signing: hex::text(self.signing.public_key().as_ref()),
            sealing: hex::text(self.sealing.public_key().as_bytes()),
        }
    }
    pub fn sign(&self, bytes: &[u8]) -> [u8; SIGNATURE_BYTES] {
        let mut signature = [0; SIGNATURE_BYTES];
        signature.copy_from_slice(self.signing.sign(bytes).as_ref());
        signature
    }
    /// Opens what was sealed for this member only.
    pub fn unseal(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        self.sealing.unseal(sealed).ok()
    }
}

/// The public keys of a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberPublicKeys {
    pub signing: String,
    pub sealing: String,
}

impl MemberPublicKeys {
    /// The member's id: the hash of both keys, so that a card can't use another member's id.
    pub fn id(&self) -> MemberId {
        let digest = Sha256::digest(format!("{}\n{}", self.signing, self.sealing));
        MemberId(hex::text(&digest[..8]))
    }
    pub fn verifies(&self, bytes: &[u8], signature: &[u8]) -> bool {
        let Some(key) = hex::parse::<32>(&self.signing) else { return false };
        UnparsedPublicKey::new(&ED25519, key).verify(bytes, signature).is_ok()
    }
    /// Encrypts bytes for this member only.
    pub fn seal(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        PublicKey::from(hex::parse::<32>(&self.sealing)?).seal(&mut OsRng, bytes).ok()
    }
}

/// Names a member: 16 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemberId(String);

impl MemberId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
    pub fn from_bytes(bytes: [u8; 8]) -> MemberId {
        MemberId(hex::text(&bytes))
    }
    pub fn to_bytes(&self) -> Option<[u8; 8]> {
        hex::parse(&self.0)
    }
}

impl std::fmt::Display for MemberId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_2_only_the_member_opens_and_signs() {
        let (ann, bob) = (MemberSecret::generate().unwrap(), MemberSecret::generate().unwrap());
        let sealed = ann.public().seal(b"key").unwrap();
        assert_eq!(ann.unseal(&sealed).as_deref(), Some(&b"key"[..]));
        assert_eq!(bob.unseal(&sealed), None);
        let signature = ann.sign(b"text");
        assert!(ann.public().verifies(b"text", &signature) && !ann.public().verifies(b"Text", &signature));
        assert!(!bob.public().verifies(b"text", &signature));
        let again = MemberSecret::parse(&ann.seed_hex()).unwrap();
        assert_eq!((again.public(), again.public().id()), (ann.public(), ann.public().id()));
    }
}
