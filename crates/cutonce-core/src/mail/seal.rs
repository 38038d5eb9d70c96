//! Who wrote a message. Lead and teammate share a key that no other teammate is given; a message between them counts only
//! with its seal (HMAC-SHA256 over all that it says). Teammates among themselves only talk, so they need none.

use super::message::{LEAD, Message, MessageKind};
use sha2::{Digest, Sha256};

/// What the lead and one teammate share.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Key {
    pub fn new(bytes: [u8; 32]) -> Key {
        Key(bytes)
    }
    pub fn parse(hex: &str) -> Option<Key> {
        let hex = hex.trim().as_bytes();
        let digit = |byte: u8| (byte as char).to_digit(16);
        let mut bytes = [0; 32];
        if hex.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks(2)) {
            *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
        }
        Some(Key(bytes))
    }
    pub fn to_hex(&self) -> String {
        hex(&self.0)
    }

    pub fn seal(&self, mut message: Message) -> Message {
        message.seal = self.mac(&words_of(&message));
        message
    }
    pub fn sealed(&self, message: &Message) -> bool {
        same(&self.mac(&words_of(message)), &message.seal)
    }
    /// The seal of any text, for what is published beside the messages.
    pub fn mac(&self, text: &str) -> String {
        hex(&hmac(&self.0, text.as_bytes()))
    }
    pub fn proves(&self, text: &str, mac: &str) -> bool {
        same(&self.mac(text), mac)
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

/// May `me` believe that this message is of its team, for it, and by whom it says? `key_with` gives the key that lead and
/// teammate share.
pub fn authentic<'a>(
    team: &str,
    me: &str,
    message: &Message,
    key_with: impl Fn(&str) -> Option<&'a Key>,
) -> Result<(), &'static str> {
    if message.team != team {
        return Err("it is of another team");
    }
    if message.to != me {
        return Err("it is for somebody else");
    }
    if message.from == me {
        return Err("it says that it comes from its reader");
    }
    let teammate = match (me == LEAD, message.from == LEAD) {
        (true, _) => &message.from,
        (_, true) => &message.to,
        (false, false) if message.kind == MessageKind::Control => return Err("only the lead gives orders"),
        (false, false) => return Ok(()),
    };
    match key_with(teammate) {
        Some(key) if key.sealed(message) => Ok(()),
        Some(_) => Err("its seal is wrong: somebody else wrote it"),
        None => Err("its sender is not of this team"),
    }
}

/// Each field with its length, so that no two messages have the same words.
fn words_of(message: &Message) -> String {
    let Message { id, team, from, to, text, timestamp, kind, seal: _ } = message;
    [id, team, from, to, timestamp, kind.name(), text].map(|field| format!("{}:{field}", field.len())).join("\n")
}

/// RFC 2104.
fn hmac(key: &[u8; 32], text: &[u8]) -> [u8; 32] {
    let pad = |with: u8| {
        let mut block = [with; 64];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        block
    };
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(text).finalize();
    Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize().into()
}

/// Takes as long for a near miss as for any other.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
