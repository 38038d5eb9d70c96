//! Replaces lone surrogates in JSON (HO-3). JavaScript and Python encode a text that was cut inside an emoji
//! as
//! `"\ud83d"`, which a Rust string can't contain. One bad character must not invalidate the whole message.

/// Replaces every lone surrogate escape with `\ufffd`, which has the same length. Returns true if there was
/// one.
pub fn replace_lone_surrogates(json: &mut [u8]) -> bool {
    let mut replaced = false;
    let mut at = 0;
    while let Some(found) = json[at..].iter().position(|byte| *byte == b'\\') {
        at += found;
        let (this, next) = (escape_code_unit(json, at), escape_code_unit(json, at + 6));
        at += match this {
            Some(0xd800..=0xdbff) if matches!(next, Some(0xdc00..=0xdfff)) => 12,
            Some(0xd800..=0xdfff) => {
                json[at + 2..at + 6].copy_from_slice(b"fffd");
                replaced = true;
                6
            }
            Some(_) => 6,
            None => 2.min(json.len() - at),
        };
    }
    replaced
}

/// The code unit of the escape `\uXXXX` that begins here.
fn escape_code_unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    // `from_str_radix` accepts a sign, JSON does not.
    let digits =
        std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_3_only_lone_surrogates_are_replaced() {
        let cases = [
            (r#"{"a":"nice \ud83d"}"#, r#"{"a":"nice \ufffd"}"#),
            (r#""\ud83d\ude00 \uDE00""#, r#""\ud83d\ude00 \ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d \u00e9 \\\ud83d""#, r#""\\ud83d \u00e9 \\\ufffd""#),
            (r#""\ud83dx\n\uD83""#, r#""\ufffdx\n\uD83""#),
            (r"\", r"\"),
            ("", ""),
        ];
        for (given, expected) in cases {
            let mut json = given.as_bytes().to_vec();
            assert_eq!(replace_lone_surrogates(&mut json), given != expected, "{given}");
            assert_eq!(String::from_utf8(json).unwrap(), expected);
        }
        let mut json = br#""nice \ud83d""#.to_vec();
        assert!(serde_json::from_slice::<String>(&json).is_err());
        replace_lone_surrogates(&mut json);
        assert_eq!(serde_json::from_slice::<String>(&json).unwrap(), "nice \u{fffd}");
    }
}
