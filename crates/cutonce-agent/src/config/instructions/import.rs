//! Finds `@path` in markdown: at the start of a line or after a space, and not in code.

/// The imported paths of a text, in order, each once.
pub(super) fn find_imports(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let mark = start.chars().next().filter(|c| matches!(c, '`' | '~'));
        let run = mark.map_or(0, |mark| start.chars().take_while(|c| *c == mark).count());
        match (fence, mark) {
            (Some((open, length)), _) => {
                let closes = mark == Some(open) && run >= length && start.trim_start_matches(open).trim().is_empty();
                if closes {
                    fence = None;
                }
                continue;
            }
            // An inline code span may start a line; a fence has no backtick after it.
            (None, Some(mark)) if run >= 3 && !(mark == '`' && start[run..].contains('`')) => {
                fence = Some((mark, run));
                continue;
            }
            (None, _) => {}
        }
        for word in strip_code_spans(line).split_whitespace() {
            let Some(path) = word.strip_prefix('@').filter(|path| !path.is_empty()) else { continue };
            if !found.iter().any(|known| known == path) {
                found.push(path.to_string());
            }
        }
    }
    found
}

/// Whether the text contains only imports, one per line.
pub(super) fn is_only_imports(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.all(|line| line.starts_with('@') && !line.contains(char::is_whitespace))
}

/// Removes code spans from the line: from a run of backticks to the next run of the same length.
fn strip_code_spans(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let run = rest[at..].bytes().take_while(|byte| *byte == b'`').count();
        out.push_str(&rest[..at]);
        let after = &rest[at + run..];
        rest = match closing_run(after, run) {
            Some(end) => {
                // Keep a placeholder, so that the following text doesn't start a word.
                out.push('_');
                &after[end + run..]
            }
            None => after,
        };
    }
    out.push_str(rest);
    out
}

fn closing_run(text: &str, run: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(next) = text[at..].find('`') {
        let length = text[at + next..].bytes().take_while(|byte| *byte == b'`').count();
        if length == run {
            return Some(at + next);
        }
        at += next + length;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::find_imports;

    #[test]
    fn cl_5_imports_in_code_are_ignored() {
        let check = |text: &str, expected: &[&str]| assert_eq!(find_imports(text), expected, "{text}");
        check("see @docs/a.md and @~/b.md\n@c.md", &["docs/a.md", "~/b.md", "c.md"]);
        check("mail me@example.org, `@code.md`, ``a ` @b.md``, an open ` @c.md", &["c.md"]);
        check("```\n@no.md\n```\n@yes.md\n~~~sh\n@no.md\n```\n@no.md\n~~~~\n@also.md", &["yes.md", "also.md"]);
        check("```` md\n```\n@no.md\n````\n@yes.md", &["yes.md"]);
        check("```inline``` @yes.md", &["yes.md"]);
        check("@ alone, @a.md twice @a.md", &["a.md"]);
        check("`x`@no.md", &[]);
    }
}
