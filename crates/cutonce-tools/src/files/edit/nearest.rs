//! Explains why an old_string was not found (TL-4): the most similar place, and where the two differ.

/// Maximum number of comparisons for a hint.
const MAX_COMPARISONS: usize = 4_000_000;
const MAX_FUZZY_LINES: usize = 10_000;
const MAX_FUZZY_CHARS: usize = 120;
const MAX_SHOWN: usize = 300;
/// Minimum similarity of a match.
const MIN_SIMILARITY: f64 = 0.6;

/// Builds the error for the model.
pub(super) fn explain_no_match(shown: &str, file: &[u8], old: &str) -> String {
    let mut out = format!("`old_string`: expected text that is in {shown}, got one that is not there.");
    if file.starts_with(&[0xff, 0xfe]) || file.starts_with(&[0xfe, 0xff]) {
        out.push_str(" The file is UTF-16; Edit works on UTF-8. Convert it with a shell command first.");
        return out;
    }
    if has_line_numbers(old) {
        out.push_str(" It begins with the line numbers that are shown when a file is read; leave them out.");
        return out;
    }
    let text = String::from_utf8_lossy(file);
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = old.lines().collect();
    match nearest_line(&lines, &wanted) {
        None => out.push_str(" Nothing in the file is similar; read the file again."),
        Some(start) => out.push_str(&describe_difference(&lines, &wanted, start)),
    }
    out
}

fn has_line_numbers(old: &str) -> bool {
    let numbered = |line: &str| line.trim_start().split_once('\t').is_some_and(|(number, _)| is_number(number));
    old.lines().any(|line| !line.is_empty()) && old.lines().filter(|line| !line.is_empty()).all(numbered)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the index of the line at which the text most similar to `wanted` begins.
fn nearest_line(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    by_equal_lines(lines, wanted).or_else(|| by_first_line(lines, wanted))
}

/// Finds the place with most lines equal except for surrounding white space.
fn by_equal_lines(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    if lines.len().saturating_mul(wanted.len()) > MAX_COMPARISONS {
        return None;
    }
    let score = |start: usize| {
        let pairs = wanted.iter().zip(lines[start..].iter());
        pairs.filter(|(want, have)| !want.trim().is_empty() && split_words(want).eq(split_words(have))).count()
    };
    let best =
        (0..lines.len()).map(|start| (score(start), start)).max_by_key(|(score, start)| (*score, usize::MAX - start));
    best.filter(|(score, _)| *score > 0).map(|(_, start)| start)
}

/// Splits a line into words, ignoring white space.
fn split_words(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace()
}

fn by_first_line(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let (skip, first) = wanted.iter().enumerate().find(|(_, line)| !line.trim().is_empty())?;
    let first = line_head(first.trim());
    let alike = |line: &str| {
        let line = line_head(line.trim());
        // Lengths that far apart can't be similar; checking them is cheaper than comparing.
        let (short, long) = (first.len().min(line.len()), first.len().max(line.len()));
        if (short as f64) < MIN_SIMILARITY * 0.5 * long as f64 {
            0.0
        } else {
            strsim::normalized_levenshtein(first, line)
        }
    };
    let scored = lines.iter().take(MAX_FUZZY_LINES).enumerate().filter(|(_, line)| !line.trim().is_empty());
    let best = scored.map(|(index, line)| (alike(line), index)).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    best.filter(|(score, _)| *score >= MIN_SIMILARITY).map(|(_, index)| index.saturating_sub(skip))
}

fn line_head(line: &str) -> &str {
    &line[..line.floor_char_boundary(MAX_FUZZY_CHARS)]
}

/// Describes the nearest text and the first line that differs, with visible white space.
fn describe_difference(lines: &[&str], wanted: &[&str], start: usize) -> String {
    let end = (start + wanted.len()).min(lines.len());
    let mut out = if end > start + 1 {
        format!(" Nearest: lines {}-{end}.", start + 1)
    } else {
        format!(" Nearest: line {}.", start + 1)
    };
    for (offset, want) in wanted.iter().enumerate() {
        match lines.get(start + offset) {
            Some(have) if have == want => {}
            Some(have) => {
                out.push_str(&format!(
                    " First difference, in line {} (· is a space, → a tab):\nfile:       {}\nold_string: {}",
                    start + offset + 1,
                    show_whitespace(have),
                    show_whitespace(want)
                ));
                return out;
            }
            None if want.is_empty() => break,
            None => {
                out.push_str(&format!(" The file ends there; old_string continues with:\n{}", show_whitespace(want)));
                return out;
            }
        }
    }
    out.push_str(" Every line is equal: the difference is at the ends (a newline too many, or part of a longer line).");
    out
}

fn show_whitespace(line: &str) -> String {
    let cut = line.floor_char_boundary(MAX_SHOWN);
    let shown: String = line[..cut]
        .chars()
        .map(|c| match c {
            ' ' => '·',
            '\t' => '→',
            '\u{a0}' => '⍽',
            '\r' => '␍',
            c => c,
        })
        .collect();
    if cut < line.len() { format!("{shown}…") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tl_4_says_why_and_shows_the_nearest_match() {
        let file = b"fn main() {\n\tlet a = 1;\n\tlet b = 2;\n}\n";
        let cases = [
            ("    let a = 1;\n    let b = 2;", "Nearest: lines 2-3."),
            ("    let a = 1;", "file:       →let·a·=·1;\nold_string: ····let·a·=·1;"),
            ("let b = 3;\n}\nmore", "Nearest: lines 3-4. First difference, in line 3"),
            ("fn mian() {", "Nearest: line 1."),
            ("}\nand more", "The file ends there; old_string continues with:\nand·more"),
            ("2\t\tlet a = 1;\n3\t\tlet b = 2;", "line numbers"),
            ("zzzzzzzzzzzz qqqqqqqqqqq", "Nothing in the file is similar"),
            ("\tlet a = 1;\n\tlet b = 2;\n}\n\n", "Every line is equal"),
        ];
        for (old, expected) in cases {
            let text = explain_no_match("a.rs", file, old);
            assert!(text.contains(expected), "{old:?}: {text}");
        }
        assert!(explain_no_match("a", b"\xff\xfea\0", "a").contains("UTF-16"));
    }

    #[test]
    fn hint_for_a_large_file_stays_cheap() {
        let file = "the same line\n".repeat(200_000);
        let old = "another line\n".repeat(500);
        assert!(explain_no_match("a", file.as_bytes(), &old).starts_with("`old_string`"));
    }
}
