//! Limits the brace depth of glob patterns. Matchers recurse on braces, and a pattern may come from the
//! model, a repository or its settings, so too deep patterns are refused before they reach a matcher (AG-6).

/// Maximum brace depth; no pattern written by a user is deeper.
pub const MAX_BRACE_DEPTH: usize = 32;

/// True if the pattern may be passed to a matcher.
pub fn is_within_brace_limit(pattern: &str) -> bool {
    brace_depth(pattern.as_bytes()) <= MAX_BRACE_DEPTH
}

/// True if every line of an ignore file may be passed to a matcher.
pub fn lines_are_within_brace_limit(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').all(|line| brace_depth(line) <= MAX_BRACE_DEPTH)
}

/// Deepest nesting of braces. Escaped braces are included: better an overestimate.
fn brace_depth(pattern: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in pattern {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ag_6_brace_depth_is_limited_per_line() {
        assert!(is_within_brace_limit("{a,{b,c}}{d}{e}"));
        assert!(is_within_brace_limit(&"{a}".repeat(1000)));
        assert!(!is_within_brace_limit(&"{".repeat(MAX_BRACE_DEPTH + 1)));
        assert!(lines_are_within_brace_limit("{\n".repeat(1000).as_bytes()));
        assert!(!lines_are_within_brace_limit(format!("ok\n{}\n", "{".repeat(MAX_BRACE_DEPTH + 1)).as_bytes()));
    }
}
