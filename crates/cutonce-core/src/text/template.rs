//! Fills texts with `{placeholders}` in one pass: braces inside a value are text, so a plan with `{path}` is
//! unchanged.

/// Fills the placeholders of a text. A name without a value stays unchanged.
pub fn fill_template(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, name, after)) = next_placeholder(rest) {
        text.push_str(before);
        match values.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => text.push_str(value),
            None => text.push_str(&rest[before.len()..rest.len() - after.len()]),
        }
        rest = after;
    }
    text.push_str(rest);
    text
}

/// Names of the placeholders in a text.
#[cfg(test)]
pub(crate) fn placeholders(template: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = template;
    while let Some((_, name, after)) = next_placeholder(rest) {
        names.push(name);
        rest = after;
    }
    names
}

/// Splits at the next `{name}`: text before, name, text after.
fn next_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        let inside = &text[open + 1..];
        let length = inside.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(inside.len());
        if length > 0 && inside[length..].starts_with('}') {
            return Some((&text[..open], &inside[..length], &inside[length + 1..]));
        }
        from = open + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_once_and_leaves_other_braces_alone() {
        let check = |template: &str, expected: &str| {
            assert_eq!(fill_template(template, &[("path", "/a/{plan}.md"), ("plan", "fn x() { {path} }")]), expected);
        };
        check("", "");
        check("no names", "no names");
        check("{path}: {plan}", "/a/{plan}.md: fn x() { {path} }");
        check("{{path}} { } {} {Path} {other} {", "{/a/{plan}.md} { } {} {Path} {other} {");
        check("ä{path}ö", "ä/a/{plan}.mdö");
        assert_eq!(placeholders("{a} {b_c} { d } {}"), ["a", "b_c"]);
    }
}
