use super::*;
use crate::render::theme::{ColourDepth, ThemeName};
use proptest::prelude::*;

fn shown(lines: &[Line<'_>]) -> String {
    lines.iter().map(|line| text::plain_text(line).trim_end().to_string()).collect::<Vec<_>>().join("\n")
}

/// A deadline that no test reaches.
fn soon(highlighter: &Highlighter) -> CodeHighlighting<'_> {
    CodeHighlighting { highlighter, deadline: Instant::now() + std::time::Duration::from_secs(120) }
}

fn check(source: &str, width: usize, expected: &str) {
    assert_eq!(shown(&render(source, width, &Theme::default())), expected.trim_matches('\n'), "{source}");
}

#[test]
fn ui_2_headings_lists_quotes_and_code() {
    check(
        "# Title\nSome *words* and `code`.\nMore.\n\n- one\n- two\n  - inner item that is long\n- three\n\n1. first\n2. second\n\n> quoted\n> text\n\n```rust\nfn main() {\n\tprintln!();\n}\n```\nend",
        24,
        "
Title

Some words and code.
More.

• one
• two
  • inner item that is
    long
• three

1. first
2. second

│ quoted text

  fn main() {
      println!();
  }

end
",
    );
}

#[test]
fn ui_2_blocks_directly_below_item_text() {
    check(
        "1. Run these:\n   | a | b |\n   |---|---|\n   | c | d |\n",
        30,
        "1. Run these:\n   a │ b\n   ──┼──\n   c │ d",
    );
    check("- | a | b |\n  |---|---|\n  | c | d |\n", 30, "• a │ b\n  ──┼──\n  c │ d");
    check("- words\n  > quote\n", 30, "• words\n  │ quote");
    check("- words\n  # Title\n", 30, "• words\n  Title");
    check("- words\n  ***\n", 12, "• words\n  ──────────");
    check("- words\n  <div>\n", 30, "• words\n  <div>");
    check("- words\n  ```\n  code\n  ```\n", 30, "• words\n    code");
}

/// PM-74: the user must not approve a link target that was hidden.
#[test]
fn pm_74_link_targets_are_shown_unless_equal_to_text() {
    check("[sh](https://e.example/install.sh)", 60, "sh (https://e.example/install.sh)");
    check("[m](https://e.com)", 60, "m (https://e.com)");
    check("[a **e.com**](https://e.com)", 60, "a e.com (https://e.com)");
    check("[https://e.com](https://e.com)", 60, "https://e.com");
    check("<https://e.com> <me@e.com>", 60, "https://e.com me@e.com");
}

#[test]
fn ui_2_loose_lists_rules_tasks_and_links() {
    check(
        "- a\n\n- b\n\n  para\n\n---\n- [x] done\n- [ ] not\n\n[here](https://a.example/x) <https://b.example> ![pic](p.png)\n",
        60,
        "
• a

• b

  para

────────────────────────────────────────

• [x] done
• [ ] not

here (https://a.example/x) https://b.example image: pic (p.png)
"
        .replace("pic (p.png)", "pic\n(p.png)")
        .as_str(),
    );
}

#[test]
fn ui_2_tables_fit_the_screen() {
    let table = "| reader | keys | file |\n|---|--:|---|\n| web | 2 | src/session.rs:131 |\n| 移动 gateway | 1 | gateway/auth.rs:57 |\n";
    check(
        table,
        60,
        "
reader       │ keys │ file
─────────────┼──────┼───────────────────
web          │    2 │ src/session.rs:131
移动 gateway │    1 │ gateway/auth.rs:57
",
    );
    check(
        table,
        30,
        "
reader     │ keys │ file
───────────┼──────┼───────────
web        │    2 │ src/sessio
           │      │ n.rs:131
移动       │    1 │ gateway/au
gateway    │      │ th.rs:57
",
    );
    check(
        table,
        18,
        "
reader: web
keys: 2
file:
  src/session.rs:1
  31

reader: 移动
  gateway
keys: 1
file:
  gateway/auth.rs:
  57
",
    );
}

#[test]
fn tl_10_entities_and_controls_are_escaped() {
    check(
        "a&#27;[2Jb&#8238;c&#9;d &#10; \x1b[31mred\x1b[0m \x1b]0;t\x07",
        80,
        "a\\u{1b}[2Jb\\u{202e}c d   \\u{1b}[31mred\\u{1b}[0m \\u{1b}]0;t\\u{7}",
    );
    check("```\n\x1b[2J\u{200b}\n```", 80, "  \\u{1b}[2J\\u{200b}");
}

#[test]
fn ui_2_finished_rows_never_change() {
    let mut stream = MarkdownStream::new(40, Theme::default());
    stream.push("First paragraph.\n\nSecond **bo");
    assert_eq!(shown(&stream.take_finished()), "First paragraph.");
    assert_eq!(shown(&stream.tail(10)), "\nSecond **bo");
    stream.push("ld**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
    assert_eq!(shown(&stream.take_finished()), "\nSecond bold");
    assert_eq!(shown(&stream.take_finished()), "");
    assert_eq!(shown(&stream.tail(10)), "\na │ b\n──┼──\n1 │ 2");
    stream.push("| 3 | 4 |\n\n```sh\nls\nls -");
    assert_eq!(shown(&stream.take_finished()), "\na │ b\n──┼──\n1 │ 2\n3 │ 4\n\n  ls");
    assert_eq!(shown(&stream.tail(10)), "  ls -");
    stream.push("l\n```\n");
    assert_eq!(shown(&stream.finish()), "  ls -l");
    assert_eq!(shown(&stream.tail(3)), "");
}

#[test]
fn ui_2_code_waits_for_colours_in_order() {
    let highlighter = Highlighter::new(|| {});
    let theme = Theme::new(ThemeName::Dark, ColourDepth::True);
    let source = "Before\n\n```rust\nfn main() {}\n// done\n```\nAfter";
    let rows = render_highlighted(source, 40, &theme, soon(&highlighter));
    assert_eq!(shown(&rows), "Before\n\n  fn main() {}\n  // done\n\nAfter");
    assert!(rows[2].spans.iter().any(|span| span.style.fg.is_some()), "{:?}", rows[2]);
    let unknown = render_highlighted("```whatever\na\n```", 40, &theme, soon(&highlighter));
    assert_eq!(shown(&unknown), "  a");
}

#[test]
fn ui_2_code_in_items_and_quotes_is_highlighted() {
    let highlighter = Highlighter::new(|| {});
    let theme = Theme::new(ThemeName::Dark, ColourDepth::True);
    let source = "1. Do:\n\n   ```rust\n   fn a() {}\n   ```\n   - inner\n     ```rust\n     fn b() {}\n       x\n     ```\n\n> ```rust\n> fn c() {}\n> ```\n";
    let rows = render_highlighted(source, 40, &theme, soon(&highlighter));
    let wanted = "1. Do:\n\n     fn a() {}\n   • inner\n       fn b() {}\n         x\n\n│   fn c() {}";
    assert_eq!(shown(&rows), wanted);
    for name in ["a()", "b()", "c()"] {
        let row = rows.iter().find(|row| text::plain_text(row).contains(name)).unwrap();
        let colours: std::collections::HashSet<_> = row.spans.iter().filter_map(|span| span.style.fg).collect();
        assert!(colours.len() > 1, "{row:?}");
    }
}

#[test]
fn ui_2_long_finished_messages_are_fully_highlighted() {
    let highlighter = Highlighter::new(|| {});
    let theme = Theme::new(ThemeName::Dark, ColourDepth::True);
    let source = format!("```rust\n{}```\n", "let a = \"b\";\n".repeat(2 * MAX_WAITING_LINES));
    let rows = render_highlighted(&source, 40, &theme, soon(&highlighter));
    assert_eq!(rows.len(), 2 * MAX_WAITING_LINES);
    assert!(rows.iter().all(|row| row.spans.len() > 2), "a row is plain");
}

/// Rows inside an item are finished as soon as they can't change. The tail says how many rows it leaves out.
#[test]
fn ui_1_long_items_flow_line_by_line() {
    let mut stream = MarkdownStream::new(40, Theme::default());
    stream.push("1. Do this step:\n   ```sh\n");
    let mut rows = stream.take_finished();
    for n in 0..60 {
        stream.push(&format!("   line {n}\n"));
        let now = stream.take_finished();
        assert_eq!(shown(&now), format!("     line {n}"));
        assert!(stream.tail(10).is_empty());
        rows.extend(now);
    }
    stream.push("   ```\n   - one\n   - two\n   - thr");
    rows.extend(stream.take_finished());
    assert_eq!(shown(&rows[61..]), "   • one");
    assert_eq!(shown(&stream.tail(10)), "   • two\n   • thr");
    assert_eq!(shown(&rows[..3]), "1. Do this step:\n     line 0\n     line 1");
    // A mark that opened at the start may still be closed.
    let mut stream = MarkdownStream::new(10, Theme::default());
    let words: Vec<String> = (0..30).map(|n| format!("word {n:04}")).collect();
    stream.push(&format!("*{}", words.join(" ")));
    assert_eq!(shown(&stream.take_finished()), "");
    let tail = stream.tail(4);
    assert_eq!(shown(&tail), "… 27 rows…\nword 0027\nword 0028\nword 0029");
    assert_eq!(shown(&stream.tail(1)), "word 0029");
    assert_eq!(stream.finish().len(), 30);
}

#[test]
fn ui_1_long_paragraphs_flow_row_by_row() {
    let words: String = (0..60).map(|n| format!("word{n:02} ")).collect();
    for before in ["", "- ", "> 1. "] {
        let mut stream = MarkdownStream::new(30, Theme::default());
        stream.push(&format!("{before}**Bold** and `code`, {words}"));
        let mut rows = stream.take_finished();
        assert!(rows.len() > 12 && stream.tail(9).len() < 6, "{rows:?} {:?}", stream.tail(9));
        // The window gets narrower in the middle.
        stream.resize(20);
        stream.push("end.\n\nAfter");
        rows.extend(stream.finish());
        let told = shown(&rows).replace(['│', '•'], "");
        let told: Vec<&str> = told.split_whitespace().filter(|word| *word != "1.").collect();
        let wanted = format!("Bold and code, {words}end. After");
        assert_eq!(told, wanted.split_whitespace().collect::<Vec<_>>());
    }
    // There is no split where it would change the meaning.
    let held = ["**a ", "see [a ", "`a ", "a (b ", "| a ", "_a ", "<a "];
    for begin in held {
        let mut stream = MarkdownStream::new(30, Theme::default());
        stream.push(&format!("{begin}{words}"));
        assert!(stream.take_finished().is_empty(), "{begin}");
    }
}

#[test]
fn ui_2_link_definitions_and_headless_cells_stay_source() {
    check(
        "See [docs][1] and [x].\n\n[1]: https://example.org/a_b_c*d*\n[1]: https://other.example 'twice'\n[x]: <http://x>\nwords",
        60,
        "See [docs][1] and [x].\n\n[1]: https://example.org/a_b_c*d*\n[1]: https://other.example 'twice'\n[x]: <http://x>\nwords",
    );
    check("- item\n\n  [1]: https://e.example\n", 60, "• item\n\n  [1]: https://e.example");
    check(
        "words\n| a | b |\n|---|---|\n| `x | y` | *what* |\n\nafter",
        60,
        "words\n\n| a | b |\n|---|---|\n| `x | y` | *what* |\n\nafter",
    );
    check("| a | b |\n|---|---|\n| 1 | 2 | third words |\n", 60, "| a | b |\n|---|---|\n| 1 | 2 | third words |");
    // Hostile input: more definitions than there are passes.
    let many = "[a]: b\n".repeat(40);
    check(&many, 60, &many);
}

#[test]
fn ui_2_items_are_numbered_like_commonmark() {
    check("1. a\n1. b\n\n   more\n1. c\n", 30, "1. a\n2. b\n\n   more\n3. c");
    check("4. a\n4. b\n\nwords\n\n7. c\n1) d\n1) e", 30, "4. a\n5. b\n\nwords\n\n7. c\n1. d\n2. e");
    check("1. a\n   1. x\n   1. y\n1. b\n   1. z\n", 30, "1. a\n   1. x\n   2. y\n2. b\n   1. z");
    check("1. a\n\n```\ncode\n```\n\n2. b\n", 30, "1. a\n\n  code\n\n2. b");
}

#[test]
fn ui_2_sloppy_nesting_is_understood() {
    check("1. a\n  - b\n    - c\n  - d\n2. e\n", 30, "1. a\n   • b\n     • c\n   • d\n2. e");
    check("-\ta\n\t- b\n\t\t- c\n", 30, "• a\n  • b\n    • c");
    check("- a\nlazy\n\n> q\nlazy too\n", 30, "• a lazy\n\n│ q lazy too");
    check("1. a\n   ```sh\nunindented\n   ```\n2. b\n", 30, "1. a\n     unindented\n2. b");
    check("- | a |\n  |---|\n  | b |\nafter\n", 30, "• a\n  ─\n  b\n\nafter");
    check("-\n- b\n\n>\n", 30, "•\n• b");
}

#[test]
fn ui_12_delta_cost_is_independent_of_message_length() {
    let mut stream = MarkdownStream::new(80, Theme::default());
    for n in 0..2_000 {
        stream.push(&format!("Paragraph {n} with `code` and **bold** words in it.\n\n"));
        stream.take_finished();
        assert!(stream.open_source.len() + stream.partial_line.len() < 200 && stream.containers.depth() == 0);
        assert!(stream.finished.is_empty());
    }
    // An endless paragraph is split.
    for _ in 0..2_000 {
        stream.push("endless words without any line end ");
        assert!(stream.open_source.len() + stream.partial_line.len() <= 2 * MAX_UNIT_SIZE);
    }
}

fn source() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("".to_string()),
        "[a-z `*_#>|\\-]{0,20}",
        prop::sample::select(vec![
            "# h",
            "- item",
            "  - inner",
            "   ```sh",
            "     code in it",
            "1. one",
            "   more of it",
            "> - q",
            "- [x] task",
            "| 1 | 2 | 3 |",
            "2) two",
            "> q",
            "```",
            "```rust",
            "~~~",
            "| a | b |",
            "|---|---|",
            "| 1 | 2 |",
            "---",
            "===",
            "    code",
            "  more",
            "\ttab",
            "<div>",
            "[x]: http://a",
            "&#27;[1m",
            "\x1b[2J",
            "\u{202e}",
            "一二三四五六",
        ])
        .prop_map(str::to_string),
        prop::collection::vec("[*_`(\\[]?[a-z]{1,7}[*_`)\\].]?", 20..60).prop_map(|words| words.join(" ")),
        prop::collection::vec("[a-z]{1,7}", 20..60).prop_map(|words| format!("1. {}", words.join(" "))),
        any::<String>(),
    ];
    prop::collection::vec(line, 0..14).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn ui_2_rendering_is_independent_of_chunking(source in source(), cuts in prop::collection::vec(1usize..9, 0..60)) {
        let whole = render(&source, 30, &Theme::default());
        let mut stream = MarkdownStream::new(30, Theme::default());
        let mut rows = Vec::new();
        let mut rest = source.as_str();
        for cut in cuts {
            let (piece, others) = rest.split_at(rest.floor_char_boundary(cut.min(rest.len())));
            stream.push(piece);
            stream.tail(20);
            rows.extend(stream.take_finished());
            rest = others;
        }
        stream.push(rest);
        rows.extend(stream.finish());
        prop_assert_eq!(shown(&rows), shown(&whole));
    }

    /// Finished rows and tail together are always the whole message, also after a resize.
    #[test]
    fn ui_1_finished_rows_plus_tail_are_complete(source in source(), cuts in prop::collection::vec(1usize..9, 0..60), width in 12usize..40) {
        let mut stream = MarkdownStream::new(30, Theme::default());
        let (mut rows, mut at) = (Vec::new(), 0);
        for cut in cuts {
            let to = source.ceil_char_boundary((at + cut).min(source.len()));
            stream.push(&source[at..to]);
            at = to;
            rows.extend(stream.take_finished());
            let now: Vec<Line<'static>> = rows.iter().cloned().chain(stream.tail(usize::MAX)).collect();
            let whole = render(&source[..at], 30, &Theme::default());
            let (now, whole) = (shown(&now), shown(&whole));
            prop_assert_eq!(now.trim_end(), whole.trim_end());
        }
        stream.resize(width);
        stream.push(&source[at..]);
        rows.extend(stream.finish());
        // A table may be drawn differently when narrow.
        let words = |rows: &[Line<'_>]| rows.iter().map(text::plain_text).collect::<String>().replace([' ', '│', '─'], "");
        if !source.contains('|') {
            prop_assert_eq!(words(&rows), words(&render(&source, 30, &Theme::default())));
        }
    }

    #[test]
    fn tl_10_any_markdown_renders_safely_within_width(source in source(), width in 1usize..70) {
        for row in render(&source, width, &Theme::default()) {
            prop_assert!(text::line_width(&row) <= width, "{row:?}");
            prop_assert!(!text::plain_text(&row).chars().any(|c| c.is_control() || c == '\u{202e}'), "{row:?}");
        }
    }
}
