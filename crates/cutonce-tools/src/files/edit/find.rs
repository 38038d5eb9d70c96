//! Finds an old_string in a file with any line endings, and adapts the replacement to them (TL-4).

use memchr::memmem;

const BOM: &str = "\u{feff}";

/// One match, with the replacement in the line endings of that place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EditMatch {
    pub start: usize,
    pub end: usize,
    pub replacement: Vec<u8>,
}

/// Finds all matches in order, including overlapping ones, because they make the text ambiguous.
pub(super) fn find_matches(file: &[u8], old: &str, new: &str) -> Vec<EditMatch> {
    // A byte order mark stays in place: a replacement must not remove it.
    let (old, new) = match old.strip_prefix(BOM) {
        Some(rest) if !rest.is_empty() => (rest, new.strip_prefix(BOM).unwrap_or(new)),
        _ => (old, new),
    };
    let old_lf = old.replace("\r\n", "\n");
    if !old_lf.contains('\n') {
        let new = if mostly_crlf(file) { to_crlf(new) } else { new.to_string() };
        return exact_matches(file, old, &new);
    }
    // A file with mixed endings may contain either form.
    let mut found = exact_matches(file, &to_crlf(&old_lf), &to_crlf(new));
    found.extend(exact_matches(file, &old_lf, &new.replace("\r\n", "\n")));
    if found.is_empty() {
        found = exact_matches(file, old, new);
    }
    found.sort_by_key(|hit| hit.start);
    found
}

fn exact_matches(file: &[u8], old: &str, new: &str) -> Vec<EditMatch> {
    let finder = memmem::Finder::new(old);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = file.get(from..).and_then(|rest| finder.find(rest)) {
        let start = from + at;
        found.push(EditMatch { start, end: start + old.len(), replacement: new.as_bytes().to_vec() });
        from = start + 1;
    }
    found
}

fn mostly_crlf(file: &[u8]) -> bool {
    let (mut crlf, mut lf) = (0usize, 0usize);
    for at in memchr::memchr_iter(b'\n', file) {
        let after_cr = at > 0 && file[at - 1] == b'\r';
        *(if after_cr { &mut crlf } else { &mut lf }) += 1;
    }
    crlf > lf
}

fn to_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replaces all hits, as the tool does.
    fn replaced(file: &str, old: &str, new: &str) -> Vec<String> {
        let splice = |hit: &EditMatch| {
            let mut out = file.as_bytes().to_vec();
            out.splice(hit.start..hit.end, hit.replacement.iter().copied());
            String::from_utf8(out).unwrap()
        };
        find_matches(file.as_bytes(), old, new).iter().map(splice).collect()
    }

    #[test]
    fn tl_4_keeps_line_endings() {
        assert_eq!(replaced("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz"), ["x\r\ny\r\nz\r\nc\r\n"]);
        assert_eq!(replaced("a\r\nb\r\n", "b", "b\nc"), ["a\r\nb\r\nc\r\n"]);
        assert_eq!(replaced("a\nb\n", "a\r\nb", "x\r\ny"), ["x\ny\n"]);
        assert_eq!(replaced("a\nb\n", "a", "x\ny"), ["x\ny\nb\n"]);
    }

    #[test]
    fn tl_4_finds_matches_in_mixed_line_endings() {
        let both = replaced("a\r\nb\n--\na\nb\n", "a\nb", "x\ny");
        assert_eq!(both, ["x\r\ny\n--\na\nb\n", "a\r\nb\n--\nx\ny\n"]);
    }

    #[test]
    fn tl_4_keeps_the_byte_order_mark() {
        assert_eq!(replaced("\u{feff}a\nb\n", "\u{feff}a", "x"), ["\u{feff}x\nb\n"]);
        assert_eq!(replaced("\u{feff}a\nb\n", "a\nb", "x"), ["\u{feff}x\n"]);
    }

    #[test]
    fn tl_4_overlapping_matches_are_ambiguous() {
        assert_eq!(find_matches(b"aaa", "aa", "b").len(), 2);
        assert_eq!(find_matches(b"abc", "x", "y"), []);
    }
}
