//! PR-5: parsing terminates on any input, and damage to a line never hides a command.

use cutonce_core::shell::{CommandVerdict, canonical_text, parse};
use proptest::prelude::*;

const LINES: &[&str] = &[
    "echo \"${x:-$(rm y)}\" `rm z` <(rm a) >(rm b)",
    "if a; then b; elif c; then d; else e; fi > f 2>&1",
    "for f in *.rs; do sed -i 's/a/b/' \"$f\"; done",
    "cat <<EOF | tee f\n$(rm x) ${y:-`z`}\nEOF\nls",
    "case $x in a|b) ls;; $(c)) d;; esac",
    "x=(1 2 $(y)) z[1]=2 env A=b timeout 5 sh -c 'rm x; ls'",
    "[[ -f x && $y =~ ^(a|b)$ || ( -n $z ) ]] && (( i++ ))",
    "f() { ls; }; f | while read -r l; do echo \"$l\"; done < x",
    "find . -name '*.o' -exec rm {} + -o -print0 | xargs -0 -I{} cp {} d",
    "git -c a=b log --output=x; awk '{print $1}' | sort -uo y",
    "echo $'\\x72m' \\\n {a,b} ~/x ${!y} ${z@P} $((1+2)) $[3]",
    "cd a && cd .. && rm -rf \"$PWD\" & coproc cat <<< 'x'",
];

/// A line with a piece removed, inserted or duplicated.
fn mutated() -> impl Strategy<Value = String> {
    let pieces = [
        "'", "\"", "`", "$(", ")", "(", "{", "}", "<<A\n", "\n", "\\", ";", "&", "|", ">", "<(", "${", "[[", "]]", "é",
        "\u{202e}", "#", "$'", "=", "((", "\t",
    ];
    (
        prop::sample::select(LINES),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        prop::sample::select(pieces.to_vec()),
        0..3,
    )
        .prop_map(|(line, a, b, piece, how)| {
            let chars: Vec<char> = line.chars().collect();
            let (a, b) = (a.index(chars.len()), b.index(chars.len()));
            let (from, to) = (a.min(b), a.max(b));
            let text = |chars: &[char]| chars.iter().collect::<String>();
            match how {
                0 => text(&chars[..from]) + &text(&chars[to..]),
                1 => text(&chars[..from]) + piece + &text(&chars[from..]),
                _ => text(&chars[..to]) + &text(&chars[from..]),
            }
        })
}

/// Syntax in which a command runs, in any surroundings.
const HOLES: &[&str] = &[
    "echo $(@)",
    "echo \"$(@)\"",
    "echo `@`",
    "cat <(@)",
    "ls > >(@)",
    " ( @ )",
    "{ @; }",
    "ls; @",
    "ls && @",
    "ls | @",
    "@ | ls",
    "if @; then ls; fi",
    "for i in 1; do @; done",
    "case a in a) @;; esac",
    "echo ${x:-$(@)}",
    "echo \"${x:-$(@)}\"",
    "echo \"${x:-`@`}\"",
    "x=$(@)",
    "x=(a $(@))",
    "cat <<E\n$(@)\nE",
    "cat <<-E\n\t$(@)\n\tE",
    "cat <<< $(@)",
    "[[ -n $(@) ]]",
    "env @",
    "timeout 5 @",
    "sh -c '@'",
    "eval '@'",
    "f() { @; }",
    "! @",
    "time @",
    "ls $(ls $(@))",
    "echo ${x/a/$(@)}",
    "echo ${x%$(@)}",
    "ls & @",
    "while @; do ls; done",
    "ls\n@",
    "ls # c\n@",
    "cat <<'A'\n$(no)\nA\n@",
    "echo 'a' \"b\" $(@) 'c'",
    "echo \\\n$(@)",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pr_5_any_text(text in "\\PC{0,60}") {
        parse(&text);
        canonical_text(&text);
    }

    #[test]
    fn pr_5_any_bytes_of_syntax(text in "[ a-c$(){}\\[\\]<>|&;`'\"\\\\#=!*?~\n-]{0,40}") {
        parse(&text);
    }

    #[test]
    fn pr_5_damaged_lines(line in mutated()) {
        parse(&line);
    }

    /// A command inside two nested places is found, or the line is unparsed; it is never missed.
    #[test]
    fn pr_5_hidden_commands_are_found(a in prop::sample::select(HOLES), b in prop::sample::select(HOLES)) {
        // Backticks and quotes don't nest without escapes.
        prop_assume!(!["`", "'"].iter().any(|quote| a.contains(quote) && b.contains(quote)));
        let line = a.replace('@', &b.replace('@', "evil"));
        let parsed = parse(&line);
        let found = parsed.parts.iter().any(|part| part.verdict == CommandVerdict::Unknown && part.text.contains("evil"));
        prop_assert!(found || parsed.unparsed.is_some(), "{}: {:?}", line, parsed);
    }

    /// The canonical spelling is stable.
    #[test]
    fn pr_5_one_spelling(words in prop::collection::vec("[ a-z$'\"\\\\*;é=-]{1,8}", 1..4)) {
        let quoted: Vec<String> = words.iter().map(|w| format!("'{}'", w.replace('\'', "'\\''"))).collect();
        if let Some(first) = canonical_text(&format!("prog {}", quoted.join(" "))) {
            prop_assert_eq!(canonical_text(&first), Some(first));
        } else {
            prop_assert!(false, "not one part: {:?}", quoted);
        }
    }
}
