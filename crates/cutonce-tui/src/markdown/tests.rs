use super::*;
use crate::theme::{Depth, Name};
use proptest::prelude::*;

fn shown(lines: &[Line<'_>]) -> String {
    lines.iter().map(|line| text::plain(line).trim_end().to_string()).collect::<Vec<_>>().join("\n")
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
fn ui_2_blocks_right_below_an_items_words_leave_them_whole() {
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

/// PM-74: an address that nobody saw would be approved with the plan.
#[test]
fn pm_74_a_link_hides_no_address_but_one_that_is_its_words() {
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
fn tl_10_entities_and_controls_do_no_harm() {
    check(
        "a&#27;[2Jb&#8238;c&#9;d &#10; \x1b[31mred\x1b[0m \x1b]0;t\x07",
        80,
        "a\\u{1b}[2Jb\\u{202e}c d   \\u{1b}[31mred\\u{1b}[0m \\u{1b}]0;t\\u{7}",
    );
    check("```\n\x1b[2J\u{200b}\n```", 80, "  \\u{1b}[2J\\u{200b}");
}

#[test]
fn ui_2_finished_rows_never_change_and_tables_are_held_back() {
    let mut stream = Stream::new(40, Theme::default());
    stream.push("First paragraph.\n\nSecond **bo");
    assert_eq!(shown(&stream.finished()), "First paragraph.");
    assert_eq!(shown(&stream.tail(10)), "\nSecond **bo");
    stream.push("ld**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
    assert_eq!(shown(&stream.finished()), "\nSecond bold");
    assert_eq!(shown(&stream.finished()), "");
    assert_eq!(shown(&stream.tail(10)), "\na │ b\n──┼──\n1 │ 2");
    stream.push("| 3 | 4 |\n\n```sh\nls\nls -");
    assert_eq!(shown(&stream.finished()), "\na │ b\n──┼──\n1 │ 2\n3 │ 4\n\n  ls");
    assert_eq!(shown(&stream.tail(10)), "  ls -");
    stream.push("l\n```\n");
    assert_eq!(shown(&stream.finish()), "  ls -l");
    assert_eq!(shown(&stream.tail(3)), "");
}

#[test]
fn ui_2_code_waits_for_its_colours_and_comes_in_order() {
    let highlighter = Highlighter::new(|| {});
    let theme = Theme::new(Name::Dark, Depth::True);
    let source = "Before\n\n```rust\nfn main() {}\n// done\n```\nAfter";
    let rows = render_highlighted(source, 40, &theme, &highlighter);
    assert_eq!(shown(&rows), "Before\n\n  fn main() {}\n  // done\n\nAfter");
    assert!(rows[2].spans.iter().any(|span| span.style.fg.is_some()), "{:?}", rows[2]);
    let unknown = render_highlighted("```whatever\na\n```", 40, &theme, &highlighter);
    assert_eq!(shown(&unknown), "  a");
}

#[test]
fn ui_12_a_delta_costs_the_same_however_long_the_message_is() {
    let mut stream = Stream::new(80, Theme::default());
    for n in 0..2_000 {
        stream.push(&format!("Paragraph {n} with `code` and **bold** words in it.\n\n"));
        stream.finished();
        assert!(stream.open.len() + stream.line.len() < 200);
        assert!(stream.done.is_empty());
    }
    // One paragraph without an end is cut.
    for _ in 0..2_000 {
        stream.push("endless words without any line end ");
        assert!(stream.open.len() + stream.line.len() <= 2 * LONGEST_UNIT);
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
            "1. one",
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
        any::<String>(),
    ];
    prop::collection::vec(line, 0..14).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn ui_2_however_a_message_is_cut_it_looks_the_same(source in source(), cuts in prop::collection::vec(1usize..9, 0..60)) {
        let whole = render(&source, 30, &Theme::default());
        let mut stream = Stream::new(30, Theme::default());
        let mut rows = Vec::new();
        let mut rest = source.as_str();
        for cut in cuts {
            let (piece, others) = rest.split_at(rest.floor_char_boundary(cut.min(rest.len())));
            stream.push(piece);
            stream.tail(20);
            rows.extend(stream.finished());
            rest = others;
        }
        stream.push(rest);
        rows.extend(stream.finish());
        prop_assert_eq!(shown(&rows), shown(&whole));
    }

    #[test]
    fn tl_10_no_markdown_panics_controls_or_is_too_wide(source in source(), width in 1usize..70) {
        for row in render(&source, width, &Theme::default()) {
            prop_assert!(text::line_width(&row) <= width, "{row:?}");
            prop_assert!(!text::plain(&row).chars().any(|c| c.is_control() || c == '\u{202e}'), "{row:?}");
        }
    }
}
