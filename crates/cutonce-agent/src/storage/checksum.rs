//! The checksum at the end of each transcript line (SE-2): a line that the disk changed is noticed and skipped.

use super::paths::to_hex;
use cutonce_core::transcript::SkipReason;
use sha2::{Digest, Sha256};

const FIELD: &[u8] = b",\"sum\":\"";
const END: &[u8] = b"\"}";
/// Hexadecimal digits of the SHA-256 that are kept.
const DIGITS: usize = 16;

/// Adds the checksum of a line as its last field.
pub(super) fn add_checksum(line: &str) -> Vec<u8> {
    let Some(content) = line.strip_suffix('}') else { return line.into() };
    [content.as_bytes(), FIELD, checksum(content.as_bytes()).as_bytes(), END].concat()
}

/// Checks a line. One without a checksum is of a foreign or earlier program, and passes.
pub(super) fn verify_checksum(line: &[u8]) -> Result<(), SkipReason> {
    let parts = line.strip_suffix(END).and_then(|rest| rest.split_at_checked(rest.len().checked_sub(DIGITS)?));
    let Some((content, found)) = parts.and_then(|(rest, sum)| Some((rest.strip_suffix(FIELD)?, sum))) else {
        return Ok(());
    };
    if checksum(content).as_bytes() == found { Ok(()) } else { Err(SkipReason::Damaged) }
}

fn checksum(content: &[u8]) -> String {
    let mut sum = to_hex(&Sha256::digest(content));
    sum.truncate(DIGITS);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn se_2_changed_line_has_a_wrong_checksum() {
        let line = add_checksum(r#"{"type":"user","text":"pay 100"}"#);
        assert!(serde_json::from_slice::<serde_json::Value>(&line).unwrap()["sum"].is_string());
        assert_eq!(verify_checksum(&line), Ok(()));
        for at in 0..line.len() - END.len() - DIGITS - FIELD.len() {
            let mut changed = line.clone();
            changed[at] ^= 1;
            assert_eq!(verify_checksum(&changed), Err(SkipReason::Damaged), "{at}");
        }
        for foreign in ["", "}", "\"}", r#"{"type":"user"}"#, r#"{"sum":"0123456789abcdef"}"#] {
            assert_eq!(verify_checksum(foreign.as_bytes()), Ok(()), "{foreign}");
        }
    }
}
