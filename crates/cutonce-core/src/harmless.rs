//! Text from outside made fit to be shown (TL-10): nothing in it can move the cursor, set the clipboard, change
//! the order of letters, or hide.

use std::borrow::Cow;
use std::fmt::Write;

/// For a terminal or a dialog: escape sequences are dropped; control characters, and characters that are
/// invisible or turn the direction of text, are shown as `\u{..}`. Newlines and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    clean(text, is_shown)
}

/// For what somebody has to judge: nothing is left out. Escape sequences are shown as text, all else as by [`harmless`].
pub fn visible(text: &str) -> Cow<'_, str> {
    match text.contains('\x1b') {
        // As text it is no sequence any more.
        true => Cow::Owned(harmless(&text.replace('\x1b', "\\u{1b}")).into_owned()),
        false => harmless(text),
    }
}

/// [`visible`] on one line, for names and titles: line ends are shown as `⏎`, tabs as spaces.
pub fn one_line(text: &str) -> String {
    visible(text.trim_end()).replace('\n', " ⏎ ").replace('\t', " ")
}

/// For the model: overwritten lines and escape sequences are dropped, NUL is shown; the rest stays as printed.
pub fn for_model(text: &str) -> Cow<'_, str> {
    match settled(text) {
        Cow::Borrowed(text) => clean(text, |c, _, _| !matches!(c, '\0' | '\x1b')),
        Cow::Owned(text) => Cow::Owned(clean(&text, |c, _, _| !matches!(c, '\0' | '\x1b')).into_owned()),
    }
}

/// What is left to see of lines that were overwritten by carriage returns, as progress bars do. Not for what
/// somebody has to judge: it hides what was overwritten.
pub fn settled(text: &str) -> Cow<'_, str> {
    if !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let last = |line: &'_ str| line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default().to_string();
    Cow::Owned(text.split('\n').map(last).collect::<Vec<_>>().join("\n"))
}

/// Drops whole escape sequences and shows what `stays` refuses; it is given a character, the one before and the one behind.
fn clean(text: &str, stays: impl Fn(char, Option<char>, Option<char>) -> bool) -> Cow<'_, str> {
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
            '\x1b' => sequence(rest.as_bytes()),
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

/// The length of the escape sequence at the start, if it is complete. A sequence ends with an ASCII byte, so
/// this is a border between characters.
fn sequence(bytes: &[u8]) -> Option<usize> {
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
        // The keys of a telephone, as in `1\u{fe0f}\u{20e3}`.
        '\u{fe0f}' if behind == Some('\u{20e3}') => before.is_some_and(|c| matches!(c, '0'..='9' | '#' | '*')),
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => false,
        // Joiners belong between letters of scripts that need them and in emoji; between ASCII they only hide.
        '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => before.is_some_and(|c| !c.is_ascii()),
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' => false,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => false,
        '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => false,
        // Invisible and of no use in text.
        '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' => false,
        '\u{1d173}'..='\u{1d17a}' | '\u{1bca0}'..='\u{1bca3}' => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tl_10_control_sequences_are_made_harmless() {
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
            ("1\u{fe0f}\u{20e3} 1\u{fe0f}", "1\u{fe0f}\u{20e3} 1\\u{fe0f}"),
            ("👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} می\u{200c}خواهم", "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} می\u{200c}خواهم"),
            ("tag\u{e0041}", "tag\\u{e0041}"),
        ];
        for (given, shown) in cases {
            assert_eq!(harmless(given), shown, "{given:?}");
        }
        assert!(matches!(harmless("nothing to do"), Cow::Borrowed(_)));
    }

    #[test]
    fn tl_10_the_model_gets_what_was_printed_without_sequences_and_overwritten_lines() {
        assert_eq!(for_model("\x1b[1mbold\x1b[0m\0\x08\u{202e}"), "bold\\u{0}\x08\u{202e}");
        assert_eq!(for_model(" 1%\r50%\r100%\ndone\r\n"), "100%\ndone\n");
        assert_eq!(for_model("\rlast"), "last");
    }

    #[test]
    fn tl_10_what_is_judged_is_shown_whole() {
        let cases = [
            ("touch a\x1b]0; touch hidden #\x07", "touch a\\u{1b}]0; touch hidden #\\u{7}"),
            ("\x1b[8mhidden\x1b[0m", "\\u{1b}[8mhidden\\u{1b}[0m"),
            ("a\rb\u{34f}c\u{1d173}", "a\\u{d}b\\u{34f}c\\u{1d173}"),
            ("fine\tté\n", "fine\tté\n"),
        ];
        for (given, shown) in cases {
            assert_eq!(visible(given), shown, "{given:?}");
        }
        assert_eq!(one_line("Ev\x1b[41mil\n? Bash\twants\n"), "Ev\\u{1b}[41mil ⏎ ? Bash wants");
    }

    proptest::proptest! {
        #[test]
        fn tl_10_nothing_controlling_is_left(text in "[\\x00-\\xff\\x1b\\[\\];P\\\\m\u{202e}\u{200d}]{0,40}") {
            let shown = harmless(&text).into_owned();
            proptest::prop_assert!(!shown.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{shown:?}");
            proptest::prop_assert!(!shown.contains('\u{202e}'), "{shown:?}");
            let judged = visible(&text).into_owned();
            proptest::prop_assert!(!judged.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{judged:?}");
            let again = harmless(&shown).into_owned();
            proptest::prop_assert_eq!(again, shown);
        }
    }
}
