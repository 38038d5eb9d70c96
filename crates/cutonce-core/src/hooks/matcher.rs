//! Matches hooks with tool names: `Edit|Write`, `mcp__.*`, or all.

use crate::permission::rules;
use regex::Regex;

/// A hook's matcher. Nothing, `""` and `*` match all; names separated by `|` or commas are exact; anything
/// else is a regular expression that may match anywhere in the name. Case-sensitive.
#[derive(Debug, Clone, Default)]
pub enum HookMatcher {
    #[default]
    Any,
    Names(Vec<String>),
    Pattern(Regex),
}

/// A matcher that is not a valid regular expression.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("`{matcher}` is not a valid matcher: {cause}")]
pub struct InvalidMatcher {
    pub matcher: String,
    pub cause: regex::Error,
}

/// Maximum size of a compiled pattern.
const MAX_PATTERN_SIZE: usize = 1 << 16;

impl HookMatcher {
    pub fn parse(given: Option<&str>) -> Result<HookMatcher, InvalidMatcher> {
        let given = given.unwrap_or_default().trim();
        if given.is_empty() || given == "*" {
            return Ok(HookMatcher::Any);
        }
        if given.chars().all(|c| c.is_ascii_alphanumeric() || "_|, ".contains(c)) {
            let names = given.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
            return Ok(HookMatcher::Names(names.map(str::to_string).collect()));
        }
        let pattern = regex::RegexBuilder::new(given).size_limit(MAX_PATTERN_SIZE).build();
        pattern.map(HookMatcher::Pattern).map_err(|cause| InvalidMatcher { matcher: given.into(), cause })
    }

    /// True if the matcher accepts the subject. Events without a subject match always.
    pub fn matches(&self, subject: Option<&str>) -> bool {
        match (self, subject) {
            (HookMatcher::Any, _) | (_, None) => true,
            (HookMatcher::Names(names), Some(subject)) => {
                names.iter().any(|name| rules::current_tool_name(name) == subject)
            }
            (HookMatcher::Pattern(pattern), Some(subject)) => pattern.is_match(subject),
        }
    }
}
