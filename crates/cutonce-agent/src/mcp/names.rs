//! Names of servers and tools for models and rules: `mcp__server__tool`.
//!
//! Providers accept up to 64 letters, digits, `_` and `-`. The server's part contains no `__` and neither starts nor
//! ends with `_`, so that a rule for one server never matches another.

use sha2::{Digest, Sha256};

const PREFIX: &str = "mcp__";
const MAX_NAME: usize = 64;
/// Leaves room for the tool's name.
const MAX_SERVER_NAME: usize = 32;

/// The sanitized name of a server, or `None` if nothing is left.
pub fn server_name(given: &str) -> Option<String> {
    let mut name = String::new();
    for c in given.chars().map(sanitize_char) {
        if c != '_' || !(name.is_empty() || name.ends_with('_')) {
            name.push(c);
        }
    }
    let name = shorten(name.trim_end_matches('_'), given, MAX_SERVER_NAME);
    Some(name).filter(|name| !name.is_empty())
}

/// The full name of a tool; `server` must be the result of `server`. `None` if the tool has no name.
pub fn tool_name(server: &str, given: &str) -> Option<String> {
    let name: String = given.chars().map(sanitize_char).collect();
    let room = MAX_NAME.saturating_sub(PREFIX.len() + server.len() + 2);
    let name = shorten(&name, given, room);
    (!name.is_empty()).then(|| format!("{PREFIX}{server}__{name}"))
}

/// The server's part of a tool's name.
pub fn server_of(tool: &str) -> Option<&str> {
    tool.strip_prefix(PREFIX)?.split_once("__").map(|(server, _)| server).filter(|server| !server.is_empty())
}

fn sanitize_char(c: char) -> char {
    if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }
}

/// Shortens long names and appends a hash to keep them distinct.
fn shorten(name: &str, given: &str, longest: usize) -> String {
    const HASH: usize = 8;
    if name.len() <= longest {
        return name.to_string();
    }
    let hash = crate::storage::paths::to_hex(&Sha256::digest(given.as_bytes()));
    let kept: String = name.chars().take(longest.saturating_sub(HASH + 1)).collect();
    format!("{}-{}", kept.trim_end_matches('_'), hash.chars().take(HASH).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_6_names_are_valid_for_providers() {
        let cases = [
            ("everything", "get-sum", "mcp__everything__get-sum"),
            ("my server", "read.file", "mcp__my_server__read_file"),
            ("a__b", "x", "mcp__a_b__x"),
            ("_a_", "x", "mcp__a__x"),
            ("a", "\u{1b}[31mred\u{7}", "mcp__a____31mred_"),
            ("ä/../b", "x y", "mcp__b__x_y"),
        ];
        for (given, tool, expected) in cases {
            let server = server_name(given).unwrap();
            let name = tool_name(&server, tool).unwrap();
            assert_eq!(name, expected, "{given} {tool}");
            assert_eq!(server_of(&name), Some(server.as_str()));
        }
        assert_eq!((server_name("___"), server_name(""), tool_name("a", "")), (None, None, None));
    }

    #[test]
    fn ho_6_long_names_stay_distinct() {
        let long =
            |end: &str| tool_name(&server_name(&"s".repeat(80)).unwrap(), &format!("{}{end}", "t".repeat(80))).unwrap();
        assert!(long("a").len() <= 64 && long("a") != long("b"), "{}", long("a"));
        let other = server_name(&format!("{}x", "s".repeat(79))).unwrap();
        assert_ne!(server_name(&"s".repeat(80)).unwrap(), other);
    }

    #[test]
    fn pr_1_server_rule_matches_no_other_server() {
        use cutonce_core::permission::rules::pattern_covers_tool;
        for (ours, theirs) in [("a", "a__b"), ("a", "a_"), ("a", "a_ b"), ("a", "_a b")] {
            let name = tool_name(&server_name(theirs).unwrap(), "x").unwrap();
            let same = server_name(ours) == server_name(theirs);
            for pattern in [format!("mcp__{ours}"), format!("mcp__{ours}__*")] {
                assert_eq!(pattern_covers_tool(&pattern, &name), same, "{pattern} {name}");
            }
        }
    }
}
