//! How deep the braces of a glob go. Matchers recurse on them, and a pattern may come from the model, a repository or
//! its settings: one that goes too deep is refused before it reaches a matcher (AG-6).

/// No pattern that a person writes goes deeper.
pub const DEEPEST: usize = 32;

/// Whether a matcher may see it.
pub fn are_sane(pattern: &str) -> bool {
    depth(pattern.as_bytes()) <= DEEPEST
}

/// The same of a whole ignore file: each of its lines.
pub fn are_sane_in_lines(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').all(|line| depth(line) <= DEEPEST)
}

/// Escaped ones are counted too: too deep rather than too shallow.
fn depth(pattern: &[u8]) -> usize {
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
    fn ag_6_depth_is_that_of_the_deepest_place_of_a_line() {
        assert!(are_sane("{a,{b,c}}{d}{e}"));
        assert!(are_sane(&"{a}".repeat(1000)));
        assert!(!are_sane(&"{".repeat(DEEPEST + 1)));
        assert!(are_sane_in_lines("{\n".repeat(1000).as_bytes()));
        assert!(!are_sane_in_lines(format!("ok\n{}\n", "{".repeat(DEEPEST + 1)).as_bytes()));
    }
}
