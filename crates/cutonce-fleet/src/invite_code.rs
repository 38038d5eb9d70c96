//! The code that `cutonce remote invite` prints (FL-2): where the server is, and a secret that works once.

use crate::envelope::{decrypt, encrypt};
use crate::hex;
use crate::member_keys::{KeyFault, MemberPublicKeys, MemberSecret, derive_key, random_bytes};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

const PREFIX: &str = "cutonce1-";
const MAX_CODE: usize = 4096;
const CHECK_BYTES: usize = 4;

/// Where a group is. Nothing in it is secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupPlace {
    /// The name of the remote at the owner's machine.
    #[serde(rename = "n")]
    pub name: String,
    /// The servers, without passwords.
    #[serde(rename = "u")]
    pub urls: Vec<String>,
    #[serde(rename = "g")]
    pub group: String,
}

/// An invitation as the code carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InviteCode {
    #[serde(flatten)]
    pub place: GroupPlace,
    #[serde(rename = "s")]
    secret: String,
}

/// What the inviter leaves on the server, encrypted with the code's secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvitePackage {
    pub founder: MemberPublicKeys,
    /// The group's keys by epoch.
    pub epochs: BTreeMap<u32, String>,
    /// The head of the member log that the joiner must find.
    pub head: String,
}

impl InviteCode {
    pub fn new(place: GroupPlace) -> Result<InviteCode, KeyFault> {
        Ok(InviteCode { place, secret: hex::text(&random_bytes::<16>()?) })
    }

    /// Names the invitation without revealing the secret.
    pub fn id(&self) -> String {
        hex::text(&Sha256::digest(format!("cutonce fleet invite {}", self.secret))[..8])
    }
    /// The key with which the joiner proves that it has the code.
    pub fn signing_secret(&self) -> Result<MemberSecret, KeyFault> {
        MemberSecret::from_seed(derive_key(self.secret.as_bytes(), self.place.group.as_bytes(), "invite key")?)
    }
    pub fn seal_package(&self, package: &InvitePackage) -> Result<Vec<u8>, KeyFault> {
        let text = serde_json::to_vec(package).map_err(|_| KeyFault("the invitation could not be written"))?;
        encrypt(self.secret.as_bytes(), &self.context(), &text)
    }
    pub fn open_package(&self, bytes: &[u8]) -> Option<InvitePackage> {
        serde_json::from_slice(&decrypt(self.secret.as_bytes(), &self.context(), bytes)?).ok()
    }
    fn context(&self) -> String {
        format!("cutonce fleet invite\n{}", self.place.group)
    }

    pub fn to_text(&self) -> String {
        to_checked_text(PREFIX, self)
    }
    /// Parses a code; `None` if it was mistyped.
    pub fn parse(text: &str) -> Option<InviteCode> {
        parse_checked_text(PREFIX, text)
    }
}

/// A value as one word that a user can copy; a mistyped one is noticed.
pub(crate) fn to_checked_text(prefix: &str, value: &impl Serialize) -> String {
    let json = serde_json::to_vec(value).unwrap_or_default();
    let check = Sha256::digest(&json);
    format!("{prefix}{}", URL_SAFE_NO_PAD.encode([&check[..CHECK_BYTES], &json].concat()))
}

pub(crate) fn parse_checked_text<T: DeserializeOwned>(prefix: &str, text: &str) -> Option<T> {
    let text = text.trim().strip_prefix(prefix).filter(|text| text.len() <= MAX_CODE)?;
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (check, json) = bytes.split_at_checked(CHECK_BYTES)?;
    if &Sha256::digest(json)[..CHECK_BYTES] != check {
        return None;
    }
    serde_json::from_slice(json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_2_mistyped_codes_are_refused() {
        let place = || GroupPlace { name: "team".into(), urls: vec!["nats://a:4222".into()], group: "g".into() };
        let code = InviteCode::new(place()).unwrap();
        let text = code.to_text();
        assert_eq!(InviteCode::parse(&format!(" {text}\n")), Some(code.clone()));
        for at in PREFIX.len()..text.len() {
            let mut typed = text.clone().into_bytes();
            typed[at] = if typed[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(InviteCode::parse(std::str::from_utf8(&typed).unwrap()), None, "{at}");
        }
        assert_eq!(InviteCode::parse(&text[..text.len() - 1]), None);
        let package = InvitePackage {
            founder: code.signing_secret().unwrap().public(),
            epochs: BTreeMap::new(),
            head: "h".into(),
        };
        let sealed = code.seal_package(&package).unwrap();
        assert_eq!(code.open_package(&sealed), Some(package));
        assert_eq!(InviteCode::new(place()).unwrap().open_package(&sealed), None);
    }
}
