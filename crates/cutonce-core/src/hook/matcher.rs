//! Which tools a hook is for: `Edit|Write`, `mcp__.*`, or all.

use crate::rule;
use regex::Regex;

/// Nothing, `""` and `*` fit all; names between `|` or commas are exact; anything else is a regular
/// expression that may fit anywhere in the name. Letters count as they are written.
#[derive(Debug, Clone, Default)]
pub enum Matcher {
    #[default]
    Any,
    Names(Vec<String>),
    Pattern(Regex),
}

/// A pattern that grows larger than this when compiled is no matcher of names.
const LARGEST: usize = 1 << 16;

impl Matcher {
    pub fn parse(given: Option<&str>) -> Result<Matcher, String> {
        let given = given.unwrap_or_default().trim();
        if given.is_empty() || given == "*" {
            return Ok(Matcher::Any);
        }
        if given.chars().all(|c| c.is_ascii_alphanumeric() || "_|, ".contains(c)) {
            let names = given.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
            return Ok(Matcher::Names(names.map(str::to_string).collect()));
        }
        let pattern = regex::RegexBuilder::new(given).size_limit(LARGEST).build();
        pattern.map(Matcher::Pattern).map_err(|error| format!("`{given}` is no matcher: {error}"))
    }

    /// What has no subject is fit by every matcher: there is nothing to choose from.
    pub fn fits(&self, subject: Option<&str>) -> bool {
        match (self, subject) {
            (Matcher::Any, _) | (_, None) => true,
            (Matcher::Names(names), Some(subject)) => names.iter().any(|name| rule::name_today(name) == subject),
            (Matcher::Pattern(pattern), Some(subject)) => pattern.is_match(subject),
        }
    }
}
