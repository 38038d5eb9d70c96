//! Repairs or replaces lines of a server that can't be parsed (HO-6). An unreadable answer would leave its call
//! waiting until the timeout: a lone surrogate is repaired, any other unreadable answer becomes an error of its call.

use cutonce_core::text::surrogates;
use serde::de::IgnoredAny;
use serde_json::json;

/// Maximum nesting depth of a message.
const MAX_DEPTH: usize = 120;

/// Returns the line, repaired or replaced by an error. Lines that are not objects are left unchanged.
pub(super) fn repair_line(mut line: Vec<u8>) -> Vec<u8> {
    surrogates::replace_lone_surrogates(&mut line);
    if !line.trim_ascii_start().starts_with(b"{") {
        return line;
    }
    let (deepest, id) = depth_and_id(&line);
    let why = match serde_json::from_slice::<IgnoredAny>(&line) {
        Err(error) => error.to_string(),
        Ok(_) if deepest > MAX_DEPTH => format!("it is nested {deepest} deep"),
        Ok(_) => return line,
    };
    let Some(id) = id else { return line };
    let message = format!("its answer could not be parsed: {why}");
    let mut instead = json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32700, "message": message}}).to_string();
    instead.push('\n');
    instead.into_bytes()
}

/// The nesting depth of the line, and the number in the outermost `id`. Our ids are numbers.
fn depth_and_id(line: &[u8]) -> (usize, Option<u64>) {
    let (mut depth, mut deepest, mut id) = (0_usize, 0, None);
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let Some(text) = text_at(line, at + 1) else { break };
                at += text.len() + 1;
                if depth == 1 && text == b"id" {
                    id = id.or_else(|| number_after_colon(line.get(at + 1..).unwrap_or_default()));
                }
            }
            _ => {}
        }
        deepest = deepest.max(depth);
        at += 1;
    }
    (deepest, id)
}

/// The number after a colon.
fn number_after_colon(behind: &[u8]) -> Option<u64> {
    let digits = behind.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}

/// The string from here to its closing quote.
fn text_at(line: &[u8], start: usize) -> Option<&[u8]> {
    let mut end = start;
    loop {
        match line.get(end)? {
            b'"' => return line.get(start..end),
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> String {
        String::from_utf8(repair_line(line.as_bytes().to_vec())).unwrap()
    }

    #[test]
    fn ho_6_unparsable_answer_fails_its_call() {
        for fine in ["{\"id\":1}\n", "\n", "starting up...\n", "{no json, no id}\n", "[1\n"] {
            assert_eq!(said(fine), fine);
        }
        assert_eq!(said("{\"id\":1,\"a\":\"\\ud83d\"}\n"), "{\"id\":1,\"a\":\"\\ufffd\"}\n");
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        let broken = [
            format!("{{\"result\":{{\"id\":9,\"deep\":{deep}}},\"id\" : 7}}\n"),
            "{\"note\":\"\\\"id\\\":4\",\"id\":7,\"result\":NaN}\n".to_string(),
            "{\"id\":7,\"result\":{\"a\":\n".to_string(),
        ];
        for line in broken {
            let answer: serde_json::Value = serde_json::from_str(&said(&line)).unwrap();
            assert_eq!(answer["id"], 7, "{line}");
            let words = answer["error"]["message"].as_str().unwrap();
            assert!(words.starts_with("its answer could not be parsed: "), "{words}");
        }
    }
}
