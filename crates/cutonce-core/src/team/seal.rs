//! Authenticates messages. Lead and teammate share a key that no other teammate has; a message between them
//! is accepted only with its seal (HMAC-SHA256 over all fields). Messages between teammates are only text, so
//! they need none.

use super::message::{LEAD_NAME, MessageKind, TeamMessage};
use sha2::{Digest, Sha256};

/// The key shared by the lead and one teammate.
#[derive(Clone, PartialEq, Eq)]
pub struct TeamKey([u8; 32]);

impl TeamKey {
    pub fn new(bytes: [u8; 32]) -> TeamKey {
        TeamKey(bytes)
    }
    pub fn parse(hex: &str) -> Option<TeamKey> {
        let hex = hex.trim().as_bytes();
        let digit = |byte: u8| (byte as char).to_digit(16);
        let mut bytes = [0; 32];
        if hex.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks(2)) {
            *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
        }
        Some(TeamKey(bytes))
    }
    pub fn to_hex(&self) -> String {
        to_hex_string(&self.0)
    }

    pub fn seal(&self, mut message: TeamMessage) -> TeamMessage {
        message.seal = self.mac(&sealed_fields(&message));
        message
    }
    pub fn has_valid_seal(&self, message: &TeamMessage) -> bool {
        constant_time_eq(&self.mac(&sealed_fields(message)), &message.seal)
    }
    /// The seal of any text, for data published outside messages.
    pub fn mac(&self, text: &str) -> String {
        to_hex_string(&hmac(&self.0, text.as_bytes()))
    }
    pub fn verifies(&self, text: &str, mac: &str) -> bool {
        constant_time_eq(&self.mac(text), mac)
    }
}

impl std::fmt::Debug for TeamKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Checks that the message belongs to the team, is addressed to `me`, and was written by its sender.
/// `key_with` returns the key shared by lead and teammate.
pub fn check_authenticity<'a>(
    team: &str,
    me: &str,
    message: &TeamMessage,
    key_with: impl Fn(&str) -> Option<&'a TeamKey>,
) -> Result<(), &'static str> {
    if message.team != team {
        return Err("it belongs to another team");
    }
    if message.to != me {
        return Err("it is addressed to another member");
    }
    if message.from == me {
        return Err("it claims to be from its receiver");
    }
    let teammate = match (me == LEAD_NAME, message.from == LEAD_NAME) {
        (true, _) => &message.from,
        (_, true) => &message.to,
        (false, false) if message.kind == MessageKind::Control => return Err("only the lead sends control messages"),
        (false, false) => return Ok(()),
    };
    match key_with(teammate) {
        Some(key) if key.has_valid_seal(message) => Ok(()),
        Some(_) => Err("its seal is wrong: its sender did not write it"),
        None => Err("its sender is not in this team"),
    }
}

/// All fields with their lengths, so that two different messages never have the same bytes.
fn sealed_fields(message: &TeamMessage) -> String {
    let TeamMessage { id, team, from, to, text, timestamp, kind, seal: _ } = message;
    [id, team, from, to, timestamp, kind.name(), text].map(|field| format!("{}:{field}", field.len())).join("\n")
}

/// HMAC (RFC 2104).
fn hmac(key: &[u8; 32], text: &[u8]) -> [u8; 32] {
    let pad = |with: u8| {
        let mut block = [with; 64];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        block
    };
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(text).finalize();
    Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize().into()
}

/// Compares in constant time.
fn constant_time_eq(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

fn to_hex_string(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
