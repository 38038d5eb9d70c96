use super::*;
use proptest::prelude::*;

fn rows(text: &str, columns: usize) -> Vec<String> {
    wrap(&Line::raw(text.to_string()), columns, &RowPrefix::default()).iter().map(plain_text).collect()
}

#[test]
fn tl_10_control_sequences_are_made_visible() {
    let cases = [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred\x1b[0m", "\\u{1b}[31mred\\u{1b}[0m"),
        ("\x1b[2J\x1b[1;1Hhome", "\\u{1b}[2J\\u{1b}[1;1Hhome"),
        ("\x1b]52;c;ZXZpbA==\x07", "\\u{1b}]52;c;ZXZpbA==\\u{7}"),
        ("rm x\recho", "rm x\\u{d}echo"),
        ("a\u{202e}b\u{200b}c\u{34f}", "a\\u{202e}b\\u{200b}c\\u{34f}"),
        ("\x1b", "\\u{1b}"),
        ("\x1b[3", "\\u{1b}[3"),
    ];
    for (given, shown) in cases {
        assert_eq!(visible(given), shown, "{given:?}");
    }
    assert_eq!(visible(&strip_colours("\x1b[31mred\x1b[0m \x1b[Kok \x1b[2J")), "red ok \\u{1b}[2J");
    let pile = format!("e{}x", "\u{301}".repeat(5_000));
    assert_eq!(visible(&pile), format!("e{}\\u{{…}}x", "\u{301}".repeat(8)));
    assert_eq!(from_bytes(b"a\xffb"), "a\u{fffd}b");
}

#[test]
fn ui_2_lines_wrap_between_words_by_width() {
    assert_eq!(rows("one two three", 8), ["one two", "three"]);
    assert_eq!(rows("一二三四五", 5), ["一二", "三四", "五"]);
    assert_eq!(rows("abcdefghij", 4), ["abcd", "efgh", "ij"]);
    assert_eq!(rows("go abcdefghij", 4), ["go", "abcd", "efgh", "ij"]);
    assert_eq!(rows("    indented text", 10), ["    indent", "ed text"]);
    assert_eq!(rows("", 10), [""]);
    assert_eq!(rows("e\u{301}e\u{301}e\u{301}", 2), ["e\u{301}e\u{301}", "e\u{301}"]);
    assert_eq!(rows("👨\u{200d}👩\u{200d}👧👨\u{200d}👩\u{200d}👧", 2).len(), 2);
    let prefix = RowPrefix { first: vec![Span::raw("• ")], next: vec![Span::raw("  ")] };
    let listed: Vec<_> = wrap(&Line::raw("one two three"), 7, &prefix).iter().map(plain_text).collect();
    assert_eq!(listed, ["• one", "  two", "  three"]);
}

#[test]
fn ui_2_truncation_keeps_whole_characters() {
    assert_eq!(fit("abcdef", 4), "abc…");
    assert_eq!(fit("一二三", 4), "一…");
    assert_eq!(fit("abc", 0), "");
    assert_eq!(fit_end("/a/long/path.rs", 8), "…path.rs");
    assert_eq!(pad_to("ab", 4), "ab  ");
    assert_eq!(truncate_chars("abcdef", 2), "ab… 4 more characters");
    assert_eq!(expand_tabs("a\tb\tc", 0), "a   b   c");
}

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ -~]{0,12}",
        "\\PC{0,6}",
        any::<String>(),
        prop::collection::vec(any::<u8>(), 0..12).prop_map(|bytes| from_bytes(&bytes).into_owned()),
        prop::sample::select(vec![
            "\x1b[31m",
            "\x1b]0;t\x07",
            "\x1b[2J",
            "\u{202e}",
            "\u{2066}",
            "\u{200b}",
            "\u{200d}",
            "\u{feff}",
            "\u{9b}31m",
            "\r",
            "\r\n",
            "\t",
            "\0",
            "\u{301}\u{301}\u{301}",
            "👨\u{200d}👩\u{200d}👧",
            "ﷺ",
            "한국어",
            "\u{e0041}",
            "\u{fe0f}",
        ])
        .prop_map(str::to_string),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn tl_10_wrapped_rows_are_safe_and_fit(text in hostile(), columns in 1usize..50) {
        for row in wrap_plain(&text, columns, Style::default()) {
            prop_assert!(!plain_text(&row).chars().any(char::is_control), "{row:?}");
            prop_assert!(!plain_text(&row).contains(['\u{202e}', '\u{2066}', '\u{200b}']), "{row:?}");
            prop_assert!(line_width(&row) <= columns, "{row:?}");
        }
        prop_assert!(width(&fit(&one_line(&text), columns)) <= columns);
        prop_assert!(width(&fit_end(&one_line(&text), columns)) <= columns);
        prop_assert_eq!(width(&pad_to(&one_line(&text), columns)), columns);
        prop_assert!(!one_line(&text).chars().any(char::is_control));
    }

    #[test]
    fn ui_2_wrapping_only_drops_spaces(text in "[a-z一二 ]{0,80}", columns in 2usize..20) {
        let joined: String = rows(&text, columns).concat().replace(' ', "");
        prop_assert_eq!(joined, text.replace(' ', ""));
    }
}

#[test]
fn tl_10_megabyte_line_is_wrapped_and_bounded() {
    let line = "x\u{202e}".repeat(500_000);
    assert_eq!(truncate_chars(&line, 100).chars().take(100).count(), 100);
    let rows = wrap_plain(&line, 80, Style::default());
    assert!(rows.iter().all(|row| line_width(row) <= 80));
}
