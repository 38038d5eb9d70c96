//! sed, awk and jq. Their scripts can write files, run programs or read any file, so only scripts that provably
//! don't are accepted.

use super::CommandJudgement;
use super::args;
use crate::shell::parse::word::{self, ShellWord};
use crate::shell::{CommandVerdict, PathWord};

/// sed with a plain script only reads; with `-i` it is a plain file command.
pub(in crate::shell) fn sed(args: &[ShellWord]) -> CommandJudgement {
    let (args, suffix) = match split_backup_suffix(args) {
        Some(found) => found,
        None => return CommandJudgement::unknown(),
    };
    let args: Vec<ShellWord> = args.into_iter().cloned().collect();
    let options = "-e= -nErszui --expression= --quiet --silent --regexp-extended --separate --null-data --unbuffered --posix --in-place";
    let scan = args::scan_args(&args, options);
    if !scan.is_plain() {
        return CommandJudgement::unknown();
    }
    let mut operands = scan.operands.as_slice();
    let mut scripts: Vec<&ShellWord> = scan.values_of("-e --expression");
    if scripts.is_empty() {
        let Some((first, rest)) = operands.split_first() else { return CommandJudgement::unknown() };
        scripts.push(first);
        operands = rest;
    }
    if !scripts.iter().all(|script| script.literal.as_deref().is_some_and(is_plain_sed)) {
        return CommandJudgement::unknown();
    }
    let files: Vec<PathWord> = operands.iter().filter(|w| !w.is("-")).map(|w| w.path.clone()).collect();
    if suffix.is_none() && !scan.flags.iter().any(|flag| matches!(flag.as_str(), "-i" | "--in-place")) {
        return CommandJudgement::read_only().with_reads(files);
    }
    let backups = files.iter().filter_map(|file| match (file, &suffix) {
        (PathWord::Exact(file), Some(suffix)) => Some(PathWord::Exact(format!("{file}{suffix}"))),
        (
            PathWord::Exact(_)
            | PathWord::Glob(_)
            | PathWord::Below(_)
            | PathWord::Repository
            | PathWord::Pipe
            | PathWord::Unknown,
            _,
        ) => None,
    });
    let writes = files.iter().cloned().chain(backups).collect();
    CommandJudgement { writes, reads: files, ..CommandJudgement::new(CommandVerdict::FileCommand) }
}

/// Splits off `-i.bak` and returns the other arguments and the backup suffix. `None` for a suffix with a folder
/// or `*`, which inserts the file's name.
fn split_backup_suffix(args: &[ShellWord]) -> Option<(Vec<&ShellWord>, Option<String>)> {
    let is_suffix = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '~');
    let mut suffix = None;
    let mut rest = Vec::new();
    for word in args {
        let text = word.literal.as_deref().unwrap_or_default();
        let cluster = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        let after = match (cluster, text.strip_prefix("--in-place=")) {
            (_, Some(after)) => Some(after),
            // Letters without a value, then `i`: the rest is the suffix.
            (Some(letters), None) => match letters.split_once('i') {
                Some((before, after)) if !after.is_empty() && before.bytes().all(|b| b"nErszu".contains(&b)) => {
                    Some(after)
                }
                Some(_) | None => None,
            },
            (None, None) => None,
        };
        match after {
            Some(after) if is_suffix(after) => suffix = Some(after.to_string()),
            Some(_) => return None,
            None => rest.push(word),
        }
    }
    Some((rest, suffix))
}

/// True for a script of addresses, prints, deletions and substitutions, without `w`, `r`, `e`, labels or text commands.
fn is_plain_sed(script: &str) -> bool {
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

type CharStream = std::iter::Peekable<std::vec::IntoIter<char>>;

fn sed_address(chars: &mut CharStream) -> bool {
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

fn sed_triple(chars: &mut CharStream) -> bool {
    let Some(mark) = chars.next().filter(|c| !c.is_alphanumeric() && !c.is_whitespace() && *c != '\\') else {
        return false;
    };
    sed_until(chars, mark) && sed_until(chars, mark)
}

/// Skips to the next `mark`. False if `mark` is inside brackets, because sed versions differ there.
fn sed_until(chars: &mut CharStream, mark: char) -> bool {
    let mut bracket = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            c if c == mark => return !bracket,
            '[' if bracket => {
                // `[:alpha:]`, `[.x.]`, `[=x=]`: the inner bracket closes only itself.
                let Some(kind) = chars.next_if(|c| matches!(c, ':' | '.' | '=')) else { continue };
                let mut last = ' ';
                loop {
                    match chars.next() {
                        Some(']') if last == kind => break,
                        Some(c) if c != mark => last = c,
                        Some(_) | None => return false,
                    }
                }
            }
            '[' => {
                bracket = true;
                chars.next_if_eq(&'^');
                // A `]` directly after `[` is a member.
                chars.next_if_eq(&']');
            }
            ']' => bracket = false,
            _ => {}
        }
    }
    false
}

/// Skips the flags of `s`. False for `e` (runs the result) and `w` (writes a file).
fn sed_flags(chars: &mut CharStream) -> bool {
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

/// awk with a program that can't leave awk: no system, pipe, redirection, getline, extension or ARGV.
pub(in crate::shell) fn awk(args: &[ShellWord]) -> CommandJudgement {
    let scan = args::scan_args(args, "-F= -v=");
    // After the program awk reads no options: `-F x` would be two files.
    let Some((program, files)) = scan.operands.split_first().filter(|_| scan.is_plain() && scan.files.is_empty())
    else {
        return CommandJudgement::unknown();
    };
    if !program.literal.as_deref().is_some_and(is_pure_awk) {
        return CommandJudgement::unknown();
    }
    let name = |text: &str| text.split_once('=').is_some_and(|(name, _)| word::is_name(name));
    let is_assignment = |word: &ShellWord| word.literal.as_deref().is_some_and(name);
    let files = files.iter().filter(|w| !w.is("-") && !is_assignment(w)).map(|w| w.path.clone()).collect();
    CommandJudgement::read_only().with_reads(files)
}

/// jq with a program on the command line that imports nothing.
pub(in crate::shell) fn jq(args: &[ShellWord]) -> CommandJudgement {
    const LONG: &[&str] = &[
        "--null-input",
        "--raw-input",
        "--raw-output",
        "--raw-output0",
        "--join-output",
        "--ascii-output",
        "--slurp",
        "--compact-output",
        "--color-output",
        "--monochrome-output",
        "--sort-keys",
        "--tab",
        "--seq",
        "--stream",
        "--exit-status",
        "--unbuffered",
    ];
    let letters =
        |text: &str| text.len() > 1 && text.starts_with('-') && text[1..].bytes().all(|b| b"nRrjascCMSe".contains(&b));
    let (mut operands, mut reads): (Vec<&ShellWord>, Vec<PathWord>) = (vec![], vec![]);
    let mut at = 0;
    while let Some(word) = args.get(at) {
        let file = args.get(at + 2).filter(|_| word.is("--slurpfile") || word.is("--rawfile"));
        let both = args.iter().skip(at + 1).take(2).filter(|w| w.is_single).count() == 2;
        at += match word.literal.as_deref() {
            Some(text) if LONG.contains(&text) || letters(text) => 1,
            Some("--indent") if args.get(at + 1).is_some_and(|w| w.literal.is_some()) => 2,
            Some("--arg" | "--argjson" | "--slurpfile" | "--rawfile") if both => 3,
            Some(text) if !text.starts_with('-') => 1,
            None if !word.may_be_flag => 1,
            Some(_) | None => return CommandJudgement::unknown(),
        };
        if word.literal.as_deref().is_none_or(|text| !text.starts_with('-')) {
            operands.push(word);
        }
        reads.extend(file.map(|file| file.path.clone()));
    }
    let Some((program, files)) = operands.split_first() else { return CommandJudgement::unknown() };
    let imports = |text: &str| ["import", "include", "modulemeta"].iter().any(|word| text.contains(word));
    if program.literal.as_deref().is_none_or(imports) {
        return CommandJudgement::unknown();
    }
    reads.extend(files.iter().map(|w| w.path.clone()));
    CommandJudgement::read_only().with_reads(reads)
}

fn is_pure_awk(program: &str) -> bool {
    let program = program.replace("||", " ").replace(">=", " ");
    // Through SYMTAB and FUNCTAB gawk can access anything by a computed name.
    let ways_out = [
        "system",
        "getline",
        "ARGV",
        "ARGC",
        "SYMTAB",
        "FUNCTAB",
        "PROCINFO",
        "extension",
        "textdomain",
        "@",
        "|",
        ">",
        "close",
        "fflush",
        "printf >",
        "\\x",
        "\\\n",
    ];
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
            "s/[0-9]*//",
            "s/[[:space:]]*$//",
            "s/[]x]//;s/[^]]//",
        ] {
            assert!(is_plain_sed(script), "{script}");
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
            // Some seds end the pattern at the first slash, some at the second.
            "s/[/]/g;/w evil/p",
            "s|[]|]|p;s|w evil|p|",
            "s|[^]|]|p;s|w evil|p|",
            "s|[[:alpha:]|]|p;s|w evil|p|",
        ] {
            assert!(!is_plain_sed(script), "{script}");
        }
    }

    #[test]
    fn pr_5_awk_programs() {
        for program in ["{print $1}", "NR==1 || NR>=3", "/x/ {n++} END {print n}", "BEGIN{FS=\":\"} {print $1, $NF}"] {
            assert!(is_pure_awk(program), "{program}");
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
            "BEGIN{SYMTAB[\"AR\" \"GV\"][1]=\"/x\"}",
            "BEGIN{SYMTAB[n][1]=\"/x\"}",
            "BEGIN{extension(\"./x\")}",
        ] {
            assert!(!is_pure_awk(program), "{program}");
        }
    }
}
