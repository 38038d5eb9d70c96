//! sed and awk: little languages that can write files and run programs. Only scripts that provably do neither pass.

use super::args;
use super::judge::Judged;
use super::word::Word;
use super::{PathWord, Verdict};

/// sed with a plain script reads; with `-i` it is a plain file command.
pub(super) fn sed(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-e --expression");
    let fine = "-n -E -r -e -s -z -u -i --quiet --silent --regexp-extended --expression --in-place --posix --null-data";
    // `-i.bak` reads as the letters after i.
    let in_place = args.iter().filter_map(|w| w.literal.as_deref()).any(is_in_place);
    // `--in-place=/etc/*` keeps the old content at that very path.
    let keeps = scan.values.iter().any(|(flag, suffix)| flag.starts_with("--i") && !is_suffix(suffix));
    if scan.hidden || keeps || !(scan.only(fine) || in_place_only(args)) {
        return Judged::unknown();
    }
    let mut operands = scan.operands.as_slice();
    let mut scripts: Vec<&Word> = scan.values_of("-e --expression");
    if scripts.is_empty() {
        let Some((first, rest)) = operands.split_first() else { return Judged::unknown() };
        scripts.push(first);
        operands = rest;
    }
    if !scripts.iter().all(|script| script.literal.as_deref().is_some_and(plain_sed)) {
        return Judged::unknown();
    }
    let files: Vec<PathWord> = operands.iter().filter(|w| !w.is("-")).map(|w| w.path.clone()).collect();
    match in_place {
        false => Judged::read_only().reading(files),
        true => Judged { writes: files, ..Judged::new(Verdict::FileCommand) },
    }
}

fn is_in_place(text: &str) -> bool {
    text.starts_with("--in-place")
        || (text.starts_with('-') && !text.starts_with("--") && text.split('e').next().is_some_and(|t| t.contains('i')))
}

/// `-i.bak`: the rest of the word is a suffix, which must not name a path.
fn in_place_only(args: &[Word]) -> bool {
    args.iter().filter_map(|w| w.literal.as_deref()).filter(|t| t.len() > 1 && t.starts_with('-')).all(|text| {
        let suffix = text.strip_prefix("--in-place=").or_else(|| text.strip_prefix("-i"));
        match suffix {
            Some(suffix) => is_suffix(&Word::of_literal(suffix)),
            None => matches!(text, "-n" | "-E" | "-r" | "-e" | "-s" | "-z"),
        }
    })
}

/// The end of a backup's name: no folder, and no `*` that stands for the file's own name.
fn is_suffix(word: &Word) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '~';
    word.literal.as_deref().is_some_and(|text| text.chars().all(fine))
}

/// A script of addresses, prints, deletions and substitutions; none of `w`, `r`, `e`, labels or text commands.
fn plain_sed(script: &str) -> bool {
    let mut chars = script.chars().collect::<Vec<_>>().into_iter().peekable();
    loop {
        while chars.next_if(|c| c.is_whitespace() || matches!(c, ';' | '{' | '}')).is_some() {}
        if chars.peek().is_none() {
            return true;
        }
        if !sed_address(&mut chars) {
            return false;
        }
        while chars.next_if(|c| *c == ' ' || *c == '!').is_some() {}
        let fine = match chars.next() {
            Some('p' | 'P' | 'd' | 'D' | 'n' | 'N' | 'h' | 'H' | 'g' | 'G' | 'x' | '=' | 'l') => true,
            Some('q' | 'Q') => {
                while chars.next_if(|c| *c == ' ' || c.is_ascii_digit()).is_some() {}
                true
            }
            Some('{' | '}') => continue,
            Some('s') => sed_triple(&mut chars) && sed_flags(&mut chars),
            Some('y') => sed_triple(&mut chars),
            Some(_) | None => false,
        };
        while chars.next_if(|c| *c == ' ').is_some() {}
        if !fine || !chars.peek().is_none_or(|c| matches!(c, ';' | '\n' | '}')) {
            return false;
        }
    }
}

type Chars = std::iter::Peekable<std::vec::IntoIter<char>>;

fn sed_address(chars: &mut Chars) -> bool {
    while let Some(c) = chars.peek().copied() {
        match c {
            '0'..='9' | '$' | ',' | '~' | '+' | ' ' => {
                chars.next();
            }
            '/' => {
                chars.next();
                if !sed_until(chars, '/') {
                    return false;
                }
                while chars.next_if(|c| matches!(c, 'I' | 'M')).is_some() {}
            }
            _ => return true,
        }
    }
    true
}

fn sed_triple(chars: &mut Chars) -> bool {
    let Some(mark) = chars.next().filter(|c| !c.is_alphanumeric() && !c.is_whitespace() && *c != '\\') else {
        return false;
    };
    sed_until(chars, mark) && sed_until(chars, mark)
}

fn sed_until(chars: &mut Chars, mark: char) -> bool {
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            c if c == mark => return true,
            _ => {}
        }
    }
    false
}

/// Not `e` (runs the result) and not `w` (writes a file).
fn sed_flags(chars: &mut Chars) -> bool {
    while let Some(c) = chars.peek().copied() {
        match c {
            'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => {
                chars.next();
            }
            ' ' | ';' | '\n' | '}' => return true,
            _ => return false,
        }
    }
    true
}

/// awk whose program has no way out: no system, pipe, redirection, getline, extension or ARGV.
pub(super) fn awk(args: &[Word]) -> Judged {
    let scan = args::scan(args, "-F -v");
    let Some((program, files)) = scan.operands.split_first().filter(|_| scan.only("-F -v")) else {
        return Judged::unknown();
    };
    if !program.literal.as_deref().is_some_and(pure_awk) {
        return Judged::unknown();
    }
    let is_assignment = |word: &Word| word.literal.as_deref().is_some_and(|text| text.contains('='));
    let files = files.iter().filter(|w| !w.is("-") && !is_assignment(w)).map(|w| w.path.clone()).collect();
    Judged::read_only().reading(files)
}

fn pure_awk(program: &str) -> bool {
    let program = program.replace("||", " ").replace(">=", " ");
    let ways_out = ["system", "getline", "ARGV", "ARGC", "@", "|", ">", "close", "fflush", "printf >", "\\x", "\\\n"];
    !ways_out.iter().any(|way| program.contains(way))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pr_5_sed_scripts() {
        for script in [
            "p",
            "1,20p",
            "$d",
            "s/a/b/",
            "s|a|b|g;s/c/d/2p",
            "/x/I,/y/p",
            "/^#/!d",
            "10q",
            "1~2p",
            "y/a/b/",
            "{p;p}",
            "/a\\/b/d",
        ] {
            assert!(plain_sed(script), "{script}");
        }
        for script in [
            "w out",
            "1w out",
            "s/a/b/w out",
            "s/a/b/e",
            "e rm x",
            "1e",
            "r x",
            "s/a/b/gw o",
            "a text",
            "b x",
            "s/a/b",
            "s/a/b/ge",
            "/x/w f",
            "$!{w f\n}",
            "R f",
            "W f",
            "p;w f",
            "1!e",
            "s\na\nb\nw f",
        ] {
            assert!(!plain_sed(script), "{script}");
        }
    }

    #[test]
    fn pr_5_awk_programs() {
        for program in ["{print $1}", "NR==1 || NR>=3", "/x/ {n++} END {print n}", "BEGIN{FS=\":\"} {print $1, $NF}"] {
            assert!(pure_awk(program), "{program}");
        }
        for program in [
            "{system(\"rm\")}",
            "{print > \"f\"}",
            "{print | \"sh\"}",
            "{\"ls\" | getline x}",
            "BEGIN{ARGV[1]=\"/x\"}",
            "@load \"filefuncs\"",
            "{print >> \"f\"}",
            "{ getline < \"f\" }",
        ] {
            assert!(!pure_awk(program), "{program}");
        }
    }
}
