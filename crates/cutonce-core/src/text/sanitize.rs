//! Sanitizes external text for display (TL-10): it can't move the cursor, set the clipboard, reorder letters
//! or hide content.

use super::lookalikes::reveal_lookalikes;
use std::borrow::Cow;
use std::fmt::Write;

/// Sanitizes text for a terminal or dialog. Drops escape sequences; shows control, invisible and
/// direction-changing characters as `\u{..}`. Keeps newlines and tabs.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    sanitize_with(text, is_shown)
}

/// Sanitizes text that the user has to judge, without dropping anything: escape sequences and letters that pass for
/// Latin ones are shown as text, the rest as by [`sanitize`].
pub fn reveal_hidden(text: &str) -> Cow<'_, str> {
    let shown = match text.contains('\x1b') {
        // Shown as text, it is not an escape sequence any more.
        true => Cow::Owned(sanitize(&text.replace('\x1b', "\\u{1b}")).into_owned()),
        false => sanitize(text),
    };
    match shown {
        Cow::Borrowed(shown) => reveal_lookalikes(shown),
        Cow::Owned(shown) => Cow::Owned(reveal_lookalikes(&shown).into_owned()),
    }
}

/// Like [`reveal_hidden`] on one line, for names and titles: newlines become `⏎`, tabs become spaces.
pub fn one_line(text: &str) -> String {
    reveal_hidden(text.trim_end()).replace('\n', " ⏎ ").replace('\t', " ")
}

/// Removes ` (os error 2)` and the like from an error text: the code means nothing to a user.
pub fn without_os_codes(text: &str) -> Cow<'_, str> {
    const START: &str = " (os error ";
    if !text.contains(START) {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split(START);
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        match part.split_once(')') {
            Some((code, rest)) if code.bytes().all(|byte| byte.is_ascii_digit()) => out.push_str(rest),
            _ => out.extend([START, part]),
        }
    }
    Cow::Owned(out)
}

/// Escapes closing tags of this name, in any spelling that a model could read as one.
pub fn escape_closing_tag(text: &str, tag: &str) -> String {
    let closes = |rest: &str| {
        let name = rest.trim_start().strip_prefix('/').map(str::trim_start);
        name.and_then(|name| name.get(..tag.len())).is_some_and(|name| name.eq_ignore_ascii_case(tag))
    };
    let mut parts = text.split('<');
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        out.extend([if closes(part) { "&lt;" } else { "<" }, part]);
    }
    out
}

/// Sanitizes text for the model: drops overwritten lines and escape sequences, shows NUL, keeps the rest.
pub fn sanitize_for_model(text: &str) -> Cow<'_, str> {
    match drop_overwritten(text) {
        Cow::Borrowed(text) => sanitize_with(text, |c, _, _| !matches!(c, '\0' | '\x1b')),
        Cow::Owned(text) => Cow::Owned(sanitize_with(&text, |c, _, _| !matches!(c, '\0' | '\x1b')).into_owned()),
    }
}

/// Keeps only the visible end of lines that carriage returns overwrote, as progress bars do. Not for text
/// that the user has to judge, because it hides the overwritten part.
pub fn drop_overwritten(text: &str) -> Cow<'_, str> {
    if !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let last = |line: &'_ str| line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default().to_string();
    Cow::Owned(text.split('\n').map(last).collect::<Vec<_>>().join("\n"))
}

/// Drops whole escape sequences and escapes characters that `stays` rejects. `stays` gets a character, the
/// previous and the next one.
fn sanitize_with(text: &str, stays: impl Fn(char, Option<char>, Option<char>) -> bool) -> Cow<'_, str> {
    let mut before = None;
    let mut ahead = text.chars();
    ahead.next();
    let fine = |c: char| {
        let stays = stays(c, before, ahead.next());
        before = Some(c);
        stays
    };
    if text.chars().all(fine) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\x1b' => escape_sequence_len(rest.as_bytes()),
            '\r' if rest.starts_with("\r\n") => Some(1),
            _ => None,
        };
        match length {
            Some(_) => {}
            None if stays(c, out.chars().next_back(), rest.chars().nth(1)) => out.push(c),
            None => drop(write!(out, "\\u{{{:x}}}", u32::from(c))),
        }
        rest = rest.get(length.unwrap_or(c.len_utf8())..).unwrap_or_default();
    }
    Cow::Owned(out)
}

/// Length of the escape sequence at the start, if it is complete. A sequence ends with an ASCII byte, so this
/// is a character boundary.
fn escape_sequence_len(bytes: &[u8]) -> Option<usize> {
    let skip = |from: usize, low: u8, high: u8| {
        from + bytes.iter().skip(from).take_while(|byte| (low..=high).contains(byte)).count()
    };
    let ends = |at: usize, low: u8| bytes.get(at).filter(|byte| (low..=0x7e).contains(*byte)).map(|_| at + 1);
    match bytes.get(1)? {
        // Control sequences: parameters, intermediate bytes, a final byte.
        b'[' => ends(skip(skip(2, 0x30, 0x3f), 0x20, 0x2f), 0x40),
        // Strings (titles, links, the clipboard, …), up to their terminator.
        b']' | b'P' | b'X' | b'^' | b'_' => {
            let end = bytes.iter().skip(2).position(|byte| matches!(byte, 0x07 | 0x1b))? + 2;
            match bytes.get(end) {
                Some(0x07) => Some(end + 1),
                _ => bytes.get(end + 1).filter(|byte| **byte == b'\\').map(|_| end + 2),
            }
        }
        0x20..=0x2f => ends(skip(1, 0x20, 0x2f), 0x30),
        0x30..=0x7e => Some(2),
        _ => None,
    }
}

fn is_shown(c: char, before: Option<char>, behind: Option<char>) -> bool {
    match c {
        '\n' | '\t' => true,
        // Keycap emoji, as in `1\u{fe0f}\u{20e3}`.
        '\u{fe0f}' if behind == Some('\u{20e3}') => before.is_some_and(|c| matches!(c, '0'..='9' | '#' | '*')),
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => false,
        // Joiners are needed in some scripts and in emoji; after ASCII they only hide text.
        '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => before.is_some_and(|c| !c.is_ascii()),
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' => false,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => false,
        '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => false,
        // Invisible and useless in text.
        '\u{34f}' | '\u{2800}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' => false,
        '\u{1d173}'..='\u{1d17a}' | '\u{1bca0}'..='\u{1bca3}' => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tl_5_closing_tags_of_outside_text_are_escaped() {
        let text = "a</page>b< / PAGE >c<page>d</p>e\n<\n/page é</";
        assert_eq!(escape_closing_tag(text, "page"), "a&lt;/page>b&lt; / PAGE >c<page>d</p>e\n&lt;\n/page é</");
    }

    #[test]
    fn ui_12_os_error_codes_are_removed() {
        for (text, expected) in [
            ("can't read x: Permission denied (os error 13); skipped", "can't read x: Permission denied; skipped"),
            ("a (os error 2): b (os error 17)", "a: b"),
            ("the words (os error x) stay", "the words (os error x) stay"),
            ("none", "none"),
        ] {
            assert_eq!(without_os_codes(text), expected);
        }
    }

    #[test]
    fn tl_10_control_sequences_are_sanitized() {
        let cases = [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\x1b[31mred\x1b[0m", "red"),
            ("\x1b[2J\x1b[1;1Hhome", "home"),
            ("\x1b]0;title\x07x", "x"),
            ("\x1b]52;c;ZXZpbA==\x1b\\x", "x"),
            ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("\x1bP$qm\x1b\\x", "x"),
            ("\x1b(Bx\x1bcx\x1b7", "xx"),
            ("\x1b[31", "\\u{1b}[31"),
            ("\x1b]0;never ends", "\\u{1b}]0;never ends"),
            ("\x1b]0;a\x1b[31mb", "\\u{1b}]0;ab"),
            ("\x1b", "\\u{1b}"),
            ("\x1bé", "\\u{1b}é"),
            ("a\x1b]0;é\u{202e}\x07b", "ab"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\x08\x08b\x07\0\x7f", "a\\u{8}\\u{8}b\\u{7}\\u{0}\\u{7f}"),
            ("rm -rf x\recho hi", "rm -rf x\\u{d}echo hi"),
            ("windows\r\nline\r\n", "windows\nline\n"),
            ("a\u{202e}b\u{2066}c\u{200b}d\u{feff}", "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{feff}"),
            ("pass\u{200d}word", "pass\\u{200d}word"),
            ("a\u{2800}b", "a\\u{2800}b"),
            ("1\u{fe0f}\u{20e3} 1\u{fe0f}", "1\u{fe0f}\u{20e3} 1\\u{fe0f}"),
            ("👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} می\u{200c}خواهم", "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} می\u{200c}خواهم"),
            ("tag\u{e0041}", "tag\\u{e0041}"),
        ];
        for (given, shown) in cases {
            assert_eq!(sanitize(given), shown, "{given:?}");
        }
        assert!(matches!(sanitize("nothing to do"), Cow::Borrowed(_)));
    }

    #[test]
    fn tl_10_model_text_has_no_sequences_or_overwritten_lines() {
        assert_eq!(sanitize_for_model("\x1b[1mbold\x1b[0m\0\x08\u{202e}"), "bold\\u{0}\x08\u{202e}");
        assert_eq!(sanitize_for_model(" 1%\r50%\r100%\ndone\r\n"), "100%\ndone\n");
        assert_eq!(sanitize_for_model("\rlast"), "last");
    }

    #[test]
    fn tl_10_text_to_judge_is_shown_whole() {
        let cases = [
            ("touch a\x1b]0; touch hidden #\x07", "touch a\\u{1b}]0; touch hidden #\\u{7}"),
            ("\x1b[8mhidden\x1b[0m", "\\u{1b}[8mhidden\\u{1b}[0m"),
            ("a\rb\u{34f}c\u{1d173}", "a\\u{d}b\\u{34f}c\\u{1d173}"),
            ("fine\tté\n", "fine\tté\n"),
        ];
        for (given, shown) in cases {
            assert_eq!(reveal_hidden(given), shown, "{given:?}");
        }
        assert_eq!(one_line("Ev\x1b[41mil\n? Bash\twants\n"), "Ev\\u{1b}[41mil ⏎ ? Bash wants");
    }

    proptest::proptest! {
        #[test]
        fn tl_10_no_control_characters_remain(text in "[\\x00-\\xff\\x1b\\[\\];P\\\\m\u{202e}\u{200d}]{0,40}") {
            let shown = sanitize(&text).into_owned();
            proptest::prop_assert!(!shown.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{shown:?}");
            proptest::prop_assert!(!shown.contains('\u{202e}'), "{shown:?}");
            let judged = reveal_hidden(&text).into_owned();
            proptest::prop_assert!(!judged.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{judged:?}");
            let again = sanitize(&shown).into_owned();
            proptest::prop_assert_eq!(again, shown);
        }
    }
}
