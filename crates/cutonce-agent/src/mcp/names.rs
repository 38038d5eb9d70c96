//! Names of servers and tools as models and rules see them: `mcp__server__tool`.
//!
//! Providers take letters, digits, `_` and `-`, 64 at most. The server's part holds no `__` and neither begins nor ends with
//! `_`: so a rule for one server can never cover another one.

use sha2::{Digest, Sha256};

const PREFIX: &str = "mcp__";
const LONGEST: usize = 64;
/// Leaves room for the tool.
const LONGEST_SERVER: usize = 32;

/// The server's part of a name; None where nothing is left of it.
pub fn server(given: &str) -> Option<String> {
    let mut name = String::new();
    for c in given.chars().map(plain) {
        if c != '_' || !(name.is_empty() || name.ends_with('_')) {
            name.push(c);
        }
    }
    let name = cut(name.trim_end_matches('_'), given, LONGEST_SERVER);
    Some(name).filter(|name| !name.is_empty())
}

/// The whole name of a tool, of a server named as [`server`] says; None where the tool has no name.
pub fn tool(server: &str, given: &str) -> Option<String> {
    let name: String = given.chars().map(plain).collect();
    let room = LONGEST.saturating_sub(PREFIX.len() + server.len() + 2);
    let name = cut(&name, given, room);
    (!name.is_empty()).then(|| format!("{PREFIX}{server}__{name}"))
}

/// The server's part of a tool's name.
pub fn server_of(tool: &str) -> Option<&str> {
    tool.strip_prefix(PREFIX)?.split_once("__").map(|(server, _)| server).filter(|server| !server.is_empty())
}

fn plain(c: char) -> char {
    if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }
}

/// Long names are told apart by a hash of what they were.
fn cut(name: &str, given: &str, longest: usize) -> String {
    const HASH: usize = 8;
    if name.len() <= longest {
        return name.to_string();
    }
    let hash = crate::store::place::hex(&Sha256::digest(given.as_bytes()));
    let kept: String = name.chars().take(longest.saturating_sub(HASH + 1)).collect();
    format!("{}-{}", kept.trim_end_matches('_'), hash.chars().take(HASH).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ho_6_names_are_what_providers_take() {
        let cases = [
            ("everything", "get-sum", "mcp__everything__get-sum"),
            ("my server", "read.file", "mcp__my_server__read_file"),
            ("a__b", "x", "mcp__a_b__x"),
            ("_a_", "x", "mcp__a__x"),
            ("a", "\u{1b}[31mred\u{7}", "mcp__a____31mred_"),
            ("ä/../b", "x y", "mcp__b__x_y"),
        ];
        for (given, tool_name, expected) in cases {
            let server = server(given).unwrap();
            let name = tool(&server, tool_name).unwrap();
            assert_eq!(name, expected, "{given} {tool_name}");
            assert_eq!(server_of(&name), Some(server.as_str()));
        }
        assert_eq!((server("___"), server(""), tool("a", "")), (None, None, None));
    }

    #[test]
    fn ho_6_long_names_are_cut_and_stay_apart() {
        let long = |end: &str| tool(&server(&"s".repeat(80)).unwrap(), &format!("{}{end}", "t".repeat(80))).unwrap();
        assert!(long("a").len() <= 64 && long("a") != long("b"), "{}", long("a"));
        let other = server(&format!("{}x", "s".repeat(79))).unwrap();
        assert_ne!(server(&"s".repeat(80)).unwrap(), other);
    }

    #[test]
    fn pr_1_a_rule_for_one_server_covers_no_other() {
        use cutonce_core::rule::names_tool;
        for (ours, theirs) in [("a", "a__b"), ("a", "a_"), ("a", "a_ b"), ("a", "_a b")] {
            let name = tool(&server(theirs).unwrap(), "x").unwrap();
            let same = server(ours) == server(theirs);
            for pattern in [format!("mcp__{ours}"), format!("mcp__{ours}__*")] {
                assert_eq!(names_tool(&pattern, &name), same, "{pattern} {name}");
            }
        }
    }
}
